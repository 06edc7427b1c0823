//! The players there are.

#[cfg(unix)]
pub mod foreign;
pub mod searcher;

#[cfg(unix)]
pub use foreign::Foreign;
pub use searcher::Searcher;
