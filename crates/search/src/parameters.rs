//! Parameters of methods and of the words of a recipe: declared once, with unit, default and meaning, and read from there.

use std::str::FromStr;

use yomi_core::hint::parameter_line;
use yomi_core::{Spec, TextError};

use crate::constant::by_unit;

/// A parameter, for reading it and for help pages.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// What stands before the equals sign.
    pub key: &'static str,
    /// What kind of number or word stands after it.
    pub unit: &'static str,
    /// What it is when left out, as it would be typed; empty if something else decides then, which the meaning says.
    pub default: &'static str,
    /// What it does.
    pub meaning: &'static str,
}

/// A word of a recipe and what may stand in its brackets, for help pages.
#[derive(Clone, Copy, Debug)]
pub struct Word {
    /// The word.
    pub name: &'static str,
    /// What it does, with the paper's section where there is one.
    pub about: &'static str,
    /// Its parameters.
    pub parameters: &'static [Parameter],
}

/// The arguments of the word that `spec` names, or an error that lists the words there are.
pub(crate) fn among<'a>(spec: &'a Spec, words: &'static [Word], what: &str) -> Result<Args<'a>, TextError> {
    match words.iter().find(|word| word.name == spec.name) {
        Some(word) => Ok(Args { spec, table: word.parameters }),
        None => Err(spec.unknown(what, words.iter().map(|word| word.name))),
    }
}

impl Parameter {
    /// The parameter in a line, for errors about parameters that do not exist.
    pub fn line(&self) -> String {
        let default = match self.by_unit() {
            Some([result, centipawns]) => format!("{}: {result} of a result, {centipawns} centipawns", self.default),
            None => self.default.to_string(),
        };
        parameter_line(self.key, &default, self.unit, self.meaning)
    }

    /// The default in both units, where it follows the evaluator's: of a result (a won game is worth 1), and in hundredths of a pawn.
    pub fn by_unit(&self) -> Option<[f32; 2]> {
        by_unit(self.default)
    }
}

/// Shorthand for tables.
pub(crate) const fn parameter(
    key: &'static str,
    unit: &'static str,
    default: &'static str,
    meaning: &'static str,
) -> Parameter {
    Parameter { key, unit, default, meaning }
}

/// Which numbers make sense.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Range {
    /// Any.
    Finite,
    /// Above zero.
    Positive,
    /// Zero or above.
    NotNegative,
    /// From zero to one.
    Fraction,
}

impl Range {
    fn admits(self, x: f32) -> bool {
        x.is_finite()
            && match self {
                Range::Finite => true,
                Range::Positive => x > 0.0,
                Range::NotNegative => x >= 0.0,
                Range::Fraction => (0.0..=1.0).contains(&x),
            }
    }

    fn words(self) -> &'static str {
        match self {
            Range::Finite => "a number",
            Range::Positive => "a number above 0",
            Range::NotNegative => "a number from 0 up",
            Range::Fraction => "a number from 0 to 1",
        }
    }
}

/// Given parameters, with the table of the valid ones.
pub(crate) struct Args<'a> {
    pub(crate) spec: &'a Spec,
    pub(crate) table: &'a [Parameter],
}

impl Args<'_> {
    /// The word given for `key`, or the default; none if there is no default either.
    pub(crate) fn optional(&self, key: &str) -> Result<Option<Spec>, TextError> {
        if let Some(given) = self.spec.get(key) {
            return Ok(Some(given.clone()));
        }
        match self.table.iter().find(|p| p.key == key) {
            Some(Parameter { default: "", .. }) => Ok(None),
            Some(parameter) => Spec::parse(parameter.default).map(Some),
            None => Err(self.spec.error(format!("{} has no parameter called {key}", self.spec.name))),
        }
    }

    /// What the table says about `key`.
    pub(crate) fn default_of(&self, key: &str) -> Option<Parameter> {
        self.table.iter().find(|p| p.key == key && !p.default.is_empty()).copied()
    }

    /// The word given for `key`, or the default.
    pub(crate) fn word(&self, key: &str) -> Result<Spec, TextError> {
        self.optional(key)?.ok_or_else(|| self.spec.error(format!("{} needs a value for {key}", self.spec.name)))
    }

    /// An error that lists the parameters there are if one was given that nothing asked for.
    pub(crate) fn reject_unused(&self) -> Result<(), TextError> {
        self.spec.reject_unused_of(self.table.iter().map(Parameter::line))
    }

    /// A number that makes sense.
    pub(crate) fn number(&self, key: &str, range: Range) -> Result<f32, TextError> {
        number(&self.word(key)?, key, range)
    }

    /// A whole number or another word that reads itself.
    pub(crate) fn value<T: FromStr>(&self, key: &str) -> Result<T, TextError> {
        self.word(key)?.value().map_err(|e| e.context(key))
    }

    /// One of a few words.
    pub(crate) fn choice<T: Copy>(&self, key: &str, choices: &[(&str, T)]) -> Result<T, TextError> {
        self.word(key)?.choice(choices).map_err(|e| e.context(key))
    }

    /// `on` or `off`.
    pub(crate) fn switch(&self, key: &str) -> Result<bool, TextError> {
        self.choice(key, &[("on", true), ("off", false)])
    }

    /// A number without a key, the `index`-th.
    pub(crate) fn positional(&self, index: usize, name: &str, range: Range) -> Result<f32, TextError> {
        let given = self.spec.positional(index);
        let word = given.ok_or_else(|| self.spec.error(format!("{} needs {name}", self.spec.name)))?;
        number(word, name, range)
    }
}

/// A word read as a number that makes sense.
pub(crate) fn number(word: &Spec, name: &str, range: Range) -> Result<f32, TextError> {
    let x: f32 = word.value().map_err(|e| e.context(name))?;
    if range.admits(x) { Ok(x) } else { Err(word.error(format!("{name} is {}, not {word}", range.words()))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &[Parameter] = &[parameter("t", "value", "80", "temperature"), parameter("u", "value", "", "as t")];

    fn read(text: &str, key: &str, range: Range) -> Result<f32, String> {
        let spec = Spec::parse(text).unwrap();
        Args { spec: &spec, table: TABLE }.number(key, range).map_err(|e| e.to_string())
    }

    #[test]
    fn defaults_come_from_the_table() {
        assert_eq!(read("m", "t", Range::Positive), Ok(80.0));
        assert_eq!(read("m(t=3)", "t", Range::Positive), Ok(3.0));
        assert!(read("m", "u", Range::Positive).unwrap_err().starts_with("m needs a value for u"));
    }

    #[test]
    fn unknown_parameters_bring_the_table() {
        let spec = Spec::parse("m(tt=3)").unwrap();
        let error = Args { spec: &spec, table: TABLE }.reject_unused().unwrap_err();
        assert_eq!(error.hint, "m takes\n  t=             temperature (value) [80]\n  u=             as t (value)");
    }

    #[test]
    fn absurd_numbers_are_named_and_pointed_at() {
        for text in ["m(t=-1)", "m(t=0)", "m(t=NaN)", "m(t=inf)", "m(t=1e300)", "m(t=x)", "m(t=a(b))"] {
            let error = read(text, "t", Range::Positive).unwrap_err();
            assert!(error.contains("t: ") || error.starts_with("t is a number above 0"), "{error}");
            assert!(error.contains("(at character 5)"), "{error}");
        }
        assert!(read("m(t=1.5)", "t", Range::Fraction).is_err());
        assert!(read("m(t=0)", "t", Range::NotNegative).is_ok());
    }
}
