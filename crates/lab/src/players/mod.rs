//! The players there are.

pub mod foreign;
pub mod knowing;
pub mod searcher;
pub mod spec;

pub use foreign::Foreign;
pub use knowing::{Filter, Knowing};
pub use searcher::Searcher;
