//! Our searches behind other people's interfaces: lines in, lines out.
//!
//! `console` reads on a thread of its own, so that a search can be stopped while it runs; a [`yomi_session::Control`]
//! reaches it; [`usi`], [`gtp`] and [`analysis`] are the conversations. They know games and clocks, and of searches only
//! [`yomi_search::Search`]. The last two share what Go needs: `candidates`, [`forecast`], `ownership`,
//! `go_rules`.

pub mod analysis;
mod candidates;
pub(crate) mod console;
pub(crate) mod go_rules;
pub mod gtp;
mod lines;
mod ownership;
pub mod usi;

pub use console::{Console, Heard};
pub use yomi_session::forecast;
