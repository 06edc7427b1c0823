//! A game under way, its type forgotten: text in, typed events out.

use std::io;
use std::time::Duration;

use yomi_core::{Color, Ending, Outcome, TextError};
use yomi_games::draw::Picture;
use yomi_search::Limits;
use yomi_search::tree::Explorer;

use crate::board::BoardReport;
use crate::control::{Clock, Control};
use crate::player::Player;
use crate::report::{Analysis, PositionReport};
use crate::tree::{TreeQuery, TreeReport};

/// A game under way. Object-safe, one call per move of a game or per question of a person; nothing behind it is compiled more than once per
/// game. [`crate::open`] makes one.
pub trait Session: Send {
    /// The name of the game: `go9`.
    fn game(&self) -> String;

    /// The game and the rules in force: `go9(komi=6.5)`.
    fn rules(&self) -> String;

    /// The same game as it stands, in a session of its own. Searches stay behind.
    fn fork(&self) -> Box<dyn Session>;

    /// The session's first position, in the game's own text.
    fn start(&self) -> String;

    /// The position as it stands, with its legal moves.
    fn position(&self) -> PositionReport;

    /// The side to move.
    fn turn(&self) -> Color;

    /// How the game has ended: by the rules, or as [`Session::end`] said.
    fn outcome(&self) -> Option<Outcome>;

    /// How a player ended the game.
    fn ending(&self) -> Option<Ending>;

    /// The count if the game ended here, where games are counted.
    fn score(&self) -> Option<String>;

    /// What the side to move gets if it declares a win now; none if it may not.
    fn declared(&self) -> Option<Outcome>;

    /// The moves played since the session's first position.
    fn moves(&self) -> Vec<String>;

    /// How many moves were played.
    fn plies(&self) -> usize;

    /// The legal moves; none if the game is over.
    fn legal_moves(&self) -> Vec<String>;

    /// The pass, where it is the only legal move.
    fn forced_pass(&self) -> Option<String>;

    /// Who was to move after the first `plies` moves, and whether that side had a choice (a forced pass is none).
    fn choice_at(&self, plies: usize) -> (Color, bool);

    /// What moves look like, for people who are asked for one.
    fn move_examples(&self) -> &'static str;

    /// A legal move, given in the game's own text, in all the forms a person may know.
    fn spoken(&self, mv: &str) -> Result<String, TextError>;

    /// How many places the board has, as a measure of how long a game lasts.
    fn places(&self) -> usize;

    /// Begins anew from a position in the game's own text, or from the start position of the rules.
    fn set_position(&mut self, position: Option<&str>) -> Result<(), TextError>;

    /// Plays moves in the game's own text, separated by spaces, and gives their number. An error names the move; nothing is played then.
    fn play_line(&mut self, moves: &str) -> Result<usize, TextError>;

    /// Plays a move as a person writes it.
    fn play(&mut self, text: &str) -> Result<MoveReport, TextError>;

    /// Takes moves back, and whatever ended the game.
    fn undo(&mut self, plies: usize) -> Result<(), TextError>;

    /// Ends the game by other means than a move: resignation, time, a declaration.
    fn end(&mut self, ending: Ending);

    /// The board, for [`yomi_games::draw::terminal`] and [`yomi_games::draw::svg`].
    fn picture(&self, marks: &MarkedMoves) -> Result<Picture, TextError>;

    /// The board and the legal moves as places on it, for front ends that draw it themselves.
    fn board(&self) -> BoardReport;

    /// Builds the search of a player, so that its errors are known before it thinks. `leads` as in the [`SearchRequest`] to come.
    fn prepare(&mut self, player: &Player, leads: bool) -> Result<(), TextError>;

    /// Thinks about the position. Events come on the calling thread while the search runs; `control` reaches it from any other. The search of
    /// a player is kept: the next one goes on where this one was.
    fn search(
        &mut self,
        request: &SearchRequest,
        control: &Control,
        events: &mut (dyn FnMut(Event) + Send),
    ) -> Result<Analysis, TextError>;

    /// Writes the tree of this player's last search, with notes from which `yomi tree` and [`Session::explore_tree`] know its game. False if
    /// there is none.
    fn save_tree(&self, player: &Player, out: &mut dyn io::Write) -> io::Result<bool>;

    /// Looks around in the tree of this player's last search; none if there is none.
    fn explore(&self, player: &Player, query: &TreeQuery) -> Result<Option<TreeReport>, TextError>;

    /// Looks around in a tree whose root is the position as it stands.
    fn explore_tree(&self, tree: &mut dyn Explorer, query: &TreeQuery) -> Result<TreeReport, TextError>;

    /// The game in the formats that games are saved in: file ending and bytes. `names` are the players, Black first.
    fn record(&self, names: [&str; 2]) -> Result<Vec<(&'static str, Vec<u8>)>, TextError>;
}

/// A move that was played.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MoveReport {
    /// The move in the game's own text.
    pub text: String,
    /// The move in all the forms a person may know.
    pub spoken: String,
    /// What the move means for the game, where that needs to be said: a pass.
    pub note: Option<String>,
}

/// What to point out on a board, by moves in the game's own text.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct MarkedMoves {
    /// Arrows: the move and its weight, 0 to 1.
    pub arrows: Vec<(String, f32)>,
    /// A heat map: the value of each move, shown where it ends.
    pub heat: Vec<(String, f32)>,
    /// Whether the moves played are numbered.
    pub numbers: bool,
}

/// What is asked of a search.
#[derive(Clone, Debug)]
pub struct SearchRequest {
    /// Who thinks; its budget is not looked at, `limits` are.
    pub player: Player,
    /// When to stop, and the seed.
    pub limits: Limits,
    /// The clock.
    pub clock: Clock,
    /// How often [`Event::Progress`] comes; never, if none.
    pub report_every: Option<Duration>,
    /// How many moves such a report has.
    pub report_rows: usize,
    /// Whether the result says by how many points a side leads, in games that are counted by playouts: it costs a little time.
    pub leads: bool,
}

impl SearchRequest {
    /// A search under these limits, without a clock and without reports.
    pub fn new(player: &Player, limits: Limits) -> SearchRequest {
        SearchRequest {
            player: player.clone(),
            limits,
            clock: Clock::Off,
            report_every: None,
            report_rows: 8,
            leads: false,
        }
    }
}

/// What happens while a search runs.
#[derive(Clone, PartialEq, Debug)]
pub enum Event {
    /// What it believes so far.
    Progress(Box<Analysis>),
    /// The answer to [`Control::explore`].
    Tree(Result<TreeReport, TextError>),
}
