//! The players there are.

pub mod build;
pub mod foreign;
pub mod knowing;
pub mod program;
pub mod searcher;
pub mod spec;

pub use foreign::Foreign;
pub use knowing::{Filter, Knowing};
pub use searcher::Searcher;
