//! One vocabulary for every front end: the program, the protocol servers, the laboratory, and whatever comes after them.
//!
//! Games are opened by name ([`open`]), players are read from text ([`Player`]), budgets are merged in one place ([`Budget`]), records are
//! read and written in every format ([`records`]), positions and search results are JSON ([`report`], described in `docs/json.md`), and a
//! [`Session`] is a game under way behind an object-safe interface: text in, typed events out.
//!
//! ```
//! use yomi_session::{Control, Player, SearchRequest, open};
//!
//! let mut session = open(&"minishogi".parse()?)?;
//! session.play("5d5c")?;
//! assert_eq!(session.legal_moves().len(), 13);
//!
//! let player: Player = "mcss(t=80,hash=16) sims=200".parse()?;
//! let request = SearchRequest::new(&player, player.limits(&Default::default(), 1)?);
//! let analysis = session.search(&request, &Control::default(), &mut |_event| {})?;
//! let best = analysis.best.expect("the game is not over");
//! session.play(&best)?;
//! assert_eq!(session.moves(), ["5d5c", best.as_str()]);
//! session.undo(2)?;
//! assert!(session.moves().is_empty());
//! # Ok::<(), yomi_core::TextError>(())
//! ```
//!
//! There are no threads, files or clocks in this crate: a caller that wants to stop or watch a search from elsewhere shares its
//! [`Control`], one that keeps files brings bytes. It compiles for wasm32-unknown-unknown.

pub mod board;
pub mod budget;
mod control;
pub mod foreign;
mod game_session;
pub mod player;
pub mod records;
pub mod report;
mod scale;
mod session;
pub mod signature;
mod tree;
mod variation;

pub use board::BoardReport;
pub use budget::Budget;
pub use control::{Clock, Control, Supervisor, at_most_every, think};
pub use game_session::{open, open_line, open_record};
pub use player::Player;
pub use scale::Scale;
pub use session::{Event, MarkedMoves, MoveReport, SearchRequest, Session};
pub use tree::{SavedTree, TreeNotes, TreeQuery, TreeReport, TreeRow};
pub use variation::{parse_moves, variation};
pub use yomi_games::{FAMILIES, Family, Game, RecordFormat, game_names, unknown_game, with_game};
pub use yomi_players::forecast;
pub use yomi_players::{
    NetworkInUse, OTHER_SEARCHES, POLICIES, WRAPPERS, bounds, check_limits, networks_in_use, search_names,
};

/// A game with its players: what everything generic above the searches asks for.
pub trait Playable: Game + yomi_players::Playable {}
impl<P: Game + yomi_players::Playable> Playable for P {}
