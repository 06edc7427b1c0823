//! The vital point of a small eye space.

use yomi_core::Color;
use yomi_games::go::{Go, Vertex};

/// The largest space that can be killed from inside.
const LARGEST: usize = 6;

/// The point to kill an eye of three to six points from inside, if there is one: the point with the most neighbours in it, where only
/// one has this many and the shape is one of those that a stone there makes into one eye (straight three, bent three, pyramid four, bulky
/// five, crossed five, rabbity six).
pub fn vital_point<const LEN: usize>(go: &Go<LEN>, inside: Vertex, around: Color) -> Option<Vertex> {
    let (space, len) = eye_space(go, inside, around)?;
    let space = &space[..len];
    let degree = |v: Vertex| go.neighbors(v).filter(|u| space.contains(u)).count();
    let mut degrees = [0; 5];
    let mut center = inside;
    for &v in space {
        let degree = degree(v);
        degrees[degree] += 1;
        if degree >= degrees.iter().rposition(|&n| n > 0).unwrap_or(0) {
            center = v;
        }
    }
    // By how many points have 1, 2, 3 and 4 neighbours inside.
    let vital = matches!(
        (len, &degrees[1..]),
        (3, [2, 1, 0, 0]) | (4, [3, 0, 1, 0]) | (5, [1, 3, 1, 0]) | (5, [4, 0, 0, 1]) | (6, [2, 3, 0, 1])
    );
    vital.then_some(center)
}

/// The empty points connected with `inside`, if they are at most six and only stones of `around` touch them.
fn eye_space<const LEN: usize>(go: &Go<LEN>, inside: Vertex, around: Color) -> Option<([Vertex; LARGEST], usize)> {
    let mut space = [inside; LARGEST];
    let (mut len, mut next) = (1, 0);
    while next < len {
        for u in go.neighbors(space[next]) {
            match go.at(u) {
                Some(color) if color != around => return None,
                Some(_) => {}
                None if space[..len].contains(&u) => {}
                None if len == LARGEST => return None,
                None => {
                    space[len] = u;
                    len += 1;
                }
            }
        }
        next += 1;
    }
    Some((space, len))
}

#[cfg(test)]
mod tests {
    use super::*;
    use yomi_core::Notation;
    use yomi_games::go::{Go9, Rules};

    #[test]
    fn shapes_that_die_and_shapes_that_live() {
        for (text, inside, vital) in [
            // Straight three, bent three.
            ("5/5/5/bbbb1/...b1 b", "A1", Some("B1")),
            ("5/5/bb3/.bb2/..b2 b", "B1", Some("A1")),
            // Straight four lives, pyramid four dies.
            ("5/5/5/bbbbb/....b b", "A1", None),
            ("5/5/bbb2/b.bb1/...b1 b", "A1", Some("B1")),
            // Square four is dead without a move.
            ("5/5/bbb2/..b2/..b2 b", "A1", None),
            // Bulky five.
            ("5/5/bbb2/..bb1/...b1 b", "A1", Some("B1")),
            // Crossed five and rabbity six.
            ("5/bbb2/b.bb1/...b1/b.bb1 b", "B2", Some("B2")),
            ("5/bbbb1/b..b1/...b1/b.bb1 b", "B2", Some("B2")),
            // Two points, and a stone of the other side at the wall.
            ("5/5/5/bbb2/..b2 b", "A1", None),
            ("5/5/5/bwbb1/...b1 b", "A1", None),
        ] {
            let rows: Vec<String> = text.split(' ').next().unwrap().split('/').map(digits_to_points).collect();
            let go = Go9::new(5, Rules::default()).unwrap().parse_position(&format!("{} b", rows.join("/"))).unwrap();
            let found = vital_point(&go, go.parse_vertex(inside).unwrap(), Color::Black);
            assert_eq!(found.map(|v| go.vertex_text(v)).as_deref(), vital, "{text}");
        }
    }

    fn digits_to_points(row: &str) -> String {
        let points = |c: char| c.to_digit(10).map_or(c.to_string(), |n| ".".repeat(n as usize));
        row.chars().map(points).collect()
    }
}
