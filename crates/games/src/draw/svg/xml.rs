//! Numbers and text that may stand in XML.

use std::fmt::{self, Display, Write};

/// A number with at most one decimal, which is a fortieth of a cell or so; what is no number is 0.
pub(super) struct N(pub(super) f32);

impl Display for N {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tenths = (f64::from(self.0) * 10.0).round() as i64;
        let (sign, whole, part) = (if tenths < 0 { "-" } else { "" }, tenths.abs() / 10, tenths.abs() % 10);
        match (whole, part) {
            (whole, 0) => write!(f, "{sign}{whole}"),
            (0, part) => write!(f, "{sign}.{part}"),
            (whole, part) => write!(f, "{sign}{whole}.{part}"),
        }
    }
}

/// A factor or an opacity with at most three decimals.
pub(super) struct Factor(pub(super) f32);

impl Display for Factor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{:.3}", self.0);
        let text = text.trim_end_matches('0').trim_end_matches('.');
        f.write_str(text.strip_prefix('0').filter(|rest| !rest.is_empty()).unwrap_or(text))
    }
}

/// Text made safe for XML: markup escaped, and characters that XML does not allow replaced by a space.
pub(super) struct Text<'a>(pub(super) &'a str);

impl Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => f.write_char(' ')?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_always_numbers() {
        let numbers = [0.0, -0.01, 0.25, -0.5, 12.0, 12.34, f32::NAN, -7.96];
        assert_eq!(numbers.map(|n| N(n).to_string()), ["0", "0", ".3", "-.5", "12", "12.3", "0", "-8"]);
        assert!(N(f32::INFINITY).to_string().bytes().all(|b| b.is_ascii_digit() || b == b'.'));
        assert_eq!([0.0, 0.27, 1.0, 0.1234].map(|n| Factor(n).to_string()), ["0", ".27", "1", ".123"]);
    }

    #[test]
    fn markup_and_control_characters_are_harmless() {
        assert_eq!(
            Text("<a b=\"c\">'&\u{1b}[0m\u{0}\u{ffff}").to_string(),
            "&lt;a b=&quot;c&quot;&gt;&#39;&amp; [0m  "
        );
    }
}
