//! What stands between the brackets.

/// A value as it stands in the file, escapes and all. The games decide which of the readings below is meant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Value<'a>(pub &'a str);

impl<'a> Value<'a> {
    /// The value as text: escapes undone, soft line breaks taken out, every line break one `\n`, other white space a space.
    pub fn text(self) -> String {
        let mut out = String::with_capacity(self.0.len());
        let mut chars = self.0.chars().peekable();
        while let Some(c) = chars.next() {
            let (c, escaped) = if c == '\\' { (chars.next(), true) } else { (Some(c), false) };
            match c {
                Some(c @ ('\n' | '\r')) => {
                    // A line break may be two characters, in either order.
                    let other = if c == '\n' { '\r' } else { '\n' };
                    chars.next_if_eq(&other);
                    if !escaped {
                        out.push('\n');
                    }
                }
                Some(c) if c.is_ascii_whitespace() || c == '\u{b}' => out.push(' '),
                Some(c) => out.push(c),
                None => {}
            }
        }
        out
    }

    /// The value as a single line of text, trimmed.
    pub fn line(self) -> String {
        self.text().replace('\n', " ").trim().to_string()
    }

    /// The two parts of a composed value, parted by the first colon that is not escaped.
    pub fn parts(self) -> Option<(Value<'a>, Value<'a>)> {
        let mut escaped = false;
        for (i, c) in self.0.char_indices() {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                ':' => return Some((Value(&self.0[..i]), Value(&self.0[i + 1..]))),
                _ => {}
            }
        }
        None
    }
}

/// Text as a value: brackets and backslashes are escaped.
pub fn escape(text: &str) -> String {
    escape_these(text, &['\\', ']'])
}

/// Text as one part of a composed value: colons are escaped too.
pub fn escape_part(text: &str) -> String {
    escape_these(text, &['\\', ']', ':'])
}

fn escape_these(text: &str, special: &[char]) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if special.contains(&c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The examples of the FF[4] specification.
    #[test]
    fn the_standards_examples() {
        let raw = "Meijin NR: yeah, k4 is won\\\nderful\nsweat NR: thank you! :\\)\ndada NR: yup. I like this move too. It's a move only to be \
                   expected from a pro. I really like it :)\njansteen NR: Can anyone\\\n explain [me\\] k4?";
        let text = "Meijin NR: yeah, k4 is wonderful\nsweat NR: thank you! :)\ndada NR: yup. I like this move too. It's a move only to \
                    be expected from a pro. I really like it :)\njansteen NR: Can anyone explain [me] k4?";
        assert_eq!(Value(raw).text(), text);
        assert_eq!(Value("a\r\nb\n\rc\rd\te\\\tf").text(), "a\nb\nc\nd e f");
        assert_eq!(Value(" two\nlines ").line(), "two lines");
        assert_eq!(Value("tail\\").text(), "tail");
    }

    #[test]
    fn composed_values() {
        assert_eq!(Value("aa:bb").parts(), Some((Value("aa"), Value("bb"))));
        assert_eq!(Value("a\\:b:c:d").parts(), Some((Value("a\\:b"), Value("c:d"))));
        assert_eq!(Value("a\\\\:c").parts(), Some((Value("a\\\\"), Value("c"))));
        assert_eq!(Value("ab").parts(), None);
    }

    proptest! {
        #[test]
        fn what_is_escaped_is_read(text in "[^\r\t\u{b}\u{c}]{0,40}") {
            prop_assert_eq!(Value(&escape(&text)).text(), text.clone());
            let raw = format!("{}:{}", escape_part(&text), escape_part(&text));
            let (a, b) = Value(&raw).parts().unwrap();
            prop_assert_eq!((a.text(), b.text()), (text.clone(), text));
        }
    }
}
