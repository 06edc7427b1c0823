//! Learners. One program: every test program links, and compiles generic code, anew.

mod gradients;
mod nnue;
mod records;
mod regression;
mod run;
