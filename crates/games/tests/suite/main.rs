//! Rules, records and pictures of all games. One program: every test program links, and compiles generic code, anew.

mod blokus;
mod boards;
mod fuzz_laws;
mod go_perft;
mod go_records;
mod othello;
mod pictures;
mod records;
mod shogi;
mod shogi_perft;
