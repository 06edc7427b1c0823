//! Learners: weights of evaluations from games that a program plays against itself. They know searches and evaluations, no protocol.
//!
//! [`regression`] learns the linear evaluation of shogi and minishogi, from what pieces are worth or from nothing: generation after
//! generation it plays games with what it has learned so far (`self_play`), keeps them in a file (`games`), finds their quiet positions
//! and what each should be worth (`lessons`), and fits the evaluation to those (`fit`, `gradient`, `adam`) as far as what was believed
//! before allows (`prior`).
//!
//! [`blokus`] learns the evaluation of Blokus Duo from the results of selective simulations (S1.3).
//!
//! The learners through the search tree are policy gradients. [`model`] is an evaluation as a function of its parameters, [`policy`]
//! holds the formulas they share, [`gradient_sum`] sums of gradients. [`pg_expectation`] is the exact recursion (S0.7). [`frozen`] is the finished tree of a search;
//! [`pg_tree`] multiplies sensitivities down all of it, [`pg_sampling`] along sampled paths (S0.8), [`pg_leaf`] looks at principal
//! variations alone (S0.9); [`thin`] keeps few of the leaves and the expectation. [`search_control`] is how a simulation policy changes what moves are worth (S3). [`methods`] are these and their rivals behind one trait, [`run`] the harness: games from seeds, steps
//! ([`optimizer`]), checkpoints, curves, gates; [`records`] are games of others.
//!
//! What a change of one child's value does to the value of its parent, the softmax of them (S0.7): more than its probability, because the
//! policy follows the value.
//!
//! ```
//! use yomi_learn::policy::{boltzmann, expectation, sensitivities};
//!
//! let (values, t) = ([30.0, 10.0], 40.0);
//! let worth = |values: &[f64]| expectation(&boltzmann(values, t), values);
//! let slope = (worth(&[30.001, 10.0]) - worth(&[29.999, 10.0])) / 0.002;
//! assert!((slope - sensitivities(&values, t)[0]).abs() < 1e-6);
//! assert!(slope > boltzmann(&values, t)[0]);
//! ```

pub mod adam;
pub mod blokus;
mod files;
pub mod fit;
pub mod frozen;
pub mod games;
pub mod gradient;
pub mod gradient_speed;
pub mod gradient_sum;
pub mod lessons;
pub mod methods;
pub mod model;
pub mod nnue;
pub mod optimizer;
pub mod pg_expectation;
pub mod pg_leaf;
pub mod pg_sampling;
pub mod pg_tree;
pub mod policy;
pub mod prior;
pub mod records;
pub mod regression;
pub mod run;
pub mod scale;
pub mod search_control;
pub mod self_play;
pub mod thin;

pub use prior::Start;
pub use regression::{Generation, Regression, Settings};
