//! The tree family as a whole: what it finds, when it ends, and that nothing makes it stumble.
#![cfg(not(loom))]

mod asked;
mod common;
mod determinism;
mod flights;
mod hostile;
mod limits;
mod mates;
mod reuse;
mod small_go;
mod solved_games;
mod stop;
