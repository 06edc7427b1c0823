//! Evaluators: what a position is worth. They know no search.
//!
//! ```
//! use yomi_core::{Evaluator, Position, Question, Uniform};
//! use yomi_eval::{Linear, Material, Rollout};
//! use yomi_games::shogi::{Five, Minishogi};
//!
//! let start = Minishogi::default();
//! let mut moves = Vec::new();
//! start.generate(&mut moves);
//! let question = Question::of(&start, &moves);
//! assert_eq!(Material.value(&question, &mut ()), 0.0);
//!
//! let linear = Linear::<Five>::embedded();
//! assert!(linear.value(&question, &mut linear.scratch(1)).abs() < 200.0, "centipawns");
//!
//! let playouts = Rollout::new(Uniform);
//! let value: f32 = playouts.value(&question, &mut Evaluator::<Minishogi>::scratch(&playouts, 1));
//! assert!(value.abs() <= Evaluator::<Minishogi>::win(&playouts));
//! ```

pub mod blokus;
pub mod constant;
pub mod difference;
pub mod effect;
pub mod go;
pub mod linear;
pub mod material;
pub mod nnue;
mod numbers;
pub mod priors;
pub mod rollout;
pub mod simulation;
pub mod tree_values;
pub mod win_in_one;

pub use constant::Constant;
pub use effect::Effect;
pub use linear::Linear;
pub use material::Material;
pub use nnue::Nnue;
pub use priors::{Guided, Priors};
pub use rollout::Rollout;
pub use simulation::{MoveFeatures, SimulationPolicy};
pub use tree_values::TreeValues;
pub use win_in_one::WinInOne;
