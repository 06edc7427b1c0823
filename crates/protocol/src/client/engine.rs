//! What a referee sees of a program: text in, text out. No game is known here.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use yomi_core::Color;

use super::fault::{Fault, Phase, Reason};

/// A program that plays, whatever language it speaks.
///
/// The calls of a game: [`Engine::new_game`], then [`Engine::think`] at each of its turns, then [`Engine::game_over`]. After a fault
/// the program is of no further use: drop it and start another. Dropping it kills it; nothing it does makes a call wait for ever.
pub trait Engine: Send {
    /// What it calls itself.
    fn name(&self) -> &str;

    /// A new game begins.
    fn new_game(&mut self, setup: &Setup) -> Result<(), Fault>;

    /// It is your turn.
    fn think(&mut self, question: &Question<'_>) -> Result<Answer, Fault>;

    /// What it thinks the moves are worth, the best first, in a unit of its own. Nothing is played. Few programs support it.
    fn scores(&mut self, question: &Question<'_>) -> Result<Vec<(String, f32)>, Fault> {
        let _ = question;
        let why = format!("{} does not rate moves", self.name());
        Err(Fault { phase: Phase::Move, reason: Reason::Start(why), stderr: String::new() })
    }

    /// The game is over; that side won.
    fn game_over(&mut self, winner: Option<Color>) -> Result<(), Fault>;

    /// How the program's own count of a game that was counted differs from the referee's (`B+7.5`), and why, as far as that can be
    /// seen. None where they agree, and from programs that do not count. Asked after [`Engine::game_over`].
    fn count_difference(&mut self, referee: &str) -> Option<String> {
        let _ = referee;
        None
    }

    /// Says good-bye and waits a little. An error says that it had to be killed or ended badly.
    fn quit(&mut self) -> Result<(), Fault>;
}

/// A game before its first move, in words that every language can be fed from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Setup {
    /// The family: `shogi`, `go`.
    pub family: String,
    /// The game: `shogi`, `go9`.
    pub game: String,
    /// The game and its rules as they are typed, defaults left out: `go9(komi=7)`.
    pub rules: String,
    /// The position before the first move, as the game writes it (SFEN, rows of a board).
    pub position: String,
    /// Whether that is the position in which the game usually begins.
    pub standard: bool,
    /// Who moves first.
    pub first: Color,
    /// The side of the program.
    pub color: Color,
    /// For programs that take a seed.
    pub seed: u64,
}

/// What is left on a clock.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Clock {
    /// The time for all moves to come.
    pub left: Duration,
    /// What a move may take once that is used up.
    pub byoyomi: Duration,
    /// What each move adds.
    pub increment: Duration,
}

/// What a program is asked.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// All moves since the start.
    pub moves: &'a [String],
    /// Who is to move.
    pub turn: Color,
    /// Nodes it may look at.
    pub nodes: Option<u64>,
    /// Plies it may look ahead.
    pub depth: Option<u32>,
    /// How long it may take for this move.
    pub time: Option<Duration>,
    /// What both clocks show, if time is counted: Black's, White's.
    pub clocks: Option<[Clock; 2]>,
    /// How late the answer may be by those clocks.
    pub grace: Duration,
    /// Raised when the answer is wanted no more.
    pub stop: &'a AtomicBool,
}

impl Question<'_> {
    /// How long the answer may take at most by the time allowed, if it is limited by time.
    pub fn allowance(&self) -> Option<Duration> {
        let clock = self.clocks.map(|clocks| clocks[self.turn.index()]);
        let clock = clock.map(|clock| clock.left.saturating_add(clock.byoyomi).saturating_add(self.grace));
        clock.into_iter().chain(self.time).min()
    }
}

/// What a program answers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// What it does.
    pub action: Action,
    /// What it says about it.
    pub report: Report,
}

/// What a program does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Action {
    /// It plays: whether this is a legal move, or a move at all, is for the referee to find out.
    Move(String),
    /// It gives up.
    Resign,
    /// It declares a win.
    Win,
}

/// What a program says about its move. Nothing of it is trusted.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Report {
    /// Hundredths of a pawn, for itself.
    pub centipawns: Option<i64>,
    /// A mate it claims: whether it gives it, and in how many plies.
    pub mate: Option<(bool, Option<u32>)>,
    /// Nodes it looked at.
    pub nodes: Option<u64>,
    /// Plies it looked ahead.
    pub depth: Option<u32>,
    /// How long it says it thought.
    pub time: Option<Duration>,
    /// The line it expects.
    pub line: Vec<String>,
}
