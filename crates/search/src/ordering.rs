//! Which move to try first: what the game knows, and what the search itself has learned.

use std::cmp::Reverse;

use yomi_core::{Color, Move, Position, Tactical};

/// What a search may know about a game beyond its rules. Every answer has a default that knows nothing, so a game gives what it
/// has: [`Blind`] serves any game, [`Tactics`] those with captures and checks, and a game may bring its own.
pub trait Guide<P: Position>: Send + Sync {
    /// Whether there are quiet and noisy moves at all, so that a quiescence search makes sense.
    const TACTICAL: bool = false;

    /// Whether the side to move stands in check: it cannot stand pat, and nothing is pruned.
    fn in_check(&self, position: &P) -> bool {
        let _ = position;
        false
    }

    /// Whether `mv` gives check.
    fn gives_check(&self, position: &P, mv: P::Move) -> bool {
        let _ = (position, mv);
        false
    }

    /// What `mv` takes and promotes, in hundredths of a pawn; 0 for quiet moves.
    fn gain(&self, position: &P, mv: P::Move) -> i32 {
        let _ = (position, mv);
        0
    }

    /// Whether `mv` loses material by the exchanges on its square.
    fn loses_exchange(&self, position: &P, mv: P::Move) -> bool {
        let _ = (position, mv);
        false
    }

    /// How promising a quiet move looks before any search, between -1000 and 1000.
    fn promise(&self, position: &P, mv: P::Move) -> i32 {
        let _ = (position, mv);
        0
    }

    /// The position after a null move.
    fn pass(&self, position: &P) -> Option<P> {
        let _ = position;
        None
    }

    /// Replaces the contents of `moves` by the captures and promotions, or by all evasions in check.
    fn noisy(&self, position: &P, moves: &mut Vec<P::Move>) {
        let _ = position;
        moves.clear();
    }

    /// Replaces the contents of `moves` by the moves that give check.
    fn checks(&self, position: &P, moves: &mut Vec<P::Move>) {
        let _ = position;
        moves.clear();
    }

    /// What a shallower search says about one of this depth, where that was measured.
    fn forecast(&self, position: &P, depth: i32) -> Option<Forecast> {
        let _ = (position, depth);
        None
    }
}

/// The value of a search is about `slope·v + offset` with this standard deviation, v being the value of a search `less` plies
/// shallower.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Forecast {
    /// How many plies shallower.
    pub less: i32,
    /// How the values grow together.
    pub slope: f32,
    /// What is added.
    pub offset: f32,
    /// The standard deviation of the difference.
    pub deviation: f32,
}

impl Forecast {
    /// The shallow value from which on the deep one is at least `bound`, but for an error of `t` deviations; with a negative `t`, the one
    /// down from which it is at most `bound`.
    pub fn threshold(&self, bound: f32, t: f32) -> f32 {
        (bound + t * self.deviation - self.offset) / self.slope
    }
}

/// Knows nothing: good for any game.
#[derive(Clone, Copy, Debug, Default)]
pub struct Blind;

impl<P: Position> Guide<P> for Blind {}

/// The guide of a [`Tactical`] game.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tactics;

impl<P: Tactical> Guide<P> for Tactics {
    const TACTICAL: bool = true;

    #[inline]
    fn in_check(&self, position: &P) -> bool {
        position.in_check()
    }
    #[inline]
    fn gives_check(&self, position: &P, mv: P::Move) -> bool {
        position.gives_check(mv)
    }
    #[inline]
    fn gain(&self, position: &P, mv: P::Move) -> i32 {
        position.gain(mv)
    }
    #[inline]
    fn loses_exchange(&self, position: &P, mv: P::Move) -> bool {
        position.loses_exchange(mv)
    }
    fn pass(&self, position: &P) -> Option<P> {
        position.pass()
    }
    fn noisy(&self, position: &P, moves: &mut Vec<P::Move>) {
        position.noisy(moves);
    }
    fn checks(&self, position: &P, moves: &mut Vec<P::Move>) {
        position.checks(moves);
    }
}

/// A move and how early it deserves to be tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scored<M> {
    pub(crate) mv: M,
    pub(crate) score: i32,
    /// What the move takes and promotes; 0 for quiet moves.
    pub(crate) gain: i32,
}

impl<M: Move> Scored<M> {
    /// Greater is earlier: the score, and among equals the lower bits, as one number.
    #[inline]
    fn rank(&self) -> i64 {
        i64::from(self.score) << 16 | i64::from(!self.mv.to_bits())
    }
}

/// Moves that are selected one by one; if the search wants more, it will want most of them.
const PICKS: usize = 4;

/// Brings the best of the moves from `index` on to `index`, given that it did so for every index before: sorting only as far as the
/// search goes. Among equals the one of lower bits is first, so that the order is a function of the position.
#[inline]
pub(crate) fn pick<M: Move>(moves: &mut [Scored<M>], index: usize) -> Scored<M> {
    if index < PICKS {
        let (mut best, mut highest) = (index, moves[index].rank());
        for (i, scored) in moves.iter().enumerate().skip(index + 1) {
            let rank = scored.rank();
            if rank > highest {
                (best, highest) = (i, rank);
            }
        }
        moves.swap(index, best);
    } else if index == PICKS {
        moves[index..].sort_unstable_by_key(|scored| Reverse(scored.rank()));
    }
    moves[index]
}

/// Two quiet moves per ply that refuted something there lately.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Killers<M>([Option<M>; 2]);

impl<M> Default for Killers<M> {
    fn default() -> Self {
        Killers([None, None])
    }
}

impl<M: Move> Killers<M> {
    pub(crate) fn note(&mut self, mv: M) {
        if self.0[0] != Some(mv) {
            self.0 = [Some(mv), self.0[0]];
        }
    }

    /// 0 or 1 for a killer, the younger first.
    #[inline]
    pub(crate) fn rank(&self, mv: M) -> Option<usize> {
        self.0.iter().position(|&killer| killer == Some(mv))
    }
}

/// How often each move of each side was good anywhere in the tree, between -`LIMIT` and `LIMIT`.
pub(crate) struct History(Vec<i16>);

impl History {
    pub(crate) const LIMIT: i32 = 16_384;

    pub(crate) fn new() -> History {
        History(vec![0; 2 << 16])
    }

    #[inline]
    fn index(side: Color, bits: u16) -> usize {
        side.index() << 16 | usize::from(bits)
    }

    #[inline]
    pub(crate) fn get(&self, side: Color, bits: u16) -> i32 {
        i32::from(self.0[History::index(side, bits)])
    }

    /// Rewards (or, with a negative bonus, blames) a move; the nearer the limit, the less.
    pub(crate) fn add(&mut self, side: Color, bits: u16, bonus: i32) {
        let entry = &mut self.0[History::index(side, bits)];
        let bonus = bonus.clamp(-History::LIMIT, History::LIMIT);
        let value = i32::from(*entry);
        *entry = (value + bonus - value * bonus.abs() / History::LIMIT) as i16;
    }

    /// What was learned counts for a quarter in the next search.
    pub(crate) fn fade(&mut self) {
        for entry in &mut self.0 {
            *entry /= 4;
        }
    }

    pub(crate) fn clear(&mut self) {
        self.0.fill(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use yomi_core::toy::Branch;

    #[test]
    fn picks_in_order_of_score() {
        let scores = [3, 9, 9, -1, 4, 7, 7, 2, 0];
        let scored = |(i, &score): (usize, &i32)| Scored { mv: Branch(i as u16), score, gain: 0 };
        let mut moves: Vec<_> = scores.iter().enumerate().map(scored).collect();
        let order: Vec<u16> = (0..moves.len()).map(|i| pick(&mut moves, i).mv.0).collect();
        assert_eq!(order, [1, 2, 5, 6, 4, 0, 7, 8, 3]);
    }

    #[test]
    fn killers_are_two_and_different() {
        let mut killers = Killers::default();
        for mv in [1, 2, 2, 3] {
            killers.note(Branch(mv));
        }
        let ranks: Vec<_> = (1..=3).map(|mv| killers.rank(Branch(mv))).collect();
        assert_eq!(ranks, [None, Some(1), Some(0)]);
    }

    #[test]
    fn history_stays_within_its_limit() {
        let mut history = History::new();
        for _ in 0..10_000 {
            history.add(Color::Black, 65_535, 3_000);
            history.add(Color::White, 65_535, i32::MIN + 1);
        }
        assert!((16_000..=History::LIMIT).contains(&history.get(Color::Black, 65_535)));
        assert_eq!(history.get(Color::White, 65_535), -History::LIMIT);
        assert_eq!(history.get(Color::Black, 0), 0);
        history.fade();
        assert_eq!(history.get(Color::White, 65_535), -History::LIMIT / 4);
    }
}
