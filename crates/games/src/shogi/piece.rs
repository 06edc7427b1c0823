//! The pieces, and the ways they move.

use yomi_core::Color;

/// The fourteen kinds of piece. A promoted kind's index is its plain kind's index plus eight.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Kind {
    /// Fuhyō.
    Pawn = 0,
    /// Kyōsha.
    Lance = 1,
    /// Keima.
    Knight = 2,
    /// Ginshō.
    Silver = 3,
    /// Kakugyō.
    Bishop = 4,
    /// Hisha.
    Rook = 5,
    /// Kinshō.
    Gold = 6,
    /// Gyokushō.
    King = 7,
    /// Tokin, the promoted pawn.
    ProPawn = 8,
    /// Narikyō, the promoted lance.
    ProLance = 9,
    /// Narikei, the promoted knight.
    ProKnight = 10,
    /// Narigin, the promoted silver.
    ProSilver = 11,
    /// Ryūma, the promoted bishop.
    Horse = 12,
    /// Ryūō, the promoted rook.
    Dragon = 13,
}

impl Kind {
    /// All kinds in the order of their indices.
    pub const ALL: [Kind; 14] = [
        Kind::Pawn,
        Kind::Lance,
        Kind::Knight,
        Kind::Silver,
        Kind::Bishop,
        Kind::Rook,
        Kind::Gold,
        Kind::King,
        Kind::ProPawn,
        Kind::ProLance,
        Kind::ProKnight,
        Kind::ProSilver,
        Kind::Horse,
        Kind::Dragon,
    ];

    /// The kinds a hand can hold, in the order of their indices.
    pub const HAND: [Kind; 7] =
        [Kind::Pawn, Kind::Lance, Kind::Knight, Kind::Silver, Kind::Bishop, Kind::Rook, Kind::Gold];

    /// Index of the kind in [`Kind::ALL`]; for the kinds of a hand also in [`Kind::HAND`].
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The kind of an index.
    #[inline]
    pub const fn from_index(index: usize) -> Option<Kind> {
        if index < Kind::ALL.len() { Some(Kind::ALL[index]) } else { None }
    }

    /// What it promotes to, if it does.
    #[inline]
    pub const fn promoted(self) -> Option<Kind> {
        match self {
            Kind::Pawn | Kind::Lance | Kind::Knight | Kind::Silver | Kind::Bishop | Kind::Rook => {
                Some(Kind::ALL[self as usize + 8])
            }
            _ => None,
        }
    }

    /// The kind of its unpromoted side: what a captor takes in hand.
    #[inline]
    pub const fn plain(self) -> Kind {
        if self.is_promoted() { Kind::ALL[self as usize - 8] } else { self }
    }

    /// Whether it lies on its promoted side.
    #[inline]
    pub const fn is_promoted(self) -> bool {
        self as usize >= 8
    }

    /// The capital letter of its unpromoted side in SFEN and USI.
    pub const fn letter(self) -> char {
        match self.plain() {
            Kind::Pawn => 'P',
            Kind::Lance => 'L',
            Kind::Knight => 'N',
            Kind::Silver => 'S',
            Kind::Bishop => 'B',
            Kind::Rook => 'R',
            Kind::Gold => 'G',
            _ => 'K',
        }
    }

    /// The unpromoted kind of a letter, capital or small.
    pub fn from_letter(letter: char) -> Option<Kind> {
        Kind::ALL[..8].iter().copied().find(|kind| kind.letter() == letter.to_ascii_uppercase())
    }

    /// How it moves.
    #[inline]
    pub(super) const fn gait(self) -> Gait {
        match self {
            Kind::Pawn => Gait::Pawn,
            Kind::Lance => Gait::Lance,
            Kind::Knight => Gait::Knight,
            Kind::Silver => Gait::Silver,
            Kind::Bishop => Gait::Bishop,
            Kind::Rook => Gait::Rook,
            Kind::Gold | Kind::ProPawn | Kind::ProLance | Kind::ProKnight | Kind::ProSilver => Gait::Gold,
            Kind::King => Gait::King,
            Kind::Horse => Gait::Horse,
            Kind::Dragon => Gait::Dragon,
        }
    }
}

/// A piece and whose it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Piece {
    /// Whose it is.
    pub color: Color,
    /// What it is.
    pub kind: Kind,
}

impl Piece {
    /// The piece as one byte of a board: 0 is the empty square.
    #[inline]
    pub(super) const fn to_cell(self) -> u8 {
        (self.kind as u8 + 1) | ((self.color as u8) << 4)
    }

    /// The piece of a byte.
    #[inline]
    pub(super) const fn from_cell(cell: u8) -> Option<Piece> {
        match (cell & 15) as usize {
            index @ 1..=14 => {
                Some(Piece { color: Color::from_index((cell >> 4) as usize), kind: Kind::ALL[index - 1] })
            }
            _ => None,
        }
    }

    /// The piece in SFEN: `P`, `+r`.
    pub fn text(self) -> String {
        let letter = self.kind.letter();
        let letter = if self.color == Color::Black { letter } else { letter.to_ascii_lowercase() };
        format!("{}{letter}", if self.kind.is_promoted() { "+" } else { "" })
    }
}

/// The ten ways to move: the gold and the four small promoted pieces share one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(super) enum Gait {
    Pawn = 0,
    Lance = 1,
    Knight = 2,
    Silver = 3,
    Bishop = 4,
    Rook = 5,
    Gold = 6,
    King = 7,
    Horse = 8,
    Dragon = 9,
}

impl Gait {
    pub(super) const COUNT: usize = 10;
    pub(super) const ALL: [Gait; Gait::COUNT] = [
        Gait::Pawn,
        Gait::Lance,
        Gait::Knight,
        Gait::Silver,
        Gait::Bishop,
        Gait::Rook,
        Gait::Gold,
        Gait::King,
        Gait::Horse,
        Gait::Dragon,
    ];

    /// Single steps and jumps as (file, rank) differences for Black, who moves towards rank 1.
    pub(super) const fn steps(self) -> &'static [(i8, i8)] {
        match self {
            Gait::Pawn => &[(0, -1)],
            Gait::Knight => &[(-1, -2), (1, -2)],
            Gait::Silver => &[(0, -1), (-1, -1), (1, -1), (-1, 1), (1, 1)],
            Gait::Gold => &[(0, -1), (-1, -1), (1, -1), (-1, 0), (1, 0), (0, 1)],
            Gait::King => &[(0, -1), (-1, -1), (1, -1), (-1, 0), (1, 0), (0, 1), (-1, 1), (1, 1)],
            Gait::Horse => &[(0, -1), (-1, 0), (1, 0), (0, 1)],
            Gait::Dragon => &[(-1, -1), (1, -1), (-1, 1), (1, 1)],
            Gait::Lance | Gait::Bishop | Gait::Rook => &[],
        }
    }

    /// Whether pieces of this gait have another side to turn to in the promotion zone.
    pub(super) const fn promotes(self) -> bool {
        (self as usize) < 6
    }

    /// How many of the furthest ranks leave a piece of this gait without a move.
    pub(super) const fn dead_ranks(self) -> usize {
        match self {
            Gait::Pawn | Gait::Lance => 1,
            Gait::Knight => 2,
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_of_a_piece() {
        for kind in Kind::ALL {
            assert_eq!(Kind::from_index(kind.index()), Some(kind));
            assert_eq!(kind.promoted().map_or(kind, Kind::plain), kind.promoted().map_or(kind, |_| kind));
            assert_eq!(kind.plain().promoted().is_some_and(|up| up == kind), kind.is_promoted());
            for color in Color::BOTH {
                let piece = Piece { color, kind };
                assert_eq!(Piece::from_cell(piece.to_cell()), Some(piece));
            }
            assert_eq!(kind.gait().promotes(), kind.promoted().is_some());
        }
        assert_eq!(Piece::from_cell(0), None);
        assert_eq!(Kind::from_letter('n'), Some(Kind::Knight));
        assert_eq!(Kind::from_letter('x'), None);
    }
}
