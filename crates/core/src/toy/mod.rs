//! Small games for tests, documentation and quick experiments: solved, so that a search can be marked right or wrong.

mod connect_four;
mod nim;
mod tic_tac_toe;
mod tree;

pub use connect_four::{Column, ConnectFour};
pub use nim::{Nim, Take};
pub use tic_tac_toe::{Square, TicTacToe};
pub use tree::{Branch, ToyTree};
