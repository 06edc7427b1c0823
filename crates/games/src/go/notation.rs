//! Text of positions and moves.
//!
//! A position is its rows from the top with `.`, `b` and `w`, then the side to move, the ko point or `-`, the passes in a row, and the
//! prisoners of Black and White if there are any: `.../.b./... w - 0`, `.bw/... b - 1 3:0`. Moves are GTP vertices: `D4`, `pass`.

use std::fmt;

use yomi_core::{Color, Notation, Position, Rule, Spec, TextError};

use super::rules::{PARAMETERS, Rules};
use super::vertex::{GoMove, Vertex};
use super::{Go, size_of_name};

/// Column letters; there is no I.
const COLUMNS: &[u8; 19] = b"ABCDEFGHJKLMNOPQRST";

impl<const LEN: usize> Go<LEN> {
    /// A point as GTP writes it: `D4`.
    pub fn vertex_text(&self, v: Vertex) -> String {
        let letter = COLUMNS.get(self.column(v)).map_or('?', |&letter| char::from(letter));
        format!("{letter}{}", self.row(v).wrapping_add(1))
    }

    /// The point that a text like `D4` or `d4` names.
    pub fn parse_vertex(&self, text: &str) -> Result<Vertex, TextError> {
        let wrong = || {
            let corner = self.vertex(self.size() - 1, self.size() - 1).map_or(String::new(), |v| self.vertex_text(v));
            TextError::at(text, 0, format!("a point from A1 to {corner} (there is no column I) or pass was expected"))
        };
        let letter = text.bytes().next().ok_or_else(wrong)?.to_ascii_uppercase();
        let column = COLUMNS.iter().position(|&c| c == letter).ok_or_else(wrong)?;
        let digits = &text.as_bytes()[1..];
        if !digits.iter().all(u8::is_ascii_digit) || digits.is_empty() || digits.len() > 2 {
            return Err(wrong());
        }
        let row = digits.iter().fold(0, |n, d| 10 * n + usize::from(d - b'0'));
        row.checked_sub(1).and_then(|row| self.vertex(column, row)).ok_or_else(wrong)
    }

    /// Why a stone may not be put on `v`, in words.
    pub(super) fn objection(&self, v: Vertex) -> Option<&'static str> {
        match self.at(v) {
            _ if self.passes() >= 2 => Some("the game is over: both sides have passed"),
            Some(_) => Some("there is a stone already"),
            None if self.ko() == Some(v) => Some("the ko may not be taken back at once"),
            None if !self.is_legal(GoMove::at(v)) => Some("the stone would have no liberty: suicide is forbidden"),
            None => None,
        }
    }
}

fn side(color: Color) -> char {
    if color == Color::Black { 'b' } else { 'w' }
}

impl<const LEN: usize> Notation for Go<LEN> {
    const RULES: &'static [Rule] = PARAMETERS;

    fn start(spec: &Spec) -> Result<Self, TextError> {
        let size = size_of_name(&spec.name).ok_or_else(|| spec.error("the games of Go are go2 to go19"))?;
        let rules = Rules::read(spec)?;
        spec.reject_unused_of(Self::RULES.iter().map(Rule::line))?;
        Go::new(size, rules).map_err(|fault| spec.error(fault.message))
    }

    fn rules(&self) -> String {
        self.ruleset().write(self.size())
    }

    fn parse_position(&self, text: &str) -> Result<Self, TextError> {
        let error = |word: &str, message: String| {
            let offset = word.as_ptr() as usize - text.as_ptr() as usize;
            TextError::at(text, offset, message)
        };
        let mut words = text.split_ascii_whitespace();
        let board =
            words.next().ok_or_else(|| TextError::at(text, 0, "a position begins with the rows of the board"))?;
        let mut position = Go::even(self.size(), self.ruleset())?;
        position.edit(read_board(&position, board, &error)?).map_err(|e| error(board, e.message))?;
        let turn = words.next().unwrap_or("b");
        position.turn = match turn {
            "b" | "B" => Color::Black,
            "w" | "W" => Color::White,
            _ => return Err(error(turn, "the side to move is b or w".to_string())),
        };
        let ko = words.next().unwrap_or("-");
        let passes = words.next().unwrap_or("0");
        position.passes = match passes {
            "0" => 0,
            "1" => 1,
            "2" => 2,
            _ => return Err(error(passes, "the number of passes in a row is 0, 1 or 2".to_string())),
        };
        if ko != "-" {
            let v = position.parse_vertex(ko).map_err(|e| error(ko, e.message))?;
            if !position.can_be_ko(v) {
                return Err(error(ko, "no ko can be taken back there".to_string()));
            }
            position.ko = v.0;
        }
        if let Some(prisoners) = words.next() {
            let read = |count: &str| count.parse().ok().filter(|&n: &u32| n <= MAX_PRISONERS);
            let counts = prisoners.split_once(':').and_then(|(black, white)| Some([read(black)?, read(white)?]));
            let wrong = || error(prisoners, "prisoners of Black and White look like 3:0".to_string());
            position.prisoners = counts.ok_or_else(wrong)?;
        }
        match words.next() {
            None => Ok(position),
            Some(word) => Err(error(word, "nothing more was expected here".to_string())),
        }
    }

    fn position_text(&self) -> String {
        let mut text = String::new();
        for row in (0..self.size()).rev() {
            let cells = (0..self.size()).filter_map(|column| self.vertex(column, row));
            text.extend(cells.map(|v| self.at(v).map_or('.', side)));
            text.push(if row == 0 { ' ' } else { '/' });
        }
        let ko = self.ko().map_or("-".to_string(), |v| self.vertex_text(v));
        text += &format!("{} {ko} {}", side(self.turn()), self.passes());
        if self.prisoners != [0; 2] {
            text += &format!(" {}:{}", self.prisoners[0], self.prisoners[1]);
        }
        text
    }

    fn parse_move(&self, text: &str) -> Result<GoMove, TextError> {
        let word = text.trim();
        if word.eq_ignore_ascii_case("pass") {
            return match self.passes() {
                0 | 1 => Ok(GoMove::PASS),
                _ => Err(TextError::at(text, 0, "the game is over: both sides have passed")),
            };
        }
        let v = self.parse_vertex(word)?;
        match self.objection(v) {
            None => Ok(GoMove::at(v)),
            Some(why) => Err(TextError::at(text, 0, format!("{}: {why}", self.vertex_text(v)))),
        }
    }

    fn move_text(&self, mv: GoMove) -> String {
        mv.vertex().map_or("pass".to_string(), |v| self.vertex_text(v))
    }

    fn score_text(&self) -> Option<String> {
        Some(self.score(&[]).to_string())
    }
}

/// No more prisoners than this can be written: a number that no game reaches and that can be counted on from.
const MAX_PRISONERS: u32 = 1_000_000;

/// The stones of the rows, with an error that points at the cell.
fn read_board<const LEN: usize>(
    empty: &Go<LEN>,
    board: &str,
    error: &dyn Fn(&str, String) -> TextError,
) -> Result<Vec<(Vertex, Option<Color>)>, TextError> {
    let size = empty.size();
    let rows: Vec<&str> = board.splitn(size + 2, '/').collect();
    if rows.len() != size {
        return Err(error(board, format!("a board of {size} rows was expected")));
    }
    let mut stones = Vec::new();
    for (row, cells) in (0..size).rev().zip(rows) {
        if cells.chars().take(size + 1).count() != size {
            return Err(error(cells, format!("a row of {size} points was expected")));
        }
        for (column, (offset, cell)) in cells.char_indices().enumerate() {
            let color = match cell {
                '.' => continue,
                'b' | 'B' => Color::Black,
                'w' | 'W' => Color::White,
                _ => return Err(error(&cells[offset..], "a point is . or b or w".to_string())),
            };
            stones.extend(empty.vertex(column, row).map(|v| (v, Some(color))));
        }
    }
    Ok(stones)
}

impl<const LEN: usize> fmt::Display for Go<LEN> {
    /// A picture of the board with coordinates, and what cannot be seen on it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letters: String = COLUMNS[..self.size()].iter().flat_map(|&c| [' ', char::from(c)]).collect();
        writeln!(f, "  {letters}")?;
        for row in (0..self.size()).rev() {
            write!(f, "{:2}", row + 1)?;
            for v in (0..self.size()).filter_map(|column| self.vertex(column, row)) {
                let symbol = match self.at(v) {
                    Some(Color::Black) => 'X',
                    Some(Color::White) => 'O',
                    None => '.',
                };
                write!(f, " {symbol}")?;
            }
            writeln!(f, " {}", row + 1)?;
        }
        writeln!(f, "  {letters}")?;
        let ko = self.ko().map_or(String::new(), |v| format!(", ko at {}", self.vertex_text(v)));
        let passes = if self.passes > 0 { format!(", {} passes", self.passes) } else { String::new() };
        let [black, white] = self.prisoners;
        write!(f, "{:?} to move{ko}{passes}, prisoners {black}:{white}, {}", self.turn, Notation::rules(self))
    }
}

impl<const LEN: usize> fmt::Debug for Go<LEN> {
    /// Rules and position on one line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", Notation::rules(self), self.position_text())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::{Go9, Go19};
    use proptest::prelude::*;

    fn nine() -> Go9 {
        Go9::new(9, Rules::default()).unwrap()
    }

    #[test]
    fn vertices_skip_the_letter_i() {
        let board = Go19::new(19, Rules::default()).unwrap();
        for (text, column, row) in [("A1", 0, 0), ("h8", 7, 7), ("J9", 8, 8), ("T19", 18, 18), ("q04", 15, 3)] {
            let v = board.parse_vertex(text).unwrap();
            assert_eq!((board.column(v), board.row(v)), (column, row), "{text}");
        }
        for wrong in ["", "A", "I5", "A0", "A20", "U1", "AA1", "A1 ", "A-1", "1A", "é1", "A１"] {
            assert!(board.parse_vertex(wrong).is_err(), "{wrong}");
        }
        assert!(nine().parse_vertex("K1").is_err());
        for v in board.vertices() {
            assert_eq!(board.parse_vertex(&board.vertex_text(v)), Ok(v));
        }
    }

    #[test]
    fn illegal_moves_are_explained() {
        let start: Go9 = Go9::start(&Spec::parse("go3").unwrap()).unwrap();
        let why =
            |position: &str, mv: &str| start.parse_position(position).unwrap().parse_move(mv).unwrap_err().message;
        assert!(why("..b/.../... w", "C3").contains("already"));
        assert!(why(".w./w../... b", "A3").contains("suicide"));
        assert!(why(".../.../... b - 2", "pass").contains("over"));
        assert!(why(".../.../... b - 2", "A1").contains("over"));
        assert!(why(".../.../... b", "D1").contains("A1 to C3"));
        let ko = start.parse_position(".wb/w.b/... w - 0").unwrap();
        assert!(ko.parse_move("pass").is_ok());
        assert_eq!(ko.parse_move("Pass"), Ok(GoMove::PASS));
    }

    #[test]
    fn a_ko_is_read_back() {
        let start: Go9 = Go9::start(&Spec::parse("go4").unwrap()).unwrap();
        let mut position = start.parse_position(".bw./b.bw/.bw./.... w").unwrap();
        position.play(position.parse_move("B3").unwrap());
        assert_eq!(position.position_text(), ".bw./bw.w/.bw./.... b C3 0 0:1");
        assert!(position.parse_move("C3").unwrap_err().message.contains("ko"));
        let read = start.parse_position(&position.position_text()).unwrap();
        assert_eq!((read.key(), read.ko()), (position.key(), position.ko()));
        assert!(start.parse_position(".bw./bw.w/.bw./.... b D1 0").is_err(), "no ko there");
        assert!(start.parse_position(".bw./bw.w/.bw./.... w C3 0").is_err(), "not for White");
    }

    #[test]
    fn bad_positions_are_pointed_at() {
        let start: Go9 = Go9::start(&Spec::parse("go3").unwrap()).unwrap();
        for (text, column) in [
            ("", 1),
            (".../... b", 1),
            (".../../... b", 5),
            (".../.x./... b", 6),
            (".../..../... b", 5),
            ("bbb/bbb/bbb b", 1),
            (".../.../... x", 13),
            (".../.../... b z", 15),
            (".../.../... b - 3", 17),
            (".../.../... b - 0 1", 19),
            (".../.../... b - 0 1:99999999999", 19),
            (".../.../... b - 0 0:0 x", 23),
        ] {
            assert_eq!(start.parse_position(text).err().map(|e| e.column), Some(column), "{text}");
        }
        assert!(start.parse_position(&"/".repeat(10_000_000)).is_err());
        assert!(start.parse_position(&".".repeat(10_000_000)).is_err());
    }

    #[test]
    fn specs_choose_size_and_rules() {
        let start = |text: &str| Go9::start(&Spec::parse(text).unwrap());
        for text in ["go9", "go5(komi=0.5,ko=simple)", "go9(handicap=4,compensation=n)"] {
            assert_eq!(Notation::rules(&start(text).unwrap()), text);
        }
        for wrong in ["go", "go13", "go1", "chess", "go9(komi=x)", "go9(size=3)", "go6(handicap=2)", "go9(handicap=10)"]
        {
            assert!(start(wrong).is_err(), "{wrong}");
        }
        let picture = start("go2").unwrap().to_string();
        assert_eq!(picture, "   A B\n 2 . . 2\n 1 . . 1\n   A B\nBlack to move, prisoners 0:0, go2");
    }

    proptest! {
        #[test]
        fn never_panics(text in "[.bwBW/ A-K0-9:é-]{0,40}") {
            let start = Go9::new(3, Rules::default()).unwrap();
            let _ = start.parse_position(&text);
            let _ = start.parse_move(&text);
        }
    }
}
