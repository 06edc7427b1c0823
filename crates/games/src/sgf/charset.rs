//! From the bytes of a file to text.

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

/// How far into a file the charset property is looked for.
const HEAD: usize = 4096;

/// The text of a file: a byte order mark decides, then its `CA` property if that is true, then UTF-8 if it is that, and Latin-1 in
/// the end, which is what the standard says of files that say nothing. What cannot be decoded becomes `�`.
pub fn decode(bytes: &[u8]) -> String {
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        return encoding.decode_without_bom_handling(&bytes[mark..]).0.into_owned();
    }
    let declared = declared_charset(bytes);
    for encoding in declared.into_iter().chain([UTF_8]) {
        if let Some(text) = encoding.decode_without_bom_handling_and_without_replacement(bytes) {
            return text.into_owned();
        }
    }
    declared.unwrap_or(WINDOWS_1252).decode_without_bom_handling(bytes).0.into_owned()
}

/// The encoding that the first `CA[..]` of the file names, if it is one we know.
fn declared_charset(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = &bytes[..bytes.len().min(HEAD)];
    let mut from = 0;
    while let Some(found) = head[from..].windows(2).position(|pair| pair == b"CA") {
        let at = from + found;
        from = at + 2;
        // Not the end of a longer word, and a bracket comes next.
        let alone = at == 0 || !head[at - 1].is_ascii_alphabetic();
        let rest = head[from..].trim_ascii_start();
        if let (true, Some(value)) = (alone, rest.strip_prefix(b"[")) {
            let end = value.iter().position(|&b| b == b']')?;
            return Encoding::for_label(value[..end].trim_ascii());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use encoding_rs::{BIG5, EUC_KR, GBK, SHIFT_JIS};

    #[test]
    fn declared_charsets_are_used() {
        for (label, encoding, name) in [
            ("Shift_JIS", SHIFT_JIS, "本因坊秀策"),
            ("GB2312", GBK, "吴清源"),
            ("big5", BIG5, "林海峰"),
            ("euc-kr", EUC_KR, "조훈현"),
            ("UTF-8", UTF_8, "Erdős 本"),
            ("ISO-8859-1", WINDOWS_1252, "Müller"),
        ] {
            let text = format!("(;FF[4]CA[{label}]PB[{name}])");
            let (bytes, _, unmappable) = encoding.encode(&text);
            assert!(!unmappable);
            assert_eq!(decode(&bytes), text, "{label}");
        }
    }

    #[test]
    fn files_that_say_nothing_or_lie_are_read_too() {
        assert_eq!(decode("(;PB[本])".as_bytes()), "(;PB[本])", "UTF-8 without CA");
        assert_eq!(decode(b"(;PB[M\xfcller])"), "(;PB[Müller])", "Latin-1 without CA");
        assert_eq!(decode(b"(;CA[klingon]PB[M\xfcller])"), "(;CA[klingon]PB[Müller])", "an unknown charset");
        assert_eq!(decode(b"\xef\xbb\xbf(;PB[x])"), "(;PB[x])", "a byte order mark");
        assert_eq!(decode(b"\xff\xfe(\0;\0)\0"), "(;)", "UTF-16");
        let latin = "(;CA[US-ASCII]C[NCA[x]CA [big5])";
        assert_eq!(decode(latin.as_bytes()), latin);
        assert_eq!(decode(b"(;CA[UTF-8]PB[M\xfcller])"), "(;CA[UTF-8]PB[M\u{fffd}ller])", "not what it claims");
        assert_eq!(
            decode("(;CA[Shift_JIS]PB[\u{a0}本])".as_bytes()),
            "(;CA[Shift_JIS]PB[\u{a0}本])",
            "a lie about UTF-8"
        );
        assert_eq!(decode(b""), "");
    }
}
