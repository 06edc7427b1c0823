//! Writes CSA.

use std::fmt::Write as _;

use yomi_core::record::Record;
use yomi_core::{Color, Position, TextError};

use super::super::moves::ShogiMove;
use super::super::piece::Kind;
use super::super::position::Shogi;
use super::super::square::Square;
use super::super::variant::Variant;
use super::csa::{code, sign};
use super::endings::End;
use super::odds::Odds;
use super::{Format, WORD, evaluation, headers, illegal_move, legal_move, property};

/// The main line of a record in CSA.
pub(super) fn write<V: Variant>(record: &Record<Shogi<V>>, format: Format) -> Result<String, TextError> {
    let milliseconds = format == Format::Csa3;
    let mut text = String::from(if milliseconds { "'CSA encoding=UTF-8\nV3.0\n" } else { "V2.2\n" });
    let mut comments = Vec::new();
    // The format wants the names before all other facts, Black's first.
    for side in ["N+", "N-"] {
        let named = record.headers.iter().filter(|(key, _)| headers::to_csa(key) == Some(side));
        named.for_each(|(_, name)| text += &format!("{side}{}\n", headers::one_line(name)));
    }
    for (key, value) in record.headers.iter().filter(|(key, _)| key != "手合割") {
        let value = headers::one_line(value);
        match headers::to_csa(key) {
            Some("N+" | "N-") => {}
            Some(key @ ("$START_TIME" | "$END_TIME")) => text += &format!("{key}:{}\n", headers::plain_date(&value)),
            Some(key) => text += &format!("{}:{value}\n", headers::one_line(key)),
            None => comments.push(format!("{}：{value}", headers::one_line(key))),
        }
    }
    text += &board(&record.start);
    let _ = writeln!(text, "{}", sign(record.start.turn()));
    comments.iter().for_each(|comment| text += &format!("'{comment}\n"));
    let mut position = record.start;
    for index in record.main_line() {
        let node = &record.nodes[index];
        if let Some(mv) = node.mv {
            legal_move(&position, mv, index)?;
            text += &format!("{}\n", move_text(&position, mv));
            position.play(mv);
        }
        if let Some(ending) = node.ending {
            let turn = position.turn();
            match illegal_move(&position, node) {
                Some(mv) => {
                    text += &format!("{}\n%{}ILLEGAL_ACTION\n", move_text(&position, mv), sign(turn));
                }
                None => text += &format!("{}\n", End::kept(ending, property(node, WORD)).csa(turn)),
            }
        }
        if let Some(time) = node.time {
            match time.subsec_millis() {
                fraction if milliseconds && fraction > 0 => text += &format!("T{}.{fraction:03}\n", time.as_secs()),
                _ => text += &format!("T{}\n", time.as_secs()),
            }
        }
        if let Some(said) = evaluation::csa_text(node, &position) {
            text += &format!("'{said}\n");
        }
        if !node.comment.is_empty() {
            node.comment.split('\n').for_each(|line| text += &format!("'{line}\n"));
        }
    }
    Ok(text)
}

/// The start position.
fn board<V: Variant>(position: &Shogi<V>) -> String {
    if Odds::of(position) == Odds::Even {
        return "PI\n".to_string();
    }
    let mut text = String::new();
    for rank in 1..=V::SIZE {
        let _ = write!(text, "P{rank}");
        for file in (1..=V::SIZE).rev() {
            let piece = Square::new::<V>(file, rank).and_then(|square| position.piece_at(square));
            text += &piece.map_or(" * ".to_string(), |piece| format!("{}{}", sign(piece.color), code(piece.kind)));
        }
        text += "\n";
    }
    for color in Color::BOTH {
        let held = |kind: Kind| format!("00{}", code(kind)).repeat(position.hand(color, kind).into());
        let hand: String = Kind::HAND.into_iter().rev().map(held).collect();
        if !hand.is_empty() {
            let _ = writeln!(text, "P{}{hand}", sign(color));
        }
    }
    text
}

/// A move that is played, or was tried, in this position: `+7776FU`.
pub fn move_text<V: Variant>(position: &Shogi<V>, mv: ShogiMove) -> String {
    let place = |square: Square| format!("{}{}", square.file::<V>(), square.rank::<V>());
    let piece = mv.from().and_then(|from| position.piece_at(from)).map(|piece| piece.kind).or(mv.dropped());
    let piece = piece.map(|kind| if mv.promotes() { kind.promoted().unwrap_or(kind) } else { kind });
    let from = mv.from().map_or("00".to_string(), place);
    format!("{}{from}{}{}", sign(position.turn()), place(mv.to()), piece.map_or("OU", code))
}
