//! What the geometry and the rules say of every square, worked out at compile time.

use yomi_core::Color;

use super::bits25::Bits25;
use super::bits81::Bits81;
use super::geometry::{beside, rank, ray};
use super::piece::Gait;

/// Room for the squares of the larger board; the small one uses the front of each row.
const SQUARES: usize = 81;

/// The tables of one board. Rows are indexed by colour, gait and square.
pub struct Tables<B> {
    /// All squares.
    pub(super) board: B,
    /// What a gait attacks on an empty board.
    pub(super) reach: [[[B; SQUARES]; Gait::COUNT]; 2],
    /// The squares strictly between two; none unless they share a line.
    pub(super) between: [[B; SQUARES]; SQUARES],
    /// The file, the rank and the two diagonals through a square, without it.
    pub(super) lines: [[B; 4]; SQUARES],
    /// Where a gait must stand to attack a neighbour of the square on an empty board.
    pub(super) near: [[[B; SQUARES]; Gait::COUNT]; 2],
    /// Where a gait may stand without having to promote: for dropping, and for moving without promotion.
    pub(super) alive: [[B; Gait::COUNT]; 2],
    /// The squares to or from which a gait may promote.
    pub(super) zone: [[B; Gait::COUNT]; 2],
}

/// Squares a gait attacks on an empty board, as one bit a square index.
const fn reach(size: i8, color: Color, gait: Gait, square: usize) -> u128 {
    let (n, s, w, e) =
        (ray(size, square, 0, -1), ray(size, square, 0, 1), ray(size, square, 1, 0), ray(size, square, -1, 0));
    let (nw, se) = (ray(size, square, 1, -1), ray(size, square, -1, 1));
    let (ne, sw) = (ray(size, square, -1, -1), ray(size, square, 1, 1));
    let mut set = match (gait, color) {
        (Gait::Lance, Color::Black) => n,
        (Gait::Lance, Color::White) => s,
        (Gait::Bishop | Gait::Horse, _) => nw | ne | sw | se,
        (Gait::Rook | Gait::Dragon, _) => n | s | w | e,
        _ => 0,
    };
    let list = gait.steps();
    let mut i = 0;
    while i < list.len() {
        let (files, ranks) = list[i];
        let ranks = match color {
            Color::Black => ranks,
            Color::White => -ranks,
        };
        if let Some(to) = beside(size, square, files, ranks) {
            set |= 1 << to;
        }
        i += 1;
    }
    set
}

/// The `count` ranks furthest from `color`'s own side.
const fn far_ranks(size: i8, color: Color, count: usize) -> u128 {
    let mut set = 0;
    let mut i = 0;
    while i < count as i8 {
        set |= match color {
            Color::Black => rank(size, i),
            Color::White => rank(size, size - 1 - i),
        };
        i += 1;
    }
    set
}

/// Builds the tables of a board; a macro because constant functions cannot call the methods of a trait.
macro_rules! tables {
    ($bits:ident, $size:expr, $promotion_ranks:expr) => {{
        const N: usize = ($size as usize) * ($size as usize);
        const ALL: u128 = (1 << N) - 1;
        let none = $bits::from_indices(0);
        let mut t = Tables {
            board: $bits::from_indices(ALL),
            reach: [[[none; SQUARES]; Gait::COUNT]; 2],
            between: [[none; SQUARES]; SQUARES],
            lines: [[none; 4]; SQUARES],
            near: [[[none; SQUARES]; Gait::COUNT]; 2],
            alive: [[none; Gait::COUNT]; 2],
            zone: [[none; Gait::COUNT]; 2],
        };
        let mut c = 0;
        while c < 2 {
            let color = Color::BOTH[c];
            let mut g = 0;
            while g < Gait::COUNT {
                let gait = Gait::ALL[g];
                t.alive[c][g] = $bits::from_indices(ALL & !far_ranks($size, color, gait.dead_ranks()));
                let zone = if gait.promotes() { far_ranks($size, color, $promotion_ranks) } else { 0 };
                t.zone[c][g] = $bits::from_indices(zone);
                let mut reached = [0; N];
                let mut sq = 0;
                while sq < N {
                    reached[sq] = reach($size, color, gait, sq);
                    t.reach[c][g][sq] = $bits::from_indices(reached[sq]);
                    sq += 1;
                }
                let mut sq = 0;
                while sq < N {
                    let around = reach($size, color, Gait::King, sq);
                    let mut near = 0;
                    let mut from = 0;
                    while from < N {
                        near |= ((reached[from] & around != 0) as u128) << from;
                        from += 1;
                    }
                    t.near[c][g][sq] = $bits::from_indices(near);
                    sq += 1;
                }
                g += 1;
            }
            c += 1;
        }
        let mut sq = 0;
        while sq < N {
            const AXES: [(i8, i8); 4] = [(0, 1), (1, 0), (1, 1), (1, -1)];
            let mut a = 0;
            while a < 8 {
                let (mut files, mut ranks) = AXES[a / 2];
                if a % 2 == 1 {
                    (files, ranks) = (-files, -ranks);
                } else {
                    let line = ray($size, sq, files, ranks) | ray($size, sq, -files, -ranks);
                    t.lines[sq][a / 2] = $bits::from_indices(line);
                }
                let mut passed = 0;
                let mut at = sq;
                while let Some(next) = beside($size, at, files, ranks) {
                    t.between[sq][next] = $bits::from_indices(passed);
                    passed |= 1 << next;
                    at = next;
                }
                a += 1;
            }
            sq += 1;
        }
        t
    }};
}

pub(super) static TABLES81: Tables<Bits81> = tables!(Bits81, 9, 3);
pub(super) static TABLES25: Tables<Bits25> = tables!(Bits25, 5, 1);
