//! Our searches behind other people's interfaces: lines in, lines out.
//!
//! `console` reads on a thread of its own, so that a search can be told to stop while it thinks; `overseer` watches a search, tells what it
//! believes and knows when its time is over; [`usi`] and [`gtp`] are the two conversations. They know games and clocks, and of searches
//! only [`yomi_search::Search`].

pub(crate) mod console;
pub mod gtp;
mod lines;
pub(crate) mod overseer;
pub mod usi;

pub use console::{Console, Heard};
