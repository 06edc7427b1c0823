//! Evaluators: what a position is worth. They know no search.

pub mod blokus;
pub mod constant;
pub mod effect;
pub mod go;
pub mod linear;
pub mod material;
pub mod priors;
pub mod rollout;
pub mod win_in_one;
pub mod written;

pub use constant::Constant;
pub use effect::Effect;
pub use linear::Linear;
pub use material::Material;
pub use priors::{Guided, Priors};
pub use rollout::Rollout;
pub use win_in_one::WinInOne;
pub use written::Written;
