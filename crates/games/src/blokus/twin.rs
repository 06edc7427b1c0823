//! The slow twin: the rules once more, square by square, from drawings of the pieces. It shares nothing with the fast code but the
//! colours on the board and the keys of the squares.

use std::sync::LazyLock;

use yomi_core::conformance::Twin;
use yomi_core::{Color, Move, Position};

use super::cells::{Cell, CellSet};
use super::moves::BlokusMove;
use super::position::{BlokusDuo, full_key};

/// The pieces `a` to `u` as drawn for the contests; `@` is the reference square.
const DRAWINGS: [&str; 21] = [
    "@",
    "@/#",
    "#/@/#",
    "#./@#",
    "#/@/#/#",
    ".#/.@/##",
    "#./@#/#.",
    "@#/##",
    "#@./.##",
    "#/#/@/#/#",
    ".#/.#/.@/##",
    ".#/.#/#@/#.",
    ".#/#@/##",
    "##/.@/##",
    "#./@#/#./#.",
    ".#./.@./###",
    "#../#../@##",
    "##./.@#/..#",
    "#../#@#/..#",
    "#../#@#/.#.",
    ".#./#@#/.#.",
];

type Drawing = Vec<Vec<char>>;

fn read(drawing: &str) -> Drawing {
    drawing.split('/').map(|row| row.chars().collect()).collect()
}

/// A quarter turn clockwise: the first column, read from the bottom, becomes the first row.
fn turned(drawing: &Drawing) -> Drawing {
    (0..drawing[0].len()).map(|x| drawing.iter().rev().map(|row| row[x]).collect()).collect()
}

fn mirrored(drawing: &Drawing) -> Drawing {
    drawing.iter().map(|row| row.iter().rev().copied().collect()).collect()
}

/// The eight orientations in the order of the contest code.
fn orientations(drawing: &Drawing) -> Vec<Drawing> {
    let mut all = Vec::new();
    let mut drawing = drawing.clone();
    for _ in 0..4 {
        all.push(drawing.clone());
        all.push(mirrored(&drawing));
        drawing = turned(&drawing);
    }
    all
}

/// The orientations of each piece without the mark.
static PLAIN: LazyLock<Vec<Vec<Drawing>>> =
    LazyLock::new(|| DRAWINGS.iter().map(|drawing| orientations(&read(&drawing.replace('@', "#")))).collect());

/// A piece somewhere: its number, and columns and rows of its squares.
struct Laid {
    piece: usize,
    squares: Vec<(i32, i32)>,
}

/// All placements in their documented order: piece, orientation, row and column of the reference square.
static ALL: LazyLock<Vec<Laid>> = LazyLock::new(|| {
    let mut all = Vec::new();
    for (piece, drawing) in DRAWINGS.iter().enumerate() {
        for (number, drawing) in orientations(&read(drawing)).iter().enumerate() {
            // A symmetric piece looks the same under several numbers, the smallest of which counts.
            if !PLAIN[piece][..number].contains(&PLAIN[piece][number]) {
                all.extend(places(drawing).into_iter().map(|squares| Laid { piece, squares }));
            }
        }
    }
    all
});

/// Everywhere the drawing fits on the board.
fn places(drawing: &Drawing) -> Vec<Vec<(i32, i32)>> {
    let marks = |mark: fn(char) -> bool| -> Vec<(i32, i32)> {
        let row = |(y, row): (usize, &Vec<char>)| -> Vec<(i32, i32)> {
            (0..row.len()).filter(|&x| mark(row[x])).map(|x| (x as i32, y as i32)).collect()
        };
        drawing.iter().enumerate().flat_map(row).collect()
    };
    let (rx, ry) = marks(|c| c == '@')[0];
    let squares = marks(|c| c != '.');
    let mut places = Vec::new();
    for y in 1..=14 {
        for x in 1..=14 {
            let moved: Vec<(i32, i32)> = squares.iter().map(|&(sx, sy)| (sx - rx + x, sy - ry + y)).collect();
            if moved.iter().all(|&(x, y)| (1..=14).contains(&x) && (1..=14).contains(&y)) {
                places.push(moved);
            }
        }
    }
    places
}

/// Who stands where; index 0 and 15 are outside.
type Grid = [[Option<Color>; 16]; 16];

fn grid(position: &BlokusDuo) -> Grid {
    let mut grid = [[None; 16]; 16];
    for cell in Cell::all() {
        grid[usize::from(cell.y())][usize::from(cell.x())] = position.at(cell);
    }
    grid
}

const BESIDE: [(i32, i32); 4] = [(0, -1), (-1, 0), (1, 0), (0, 1)];
const DIAGONAL: [(i32, i32); 4] = [(-1, -1), (1, -1), (-1, 1), (1, 1)];

/// Whether one of the four squares around is `color`'s.
fn touches(grid: &Grid, (x, y): (i32, i32), around: [(i32, i32); 4], color: Color) -> bool {
    around.iter().any(|(dx, dy)| grid[(y + dy) as usize][(x + dx) as usize] == Some(color))
}

/// Whether `color` may lay this piece so, whosever turn it is.
fn may_lay(position: &BlokusDuo, grid: &Grid, color: Color, laid: &Laid) -> bool {
    let at = |(x, y): (i32, i32)| grid[y as usize][x as usize];
    if laid.squares.iter().any(|&s| at(s).is_some() || touches(grid, s, BESIDE, color)) {
        return false;
    }
    let begun = grid.iter().flatten().any(|&c| c == Some(color));
    let starts: &[(i32, i32)] = match (position.rules.free_start, color) {
        (true, _) => &[(5, 5), (10, 10)],
        (false, Color::Black) => &[(5, 5)],
        (false, Color::White) => &[(10, 10)],
    };
    let linked = |s: &(i32, i32)| if begun { touches(grid, *s, DIAGONAL, color) } else { starts.contains(s) };
    laid.squares.iter().any(linked) && !used(grid, color, laid.piece)
}

/// Whether a side has the piece on the board: one of its groups of connected squares is a drawing of it.
fn used(grid: &Grid, color: Color, piece: usize) -> bool {
    let mut grid = *grid;
    let squares = (1..=14).flat_map(|y| (1..=14).map(move |x| (x, y)));
    let groups = squares.map(|square| {
        let mut group = Vec::new();
        flood(&mut grid, square, color, &mut group);
        group
    });
    groups.filter(|group| !group.is_empty()).any(|group| PLAIN[piece].contains(&drawn(&group)))
}

/// A group of squares as a drawing.
fn drawn(group: &[(i32, i32)]) -> Drawing {
    let range = |coordinates: Vec<i32>| -> (i32, i32) {
        (*coordinates.iter().min().expect("no group is empty"), *coordinates.iter().max().expect("no group is empty"))
    };
    let (left, right) = range(group.iter().map(|s| s.0).collect());
    let (top, bottom) = range(group.iter().map(|s| s.1).collect());
    let mark = |x, y| if group.contains(&(x, y)) { '#' } else { '.' };
    (top..=bottom).map(|y| (left..=right).map(|x| mark(x, y)).collect()).collect()
}

/// Takes the connected squares of `color` from the grid.
fn flood(grid: &mut Grid, (x, y): (i32, i32), color: Color, group: &mut Vec<(i32, i32)>) {
    let square = &mut grid[y as usize][x as usize];
    if *square == Some(color) {
        *square = None;
        group.push((x, y));
        BESIDE.iter().for_each(|(dx, dy)| flood(grid, (x + dx, y + dy), color, group));
    }
}

impl Twin for BlokusDuo {
    fn slow_legal(&self, mv: BlokusMove) -> bool {
        let number = usize::from(mv.to_bits());
        if number > ALL.len() {
            return false;
        }
        let grid = grid(self);
        let (own, other) = (self.turn(), !self.turn());
        let any = |color| ALL.iter().any(|laid| may_lay(self, &grid, color, laid));
        match ALL.get(number) {
            Some(laid) => may_lay(self, &grid, own, laid),
            None => !any(own) && any(other),
        }
    }

    fn slow_key(&self) -> u64 {
        let grid = grid(self);
        let of = |color: Color| -> CellSet {
            Cell::all().filter(|c| grid[usize::from(c.y())][usize::from(c.x())] == Some(color)).collect()
        };
        full_key(Color::BOTH.map(of), self.monomino_last, self.turn())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blokus::Piece;

    /// The drawings and the tables of offsets number the same placements alike.
    #[test]
    fn drawings_agree_with_the_tables() {
        assert_eq!(ALL.len(), 13_729);
        for (laid, mv) in ALL.iter().zip(BlokusMove::all_placements()) {
            let cells: CellSet = laid.squares.iter().filter_map(|&(x, y)| Cell::new(x as u8, y as u8)).collect();
            assert_eq!((cells, Some(laid.piece)), (mv.cells(), mv.piece().map(Piece::index)));
        }
    }
}
