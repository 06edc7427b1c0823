//! Experiments: a table or figure of a paper as a file, run as jobs, reported beside what was published.
//!
//! Read it in this order:
//!
//! 1. [`mod@file`] and [`library`]: what an experiment says. The published rows are data in the file.
//! 2. [`kinds`]: the general kinds of experiment, one file each. A paper's table is only configuration.
//! 3. [`task`], [`workshop`] and [`desk`]: a job is a pure function of (conditions, index, seed); the program does it behind one object.
//! 4. [`plan`], [`directory`], [`run`], [`worker`]: all jobs of an experiment, the directory of a run, and doing what is missing there, or
//!    wherever else.
//! 5. [`verdict`], [`sample`], [`published`], [`optimum`]: what can be concluded.
//! 6. [`report`]: what is said about it; [`crate::report`] writes it as Markdown and as a web page.

mod claims;
pub mod desk;
pub mod directory;
pub mod file;
mod findings;
pub mod kinds;
pub mod known;
pub mod library;
pub mod local;
pub mod optimum;
pub mod place;
pub mod plan;
pub mod problems;
pub mod published;
pub mod records;
pub mod report;
pub mod run;
pub mod sample;
pub mod seats;
pub mod statement;
pub mod task;
pub mod verdict;
pub mod verify;
mod walk;
pub mod worker;
pub mod workshop;

pub use file::{Experiment, Part};
pub use local::LocalWorkshop;
pub use plan::ExperimentPlan;
pub use task::{Job, Measurement, Row, Task};
pub use verdict::Verdict;
pub use workshop::{Factory, Failure, Workshop};
