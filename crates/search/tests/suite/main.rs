//! Searches of real games. One program: every test program links, and compiles generic code, anew.
#![cfg(not(loom))]

mod allocations;
mod alpha_beta;
mod alpha_beta_shogi;
mod decorators;
mod gradients;
mod mate;
mod mcss_deep;
mod quiescence;
mod shogi_tree;
mod tree_search;
