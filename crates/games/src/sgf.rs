//! Smart Game Format: the syntax, without the meaning of a game.
