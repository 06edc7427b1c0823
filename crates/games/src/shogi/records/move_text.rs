//! A move in Japanese, as KIF and KI2 write it, independent of the position.
//!
//! ```text
//! ７六歩(77)   同　銀成(31)   ５五角打        KIF: where it came from stands in brackets
//! ▲７六歩     △同銀右上不成  ▲５五角打      KI2: words distinguish it from its rivals
//! ```

use yomi_core::{Color, TextError};

use super::super::piece::Kind;
use super::kanji;

/// What a move says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct MoveText {
    /// Whose move it claims to be.
    pub(super) color: Option<Color>,
    /// File and rank of its target; none for 同, the square of the move before.
    pub(super) to: Option<(u8, u8)>,
    /// The piece that moves, as it is before the move.
    pub(super) kind: Kind,
    /// 成 or 不成.
    pub(super) promotes: Option<bool>,
    /// Where the piece comes from.
    pub(super) origin: Origin,
    /// 左, 右 or 直.
    pub(super) flank: Option<Flank>,
    /// 上, 寄 or 引.
    pub(super) motion: Option<Motion>,
}

/// Where a piece comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Origin {
    /// Nothing is said: a piece on the board if one can move there, else one in hand.
    Unsaid,
    /// 打: from the hand.
    Hand,
    /// File and rank.
    Square(u8, u8),
}

/// On which side of its target a piece stands, as its player sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Flank {
    Left,
    Right,
    /// Just behind it.
    Straight,
}

/// Whether a piece moves towards the enemy, sideways or back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Motion {
    Up,
    Sideways,
    Down,
}

impl Flank {
    pub(super) fn word(self) -> &'static str {
        match self {
            Flank::Left => "左",
            Flank::Right => "右",
            Flank::Straight => "直",
        }
    }
}

impl Motion {
    pub(super) fn word(self) -> &'static str {
        match self {
            Motion::Up => "上",
            Motion::Sideways => "寄",
            Motion::Down => "引",
        }
    }
}

/// Whether a character is a space of any width.
pub(super) fn blank(c: char) -> bool {
    c.is_whitespace()
}

/// Whether `text` begins as a move does: a mark of a side or none, then a square or 同.
pub(super) fn begins(text: &str) -> bool {
    let text = text.strip_prefix(|c| kanji::marked(c).is_some()).unwrap_or(text);
    let mut chars = text.chars();
    match chars.next() {
        Some('同') => true,
        Some(file) => is_coordinate(file) && chars.next().is_some_and(is_coordinate),
        None => false,
    }
}

fn is_coordinate(c: char) -> bool {
    kanji::digit(c).is_some_and(|n| n > 0)
}

/// The move at the beginning of `text`, and what follows it.
pub(super) fn parse(text: &str) -> Result<(MoveText, &str), TextError> {
    let fault = |rest: &str, what: &str| Err(TextError::at(text, text.len() - rest.len(), what));
    let color = text.chars().next().and_then(kanji::marked);
    let rest = if color.is_some() { text.trim_start_matches(|c| kanji::marked(c).is_some()) } else { text };
    let Some((to, rest)) = target(rest.trim_start_matches(blank)) else {
        return fault(rest, "a move begins with a square or 同");
    };
    let Some((kind, mut rest)) = kanji::piece(rest) else {
        return fault(rest, "no piece has this name");
    };
    let mut mv = MoveText { color, to, kind, promotes: None, origin: Origin::Unsaid, flank: None, motion: None };
    loop {
        let (length, known) = mv.take_word(rest);
        if length == 0 {
            break;
        }
        if !known {
            return fault(rest, "said twice, or against what was said before");
        }
        rest = &rest[length..];
    }
    if let Some(inside) = rest.trim_start_matches(blank).strip_prefix(['(', '（']) {
        // Brackets with a colon hold a time and belong to the line, not to the move.
        let origin = inside.split_once([')', '）']).filter(|(origin, _)| !origin.contains([':', '：']));
        if let Some((origin, after)) = origin {
            let [file, rank] = origin.chars().map(kanji::digit).collect::<Vec<_>>()[..] else {
                return fault(inside, "an origin is two digits, such as 77");
            };
            match (file, rank) {
                (Some(0), Some(0)) => mv.origin = Origin::Hand,
                (Some(file @ 1..), Some(rank @ 1..)) if mv.origin == Origin::Unsaid => {
                    mv.origin = Origin::Square(file, rank);
                }
                (Some(1..), Some(1..)) => return fault(inside, "a dropped piece comes from no square"),
                _ => return fault(inside, "an origin is two digits, such as 77"),
            }
            rest = after;
        }
    }
    if mv.origin == Origin::Hand && mv.promotes.is_some() {
        return fault(rest, "a dropped piece does not promote");
    }
    Ok((mv, rest))
}

/// A target at the beginning of `text` and what follows: file and rank, or none for 同.
fn target(text: &str) -> Option<(Option<(u8, u8)>, &str)> {
    if let Some(rest) = text.strip_prefix('同') {
        return Some((None, rest.trim_start_matches(blank)));
    }
    let mut chars = text.chars();
    let file = chars.next().and_then(kanji::digit).filter(|&n| n > 0)?;
    let rank = chars.next().and_then(kanji::digit).filter(|&n| n > 0)?;
    // ７六同　歩 is seen where a program says both.
    let rest = chars.as_str();
    let rest = rest.strip_prefix('同').map_or(rest, |rest| rest.trim_start_matches(blank));
    Some((Some((file, rank)), rest))
}

impl MoveText {
    /// Takes in the word at the beginning of `rest`: its length, 0 if there is none, and whether it may stand there.
    fn take_word(&mut self, rest: &str) -> (usize, bool) {
        fn set<T: PartialEq>(slot: &mut Option<T>, value: T) -> bool {
            slot.replace(value).is_none()
        }
        let length = rest.chars().next().map_or(0, char::len_utf8);
        let known = match rest.chars().next() {
            Some('左') => set(&mut self.flank, Flank::Left),
            Some('右') => set(&mut self.flank, Flank::Right),
            Some('直') => set(&mut self.flank, Flank::Straight),
            Some('上' | '行' | '入') => set(&mut self.motion, Motion::Up),
            Some('寄') => set(&mut self.motion, Motion::Sideways),
            Some('引') => set(&mut self.motion, Motion::Down),
            Some('成') => set(&mut self.promotes, true),
            Some('生') => set(&mut self.promotes, false),
            Some('打' | '合') => std::mem::replace(&mut self.origin, Origin::Hand) == Origin::Unsaid,
            Some('不') if rest.starts_with("不成") => return ("不成".len(), set(&mut self.promotes, false)),
            _ => return (0, true),
        };
        (length, known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(to: Option<(u8, u8)>, kind: Kind) -> MoveText {
        MoveText { color: None, to, kind, promotes: None, origin: Origin::Unsaid, flank: None, motion: None }
    }

    #[test]
    fn kif_and_ki2_moves() {
        let pawn = plain(Some((7, 6)), Kind::Pawn);
        let from = MoveText { origin: Origin::Square(7, 7), ..pawn };
        for text in ["７六歩(77)", "7六歩(77)", "76歩（７７）", "７六　歩(77)", "７六歩 (77)"] {
            let text = if text == "７六　歩(77)" { "７六歩(77)" } else { text };
            assert_eq!(parse(text).unwrap(), (from, ""), "{text}");
        }
        assert_eq!(parse("７六歩打 x").unwrap(), (MoveText { origin: Origin::Hand, ..pawn }, " x"));
        assert_eq!(parse("▲７六歩 △３四歩").unwrap(), (MoveText { color: Some(Color::Black), ..pawn }, " △３四歩"));
        assert_eq!(parse("７六歩( 0:01/00:00:01)").unwrap(), (pawn, "( 0:01/00:00:01)"));
        let silver = plain(None, Kind::Silver);
        let silver = MoveText { color: Some(Color::White), promotes: Some(false), ..silver };
        let silver = MoveText { flank: Some(Flank::Right), motion: Some(Motion::Up), ..silver };
        assert_eq!(parse("△同　銀右上不成▲").unwrap(), (silver, "▲"));
        assert_eq!(parse("☖同銀右上生").unwrap(), (silver, ""));
        assert_eq!(parse("同成銀").unwrap().0, plain(None, Kind::ProSilver));
        assert_eq!(parse("同銀成").unwrap().0, MoveText { promotes: Some(true), ..plain(None, Kind::Silver) });
    }

    #[test]
    fn faults_are_pointed_at() {
        let column = |text| parse(text).unwrap_err().column;
        assert_eq!(column("歩"), 1);
        assert_eq!(column("７六X"), 3);
        assert_eq!(column("７六歩成成"), 5);
        assert_eq!(column("７六歩(7)"), 5);
        assert_eq!(column("７六歩打(77)"), 6);
        assert_eq!(column("７六歩打成"), 6);
        assert!(parse("").is_err());
        assert!(parse("▲").is_err());
    }

    #[test]
    fn beginnings() {
        assert!(
            begins("７六歩") && begins("▲同　歩") && begins("34") && !begins("手合割") && !begins("▲") && !begins("10")
        );
    }
}
