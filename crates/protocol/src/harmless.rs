//! Text from outside, before it reaches a ledger, a report or a terminal.

/// A name that a program gives itself, a move that it plays.
pub const NAME: usize = 200;
/// What a program says about itself or about what went wrong.
pub const MESSAGE: usize = 1000;

/// The text on one line, with at most `longest` characters, and without anything that a terminal would obey: control characters, escape
/// sequences and characters that change the direction of writing are shown as `\u{1b}`.
pub fn harmless(text: &str, longest: usize) -> String {
    let mut shown = String::with_capacity(text.len().min(longest));
    let mut rest = text.chars();
    for c in rest.by_ref().take(longest) {
        match c {
            '\n' | '\r' | '\t' => shown.push(' '),
            c if c.is_control() || is_invisible(c) => shown.extend(c.escape_unicode()),
            c => shown.push(c),
        }
    }
    let left = rest.count();
    if left > 0 {
        shown += &format!("… ({left} more characters)");
    }
    shown
}

/// Characters of no width that change how others are shown: marks and overrides of direction, joiners, separators of lines.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminals_see_nothing_they_would_obey() {
        assert_eq!(harmless("GNU Go 3.8", NAME), "GNU Go 3.8");
        assert_eq!(harmless("将棋 é", NAME), "将棋 é");
        assert_eq!(harmless("a\u{1b}[31mred\u{7}\u{9b}2J\0", NAME), "a\\u{1b}[31mred\\u{7}\\u{9b}2J\\u{0}");
        assert_eq!(harmless("two\nlines\tand\rmore", NAME), "two lines and more");
        assert_eq!(harmless("a\u{202e}b\u{2028}c", NAME), "a\\u{202e}b\\u{2028}c");
        let long = harmless(&"x".repeat(64_000), 10);
        assert_eq!(long, "xxxxxxxxxx… (63990 more characters)");
    }
}
