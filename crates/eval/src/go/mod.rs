//! What is known about Go beyond its rules: shapes, tactics, and which moves people and programs play.
//!
//! [`shapes`] are the 3x3 patterns that playouts look for; [`tactics`] answers short questions about liberties; [`ladder`] reads one;
//! [`nakade`] finds the vital point of an eye.

pub mod ladder;
pub mod nakade;
pub mod shapes;
pub mod tactics;
