//! What the tree's value column holds: an estimate, a proof, or nothing yet, in one `f32`.
//!
//! ```text
//!   -2^100 … -2^99    proven loss (longer ones are higher)      2^99 … 2^100    proven win (shorter ones are higher)
//!   -2^95             not seen yet                              -0.0            proven draw
//!   anything else     an estimate in the evaluator's unit, at most 2^80 either way, zero as +0.0
//! ```
//! Selection and backup look at this one column only, and for most of them the order of the numbers is all they need: a maximum
//! prefers the shortest win and the longest loss, and prefers an unvisited child only to a lost one.

use crate::search::Proof;

/// The value of an unvisited child.
pub const UNSEEN: f32 = -two_to(95);

/// The value of a proven draw. It computes like zero, and differs from the zero of an estimate in its sign bit.
pub const DRAWN: f32 = -0.0;

/// Whatever lies below is lost or not seen: it has no weight in any mean.
pub const WEIGHTLESS: f32 = -two_to(94);

/// Estimates stay within these bounds.
const BOUND: f32 = two_to(80);

/// Proven values lie beyond it, on either side.
const SURE: f32 = two_to(98);

/// The worth of a win at once.
const TOP: f32 = two_to(100);

/// The longest proof that is counted in plies; longer ones count as this long.
const LONGEST: u32 = 1 << 15;

const fn two_to(exponent: u32) -> f32 {
    f32::from_bits((127 + exponent) << 23)
}

/// An evaluator's answer as the column keeps it: a number is asked for, absurd ones are bounded.
#[inline]
pub fn estimate(x: f32) -> f32 {
    if x.is_nan() {
        return 0.0;
    }
    // Adding +0.0 turns -0.0, which means a proven draw, into +0.0.
    x.clamp(-BOUND, BOUND) + 0.0
}

/// A proof as the column keeps it.
pub fn from_proof(proof: Proof) -> f32 {
    let worth = |plies: u32| TOP * (1.0 - plies.min(LONGEST) as f32 / (2 * LONGEST) as f32);
    match proof {
        Proof::Win(plies) => worth(plies),
        Proof::Draw => DRAWN,
        Proof::Loss(plies) => -worth(plies),
    }
}

/// The proof in a value, if it is one.
pub fn proof(value: f32) -> Option<Proof> {
    let plies = || ((1.0 - value.abs() / TOP) * (2 * LONGEST) as f32) as u32;
    if value > SURE {
        Some(Proof::Win(plies()))
    } else if value < -SURE {
        Some(Proof::Loss(plies()))
    } else if value.to_bits() == DRAWN.to_bits() {
        Some(Proof::Draw)
    } else {
        None
    }
}

/// Whether the value is a proof.
#[inline]
pub fn is_proven(value: f32) -> bool {
    value.abs() > SURE || value.to_bits() == DRAWN.to_bits()
}

/// Whether it was visited.
#[inline]
pub fn is_seen(value: f32) -> bool {
    value != UNSEEN
}

/// The number a person reads: proofs become `win`, 0 or `-win`; unvisited is 0.
#[inline]
pub fn plain(value: f32, win: f32) -> f32 {
    if value > SURE {
        win
    } else if value < -SURE {
        -win
    } else if value == UNSEEN {
        0.0
    } else {
        value + 0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn proofs_survive_the_column() {
        for plies in [0, 1, 2, 17, 1000, LONGEST] {
            for fact in [Proof::Win(plies), Proof::Loss(plies), Proof::Draw] {
                assert_eq!(proof(from_proof(fact)), Some(fact));
                assert!(is_proven(from_proof(fact)));
            }
        }
        assert_eq!(proof(from_proof(Proof::Win(u32::MAX))), Some(Proof::Win(LONGEST)));
    }

    #[test]
    fn the_order_is_what_a_player_wants() {
        let order = [
            from_proof(Proof::Loss(1)),
            from_proof(Proof::Loss(8)),
            UNSEEN,
            estimate(f32::NEG_INFINITY),
            -1.0,
            0.0,
            1.0,
            estimate(f32::INFINITY),
            from_proof(Proof::Win(8)),
            from_proof(Proof::Win(1)),
        ];
        assert!(order.is_sorted_by(|a, b| a < b), "{order:?}");
        assert!(UNSEEN < WEIGHTLESS && WEIGHTLESS < estimate(f32::NEG_INFINITY));
    }

    proptest! {
        #[test]
        fn estimates_are_never_proofs(bits: u32) {
            let kept = estimate(f32::from_bits(bits));
            prop_assert!(kept.is_finite() && !is_proven(kept) && is_seen(kept) && kept > WEIGHTLESS);
            prop_assert_eq!(plain(kept, 1.0).to_bits(), kept.to_bits());
        }
    }
}
