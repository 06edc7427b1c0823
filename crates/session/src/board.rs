//! A board as numbers and words, for front ends that draw it themselves: what stands where, and where every legal move begins and ends.

use serde::Serialize;
use serde_json::Value;
use yomi_core::Color;
use yomi_games::draw::{Cell, Face, Picture, Piece, Route, Shape, Sign, Style};

use crate::report::tagged;

/// A board, what lies beside it, and the legal moves as places on it. Cells are `[column, row]` from the top left as Black sees the board.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct BoardReport {
    /// What it is in a few words.
    pub title: String,
    /// A line below the board: whose move, komi, prisoners.
    pub caption: String,
    /// `squares`, `points` or `hollows`: where pieces stand.
    pub style: &'static str,
    /// Cells in a row.
    pub columns: u8,
    /// Cells in a column.
    pub rows: u8,
    /// Width and height of a cell.
    pub cell: (u8, u8),
    /// Points with a dot.
    pub stars: Vec<At>,
    /// Names of the columns from the left, and of the rows from the top.
    pub labels: LabelReport,
    /// What stands on the board.
    pub pieces: Vec<PieceReport>,
    /// What lies beside it, a tray for each side.
    pub trays: Vec<TrayReport>,
    /// Where the last move happened; the first cell is where it ended.
    pub last: Vec<At>,
    /// A king in check.
    pub danger: Vec<At>,
    /// Where playing is forbidden for one move: the ko.
    pub ko: Vec<At>,
    /// Whose the empty cells are if the game ended here.
    pub territory: Vec<(At, &'static str)>,
    /// Cells that the next piece builds on, where only some are (Blokus).
    pub anchors: Vec<At>,
    /// The legal moves.
    pub moves: Vec<MoveRoute>,
}

/// Column and row.
pub type At = (u8, u8);

/// The names of columns and rows: in their own script, and as they stand in moves.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct LabelReport {
    /// From the left.
    pub columns: Vec<(String, String)>,
    /// From the top.
    pub rows: Vec<(String, String)>,
    /// Whether a cell's name begins with its row.
    pub row_first: bool,
}

/// A piece on a cell.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PieceReport {
    /// Where.
    pub at: At,
    /// What.
    #[serde(flatten)]
    pub look: Look,
}

/// What a piece looks like.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Look {
    /// `black` or `white`.
    pub side: &'static str,
    /// The character on a shogi piece.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub face: Option<String>,
    /// The same in letters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub letter: Option<String>,
    /// Whether it is promoted.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub promoted: bool,
    /// Size against the king's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<f32>,
    /// The letter of the tile that the cell is part of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tile: Option<char>,
}

/// What a side has beside the board.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct TrayReport {
    /// `black` or `white`.
    pub side: &'static str,
    /// A word or two on top of it.
    pub title: String,
    /// Its pieces.
    pub items: Vec<ItemReport>,
}

/// One kind of piece in a tray.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ItemReport {
    /// What it looks like.
    #[serde(flatten)]
    pub look: Look,
    /// The squares of a tile; empty for pieces that fill one cell.
    pub cells: Vec<At>,
    /// How many there are.
    pub count: u16,
}

/// A legal move as places.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct MoveRoute {
    /// The move in the game's own text.
    #[serde(rename = "move")]
    pub text: String,
    /// Where the piece stood.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<At>,
    /// Which item of the mover's tray is dropped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item: Option<usize>,
    /// Whether the piece promotes.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub promotes: bool,
    /// The cells the move ends on; none for a pass.
    pub to: Vec<At>,
}

fn at(cell: Cell) -> At {
    (cell.column, cell.row)
}

/// The word for a side in JSON.
pub fn side_word(side: Color) -> &'static str {
    match side {
        Color::Black => "black",
        Color::White => "white",
    }
}

fn look(piece: &Piece) -> Look {
    let mut look =
        Look { side: side_word(piece.side), face: None, letter: None, promoted: false, size: None, tile: None };
    match &piece.shape {
        Shape::Tablet { face, promoted, size } => {
            (look.face, look.letter) = (Some(face.native.clone()), Some(face.ascii.clone()));
            (look.promoted, look.size) = (*promoted, Some(*size));
        }
        Shape::Stone => {}
        Shape::Tile { name } => look.tile = Some(*name),
    }
    look
}

impl MoveRoute {
    /// A move that goes this way.
    pub fn new(text: String, route: &Route) -> MoveRoute {
        let (mut from, mut item, mut promotes) = (None, None, false);
        match route {
            Route::Move { from: cell, promotes: turns, .. } => (from, promotes) = (Some(at(*cell)), *turns),
            Route::Drop { item: place, .. } => item = Some(*place),
            Route::Place(_) | Route::Pass => {}
        }
        MoveRoute { text, from, item, promotes, to: route.targets().into_iter().map(at).collect() }
    }
}

impl BoardReport {
    /// A picture and the legal moves.
    pub fn new(picture: &Picture, moves: Vec<MoveRoute>) -> BoardReport {
        let faces = |faces: &[Face]| faces.iter().map(|face| (face.native.clone(), face.ascii.clone())).collect();
        let signed = |wanted: &Sign| {
            let found = picture.signs.iter().filter(|(_, sign)| sign == wanted);
            found.map(|(cell, _)| at(*cell)).collect::<Vec<At>>()
        };
        let owned = |(cell, sign): &(Cell, Sign)| match sign {
            Sign::Territory(side) => Some((at(*cell), side_word(*side))),
            _ => None,
        };
        let tray = |tray: &yomi_games::draw::Tray| TrayReport {
            side: side_word(tray.side),
            title: tray.title.clone(),
            items: (tray.items.iter())
                .map(|item| ItemReport {
                    look: look(&item.piece),
                    cells: item.cells.iter().copied().map(at).collect(),
                    count: item.count,
                })
                .collect(),
        };
        BoardReport {
            title: picture.title.clone(),
            caption: picture.captions.join(" "),
            style: match picture.grid.style {
                Style::Squares => "squares",
                Style::Points => "points",
                Style::Hollows => "hollows",
            },
            columns: picture.grid.columns,
            rows: picture.grid.rows,
            cell: picture.grid.cell,
            stars: picture.grid.stars.iter().copied().map(at).collect(),
            labels: LabelReport {
                columns: faces(&picture.labels.columns),
                rows: faces(&picture.labels.rows),
                row_first: picture.labels.row_first,
            },
            pieces: picture
                .pieces
                .iter()
                .map(|(cell, piece)| PieceReport { at: at(*cell), look: look(piece) })
                .collect(),
            trays: picture.trays.iter().map(tray).collect(),
            last: picture.last.iter().copied().map(at).collect(),
            danger: signed(&Sign::Danger),
            ko: signed(&Sign::Square),
            territory: picture.signs.iter().filter_map(owned).collect(),
            anchors: signed(&Sign::Dot),
            moves,
        }
    }

    /// One JSON object.
    pub fn json(&self) -> Value {
        tagged("board", self)
    }
}
