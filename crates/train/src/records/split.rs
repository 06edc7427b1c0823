//! The games of a file, each by itself: one that cannot be read does not take the others along.

use yomi_games::{RecordFormat, sgf};

/// The text of one game, and the line of its file that it begins in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Part {
    pub(super) line: usize,
    pub(super) bytes: Vec<u8>,
}

/// Takes a file apart. Nothing is lost: what belongs to no game is a part of its own, and reading it says what is wrong.
pub(super) fn parts(bytes: &[u8], format: RecordFormat) -> Vec<Part> {
    match format {
        RecordFormat::Usi => {
            let lines = bytes.split(|&byte| byte == b'\n').zip(1..);
            let lines = lines.filter(|(line, _)| !line.trim_ascii().is_empty());
            lines.map(|(bytes, line)| Part { line, bytes: bytes.to_vec() }).collect()
        }
        // Only CSA has games between lines of a slash, and no other format of shogi has such lines.
        RecordFormat::Shogi(..) => between_slashes(bytes),
        RecordFormat::Sgf | RecordFormat::Blksgf => trees(&sgf::decode(bytes)),
    }
}

/// Games of CSA. Neither byte is part of a character in Shift_JIS.
fn between_slashes(bytes: &[u8]) -> Vec<Part> {
    let mut parts = vec![Part { line: 1, bytes: Vec::new() }];
    for (line, number) in bytes.split_inclusive(|&byte| byte == b'\n').zip(1..) {
        match parts.last_mut() {
            Some(part) if line.trim_ascii() != b"/" => part.bytes.extend_from_slice(line),
            _ => parts.push(Part { line: number + 1, bytes: Vec::new() }),
        }
    }
    let silent = |line: &[u8]| line.trim_ascii().is_empty() || line.starts_with(b"'");
    let one = parts.len() == 1;
    parts.retain(|part| one || part.bytes.split(|&byte| byte == b'\n').any(|line| !silent(line)));
    parts
}

/// Games of SGF, each marked as the UTF-8 that it is now, whatever it says of itself.
fn trees(text: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let (mut at, mut line) = (0, 1);
    while let Some(length) = tree(&text[at..]) {
        let (part, rest) = text[at..].split_at(length);
        let lead = part.len() - part.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}').len();
        let breaks = |text: &str| text.bytes().filter(|&byte| byte == b'\n').count();
        if lead < part.len() {
            let bytes = format!("\u{feff}{}", &part[lead..]).into_bytes();
            parts.push(Part { line: line + breaks(&part[..lead]), bytes });
        }
        line += breaks(part);
        at = text.len() - rest.len();
    }
    if parts.is_empty() {
        parts.push(Part { line: 1, bytes: text.as_bytes().to_vec() });
    }
    parts
}

/// How long the first game of a text is, with what stands before it; none at its end. A game whose brackets do not close ends before the
/// next line that begins one.
fn tree(text: &str) -> Option<usize> {
    if text.is_empty() {
        return None;
    }
    let (mut depth, mut value, mut escaped) = (0usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match (value, byte) {
            (true, _) if escaped => escaped = false,
            (true, b'\\') => escaped = true,
            (true, b']') => value = false,
            (true, _) => {}
            (false, b'[') if depth > 0 => value = true,
            (false, b'(') => depth += 1,
            (false, b')') if depth == 1 => return Some(at + 1),
            (false, b')') => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    let begun = text.find('(').map_or(text.len(), |at| at + 1);
    Some(text[begun..].find("\n(;").map_or(text.len(), |at| begun + at + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str, format: &str) -> Vec<(usize, String)> {
        let text_of = |part: Part| (part.line, String::from_utf8(part.bytes).unwrap().replace('\u{feff}', ""));
        parts(text.as_bytes(), format.parse().unwrap()).into_iter().map(text_of).collect()
    }

    #[test]
    fn files_fall_into_games() {
        assert_eq!(
            texts("startpos\n\n  startpos moves 7g7f\r\n", "usi"),
            [(1, "startpos".into()), (3, "  startpos moves 7g7f\r".into())]
        );
        assert_eq!(
            texts("V2\nPI\n/\nV2\r\nPI\r\n/\r\n\n'the end\n", "csa"),
            [(1, "V2\nPI\n".into()), (4, "V2\r\nPI\r\n".into())]
        );
        // A file without a game is one part, so that it is refused.
        assert_eq!(texts("", "kif"), [(1, String::new())]);
        assert_eq!(texts("", "sgf"), [(1, String::new())]);
        assert_eq!(
            texts("\n(;C[a (; \\] b](;B[aa])\n(;B[bb]))\n\n(;GM[1]) (;GM[1])\n", "sgf"),
            [(2, "(;C[a (; \\] b](;B[aa])\n(;B[bb]))".into()), (5, "(;GM[1])".into()), (5, "(;GM[1])".into())]
        );
    }

    #[test]
    fn a_game_that_does_not_end_leaves_the_next_ones() {
        assert_eq!(
            texts("(;C[open\n(;B[aa]\n(;GM[1])\n", "sgf"),
            [(1, "(;C[open\n".into()), (2, "(;B[aa]\n".into()), (3, "(;GM[1])".into())]
        );
    }
}
