//! Playing games out at random.

use yomi_core::policy::Step;
use yomi_core::{Outcome, Policy, Rng, Simulate};

use super::Go;
use super::vertex::{GoMove, Vertex};

/// The points that may still be drawn, while a move is being drawn.
#[derive(Clone, Debug, Default)]
pub struct Candidates(Vec<u16>);

/// Draws from `points` until one is worthy, each of the worthy ones with the same probability; none if there is none.
///
/// The first tries put back what they draw, since nearly every point is worthy most of the time. After that a copy of the list
/// loses what was drawn in vain: about as many tries as a probe from a random start, but without its bias.
#[inline]
fn draw_worthy(
    points: &[u16],
    candidates: &mut Candidates,
    rng: &mut Rng,
    worthy: impl Fn(u16) -> bool,
) -> Option<u16> {
    if points.is_empty() {
        return None;
    }
    for _ in 0..2 {
        let v = points[rng.below(points.len())];
        if worthy(v) {
            return Some(v);
        }
    }
    let list = &mut candidates.0;
    list.clear();
    list.extend_from_slice(points);
    while !list.is_empty() {
        let i = rng.below(list.len());
        if worthy(list[i]) {
            return Some(list[i]);
        }
        list.swap_remove(i);
    }
    None
}

/// Uniformly from the legal moves that fill no eye of their own side; a pass only when there is none. Superko is not looked at.
impl<const LEN: usize> Simulate for Go<LEN> {
    type Sampler = Candidates;

    #[inline]
    fn draw(&self, candidates: &mut Candidates, rng: &mut Rng) -> Step<GoMove> {
        if self.passes >= 2 {
            return Step::Break(self.outcome());
        }
        // An eye has no empty neighbour, so the look at one answers for the other nearly always.
        let worthy = |v: u16| {
            let code = self.board.code(v);
            code.has_liberty() || (!code.is_eye_of(self.turn) && self.may_place(v))
        };
        let drawn = draw_worthy(self.board.empties(), candidates, rng, worthy);
        Step::Continue(drawn.map_or(GoMove::PASS, |v| GoMove::at(Vertex(v))))
    }

    /// Uniform playouts last 1.2 to 1.4 plies a point; only endless cycles reach three.
    fn horizon(&self) -> usize {
        3 * self.size() * self.size() + 20
    }

    fn adjudicate(&self) -> Outcome {
        self.outcome()
    }
}

/// Uniformly from all legal moves, own eyes and the pass among them, cut off and counted after twice as many plies as there are
/// points: how OpenSpiel plays Go at random.
#[derive(Clone, Copy, Debug, Default)]
pub struct EveryMove;

impl<const LEN: usize> Policy<Go<LEN>> for EveryMove {
    /// The plies left.
    type Scratch = usize;

    fn scratch(&self) -> usize {
        0
    }

    fn begin(&self, position: &Go<LEN>, _node: u32, left: &mut usize) {
        *left = 2 * position.size() * position.size();
    }

    #[inline]
    fn choose(&self, position: &Go<LEN>, rng: &mut Rng, left: &mut usize) -> Step<GoMove> {
        if position.passes >= 2 || *left == 0 {
            return Step::Break(position.outcome());
        }
        *left -= 1;
        // The pass is one choice more, and always legal: so this ends, after as many tries as there are illegal points a legal one.
        let points = position.board.empties();
        loop {
            match points.get(rng.below(points.len() + 1)) {
                None => return Step::Continue(GoMove::PASS),
                Some(&v) if position.may_place(v) => return Step::Continue(GoMove::at(Vertex(v))),
                Some(_) => {}
            }
        }
    }
}
