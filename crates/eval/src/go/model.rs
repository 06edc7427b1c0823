//! Which moves are played: a Bradley-Terry model of the features (Coulom 2007), its text form, and the priors it gives.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;

use yomi_core::{Position, TextError};
use yomi_games::go::{Go, GoMove, Vertex};

use super::features::{Group, Scene, ShapeClasses, Values};
use super::ladder::Ladders;

/// The patterns a model knows, in the order of their names; the first has the number 1.
#[derive(Clone, Default, PartialEq)]
pub struct Book {
    patterns: Vec<u64>,
    /// Where to look a pattern up: each number stands in the first free slot from the one its name says. A power of two of them.
    slots: Vec<u16>,
}

impl Book {
    /// A book of these patterns, as many as there are numbers for.
    pub fn new(patterns: impl IntoIterator<Item = u64>) -> Book {
        let mut patterns: Vec<u64> = patterns.into_iter().collect();
        patterns.sort_unstable();
        patterns.dedup();
        patterns.truncate(usize::from(u16::MAX) - 1);
        let mut slots = vec![0; (2 * patterns.len()).next_power_of_two()];
        for (i, &pattern) in patterns.iter().enumerate() {
            let mut at = pattern as usize & (slots.len() - 1);
            while slots[at] != 0 {
                at = (at + 1) & (slots.len() - 1);
            }
            slots[at] = i as u16 + 1;
        }
        Book { patterns, slots }
    }

    /// How many patterns it knows.
    pub fn len(&self) -> usize {
        self.patterns.len()
    }

    /// Whether it knows none.
    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// The number of a pattern; 0 if it is not known.
    #[inline]
    pub fn number(&self, pattern: u64) -> u16 {
        if self.is_empty() {
            return 0;
        }
        let mut at = pattern as usize & (self.slots.len() - 1);
        // Half the slots are free, so the walk ends.
        loop {
            match self.slots[at] {
                0 => return 0,
                number if self.patterns[usize::from(number) - 1] == pattern => return number,
                _ => at = (at + 1) & (self.slots.len() - 1),
            }
        }
    }
}

impl fmt::Debug for Book {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Book of {} patterns", self.len())
    }
}

/// A strength for every value of every group: a move is played with a probability in proportion to the product of the strengths of
/// its features.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// The patterns, by their kind ([`Group::BOOKS`]).
    pub books: [Book; Group::BOOKS.len()],
    /// By group, then by value. The value 0, nothing to say, has the strength 1 in every group.
    pub strengths: Vec<Vec<f32>>,
}

impl Model {
    /// A model that knows the patterns of these books and prefers nothing.
    pub fn indifferent(books: [Book; Group::BOOKS.len()]) -> Model {
        let size = |group: &Group| group.book().map_or(group.values(), |book| books[book].len() + 1);
        let strengths = Group::ALL.iter().map(|group| vec![1.0; size(group)]).collect();
        Model { books, strengths }
    }

    /// The model that comes with the program (`weights/go.txt`).
    pub fn embedded() -> &'static Model {
        static EMBEDDED: OnceLock<Model> = OnceLock::new();
        EMBEDDED.get_or_init(|| {
            let text = include_str!("../../../../weights/go.txt");
            // What is built in is read by a test; a model that prefers nothing is better than none.
            text.parse().unwrap_or_else(|_| Model::indifferent(Default::default()))
        })
    }

    /// The features of a move in a position that was looked at.
    pub fn values<const LEN: usize>(&self, scene: &Scene<'_, LEN>, mv: GoMove) -> Values {
        let mut values = scene.values(mv);
        if let Some(v) = mv.vertex() {
            for (group, book) in Group::BOOKS.into_iter().zip(&self.books) {
                values[group as usize] = largest(book, scene, group, v);
            }
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
    pub fn probabilities<const LEN: usize>(
        &self,
        go: &Go<LEN>,
        moves: &[GoMove],
        ladders: &mut Ladders<LEN>,
        out: &mut Vec<f32>,
    ) {
        let scene = Scene::new(go, ladders);
        let strength = |&mv: &GoMove| match mv.vertex() {
            Some(v) if go.is_eye(v, go.turn()) => 0.0,
            _ => self.strength(&self.values(&scene, mv)),
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

/// The number of the largest known pattern of a kind around a move; 0 if there is none. Books know the smaller patterns inside a
/// pattern too, so the search ends at the first that is not there.
fn largest<const LEN: usize>(book: &Book, scene: &Scene<'_, LEN>, group: Group, v: Vertex) -> u16 {
    let mut found = 0;
    if !book.is_empty() {
        scene.patterns(group, v, |pattern| match book.number(pattern) {
            0 => false,
            number => {
                found = number;
                true
            }
        });
    }
    found
}

/// One line per strength: the group, the value (of a shape its 3x3 code in hexadecimal digits), the strength. Patterns, of which there are
/// many, stand together by their strength: the group, the strength, the names of the patterns in hexadecimal digits. What is left out
/// is 1. Lines that begin with `#` are remarks.
impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let codes = &ShapeClasses::get().codes;
        for group in Group::ALL.into_iter().filter(|group| group.book().is_none()) {
            for (value, strength) in self.strengths[group as usize].iter().enumerate().skip(1) {
                if (strength - 1.0).abs() < 0.0005 {
                    continue;
                }
                match group {
                    Group::Shape => writeln!(f, "shape {:04x} {}", codes[value], short(*strength, 3))?,
                    _ => writeln!(f, "{} {value} {}", group.name(), short(*strength, 3))?,
                }
            }
        }
        for (group, book) in Group::BOOKS.into_iter().zip(&self.books) {
            let mut by_strength: BTreeMap<String, Vec<String>> = BTreeMap::new();
            for (pattern, &strength) in book.patterns.iter().zip(&self.strengths[group as usize][1..]) {
                by_strength.entry(short(strength, 2)).or_default().push(format!("{pattern:010x}"));
            }
            for (strength, names) in by_strength {
                for names in names.chunks(10) {
                    writeln!(f, "{} {strength} {}", group.name(), names.join(" "))?;
                }
            }
        }
        Ok(())
    }
}

/// The number with this many significant digits.
fn short(strength: f32, digits: i32) -> String {
    let digits = (digits - 1 - strength.abs().max(1e-6).log10().floor() as i32).clamp(0, 6) as usize;
    let text = format!("{strength:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
}

impl FromStr for Model {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Model, TextError> {
        let mut entries = Vec::new();
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
            let group = Group::ALL.into_iter().find(|group| group.name() == words[0]);
            let group = group.ok_or_else(|| wrong("there is no such group"))?;
            let (strength, values) = match (group.book(), words.as_slice()) {
                (Some(_), [_, strength, patterns @ ..]) if !patterns.is_empty() => (strength, patterns),
                (None, [_, value, strength]) => (strength, std::slice::from_ref(value)),
                (Some(_), _) => return Err(wrong("a line of patterns has a group, a strength and their names")),
                (None, _) => return Err(wrong("a line has a group, a value and a strength")),
            };
            let strength: f32 = strength.parse().map_err(|_| wrong("the strength is no number"))?;
            if !(strength >= 0.0 && strength.is_finite()) {
                return Err(wrong("a strength is a number from 0 up"));
            }
            for value in values {
                let radix = if group == Group::Shape || group.book().is_some() { 16 } else { 10 };
                let number = u64::from_str_radix(value, radix).map_err(|_| wrong("the value is no number"))?;
                entries.push((group, number, strength, at));
            }
        }
        let patterns = |kind: Group| entries.iter().filter(move |entry| entry.0 == kind).map(|entry| entry.1);
        let mut model = Model::indifferent(Group::BOOKS.map(|group| Book::new(patterns(group))));
        for (group, number, strength, at) in entries {
            let value = match (group, group.book()) {
                (Group::Shape, _) => {
                    ShapeClasses::get().codes.iter().skip(1).position(|&code| u64::from(code) == number).map(|i| i + 1)
                }
                (_, Some(book)) => Some(usize::from(model.books[book].number(number))),
                _ => usize::try_from(number).ok(),
            };
            let place =
                value.filter(|&value| value > 0).and_then(|value| model.strengths[group as usize].get_mut(value));
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
    fn the_embedded_model_is_read_and_printed() {
        let text = include_str!("../../../../weights/go.txt");
        let model: Model = text.parse().unwrap();
        assert_eq!(&model, Model::embedded());
        assert_eq!(model.to_string().parse::<Model>().unwrap(), model);
        assert!(text.len() < 1_100_000 && text.starts_with('#'));
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
            ("pattern 0.5 0123456789 00000000ff\npattern 0.5\n", 2),
            ("#\npattern 0.5 0123456789 00000000fg\n", 2),
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
        model.probabilities(&go, &moves, &mut Ladders::default(), &mut out);
        assert!((out.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        let of = |text: &str| out[moves.iter().position(|&mv| mv == go.parse_move(text).unwrap()).unwrap()];
        assert!((of("B1") / of("C2") - 30.0).abs() < 1e-3, "takes A1");
        assert!((of("E5") / of("C2") - 0.5).abs() < 1e-3, "the corner, with nothing near");
        assert!((of("pass") / of("C2") - 0.1).abs() < 1e-3);
    }
}
