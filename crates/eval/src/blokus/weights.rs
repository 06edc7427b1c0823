//! The weights and their file.
//!
//! ```text
//! yomi-blokus-weights 1
//! score 7.38            a line per kind with its shared weight, then fourteen lines of fourteen location weights
//!  0 0 0 …
//! …
//! check 0123456789abcdef     FNV-1a of all before this line
//! ```
//! Numbers are the shortest decimals that read back to the same bits, so nothing is lost between a learner and its file.

use std::fmt::Write;

use yomi_core::TextError;
use yomi_core::rng::fnv1a;

use super::kinds::{Kind, SQUARES, WEIGHTS};

/// The gain k of S1.3: a value of 1/k wins with probability 0.73.
pub const GAIN: f64 = 0.02;

/// Squares in a row.
const ROW: usize = 14;

const HEADER: &str = "yomi-blokus-weights 1";

/// The win probability of a value: `1/(1 + exp(-k·v))`.
#[inline]
pub fn sigmoid(value: f64) -> f64 {
    1.0 / (1.0 + (-GAIN * value).exp())
}

/// The 1,773 weights: nine kinds on 196 squares, then the nine that all squares share.
#[derive(Clone, PartialEq, Debug)]
pub struct Weights(Vec<f64>);

impl Default for Weights {
    fn default() -> Weights {
        Weights(vec![0.0; WEIGHTS])
    }
}

impl Weights {
    /// All weights by their index (see [`Kind::location`] and [`Kind::shared`]).
    pub fn all(&self) -> &[f64] {
        &self.0
    }

    /// The same, to be changed.
    pub fn all_mut(&mut self) -> &mut [f64] {
        &mut self.0
    }

    /// What a kind counts on a square: its own weight there and the shared one.
    #[inline]
    pub fn effective(&self, kind: Kind, square: usize) -> f64 {
        self.0[kind.location(square)] + self.0[kind.shared()]
    }

    /// The file.
    pub fn write(&self) -> String {
        let mut text = format!("{HEADER}\n");
        for kind in Kind::ALL {
            let _ = writeln!(text, "{} {}", kind.name(), self.0[kind.shared()]);
            for row in self.0[kind.location(0)..kind.location(0) + SQUARES].chunks(ROW) {
                row.iter().for_each(|w| {
                    let _ = write!(text, " {w}");
                });
                text.push('\n');
            }
        }
        let check = fnv1a(text.as_bytes());
        let _ = writeln!(text, "check {check:016x}");
        text
    }

    /// Reads a file of weights. Anything that is not exactly such a file is refused, with the line.
    pub fn read(text: &str) -> Result<Weights, TextError> {
        let mut weights = Weights::default();
        let mut lines = text.lines().zip(1..);
        let mut next = |what: &str| {
            lines.next().ok_or_else(|| TextError::new(format!("the file of Blokus weights ends before {what}")))
        };
        let wrong = |(line, number): (&str, usize), what: &str| {
            let mut error = TextError::at(line, 0, format!("in the file of Blokus weights: {what}"));
            error.line = number;
            error
        };
        let first = next("its header")?;
        if first.0 != HEADER {
            return Err(wrong(first, &format!("the first line is not \"{HEADER}\"")));
        }
        let number = |at: (&str, usize), word: &str| {
            word.parse::<f64>().ok().filter(|w| w.is_finite()).ok_or_else(|| wrong(at, &format!("{word} is no weight")))
        };
        for kind in Kind::ALL {
            let line = next(kind.name())?;
            let shared = line.0.strip_prefix(kind.name()).and_then(|rest| rest.strip_prefix(' '));
            let shared = shared.ok_or_else(|| wrong(line, &format!("\"{} NUMBER\" was expected", kind.name())))?;
            weights.0[kind.shared()] = number(line, shared)?;
            for row in 0..ROW {
                let line = next(&format!("the last row of {}", kind.name()))?;
                let words: Vec<&str> = line.0.split_ascii_whitespace().collect();
                if words.len() != ROW {
                    return Err(wrong(line, &format!("a row has {ROW} weights, not {}", words.len())));
                }
                for (column, word) in words.iter().enumerate() {
                    weights.0[kind.location(ROW * row + column)] = number(line, word)?;
                }
            }
        }
        let last = next("its checksum")?;
        let body = text.rfind("check ").map_or("", |at| &text[..at]);
        if last.0 != format!("check {:016x}", fnv1a(body.as_bytes())) {
            return Err(wrong(last, "the checksum is wrong: the file is damaged"));
        }
        match lines.next() {
            Some(line) => Err(wrong(line, "there is more after the checksum")),
            None => Ok(weights),
        }
    }
}

#[cfg(test)]
pub(in crate::blokus) use tests::random_weights;

#[cfg(test)]
mod tests {
    use super::*;
    use yomi_core::Seed;

    pub(in crate::blokus) fn random_weights(seed: u64) -> Weights {
        let mut rng = Seed::new(seed).rng();
        let mut weights = Weights::default();
        weights.all_mut().iter_mut().for_each(|w| *w = f64::from(rng.unit() * 20.0 - 10.0) / 3.0);
        weights
    }

    #[test]
    fn what_is_written_is_read_to_the_last_bit() {
        let weights = random_weights(1);
        let read = Weights::read(&weights.write()).unwrap();
        assert!(read.all().iter().zip(weights.all()).all(|(a, b)| a.to_bits() == b.to_bits()));
    }

    #[test]
    fn damaged_files_are_refused_with_the_line() {
        let good = random_weights(2).write();
        let refused = |text: &str| Weights::read(text).unwrap_err();
        assert_eq!(refused("").message, "the file of Blokus weights ends before its header");
        assert_eq!(refused("# weights\n").line, 1);
        assert!(refused(&good.replace("dead", "died")).message.contains("\"dead NUMBER\" was expected"));
        let shorter: String = good.lines().take(5).map(|line| format!("{line}\n")).collect();
        assert!(refused(&shorter).message.contains("ends before the last row of score"));
        let digit = good.rfind('7').unwrap();
        let mut flipped = good.clone();
        flipped.replace_range(digit..=digit, "6");
        let error = refused(&flipped);
        assert!(error.message.contains("checksum") && error.line == 137, "{error}");
        assert!(refused(&good.replacen(" ", " inf ", 5)).message.contains("in the file of Blokus weights"));
        assert!(
            refused(&format!("{good}more\n")).message.contains("checksum")
                || refused(&format!("{good}more\n")).line == 138
        );
    }

    #[test]
    fn the_gain_is_that_of_the_paper() {
        assert_eq!(sigmoid(0.0), 0.5);
        assert!((sigmoid(50.0) - 0.731_058_578_6).abs() < 1e-9);
    }
}
