//! A board as it should look, whatever the game: what the renderers draw and the games describe.
//!
//! Cells are counted from the top left corner as Black sees the board. Whatever lies outside the grid is left out by the renderers.

use std::collections::BTreeMap;

use yomi_core::Color;

use super::theme::Theme;

/// A board, what stands on it and beside it, and the marks on top.
#[derive(Clone, PartialEq, Debug)]
pub struct Picture {
    /// What it is in a few words: the name a screen reader speaks.
    pub title: String,
    /// The same in full, usually the position's own text (SFEN, …).
    pub description: String,
    /// Colours.
    pub theme: Theme,
    /// Who sits at the lower edge. White there turns the board round.
    pub below: Color,
    /// The side to move; none when the game is over.
    pub turn: Option<Color>,
    /// The lines.
    pub grid: Grid,
    /// Coordinates.
    pub labels: Labels,
    /// What stands on the board.
    pub pieces: Vec<(Cell, Piece)>,
    /// What lies beside it: pieces in hand, pieces still to be placed.
    pub trays: Vec<Tray>,
    /// Where the last move happened; the first cell is where it ended.
    pub last: Vec<Cell>,
    /// Values of cells. Of several for one cell the last counts.
    pub heat: Vec<(Cell, f32)>,
    /// What the values of the heat map mean.
    pub scale: Scale,
    /// Moves under consideration.
    pub arrows: Vec<Arrow>,
    /// Small marks and tints.
    pub signs: Vec<(Cell, Sign)>,
    /// Move numbers, shown where something stands. Of several for one cell the last counts.
    pub numbers: Vec<(Cell, u32)>,
    /// Lines of text below the board.
    pub captions: Vec<String>,
}

/// One square or intersection.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Cell {
    /// From the left, from 0.
    pub column: u8,
    /// From the top, from 0.
    pub row: u8,
}

impl Cell {
    /// The cell of this column (from the left) and row (from the top), both from 0.
    pub const fn new(column: u8, row: u8) -> Cell {
        Cell { column, row }
    }
}

/// The lines of a board.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Grid {
    /// Cells in a row.
    pub columns: u8,
    /// Cells in a column.
    pub rows: u8,
    /// Where the pieces stand.
    pub style: Style,
    /// Width and height of a cell in units of the picture.
    pub cell: (u8, u8),
    /// Points with a dot (Go), corners with a dot (shogi: the lower right corner of the cell), start squares (Blokus).
    pub stars: Vec<Cell>,
}

impl Grid {
    /// Whether the cell lies on the board.
    pub fn contains(&self, cell: Cell) -> bool {
        cell.column < self.columns && cell.row < self.rows
    }

    /// The number of a cell, row by row; `None` outside the board.
    pub fn index(&self, cell: Cell) -> Option<usize> {
        self.contains(cell).then(|| usize::from(cell.row) * usize::from(self.columns) + usize::from(cell.column))
    }

    /// How many cells there are.
    pub fn len(&self) -> usize {
        usize::from(self.columns) * usize::from(self.rows)
    }

    /// Whether there is no cell at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All cells, row by row.
    pub fn cells(&self) -> impl Iterator<Item = Cell> + '_ {
        (0..self.rows).flat_map(|row| (0..self.columns).map(move |column| Cell { column, row }))
    }
}

/// How a grid is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// Lines around squares, pieces inside (shogi).
    Squares,
    /// Crossing lines, stones on the crossings (Go).
    Points,
    /// Hollows that tiles fill (Blokus).
    Hollows,
}

/// A short text in its own script, and in letters that every terminal has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Face {
    /// `歩`, `七`, `D`.
    pub native: String,
    /// `P`, `g`, `D`.
    pub ascii: String,
}

impl Face {
    /// A text and its stand-in.
    pub fn new(native: impl Into<String>, ascii: impl Into<String>) -> Face {
        Face { native: native.into(), ascii: ascii.into() }
    }

    /// A text that needs no stand-in.
    pub fn plain(text: impl Into<String>) -> Face {
        let text = text.into();
        Face { native: text.clone(), ascii: text }
    }

    /// One of the two.
    pub fn text(&self, ascii: bool) -> &str {
        if ascii { &self.ascii } else { &self.native }
    }
}

/// Coordinates and the edges they stand at.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Labels {
    /// Names of the columns from the left.
    pub columns: Vec<Face>,
    /// Names of the rows from the top.
    pub rows: Vec<Face>,
    /// Column names above the board.
    pub top: bool,
    /// Row names to the right.
    pub right: bool,
    /// Column names below.
    pub bottom: bool,
    /// Row names to the left.
    pub left: bool,
    /// Whether a cell's name begins with its row instead of its column.
    pub row_first: bool,
}

impl Labels {
    /// The name of a cell in ASCII: `7g`, `D4`, `e10`.
    pub fn name(&self, cell: Cell) -> String {
        let column = self.columns.get(usize::from(cell.column)).map_or("?", |face| &face.ascii);
        let row = self.rows.get(usize::from(cell.row)).map_or("?", |face| &face.ascii);
        if self.row_first { format!("{row}{column}") } else { format!("{column}{row}") }
    }
}

/// A piece, stone or part of a tile.
#[derive(Clone, PartialEq, Debug)]
pub struct Piece {
    /// Whose it is.
    pub side: Color,
    /// What it looks like.
    pub shape: Shape,
}

/// The three kinds of things that stand on our boards.
#[derive(Clone, PartialEq, Debug)]
pub enum Shape {
    /// A pentagon pointing at the opponent, with a character on it.
    Tablet {
        /// The character.
        face: Face,
        /// Written in red.
        promoted: bool,
        /// Size against the king's, up to 1.
        size: f32,
    },
    /// A round stone.
    Stone,
    /// One square of a tile; squares of the same side and name are one tile.
    Tile {
        /// The tile's letter.
        name: char,
    },
}

/// What a side has beside the board.
#[derive(Clone, PartialEq, Debug)]
pub struct Tray {
    /// Whose it is.
    pub side: Color,
    /// A word or two on top of it.
    pub title: String,
    /// What lies there, each kind in its own place even when none of it is left.
    pub items: Vec<Item>,
}

/// One kind of piece in a tray.
#[derive(Clone, PartialEq, Debug)]
pub struct Item {
    /// The piece.
    pub piece: Piece,
    /// The squares of a tile. A tray holds either tiles or pieces that fill one cell, for which this is empty.
    pub cells: Vec<Cell>,
    /// How many there are.
    pub count: u16,
}

/// What the values of a heat map mean.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Scale {
    /// From nothing to the largest value there is: visits, probabilities.
    #[default]
    Share,
    /// From -1 (White's) to 1 (Black's): ownership, territory.
    Balance,
}

/// Where a move begins and ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Route {
    /// From one cell to another.
    Move {
        /// Where the piece stood.
        from: Cell,
        /// Where it goes.
        to: Cell,
        /// Whether it promotes on the way.
        promotes: bool,
    },
    /// From a tray to a cell.
    Drop {
        /// Whose tray.
        side: Color,
        /// Which item of it.
        item: usize,
        /// Where it goes.
        to: Cell,
    },
    /// Onto these cells, from nowhere that can be seen.
    Place(Vec<Cell>),
    /// Nowhere.
    Pass,
}

impl Route {
    /// The cells of the move, the one it ends on first.
    pub fn cells(&self) -> Vec<Cell> {
        match self {
            Route::Move { from, to, .. } => vec![*to, *from],
            Route::Drop { to, .. } => vec![*to],
            Route::Place(cells) => cells.clone(),
            Route::Pass => Vec::new(),
        }
    }

    /// The cells the move ends on.
    pub fn targets(&self) -> Vec<Cell> {
        match self {
            Route::Move { to, .. } => vec![*to],
            _ => self.cells(),
        }
    }
}

/// A move under consideration.
#[derive(Clone, PartialEq, Debug)]
pub struct Arrow {
    /// Where it goes.
    pub route: Route,
    /// How much it is thought of, 0 to 1: width and strength of colour.
    pub weight: f32,
    /// A few characters written on it.
    pub label: String,
}

/// A mark on a cell.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Sign {
    /// The cell tinted.
    Tint,
    /// The cell tinted as a warning: a king in check.
    Danger,
    /// A dot: a cell a piece may go to or build on.
    Dot,
    /// A circle.
    Circle,
    /// A square.
    Square,
    /// A triangle.
    Triangle,
    /// A cross.
    Cross,
    /// The cell belongs to that side.
    Territory(Color),
    /// The stone there is dead.
    Dead,
    /// A letter or a short word.
    Text(String),
}

impl Picture {
    /// An empty board with nothing beside it.
    pub fn new(title: impl Into<String>, theme: Theme, grid: Grid) -> Picture {
        Picture {
            title: title.into(),
            description: String::new(),
            theme,
            below: Color::Black,
            turn: None,
            grid,
            labels: Labels::default(),
            pieces: Vec::new(),
            trays: Vec::new(),
            last: Vec::new(),
            heat: Vec::new(),
            scale: Scale::Share,
            arrows: Vec::new(),
            signs: Vec::new(),
            numbers: Vec::new(),
            captions: Vec::new(),
        }
    }

    /// The same picture as White sees it.
    pub fn turned(mut self) -> Picture {
        self.below = !self.below;
        self
    }

    /// Where a cell lies for the person at the lower edge: column and row from the top left. `None` outside the board.
    pub fn seat(&self, cell: Cell) -> Option<(u8, u8)> {
        self.grid.contains(cell).then(|| match self.below {
            Color::Black => (cell.column, cell.row),
            Color::White => (self.grid.columns - 1 - cell.column, self.grid.rows - 1 - cell.row),
        })
    }

    /// The columns or rows 0 to `n - 1` in the order they are seen, from the left or from the top.
    pub(super) fn seen(&self, n: u8) -> Vec<usize> {
        let ascending = 0..usize::from(n);
        if self.below == Color::Black { ascending.collect() } else { ascending.rev().collect() }
    }

    /// The numbers to be shown: the last one of each cell, if anything stands there.
    pub(super) fn numbered(&self) -> BTreeMap<Cell, u32> {
        let on_cells = self.by_cell();
        let occupied = |cell: &Cell| self.grid.index(*cell).is_some_and(|index| on_cells[index].is_some());
        self.numbers.iter().copied().filter(|(cell, _)| occupied(cell)).collect()
    }

    /// The piece on each cell, row by row as Black sees the board.
    pub(super) fn by_cell(&self) -> Vec<Option<&Piece>> {
        let mut out = vec![None; self.grid.len()];
        for (cell, piece) in &self.pieces {
            if let Some(index) = self.grid.index(*cell) {
                out[index] = Some(piece);
            }
        }
        out
    }
}
