//! Positions put together from pieces: what text and records describe.

use yomi_core::Color;

use super::cells::{Cell, CellSet};
use super::moves::BlokusMove;
use super::pieces::Piece;
use super::position::{BlokusDuo, Rules};
use super::tables::START;

/// Why pieces cannot lie so, and the square where it shows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The square.
    pub cell: Cell,
    /// What is wrong, in words that name the squares.
    pub message: String,
}

/// The word for a side.
pub(super) fn name(color: Color) -> &'static str {
    match color {
        Color::Black => "Black",
        Color::White => "White",
    }
}

impl BlokusDuo {
    /// The position with these pieces of Black and of White on the board. They must lie as moves in some order could have put
    /// them: no piece twice, on free squares, apart from own pieces along edges, and linked by corners with the start square.
    /// How many pieces each side has on the board is not looked at, and what is no placement is left out.
    pub fn set_up(rules: Rules, pieces: [&[BlokusMove]; 2], turn: Color) -> Result<BlokusDuo, Fault> {
        let mut position = BlokusDuo::new(rules);
        for color in Color::BOTH {
            for &mv in pieces[color.index()] {
                let Some(piece) = mv.piece() else { continue };
                position.check(color, piece, mv.cells())?;
                position.place(color, yomi_core::Move::to_bits(mv));
            }
            // The order of the pieces is not known here; the caller says if the monomino was the last.
            position.crown(color, false);
        }
        for color in Color::BOTH {
            position.check_links(color, pieces[color.index()])?;
        }
        position.set_turn(turn);
        Ok(position)
    }

    /// Whether a piece of `color` may lie there beside what is already set up.
    fn check(&self, color: Color, piece: Piece, cells: CellSet) -> Result<(), Fault> {
        let fault = |cells: CellSet, message: String| match cells.first() {
            Some(cell) => Err(Fault { cell, message }),
            None => Ok(()),
        };
        let taken = self.occupied(Color::Black) | self.occupied(Color::White);
        fault(cells & taken, format!("two pieces cover the same square as {} puts {}", name(color), piece.name()))?;
        fault(cells & self.forbidden(color), format!("pieces of {} touch along an edge", name(color)))?;
        if !self.remaining(color).contains(piece) {
            return fault(cells, format!("{} has the piece {} on the board twice", name(color), piece.name()));
        }
        Ok(())
    }

    /// Whether all pieces of a side hang together by their corners and begin at a start square.
    fn check_links(&self, color: Color, pieces: &[BlokusMove]) -> Result<(), Fault> {
        let Some(first) = self.occupied(color).first() else { return Ok(()) };
        let squares = BlokusDuo::new(self.rules).attach(color);
        let mut linked = self.occupied(color) & squares;
        if linked.is_empty() {
            let message = format!("no piece of {} covers {}", name(color), start_names(color, self.rules));
            return Err(Fault { cell: first, message });
        }
        // A piece is linked as soon as it holds a linked square or touches one by a corner; each round links one at least.
        loop {
            let near = linked | linked.corner_neighbors();
            let more =
                pieces.iter().map(|mv| mv.cells()).filter(|&cells| !cells.is_disjoint(near)).fold(linked, |a, b| a | b);
            if more == linked {
                break;
            }
            linked = more;
        }
        match (self.occupied(color) - linked).first() {
            Some(cell) => {
                Err(Fault { cell, message: format!("no corner links this piece of {} with the others", name(color)) })
            }
            None => Ok(()),
        }
    }
}

impl BlokusDuo {
    /// The pieces of a side as placements, in the order of their first squares.
    pub fn pieces(&self, color: Color) -> Vec<BlokusMove> {
        groups(self.occupied(color)).filter_map(BlokusMove::from_cells).collect()
    }
}

/// The parts of a set that hang together along edges, in the order of their first squares.
pub(super) fn groups(mut rest: CellSet) -> impl Iterator<Item = CellSet> {
    std::iter::from_fn(move || {
        let mut group = CellSet::of(rest.first()?);
        loop {
            let more = group | (group.edge_neighbors() & rest);
            if more == group {
                rest = rest - group;
                return Some(group);
            }
            group = more;
        }
    })
}

/// The start squares as text, for messages.
pub(super) fn start_names(color: Color, rules: Rules) -> String {
    if rules.free_start { format!("{} or {}", START[0], START[1]) } else { START[color.index()].to_string() }
}
