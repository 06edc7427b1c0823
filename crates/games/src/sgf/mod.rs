//! Smart Game Format (`FF[1]` to `FF[4]`): the syntax, without the meaning of a game.
//!
//! Reading: [`decode`] turns the bytes of a file into text, [`trees`] walks over the games of that text one by one, and a
//! [`Tree`] answers which nodes there are and which [`Value`]s they carry. Writing: [`write_tree`] walks over any tree of nodes and a
//! [`Writer`] puts the brackets. What `B[dd]` means is the business of the games.
//!
//! Nothing here recurses, and a tree costs at most about thirty bytes per byte of text, so no file can exhaust stack or memory.

mod charset;
mod parse;
mod value;
mod write;

pub use charset::decode;
pub use parse::{Entry, Tree, Trees, trees};
pub use value::{Value, escape, escape_part};
pub use write::{Writer, write_tree};
