//! Learning the evaluation of Blokus Duo from selective simulations (S1.3).
//!
//! One update: a game of the evaluation against itself (`episode`), the win rate of simulated games from each of its positions
//! (`simulate`), and one step of all weights towards those (`update`). Thousands of updates are a run (`run`) with checkpoints
//! (`checkpoint`) and a curve (`curve`).
//!
//! The positions can also be those of games of stronger players (`games`).
//!
//! Beside it, [`moves`] learns which moves are played, from games.
//!
//! What S1 leaves open is decided in [`Settings::default`] and can be set: ε falls linearly from 0.5 to 0; each side's first piece is a
//! random pentomino, as in the games of S1.4; the greedy move looks one ply ahead and breaks ties at random; all positions after the
//! first move count, the last included; weights begin at 0. Whose view a position is judged from does not matter, because both sides
//! share their weights.
//!
//! Random numbers come from the seed and the numbers of the update and of the position, so results depend neither on threads nor on where a run
//! was interrupted.

mod checkpoint;
mod curve;
mod episode;
mod games;
pub mod moves;
mod run;
mod search;
mod settings;
mod simulate;
mod update;

pub use checkpoint::Checkpoint;
pub use curve::Point;
pub use episode::{Episode, random_pentomino};
pub use games::Games;
pub use run::{Run, Stop};
pub use settings::{Selection, Settings};
pub use simulate::{Rates, win_rates};
pub use update::{Change, update};
