//! What people and protocols type: games by name, USI moves, USI `position` lines.

use yomi_core::{Line, Notation, Position, Rule, Spec, TextError};

use super::moves::ShogiMove;
use super::piece::Kind;
use super::position::Shogi;
use super::rules::{self, Rules};
use super::sfen::words;
use super::square::Square;
use super::variant::Variant;

impl<V: Variant> Notation for Shogi<V> {
    const RULES: &'static [Rule] = V::RULES;

    fn start(spec: &Spec) -> Result<Self, TextError> {
        let rules = Rules::from_spec::<V>(spec)?;
        let sfen = rules::start_sfen::<V>(spec)?;
        spec.reject_unused_of(Self::RULES.iter().map(Rule::line))?;
        Self::from_sfen_with(sfen, rules)
    }

    /// A handicap is a start position, not a rule, so it is not named here.
    fn rules(&self) -> String {
        self.choices().text::<V>()
    }

    fn parse_position(&self, text: &str) -> Result<Self, TextError> {
        Self::from_sfen_with(text, self.choices())
    }

    fn position_text(&self) -> String {
        self.sfen()
    }

    fn parse_move(&self, text: &str) -> Result<ShogiMove, TextError> {
        let shape = || TextError::at(text, 0, format!("a move looks like {}", V::USI_EXAMPLES));
        let mv = read_move::<V>(text).ok_or_else(shape)?;
        if self.is_legal(mv) {
            return Ok(mv);
        }
        let reason = self.judge(mv).err().map_or("it is not legal".to_string(), |illegal| illegal.to_string());
        Err(TextError::at(text, 0, format!("{text} is illegal: {reason}")))
    }

    fn move_text(&self, mv: ShogiMove) -> String {
        let to = mv.to().text::<V>();
        match (mv.from(), mv.dropped()) {
            (Some(from), _) => format!("{}{to}{}", from.text::<V>(), if mv.promotes() { "+" } else { "" }),
            (None, Some(kind)) => format!("{}*{to}", kind.letter()),
            (None, None) => "?".to_string(),
        }
    }
}

/// The move that a text in USI describes, legal or not.
fn read_move<V: Variant>(text: &str) -> Option<ShogiMove> {
    if !text.is_ascii() || !(4..=5).contains(&text.len()) {
        return None;
    }
    let to = Square::parse::<V>(&text[2..4])?;
    if let &[letter, b'*', _, _] = text.as_bytes() {
        let kind = Kind::from_letter(letter as char).filter(|k| letter.is_ascii_uppercase() && k.index() < 7)?;
        return Some(ShogiMove::drop(kind, to));
    }
    let from = Square::parse::<V>(&text[..2])?;
    match &text[4..] {
        "" => Some(ShogiMove::new(from, to)),
        "+" => Some(ShogiMove::promoting(from, to)),
        _ => None,
    }
}

impl<V: Variant> Shogi<V> {
    /// Reads `[position] startpos|sfen ... [moves ...]` under the rules of `self`. An error names the move that is wrong and says
    /// why.
    pub fn parse_line(&self, text: &str) -> Result<Line<Self>, TextError> {
        let mut words = words(text).peekable();
        let _ = words.next_if(|&(_, word)| word == "position");
        let begin = words.peek().map_or(text.len(), |&(offset, _)| offset);
        let mut end = begin;
        while let Some((offset, word)) = words.next_if(|&(_, word)| word != "moves") {
            end = offset + word.len();
        }
        let start = self
            .parse_position(&text[begin..end])
            .map_err(|e| TextError::at(text, begin + e.column.saturating_sub(1), e.message))?;
        let mut line = Line::new(start);
        for (index, (offset, word)) in words.skip(1).enumerate() {
            let mv = line.position().parse_move(word);
            line.play(mv.map_err(|e| TextError::at(text, offset, format!("move {}: {}", index + 1, e.message)))?);
        }
        Ok(line)
    }
}

#[cfg(test)]
mod tests {
    use crate::shogi::{Minishogi, Shogi9};
    use yomi_core::{Color, Position, TextError};

    fn refused(line: &str) -> TextError {
        Shogi9::default().parse_line(line).err().unwrap_or_else(|| panic!("{line} is accepted"))
    }

    #[test]
    fn position_lines() {
        let start = Shogi9::default();
        for line in ["startpos", "position startpos", " position  startpos moves ", "startpos moves"] {
            assert_eq!(start.parse_line(line).expect(line).position(), &start);
        }
        let line = start.parse_line("position startpos moves 7g7f 3c3d 8h2b+").expect("line");
        assert_eq!((line.len(), line.position().number()), (3, 4));
        let sfen = line.position().sfen();
        assert_eq!(sfen, "lnsgkgsnl/1r5+B1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/7R1/LNSGKGSNL w B 4");
        let again = start.parse_line(&format!("position sfen {sfen} moves 3a2b B*5e")).expect("line");
        assert_eq!((again.position().turn(), again.position().number()), (Color::White, 6));
        let mini = Minishogi::default().parse_line("startpos moves 4e4d").expect("line");
        assert_eq!(mini.position().sfen(), "rbsgk/4p/5/PG3/K1SBR w - 2");
    }

    #[test]
    fn illegal_moves_are_explained() {
        for (line, message, column) in [
            ("startpos moves 7g7f 7g7f", "move 2: 7g7f is illegal: there is no piece on that square", 21),
            ("startpos moves 3c3d", "move 1: 3c3d is illegal: that piece belongs to the other side", 16),
            ("startpos moves 2h7h 3c3d 7h7g", "move 3: 7h7g is illegal: a piece of the same side stands there", 26),
            ("startpos moves 8h2b+", "move 1: 8h2b+ is illegal: the piece does not move there", 16),
            (
                "startpos moves 7g7f+",
                "move 1: 7g7f+ is illegal: the move neither begins nor ends in the promotion zone",
                16,
            ),
            ("startpos moves 5i5h+", "move 1: 5i5h+ is illegal: that piece does not promote", 16),
            ("startpos moves P*5e", "move 1: P*5e is illegal: there is no such piece in hand", 16),
            ("startpos moves 7g7", "move 1: a move looks like 7g7f, 8h2b+ or P*5e", 16),
            (
                "sfen 4k4/9/9/9/9/9/4P4/9/4K4 b P 1 moves P*5c",
                "move 1: P*5c is illegal: there is another pawn in that file (nifu)",
                42,
            ),
            (
                "sfen 4k4/9/9/9/9/9/9/9/4K4 b NP 1 moves P*5a",
                "move 1: P*5a is illegal: pieces are dropped on empty squares only",
                41,
            ),
            (
                "sfen 4k4/9/9/9/9/9/9/9/4K4 b N 1 moves N*1b",
                "move 1: N*1b is illegal: a piece dropped there could never move again",
                40,
            ),
            (
                "sfen 4k4/P8/9/9/9/9/9/9/4K4 b - 1 moves 9b9a",
                "move 1: 9b9a is illegal: the piece must promote, for it could never move again",
                41,
            ),
            (
                "sfen 4k4/9/9/9/4r4/9/9/4G4/4K4 b - 1 moves 5h4h",
                "move 1: 5h4h is illegal: the king would stand in check",
                44,
            ),
            (
                "sfen 8k/9/7+RG/9/9/9/9/9/4K4 b P 1 moves P*1b",
                "move 1: P*1b is illegal: a dropped pawn may not mate (uchifuzume)",
                42,
            ),
        ] {
            let error = refused(line);
            assert_eq!((error.message.as_str(), error.column), (message, column), "{line}");
        }
    }

    #[test]
    fn wrong_positions_are_pointed_at() {
        assert_eq!(refused("position").column, 9);
        assert_eq!(refused("position sfen 9/9/9/9/9/9/9/9/9 x - 1 moves").column, 33);
        assert_eq!(refused("position startpos move 7g7f").column, 19);
        assert_eq!(refused("position moves 7g7f").column, 10);
    }
}
