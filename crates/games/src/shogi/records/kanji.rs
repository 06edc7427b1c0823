//! The Japanese words of records: numbers, squares, pieces.

use yomi_core::Color;

use super::super::piece::Kind;

/// The digit of a character: half width, full width or kanji.
pub(super) fn digit(c: char) -> Option<u8> {
    match c {
        '0'..='9' => Some(c as u8 - b'0'),
        '０'..='９' => Some((c as u32 - '０' as u32) as u8),
        '〇' | '零' => Some(0),
        _ => KANJI_DIGITS.iter().position(|&k| k == c).map(|i| i as u8 + 1),
    }
}

const KANJI_DIGITS: [char; 9] = ['一', '二', '三', '四', '五', '六', '七', '八', '九'];

/// A digit from 1 to 9 in kanji: how ranks are written.
pub(super) fn kanji(n: u8) -> char {
    KANJI_DIGITS[usize::from(n) - 1]
}

/// A digit in full width: how files are written.
pub(super) fn wide(n: u8) -> char {
    char::from_u32('０' as u32 + u32::from(n)).unwrap_or('０')
}

/// The number that `text` is: `18`, `１８`, `十八`, `一八`. Nothing else may stand in it, and it stays below ten thousand million.
pub(super) fn number(text: &str) -> Option<u64> {
    if text.is_empty() || text.chars().count() > 10 {
        return None;
    }
    let (mut total, mut current) = (0, None);
    for c in text.chars() {
        if c == '十' {
            total += current.take().unwrap_or(1) * 10;
        } else {
            current = Some(current.unwrap_or(0) * 10 + u64::from(digit(c)?));
        }
    }
    Some(total + current.unwrap_or(0))
}

/// A count of pieces as hands are written: nothing for one, else kanji.
pub(super) fn count(n: u8) -> String {
    match (n / 10, n % 10) {
        (0, 1) => String::new(),
        (0, ones) => kanji(ones).to_string(),
        (tens, ones) => {
            let tens = if tens == 1 { String::new() } else { kanji(tens).to_string() };
            let ones = if ones == 0 { String::new() } else { kanji(ones).to_string() };
            format!("{tens}十{ones}")
        }
    }
}

/// The names of the pieces, by the index of the kind; the first name is the one we write.
const NAMES: [&[&str]; 14] = [
    &["歩"],
    &["香"],
    &["桂"],
    &["銀"],
    &["角"],
    &["飛"],
    &["金"],
    &["玉", "王"],
    &["と", "成歩"],
    &["成香", "杏"],
    &["成桂", "圭"],
    &["成銀", "全"],
    &["馬"],
    &["龍", "竜"],
];

/// The name of a kind in a move: 歩, 成銀, 龍.
pub(super) fn name(kind: Kind) -> &'static str {
    NAMES[kind.index()][0]
}

/// The one-character name of a kind in a diagram: 全 instead of 成銀.
pub(super) fn cell(kind: Kind) -> &'static str {
    match kind {
        Kind::ProLance => "杏",
        Kind::ProKnight => "圭",
        Kind::ProSilver => "全",
        _ => name(kind),
    }
}

/// The piece whose name `text` begins with, and the rest.
pub(super) fn piece(text: &str) -> Option<(Kind, &str)> {
    Kind::ALL.into_iter().find_map(|kind| {
        let rest = NAMES[kind.index()].iter().find_map(|name| text.strip_prefix(name))?;
        Some((kind, rest))
    })
}

/// The mark of a side before its moves.
pub(super) fn mark(color: Color) -> char {
    if color == Color::Black { '▲' } else { '△' }
}

/// The side whose mark a character is.
pub(super) fn marked(c: char) -> Option<Color> {
    match c {
        '▲' | '☗' | '▼' => Some(Color::Black),
        '△' | '☖' | '▽' => Some(Color::White),
        _ => None,
    }
}

/// The side that a word names: 先手 or 下手, 後手 or 上手; and the rest.
pub(super) fn side(text: &str) -> Option<(Color, &str)> {
    let black = ["先手", "下手"].into_iter().find_map(|word| text.strip_prefix(word));
    let white = ["後手", "上手"].into_iter().find_map(|word| text.strip_prefix(word));
    black.map(|rest| (Color::Black, rest)).or(white.map(|rest| (Color::White, rest)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        let cases =
            [("18", 18), ("１８", 18), ("十八", 18), ("一八", 18), ("十", 10), ("二十", 20), ("〇", 0), ("12手", 0)];
        for (text, n) in cases {
            assert_eq!(number(text), if text.contains('手') { None } else { Some(n) }, "{text}");
        }
        assert_eq!(number(""), None);
        assert_eq!(number("99999999999"), None);
        assert_eq!(number(&"十".repeat(10)), Some(100));
        for n in 1..=99 {
            assert_eq!(number(&count(n)).unwrap_or(1), u64::from(n), "{}", count(n));
        }
        assert_eq!((wide(7), kanji(6)), ('７', '六'));
    }

    #[test]
    fn names_are_read_back_and_none_hides_another() {
        for kind in Kind::ALL {
            for name in NAMES[kind.index()].iter().copied().chain([cell(kind)]) {
                assert_eq!(piece(name), Some((kind, "")), "{name}");
            }
        }
        assert_eq!(piece("銀成(77)"), Some((Kind::Silver, "成(77)")));
        assert_eq!(piece("成銀(77)"), Some((Kind::ProSilver, "(77)")));
        assert_eq!(piece("成"), None);
    }
}
