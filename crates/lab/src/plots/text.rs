//! How wide text is, guessed, and where it is broken into lines.

/// Letters of a proportional font are about this wide, in parts of its size; those of East Asia fill a square.
const LETTER: f64 = 0.57;

/// About the width of a text.
pub(super) fn width(text: &str, size: f64) -> f64 {
    text.chars().map(|c| if c >= '\u{2e80}' { size } else { LETTER * size }).sum()
}

/// A text in lines of at most `room`: broken at spaces, a word that is longer is cut.
pub(super) fn wrap(text: &str, size: f64, room: f64) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().map_or("", |line| line.as_str());
        let begun = if line.is_empty() { 0.0 } else { width(line, size) + LETTER * size };
        if begun > 0.0 && begun + width(word, size) > room {
            lines.push(String::new());
        } else if begun > 0.0 {
            lines.last_mut().into_iter().for_each(|line| line.push(' '));
        }
        for c in word.chars() {
            let used = lines.last().map_or(0.0, |line| width(line, size));
            if used + width(c.encode_utf8(&mut [0; 4]), size) > room && used > 0.0 {
                lines.push(String::new());
            }
            lines.last_mut().into_iter().for_each(|line| line.push(c));
        }
    }
    lines.retain(|line| !line.is_empty());
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// No line is too long, and no letter is lost.
        #[test]
        fn lines_fit_and_keep_everything(text in "[a-z α将(),=.+ ]{0,80}", room in 20.0f64..200.0) {
            let lines = wrap(&text, 10.0, room);
            prop_assert!(lines.iter().all(|line| width(line, 10.0) <= room + 1e-9), "{lines:?}");
            let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            prop_assert_eq!(letters(&lines.concat()), letters(&text));
        }
    }
}
