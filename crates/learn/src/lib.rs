//! Learners: weights of evaluations from games that a program plays against itself. They know searches and evaluations, no protocol.
//!
//! [`regression`] learns the linear evaluation of shogi and minishogi from nothing: generation after generation it plays games with
//! what it has learnt so far (`self_play`), keeps them in a file (`games`), and fits the evaluation to how they ended and to what the
//! search made of each position (`gradient`, `adam`).

pub mod adam;
pub mod fit;
pub mod games;
pub mod gradient;
pub mod lessons;
pub mod prior;
pub mod regression;
pub mod scale;
pub mod self_play;

pub use prior::Start;
pub use regression::{Generation, Regression, Settings};
