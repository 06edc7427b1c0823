//! Tuning: numbers of a player found by matches.
//!
//! 1. [`space`]: a player with ranges in the place of numbers.
//! 2. [`quadratic`] and [`spsa`]: where to play next, and where the best lies.
//! 3. [`course`]: games come in generations; the points of one depend on the games of those before it and on nothing else, so that any
//!    number of threads, and a run that was killed and goes on, play the same games.
//! 4. [`run`](mod@run) plays what is missing, [`report`] says what it came to.
//!
//! The tuned player is judged on openings that were not used to tune it.

pub mod config;
pub mod course;
pub mod quadratic;
pub mod report;
pub mod run;
pub mod space;
pub mod spsa;
