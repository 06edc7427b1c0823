//! Evaluators: what a position is worth. They know no search.

pub mod blokus;
pub mod constant;
pub mod effect;
pub mod glance;
pub mod go;
pub mod linear;
pub mod material;
pub mod priors;
pub mod rollout;
pub mod written;

pub use constant::Constant;
pub use effect::Effect;
pub use glance::Glance;
pub use linear::Linear;
pub use material::Material;
pub use priors::{Guided, Priors};
pub use rollout::Rollout;
pub use written::Written;
