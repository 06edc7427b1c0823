//! Conversations between programs.
//!
//! [`usi`] (shogi) and [`gtp`] (Go, Blokus) are the two languages as types: what either side may say, read from a line and written
//! as one. They know no game and no search, so our servers and our clients of foreign programs use the same ones. [`client`] is that
//! client: a foreign program, started, spoken to and never trusted. [`server`] puts our searches behind both languages; [`csa`]
//! plays on shogi servers.

pub mod client;
pub mod csa;
pub mod gtp;
pub mod harmless;
pub mod server;
pub mod usi;
