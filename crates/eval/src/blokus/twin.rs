//! The slow twin of the features: S1.2 read literally, square by square and path by path.

use std::collections::BTreeMap;

use yomi_core::Color;
use yomi_games::blokus::{BlokusDuo, Cell};

use super::features::Features;
use super::kinds::{Kind, SQUARES};

type Square = (i32, i32);

fn squares() -> impl Iterator<Item = Square> {
    (1..=14).flat_map(|y| (1..=14).map(move |x| (x, y)))
}

fn at(position: &BlokusDuo, (x, y): Square) -> Option<Color> {
    let (x, y) = (u8::try_from(x).ok()?, u8::try_from(y).ok()?);
    Cell::new(x, y).and_then(|cell| position.at(cell))
}

fn beside((x, y): Square) -> [Square; 4] {
    [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)]
}

fn diagonal((x, y): Square) -> [Square; 4] {
    [(x + 1, y + 1), (x - 1, y + 1), (x + 1, y - 1), (x - 1, y - 1)]
}

/// Edge-adjacent to own pieces: own pieces cannot go there.
fn is_dead(position: &BlokusDuo, color: Color, square: Square) -> bool {
    at(position, square) != Some(color) && beside(square).iter().any(|&s| at(position, s) == Some(color))
}

/// Diagonal to own pieces, not occupied, not an own dead square.
fn is_corner(position: &BlokusDuo, color: Color, square: Square) -> bool {
    at(position, square).is_none()
        && !is_dead(position, color, square)
        && diagonal(square).iter().any(|&s| at(position, s) == Some(color))
}

/// All shortest paths between two squares, both ends included.
fn shortest_paths(from: Square, to: Square) -> Vec<Vec<Square>> {
    if from == to {
        return vec![vec![from]];
    }
    let step = |from: Square| -> Vec<Square> {
        let (dx, dy) = ((to.0 - from.0).signum(), (to.1 - from.1).signum());
        let mut steps = Vec::new();
        if dx != 0 {
            steps.push((from.0 + dx, from.1));
        }
        if dy != 0 {
            steps.push((from.0, from.1 + dy));
        }
        steps
    };
    let mut paths = Vec::new();
    for next in step(from) {
        for mut path in shortest_paths(next, to) {
            path.insert(0, from);
            paths.push(path);
        }
    }
    paths
}

pub(super) fn slow_features(position: &BlokusDuo) -> Features {
    let mut counts: BTreeMap<(Kind, usize), i16> = BTreeMap::new();
    for color in Color::BOTH {
        let mut count = |kind: Kind, (x, y): Square| {
            let index = (14 * (y - 1) + x - 1) as usize;
            let (index, sign) = if color == Color::Black { (index, 1) } else { (SQUARES - 1 - index, -1) };
            *counts.entry((kind, index)).or_default() += sign;
        };
        for square in squares() {
            if at(position, square) == Some(color) {
                count(Kind::Score, square);
            }
            if is_dead(position, color, square) {
                count(Kind::Dead, square);
            }
            if !is_corner(position, color, square) {
                continue;
            }
            if is_dead(position, !color, square) {
                count(Kind::Fixed, square);
            }
            for target in squares() {
                let Some(kind) = Kind::influence(target.0 - square.0, target.1 - square.1) else { continue };
                let counts_here = at(position, target).is_none() && !is_dead(position, color, target);
                let free = |path: &Vec<Square>| path.iter().all(|&s| at(position, s) != Some(!color));
                if counts_here && shortest_paths(square, target).iter().all(free) {
                    count(kind, target);
                }
            }
        }
    }
    Features::from_counts(|kind, square| counts.get(&(kind, square)).copied().unwrap_or(0))
}

#[test]
fn paths_are_counted() {
    let lengths = [(3, 0), (1, 1), (2, 1), (0, 0)].map(|to| shortest_paths((0, 0), to).len());
    assert_eq!(lengths, [1, 2, 3, 1]);
}
