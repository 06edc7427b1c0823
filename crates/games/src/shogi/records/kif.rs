//! Reads KIF and KI2.
//!
//! Both are headers, perhaps a board, then moves; KIF has one move per line with a number, an origin and a time, KI2 several without.
//! One reader takes both, and what lies between them.

use std::iter::Peekable;
use std::time::Duration;

use yomi_core::record::Record;
use yomi_core::{Color, Position, TextError};

use super::super::position::Shogi;
use super::super::square::Square;
use super::super::variant::{Five, Nine, Variant};
use super::AnyRecord;
use super::diagram::{self, Diagram};
use super::encoding;
use super::endings::End;
use super::kanji;
use super::move_text::{self, blank};
use super::odds::Odds;
use super::relative;
use super::scribe::{LONGEST_TIME, Scribe};

/// Reads a record in KIF or KI2.
pub(super) fn read(text: &str) -> Result<AnyRecord, TextError> {
    let mut lines = encoding::lines(text).peekable();
    let mut opening = Opening::read(&mut lines)?;
    if opening.diagram.turn.is_none() {
        let moves = lines.clone().map(|(_, line)| split_counter(line.trim_matches(blank)).1);
        let first = moves.into_iter().find(|text| move_text::begins(text));
        opening.diagram.turn = first.and_then(|text| opening.diagram.mover(text));
    }
    let mini = match opening.diagram.rows.len() {
        0 => opening.odds == Odds::Mini,
        ranks => ranks < usize::from(Nine::SIZE),
    };
    if mini {
        opening.record::<Five>(lines).map(AnyRecord::Minishogi)
    } else {
        opening.record::<Nine>(lines).map(AnyRecord::Shogi)
    }
}

/// What stands before the first move.
struct Opening {
    headers: Vec<(String, String)>,
    comments: Vec<String>,
    odds: Odds,
    diagram: Diagram,
    /// Where the last line of the board or 手合割 stands.
    line: (usize, String),
    /// The square of the move before the first one.
    before: Option<(u8, u8)>,
}

impl Opening {
    fn read<'a>(lines: &mut Peekable<impl Iterator<Item = (usize, &'a str)>>) -> Result<Opening, TextError> {
        let mut opening = Opening {
            headers: Vec::new(),
            comments: Vec::new(),
            odds: Odds::Even,
            diagram: Diagram::default(),
            line: (0, String::new()),
            before: None,
        };
        while let Some((number, line)) = lines.next_if(|(_, line)| !begins_moves(line)) {
            opening.take(number, line).map_err(|error| TextError::in_line(number, line, error.message))?;
        }
        Ok(opening)
    }

    fn take(&mut self, number: usize, line: &str) -> Result<(), TextError> {
        let text = line.trim_matches(blank);
        if text.is_empty() || text.starts_with('#') || text == "盤面回転" || diagram::is_edge(text) {
            return Ok(());
        }
        if let Some(comment) = text.strip_prefix('*') {
            self.comments.push(comment.to_string());
            return Ok(());
        }
        if diagram::is_row(text) {
            self.line = (number, line.to_string());
            return self.diagram.add_row(text);
        }
        if let Some(rest) = text.strip_prefix("手数＝").or_else(|| text.strip_prefix("手数=")) {
            return self.take_last_move(rest);
        }
        if let Some((color, rest)) = kanji::side(text) {
            if rest == "番" {
                self.diagram.turn = Some(color);
                return Ok(());
            }
            let hand = ["の持駒", "の持ち駒", "持駒", "持ち駒"].into_iter().find_map(|key| rest.strip_prefix(key));
            if let Some(hand) = hand.and_then(|hand| hand.trim_start_matches(blank).strip_prefix(COLONS)) {
                return self.diagram.set_hand(color, hand);
            }
        }
        let (key, value) =
            header(text).ok_or_else(|| TextError::new("neither a header, a board, a comment nor a move"))?;
        if key == "手合割" {
            self.line = (number, line.to_string());
            self.odds =
                Odds::from_name(value).ok_or_else(|| TextError::new(format!("no handicap is called {value}")))?;
        }
        self.headers.push((key.to_string(), value.to_string()));
        Ok(())
    }

    /// `手数＝171 ▲６二角成 まで`: how many moves were played and where the last one went.
    fn take_last_move(&mut self, text: &str) -> Result<(), TextError> {
        let end = text.find(|c| kanji::digit(c).is_none() && c != '十').unwrap_or(text.len());
        let played = kanji::number(&text[..end]).and_then(|n| u32::try_from(n).ok());
        self.diagram.played = played.ok_or_else(|| TextError::new("手数＝ asks for a number"))?;
        let rest = text[end..].trim_start_matches(blank);
        if move_text::begins(rest) {
            self.before = move_text::parse(rest)?.0.to;
        }
        Ok(())
    }

    fn start<V: Variant>(&self) -> Result<Shogi<V>, TextError> {
        let (number, line) = &self.line;
        let located = |error: TextError| TextError::in_line(*number, line, error.message);
        if !self.diagram.rows.is_empty() {
            return self.diagram.position::<V>().map_err(located);
        }
        if self.diagram.hands != Diagram::default().hands {
            return Err(TextError::new("pieces in hand are given, but no board"));
        }
        let name = self.odds.name();
        let error = || located(TextError::new(format!("手合割：{name} needs a board")));
        self.odds.position::<V>().ok_or_else(error)
    }

    fn record<'a, V: Variant>(
        self,
        lines: impl Iterator<Item = (usize, &'a str)>,
    ) -> Result<Record<Shogi<V>>, TextError> {
        let start = self.start::<V>()?;
        let before = self.before.and_then(|(file, rank)| Square::new::<V>(file, rank));
        let mut reader = Moves { scribe: Scribe::new(start, before, self.headers), offset: None };
        self.comments.iter().for_each(|comment| reader.scribe.comment(comment));
        for (number, line) in lines {
            reader.read_line(number, line)?;
        }
        reader.scribe.finish()
    }
}

const COLONS: [char; 2] = ['：', ':'];

/// The key and value of a header line.
pub(super) fn header(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(COLONS)?;
    let key = key.trim_matches(blank);
    let odd = |c: char| blank(c) || "()（）▲△☗☖|".contains(c);
    let fine = !key.is_empty() && !key.contains(odd) && !key.starts_with(|c| kanji::digit(c).is_some());
    fine.then(|| (key, value.trim_matches(blank)))
}

/// Whether a line belongs to the moves and no longer to the headers.
pub(super) fn begins_moves(line: &str) -> bool {
    let line = line.trim_matches(blank);
    let (counter, rest) = split_counter(line);
    line.starts_with("手数--")
        || line.starts_with("変化")
        || line.starts_with("まで")
        || move_text::begins(rest)
        || (End::from_kif(word(rest), Color::Black).is_some() && (counter.is_some() || rest == word(rest)))
}

/// The word at the beginning of a text: up to a space, a bracket or the mark of a variation.
fn word(text: &str) -> &str {
    text.split(|c| blank(c) || c == '(' || c == '（' || c == '+').next().unwrap_or(text)
}

/// The number of a move before it, if there is one: digits, then a space.
fn split_counter(line: &str) -> (Option<u64>, &str) {
    let end = line.find(|c: char| !c.is_ascii_digit() && !('０'..='９').contains(&c)).unwrap_or(line.len());
    let (digits, rest) = line.split_at(end);
    let rest_trimmed = rest.trim_start_matches('.').trim_start_matches(blank);
    match kanji::number(digits) {
        Some(n) if rest_trimmed.len() < rest.len() => (Some(n), rest_trimmed),
        _ => (None, line),
    }
}

/// Reads the moves.
struct Moves<V: Variant> {
    scribe: Scribe<V>,
    /// What the numbers before moves count too much: 0 unless the first move of the file has another number than 1.
    offset: Option<u64>,
}

impl<V: Variant> Moves<V> {
    fn read_line(&mut self, number: usize, line: &str) -> Result<(), TextError> {
        let text = line.trim_matches(blank);
        let error = |message: &str| TextError::in_line(number, line, message);
        if text.is_empty() || text.starts_with('#') || text.starts_with("手数--") {
            return Ok(());
        }
        if let Some(comment) = text.strip_prefix('*') {
            self.scribe.comment(comment);
            return Ok(());
        }
        if let Some(name) = text.strip_prefix('&') {
            self.scribe.bookmark(name);
            return Ok(());
        }
        if text.starts_with("まで") {
            return self.scribe.summary(text, error);
        }
        if let Some(rest) = text.strip_prefix("変化") {
            self.scribe.settle()?;
            return self.vary(rest).map_err(|message| error(&message));
        }
        let (counter, rest) = split_counter(text);
        if let Some(counter) = counter {
            self.count(counter).map_err(|message| error(&message))?;
        }
        self.read_moves(number, line, rest)
    }

    /// Moves, ends and times from here to the end of the line.
    fn read_moves(&mut self, number: usize, line: &str, mut rest: &str) -> Result<(), TextError> {
        let error = |message: &str| TextError::in_line(number, line, message);
        while !rest.is_empty() && rest != "+" {
            let mark = rest.strip_prefix(|c| kanji::marked(c).is_some()).unwrap_or(rest);
            if let Some(end) = End::from_kif(word(mark), self.scribe.position().turn()) {
                self.scribe.end(end, error)?;
                rest = &mark[word(mark).len()..];
            } else if let Some(inside) = rest.strip_prefix(['(', '（']) {
                let (time, after) = inside.split_once([')', '）']).ok_or_else(|| error("a bracket is not closed"))?;
                if let Some(time) = elapsed(time).map_err(|message| error(&message))? {
                    self.scribe.time(time);
                }
                rest = after;
            } else {
                let (mv, after) = move_text::parse(rest).map_err(|fault| error(&fault.message))?;
                let said = rest[..rest.len() - after.len()].trim_matches(blank);
                let nth = self.scribe.played() + 1;
                let found = relative::resolve(self.scribe.position(), &mv, self.scribe.before());
                self.scribe.play(found, |reason| error(&format!("move {nth}, {said}, is illegal: {reason}")))?;
                rest = after;
            }
            rest = rest.trim_start_matches(|c| blank(c) || c == '、' || c == ',');
        }
        Ok(())
    }

    /// `変化：12手`: another line begins with the move of this number.
    fn vary(&mut self, text: &str) -> Result<(), String> {
        let digits = text.trim_matches(blank).trim_start_matches(COLONS).trim_matches(blank).trim_end_matches('手');
        let number =
            kanji::number(digits.trim_matches(blank)).ok_or("変化： asks for the number of a move, as 変化：12手")?;
        let number = number.checked_sub(self.offset.unwrap_or(0)).ok_or("that move is not in this record")?;
        self.scribe.vary(usize::try_from(number).unwrap_or(usize::MAX))
    }

    /// The number before a move must be the next one; the first of a file may be any.
    fn count(&mut self, counter: u64) -> Result<(), String> {
        let next = self.scribe.played() as u64 + 1;
        let offset = *self.offset.get_or_insert(counter.saturating_sub(next));
        if counter != next + offset {
            return Err(format!("move {} was expected here, not {counter}", next + offset));
        }
        Ok(())
    }
}

/// The time of a move: `0:12`, `0:12/00:01:23`; nothing if the bracket holds none.
fn elapsed(text: &str) -> Result<Option<Duration>, String> {
    let time = text.split('/').next().unwrap_or(text).trim_matches(blank);
    if !time.contains(COLONS) {
        return if time.is_empty() {
            Ok(None)
        } else {
            Err(format!("({text}) is no time: it looks like ( 0:12/00:01:23)"))
        };
    }
    // More parts than hours, minutes and seconds are no time, and their sum may be too large for a number.
    if time.matches(COLONS).count() > 2 {
        return Err(format!("{time} is no time"));
    }
    let mut seconds = 0;
    for part in time.split(COLONS) {
        let n = kanji::number(part.trim_matches(blank)).filter(|&n| n < 1_000_000);
        seconds = seconds * 60 + n.ok_or_else(|| format!("{time} is no time"))?;
    }
    let time_used = Duration::from_secs(seconds);
    if time_used > LONGEST_TIME { Err(format!("{time} is no time")) } else { Ok(Some(time_used)) }
}
