//! Board diagrams and hands.
//!
//! ```text
//! 後手の持駒：飛　角　金
//!   ９ ８ ７ ６ ５ ４ ３ ２ １
//! +---------------------------+
//! |v香v桂 ・ ・v玉 ・ ・v桂v香|一
//! …
//! 先手の持駒：歩十八
//! ```

use std::fmt::Write as _;

use yomi_core::{Color, Position, TextError};

use super::super::piece::{Kind, Piece};
use super::super::position::Shogi;
use super::super::rules::Rules;
use super::super::setup::Setup;
use super::super::square::Square;
use super::super::variant::Variant;
use super::kanji;
use super::move_text::{self, Origin, blank};

/// What a text says of a position.
#[derive(Clone, Debug, Default)]
pub(super) struct Diagram {
    /// The rows from rank 1 on, each from the highest file to the first.
    pub(super) rows: Vec<Vec<Option<Piece>>>,
    /// The pieces in hand, by colour and index of the kind.
    pub(super) hands: [[u8; 7]; 2],
    /// Who moves.
    pub(super) turn: Option<Color>,
    /// How many moves were played before.
    pub(super) played: u32,
}

impl Diagram {
    /// The position on a board of the size of the diagram.
    pub(super) fn position<V: Variant>(&self) -> Result<Shogi<V>, TextError> {
        let size = usize::from(V::SIZE);
        let mut setup = Setup { hands: self.hands, turn: self.turn.unwrap_or(Color::Black), ..Setup::default() };
        setup.number = self.played.saturating_add(1);
        if let Some(row) = self.rows.iter().position(|row| row.len() != size) {
            let found = self.rows[row].len();
            return Err(TextError::new(format!("rank {} of the board has {found} squares, not {size}", row + 1)));
        }
        if self.rows.len() != size {
            return Err(TextError::new(format!("the board has {} ranks, not {size}", self.rows.len())));
        }
        for (rank, row) in (1..).zip(&self.rows) {
            for (file, &cell) in (1..=V::SIZE).rev().zip(row) {
                if let Some(square) = Square::new::<V>(file, rank) {
                    setup.cells[square.index()] = cell;
                }
            }
        }
        setup.position::<V>(Rules::default())
    }

    /// Who makes a move, if its text or the board says so: some programs leave out whose turn it is.
    pub(super) fn mover(&self, text: &str) -> Option<Color> {
        let (mv, _) = move_text::parse(text).ok()?;
        let Origin::Square(file, rank) = mv.origin else {
            let holds = |color: &Color| self.hands[color.index()].get(mv.kind.index()).is_some_and(|&held| held > 0);
            let only = Color::BOTH.into_iter().filter(holds).collect::<Vec<_>>();
            return mv.color.or(only.first().copied().filter(|_| only.len() == 1));
        };
        let row = self.rows.get(usize::from(rank) - 1)?;
        let piece = *row.get(row.len().checked_sub(file.into())?)?;
        mv.color.or(piece.map(|piece| piece.color))
    }

    /// Adds a row: what stands between the bars of `|v香v桂 ・ …|一`.
    pub(super) fn add_row(&mut self, line: &str) -> Result<(), TextError> {
        if self.rows.len() == 9 {
            return Err(TextError::new("the board has more than nine ranks"));
        }
        let inside = line.trim_matches(blank).trim_start_matches(BARS);
        let mut rest = inside.rsplit_once(BARS).map_or(inside, |(inside, _)| inside);
        let (mut row, mut color) = (Vec::new(), Color::Black);
        while let Some(c) = rest.chars().next() {
            if row.len() > 9 {
                break;
            }
            if let Some((kind, after)) = kanji::piece(rest) {
                row.push(Some(Piece { color, kind }));
                rest = after;
                color = Color::Black;
                continue;
            }
            match c {
                '・' | '･' | '.' | '·' | '．' => row.push(None),
                'v' | 'V' | 'ｖ' | '^' => color = Color::White,
                c if blank(c) || c == '+' => {}
                _ => return Err(TextError::new(format!("'{c}' is no piece"))),
            }
            rest = &rest[c.len_utf8()..];
        }
        self.rows.push(row);
        Ok(())
    }

    /// Sets a hand: `飛　金二　歩十八`, `なし`.
    pub(super) fn set_hand(&mut self, color: Color, text: &str) -> Result<(), TextError> {
        let mut hand = [0u8; 7];
        let mut rest = text.trim_matches(blank);
        if rest == "なし" || rest == "無し" {
            rest = "";
        }
        while !rest.is_empty() {
            let Some((kind, after)) = kanji::piece(rest).filter(|(kind, _)| kind.index() < hand.len()) else {
                return Err(TextError::new(format!("no piece in hand is called {}", first(rest))));
            };
            let digits = after.find(|c| kanji::digit(c).is_none() && c != '十').unwrap_or(after.len());
            let count = if digits == 0 { Some(1) } else { kanji::number(&after[..digits]) };
            let sum = count.and_then(|n| u8::try_from(n).ok()).and_then(|n| hand[kind.index()].checked_add(n));
            hand[kind.index()] = sum.ok_or_else(|| TextError::new("that many pieces do not exist"))?;
            rest = after[digits..].trim_start_matches(blank);
        }
        self.hands[color.index()] = hand;
        Ok(())
    }
}

const BARS: [char; 3] = ['|', '｜', '│'];

/// Whether a line is a row of a board.
pub(super) fn is_row(line: &str) -> bool {
    line.starts_with(BARS)
}

/// Whether a line is the edge of a board, or the names of its files.
pub(super) fn is_edge(line: &str) -> bool {
    let files = |c: char| blank(c) || kanji::digit(c).is_some();
    (line.starts_with('+') && line.chars().all(|c| "+-".contains(c)))
        || (line.chars().all(files) && line.contains('１'))
}

fn first(text: &str) -> String {
    text.chars().take(8).collect()
}

/// The order in which hands are written.
const HAND_ORDER: [Kind; 7] =
    [Kind::Rook, Kind::Bishop, Kind::Gold, Kind::Silver, Kind::Knight, Kind::Lance, Kind::Pawn];

/// The position as a diagram with hands; the turn is written when it is White's.
pub(super) fn write<V: Variant>(position: &Shogi<V>) -> String {
    // 下手 and 上手 would be right for handicaps, but not every reader knows 上手番.
    let sides = ["先手", "後手"];
    let mut text = String::new();
    let hand = |color: Color| {
        let mut hand = String::new();
        for kind in HAND_ORDER {
            let held = position.hand(color, kind);
            if held > 0 {
                hand += &format!("{}{}　", kanji::name(kind), kanji::count(held));
            }
        }
        let held = if hand.is_empty() { "なし" } else { &hand };
        format!("{}の持駒：{held}\n", sides[color.index()])
    };
    let size = usize::from(V::SIZE);
    text += &hand(Color::White);
    for file in (1..=V::SIZE).rev() {
        let _ = write!(text, " {}{}", if file == V::SIZE { " " } else { "" }, kanji::wide(file));
    }
    let edge = format!("+{}+\n", "-".repeat(3 * size));
    text += "\n";
    text += &edge;
    for rank in 1..=V::SIZE {
        text += "|";
        for file in (1..=V::SIZE).rev() {
            let piece = Square::new::<V>(file, rank).and_then(|sq| position.piece_at(sq));
            match piece {
                None => text += " ・",
                Some(Piece { color: Color::Black, kind }) => text += &format!(" {}", kanji::cell(kind)),
                Some(Piece { color: Color::White, kind }) => text += &format!("v{}", kanji::cell(kind)),
            }
        }
        let _ = writeln!(text, "|{}", kanji::kanji(rank));
    }
    text += &edge;
    text += &hand(Color::Black);
    if position.number() > 1 {
        let _ = writeln!(text, "手数＝{}　まで", position.number() - 1);
    }
    if position.turn() == Color::White {
        let _ = writeln!(text, "{}番", sides[Color::White.index()]);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::super::{Five, Nine, Shogi9};
    use super::*;

    fn read(text: &str) -> Diagram {
        let mut diagram = Diagram::default();
        for line in text.lines() {
            if is_row(line) {
                diagram.add_row(line).unwrap();
            } else if let Some((color, hand)) = kanji::side(line).filter(|(_, rest)| rest.starts_with("の持駒：")) {
                diagram.set_hand(color, &hand["の持駒：".len()..]).unwrap();
            } else if line == "後手番" {
                diagram.turn = Some(Color::White);
            } else if let Some(played) = line.strip_prefix("手数＝") {
                diagram.played = played.trim_end_matches("　まで").parse().unwrap();
            } else {
                assert!(is_edge(line.trim()), "{line}");
            }
        }
        diagram
    }

    #[test]
    fn diagrams_come_back() {
        for sfen in [
            Nine::START,
            "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
            "8k/9/9/9/9/9/9/9/9 b 2R2B4G4S4N4L18P 1",
            "+l+n+s1k4/9/9/9/4+r4/9/9/9/+P+B1K5 w - 34",
        ] {
            let position = Shogi9::from_sfen(sfen).unwrap();
            let text = write(&position);
            assert_eq!(read(&text).position::<Nine>().unwrap().sfen(), position.sfen(), "{text}");
        }
        let mini = Shogi::<Five>::from_sfen("r1s1k/4p/1G3/P4/K1SBR w bg 1").unwrap();
        let text = write(&mini);
        assert_eq!(read(&text).position::<Five>().unwrap().sfen(), mini.sfen(), "{text}");
        assert!(read(&text).position::<Nine>().is_err());
    }

    #[test]
    fn hands_in_every_style() {
        let mut diagram = Diagram::default();
        for text in ["歩十八", "歩18", "歩１８　", "歩 歩十七", "歩九歩九"] {
            diagram.set_hand(Color::Black, text).unwrap();
            let held = diagram.hands[0][Kind::Pawn.index()];
            assert_eq!(held, 18, "{text}");
        }
        assert!(diagram.set_hand(Color::Black, "王").is_err());
        assert!(diagram.set_hand(Color::Black, "歩999").is_err());
        assert!(diagram.set_hand(Color::Black, "なす").is_err());
    }
}
