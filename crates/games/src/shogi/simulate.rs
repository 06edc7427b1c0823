//! Playing at random.

use yomi_core::policy::Step;
use yomi_core::{Color, Outcome, Rng, Simulate};

use super::bits::Bits;
use super::movegen::Sink;
use super::moves::ShogiMove;
use super::piece::Kind;
use super::position::Shogi;
use super::square::Square;
use super::variant::Variant;

/// A game longer than this is given up as a draw.
const HORIZON: usize = 512;

/// All legal moves as sets of destinations with a common origin: much shorter than a list of moves.
#[derive(Clone, Debug)]
pub struct MoveSets<V: Variant> {
    sets: Vec<(Origin, V::Bits)>,
    count: u32,
}

/// Where the moves of a set come from.
#[derive(Clone, Copy, Debug)]
enum Origin {
    Square { from: Square, promotes: bool },
    PawnsBehind { color: Color, promotes: bool },
    Hand(Kind),
}

impl<V: Variant> Default for MoveSets<V> {
    fn default() -> Self {
        MoveSets { sets: Vec::new(), count: 0 }
    }
}

impl<V: Variant> MoveSets<V> {
    #[inline]
    fn add(&mut self, origin: Origin, to: V::Bits) {
        let count = to.len();
        if count > 0 {
            self.sets.push((origin, to));
            self.count += count;
        }
    }

    /// The `index`-th of the moves.
    #[inline]
    fn get(&self, mut index: u32) -> Option<ShogiMove> {
        for &(origin, to) in &self.sets {
            let count = to.len();
            if index < count {
                let to = (0..index).fold(to, |set, _| set.rest()).first()?;
                return Some(origin.mv::<V>(to));
            }
            index -= count;
        }
        None
    }
}

impl Origin {
    #[inline]
    fn mv<V: Variant>(self, to: Square) -> ShogiMove {
        let (from, promotes) = match self {
            Origin::Hand(kind) => return ShogiMove::drop(kind, to),
            Origin::Square { from, promotes } => (from, promotes),
            Origin::PawnsBehind { color, promotes } => {
                (V::Bits::of(to).forward(!color).first().unwrap_or(to), promotes)
            }
        };
        if promotes { ShogiMove::promoting(from, to) } else { ShogiMove::new(from, to) }
    }
}

impl<V: Variant> Sink<V> for MoveSets<V> {
    #[inline]
    fn moves(&mut self, from: Square, plain: V::Bits, promoting: V::Bits) {
        self.add(Origin::Square { from, promotes: false }, plain);
        self.add(Origin::Square { from, promotes: true }, promoting);
    }
    #[inline]
    fn pawns(&mut self, color: Color, plain: V::Bits, promoting: V::Bits) {
        self.add(Origin::PawnsBehind { color, promotes: false }, plain);
        self.add(Origin::PawnsBehind { color, promotes: true }, promoting);
    }
    #[inline]
    fn drops(&mut self, kind: Kind, to: V::Bits) {
        self.add(Origin::Hand(kind), to);
    }
}

impl<V: Variant> Simulate for Shogi<V> {
    type Sampler = MoveSets<V>;

    /// Draws uniformly from all legal moves, by the sets of their destinations.
    #[inline]
    fn draw(&self, sampler: &mut MoveSets<V>, rng: &mut Rng) -> Step<ShogiMove> {
        if let Some(outcome) = self.tried() {
            return Step::Break(outcome);
        }
        sampler.sets.clear();
        sampler.count = 0;
        self.walk(sampler);
        if sampler.count == 0 {
            return Step::Break(Outcome::Win(!self.turn));
        }
        let chosen = sampler.get(rng.below(sampler.count as usize) as u32);
        chosen.map_or(Step::Break(Outcome::Win(!self.turn)), Step::Continue)
    }

    fn horizon(&self) -> usize {
        HORIZON
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shogi::{Minishogi, Shogi9};
    use yomi_core::{Position, Seed};

    /// χ² of `draws` over the moves of a position, and the number of moves.
    fn chi_squared<V: Variant>(position: &Shogi<V>, draws: usize) -> (f64, usize) {
        let mut moves = Vec::new();
        position.generate(&mut moves);
        let mut counts = vec![0u32; moves.len()];
        let (mut rng, mut sampler) = (Seed::new(5).rng(), MoveSets::default());
        for _ in 0..draws {
            let Step::Continue(mv) = position.draw(&mut sampler, &mut rng) else { panic!("the game is not over") };
            counts[moves.binary_search(&mv).expect("a legal move")] += 1;
        }
        let expected = draws as f64 / moves.len() as f64;
        (counts.iter().map(|&c| (f64::from(c) - expected).powi(2) / expected).sum(), moves.len())
    }

    /// χ² with n - 1 degrees of freedom has mean n - 1 and variance 2(n - 1): six deviations above, and the seed is fixed.
    #[test]
    fn draws_are_uniform() {
        let check = |(chi2, n): (f64, usize)| {
            let freedom = n as f64 - 1.0;
            assert!(chi2 < freedom + 6.0 * (2.0 * freedom).sqrt(), "χ² = {chi2} for {n} moves");
        };
        check(chi_squared(&Shogi9::default(), 100_000));
        check(chi_squared(&Minishogi::default(), 100_000));
        for sfen in [
            "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
            "4k4/9/PPPPPPPPP/9/9/9/9/9/4K4 b - 1",
        ] {
            check(chi_squared(&Shogi9::from_sfen(sfen).expect("sfen"), 200_000));
        }
    }
}
