//! What is known about Go beyond its rules: shapes, tactics, and which moves people and programs play.
//!
//! [`shapes`] are the 3x3 patterns that playouts look for; [`tactics`] answers short questions about liberties; [`ladder`] reads one;
//! [`nakade`] finds the vital point of an eye. [`features`] say what can be said of a move, [`neighbourhood`] names large patterns,
//! [`model`] gives moves their probabilities, and [`learn`] finds its strengths in games. [`dynamic_komi`] keeps handicap games open.

pub mod dynamic_komi;
pub mod features;
pub mod ladder;
pub mod learn;
pub mod model;
pub mod nakade;
pub mod neighbourhood;
pub mod shapes;
pub mod tactics;

pub use dynamic_komi::DynamicKomi;
pub use ladder::Ladders;
pub use model::Model;
