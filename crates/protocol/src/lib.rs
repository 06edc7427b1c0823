//! Conversations between programs.
//!
//! [`usi`] (shogi) and [`gtp`] (Go, Blokus) are the two languages as types: what either side may say, read from a line and written
//! as one. They know no game and no search, so our servers and our clients of foreign programs use the same ones. [`client`] is that
//! client: a foreign program, started, spoken to and never trusted. [`server`] puts our searches behind both languages; [`csa`]
//! plays on shogi servers.
//!
//! ```
//! use yomi_protocol::{gtp, usi};
//!
//! let go: usi::Command = "go btime 60000 wtime 60000 byoyomi 1000".parse()?;
//! assert_eq!(go.to_string(), "go btime 60000 wtime 60000 byoyomi 1000");
//!
//! let play = gtp::Command::parse("7 play black D4  # a comment")?.expect("a command");
//! assert_eq!((play.name.as_str(), play.arg(1, "a vertex")?), ("play", "D4"));
//! # Ok::<(), yomi_core::TextError>(())
//! ```

pub mod client;
pub mod csa;
pub mod gtp;
pub mod harmless;
pub mod server;
pub mod usi;
