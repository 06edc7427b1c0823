//! The positions of a query on a board of their own size.

use yomi_core::{Color, Line, Notation, Position, TextError};
use yomi_games::go::{Compensation, Go, Vertex};

use super::query::{Fault, Query};

impl Query {
    /// The game after this many moves, the side to move set, and the first move limited as asked. A game that two passes have
    /// ended goes on.
    pub(super) fn line<const LEN: usize>(&self, turn: usize) -> Result<Line<Go<LEN>>, Fault> {
        let mut line = self.game(turn)?;
        self.limit(&mut line)?;
        Ok(line)
    }

    /// The same with all moves.
    pub(super) fn game<const LEN: usize>(&self, turn: usize) -> Result<Line<Go<LEN>>, Fault> {
        let mut line = Line::new(self.start()?);
        for (i, (color, word)) in self.moves.iter().take(turn).enumerate() {
            play(&mut line, *color, word).map_err(|error| {
                let error = TextError::new(format!("Illegal move {i}: {word:.20}: {}", error.message));
                self.fault("moves", error)
            })?;
        }
        let next = self.moves.get(turn).map(|(color, _)| *color);
        hand_over(&mut line, next.or(self.first.filter(|_| self.moves.is_empty())));
        Ok(line)
    }

    fn start<const LEN: usize>(&self) -> Result<Go<LEN>, Fault> {
        let mut position = Go::<LEN>::new(self.size, self.rules).map_err(|error| self.fault("boardXSize", error))?;
        let wrong = |error| self.fault("initialStones", error);
        let mut stones: Vec<(Color, Vertex)> = Vec::new();
        for (color, word) in &self.stones {
            stones.push((*color, vertex(&position, word).map_err(wrong)?));
        }
        // Stones of Black alone are a handicap; White moves first then.
        let handicap = stones.len() > 1 && stones.iter().all(|&(color, _)| color == Color::Black);
        if handicap && self.rules.compensation != Compensation::None {
            let points: Vec<Vertex> = stones.iter().map(|&(_, v)| v).collect();
            position = position.with_handicap(&points).map_err(wrong)?;
        } else {
            position.edit(stones.into_iter().map(|(color, v)| (v, Some(color)))).map_err(wrong)?;
        }
        let default = if handicap { Color::White } else { Color::Black };
        position.set_turn(self.first.unwrap_or(default));
        Ok(position)
    }

    fn limit<const LEN: usize>(&self, line: &mut Line<Go<LEN>>) -> Result<(), Fault> {
        let turn = line.position().turn();
        let mut legal = Vec::new();
        line.generate(&mut legal);
        let all = legal.len();
        let sides = |field: &str, words: &[String]| -> Result<Vec<_>, Fault> {
            let read = |word: &String| word_of(line.position(), word).map_err(|error| self.fault(field, error));
            words.iter().map(read).collect()
        };
        for (_, words) in self.avoid.iter().filter(|(color, _)| *color == turn) {
            let avoided = sides("avoidMoves", words)?;
            legal.retain(|&mv| !avoided.contains(&line.position().move_text(mv)));
        }
        if let Some((_, words)) = self.allow.iter().find(|(color, _)| *color == turn) {
            let allowed = sides("allowMoves", words)?;
            legal.retain(|&mv| allowed.contains(&line.position().move_text(mv)));
        }
        if legal.len() < all && !line.limit_to(&legal) {
            let field = if self.allow.is_some() { "allowMoves" } else { "avoidMoves" };
            return Err(self.fault(field, TextError::new("No legal move is left")));
        }
        Ok(())
    }
}

/// Gives the turn to `color`, if there is one; where the game is over it goes on.
fn hand_over<const LEN: usize>(line: &mut Line<Go<LEN>>, color: Option<Color>) {
    let over = line.position().passes() > 1;
    let turn = line.position().turn();
    if over || color.is_some_and(|color| color != turn) {
        let mut position = line.position().clone();
        position.set_turn(color.unwrap_or(turn));
        *line = Line::new(position);
    }
}

fn play<const LEN: usize>(line: &mut Line<Go<LEN>>, color: Color, word: &str) -> Result<(), TextError> {
    hand_over(line, Some(color));
    let mv = line.position().parse_move(&word_of(line.position(), word)?)?;
    if !line.is_legal(mv) {
        return Err(TextError::new("it would repeat an earlier position"));
    }
    line.play(mv);
    Ok(())
}

/// A point in KataGo's words: `C4`, or `(2,15)` by column and row from the top left.
fn vertex<const LEN: usize>(position: &Go<LEN>, word: &str) -> Result<Vertex, TextError> {
    let Some(pair) = word.trim().strip_prefix('(').and_then(|word| word.strip_suffix(')')) else {
        return position.parse_vertex(word);
    };
    let numbers: Vec<Option<usize>> = pair.split(',').map(|number| number.trim().parse().ok()).collect();
    let vertex = match numbers[..] {
        [Some(x), Some(y)] if y < position.size() => position.vertex(x, position.size() - 1 - y),
        _ => None,
    };
    vertex.ok_or_else(|| TextError::at(word, 0, "no such point"))
}

/// A point or a pass as we write it.
fn word_of<const LEN: usize>(position: &Go<LEN>, word: &str) -> Result<String, TextError> {
    if word.trim().eq_ignore_ascii_case("pass") {
        return Ok("pass".to_string());
    }
    vertex(position, word).map(|v| position.vertex_text(v))
}
