//! What people and protocols type and read.

use crate::hint::parameter_line;
use crate::position::Position;
use crate::spec::Spec;
use crate::text::TextError;

/// One choice among the variants of a game's rules, for help pages and error messages.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The parameter: `komi`.
    pub key: &'static str,
    /// What may stand after the equals sign: `a number in halves`, `draw | first-loses`.
    pub values: &'static str,
    /// The value in force when the parameter is left out.
    pub default: &'static str,
    /// What it decides.
    pub meaning: &'static str,
}

impl Rule {
    /// The rule in a line, for errors about rules that do not exist.
    pub fn line(&self) -> String {
        parameter_line(self.key, self.default, self.values, self.meaning)
    }
}

/// The text of a game.
///
/// *Laws*: a move's text read back gives the move; a position's text read back gives a position of the same key; no text makes a
/// parser panic.
pub trait Notation: Position {
    /// What may be chosen in the rules.
    const RULES: &'static [Rule];

    /// The start position of the game and rules named: `go9(komi=6.5)`.
    fn start(spec: &Spec) -> Result<Self, TextError>;

    /// The game and the rules in force, as [`Notation::start`] reads them; rules at their default are left out.
    fn rules(&self) -> String;

    /// The position that `text` describes, under the rules of `self`.
    fn parse_position(&self, text: &str) -> Result<Self, TextError>;

    /// This position in the game's own text form (SFEN, …), which [`Notation::parse_position`] reads.
    fn position_text(&self) -> String;

    /// The legal move that `text` describes in this position. A well-formed but illegal move is an error that says why.
    fn parse_move(&self, text: &str) -> Result<Self::Move, TextError>;

    /// A legal move of this position in the game's own text form.
    fn move_text(&self, mv: Self::Move) -> String;

    /// The count if the game ended here, where games are counted: `B+7.5`, `W+10`, `0`.
    fn score_text(&self) -> Option<String> {
        None
    }
}
