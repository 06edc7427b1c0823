//! Values of won and lost games: the sooner the win, the better.

use yomi_core::{Color, Outcome};

use crate::search::Proof;

/// No line of a search is longer.
pub(crate) const MAX_PLY: usize = 128;

/// A win is worth the evaluator's `win()` less a millionth of it for each ply until then.
const PLIES_PER_WIN: f32 = (1 << 20) as f32;
/// Values within this many plies of a win are proofs; no evaluation may come as close.
const PROOF_PLIES: f32 = 512.0;

/// How values are read: in the evaluator's own unit, with distances to the end of the game at both ends of the scale.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale {
    win: f32,
    ply: f32,
    /// From here on a value says that the game is won.
    proof: f32,
    /// What a draw is worth to Black.
    draw: f32,
}

impl Scale {
    /// The scale of an evaluator for which a won game is worth `win`. Nonsense is read as 1.
    pub(crate) fn new(win: f32) -> Scale {
        let win = if win.is_normal() { win.abs() } else { 1.0 };
        let ply = win / PLIES_PER_WIN;
        Scale { win, ply, proof: win - ply * PROOF_PLIES, draw: 0.0 }
    }

    /// The same where a draw is worth `draw` to Black: an opinion, no proof.
    pub(crate) fn with_draw(self, draw: f32) -> Scale {
        Scale { draw: self.opinion(draw), ..self }
    }

    /// Worth of a game that is won `ply` plies below the root.
    #[inline]
    pub(crate) fn won_in(self, ply: usize) -> f32 {
        self.win - self.ply * ply as f32
    }

    /// Worth of a game that ended so, for `side`, `ply` plies below the root.
    #[inline]
    pub(crate) fn ended(self, outcome: Outcome, side: Color, ply: usize) -> f32 {
        match outcome {
            Outcome::Draw => outcome.value_with_draw(side, self.win, self.draw),
            Outcome::Win(winner) if winner == side => self.won_in(ply),
            Outcome::Win(_) => -self.won_in(ply),
        }
    }

    /// An opinion: never as good as a proof. What is no number counts as 0.
    #[inline]
    pub(crate) fn opinion(self, value: f32) -> f32 {
        let limit = self.proof.next_down();
        if value.is_nan() { 0.0 } else { value.clamp(-limit, limit) }
    }

    /// Whether the value says that the side to move wins by force.
    #[inline]
    pub(crate) fn is_won(self, value: f32) -> bool {
        value >= self.proof
    }

    /// Whether the value says that the side to move loses by force.
    #[inline]
    pub(crate) fn is_lost(self, value: f32) -> bool {
        value <= -self.proof
    }

    /// What the value of the root proves.
    pub(crate) fn proof(self, value: f32) -> Option<Proof> {
        let plies = self.plies(value) as u32;
        match () {
            () if self.is_won(value) => Some(Proof::Win(plies)),
            () if self.is_lost(value) => Some(Proof::Loss(plies)),
            () => None,
        }
    }

    /// The value as the position itself sees it, `ply` plies below the root: what a transposition table keeps.
    #[inline]
    pub(crate) fn in_table(self, value: f32, ply: usize) -> f32 {
        self.moved(value, |plies| plies.saturating_sub(ply))
    }

    /// The value of a table as the root sees it.
    #[inline]
    pub(crate) fn at_root(self, value: f32, ply: usize) -> f32 {
        self.moved(value, |plies| plies + ply)
    }

    #[inline]
    fn moved(self, value: f32, plies: impl Fn(usize) -> usize) -> f32 {
        if self.is_won(value) {
            self.won_in(plies(self.plies(value)))
        } else if self.is_lost(value) {
            -self.won_in(plies(self.plies(value)))
        } else {
            value
        }
    }

    /// In how many plies a game of proven value ends.
    fn plies(self, value: f32) -> usize {
        ((self.win - value.abs()) / self.ply).round() as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_survive_every_unit() {
        for win in [1.0, 30_000.0, 32_768.0, 0.123_456_7, 1e-30, 3e38, 77.7] {
            let scale = Scale::new(win);
            for ply in 0..2 * MAX_PLY {
                let value = scale.won_in(ply);
                assert!(scale.is_won(value) && scale.is_lost(-value) && value > scale.won_in(ply + 1), "{win} {ply}");
                assert_eq!(scale.proof(value), Some(Proof::Win(ply as u32)));
                assert_eq!(scale.proof(-value), Some(Proof::Loss(ply as u32)));
                for node in 0..=ply.min(MAX_PLY) {
                    for value in [value, -value] {
                        assert_eq!(scale.at_root(scale.in_table(value, node), node), value, "{win} {ply} {node}");
                    }
                }
            }
        }
    }

    #[test]
    fn opinions_prove_nothing() {
        let scale = Scale::new(1.0);
        for value in [1.0, 2.0, f32::INFINITY, f32::MAX] {
            assert!(!scale.is_won(scale.opinion(value)) && scale.opinion(value) > 0.999);
            assert!(!scale.is_lost(scale.opinion(-value)));
        }
        assert_eq!(scale.opinion(f32::NAN), 0.0);
        assert_eq!(scale.opinion(0.25), 0.25);
        assert_eq!(scale.in_table(0.25, 9), 0.25);
        assert_eq!(scale.proof(0.25), None);
        assert_eq!(Scale::new(f32::NAN).won_in(0), 1.0);
        assert_eq!(Scale::new(0.0).won_in(0), 1.0);
    }

    #[test]
    fn a_draw_is_worth_what_the_caller_says() {
        let draw = |scale: Scale, side| scale.ended(Outcome::Draw, side, 3);
        let plain = Scale::new(100.0);
        assert_eq!([Color::Black, Color::White].map(|side| draw(plain, side).to_bits()), [0, 0], "zero without a sign");
        let contempt = plain.with_draw(-2.0);
        assert_eq!([Color::Black, Color::White].map(|side| draw(contempt, side)), [-2.0, 2.0]);
        assert!(!plain.is_won(draw(plain.with_draw(1e9), Color::Black)));
    }
}
