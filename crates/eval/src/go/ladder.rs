//! Ladders: does a chain that is put in atari again and again get away?

use yomi_core::{Color, Position};
use yomi_games::go::{Go, GoMove, Vertex};

use super::tactics::{liberties_after, stones_beside};

/// Positions that one question may look at. A ladder across the whole board takes about eighty.
const LIMIT: u32 = 200;

/// Reads ladders. The positions of a ladder are kept for the next one, so that a warm reader allocates nothing.
pub struct Ladders<const LEN: usize> {
    /// Boxed, not on the stack: a ladder is as deep as it is long, and positions are large.
    spare: Vec<Box<Go<LEN>>>,
    /// Positions that the present question may still look at.
    left: u32,
}

impl<const LEN: usize> Default for Ladders<LEN> {
    fn default() -> Self {
        Ladders { spare: Vec::new(), left: 0 }
    }
}

impl<const LEN: usize> Ladders<LEN> {
    /// Whether the chain on `v`, which is in atari with its own side to move, dies however it runs.
    pub fn dies_running(&mut self, go: &Go<LEN>, v: Vertex) -> bool {
        self.left = LIMIT;
        !self.escapes(go, v)
    }

    /// Whether some ladder takes the chain on `v`, which has two liberties, with the other side to move.
    pub fn is_in_ladder(&mut self, go: &Go<LEN>, v: Vertex) -> bool {
        self.left = LIMIT;
        self.chased(go, v).is_some()
    }

    /// Whether the other side, which is to move, begins a ladder that takes the chain on `v` by playing on its liberty `at`.
    pub fn begins_ladder(&mut self, go: &Go<LEN>, v: Vertex, at: Vertex) -> bool {
        self.left = LIMIT;
        self.holds(go, v, at)
    }

    /// What `f` says of the position after a stone on `at`.
    #[inline(never)]
    fn after<R>(&mut self, go: &Go<LEN>, at: Vertex, f: impl FnOnce(&mut Self, &Go<LEN>) -> R) -> R {
        self.left = self.left.saturating_sub(1);
        let mut next = match self.spare.pop() {
            Some(mut next) => {
                next.as_mut().clone_from(go);
                next
            }
            None => Box::new(go.clone()),
        };
        next.play(GoMove::at(at));
        let result = f(self, &next);
        self.spare.push(next);
        result
    }

    /// Whether the side to move saves its chain on `v` from atari: by taking one of the chains around it, or by extending to where no
    /// ladder takes it. When the limit is spent, nothing is proven and the chain escapes.
    fn escapes(&mut self, go: &Go<LEN>, v: Vertex) -> bool {
        let own = go.turn();
        let Some(way_out) = go.atari(v) else { return true };
        if self.left == 0 {
            return true;
        }
        if liberties_after::<LEN, 2>(go, way_out, own) >= 2 && self.saves(go, v, way_out) {
            return true;
        }
        let mut tried = [way_out; 4];
        let mut count = 0;
        for stone in go.chain(v) {
            for enemy in stones_beside(go, stone, !own) {
                let Some(at) = go.atari(enemy).filter(|at| *at != way_out && !tried[..count].contains(at)) else {
                    continue;
                };
                if count == tried.len() {
                    return true;
                }
                tried[count] = at;
                count += 1;
                if self.saves(go, v, at) {
                    return true;
                }
            }
        }
        // The way out may take something too, though it leaves the chain short of liberties.
        go.captured_by(GoMove::at(way_out)) > 0 && self.saves(go, v, way_out)
    }

    /// Whether a stone of its own on `at` saves the chain on `v`.
    fn saves(&mut self, go: &Go<LEN>, v: Vertex, at: Vertex) -> bool {
        go.is_legal(GoMove::at(at))
            && self.after(go, at, |ladders, next| match next.liberties::<3>(v).len() {
                0 | 1 => false,
                2 => ladders.chased(next, v).is_none(),
                _ => true,
            })
    }

    /// The move by which the side to move puts the chain on `v`, of two liberties, in atari so that it does not escape.
    fn chased(&mut self, go: &Go<LEN>, v: Vertex) -> Option<Vertex> {
        let liberties = go.liberties::<3>(v);
        let &[a, b] = liberties.as_slice() else { return None };
        // First the side from which the runner would have most room.
        let owner: Color = go.at(v)?;
        let room = |at: Vertex| liberties_after::<LEN, 4>(go, at, owner);
        let order = if room(a) >= room(b) { [a, b] } else { [b, a] };
        order.into_iter().find(|&at| self.holds(go, v, at))
    }

    /// Whether a stone on `at` puts the chain on `v` in atari so that it does not escape.
    fn holds(&mut self, go: &Go<LEN>, v: Vertex, at: Vertex) -> bool {
        if self.left == 0 || !go.is_legal(GoMove::at(at)) || liberties_after::<LEN, 2>(go, at, go.turn()) == 0 {
            return false;
        }
        self.after(go, at, |ladders, next| next.atari(v).is_some() && !ladders.escapes(next, v))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use yomi_core::Notation;
    use yomi_games::go::{Go9, Rules};

    fn position(rows: [&str; 9], turn: &str) -> Go9 {
        Go9::new(9, Rules::default()).unwrap().parse_position(&format!("{} {turn}", rows.join("/"))).unwrap()
    }

    /// The textbook ladder, and the same with a stone that breaks it.
    #[test]
    fn ladders_and_breakers() {
        let ladder = [
            ".........",
            "...w.....",
            "..wbw....",
            "..w......",
            ".........",
            ".........",
            ".........",
            ".........",
            ".........",
        ];
        // Black runs from atari at D7... White to move has put it there already: the chain has one liberty, D6.
        let go = position(ladder, "b");
        let stone = go.parse_vertex("D7").unwrap();
        assert_eq!(go.atari(stone).map(|v| go.vertex_text(v)).as_deref(), Some("D6"));
        assert!(Ladders::default().dies_running(&go, stone), "{go}");
        let mut broken = ladder;
        broken[5] = "......b..";
        let go = position(broken, "b");
        assert!(!Ladders::default().dies_running(&go, stone), "{go}");
        let mut beyond = ladder;
        beyond[8] = "........b";
        assert!(Ladders::default().dies_running(&position(beyond, "b"), stone));
    }

    #[test]
    fn a_capture_gets_out() {
        let rows = [
            ".........",
            "..bw.....",
            ".bwbw....",
            "..w......",
            "..b......",
            ".........",
            ".........",
            ".........",
            ".........",
        ];
        // Not in atari: the white pair C6, C7 has B6 and D6. With B6 black it has D6 alone, where Black takes.
        let mut taken = rows;
        taken[3] = ".bw......";
        let go = position(taken, "b");
        let stone = go.parse_vertex("D7").unwrap();
        assert!(!Ladders::default().dies_running(&go, stone), "{go}");
    }

    #[test]
    fn the_chaser_finds_the_first_move() {
        let rows = [
            ".........",
            "...w.....",
            "..wb.....",
            "..w......",
            ".........",
            ".........",
            ".........",
            ".........",
            ".........",
        ];
        let go = position(rows, "w");
        let stone = go.parse_vertex("D7").unwrap();
        let begins = |at: &str| Ladders::default().begins_ladder(&go, stone, go.parse_vertex(at).unwrap());
        assert!(Ladders::default().is_in_ladder(&go, stone) && begins("E7") && !begins("D6"), "{go}");
        let mut safe = rows;
        safe[4] = "...b.....";
        assert!(!Ladders::default().is_in_ladder(&position(safe, "w"), stone));
    }
}
