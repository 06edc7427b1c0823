//! The one list of games. Everything that exists once per game is generated from it: names, players, arenas, sessions.

use yomi_core::{Notation, Rule, Spec, TextError};

/// Calls the macro `$callback!` with the list of games, one `TYPE, KNOWLEDGE, [NAMES], SUMMARY;` each, in the order people see them;
/// further arguments come first, in brackets.
///
/// `KNOWLEDGE` is what yomi-players knows of the game: `playouts` needs nothing there, the game is judged by playing it out; `own` has a
/// file of its own with its evaluations.
#[macro_export]
macro_rules! for_each_game {
    ($callback:ident $(, $argument:tt)*) => {
        $callback! {
            [$($argument)*]
            $crate::shogi::Shogi9, own, ["shogi"], "shogi on nine by nine squares";
            $crate::shogi::Minishogi, own, ["minishogi"], "5五将棋: shogi on five by five squares";
            $crate::go::Go9, own, ["go9", "go8", "go7", "go6", "go5", "go4", "go3", "go2"], "Go on small boards";
            $crate::go::Go13, own, ["go13", "go12", "go11", "go10"], "Go on middling boards";
            $crate::go::Go19, own, ["go19", "go18", "go17", "go16", "go15", "go14"], "Go on large boards";
            $crate::blokus::BlokusDuo, own, ["blokus-duo"], "Blokus Duo: 21 pieces per side on fourteen by fourteen squares";
            $crate::othello::Othello, playouts, ["othello"], "Othello on eight by eight squares";
            $crate::toys::TicTacToe, playouts, ["tic-tac-toe"], "three in a row (for trying things out)";
            $crate::toys::ConnectFour, playouts, ["connect-four"], "four in a row, seven columns (for trying things out)";
            $crate::toys::Nim, playouts, ["nim"], "take one, two or three (for trying things out)";
        }
    };
}

/// Evaluates `$body` with `$start` as the start position of the game that `$spec` names, a value of its own type: the one place where a name
/// becomes a type. Returns early with an error if there is no such game or no such rules.
///
/// ```
/// use yomi_core::{Notation, Position, Spec, TextError};
///
/// fn moves(game: &str) -> Result<usize, TextError> {
///     yomi_games::with_game!(&Spec::parse(game)?, |start| {
///         let mut moves = Vec::new();
///         start.generate(&mut moves);
///         Ok(moves.len())
///     })
/// }
/// assert_eq!(moves("minishogi").unwrap(), 14);
/// assert_eq!(moves("go5(ko=simple)").unwrap(), 26);
/// assert!(moves("chess").unwrap_err().to_string().contains("chess"));
/// ```
#[macro_export]
macro_rules! with_game {
    ($spec:expr, |$start:ident| $body:expr) => {{
        use $crate::match_game as __match_game;
        $crate::for_each_game!(__match_game, $spec, $start, $body)
    }};
}

/// The `match` of [`with_game!`].
#[doc(hidden)]
#[macro_export]
macro_rules! match_game {
    ([$spec:tt $start:tt $body:tt] $( $type:ty, $knowledge:ident, [$($name:literal),+], $summary:literal; )+) => {{
        let spec: &$crate::Spec = $spec;
        match spec.name.as_str() {
            $( $($name)|+ => {
                let $start = <$type as $crate::Notation>::start(spec)?;
                $body
            } )+
            _ => return Err($crate::unknown_game(spec).into()),
        }
    }};
}

/// [`with_game!`] for the games that more is known of than how to play them out (`own` in the list): those that learners and networks learn.
/// For every other name, `$refuse` makes the error of the `Spec`.
#[macro_export]
macro_rules! with_known_game {
    ($spec:expr, |$start:ident| $body:expr, $refuse:expr) => {{
        use $crate::match_known_game as __match_known_game;
        $crate::for_each_game!(__match_known_game, $spec, $start, $body, $refuse)
    }};
}

/// The `match` of [`with_known_game!`].
#[doc(hidden)]
#[macro_export]
macro_rules! match_known_game {
    ([$spec:tt $start:tt $body:tt $refuse:tt] $( $type:ty, $knowledge:ident, [$($name:literal),+], $summary:literal; )+) => {{
        let spec: &$crate::Spec = $spec;
        match spec.name.as_str() {
            $( $($name)|+ => $crate::known_game!($knowledge, $type, spec, $start, $body, $refuse), )+
            _ => return Err($refuse(spec).into()),
        }
    }};
}

/// An arm of [`with_known_game!`].
#[doc(hidden)]
#[macro_export]
macro_rules! known_game {
    (own, $type:ty, $spec:expr, $start:ident, $body:expr, $refuse:expr) => {{
        let $start = <$type as $crate::Notation>::start($spec)?;
        $body
    }};
    (playouts, $type:ty, $spec:expr, $start:ident, $body:expr, $refuse:expr) => {
        return Err($refuse($spec).into())
    };
}

/// Evaluates `$body` with `$board` as the board of the shogi of this name, for what is about shogi and minishogi alone; `$refuse` answers for
/// every other name.
///
/// ```
/// use yomi_games::shogi::Variant;
///
/// let size = |name: &str| yomi_games::with_shogi!(name, |V| Some(V::SIZE), other => { let _ = other; None });
/// assert_eq!([size("shogi"), size("minishogi"), size("go9")], [Some(9), Some(5), None]);
/// ```
#[macro_export]
macro_rules! with_shogi {
    ($name:expr, |$board:ident| $body:expr, $other:ident => $refuse:expr) => {
        match $name {
            "shogi" => {
                type $board = $crate::shogi::Nine;
                $body
            }
            "minishogi" => {
                type $board = $crate::shogi::Five;
                $body
            }
            $other => $refuse,
        }
    };
}

/// Games of one type: one line of the list.
pub struct Family {
    /// The names it answers to, the usual one first.
    pub names: &'static [&'static str],
    /// A few words for people.
    pub summary: &'static str,
    /// What may be chosen in the rules.
    pub rules: &'static [Rule],
    /// Whether more is known of it than how to play it out.
    pub known: bool,
}

macro_rules! known {
    (own) => {
        true
    };
    (playouts) => {
        false
    };
}

macro_rules! families {
    ([] $( $type:ty, $knowledge:ident, [$($name:literal),+], $summary:literal; )+) => {
        /// Every game, in the order of the list.
        pub const FAMILIES: &[Family] = &[$(
            Family {
                names: &[$($name),+],
                summary: $summary,
                rules: <$type as Notation>::RULES,
                known: known!($knowledge),
            },
        )+];
    };
}
for_each_game!(families);

/// The names of all games.
pub fn game_names() -> impl Iterator<Item = &'static str> {
    FAMILIES.iter().flat_map(|family| family.names).copied()
}

/// The usual names of the games that [`with_known_game!`] is for.
pub fn known_game_names() -> impl Iterator<Item = &'static str> {
    FAMILIES.iter().filter(|family| family.known).map(|family| family.names[0])
}

/// The error for a name that is no game's.
pub fn unknown_game(spec: &Spec) -> TextError {
    spec.unknown("a game", game_names())
}
