//! How a game of Go is expected to end: leads in points and owners of points, by an evaluation that knows them (`heads`), else by the playouts of a search.
//!
//! The same estimate serves the position and its moves, so that the best move loses nothing and a review can subtract one lead from
//! another. `tally` is the arithmetic of playouts, `playouts` hears what a search plays out.

mod heads;
mod playouts;
mod tally;

use yomi_core::{Cancel, Line, Position, Seed};
use yomi_search::Verdict;

pub use playouts::Playouts;

/// How the game is expected to end, for the side to move at the root.
#[derive(Clone, PartialEq, Debug)]
pub struct Outlook {
    /// The points by which it leads.
    pub lead: f32,
    /// The mean margin of the playouts, as they came; of the lines that the search expects, each as often as it was visited, where an evaluation knows
    /// their leads.
    pub mean: f32,
    /// The standard deviation of these margins.
    pub spread: f32,
    /// Who owns the points in the end, in reading order: 1 for the side to move, -1 for the other.
    pub points: Vec<f32>,
}

/// The outlook of a position and of its moves.
#[derive(Clone, PartialEq, Debug)]
pub struct Forecast<M> {
    /// The position itself.
    pub root: Outlook,
    /// Moves that something is known of.
    pub moves: Vec<(M, Outlook)>,
}

impl<M: PartialEq> Forecast<M> {
    /// The outlook of a move; of the position, where nothing is known of the move.
    pub fn of(&self, mv: &M) -> &Outlook {
        self.moves.iter().find(|(other, _)| other == mv).map_or(&self.root, |(_, outlook)| outlook)
    }
}

/// Forecasts the end of the game while a search runs.
pub trait Forecaster<P: Position>: Send + Sync {
    /// A search of `line` begins: what was heard before is forgotten, and its playouts are heard from now on.
    fn begin(&self, line: &Line<P>);

    /// The search is over: playouts are not listened to any more.
    fn end(&self);

    /// What is expected, given what the search believes. Where little was heard, more is played out by `seed`. A forecast that is cancelled meanwhile
    /// knows the position and its best moves, or is made of fewer playouts.
    fn forecast(&self, line: &Line<P>, verdict: &Verdict<P::Move>, seed: Seed, cancel: Cancel<'_>)
    -> Forecast<P::Move>;
}
