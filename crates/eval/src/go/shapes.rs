//! 3x3 patterns that make a move near the last one worth playing: hane, cuts, blocks at the edge.
//!
//! The patterns are those of MoGo (Gelly, Wang, Munos, Teytaud 2006, RR-6062) as Petr Baudiš's michi writes them (MIT licence).

use std::sync::OnceLock;

use yomi_games::go::{Code, DIRECTIONS, Symmetry};

/// Rows from the north. `X` and `O` are the two colours, either way round; `x` is anything on the board but `X`, `o` likewise; `.` is
/// empty, `#` outside, `?` anything. The move is in the middle.
const PATTERNS: [[&str; 3]; 13] = [
    // Hane: enclosing, not cutting, magari, diagonal attachment.
    ["XOX", "...", "???"],
    ["XO.", "...", "?.?"],
    ["XO?", "X..", "x.?"],
    [".O.", "X..", "..."],
    // Cuts: unprotected, peeped, de, keima.
    ["XO?", "O.o", "?o?"],
    ["XO?", "O.X", "???"],
    ["?X?", "O.O", "ooo"],
    ["OX?", "o.O", "???"],
    // At the edge: chase, block a cut, block a connection, sagari, cut.
    ["X.?", "O.?", "###"],
    ["OX?", "X.O", "###"],
    ["?X?", "x.O", "###"],
    ["?XO", "x.x", "###"],
    ["?OX", "X.O", "###"],
];

/// A set of 3x3 codes.
pub struct Shapes(Box<[u64; 1024]>);

impl Shapes {
    /// The patterns of this file in all directions and both colours.
    pub fn standard() -> &'static Shapes {
        static STANDARD: OnceLock<Shapes> = OnceLock::new();
        STANDARD.get_or_init(|| {
            let mut shapes = Shapes(Box::new([0; 1024]));
            for code in (0..=u16::MAX).map(Code) {
                if PATTERNS.iter().any(|rows| fits(rows, code) || fits(rows, code.recolored())) {
                    for symmetry in Symmetry::ALL {
                        let Code(turned) = code.transformed(symmetry);
                        shapes.0[usize::from(turned >> 6)] |= 1 << (turned & 63);
                    }
                }
            }
            shapes
        })
    }

    /// Whether an empty point with this code is the middle of one of the patterns.
    #[inline]
    pub fn contains(&self, code: Code) -> bool {
        self.0[usize::from(code.0 >> 6)] >> (code.0 & 63) & 1 == 1
    }
}

/// Whether a code is what the rows say, as they stand.
fn fits(rows: &[&str; 3], code: Code) -> bool {
    DIRECTIONS.iter().enumerate().all(|(d, &(x, y))| {
        let wanted = rows[(1 - y) as usize].as_bytes()[(x + 1) as usize];
        let there = code.field(d);
        match wanted {
            b'X' => there == 1,
            b'O' => there == 2,
            b'x' => there == 0 || there == 2,
            b'o' => there == 0 || there == 1,
            b'.' => there == 0,
            b'#' => there == 3,
            _ => true,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(rows: [&str; 3]) -> Code {
        let at = |x: i32, y: i32| match rows[(1 - y) as usize].as_bytes()[(x + 1) as usize] {
            b'x' => 1,
            b'o' => 2,
            b'#' => 3,
            _ => 0,
        };
        Code(DIRECTIONS.iter().enumerate().map(|(i, &(x, y))| at(x, y) << (2 * i)).sum())
    }

    #[test]
    fn shapes_by_sight() {
        let shapes = Shapes::standard();
        for (rows, wanted) in [
            // A hane, drawn four ways.
            (["xox", "...", "..."], true),
            (["oxo", "...", "..."], true),
            (["x..", "o..", "x.."], true),
            (["...", "...", "oxo"], true),
            // A cut with nothing beside it, and the same protected.
            (["xo.", "o..", "..."], true),
            (["xo.", "o.o", "..."], false),
            // At the edge.
            (["x..", "o..", "###"], true),
            (["#o.", "#.x", "#xo"], true),
            // Nothing in particular.
            (["...", "...", "..."], false),
            (["xxx", "x.x", "xxx"], false),
            (["###", "...", "..."], false),
        ] {
            assert_eq!(shapes.contains(drawn(rows)), wanted, "{rows:?}");
        }
    }

    #[test]
    fn shapes_know_neither_direction_nor_colour() {
        let shapes = Shapes::standard();
        let mut count = 0;
        for code in (0..=u16::MAX).map(Code) {
            let there = shapes.contains(code);
            count += u32::from(there);
            assert_eq!(shapes.contains(code.recolored()), there);
            assert!(Symmetry::ALL.iter().all(|&s| shapes.contains(code.transformed(s)) == there));
        }
        assert!((1_000..20_000).contains(&count), "{count}");
    }
}
