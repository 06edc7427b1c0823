//! 3x3 codes: what lies on the eight points around a point, in sixteen bits.
//!
//! Two bits per neighbour (0 empty, 1 Black, 2 White, 3 outside), the four orthogonal ones in the low byte. Boards keep the code of
//! every point up to date, so that an eye, a liberty or a pattern is one look at one number.
//!
//! ```text
//!     6 3 7        north (higher row numbers)
//!     1 . 2
//!     4 0 5        south
//! ```

use yomi_core::Color;

use super::symmetry::Symmetry;

/// The eight neighbours of a point as (columns, rows) to go, in the order of the fields of a code.
pub const DIRECTIONS: [(i32, i32); 8] = [(0, -1), (-1, 0), (1, 0), (0, 1), (-1, -1), (1, -1), (-1, 1), (1, 1)];

/// The bit of every orthogonal field that both a stone of the colour and the border have.
const WALL: [u16; 2] = [0x55, 0xaa];

/// A 3x3 code.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Code(pub u16);

impl Code {
    /// What lies in a direction (an index of [`DIRECTIONS`]): 0 empty, 1 Black, 2 White, 3 outside.
    #[inline]
    pub fn field(self, direction: usize) -> u8 {
        (self.0 >> (2 * direction) & 3) as u8
    }

    /// Whether an orthogonal neighbour is empty.
    #[inline]
    pub fn has_liberty(self) -> bool {
        self.liberties() != 0
    }

    /// The orthogonal neighbours that are empty: bit 2d for direction d.
    #[inline]
    pub fn liberties(self) -> u16 {
        !(self.0 | self.0 >> 1) & 0x55
    }

    /// Whether no orthogonal neighbour is empty or of the other colour.
    #[inline]
    pub fn is_surrounded_by(self, color: Color) -> bool {
        let wall = WALL[color.index()];
        self.0 & wall == wall
    }

    /// Whether an empty point with this code is an eye of `color`: surrounded, and the other side holds fewer than two of the
    /// diagonal neighbours (none at the edge), so that it can hardly become false.
    #[inline]
    pub fn is_eye_of(self, color: Color) -> bool {
        self.is_surrounded_by(color) && SOLID[usize::from(self.0 >> 8)] >> color.index() & 1 == 1
    }

    /// The orthogonal neighbours that are stones of `color`: bit 2d for direction d.
    #[inline]
    pub fn stones(self, color: Color) -> u16 {
        let (own, other) = (self.0 >> color.index(), self.0 >> (1 - color.index()));
        own & !other & 0x55
    }

    /// The code of the neighbourhood turned or mirrored by `symmetry`.
    pub fn transformed(self, symmetry: Symmetry) -> Code {
        let mut code = 0;
        for (from, &(x, y)) in DIRECTIONS.iter().enumerate() {
            let turned = symmetry.apply_direction((x, y));
            let to = DIRECTIONS.iter().position(|&d| d == turned).expect("symmetries permute the directions");
            code |= u16::from(self.field(from)) << (2 * to);
        }
        Code(code)
    }

    /// The code with Black and White exchanged.
    pub fn recolored(self) -> Code {
        let (black, white) = (self.0 & 0x5555, self.0 >> 1 & 0x5555);
        Code(white | black << 1)
    }
}

/// For the diagonal fields (high byte): bit c set if an eye of colour c stands firm.
static SOLID: [u8; 256] = {
    let mut solid = [0; 256];
    let mut diagonals = 0;
    while diagonals < 256 {
        let mut count = [0; 4];
        let mut field = 0;
        while field < 4 {
            count[diagonals >> (2 * field) & 3] += 1;
            field += 1;
        }
        let edge = if count[3] > 0 { 1 } else { 0 };
        let black = (count[2] + edge < 2) as u8;
        let white = (count[1] + edge < 2) as u8;
        solid[diagonals] = black | white << 1;
        diagonals += 1;
    }
    solid
};

#[cfg(test)]
mod tests {
    use super::*;

    /// A code drawn as three rows, the middle one with the point itself: `x` Black, `o` White, `.` empty, `#` outside.
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
    fn eyes_by_sight() {
        let (black, white) = (Color::Black, Color::White);
        for (rows, of_black, of_white) in [
            (["xxx", "x.x", "xxx"], true, false),
            (["oxx", "x.x", "xxx"], true, false),
            (["oxx", "x.x", "xxo"], false, false),
            ([".x.", "x.x", ".x."], true, false),
            (["xxx", "x..", "xxx"], false, false),
            (["xxx", "x.o", "xxx"], false, false),
            (["###", "x.x", "xxx"], true, false),
            (["###", "x.x", "xxo"], false, false),
            (["###", "o.#", "oo#"], false, true),
            (["###", "o.#", "xo#"], false, false),
            (["###", "#.#", "###"], true, true),
        ] {
            let code = drawn(rows);
            assert_eq!((code.is_eye_of(black), code.is_eye_of(white)), (of_black, of_white), "{rows:?}");
            assert_eq!(code.recolored().is_eye_of(white), of_black, "{rows:?}");
        }
    }

    #[test]
    fn masks_agree_with_the_fields() {
        for bits in 0..=u16::MAX {
            let code = Code(bits);
            let orthogonal: Vec<u8> = (0..4).map(|d| code.field(d)).collect();
            assert_eq!(code.has_liberty(), orthogonal.contains(&0));
            for color in Color::BOTH {
                let own = color as u8 + 1;
                assert_eq!(code.is_surrounded_by(color), orthogonal.iter().all(|&f| f == own || f == 3));
                let stones: u16 = (0..4).map(|d| u16::from(orthogonal[d] == own) << (2 * d)).sum();
                assert_eq!(code.stones(color), stones);
            }
        }
    }

    #[test]
    fn symmetries_keep_what_matters() {
        for bits in (0..=u16::MAX).step_by(7) {
            for symmetry in Symmetry::ALL {
                let turned = Code(bits).transformed(symmetry);
                assert_eq!(turned.transformed(symmetry.inverse()), Code(bits));
                assert_eq!(turned.is_eye_of(Color::Black), Code(bits).is_eye_of(Color::Black));
            }
        }
    }
}
