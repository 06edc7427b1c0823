//! How the values of a search become hundredths of a pawn and chances of winning.

use yomi_eval::material::PAWN;
use yomi_games::shogi::winning_chance::{MOST_CENTIPAWNS, STEEPNESS, centipawns, rounded};

/// The unit of a search's values.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Scale {
    /// This much is a pawn.
    Pawn(f32),
    /// Values run from -1, lost, to 1, won.
    Result,
}

impl Scale {
    /// The unit of an evaluation to which a won game is worth `win`: playouts answer from -1 to 1, every other evaluation counts in pawns.
    pub fn of_win(win: f32) -> Scale {
        if win <= 1.0 { Scale::Result } else { Scale::Pawn(PAWN) }
    }

    /// The value in hundredths of a pawn.
    pub fn centipawns(self, value: f32) -> i64 {
        let value = f64::from(value);
        rounded(match self {
            Scale::Pawn(pawn) => value * 100.0 / f64::from(pawn),
            Scale::Result => centipawns(value.midpoint(1.0)),
        })
    }

    /// The value that this many hundredths of a pawn stand for: the inverse of [`Scale::centipawns`].
    pub fn value(self, centipawns: i64) -> f32 {
        let cp = (centipawns as f64).clamp(-MOST_CENTIPAWNS, MOST_CENTIPAWNS);
        match self {
            Scale::Pawn(pawn) => (cp / 100.0 * f64::from(pawn)) as f32,
            // Twice the chance less one.
            Scale::Result => (cp / STEEPNESS / 2.0).tanh() as f32,
        }
    }

    /// The chance of winning, from 0 to 1, that a value stands for.
    pub fn chance(self, value: f32) -> f32 {
        match self {
            Scale::Result => f32::midpoint(1.0, value).clamp(0.0, 1.0),
            Scale::Pawn(pawn) => 1.0 / (1.0 + (-value / pawn * 100.0 / STEEPNESS as f32).exp()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_become_hundredths_of_a_pawn() {
        assert_eq!(Scale::Pawn(87.0).centipawns(87.0), 100);
        assert_eq!(Scale::Pawn(87.0).centipawns(-43.5), -50);
        assert_eq!(Scale::Pawn(87.0).centipawns(1e9), 29_999);
        assert_eq!(Scale::Pawn(87.0).centipawns(f32::NAN), 0);
        assert_eq!(Scale::Result.centipawns(0.0), 0);
        // One in (1 + e): a chance of 73 %.
        assert_eq!(Scale::Result.centipawns(0.462_117), 600);
        assert_eq!(Scale::Result.centipawns(1.0), 29_999);
        assert_eq!(Scale::Result.centipawns(-1.0), -29_999);
        for scale in [Scale::Pawn(87.0), Scale::Result] {
            for cp in [0, -2, 100, -1500, 5000] {
                assert_eq!(scale.centipawns(scale.value(cp)), cp, "{scale:?}");
            }
        }
    }

    #[test]
    fn values_become_chances() {
        assert_eq!((Scale::of_win(1.0), Scale::of_win(30_000.0)), (Scale::Result, Scale::Pawn(PAWN)));
        assert_eq!(Scale::Result.chance(0.0), 0.5);
        assert_eq!(Scale::Result.chance(0.2), 0.6);
        let pawns = Scale::Pawn(PAWN);
        assert_eq!(pawns.chance(0.0), 0.5);
        // Six pawns are 600 hundredths: 1 / (1 + 1/e).
        assert!((pawns.chance(6.0 * PAWN) - 0.731).abs() < 0.001);
        assert!((pawns.chance(PAWN) + pawns.chance(-PAWN) - 1.0).abs() < 1e-6);
    }
}
