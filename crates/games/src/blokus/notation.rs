//! Positions and rules as text.
//!
//! A position is its fourteen rows from the top with `/` between them, a number for that many empty squares, `b` and `w` for the
//! squares of Black and White; then whose turn it is, `b` or `w`; then, where the bonus counts, the sides whose last piece was the
//! monomino. The start is `14/14/14/14/14/14/14/14/14/14/14/14/14/14 b`. Which pieces lie there follows from the squares, because
//! pieces of one side never share an edge.

use yomi_core::{Color, Notation, Position, Rule, Spec, TextError};

use super::cells::{Cell, CellSet, SIZE};
use super::moves::BlokusMove;
use super::position::{BlokusDuo, Rules};
use super::setup::{Fault, groups, name, start_names};

impl Notation for BlokusDuo {
    const RULES: &'static [Rule] = &[
        Rule {
            key: "start",
            values: "fixed | free",
            default: "fixed",
            meaning: "whether Black begins on e10 and White on j5, or each on either",
        },
        Rule {
            key: "bonus",
            values: "true | false",
            default: "false",
            meaning: "15 points more for placing all pieces, 20 if the monomino comes last",
        },
    ];

    fn start(spec: &Spec) -> Result<Self, TextError> {
        if spec.name != Self::NAME {
            return Err(spec.error(format!("the game is called {}", Self::NAME)));
        }
        let choice = |s: &Spec| s.choice(&[("fixed", false), ("free", true)]);
        let free_start = spec.get("start").map_or(Ok(false), choice)?;
        let bonus = spec.value_or("bonus", false)?;
        spec.reject_unused_of(Self::RULES.iter().map(Rule::line))?;
        Ok(BlokusDuo::new(Rules { free_start, bonus }))
    }

    fn rules(&self) -> String {
        let start = if self.rules.free_start { "start=free" } else { "" };
        let bonus = if self.rules.bonus { "bonus=true" } else { "" };
        let chosen: Vec<&str> = [start, bonus].into_iter().filter(|s| !s.is_empty()).collect();
        if chosen.is_empty() { Self::NAME.to_string() } else { format!("{}({})", Self::NAME, chosen.join(",")) }
    }

    fn parse_position(&self, text: &str) -> Result<Self, TextError> {
        let mut fields = fields(text);
        let (start, board) =
            fields.next().ok_or_else(|| TextError::new("a position has fourteen rows and a side to move"))?;
        let Some((turn_at, turn)) = fields.next() else {
            return Err(TextError::at(text, start + board.len(), "the side to move is missing: b or w"));
        };
        let crowned = fields.next();
        if let Some((offset, _)) = fields.next() {
            return Err(TextError::at(text, offset, "nothing more was expected here"));
        }
        let turn = match turn {
            "b" => Color::Black,
            "w" => Color::White,
            _ => return Err(TextError::at(text, turn_at, "the side to move is b or w")),
        };
        let squares = read_board(text, start, board)?;
        let mut position = set_up(self.rules, &squares, turn).map_err(|fault| {
            TextError::at(text, squares.offset_of(fault.cell), format!("{}: {}", fault.cell, fault.message))
        })?;
        if let Some((offset, sides)) = crowned.filter(|&(_, sides)| sides != "-") {
            read_crowns(&mut position, sides).map_err(|message| TextError::at(text, offset, message))?;
        }
        Ok(position)
    }

    fn position_text(&self) -> String {
        let row = |y: u8| {
            let mut row = String::new();
            let mut empty = 0;
            for color in (1..=SIZE).map(|x| Cell::new(x, y).and_then(|cell| self.at(cell))) {
                if color.is_some() && empty > 0 {
                    row += &empty.to_string();
                }
                empty = if color.is_some() { 0 } else { empty + 1 };
                row.extend(color.map(letter));
            }
            if empty > 0 { row + &empty.to_string() } else { row }
        };
        let rows: Vec<String> = (1..=SIZE).map(row).collect();
        let last: String = Color::BOTH.into_iter().filter(|c| self.monomino_last[c.index()]).map(letter).collect();
        let gap = if last.is_empty() { "" } else { " " };
        format!("{} {}{gap}{last}", rows.join("/"), letter(self.turn))
    }

    /// A list of points, a contest code, or `pass`.
    fn parse_move(&self, text: &str) -> Result<BlokusMove, TextError> {
        let mv = BlokusMove::parse(text)?;
        if self.is_legal(mv) { Ok(mv) } else { Err(TextError::at(text, 0, self.why_not(mv))) }
    }

    fn move_text(&self, mv: BlokusMove) -> String {
        mv.points()
    }

    /// As Pentobi writes it.
    fn score_text(&self) -> Option<String> {
        let margin = self.score(Color::Black) - self.score(Color::White);
        Some(match margin {
            0 => "0".to_string(),
            m if m > 0 => format!("B+{m}"),
            m => format!("W+{}", -m),
        })
    }
}

impl BlokusDuo {
    /// Why a move that [`Position::is_legal`] refuses is not legal.
    fn why_not(&self, mv: BlokusMove) -> String {
        let who = name(self.turn);
        let Some(piece) = mv.piece() else {
            let able = self.can_place(self.turn);
            return if able { format!("{who} has a move and may not pass") } else { "the game is over".to_string() };
        };
        let cells = mv.cells();
        let first = |set: CellSet| (cells & set).first();
        let taken = Color::BOTH.map(|c| self.occupied(c)).into_iter().fold(CellSet::EMPTY, |a, b| a | b);
        if !self.remaining(self.turn).contains(piece) {
            format!("{who} has used the piece {} already", piece.name())
        } else if let Some(cell) = first(taken) {
            format!("{cell} is taken")
        } else if let Some(cell) = first(self.forbidden(self.turn)) {
            format!("{cell} touches a piece of {who} along an edge")
        } else if self.sides[self.turn.index()].has_begun() {
            format!("the piece touches no piece of {who} by a corner")
        } else {
            format!("the first piece of {who} covers {}", start_names(self.turn, self.rules))
        }
    }
}

/// The letter of a side.
fn letter(color: Color) -> char {
    match color {
        Color::Black => 'b',
        Color::White => 'w',
    }
}

/// The words of a text with their offsets.
fn fields(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split_ascii_whitespace().map(|word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
}

/// The squares of both sides as a text gives them.
struct Squares {
    occupied: [CellSet; 2],
    /// Where in the text the square stands, by its index.
    offsets: [usize; 196],
}

impl Squares {
    fn offset_of(&self, cell: Cell) -> usize {
        self.offsets[cell.index()]
    }
}

/// Reads the rows that begin at byte `start` of `text`.
fn read_board(text: &str, start: usize, board: &str) -> Result<Squares, TextError> {
    let mut squares = Squares { occupied: [CellSet::EMPTY; 2], offsets: [start; 196] };
    let (mut x, mut y) = (1, 1);
    let mut rest = board.char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        let error = |message: &str| Err(TextError::at(text, start + at, message));
        let color = match c {
            'b' => Color::Black,
            'w' => Color::White,
            '/' if x <= SIZE => return error("the row before has fewer than 14 squares"),
            '/' if y == SIZE => return error("the board has 14 rows"),
            '/' => {
                (x, y) = (1, y + 1);
                continue;
            }
            '1'..='9' => {
                let mut number = c as u8 - b'0';
                if let Some((_, digit)) = rest.next_if(|(_, d)| d.is_ascii_digit()) {
                    number = number * 10 + (digit as u8 - b'0');
                }
                x += number;
                if x > SIZE + 1 {
                    return error("a row has 14 squares");
                }
                continue;
            }
            _ => return error("a row is made of b, w and numbers of empty squares"),
        };
        let Some(cell) = Cell::new(x, y) else { return error("a row has 14 squares") };
        squares.occupied[color.index()].insert(cell);
        squares.offsets[cell.index()] = start + at;
        x += 1;
    }
    if (x, y) == (SIZE + 1, SIZE) {
        Ok(squares)
    } else {
        Err(TextError::at(text, start + board.len(), "the board has 14 rows of 14 squares"))
    }
}

/// The position of pieces that lie on these squares.
fn set_up(rules: Rules, squares: &Squares, turn: Color) -> Result<BlokusDuo, Fault> {
    let mut pieces = [Vec::new(), Vec::new()];
    for color in Color::BOTH {
        for group in groups(squares.occupied[color.index()]) {
            let Some(mv) = BlokusMove::from_cells(group) else {
                let message = format!("these {} squares of {} are no piece", group.len(), name(color));
                return Err(Fault { cell: group.first().unwrap_or(super::tables::START[0]), message });
            };
            pieces[color.index()].push(mv);
        }
    }
    BlokusDuo::set_up(rules, [&pieces[0], &pieces[1]], turn)
}

/// Reads the sides whose last piece was the monomino.
fn read_crowns(position: &mut BlokusDuo, sides: &str) -> Result<(), &'static str> {
    let crowned: &[Color] = match sides {
        "b" => &[Color::Black],
        "w" => &[Color::White],
        "bw" => &Color::BOTH,
        _ => return Err("b, w or bw names the sides whose last piece was the monomino"),
    };
    if !position.rules.bonus {
        return Err("without bonus=true the last piece does not matter");
    }
    for &color in crowned {
        if !position.remaining(color).is_empty() {
            return Err("this side still has pieces in hand");
        }
        position.crown(color, true);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use yomi_core::Seed;

    fn start(spec: &str) -> BlokusDuo {
        BlokusDuo::start(&Spec::parse(spec).unwrap()).unwrap()
    }

    const EMPTY: &str = "14/14/14/14/14/14/14/14/14/14/14/14/14/14 b";

    #[test]
    fn rules_print_as_typed() {
        for text in
            ["blokus-duo", "blokus-duo(start=free)", "blokus-duo(bonus=true)", "blokus-duo(start=free,bonus=true)"]
        {
            assert_eq!(start(text).rules(), text);
        }
        assert_eq!(start("blokus-duo(bonus=false,start=fixed)").rules(), "blokus-duo");
        for bad in ["blokus-duo(start=e5)", "blokus-duo(bonus=1)", "blokus-duo(komi=1)", "blokus"] {
            assert!(BlokusDuo::start(&Spec::parse(bad).unwrap()).is_err(), "{bad}");
        }
        assert_eq!(BlokusDuo::default().position_text(), EMPTY);
    }

    #[test]
    fn wrong_positions_say_where() {
        let game = BlokusDuo::default();
        let rows = |from: usize, rows: &str| {
            let given = rows.split('/').count();
            format!("{}{rows}{} b", "14/".repeat(from - 1), "/14".repeat(14 - given - (from - 1)))
        };
        let wrong = |text: &str, column: usize, word: &str| {
            let error = game.parse_position(text).expect_err(text);
            assert_eq!(error.column, column, "{text}: {error}");
            assert!(error.message.contains(word), "{text}: {error}");
        };
        assert!(game.parse_position(&rows(5, "4bbb7")).is_ok());
        wrong("", 0, "fourteen rows");
        wrong(EMPTY.trim_end_matches(" b"), 42, "side to move is missing");
        wrong(&EMPTY.replace(" b", " x"), 43, "b or w");
        wrong(&format!("{EMPTY} - x"), 47, "nothing more");
        wrong(&format!("{EMPTY} b"), 45, "bonus=true");
        wrong(&rows(5, "4bbbb7"), 18, "14 squares");
        wrong(&rows(5, "4bbb6"), 18, "fewer than 14");
        wrong(&rows(5, "4bbbx6"), 17, "made of");
        wrong(&rows(5, "99"), 13, "14 squares");
        wrong(&rows(5, "0"), 13, "made of");
        wrong(&format!("14/{EMPTY}"), 42, "14 rows");
        wrong("14/14 b", 6, "14 rows of 14");
        wrong(&rows(5, "4bbbbbb4"), 14, "e10: these 6 squares of Black are no piece");
        wrong(&rows(5, "14/4bbb7"), 17, "e9: no piece of Black covers e10");
        wrong(&rows(5, "4b9/5b8"), 18, "f9: Black has the piece 1 on the board twice");
        wrong(&rows(5, "4b9/14/4bb8"), 21, "e8: no corner links this piece of Black");
        wrong(&rows(5, "4w9"), 14, "e10: no piece of White covers j5");
        assert!(start("blokus-duo(start=free)").parse_position(&rows(5, "4w9")).is_ok());
    }

    /// Black has laid all pieces but the monomino.
    const TWENTY: &str = "bb1b3bbb1b2/bb1bb1bb3bbb/b2b1b2bbb2b/1b1b1bb1b1b3/bbb1b1bb3bbb/b2bbb2bbb1b1/4b3b3b1/bbbb5bbb1b/\
                          b10b1b/1b9b1b/bb7bb2b/b1bb2bbb4b/2bb5bb1b1/4bbbb1b1bbb b";

    #[test]
    fn the_bonus_counts_who_finishes_and_how() {
        let [plain, bonus] = ["blokus-duo", "blokus-duo(bonus=true)"].map(start);
        for (game, score) in [(&plain, 89), (&bonus, 109)] {
            let mut position = game.parse_position(TWENTY).unwrap();
            assert_eq!(position.score(Color::Black), 88);
            let mv = position.parse_move("cca0").unwrap();
            let expected = position.key_after(mv);
            position.play(mv);
            assert_eq!((position.score(Color::Black), position.key()), (score, expected));
            let read = game.parse_position(&position.position_text()).unwrap();
            assert_eq!((read.score(Color::Black), read.key()), (score, expected));
        }
        // The same board with another piece as the last one.
        let all = format!("{}w", TWENTY.replace("/b1bb2bbb4b/", "/b1bb2bbb2b1b/").trim_end_matches('b'));
        let position = bonus.parse_position(&all).unwrap();
        assert_eq!((position.score(Color::Black), position.score(Color::White)), (104, 0));
        let crowned = bonus.parse_position(&format!("{all} b")).unwrap();
        assert_eq!(crowned.score(Color::Black), 109);
        assert_ne!(crowned.key(), position.key());
        assert!(bonus.parse_position(&format!("{all} w")).unwrap_err().message.contains("in hand"));
    }

    #[test]
    fn illegal_moves_say_why() {
        let mut game = BlokusDuo::default();
        let mut reason = |before: &[&str], text: &str| {
            let mut position = BlokusDuo::default();
            for mv in before {
                position.play(position.parse_move(mv).unwrap());
            }
            game = position;
            game.parse_move(text).unwrap_err().message
        };
        assert_eq!(reason(&[], "a1"), "the first piece of Black covers e10");
        assert_eq!(reason(&["e10"], "e9"), "the first piece of White covers j5");
        assert_eq!(reason(&["e10", "j5"], "pass"), "Black has a move and may not pass");
        assert_eq!(reason(&["e10", "j5"], "f11"), "Black has used the piece 1 already");
        assert_eq!(reason(&["e10", "j5"], "e10,f10"), "e10 is taken");
        assert_eq!(reason(&["e10", "j5"], "f10,g10"), "f10 touches a piece of Black along an edge");
        assert_eq!(reason(&["e10", "j5"], "a1,b1"), "the piece touches no piece of Black by a corner");
        assert_eq!(reason(&["e10", "j5"], "a1,c1"), "these squares form no piece");
    }

    proptest! {
        #[test]
        fn no_text_panics(noise in ".{0,80}", rows in "[0-9bw/]{20,60} [bwx]( [bw-]{0,3})?") {
            for text in [&noise, &rows] {
                if let Ok(position) = BlokusDuo::default().parse_position(text) {
                    prop_assert_eq!(position.parse_position(&position.position_text()).unwrap().key(), position.key());
                }
            }
        }

        /// A square that changes its colour or is taken away gives an error or another position, never a panic or the same key.
        #[test]
        fn damaged_boards_are_noticed(seed: u64, plies in 1..30usize, square in 0..196usize, to in 0..3usize) {
            let mut rng = Seed::new(seed).rng();
            let mut position = BlokusDuo::default();
            let mut moves = Vec::new();
            for _ in 0..plies {
                if position.generate(&mut moves).is_none() {
                    position.play(moves[rng.below(moves.len())]);
                }
            }
            let cell = Cell::all().nth(square).unwrap();
            let color = [None, Some(Color::Black), Some(Color::White)][to];
            prop_assume!(position.at(cell) != color);
            let mark = |c: Cell| if c == cell { color } else { position.at(c) };
            let text: Vec<String> = (1..=SIZE)
                .map(|y| (1..=SIZE).map(|x| mark(Cell::new(x, y).unwrap()).map_or('1', letter)).collect())
                .collect();
            if let Ok(read) = position.parse_position(&format!("{} b", text.join("/"))) {
                prop_assert_ne!(read.key(), position.key());
                prop_assert_eq!(read.at(cell), color);
            }
        }
    }
}
