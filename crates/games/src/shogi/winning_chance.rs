//! The curve between hundredths of a pawn and winning chances that shogi programs share: a chance p stands for `600·ln(p / (1 - p))`.

/// The steepness of the curve, in hundredths of a pawn.
pub const STEEPNESS: f64 = 600.0;

/// No score is stated beyond it: what lies there is a mate or as good as one.
pub const MOST_CENTIPAWNS: f64 = 29_999.0;

/// The hundredths of a pawn that a chance of winning, from 0 to 1, stands for.
pub fn centipawns(chance: f64) -> f64 {
    let chance = chance.clamp(0.0, 1.0);
    STEEPNESS * (chance / (1.0 - chance)).ln()
}

/// The chance of winning, from 0 to 1, that this many hundredths of a pawn stand for.
pub fn chance(centipawns: f64) -> f64 {
    1.0 / (1.0 + (-centipawns / STEEPNESS).exp())
}

/// A score as whole hundredths of a pawn, within the bounds; 0 for what is no number.
pub fn rounded(centipawns: f64) -> i64 {
    if centipawns.is_nan() { 0 } else { centipawns.clamp(-MOST_CENTIPAWNS, MOST_CENTIPAWNS).round() as i64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_goes_both_ways() {
        assert_eq!(rounded(centipawns(0.5)), 0);
        assert_eq!((rounded(centipawns(1.0)), rounded(centipawns(0.0)), rounded(f64::NAN)), (29_999, -29_999, 0));
        for score in [-2000, -1, 0, 100, 600] {
            assert_eq!(rounded(centipawns(chance(score as f64))), score);
        }
    }
}
