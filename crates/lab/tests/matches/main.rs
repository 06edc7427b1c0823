//! Matches from end to end, with players that do what tests need.
#![allow(clippy::disallowed_methods, reason = "one of these players is slow")]

mod actors;
mod endings;
mod faults;
mod openings;
mod runs;
mod safety;
mod workers;
