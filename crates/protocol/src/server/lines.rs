//! Lines of bounded length from a stream of bytes.

use std::io::{self, BufRead, ErrorKind};

/// The longest line that is read. A game of a hundred thousand moves fits; what is longer is noise and skipped.
const LONGEST: usize = 1 << 20;

/// A line, or the fact that there was one too long to be kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Line {
    Text(String),
    TooLong,
}

/// The next line without its end; none when the stream has ended. A last line without an end counts.
pub(super) fn next(input: &mut impl BufRead) -> io::Result<Option<Line>> {
    let mut line: Vec<u8> = Vec::new();
    let (mut any, mut too_long) = (false, false);
    loop {
        let available = match input.fill_buf() {
            Ok(available) => available,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if available.is_empty() {
            return Ok(any.then(|| finish(line, too_long)));
        }
        any = true;
        let end = available.iter().position(|&byte| byte == b'\n');
        let part = &available[..end.unwrap_or(available.len())];
        too_long |= line.len() + part.len() > LONGEST;
        if too_long {
            line = Vec::new();
        } else {
            line.extend_from_slice(part);
        }
        let used = part.len() + usize::from(end.is_some());
        input.consume(used);
        if end.is_some() {
            return Ok(Some(finish(line, too_long)));
        }
    }
}

fn finish(mut line: Vec<u8>, too_long: bool) -> Line {
    if too_long {
        return Line::TooLong;
    }
    if line.last() == Some(&b'\r') {
        line.pop();
    }
    Line::Text(String::from_utf8_lossy(&line).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(mut bytes: &[u8]) -> Vec<Line> {
        std::iter::from_fn(|| next(&mut bytes).unwrap()).collect()
    }

    #[test]
    fn lines_end_as_they_do_anywhere() {
        let text = |t: &str| Line::Text(t.to_string());
        assert_eq!(lines(b"usi\r\n\nisready\nqui"), [text("usi"), text(""), text("isready"), text("qui")]);
        assert_eq!(lines(b""), []);
        assert_eq!(lines(b"a\xffb\n"), [text("a\u{fffd}b")]);
    }

    #[test]
    fn what_is_too_long_is_skipped() {
        let mut bytes = vec![b'x'; 10_000_000];
        bytes.extend_from_slice(b"\nusi\n");
        assert_eq!(lines(&bytes), [Line::TooLong, Line::Text("usi".to_string())]);
    }
}
