//! Matches, experiments and tuning. One program: every test program links, and compiles generic code, anew.

mod experiments;
mod lines;
mod matches;
mod tune;
