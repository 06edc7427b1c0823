//! The games: rules, text, records and pictures. They know no search.

pub mod blokus;
pub mod draw;
pub mod go;
pub mod othello;
pub mod sgf;
pub mod shogi;
