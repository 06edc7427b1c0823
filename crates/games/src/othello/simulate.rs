//! Simulated games: a legal square drawn from the bits, without a list.

use yomi_core::policy::Step;
use yomi_core::{Outcome, Rng, Simulate};

use super::moves::OthelloMove;
use super::position::Othello;

impl Simulate for Othello {
    type Sampler = ();

    #[inline]
    fn draw(&self, (): &mut (), rng: &mut Rng) -> Step<OthelloMove> {
        let mut squares = self.legal(self.turn);
        if squares == 0 {
            return match self.legal(!self.turn) {
                0 => Step::Break(Outcome::from_margin(self.margin())),
                _ => Step::Continue(OthelloMove::PASS),
            };
        }
        for _ in 0..rng.below(squares.count_ones() as usize) {
            squares &= squares - 1;
        }
        Step::Continue(OthelloMove::at(squares.trailing_zeros() as u8))
    }

    /// A disc for every empty square, and a pass before each at most.
    fn horizon(&self) -> usize {
        2 * (self.discs[0] | self.discs[1]).count_zeros() as usize + 1
    }

    fn places(&self) -> usize {
        64
    }

    fn adjudicate(&self) -> Outcome {
        Outcome::from_margin(self.margin())
    }
}
