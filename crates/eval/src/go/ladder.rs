//! Ladders: does a chain that is put in atari again and again get away?

use yomi_core::{Color, Position};
use yomi_games::go::{Go, GoMove, Vertex};

use super::tactics::{liberties_after, stones_beside};

/// Positions that one question may look at. A ladder across the whole board takes about eighty.
const LIMIT: u32 = 200;

/// Whether the chain on `v`, which is in atari with its own side to move, dies however it runs.
pub fn dies_running<const LEN: usize>(go: &Go<LEN>, v: Vertex) -> bool {
    !escapes(go, v, &mut LIMIT.clone())
}

/// Whether some ladder takes the chain on `v`, which has two liberties, with the other side to move.
pub fn is_in_ladder<const LEN: usize>(go: &Go<LEN>, v: Vertex) -> bool {
    chased(go, v, &mut LIMIT.clone()).is_some()
}

/// Whether the other side, which is to move, begins a ladder that takes the chain on `v` by playing on its liberty `at`.
pub fn begins_ladder<const LEN: usize>(go: &Go<LEN>, v: Vertex, at: Vertex) -> bool {
    holds(go, v, at, &mut LIMIT.clone())
}

/// The position after a move, not on the stack: a ladder is as deep as it is long, and positions are large.
#[inline(never)]
fn after<const LEN: usize>(go: &Go<LEN>, at: Vertex) -> Box<Go<LEN>> {
    let mut next = Box::new(go.clone());
    next.play(GoMove::at(at));
    next
}

/// Whether the side to move saves its chain on `v` from atari: by taking one of the chains around it, or by extending to where nobody
/// can put it in atari for good. When the limit is spent, nothing is proven and the chain escapes.
fn escapes<const LEN: usize>(go: &Go<LEN>, v: Vertex, left: &mut u32) -> bool {
    let own = go.turn();
    let Some(way_out) = go.atari(v) else { return true };
    if *left == 0 {
        return true;
    }
    let saves = |at: Vertex, left: &mut u32| {
        if !go.is_legal(GoMove::at(at)) {
            return false;
        }
        *left = left.saturating_sub(1);
        let next = after(go, at);
        match next.liberties::<3>(v).len() {
            0 | 1 => false,
            2 => chased(&next, v, left).is_none(),
            _ => true,
        }
    };
    if liberties_after::<LEN, 2>(go, way_out, own) >= 2 && saves(way_out, left) {
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
            if saves(at, left) {
                return true;
            }
        }
    }
    // The way out may take something too, though it leaves the chain short of liberties.
    go.captured_by(GoMove::at(way_out)) > 0 && saves(way_out, left)
}

/// The move by which the side to move puts the chain on `v`, of two liberties, in atari so that it does not escape.
fn chased<const LEN: usize>(go: &Go<LEN>, v: Vertex, left: &mut u32) -> Option<Vertex> {
    let liberties = go.liberties::<3>(v);
    let &[a, b] = liberties.as_slice() else { return None };
    // First the side from which the runner would have most room.
    let owner: Color = go.at(v)?;
    let room = |at: Vertex| liberties_after::<LEN, 4>(go, at, owner);
    let order = if room(a) >= room(b) { [a, b] } else { [b, a] };
    order.into_iter().find(|&at| holds(go, v, at, left))
}

/// Whether a stone on `at` puts the chain on `v` in atari so that it does not escape.
fn holds<const LEN: usize>(go: &Go<LEN>, v: Vertex, at: Vertex, left: &mut u32) -> bool {
    if *left == 0 || !go.is_legal(GoMove::at(at)) || liberties_after::<LEN, 2>(go, at, go.turn()) == 0 {
        return false;
    }
    *left = left.saturating_sub(1);
    let next = after(go, at);
    next.atari(v).is_some() && !escapes(&next, v, left)
}

#[cfg(test)]
mod tests {
    use super::*;
    use yomi_core::Notation;
    use yomi_games::go::{Go9, Rules};

    fn position(rows: [&str; 9], turn: &str) -> Go9 {
        Go9::new(9, Rules::default()).unwrap().parse_position(&format!("{} {turn}", rows.join("/"))).unwrap()
    }

    /// The ladder everybody knows, and the same with a stone that breaks it.
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
        assert!(dies_running(&go, stone), "{go}");
        let mut broken = ladder;
        broken[5] = "......b..";
        let go = position(broken, "b");
        assert!(!dies_running(&go, stone), "{go}");
        let mut beyond = ladder;
        beyond[8] = "........b";
        assert!(dies_running(&position(beyond, "b"), stone));
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
        assert!(!dies_running(&go, stone), "{go}");
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
        let begins = |at: &str| begins_ladder(&go, stone, go.parse_vertex(at).unwrap());
        assert!(is_in_ladder(&go, stone) && begins("E7") && !begins("D6"), "{go}");
        let mut safe = rows;
        safe[4] = "...b.....";
        assert!(!is_in_ladder(&position(safe, "w"), stone));
    }
}
