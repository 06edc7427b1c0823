//! Playouts that play Go: captures, escapes, ataris, nakade and 3x3 shapes around the last moves, and anything else at random.
//!
//! The rules are tried in this order, each with its own probability, so that no rule makes all playouts alike. What a rule proposes is
//! drawn evenly; the first rule with something to propose decides. After MoGo (Gelly et al. 2006), michi and Pachi's "moggy".

use yomi_core::policy::Step;
use yomi_core::{Color, Policy, Position, Rng};
use yomi_games::go::{Candidates, Go, GoMove, Vertex};

use crate::go::nakade::vital_point;
use crate::go::shapes::Shapes;
use crate::go::tactics::{is_self_atari, is_sensible, liberties_after, stones_beside};

/// The rules, each with the probability that it is looked at; 0 switches it off.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rules {
    /// Take what the last move left in atari; save what it put in atari, by extending or by taking around it.
    pub capture: f32,
    /// Put the chain of the last move in atari if it has two liberties, or extend a chain that is down to two by it.
    pub atari: f32,
    /// Play the vital point where stones have just been taken.
    pub nakade: f32,
    /// Play a 3x3 shape around the last two moves.
    pub shapes: f32,
    /// Keep out of atari where a rule proposes a move,
    pub careful: f32,
    /// and where it is drawn from the whole board. Chains too large to kill an eye from inside always do.
    pub wary: f32,
}

impl Default for Rules {
    fn default() -> Rules {
        Rules { capture: 0.9, atari: 0.8, nakade: 0.8, shapes: 0.95, careful: 0.9, wary: 0.6 }
    }
}

/// Stones that go into atari in one chain and may still be worth it: the largest shape that kills an eye from inside has six.
const SMALL: u32 = 6;

/// The policy.
#[derive(Clone, Copy)]
pub struct Patterns {
    rules: Rules,
    shapes: &'static Shapes,
}

impl Patterns {
    /// Playouts by these rules.
    pub fn new(rules: Rules) -> Patterns {
        Patterns { rules, shapes: Shapes::standard() }
    }
}

/// Working memory of a thread.
#[derive(Default)]
pub struct Scratch {
    candidates: Candidates,
    proposed: Vec<Vertex>,
}

impl<const LEN: usize> Policy<Go<LEN>> for Patterns {
    type Scratch = Scratch;

    fn scratch(&self) -> Scratch {
        Scratch::default()
    }

    fn begin(&self, _position: &Go<LEN>, _node: u32, _scratch: &mut Scratch) {}

    fn choose(&self, go: &Go<LEN>, rng: &mut Rng, scratch: &mut Scratch) -> Step<GoMove> {
        if go.passes() >= 2 {
            return Step::Break(go.outcome());
        }
        let last = go.last_move(0).and_then(GoMove::vertex);
        let reply = last.and_then(|last| self.reply(go, last, rng, &mut scratch.proposed));
        let point = reply.or_else(|| self.anywhere(go, rng, &mut scratch.candidates));
        Step::Continue(point.map_or(GoMove::PASS, GoMove::at))
    }
}

impl Patterns {
    /// What the rules answer to the last move.
    #[inline]
    fn reply<const LEN: usize>(
        &self,
        go: &Go<LEN>,
        last: Vertex,
        rng: &mut Rng,
        proposed: &mut Vec<Vertex>,
    ) -> Option<Vertex> {
        proposed.clear();
        let rules = &self.rules;
        if rng.chance(rules.capture) {
            propose_captures(go, last, proposed);
            if let Some(v) = draw(proposed, rng, |v| is_sensible(go, v)) {
                return Some(v);
            }
        }
        if go.just_emptied().len() > 2 && rng.chance(rules.nakade) {
            let vital = go.just_emptied().next().and_then(|inside| vital_point(go, inside, !go.turn()));
            if let Some(v) = vital.filter(|&v| go.is_legal(GoMove::at(v))) {
                return Some(v);
            }
        }
        if rng.chance(rules.atari) {
            propose_ataris(go, last, proposed);
            if let Some(v) = draw(proposed, rng, |v| is_sensible(go, v)) {
                return Some(v);
            }
        }
        if rng.chance(rules.shapes) {
            self.propose_shapes(go, last, proposed);
            if let Some(before) = go.last_move(1).and_then(GoMove::vertex) {
                self.propose_shapes(go, before, proposed);
            }
            let careful = rng.chance(rules.careful);
            return draw(proposed, rng, |v| is_sensible(go, v) && !(careful && is_self_atari(go, v)));
        }
        None
    }

    /// Points around `v` where a stone makes a shape.
    #[inline]
    fn propose_shapes<const LEN: usize>(&self, go: &Go<LEN>, v: Vertex, proposed: &mut Vec<Vertex>) {
        let code = go.code(v);
        for d in 0..8 {
            if code.field(d) == 0 {
                let u = go.step(v, d);
                if self.shapes.contains(go.code(u)) {
                    proposed.push(u);
                }
            }
        }
    }

    /// Any point of the board that is no eye of one's own, seldom one that stands in atari.
    #[inline]
    fn anywhere<const LEN: usize>(&self, go: &Go<LEN>, rng: &mut Rng, candidates: &mut Candidates) -> Option<Vertex> {
        let wary = rng.chance(self.rules.wary);
        go.draw_point(candidates, rng, |v| {
            let free = go.code(v).liberties();
            free & free.wrapping_sub(1) != 0 || !is_self_atari(go, v) || (!wary && is_small(go, v))
        })
    }
}

/// Whether the chain of a stone on `v` would be small.
fn is_small<const LEN: usize>(go: &Go<LEN>, v: Vertex) -> bool {
    stones_beside(go, v, go.turn()).map(|u| go.chain_len(u)).sum::<u32>() < SMALL
}

/// Draws one of the proposed points that is good enough, and forgets them all.
#[inline]
fn draw(proposed: &mut Vec<Vertex>, rng: &mut Rng, good: impl Fn(Vertex) -> bool) -> Option<Vertex> {
    while !proposed.is_empty() {
        let i = if proposed.len() == 1 { 0 } else { rng.below(proposed.len()) };
        let v = proposed.swap_remove(i);
        if good(v) {
            proposed.clear();
            return Some(v);
        }
    }
    None
}

fn propose(proposed: &mut Vec<Vertex>, v: Vertex) {
    if !proposed.contains(&v) {
        proposed.push(v);
    }
}

/// Takes the chain of the last move, if it is in atari; saves the chains beside it that are.
#[inline]
fn propose_captures<const LEN: usize>(go: &Go<LEN>, last: Vertex, proposed: &mut Vec<Vertex>) {
    let own: Color = go.turn();
    if let Some(v) = go.atari(last) {
        propose(proposed, v);
    }
    for stone in stones_beside(go, last, own) {
        let Some(way_out) = go.atari(stone) else { continue };
        if liberties_after::<LEN, 2>(go, way_out, own) >= 2 {
            propose(proposed, way_out);
        }
        for friend in go.chain(stone) {
            for enemy in stones_beside(go, friend, !own) {
                if let Some(v) = go.atari(enemy) {
                    propose(proposed, v);
                }
            }
        }
    }
}

/// Puts the chain of the last move in atari, if it has two liberties; gives a third one to chains beside it that have two.
#[inline]
fn propose_ataris<const LEN: usize>(go: &Go<LEN>, last: Vertex, proposed: &mut Vec<Vertex>) {
    let own = go.turn();
    if let &[a, b] = go.liberties::<3>(last).as_slice() {
        for v in [a, b] {
            if !is_self_atari(go, v) {
                propose(proposed, v);
            }
        }
    }
    for stone in stones_beside(go, last, own) {
        if let &[a, b] = go.liberties::<3>(stone).as_slice() {
            for v in [a, b] {
                if liberties_after::<LEN, 3>(go, v, own) >= 3 {
                    propose(proposed, v);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use yomi_core::policy::play_out;
    use yomi_core::{Notation, Seed, Simulate};
    use yomi_games::go::{self, Go9};

    const ALWAYS: Rules = Rules { capture: 1.0, atari: 1.0, nakade: 1.0, shapes: 1.0, careful: 1.0, wary: 1.0 };
    const NEVER: Rules = Rules { capture: 0.0, atari: 0.0, nakade: 0.0, shapes: 0.0, careful: 0.0, wary: 0.0 };

    /// The answers to `last`, played in a position drawn by rows from the top, over a hundred tries.
    fn answers(rules: Rules, rows: [&str; 5], turn: &str, last: &str) -> Vec<String> {
        let start = Go9::new(5, go::Rules::default()).unwrap();
        let mut go = start.parse_position(&format!("{} {turn}", rows.join("/"))).unwrap();
        go.play(go.parse_move(last).unwrap());
        let policy = Patterns::new(rules);
        let (mut scratch, mut rng) = (Policy::<Go9>::scratch(&policy), Seed::new(1).rng());
        let mut found = std::collections::BTreeSet::new();
        for _ in 0..100 {
            match policy.choose(&go, &mut rng, &mut scratch) {
                Step::Continue(mv) => found.insert(go.move_text(mv)),
                Step::Break(_) => panic!("the game goes on"),
            };
        }
        found.into_iter().collect()
    }

    #[test]
    fn captures_what_runs_into_atari() {
        let rows = [".....", ".b...", "b.b..", ".....", "....."];
        assert_eq!(answers(Rules { capture: 1.0, ..NEVER }, rows, "w", "B3"), ["B2"]);
        assert!(answers(NEVER, rows, "w", "B3").len() > 5);
    }

    #[test]
    fn escapes_and_counters() {
        // White's C3 puts B3 in atari; its way out is B2.
        let rows = [".....", ".w...", "wb...", ".....", "....."];
        assert_eq!(answers(Rules { capture: 1.0, ..NEVER }, rows, "w", "C3"), ["B2"]);
    }

    #[test]
    fn ataris_on_two_liberties() {
        let rows = [".....", "..b..", ".b...", ".....", "....."];
        // White's C3 has two liberties; the black stones beside it have three.
        assert_eq!(answers(Rules { atari: 1.0, ..NEVER }, rows, "w", "C3"), ["C2", "D3"]);
    }

    #[test]
    fn shapes_around_the_last_move() {
        let rows = [".....", ".....", ".b...", ".....", "....."];
        let found = answers(Rules { shapes: 1.0, careful: 1.0, ..NEVER }, rows, "w", "C3");
        assert!(found.iter().all(|point| ["A", "B", "C", "D"].contains(&&point[..1])), "{found:?}");
        assert!(found.len() < answers(NEVER, rows, "w", "C3").len());
    }

    #[test]
    fn nakade_where_stones_were_taken() {
        // White takes A1, B1 and C1 from D1; Black plays the middle.
        let rows = [".....", ".....", "wwww.", "wwww.", "bbb.."];
        let start = Go9::new(5, go::Rules::default()).unwrap();
        let mut go = start.parse_position(&format!("{} w", rows.join("/"))).unwrap();
        go.play(go.parse_move("D1").unwrap());
        assert_eq!(go.just_emptied().len(), 3);
        assert_eq!(answers(Rules { nakade: 1.0, ..NEVER }, rows, "w", "D1"), ["B1"]);
    }

    /// Whole games: every move is legal and fills no eye, and games end.
    #[test]
    fn games_are_legal_and_end() {
        for rules in [Rules::default(), ALWAYS, NEVER] {
            let policy = Patterns::new(rules);
            let (mut scratch, mut rng) = (Policy::<Go9>::scratch(&policy), Seed::new(2).rng());
            let mut cut_off = 0;
            for _ in 0..100 {
                let mut go = Go9::new(9, go::Rules::default()).unwrap();
                let horizon = go.horizon();
                let (_, plies) = play_out(&mut go.clone(), 0, &policy, &mut rng, &mut scratch);
                cut_off += u32::from(plies >= horizon);
                while let Step::Continue(mv) = policy.choose(&go, &mut rng, &mut scratch) {
                    assert!(go.is_legal(mv) && mv.vertex().is_none_or(|v| !go.is_eye(v, go.turn())), "{go}");
                    go.play(mv);
                    if go.stones(Color::Black) + go.prisoners(Color::White) > 300 {
                        break;
                    }
                }
            }
            assert!(cut_off < 5, "{cut_off} of 100");
        }
    }
}
