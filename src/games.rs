//! The one place where the name of a game becomes a type.

use anyhow::{Context, bail};
pub(crate) use yomi_core::toy::{ConnectFour, Nim, TicTacToe};
use yomi_core::{Line, Notation, Rule, Simulate, Spec};
pub(crate) use yomi_games::blokus::BlokusDuo;
use yomi_games::draw::Draw;
pub(crate) use yomi_games::go::{Go9, Go13, Go19};
pub(crate) use yomi_games::othello::Othello;
pub(crate) use yomi_games::shogi::{Minishogi, Shogi9};

use crate::known;

/// What the program needs of a game.
pub(crate) trait Game: Notation + Simulate + Draw {}
impl<P: Notation + Simulate + Draw> Game for P {}

/// A family of games of one type.
pub(crate) struct Family {
    /// The names it answers to, the usual one first.
    pub(crate) names: &'static [&'static str],
    pub(crate) summary: &'static str,
    pub(crate) rules: &'static [Rule],
}

/// Declares the games once: the list for people, and the match that picks the type.
macro_rules! games {
    ($( $type:ident, [$($name:literal),+], $summary:literal; )+) => {
        /// Every game, in the order they are listed.
        pub(crate) const FAMILIES: &[Family] = &[$(
            Family { names: &[$($name),+], summary: $summary, rules: <$type as Notation>::RULES },
        )+];

        /// Calls `$body` with the start position of the game that `spec` names, as a value of its own type.
        macro_rules! with_game {
            ($spec:expr, |$start:ident| $body:expr) => {{
                let spec: &yomi_core::Spec = $spec;
                match spec.name.as_str() {
                    $( $($name)|+ => { let $start = <$crate::games::$type as yomi_core::Notation>::start(spec)?; $body } )+
                    _ => return Err($crate::games::unknown(spec)),
                }
            }};
        }
    };
}

games! {
    Shogi9, ["shogi"], "shogi on nine by nine squares";
    Minishogi, ["minishogi"], "5五将棋: shogi on five by five squares";
    Go9, ["go9", "go8", "go7", "go6", "go5", "go4", "go3", "go2"], "Go on small boards";
    Go13, ["go13", "go12", "go11", "go10"], "Go on middling boards";
    Go19, ["go19", "go18", "go17", "go16", "go15", "go14"], "Go on large boards";
    BlokusDuo, ["blokus-duo"], "Blokus Duo: 21 pieces a side on fourteen by fourteen squares";
    Othello, ["othello"], "Othello on eight by eight squares";
    TicTacToe, ["tic-tac-toe"], "three in a row (for trying things out)";
    ConnectFour, ["connect-four"], "four in a row, seven columns (for trying things out)";
    Nim, ["nim"], "take one, two or three (for trying things out)";
}
#[allow(clippy::single_component_path_imports, reason = "this is how a macro becomes an item")]
pub(crate) use with_game;

/// The names of all games.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    FAMILIES.iter().flat_map(|family| family.names).copied()
}

/// The error for a name that is no game's.
pub(crate) fn unknown(spec: &Spec) -> anyhow::Error {
    spec.unknown("a game", names()).into()
}

/// Where a command starts from: shared by all that take a position.
#[derive(clap::Args)]
pub(crate) struct PositionArgs {
    /// The game and its rules: shogi, minishogi, go9, go13, go19 (goN), blokus-duo; see `yomi games`
    #[arg(long, short, value_name = "GAME", value_parser = known::game(), hide_possible_values = true)]
    pub(crate) game: Spec,
    /// The position in the game's own text (SFEN for shogi); the start position if left out
    #[arg(long, short, value_name = "TEXT")]
    pub(crate) position: Option<String>,
    /// Moves to play from there, separated by spaces
    #[arg(long, short, value_name = "MOVES")]
    pub(crate) moves: Option<String>,
}

impl PositionArgs {
    /// The position before the first move.
    pub(crate) fn begin<P: Game>(&self, start: P) -> anyhow::Result<P> {
        match &self.position {
            None => Ok(start),
            Some(text) => start.parse_position(text).context("--position"),
        }
    }

    /// The line that the arguments describe, given the start position of their game.
    pub(crate) fn line<P: Game>(&self, start: P) -> anyhow::Result<(Line<P>, Vec<P::Move>)> {
        let mut line = Line::new(self.begin(start)?);
        let mut played = Vec::new();
        for (i, word) in self.moves.iter().flat_map(|m| m.split_whitespace()).enumerate() {
            let mv = line.position().parse_move(word).with_context(|| format!("--moves, move {}", i + 1))?;
            if !line.is_legal(mv) {
                bail!("--moves, move {}: {word} is forbidden by what was played before, or the game is over", i + 1);
            }
            line.play(mv);
            played.push(mv);
        }
        Ok((line, played))
    }
}
