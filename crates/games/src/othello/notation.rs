//! Moves and positions as text.
//!
//! A move is its square, columns `a` to `h` from the left and rows `1` to `8` from the top: `f5`; a pass is `pass`. A position is its
//! sixty-four squares from a1 to h8, `X` for Black, `O` for White, `-` for an empty square, and the side to move, as the problem files of
//! other programs have it: `---------------------------OX------XO--------------------------- X`.

use yomi_core::{Color, Notation, Position, Rule, Spec, TextError};

use super::moves::OthelloMove;
use super::position::Othello;

impl Notation for Othello {
    const RULES: &'static [Rule] = &[];

    fn start(spec: &Spec) -> Result<Self, TextError> {
        if spec.name != Self::NAME {
            return Err(spec.error(format!("the game is called {}", Self::NAME)));
        }
        spec.reject_unused_of(Self::RULES.iter().map(Rule::line))?;
        Ok(Othello::default())
    }

    fn rules(&self) -> String {
        Self::NAME.to_string()
    }

    fn parse_position(&self, text: &str) -> Result<Self, TextError> {
        let mut discs = [0; 2];
        let mut turn = None;
        let mut square = 0;
        for (offset, c) in text.char_indices() {
            let error = |message: &str| TextError::at(text, offset, message);
            let side = match c {
                ' ' | ';' => continue,
                'X' | 'x' | '*' | 'B' | 'b' => Some(Color::Black),
                'O' | 'o' | 'W' | 'w' => Some(Color::White),
                '-' | '.' if square < 64 => None,
                _ if square < 64 => return Err(error("a square is X, O or -")),
                _ => return Err(error("the side to move is X or O")),
            };
            match (square, side) {
                (64, _) if turn.is_some() => return Err(error("nothing more was expected here")),
                (64, _) => turn = side,
                (_, None) => square += 1,
                (_, Some(side)) => {
                    discs[side.index()] |= 1 << square;
                    square += 1;
                }
            }
        }
        if square < 64 {
            return Err(TextError::at(text, text.len(), format!("a board has 64 squares, and here are {square}")));
        }
        let turn = turn.ok_or_else(|| TextError::at(text, text.len(), "the side to move is missing: X or O"))?;
        Ok(Othello { discs, turn })
    }

    fn position_text(&self) -> String {
        let letter = |side: Option<Color>| match side {
            Some(Color::Black) => 'X',
            Some(Color::White) => 'O',
            None => '-',
        };
        let squares: String = (0..64).map(|square| letter(self.at(square))).collect();
        format!("{squares} {}", letter(Some(self.turn)))
    }

    fn parse_move(&self, text: &str) -> Result<OthelloMove, TextError> {
        let mv = read_move(text)
            .ok_or_else(|| TextError::at(text, 0, "a move is a square such as f5, from a1 to h8, or pass"))?;
        if self.is_legal(mv) { Ok(mv) } else { Err(TextError::at(text, 0, self.why_not(mv))) }
    }

    fn move_text(&self, mv: OthelloMove) -> String {
        mv.to_string()
    }

    /// Discs on the board; empty squares do not count.
    fn score_text(&self) -> Option<String> {
        Some(match self.margin() {
            0 => "0".to_string(),
            margin if margin > 0 => format!("B+{margin}"),
            margin => format!("W+{}", -margin),
        })
    }
}

/// `f5`, `F5`, `pass`, `ps`, `--`.
pub(super) fn read_move(text: &str) -> Option<OthelloMove> {
    match text.as_bytes() {
        [column, row @ b'1'..=b'8'] if (b'a'..=b'h').contains(&column.to_ascii_lowercase()) => {
            Some(OthelloMove::at(8 * (row - b'1') + (column.to_ascii_lowercase() - b'a')))
        }
        b"--" => Some(OthelloMove::PASS),
        _ if ["pass", "ps", "pa"].iter().any(|word| text.eq_ignore_ascii_case(word)) => Some(OthelloMove::PASS),
        _ => None,
    }
}

impl Othello {
    /// Why a move that [`Position::is_legal`] refuses is not legal.
    pub(super) fn why_not(&self, mv: OthelloMove) -> String {
        let taken = mv.square().and_then(|square| self.at(square));
        if self.ended(&mut Vec::new()).is_some() {
            "the game is over".to_string()
        } else if mv == OthelloMove::PASS {
            "there is a move, so passing is not allowed".to_string()
        } else if taken.is_some() {
            format!("{mv} is taken")
        } else if self.legal(self.turn) == 0 {
            "no disc flips anything here: pass".to_string()
        } else {
            format!("a disc on {mv} flips nothing")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_read_as_others_write_them() {
        let start = Othello::default();
        let text = "---------------------------OX------XO--------------------------- X";
        assert_eq!(start.position_text(), text);
        for same in [text.to_string(), text.replace('X', "*").replace('-', "."), format!("{text};")] {
            assert_eq!(start.parse_position(&same).unwrap(), start, "{same}");
        }
        for (wrong, column) in [("", 1), ("---Q", 4), (&text[..65], 66), (&text[..40], 41)] {
            assert_eq!(start.parse_position(wrong).unwrap_err().column, column, "{wrong:?}");
        }
        assert!(start.parse_position(&format!("{text} X")).unwrap_err().message.contains("nothing more"));
    }

    #[test]
    fn refused_moves_say_why() {
        let start = Othello::default();
        let why = |text: &str| start.parse_move(text).unwrap_err().message;
        assert_eq!(start.parse_move("F5").unwrap().to_string(), "f5");
        assert_eq!(why("d4"), "d4 is taken");
        assert_eq!(why("a1"), "a disc on a1 flips nothing");
        assert_eq!(why("pass"), "there is a move, so passing is not allowed");
        assert!(why("f9").contains("such as f5") && why("é5").contains("such as f5"));
    }
}
