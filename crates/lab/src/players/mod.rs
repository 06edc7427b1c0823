//! The players there are.

pub mod searcher;

pub use searcher::Searcher;
