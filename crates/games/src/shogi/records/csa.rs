//! Reads CSA, versions 1 to 3, on nine by nine and, with `P1` to `P5`, on five by five squares.

use std::iter::Peekable;
use std::time::Duration;

use yomi_core::record::Record;
use yomi_core::{Color, Position, TextError};

use super::super::moves::ShogiMove;
use super::super::piece::Kind;
use super::super::position::Shogi;
use super::super::square::Square;
use super::super::variant::{Five, Nine, Variant};
use super::AnyRecord;
use super::csa_opening::{Opening, square};
use super::encoding;
use super::endings::End;
use super::relative::{Refusal, refuse};
use super::scribe::{LONGEST_TIME, Scribe};

/// The names of the pieces, by the index of the kind.
const CODES: [&str; 14] = ["FU", "KY", "KE", "GI", "KA", "HI", "KI", "OU", "TO", "NY", "NK", "NG", "UM", "RY"];

/// The name of a kind.
pub(super) fn code(kind: Kind) -> &'static str {
    CODES[kind.index()]
}

pub(super) fn kind(code: &str) -> Option<Kind> {
    CODES.iter().position(|&known| known == code).and_then(Kind::from_index)
}

/// The sign of a side.
pub(super) fn sign(color: Color) -> char {
    if color == Color::Black { '+' } else { '-' }
}

pub(super) fn signed(c: char) -> Option<Color> {
    match c {
        '+' => Some(Color::Black),
        '-' => Some(Color::White),
        _ => None,
    }
}

/// Whether only CSA has such a line.
pub(super) fn is_sign(line: &str) -> bool {
    match line.as_bytes() {
        [b'V', b'1'..=b'3', ..] | [b'N', b'+' | b'-', ..] | [b'P', b'I', ..] => true,
        [b'P', b'1'..=b'9', b'+' | b'-' | b' ' | b'*', ..] => true,
        [b'P', b'+' | b'-', b'0'..=b'9', ..] => true,
        [b'+' | b'-', squares @ .., a, b] if squares.len() == 4 => {
            squares.iter().all(u8::is_ascii_digit) && a.is_ascii_uppercase() && b.is_ascii_uppercase()
        }
        [b'+' | b'-', a, b, c, d, _, _, b',', ..] => [a, b, c, d].into_iter().all(u8::is_ascii_digit),
        [b'$', key @ ..] => {
            let letters = key.iter().take_while(|byte| byte.is_ascii_uppercase() || b"_+-".contains(byte)).count();
            letters > 0 && key.get(letters) == Some(&b':')
        }
        _ => false,
    }
}

/// Reads the one record of a text.
pub(super) fn read(text: &str) -> Result<AnyRecord, TextError> {
    let mut lines = encoding::lines(text).peekable();
    let record = read_game(&mut lines)?;
    match lines.find(|(_, line)| !line.trim().is_empty() && !line.starts_with('\'')) {
        Some((number, line)) => Err(TextError::in_line(number, line, "another game begins here; one was expected")),
        None => Ok(record),
    }
}

/// Reads all records of a text: lines of a single `/` part them.
pub(super) fn read_all(text: &str) -> Result<Vec<AnyRecord>, TextError> {
    let mut lines = encoding::lines(text).peekable();
    let mut records = Vec::new();
    // Blank lines and comments alone are no further game.
    while lines.clone().any(|(_, line)| !line.trim().is_empty() && !line.starts_with('\'')) {
        records.push(read_game(&mut lines)?);
        while lines.next_if(|(_, line)| line.trim().is_empty()).is_some() {}
    }
    Ok(records)
}

/// Reads up to the line that parts games, which is taken, too.
fn read_game<'a>(lines: &mut Peekable<impl Iterator<Item = (usize, &'a str)>>) -> Result<AnyRecord, TextError> {
    let mut opening = Opening::default();
    while let Some((number, line)) = lines.next_if(|(_, line)| opening.turn.is_none() && !begins_moves(line)) {
        opening.take(number, line.trim_end()).map_err(|error| TextError::in_line(number, line, error.message))?;
    }
    // Where the side to move is missing, the first move decides it.
    let first = lines.peek().and_then(|(_, line)| line.chars().next()).and_then(signed);
    opening.diagram.turn = opening.turn.or(first);
    let lines = lines.take_while(|(_, line)| line.trim() != "/");
    if (1..=Five::SIZE.into()).contains(&opening.diagram.rows.len()) {
        record::<Five>(opening, lines).map(AnyRecord::Minishogi)
    } else {
        record::<Nine>(opening, lines).map(AnyRecord::Shogi)
    }
}

/// Whether a line belongs to the moves: a move, an end, or the line that parts games.
fn begins_moves(line: &str) -> bool {
    let mut chars = line.chars();
    match chars.next() {
        Some('+' | '-') => chars.next().is_some_and(|c| c.is_ascii_digit()),
        Some('%' | 'T') => true,
        Some('/') => line.trim() == "/",
        _ => false,
    }
}

/// The record that follows an opening.
fn record<'a, V: Variant>(
    mut opening: Opening,
    lines: impl Iterator<Item = (usize, &'a str)>,
) -> Result<Record<Shogi<V>>, TextError> {
    let start = opening.start::<V>()?;
    let mut scribe = Scribe::new(start, None, opening.headers);
    opening.comments.iter().for_each(|comment| scribe.comment(comment));
    for (number, line) in lines {
        let mut rest = line.trim_end();
        while !rest.is_empty() {
            // After a comma stands another statement, but a comment goes to the end of its line.
            let comma = if rest.starts_with('\'') { None } else { rest.split_once(',') };
            let (statement, after) = comma.unwrap_or((rest, ""));
            let error = |message: &str| TextError::in_line(number, line, message);
            take_move(&mut scribe, statement.trim(), error)?;
            rest = after.trim_start();
        }
    }
    scribe.finish()
}

/// A statement after the opening.
fn take_move<V: Variant>(
    scribe: &mut Scribe<V>,
    text: &str,
    error: impl Fn(&str) -> TextError,
) -> Result<(), TextError> {
    if let Some(comment) = text.strip_prefix('\'') {
        scribe.comment(comment);
    } else if let Some(word) = text.strip_prefix('%') {
        let end = End::from_csa(word, scribe.position().turn());
        scribe.end(end.ok_or_else(|| error("no end of a game is called so"))?, error)?;
    } else if let Some(time) = text.strip_prefix('T') {
        scribe.time(
            seconds(time)
                .filter(|&time| time <= LONGEST_TIME)
                .ok_or_else(|| error("a time looks like T12 or T12.345"))?,
        );
    } else if text.starts_with(['+', '-']) {
        let nth = scribe.played() + 1;
        let mv = resolve(scribe.position(), text);
        scribe.play(mv, |reason| error(&format!("move {nth}, {text}, is illegal: {reason}")))?;
    } else if !text.is_empty() {
        return Err(error("neither a move, a time, a comment nor an end"));
    }
    Ok(())
}

/// The legal move that `+7776FU` means in this position.
pub fn parse_move<V: Variant>(position: &Shogi<V>, text: &str) -> Result<ShogiMove, TextError> {
    resolve(position, text).map_err(|refusal| TextError::at(text, 0, refusal.reason))
}

/// The legal move that `+7776FU` means.
fn resolve<V: Variant>(position: &Shogi<V>, text: &str) -> Result<ShogiMove, Refusal> {
    let fault = || Refusal::from("a move looks like +7776FU".to_string());
    let (sign, rest) = text.split_at_checked(1).ok_or_else(fault)?;
    let (squares, code) = rest.split_at_checked(4).filter(|_| rest.is_ascii()).ok_or_else(fault)?;
    let color = sign.chars().next().and_then(signed).ok_or_else(fault)?;
    let kind = kind(code).ok_or_else(fault)?;
    let on_board = |(file, rank): (usize, usize)| Square::new::<V>(file as u8, rank as u8);
    let (from, to) = (square(&squares[..2]).ok_or_else(fault)?, square(&squares[2..]).ok_or_else(fault)?);
    if color != position.turn() {
        return Err(format!("it is {}'s move", self::sign(position.turn())).into());
    }
    let to = on_board(to).ok_or_else(|| format!("the board has no square {}", &squares[2..]))?;
    let mv = if from == (0, 0) {
        if kind.is_promoted() || position.hand(color, kind) == 0 {
            return Err(format!("there is no {code} in hand").into());
        }
        ShogiMove::drop(kind, to)
    } else {
        let from = on_board(from).ok_or_else(|| format!("the board has no square {}", &squares[..2]))?;
        match position.piece_at(from) {
            Some(piece) if piece.kind == kind => ShogiMove::new(from, to),
            Some(piece) if piece.kind.promoted() == Some(kind) => ShogiMove::promoting(from, to),
            Some(piece) => {
                return Err(format!("{} stands on {}, not {code}", self::code(piece.kind), &squares[..2]).into());
            }
            None => return Err(format!("nothing stands on {}", &squares[..2]).into()),
        }
    };
    if position.is_legal(mv) {
        return Ok(mv);
    }
    Err(refuse(position, mv))
}

/// Seconds, perhaps with a fraction.
fn seconds(text: &str) -> Option<Duration> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |text: &str| !text.is_empty() && text.len() <= 9 && text.bytes().all(|b| b.is_ascii_digit());
    if !digits(whole) || !digits(fraction) {
        return None;
    }
    let nanos = format!("{fraction:0<9}");
    Some(Duration::new(whole.parse().ok()?, nanos.parse().ok()?))
}
