//! Colours of a terminal, and text that may be sent to one.

use std::fmt::Write;

use unicode_width::UnicodeWidthStr;

/// Colours from the table of 256, which every terminal in use knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Ink {
    pub(super) text: Option<u8>,
    pub(super) ground: Option<u8>,
    pub(super) bold: bool,
}

impl Ink {
    /// Text of a colour on a ground.
    pub(super) const fn on(text: u8, ground: u8) -> Ink {
        Ink { text: Some(text), ground: Some(ground), bold: false }
    }

    /// The same in bold.
    pub(super) const fn bold(self) -> Ink {
        Ink { bold: true, ..self }
    }

    /// The same on another ground.
    pub(super) const fn ground(self, ground: u8) -> Ink {
        Ink { ground: Some(ground), ..self }
    }
}

/// A line being put together from pieces of different colours.
pub(super) struct Line {
    color: bool,
    at: Ink,
    out: String,
}

impl Line {
    pub(super) fn new(color: bool) -> Line {
        Line { color, at: Ink::default(), out: String::new() }
    }

    /// Appends text, with escape codes only where the colour changes and only if colours are wanted.
    pub(super) fn put(&mut self, text: &str, ink: Ink) {
        if self.color && ink != self.at {
            self.out.push_str("\x1b[0");
            for (code, color) in [(38, ink.text), (48, ink.ground)] {
                if let Some(color) = color {
                    let _ = write!(self.out, ";{code};5;{color}");
                }
            }
            self.out.push_str(if ink.bold { ";1m" } else { "m" });
            self.at = ink;
        }
        self.out.push_str(text);
    }

    /// The line with its end; the next one begins without colour.
    pub(super) fn finish(mut self) -> String {
        self.put("", Ink::default());
        self.out + "\n"
    }
}

/// Text without control characters, which could move the cursor or change colours.
pub(super) fn clean(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Text filled up with spaces in front to a number of columns.
pub(super) fn right(text: &str, columns: usize) -> String {
    " ".repeat(columns.saturating_sub(text.width())) + text
}

/// Text filled up with spaces behind to a number of columns.
pub(super) fn left(text: &str, columns: usize) -> String {
    text.to_string() + &" ".repeat(columns.saturating_sub(text.width()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_appear_only_where_colours_change() {
        let write = |color| {
            let mut line = Line::new(color);
            let ink = Ink::on(16, 222);
            line.put("a", ink);
            line.put("b", ink);
            line.put("c", ink.bold());
            line.finish()
        };
        assert_eq!(write(false), "abc\n");
        assert_eq!(write(true), "\x1b[0;38;5;16;48;5;222mab\x1b[0;38;5;16;48;5;222;1mc\x1b[0m\n");
    }

    #[test]
    fn padding_counts_columns() {
        assert_eq!(right("歩", 3), " 歩");
        assert_eq!(left("歩", 3), "歩 ");
        assert_eq!(clean("a\x1b[2J\nb"), "a [2J b");
    }
}
