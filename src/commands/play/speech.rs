//! Moves as people say them, beside the text that programs exchange, and what passing means.

use std::sync::Arc;

use yomi_core::{Notation, Position, TextError};
use yomi_games::blokus::BlokusMove;
use yomi_games::go::Go;
use yomi_games::othello::OthelloMove;
use yomi_games::shogi::records::{japanese_move_text, looks_japanese, parse_japanese_move};
use yomi_games::shogi::{Kind, Shogi, ShogiMove, Variant};
use yomi_protocol::server::forecast::{Forecaster, Playouts};
use yomi_search::Search;

use crate::games::{BlokusDuo, ConnectFour, Nim, Othello, TicTacToe};
use crate::players::{Playable, Player};

/// How a game is spoken of at the terminal.
pub(crate) trait Speech: Notation {
    /// What moves may look like, for help.
    const EXAMPLES: &'static str;

    /// A legal move in all the forms a person may know; `before` is the move before it.
    fn spoken(&self, mv: Self::Move, before: Option<Self::Move>) -> String {
        let _ = before;
        self.move_text(mv)
    }

    /// The legal move that a person means.
    fn understand(&self, text: &str, before: Option<Self::Move>) -> Result<Self::Move, TextError> {
        let _ = before;
        self.parse_move(text)
    }

    /// Whether a move is a pass.
    fn is_pass(mv: Self::Move) -> bool {
        let _ = mv;
        false
    }

    /// The search of a player, and who tells by how many points a side leads, where that is told.
    fn seated(player: &Player) -> Result<(Box<dyn Search<Self>>, Option<Arc<dyn Forecaster<Self>>>), TextError>
    where
        Self: Playable,
    {
        Ok((player.build()?, None))
    }

    /// What a pass that led here means for the game.
    fn pass_note(&self) -> String {
        String::new()
    }
}

impl Speech for TicTacToe {
    const EXAMPLES: &'static str = "the number of a square, 1 to 9";
}

impl Speech for ConnectFour {
    const EXAMPLES: &'static str = "the number of a column, 1 to 7";
}

impl Speech for Nim {
    const EXAMPLES: &'static str = "how many to take: 1, 2 or 3";
}

impl<const LEN: usize> Speech for Go<LEN> {
    const EXAMPLES: &'static str = "a point such as D4, or pass";

    fn is_pass(mv: Self::Move) -> bool {
        mv.vertex().is_none()
    }

    fn seated(player: &Player) -> Result<(Box<dyn Search<Self>>, Option<Arc<dyn Forecaster<Self>>>), TextError>
    where
        Self: Playable,
    {
        let mut heard = None;
        let search = player.build_observed(&mut |evaluator| {
            let (playouts, audible) = Playouts::of(evaluator);
            heard = Some(playouts as Arc<dyn Forecaster<Self>>);
            audible
        })?;
        Ok((search, heard))
    }

    fn pass_note(&self) -> String {
        let count = self.score_text().unwrap_or_default();
        if self.passes() >= 2 {
            return "Both sides have passed: the board is counted as it stands.".to_string();
        }
        format!(
            "A second pass in a row ends the game, and the board is counted as it stands ({count} now). \
             Stones that cannot live but were not captured count as alive: capture them before you pass."
        )
    }
}

impl Speech for Othello {
    const EXAMPLES: &'static str = "a square such as f5, or pass";

    fn is_pass(mv: OthelloMove) -> bool {
        mv == OthelloMove::PASS
    }

    fn pass_note(&self) -> String {
        "Passing is forced in Othello: no disc flipped anything. The other side plays on.".to_string()
    }
}

impl Speech for BlokusDuo {
    const EXAMPLES: &'static str = "the squares of a piece such as e9,d10,e10,f10,e11, or a code such as 56t2";

    fn spoken(&self, mv: BlokusMove, _before: Option<BlokusMove>) -> String {
        match mv.piece() {
            Some(piece) => format!("{} ({}, piece {})", mv.points(), mv.code(), piece.name()),
            None => "pass".to_string(),
        }
    }

    fn is_pass(mv: BlokusMove) -> bool {
        mv.piece().is_none()
    }

    fn pass_note(&self) -> String {
        "Nobody passes by choice in Blokus: no piece that is left fits anywhere. The other side plays on.".to_string()
    }
}

impl<V: Variant> Speech for Shogi<V> {
    const EXAMPLES: &'static str = "7g7f, ７六歩, 76歩, P-7f or P7g-7f; drops P*5e or ５五歩打; + or 成 promotes";

    fn spoken(&self, mv: ShogiMove, before: Option<ShogiMove>) -> String {
        let japanese = japanese_move_text(self, mv, before.map(ShogiMove::to));
        format!("{} ({}, {})", japanese.replace('　', ""), western(self, mv), self.move_text(mv))
    }

    fn understand(&self, text: &str, before: Option<ShogiMove>) -> Result<ShogiMove, TextError> {
        if looks_japanese(text) {
            return parse_japanese_move(self, text, before.map(ShogiMove::to));
        }
        if text.starts_with(['+', 'K', 'R', 'B', 'G', 'S', 'N', 'L', 'P']) && !text.contains('*') {
            return parse_western(self, text);
        }
        self.parse_move(text)
    }
}

/// A move in Western notation: `P-7f`, `Sx3c+`, `G6i-5h`, `P*5e`; `=` declines a promotion.
fn western<V: Variant>(position: &Shogi<V>, mv: ShogiMove) -> String {
    let to = mv.to();
    let Some(from) = mv.from() else { return position.move_text(mv) };
    let name = position.piece_at(from).map_or(String::new(), |piece| letters(piece.kind));
    let mut legal = Vec::new();
    position.generate(&mut legal);
    let rival = |other: &ShogiMove| {
        let same =
            other.from().and_then(|from| position.piece_at(from)).is_some_and(|piece| letters(piece.kind) == name);
        same && other.to() == to && other.from() != Some(from)
    };
    let origin = if legal.iter().any(rival) { from.text::<V>() } else { String::new() };
    let sign = if position.piece_at(to).is_some() { "x" } else { "-" };
    let promotion = match mv.promotes() {
        true => "+",
        false if position.is_legal(ShogiMove::promoting(from, to)) => "=",
        false => "",
    };
    format!("{name}{origin}{sign}{}{promotion}", to.text::<V>())
}

/// The letters of a piece: `P`, `+R`.
fn letters(kind: Kind) -> String {
    let plus = if kind == kind.plain() { "" } else { "+" };
    format!("{plus}{}", kind.letter())
}

/// The legal move that a Western text means. Signs between piece and square may be left out, ranks may be digits.
fn parse_western<V: Variant>(position: &Shogi<V>, text: &str) -> Result<ShogiMove, TextError> {
    let bare = |text: &str| text.replace(['-', 'x', '='], "");
    let digits = |square: String| {
        let rank = square.as_bytes().get(1).map_or(0, |rank| rank - b'a' + 1);
        format!("{}{rank}", &square[..1])
    };
    let wanted = bare(text);
    let mut legal = Vec::new();
    position.generate(&mut legal);
    let fits = |mv: &ShogiMove| {
        let Some((from, piece)) = mv.from().and_then(|from| Some((from, position.piece_at(from)?))) else {
            return false;
        };
        let (from, to) = (from.text::<V>(), mv.to().text::<V>());
        let suffix = if mv.promotes() { "+" } else { "" };
        let name = letters(piece.kind);
        let forms = [
            format!("{name}{to}{suffix}"),
            format!("{name}{from}{to}{suffix}"),
            format!("{name}{}{suffix}", digits(to.clone())),
            format!("{name}{}{}{suffix}", digits(from), digits(to)),
        ];
        forms.contains(&wanted)
    };
    legal.retain(fits);
    match legal[..] {
        [mv] => Ok(mv),
        [] => Err(TextError::at(text, 0, format!("{text} is no legal move here"))),
        _ => {
            let names: Vec<String> = legal.iter().map(|&mv| position.move_text(mv)).collect();
            Err(TextError::at(text, 0, format!("{text} may be {}", names.join(" or "))))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::{Go9, Minishogi, Shogi9};
    use yomi_core::Spec;

    #[test]
    fn shogi_is_understood_in_three_languages() {
        let mut position = Shogi9::default();
        let mut before = None;
        for (usi, spoken, typed) in [
            ("7g7f", "７六歩 (P-7f, 7g7f)", &["７六歩", "76歩", "P-7f", "P7f", "P7g-7f", "P-76", "P77-76"][..]),
            ("3c3d", "３四歩 (P-3d, 3c3d)", &["△３四歩", "P-3d"]),
            ("8h2b+", "２二角成 (Bx2b+, 8h2b+)", &["22角成", "Bx2b+", "B8hx2b+", "Bx22+"]),
            ("3a2b", "同銀 (Sx2b, 3a2b)", &["同銀", "同　銀", "Sx2b", "Sx22"]),
            ("B*4e", "４五角 (B*4e, B*4e)", &["４五角打", "45角", "B*4e"]),
        ] {
            let mv = position.parse_move(usi).unwrap();
            assert_eq!(position.spoken(mv, before), spoken);
            for text in typed {
                assert_eq!(position.understand(text, before).unwrap(), mv, "{text}");
            }
            position.play(mv);
            before = Some(mv);
        }
    }

    #[test]
    fn rivals_are_told_apart() {
        let position = Shogi9::default();
        let gold = position.parse_move("4i5h").unwrap();
        assert_eq!(position.spoken(gold, None), "５八金右 (G4i-5h, 4i5h)");
        assert_eq!(position.understand("5八金右", None).unwrap(), gold);
        let error = position.understand("G-5h", None).unwrap_err().to_string();
        assert!(error.contains("may be 6i5h or 4i5h") || error.contains("may be 4i5h or 6i5h"), "{error}");
        assert!(position.understand("Q-5h", None).unwrap_err().to_string().contains("a move looks like 7g7f"));
        assert!(position.understand("R-5e", None).unwrap_err().to_string().contains("no legal move here"));
    }

    #[test]
    fn every_move_of_random_positions_can_be_said_and_heard() {
        let mut rng = yomi_core::Seed::new(5).rng();
        for _ in 0..20 {
            let (mut position, mut before, mut legal) = (Minishogi::default(), None, Vec::new());
            for _ in 0..60 {
                if position.generate(&mut legal).is_some() {
                    break;
                }
                for &mv in &legal {
                    let spoken = position.spoken(mv, before);
                    let (japanese, rest) = spoken.split_once(" (").unwrap();
                    let (western, usi) = rest.trim_end_matches(')').split_once(", ").unwrap();
                    for text in [japanese, western, usi] {
                        assert_eq!(position.understand(text, before).unwrap(), mv, "{text} in {}", position.sfen());
                    }
                }
                let mv = legal[rng.below(legal.len())];
                position.play(mv);
                before = Some(mv);
            }
        }
    }

    #[test]
    fn passes_are_explained() {
        let mut position = Go9::start(&Spec::parse("go9").unwrap()).unwrap();
        let pass = position.understand("pass", None).unwrap();
        assert!(Go9::is_pass(pass) && !Go9::is_pass(position.understand("d4", None).unwrap()));
        position.play(pass);
        assert!(position.pass_note().contains("ends the game") && position.pass_note().contains("W+7.5"));
        position.play(pass);
        assert!(position.pass_note().contains("counted as it stands"));
    }
}
