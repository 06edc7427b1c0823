//! Matches from end to end, with players that do what tests need.

mod actors;
mod endings;
mod faults;
mod openings;
mod runs;
mod safety;
mod workers;
