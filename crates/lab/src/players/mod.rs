//! The players there are.

#[cfg(unix)]
pub mod foreign;
#[cfg(unix)]
pub mod knowing;
pub mod searcher;
pub mod spec;

#[cfg(unix)]
pub use foreign::Foreign;
#[cfg(unix)]
pub use knowing::{Filter, Knowing};
pub use searcher::Searcher;
