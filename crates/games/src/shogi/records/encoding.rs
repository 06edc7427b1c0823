//! Bytes and text: UTF-8 or Shift_JIS, line ends of every system.

use std::borrow::Cow;

use encoding_rs::{DecoderResult, SHIFT_JIS};
use yomi_core::TextError;

/// How the characters of a file are stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Encoding {
    /// `.kifu`, `.ki2u`, CSA version 3: lines end with LF.
    Utf8,
    /// `.kif`, `.ki2`, older CSA, and the Windows programs that read them: lines end with CR LF.
    ShiftJis,
}

/// The text of a file: what a byte order mark says, else UTF-8 if it is valid, else Shift_JIS.
///
/// A file's own word about its encoding is not asked: Japanese text that is valid UTF-8 is UTF-8, whatever it claims.
pub(super) fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, TextError> {
    if let Some((encoding, mark)) = encoding_rs::Encoding::for_bom(bytes) {
        let text = encoding.decode_without_bom_handling_and_without_replacement(&bytes[mark..]);
        return text.ok_or_else(|| TextError::new(format!("the file is marked as {} but is not", encoding.name())));
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Ok(Cow::Borrowed(text));
    }
    match SHIFT_JIS.decode_without_bom_handling_and_without_replacement(bytes) {
        Some(text) => Ok(text),
        None => {
            let at = first_fault(bytes);
            let line = bytes[..at].iter().filter(|&&byte| byte == b'\n').count() + 1;
            Err(TextError::in_line(line, "", format!("neither UTF-8 nor Shift_JIS: byte {} of the file", at + 1)))
        }
    }
}

/// Where Shift_JIS ends to make sense.
fn first_fault(bytes: &[u8]) -> usize {
    let mut decoder = SHIFT_JIS.new_decoder_without_bom_handling();
    let (mut sink, mut at) = ([0; 4096], 0);
    loop {
        let (result, read, _) = decoder.decode_to_utf8_without_replacement(&bytes[at..], &mut sink, true);
        at += read;
        match result {
            DecoderResult::OutputFull => {}
            DecoderResult::InputEmpty => return at,
            DecoderResult::Malformed(length, after) => return at.saturating_sub(usize::from(length + after)),
        }
    }
}

/// The bytes of `text`. A character that Shift_JIS lacks is an error that names it.
pub fn encode(text: &str, encoding: Encoding) -> Result<Vec<u8>, TextError> {
    if encoding == Encoding::Utf8 {
        return Ok(text.as_bytes().to_vec());
    }
    // What the first line says of the encoding stays true.
    let text = text.replacen("encoding=UTF-8\n", "encoding=SHIFT_JIS\n", usize::from(text.starts_with(['#', '\''])));
    let text = text.replace('\n', "\r\n");
    let (bytes, _, lossy) = SHIFT_JIS.encode(&text);
    if lossy {
        let lacks = |c: char| SHIFT_JIS.encode(c.encode_utf8(&mut [0; 4])).2;
        if let Some((at, c)) = text.char_indices().find(|&(_, c)| lacks(c)) {
            return Err(TextError::at(&text, at, format!("Shift_JIS has no '{c}'; write UTF-8")));
        }
    }
    Ok(bytes.into_owned())
}

/// The lines of a text with their numbers, from 1, whatever ends them. Old files end with a control-Z.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> + Clone {
    let text = text.trim_end_matches('\u{1a}');
    let end = if text.contains('\n') { '\n' } else { '\r' };
    text.split(end).map(|line| line.strip_suffix('\r').unwrap_or(line)).zip(1..).map(|(line, number)| (number, line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_encodings_come_back() {
        let text = "手合割：平手\n▲７六歩 △３四歩\nｶﾅ①\n";
        assert_eq!(decode(&encode(text, Encoding::Utf8).unwrap()).unwrap(), text);
        let bytes = encode(text, Encoding::ShiftJis).unwrap();
        assert_eq!(bytes[..6], [0x8e, 0xe8, 0x8d, 0x87, 0x8a, 0x84]);
        assert_eq!(decode(&bytes).unwrap().replace("\r\n", "\n"), text);
    }

    #[test]
    fn byte_order_marks_are_obeyed() {
        assert_eq!(decode(b"\xef\xbb\xbf\xe6\xad\xa9").unwrap(), "歩");
        assert_eq!(decode(b"\xff\xfe\x69\x6b").unwrap(), "歩");
        assert!(decode(b"\xef\xbb\xbf\x95").is_err());
    }

    #[test]
    fn faults_are_named() {
        let error = encode("a\n☗７六歩", Encoding::ShiftJis).unwrap_err();
        assert_eq!((error.line, error.column), (2, 1));
        assert!(error.message.contains('☗'), "{error}");
        let error = decode(b"a\nb\xff\n").unwrap_err();
        assert_eq!((error.line, error.message.as_str()), (2, "neither UTF-8 nor Shift_JIS: byte 4 of the file"));
        let mut long = encode(&"歩\n".repeat(5000), Encoding::ShiftJis).unwrap();
        long.push(0x85);
        assert_eq!(decode(&long).unwrap_err().line, 5001);
    }

    #[test]
    fn every_line_end_counts() {
        for text in ["a\nb\n\nc", "a\r\nb\r\n\r\nc", "a\rb\r\rc", "a\nb\n\nc\u{1a}"] {
            assert_eq!(lines(text).collect::<Vec<_>>(), [(1, "a"), (2, "b"), (3, ""), (4, "c")]);
        }
    }
}
