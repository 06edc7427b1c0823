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
    const RULES: &'static [Rule] = rules::RULES;

    fn start(spec: &Spec) -> Result<Self, TextError> {
        let rules = Rules::from_spec::<V>(spec)?;
        let sfen = rules::start_sfen::<V>(spec)?;
        spec.reject_unused()?;
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
        let mv = read_move::<V>(text).ok_or_else(|| TextError::at(text, 0, "a move looks like 7g7f, 8h2b+ or P*5e"))?;
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
