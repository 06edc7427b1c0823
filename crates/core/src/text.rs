//! Errors about text: what is wrong, and where.

use std::fmt;

/// Something a person or a program wrote cannot be understood or is not allowed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextError {
    /// What is wrong, in words. What it quotes of a hostile text is shortened.
    pub message: String,
    /// Line of the text, from 1; 0 when the text is a single line.
    pub line: usize,
    /// Character of the line, from 1; 0 when the whole line is meant.
    pub column: usize,
    /// The line itself, shortened around the column if it is long.
    pub excerpt: String,
    /// What may help, below everything else: the names that would have been understood. Empty, or lines without a last line break.
    pub hint: String,
}

/// A number and what it counts: `1 game`, `2 games`.
pub fn counted(n: impl Into<u128>, one: &str, many: &str) -> String {
    let n: u128 = n.into();
    format!("{n} {}", if n == 1 { one } else { many })
}

/// How much of a long line an error shows on either side of the fault.
const WINDOW: usize = 40;

/// The longest message. A longer one quotes input of any length: its middle is left out.
const LONGEST: usize = 400;

/// The message, without its middle if it is too long.
fn shortened(message: String) -> String {
    let length = message.chars().count();
    if length <= LONGEST {
        return message;
    }
    let part = LONGEST / 2;
    let (first, last) = (message.chars().take(part), message.chars().skip(length - part));
    first.chain(" … ".chars()).chain(last).collect()
}

impl TextError {
    /// A fault of the text as a whole.
    pub fn new(message: impl Into<String>) -> TextError {
        TextError {
            message: shortened(message.into()),
            line: 0,
            column: 0,
            excerpt: String::new(),
            hint: String::new(),
        }
    }

    /// A fault in `text` at byte `offset`; the line and the column are counted here.
    pub fn at(text: &str, offset: usize, message: impl Into<String>) -> TextError {
        let offset = text.floor_char_boundary(offset);
        let start = text[..offset].rfind('\n').map_or(0, |i| i + 1);
        let end = text[offset..].find('\n').map_or(text.len(), |i| offset + i);
        let line = if text.trim_end().contains('\n') { text[..start].matches('\n').count() + 1 } else { 0 };
        let before = text[start..offset].chars().count();
        let skipped = before.saturating_sub(WINDOW);
        let excerpt: String = text[start..end].trim_end().chars().skip(skipped).take(2 * WINDOW).collect();
        let message = shortened(message.into());
        TextError { message, line, column: before + 1, excerpt, hint: String::new() }.scrolled(skipped)
    }

    /// A fault somewhere in `line` (counted from 1), whose text is `excerpt`.
    pub fn in_line(line: usize, excerpt: &str, message: impl Into<String>) -> TextError {
        let excerpt = excerpt.trim_end().chars().take(2 * WINDOW).collect();
        TextError { message: shortened(message.into()), line, column: 0, excerpt, hint: String::new() }
    }

    /// The same fault, with something that may help.
    pub fn hinting(mut self, hint: impl Into<String>) -> TextError {
        self.hint = hint.into();
        self
    }

    /// The same fault, with what was being read in front of the message.
    pub fn context(mut self, what: impl fmt::Display) -> TextError {
        self.message = shortened(format!("{what}: {}", self.message));
        self
    }

    /// An excerpt that begins `skipped` characters into its line says so.
    fn scrolled(mut self, skipped: usize) -> TextError {
        if skipped > 0 {
            self.excerpt.insert(0, '…');
        }
        self
    }

    /// Column of the fault within the excerpt, from 0.
    fn caret(&self) -> Option<usize> {
        let skipped = (self.column.checked_sub(1)?).saturating_sub(WINDOW);
        Some(self.column - 1 - skipped + usize::from(skipped > 0))
    }
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Control characters in hostile input must not reach a terminal.
        let harmless = |text: &str| -> String { text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect() };
        let mut lines = self.message.split('\n');
        write!(f, "{}", harmless(lines.next().unwrap_or_default()))?;
        lines.try_for_each(|line| write!(f, "\n{}", harmless(line)))?;
        match (self.line, self.column) {
            (0, 0) => {}
            (0, column) => write!(f, " (at character {column})")?,
            (line, 0) => write!(f, " (line {line})")?,
            (line, column) => write!(f, " (line {line}, character {column})")?,
        }
        if !self.excerpt.is_empty() {
            write!(f, "\n  {}", harmless(&self.excerpt))?;
            if let Some(caret) = self.caret() {
                write!(f, "\n  {}^", " ".repeat(caret))?;
            }
        }
        self.hint.lines().try_for_each(|line| write!(f, "\n{line}"))
    }
}

impl std::error::Error for TextError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_where() {
        let e = TextError::at("abc\ndefg\nh", 6, "odd letter");
        assert_eq!((e.line, e.column, e.excerpt.as_str()), (2, 3, "defg"));
        assert_eq!(e.to_string(), "odd letter (line 2, character 3)\n  defg\n    ^");
        assert_eq!(
            TextError::at("uct(c=x)", 6, "no number").to_string(),
            "no number (at character 7)\n  uct(c=x)\n        ^"
        );
        let e = TextError::new("odd letter").hinting("there are:\n  a, b");
        assert_eq!(e.to_string(), "odd letter\nthere are:\n  a, b");
    }

    #[test]
    fn quotations_are_shortened_and_harmless() {
        let hostile = "\x1b[31m歩".repeat(100_000);
        for error in [
            TextError::new(format!("{hostile} is no move")),
            TextError::at(&hostile, 7, format!("{hostile} is no move")),
            TextError::in_line(3, &hostile, format!("{hostile} is no move")),
            TextError::new("is no move").context(&hostile),
        ] {
            assert!(error.message.chars().count() <= LONGEST + 3 && error.message.ends_with("is no move"));
            let shown = error.to_string();
            assert!(shown.chars().count() < LONGEST + 200 && !shown.contains('\x1b'), "{shown}");
        }
        assert_eq!(TextError::new("two\nlines").to_string(), "two\nlines");
    }

    #[test]
    fn one_is_singular() {
        assert_eq!([0u8, 1, 2].map(|n| counted(n, "loss", "losses")), ["0 losses", "1 loss", "2 losses"]);
    }

    #[test]
    fn long_lines_are_shortened_and_offsets_never_panic() {
        let text = "é".repeat(1000);
        for offset in 0..2002 {
            assert!(TextError::at(&text, offset.min(text.len()), "x").excerpt.chars().count() <= 81);
        }
    }
}
