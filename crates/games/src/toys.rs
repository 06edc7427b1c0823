//! The toy games of the core, as games that can be played and matched.

pub use yomi_core::toy::{ConnectFour, Nim, TicTacToe};

use crate::game::Game;

impl Game for TicTacToe {
    const MOVE_EXAMPLES: &'static str = "the number of a square, 1 to 9";
}

impl Game for ConnectFour {
    const MOVE_EXAMPLES: &'static str = "the number of a column, 1 to 7";
}

impl Game for Nim {
    const MOVE_EXAMPLES: &'static str = "how many to take: 1, 2 or 3";
}
