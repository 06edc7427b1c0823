//! Programs of other people.
//!
//! Read in this order: [`engine`] is what a referee sees (text in, text out, no game), [`fault`] what can go wrong, [`launch`] how a
//! program is named; [`process`] keeps a child process that nothing it does can hang us with, [`guard`] ends it when we end, and
//! [`usi`], [`gtp`] and [`xboard`] are the three languages spoken to it. What it says goes through
//! [`harmless`](crate::harmless) before it is shown.

pub mod engine;
pub mod fault;
pub mod gtp;
pub mod guard;
pub mod launch;
pub mod patience;
pub mod process;
pub mod usi;
pub mod xboard;

mod count;
mod edit;
mod lines;
mod log;
mod start;
mod system;
mod talk;

pub use engine::{Action, Answer, Clock, Engine, Question, Report, Setup};
pub use fault::{Fault, Phase, Reason};
pub use guard::Guard;
pub use launch::Launch;
pub use patience::Patience;
