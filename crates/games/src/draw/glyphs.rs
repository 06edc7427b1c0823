//! Outlines of the characters on pieces and at the edge of a shogi board, so that a picture needs no font.

/// One character a line: the character, a space, an SVG path in a box of 100 by 100. See `glyphs/OFL.txt` for its licence.
const KANJI: &str = include_str!("glyphs/kanji.txt");

/// The SVG path of a text of one known character, in a box of 100 by 100.
pub fn outline(text: &str) -> Option<&'static str> {
    KANJI.lines().filter(|line| !line.starts_with('#')).find_map(|line| line.strip_prefix(text)?.strip_prefix(' '))
}

/// The id of that path in a picture.
pub(super) fn id(text: &str) -> String {
    text.chars().fold("yomi-glyph".to_string(), |id, c| format!("{id}-{:x}", u32::from(c)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_has_an_outline_inside_its_box() {
        assert!(KANJI.len() < 10_000);
        for c in "王玉飛角金銀桂香歩龍馬全圭杏と一二三四五六七八九".chars() {
            let path = outline(&c.to_string()).unwrap();
            for part in path.split('M').skip(1) {
                let end = part.find(|c: char| c.is_ascii_alphabetic()).unwrap();
                let numbers: Vec<i32> =
                    part[..end].replace('-', " -").split_whitespace().map(|n| n.parse().unwrap()).collect();
                assert!(numbers.len() == 2 && numbers.iter().all(|n| (0..=100).contains(n)), "{c}: {part}");
                assert!(part.ends_with('z'), "{c}: an open outline");
            }
        }
        assert_eq!(outline("あ"), None);
        assert_eq!(outline(""), None);
    }
}
