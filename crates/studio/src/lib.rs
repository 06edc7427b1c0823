//! The studio: a page to play, analyse, learn and experiment.
//!
//! [`Studio::serve`] answers one page on loopback: the bundle built from `web/` (embedded, so that nobody needs Node), and one WebSocket a page
//! that speaks the requests of `yomi-page`. Positions are carried by the requests, so a page that is reloaded loses nothing; a page that is
//! closed ends its searches. [`export`] writes the same page as a site for any web server, with the laboratory's results beside it.
//!
//! What keeps strangers out is in [`guard`], what bounds memory in `outbox` and `searches`; `docs/studio.md` is the page for people.

mod bundle;
pub mod export;
pub mod guard;
mod laboratory;
mod league;
mod learners;
mod lessons;
mod outbox;
mod runs;
mod searches;
mod server;
mod talk;
mod trees;
mod weights;

pub use laboratory::Signature;
pub use server::{Options, Studio};
pub use weights::offers;
