//! Plane layouts: which planes there are, and what their ids in network files are.
//!
//! A layout's id never changes its meaning; a different set or order of planes gets a new id. `docs/networks.md` describes the planes and
//! the packed bytes of each.

use super::{PackedPosition, Planes, blokus, dlshogi, go, shogi};

/// A set of planes. [`Layout::id`] names it in files.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layout {
    /// `shogi-104`: S4.3's planes. For each side the squares of the fourteen kinds and 38 constant planes for pieces in hand.
    Shogi,
    /// `dlshogi-119`: dlshogi's two inputs one after the other, 62 planes of pieces and attacks and 57 constant ones.
    Dlshogi,
    /// `minishogi-40`: the planes of `shogi-104` for the ten kinds and the pieces of minishogi.
    Minishogi,
    /// `go-15`: stones, liberties, ko, the last two moves, komi. On a board of this size.
    Go(u8),
    /// `blokus-duo-49`: squares, forbidden squares and attach points of both sides, pieces in hand.
    BlokusDuo,
}

impl Layout {
    /// How many of dlshogi's planes belong to its first input.
    pub const DLSHOGI_FIRST: usize = dlshogi::FIRST;

    /// The layout that an id names for a game played on a board of this size.
    pub fn from_id(id: &str, board: usize) -> Option<Layout> {
        let layout = match id {
            "shogi-104" => Layout::Shogi,
            "dlshogi-119" => Layout::Dlshogi,
            "minishogi-40" => Layout::Minishogi,
            "go-15" => Layout::Go(u8::try_from(board).ok().filter(|size| (2..=19).contains(size))?),
            "blokus-duo-49" => Layout::BlokusDuo,
            _ => return None,
        };
        (layout.board() == board).then_some(layout)
    }

    /// The name of the layout in network files.
    pub fn id(self) -> &'static str {
        match self {
            Layout::Shogi => "shogi-104",
            Layout::Dlshogi => "dlshogi-119",
            Layout::Minishogi => "minishogi-40",
            Layout::Go(_) => "go-15",
            Layout::BlokusDuo => "blokus-duo-49",
        }
    }

    /// The game, as players name it: `shogi`, `go9`.
    pub fn game(self) -> String {
        match self {
            Layout::Shogi | Layout::Dlshogi => "shogi".into(),
            Layout::Minishogi => "minishogi".into(),
            Layout::Go(size) => format!("go{size}"),
            Layout::BlokusDuo => "blokus-duo".into(),
        }
    }

    /// How many planes there are.
    pub fn planes(self) -> usize {
        match self {
            Layout::Shogi => shogi::NINE.planes(),
            Layout::Dlshogi => dlshogi::PLANES,
            Layout::Minishogi => shogi::FIVE.planes(),
            Layout::Go(_) => go::PLANES,
            Layout::BlokusDuo => blokus::PLANES,
        }
    }

    /// How many bytes of a packed position are used, rounded up to sixteen: what has to be sent to a device.
    pub fn packed_bytes(self) -> usize {
        let used = match self {
            Layout::Shogi | Layout::Dlshogi | Layout::Minishogi => self.squares() + 14,
            Layout::Go(_) => go::PACKED,
            Layout::BlokusDuo => blokus::PACKED,
        };
        used.next_multiple_of(16)
    }

    /// The tables of shogi's planes; `None` for games that have other planes.
    #[cfg(any(target_os = "linux", target_os = "windows"))]
    pub(crate) fn piece_hand_tables(self) -> Option<shogi::PieceHandTables> {
        match self {
            Layout::Shogi => Some(shogi::NINE.tables()),
            Layout::Minishogi => Some(shogi::FIVE.tables()),
            _ => None,
        }
    }

    /// Rows, and columns, of the board.
    pub fn board(self) -> usize {
        match self {
            Layout::Shogi | Layout::Dlshogi => 9,
            Layout::Minishogi => 5,
            Layout::Go(size) => usize::from(size),
            Layout::BlokusDuo => 14,
        }
    }

    /// Squares of the board.
    pub fn squares(self) -> usize {
        self.board() * self.board()
    }

    /// Replaces the contents of `planes` by the input that a packed position of the layout's game means. Bytes that no position packs
    /// to give some input, never a panic: what comes from a file or a socket need not be checked first.
    pub fn expand(self, packed: &PackedPosition, planes: &mut Planes) {
        planes.clear();
        match self {
            Layout::Shogi => shogi::NINE.expand(packed, planes),
            Layout::Dlshogi => dlshogi::expand(packed, planes),
            Layout::Minishogi => shogi::FIVE.expand(packed, planes),
            Layout::Go(size) => go::expand(usize::from(size), packed, planes),
            Layout::BlokusDuo => blokus::expand(packed, planes),
        }
    }
}
