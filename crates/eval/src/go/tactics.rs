//! Short questions about liberties, answered without playing anything.

use yomi_core::{Color, Position};
use yomi_games::go::{Go, GoMove, Vertex};

/// The directions of a mask that 3x3 codes give (bit 2d for direction d).
#[inline]
pub fn directions(mut mask: u16) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let direction = (mask.trailing_zeros() / 2) as usize;
        let found = (mask != 0).then_some(direction);
        mask &= mask.wrapping_sub(1);
        found
    })
}

/// The stones beside `v` of one colour, each chain perhaps more than once.
#[inline]
pub fn stones_beside<const LEN: usize>(go: &Go<LEN>, v: Vertex, color: Color) -> impl Iterator<Item = Vertex> + '_ {
    directions(go.code(v).stones(color)).map(move |d| go.step(v, d))
}

/// How many liberties the chain of a stone on `v` would have, counted up to `N`. Stones taken count as far as they touch the new stone,
/// and as one more if there are several: what the rest of the chain gains by them is not looked at.
pub fn liberties_after<const LEN: usize, const N: usize>(go: &Go<LEN>, v: Vertex, color: Color) -> usize {
    let code = go.code(v);
    let mut found = [v; N];
    let mut count = 0;
    let mut add = |u: Vertex| {
        if u != v && count < N && !found[..count].contains(&u) {
            found[count] = u;
            count += 1;
        }
        count == N
    };
    for d in directions(code.liberties()) {
        if add(go.step(v, d)) {
            return N;
        }
    }
    for u in stones_beside(go, v, !color) {
        if go.atari(u) == Some(v) {
            let another = if go.chain_len(u) > 1 { go.chain(u).nth(1) } else { None };
            if add(u) || another.is_some_and(&mut add) {
                return N;
            }
        }
    }
    for u in stones_beside(go, v, color) {
        // One more than wanted, for the point itself is no liberty any more.
        let liberties = go.liberties::<4>(u);
        if liberties.as_slice().iter().any(|&liberty| add(liberty)) {
            return N;
        }
    }
    count
}

/// Whether a stone of the side to move on the empty point `v` would stand in atari.
#[inline]
pub fn is_self_atari<const LEN: usize>(go: &Go<LEN>, v: Vertex) -> bool {
    let free = go.code(v).liberties();
    free & free.wrapping_sub(1) == 0 && liberties_after::<LEN, 2>(go, v, go.turn()) < 2
}

/// Whether the side to move may play on `v` and would not fill an eye of its own by it.
#[inline]
pub fn is_sensible<const LEN: usize>(go: &Go<LEN>, v: Vertex) -> bool {
    go.code(v).has_liberty() || (!go.is_eye(v, go.turn()) && go.is_legal(GoMove::at(v)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use yomi_core::{Seed, Simulate};
    use yomi_games::go::{Go9, Rules};

    /// Against the position itself, all along random games: the count is exact as far as it is promised:
    /// up to three where nothing is taken, up to two where one stone is.
    #[test]
    fn liberties_are_those_of_the_next_position() {
        let mut rng = Seed::new(5).rng();
        let mut sampler = Default::default();
        let (mut checked, mut ataris) = (0, 0);
        for _ in 0..40 {
            let mut go = Go9::new(9, Rules::default()).unwrap();
            for _ in 0..150 {
                for v in go.empties().collect::<Vec<_>>() {
                    if !go.is_legal(GoMove::at(v)) {
                        continue;
                    }
                    let mut next = go.clone();
                    next.play(GoMove::at(v));
                    let truth = next.liberties::<8>(v).len();
                    let found = liberties_after::<128, 8>(&go, v, go.turn());
                    let taken = go.captured_by(GoMove::at(v));
                    // Chains are asked for four liberties each, so only small numbers are exact.
                    if taken == 0 && truth <= 3 {
                        assert_eq!(found.min(4), truth, "{}\n{go}", go.vertex_text(v));
                    }
                    if taken <= 1 {
                        assert_eq!(is_self_atari(&go, v), truth < 2, "{}\n{go}", go.vertex_text(v));
                        ataris += u32::from(truth < 2);
                    } else {
                        assert!(found >= 2, "a capture of two leaves two liberties");
                    }
                    checked += 1;
                }
                match go.draw(&mut sampler, &mut rng) {
                    std::ops::ControlFlow::Continue(mv) => go.play(mv),
                    std::ops::ControlFlow::Break(_) => break,
                }
            }
        }
        assert!(checked > 10_000 && ataris > 500, "{checked} {ataris}");
    }
}
