//! Who plays: the object-safe edge between the referee and built-in searches, other people's engines and people.
//!
//! A player is asked for one move at a time and is never trusted: the referee plays by our rules and keeps the
//! clocks. One virtual call per move.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use yomi_core::{Color, Line, Notation, Seed};
use yomi_search::{Limits, Proof};

use crate::clock::{Clocks, TimeControl};
use crate::ending::Finish;

/// Chooses moves. One player sits at one board; games follow each other.
///
/// The calls of a game: [`Player::new_game`], then [`Player::choose`] at each of its own turns and [`Player::played`] after every
/// move of either side (its own included, opening moves not), then [`Player::game_over`].
pub trait Player<P: Notation>: Send {
    /// What to call it in tables: the specification of a built-in player, the name that an engine gave itself.
    fn name(&self) -> &str;

    /// What exactly it is, for the manifest: an engine's own identification. The name, unless there is more to say.
    fn id(&self) -> String {
        self.name().to_string()
    }

    /// A new game begins. A fault here makes the game void: neither side has done anything wrong in it yet.
    fn new_game(&mut self, game: &NewGame<'_, P>) -> Result<(), Fault>;

    /// It is your turn. There is at least one legal move.
    fn choose(&mut self, turn: &Turn<'_, P>) -> Result<Answer<P::Move>, Fault>;

    /// `mv` was played; `line` stands after it.
    fn played(&mut self, mv: P::Move, line: &Line<P>) -> Result<(), Fault> {
        let _ = (mv, line);
        Ok(())
    }

    /// The game is over. Whatever goes wrong now concerns the next game.
    fn game_over(&mut self, finish: &Finish) {
        let _ = finish;
    }

    /// What readers of the match should know about the game that is over: a program that counts it otherwise. Asked once, after
    /// [`Player::game_over`].
    fn remark(&mut self) -> Option<String> {
        None
    }
}

/// What a player learns at the beginning of a game.
#[derive(Clone, Copy)]
pub struct NewGame<'a, P: Notation> {
    /// The position before the first move, opening moves included.
    pub start: &'a P,
    /// The opening: moves that were played before the players take over.
    pub opening: &'a [P::Move],
    /// The side the player has.
    pub color: Color,
    /// How time is counted; not at all, if none.
    pub time: Option<TimeControl>,
    /// The seed of the game: engines that take a seed get its number.
    pub seed: Seed,
}

/// What a player is asked.
#[derive(Clone, Copy)]
pub struct Turn<'a, P: Notation> {
    /// The position before the first move of the game.
    pub start: &'a P,
    /// All moves since, opening moves included: what protocols send.
    pub moves: &'a [P::Move],
    /// The position to move in, with its history.
    pub line: &'a Line<P>,
    /// What both clocks show, the increment of this move included; nothing, if time is not counted.
    pub clocks: Option<Clocks>,
    /// What the player may spend on this move by its own budget, and the seed of the move. Clocks come on top.
    pub limits: &'a Limits,
    /// Raised when the answer is wanted no more: give up with [`Fault::Stopped`] soon.
    pub stop: &'a Arc<AtomicBool>,
}

/// What a player answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer<M> {
    /// What it does.
    pub action: Action<M>,
    /// What it says about it.
    pub report: Report,
}

impl<M> Answer<M> {
    /// A move without any words.
    pub fn silent(mv: M) -> Answer<M> {
        Answer { action: Action::Move(mv), report: Report::default() }
    }
}

/// What a player does at its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action<M> {
    /// Plays a move. The referee looks whether it is legal.
    Move(M),
    /// Gives up.
    Resign,
    /// Declares a win by entering king (USI `bestmove win`). The referee counts; a wrong declaration loses.
    DeclareWin,
}

/// What a player says about its move. Everything may be missing; nothing of it is trusted, and adjudication is an option.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Worth of the position for the player itself, in its own unit: what its evaluator counts in, hundredths of a pawn over USI.
    pub value: Option<f32>,
    /// The moves it expects after its own, with blanks between them, at most [`EXPECTED_PLIES`](crate::expected::EXPECTED_PLIES).
    pub line: String,
    /// What it claims to have proven, for itself.
    pub proof: Option<Proof>,
    /// Simulations, where that is what it counts.
    pub simulations: Option<u64>,
    /// Nodes.
    pub nodes: Option<u64>,
    /// Positions that its evaluation judged.
    pub evaluations: Option<u64>,
    /// Depth in plies.
    pub depth: Option<u32>,
    /// How long it says it thought. The referee's own measurement decides.
    pub time: Option<Duration>,
    /// CPU time of the thread that asked it, by the referee's clock: all of a search on one thread, nothing of a program's.
    pub cpu: Option<Duration>,
}

/// Why no answer came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It answered with something that is no legal move: the game is lost.
    Illegal {
        /// What it wrote.
        text: String,
        /// Why that cannot be played.
        why: String,
    },
    /// It did not answer in time and was given up: the game is lost.
    Timeout {
        /// What it was waited for.
        waiting_for: String,
    },
    /// It died or broke the protocol in the middle of a game: the game is lost.
    Crash {
        /// What happened.
        why: String,
    },
    /// It cannot play at all (it does not start, it died before its first move, we are at fault): the game is void and is played again.
    Unavailable {
        /// What happened.
        why: String,
    },
    /// The match is being broken off; the game does not count.
    Stopped,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Illegal { text, why } => write!(f, "{text} cannot be played: {why}"),
            Fault::Timeout { waiting_for } => write!(f, "no answer in time: {waiting_for}"),
            Fault::Crash { why } | Fault::Unavailable { why } => f.write_str(why),
            Fault::Stopped => f.write_str("broken off"),
        }
    }
}

impl std::error::Error for Fault {}
