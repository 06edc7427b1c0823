//! Bytes that arrive in any pieces, as lines.

/// The longest line that is kept; the rest of a longer one is dropped.
const MAX_LINE: usize = 1 << 16;

/// Cuts bytes into lines, in bounded memory.
#[derive(Default, Debug)]
pub(super) struct Lines {
    bytes: Vec<u8>,
    /// Where the next line begins.
    start: usize,
    /// The line being received is too long: its end is dropped.
    overlong: bool,
}

impl Lines {
    /// Takes what has arrived.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.bytes.drain(..self.start);
        self.start = 0;
        for piece in bytes.split_inclusive(|&byte| byte == b'\n') {
            let (body, ends) = match piece.split_last() {
                Some((b'\n', body)) => (body, true),
                _ => (piece, false),
            };
            if !self.overlong {
                let length = self.bytes.iter().rev().take_while(|&&byte| byte != b'\n').count();
                let room = MAX_LINE.saturating_sub(length).min(body.len());
                self.bytes.extend_from_slice(&body[..room]);
                self.overlong = room < body.len();
            }
            if ends {
                self.bytes.push(b'\n');
                self.overlong = false;
            }
        }
    }

    /// The next whole line, without its end. What is not UTF-8 is replaced.
    pub(super) fn next(&mut self) -> Option<String> {
        let rest = &self.bytes[self.start..];
        let end = rest.iter().position(|&byte| byte == b'\n')?;
        let line = String::from_utf8_lossy(&rest[..end]).trim_end_matches('\r').to_string();
        self.start += end + 1;
        Some(line)
    }

    /// Nothing more arrives: half a line is forgotten.
    pub(super) fn end(&mut self) {
        let whole = self.bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        self.bytes.truncate(whole.max(self.start));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_become_lines() {
        let mut lines = Lines::default();
        lines.push(b"best");
        assert_eq!(lines.next(), None);
        lines.push(b"move 7g7f\r\nin");
        assert_eq!(lines.next().as_deref(), Some("bestmove 7g7f"));
        assert_eq!(lines.next(), None);
        lines.push(b"fo\n\n\xff\n");
        assert_eq!(lines.next().as_deref(), Some("info"));
        assert_eq!(lines.next().as_deref(), Some(""));
        assert_eq!(lines.next().as_deref(), Some("\u{fffd}"));
        lines.push(b"rest");
        lines.end();
        lines.push(b"\n");
        assert_eq!(lines.next().as_deref(), Some(""));
    }

    #[test]
    fn memory_is_bounded() {
        let mut lines = Lines::default();
        for _ in 0..100 {
            lines.push(&[b'x'; 10_000]);
        }
        assert!(lines.bytes.len() <= MAX_LINE && lines.bytes.capacity() <= 4 * MAX_LINE);
        lines.push(b"y\nnext\n");
        assert_eq!(lines.next().map(|line| line.len()), Some(MAX_LINE));
        assert_eq!(lines.next().as_deref(), Some("next"));
    }
}
