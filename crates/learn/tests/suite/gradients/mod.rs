//! Every gradient against central finite differences in double precision, and the forms of one gradient against each other.

mod common;
mod control;
mod expectation;
mod games;
mod trees;
