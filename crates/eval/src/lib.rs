//! What positions are worth. Every evaluator answers for the side to move, in its own unit.

pub mod material;

pub use material::Material;
