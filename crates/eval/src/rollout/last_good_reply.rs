//! Last good reply with forgetting, LGRF-2 (Drake 2009; Baier and Drake 2010): what answered a move well in a won playout is tried again,
//! and forgotten once it loses. The mass update of tabu lists (S2.4) is the same idea with the opposite sign.

use yomi_core::policy::Step;
use yomi_core::{Color, Move, Outcome, Policy, Position, Question, Rng};

/// Tries the last good reply to the last two moves, then to the last one, and then asks `inner`.
///
/// The replies belong to the thread and are forgotten with its working memory, when the search ends.
#[derive(Clone, Debug)]
pub struct LastGoodReply<P: Position, Q> {
    inner: Q,
    /// Whether a remembered move that is legal is worth playing.
    worthy: fn(&P, P::Move) -> bool,
}

impl<P: Position, Q> LastGoodReply<P, Q> {
    /// Around `inner`; `worthy` keeps moves from being repeated where they make no sense any more, such as filling an eye.
    pub fn new(inner: Q, worthy: fn(&P, P::Move) -> bool) -> Self {
        LastGoodReply { inner, worthy }
    }
}

/// Places in the table of replies to two moves. What falls on the same place replaces what was there.
const PLACES: usize = 1 << 15;
/// No reply; moves have all other sixteen bits to themselves but this, and games that use it lose one reply.
const NOTHING: u16 = u16::MAX;

/// The replies of one side.
struct Replies {
    to_one: Vec<u16>,
    /// The two moves, and the reply.
    to_two: Vec<(u32, u16)>,
}

impl Replies {
    fn new() -> Replies {
        Replies { to_one: vec![NOTHING; 1 << 16], to_two: vec![(0, NOTHING); PLACES] }
    }

    fn pair(before: u16, last: u16) -> (u32, usize) {
        let pair = u32::from(before) << 16 | u32::from(last);
        (pair, (pair.wrapping_mul(0x9e37_79b1) >> 17) as usize)
    }

    fn two(&self, before: u16, last: u16) -> Option<u16> {
        let (pair, place) = Replies::pair(before, last);
        let (found, reply) = self.to_two[place];
        (found == pair && reply != NOTHING).then_some(reply)
    }

    fn one(&self, last: u16) -> Option<u16> {
        Some(self.to_one[usize::from(last)]).filter(|&reply| reply != NOTHING)
    }

    fn store(&mut self, before: Option<u16>, last: u16, reply: u16) {
        self.to_one[usize::from(last)] = reply;
        if let Some(before) = before {
            let (pair, place) = Replies::pair(before, last);
            self.to_two[place] = (pair, reply);
        }
    }

    fn forget(&mut self, before: Option<u16>, last: u16, reply: u16) {
        if self.to_one[usize::from(last)] == reply {
            self.to_one[usize::from(last)] = NOTHING;
        }
        if let Some(before) = before {
            let (pair, place) = Replies::pair(before, last);
            if self.to_two[place] == (pair, reply) {
                self.to_two[place] = (0, NOTHING);
            }
        }
    }
}

/// Working memory of a thread.
pub struct Scratch<S> {
    inner: S,
    /// By the side that replies.
    replies: [Replies; 2],
    /// The moves of this playout.
    moves: Vec<u16>,
    mover: Color,
    /// The position asked about last, to know when its answer was not wanted.
    asked: Option<u64>,
}

impl<P: Position, Q: Policy<P>> Policy<P> for LastGoodReply<P, Q> {
    type Scratch = Scratch<Q::Scratch>;

    fn scratch(&self) -> Self::Scratch {
        let replies = [Replies::new(), Replies::new()];
        Scratch { inner: self.inner.scratch(), replies, moves: Vec::new(), mover: Color::Black, asked: None }
    }

    fn arrive(&self, question: &Question<'_, P>, scratch: &mut Self::Scratch) {
        self.inner.arrive(question, &mut scratch.inner);
    }

    fn begin(&self, position: &P, node: u32, scratch: &mut Self::Scratch) {
        scratch.moves.clear();
        scratch.mover = position.turn();
        scratch.asked = None;
        self.inner.begin(position, node, &mut scratch.inner);
    }

    fn choose(&self, position: &P, rng: &mut Rng, scratch: &mut Self::Scratch) -> Step<P::Move> {
        let key = position.key();
        let again = scratch.asked.replace(key) == Some(key);
        if again {
            scratch.moves.pop();
        }
        let reply = if again { None } else { self.reply(position, scratch) };
        let step = match reply {
            Some(mv) => Step::Continue(mv),
            None => self.inner.choose(position, rng, &mut scratch.inner),
        };
        if let Step::Continue(mv) = step {
            scratch.moves.push(mv.to_bits());
        }
        step
    }

    fn finished(&self, outcome: Outcome, scratch: &mut Self::Scratch) {
        let Scratch { replies, moves, mover, .. } = scratch;
        if let Outcome::Win(winner) = outcome {
            for i in 1..moves.len() {
                let side = if i % 2 == 0 { *mover } else { !*mover };
                let before = i.checked_sub(2).map(|i| moves[i]);
                let replies = &mut replies[side.index()];
                if side == winner {
                    replies.store(before, moves[i - 1], moves[i]);
                } else {
                    replies.forget(before, moves[i - 1], moves[i]);
                }
            }
        }
        self.inner.finished(outcome, &mut scratch.inner);
    }

    fn counters(&self, report: &mut dyn FnMut(&'static str, u64)) {
        self.inner.counters(report);
    }
}

impl<P: Position, Q: Policy<P>> LastGoodReply<P, Q> {
    fn reply(&self, position: &P, scratch: &Scratch<Q::Scratch>) -> Option<P::Move> {
        let replies = &scratch.replies[position.turn().index()];
        let (last, rest) = scratch.moves.split_last()?;
        let usable = |bits: u16| {
            let mv = P::Move::from_bits(bits);
            (position.is_legal(mv) && (self.worthy)(position, mv)).then_some(mv)
        };
        let to_two = rest.last().and_then(|&before| replies.two(before, *last)).and_then(usable);
        to_two.or_else(|| replies.one(*last).and_then(usable))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use yomi_core::policy::play_out;
    use yomi_core::toy::{ConnectFour, Nim};
    use yomi_core::{Seed, Uniform};

    #[test]
    fn good_replies_are_kept_until_they_lose() {
        let mut replies = Replies::new();
        replies.store(Some(3), 5, 7);
        assert_eq!((replies.two(3, 5), replies.two(4, 5), replies.one(5)), (Some(7), None, Some(7)));
        replies.forget(Some(3), 5, 8);
        assert_eq!(replies.one(5), Some(7), "another reply lost");
        replies.store(None, 5, 9);
        replies.forget(Some(3), 5, 7);
        assert_eq!((replies.two(3, 5), replies.one(5)), (None, Some(9)));
    }

    /// In Nim with 4 the second player always wins by completing the take to four: playouts find that out and repeat it.
    #[test]
    fn playouts_learn_the_answer() {
        let policy = LastGoodReply::new(Uniform, |_: &Nim, _| true);
        let mut scratch = policy.scratch();
        let mut rng = Seed::new(3).rng();
        let mut won = |games: usize| {
            let game = |_| play_out(&mut Nim::new(4), 0, &policy, &mut rng, &mut scratch).0;
            (0..games).map(game).filter(|&outcome| outcome == Outcome::Win(Color::White)).count()
        };
        won(200);
        assert!(won(100) > 95);
        let mut rng = Seed::new(3).rng();
        let mut moves = Vec::new();
        let uniform = (0..100)
            .filter(|_| play_out(&mut Nim::new(4), 0, &Uniform, &mut rng, &mut moves).0 == Outcome::Win(Color::White));
        assert!(uniform.count() < 80);
    }

    /// Asked twice about a position, it offers something of the inner policy and writes one move down.
    #[test]
    fn an_answer_may_be_refused() {
        let policy = LastGoodReply::new(Uniform, |_: &ConnectFour, _| true);
        let mut scratch = policy.scratch();
        let mut rng = Seed::new(1).rng();
        let mut position = ConnectFour::default();
        policy.begin(&position, 0, &mut scratch);
        for plies in 1..5 {
            for _ in 0..10 {
                assert!(policy.choose(&position, &mut rng, &mut scratch).is_continue());
                assert_eq!(scratch.moves.len(), plies);
            }
            position.play(<ConnectFour as Position>::Move::from_bits(scratch.moves[plies - 1]));
        }
    }
}
