//! Playing on a shogi server: the client's side of the CSA protocol, version 1.2.1, as floodgate speaks it.
//!
//! [`Summary`] is what a server says before a game, [`play()`] is one game from login to result. The server is the referee: it alone
//! decides about time, repetition and illegal moves, and its word is what a record ends with.

mod game;
mod summary;

pub use game::{Login, Options, Played, Result, play};
pub use summary::{Summary, TimeRule};
