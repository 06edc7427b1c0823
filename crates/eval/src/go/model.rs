//! Which moves are played: a Bradley-Terry model of the features (Coulom 2007), its text form, and the priors it gives.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;

use yomi_core::{Position, TextError};
use yomi_games::go::{Go, GoMove, Vertex};

use super::features::{Group, Scene, ShapeClasses, Values};
use super::neighbourhood::rings;

/// The patterns a model knows, in the order of its book; the first has the number 1.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Book(BTreeMap<u64, u16>);

impl Book {
    /// A book of these patterns, as many as there are numbers for.
    pub fn new(patterns: impl IntoIterator<Item = u64>) -> Book {
        let mut book = Book::default();
        for pattern in patterns.into_iter().take(usize::from(u16::MAX) - 1) {
            let number = book.0.len() as u16 + 1;
            book.0.entry(pattern).or_insert(number);
        }
        book
    }

    /// How many patterns it knows.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether it knows none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The number of the largest known pattern around a move of the side to move; 0 if there is none. Books know the smaller patterns
    /// inside a pattern too, so the search ends at the first that is not there.
    pub fn largest<const LEN: usize>(&self, go: &Go<LEN>, v: Vertex) -> u16 {
        let mut found = 0;
        if !self.is_empty() {
            rings(go, v, go.turn(), |_, hash| match self.0.get(&hash) {
                Some(&number) => {
                    found = number;
                    true
                }
                None => false,
            });
        }
        found
    }
}

/// A strength for every value of every group: a move is played with a probability in proportion to the product of the strengths of
/// its features.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// The large patterns.
    pub book: Book,
    /// By group, then by value. The value 0, nothing to say, has the strength 1 in every group.
    pub strengths: Vec<Vec<f32>>,
}

impl Model {
    /// A model that knows the patterns of a book and prefers nothing.
    pub fn indifferent(book: Book) -> Model {
        let size = |group: &Group| if *group == Group::Pattern { book.len() + 1 } else { group.values() };
        let strengths = Group::ALL.iter().map(|group| vec![1.0; size(group)]).collect();
        Model { book, strengths }
    }

    /// The model that comes with the program (`weights/go.txt`).
    pub fn usual() -> &'static Model {
        static USUAL: OnceLock<Model> = OnceLock::new();
        USUAL.get_or_init(|| {
            let text = include_str!("../../../../weights/go.txt");
            // What is built in is read by a test; a model that prefers nothing is better than none.
            text.parse().unwrap_or_else(|_| Model::indifferent(Book::default()))
        })
    }

    /// The features of a move in a position that was looked at.
    pub fn values<const LEN: usize>(&self, scene: &Scene<'_, LEN>, go: &Go<LEN>, mv: GoMove) -> Values {
        let mut values = scene.values(mv);
        if let Some(v) = mv.vertex() {
            values[Group::Pattern as usize] = self.book.largest(go, v);
        }
        values
    }

    /// How strong a move with these features is.
    #[inline]
    pub fn strength(&self, values: &Values) -> f32 {
        let strength =
            |(strengths, &value): (&Vec<f32>, &u16)| strengths.get(usize::from(value)).copied().unwrap_or(1.0);
        self.strengths.iter().zip(values).map(strength).product()
    }

    /// The probability of each of these legal moves. Moves that fill an eye of their own side have none.
    pub fn probabilities<const LEN: usize>(&self, go: &Go<LEN>, moves: &[GoMove], out: &mut Vec<f32>) {
        let scene = Scene::new(go);
        let strength = |&mv: &GoMove| match mv.vertex() {
            Some(v) if go.is_eye(v, go.turn()) => 0.0,
            _ => self.strength(&self.values(&scene, go, mv)),
        };
        out.clear();
        out.extend(moves.iter().map(strength));
        let total: f32 = out.iter().sum();
        if total > 0.0 && total.is_finite() {
            out.iter_mut().for_each(|p| *p /= total);
        } else {
            out.fill(1.0 / moves.len().max(1) as f32);
        }
    }
}

/// One line a strength: the group, the value (of a shape its 3x3 code, of a pattern its hash, in hexadecimal digits), the strength.
/// What is left out is 1. Lines that begin with `#` are remarks.
impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let codes = &ShapeClasses::get().codes;
        for group in Group::ALL.into_iter().filter(|&group| group != Group::Pattern) {
            for (value, strength) in self.strengths[group as usize].iter().enumerate().skip(1) {
                if (strength - 1.0).abs() < 0.0005 {
                    continue;
                }
                match group {
                    Group::Shape => writeln!(f, "shape {:04x} {}", codes[value], short(*strength))?,
                    _ => writeln!(f, "{} {value} {}", group.name(), short(*strength))?,
                }
            }
        }
        let strengths = &self.strengths[Group::Pattern as usize];
        for (hash, &number) in &self.book.0 {
            let strength = strengths.get(usize::from(number)).copied().unwrap_or(1.0);
            writeln!(f, "pattern {hash:016x} {}", short(strength))?;
        }
        Ok(())
    }
}

/// Three digits that count.
fn short(strength: f32) -> String {
    let digits = (2 - strength.abs().max(1e-6).log10().floor() as i32).clamp(0, 6) as usize;
    let text = format!("{strength:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
}

impl FromStr for Model {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Model, TextError> {
        let mut lines = Vec::new();
        let mut patterns = Vec::new();
        let mut offset = 0;
        for line in text.split_inclusive('\n') {
            let at = offset;
            offset += line.len();
            let line = line.trim_end();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let wrong = |message: &str| TextError::at(text, at, message);
            let words: Vec<&str> = line.split_ascii_whitespace().collect();
            let &[name, value, strength] = words.as_slice() else {
                return Err(wrong("a line has a group, a value and a strength"));
            };
            let group = Group::ALL.into_iter().find(|group| group.name() == name);
            let group = group.ok_or_else(|| wrong("there is no such group"))?;
            let strength: f32 = strength.parse().map_err(|_| wrong("the strength is no number"))?;
            if !(strength >= 0.0 && strength.is_finite()) {
                return Err(wrong("a strength is a number from 0 up"));
            }
            let number = match group {
                Group::Shape | Group::Pattern => u64::from_str_radix(value, 16).ok(),
                _ => value.parse().ok(),
            };
            let number = number.ok_or_else(|| wrong("the value is no number"))?;
            if group == Group::Pattern {
                patterns.push(number);
            }
            lines.push((group, number, strength, at));
        }
        let mut model = Model::indifferent(Book::new(patterns));
        for (group, number, strength, at) in lines {
            let value = match group {
                Group::Shape => {
                    ShapeClasses::get().codes.iter().skip(1).position(|&code| u64::from(code) == number).map(|i| i + 1)
                }
                Group::Pattern => model.book.0.get(&number).map(|&number| usize::from(number)),
                _ => usize::try_from(number).ok().filter(|&value| value > 0),
            };
            let place = value.and_then(|value| model.strengths[group as usize].get_mut(value));
            *place.ok_or_else(|| TextError::at(text, at, "the group has no such value"))? = strength;
        }
        Ok(model)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use yomi_core::Notation;
    use yomi_games::go::{Go9, Rules};

    #[test]
    fn the_usual_model_is_read_and_printed() {
        let text = include_str!("../../../../weights/go.txt");
        let model: Model = text.parse().unwrap();
        assert_eq!(&model, Model::usual());
        assert_eq!(model.to_string().parse::<Model>().unwrap(), model);
        assert!(text.len() < 300_000 && text.starts_with('#'));
    }

    #[test]
    fn errors_name_the_line() {
        for (text, line) in [
            ("# fine\nline 3 2\nline x 2\n", 3),
            ("line 3\n#\n", 1),
            ("#\nline 99 1\n", 2),
            ("#\nline 0 1\n", 2),
            ("#\ncolour 1 1\n", 2),
            ("#\nlast 2 -1\n", 2),
            ("#\nlast 2 nan\n", 2),
            ("#\nshape ffff 1\n", 2),
            ("\nlast 3 1 5\n", 2),
        ] {
            assert_eq!(text.parse::<Model>().unwrap_err().line, line, "{text:?}");
        }
        let noise: String = (0..100_000).map(|i| char::from(32 + (i * 7 % 90) as u8)).collect();
        assert!(noise.parse::<Model>().is_err());
    }

    #[test]
    fn probabilities_are_products() {
        let model: Model = "capture 4 30\nline 6 0.5\npass 1 0.1\n".parse().unwrap();
        let start = Go9::new(5, Rules::default()).unwrap();
        let go = start.parse_position("...../...../...../b..../w.... b").unwrap();
        let mut moves = Vec::new();
        go.generate(&mut moves);
        let mut out = Vec::new();
        model.probabilities(&go, &moves, &mut out);
        assert!((out.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        let of = |text: &str| out[moves.iter().position(|&mv| mv == go.parse_move(text).unwrap()).unwrap()];
        assert!((of("B1") / of("C2") - 30.0).abs() < 1e-3, "takes A1");
        assert!((of("E5") / of("C2") - 0.5).abs() < 1e-3, "the corner, with nothing near");
        assert!((of("pass") / of("C2") - 0.1).abs() < 1e-3);
    }
}
