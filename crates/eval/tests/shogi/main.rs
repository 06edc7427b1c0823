//! The evaluations of shogi that are summed by difference, against their definitions and against what symmetry demands.

mod common;
mod linear;
mod nnue;
