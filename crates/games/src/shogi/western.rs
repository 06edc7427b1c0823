//! Western notation of shogi moves: `P-7f`, `Sx3c+`, `G6i-5h`, `P*5e`.

use yomi_core::{Notation, Position, TextError};

use super::moves::ShogiMove;
use super::piece::Kind;
use super::position::Shogi;
use super::variant::Variant;

/// A move in Western notation: `P-7f`, `Sx3c+`, `G6i-5h`, `P*5e`; `=` declines a promotion.
pub(super) fn western<V: Variant>(position: &Shogi<V>, mv: ShogiMove) -> String {
    let to = mv.to();
    let Some(from) = mv.from() else { return position.move_text(mv) };
    let name = position.piece_at(from).map_or(String::new(), |piece| letters(piece.kind));
    let mut legal = Vec::new();
    position.generate(&mut legal);
    let rival = |other: &ShogiMove| {
        let same =
            other.from().and_then(|from| position.piece_at(from)).is_some_and(|piece| letters(piece.kind) == name);
        same && other.to() == to && other.from() != Some(from)
    };
    let origin = if legal.iter().any(rival) { from.text::<V>() } else { String::new() };
    let sign = if position.piece_at(to).is_some() { "x" } else { "-" };
    let promotion = match mv.promotes() {
        true => "+",
        false if position.is_legal(ShogiMove::promoting(from, to)) => "=",
        false => "",
    };
    format!("{name}{origin}{sign}{}{promotion}", to.text::<V>())
}

/// The letters of a piece: `P`, `+R`.
fn letters(kind: Kind) -> String {
    let plus = if kind == kind.plain() { "" } else { "+" };
    format!("{plus}{}", kind.letter())
}

/// The legal move that a Western text means. Signs between piece and square may be left out, ranks may be digits.
pub(super) fn parse_western<V: Variant>(position: &Shogi<V>, text: &str) -> Result<ShogiMove, TextError> {
    let bare = |text: &str| text.replace(['-', 'x', '='], "");
    let digits = |square: String| {
        let rank = square.as_bytes().get(1).map_or(0, |rank| rank - b'a' + 1);
        format!("{}{rank}", &square[..1])
    };
    let wanted = bare(text);
    let mut legal = Vec::new();
    position.generate(&mut legal);
    let fits = |mv: &ShogiMove| {
        let Some((from, piece)) = mv.from().and_then(|from| Some((from, position.piece_at(from)?))) else {
            return false;
        };
        let (from, to) = (from.text::<V>(), mv.to().text::<V>());
        let suffix = if mv.promotes() { "+" } else { "" };
        let name = letters(piece.kind);
        let forms = [
            format!("{name}{to}{suffix}"),
            format!("{name}{from}{to}{suffix}"),
            format!("{name}{}{suffix}", digits(to.clone())),
            format!("{name}{}{}{suffix}", digits(from), digits(to)),
        ];
        forms.contains(&wanted)
    };
    legal.retain(fits);
    match legal[..] {
        [mv] => Ok(mv),
        [] => Err(TextError::at(text, 0, format!("{text} is no legal move here"))),
        _ => {
            let names: Vec<String> = legal.iter().map(|&mv| position.move_text(mv)).collect();
            Err(TextError::at(text, 0, format!("{text} may be {}", names.join(" or "))))
        }
    }
}
