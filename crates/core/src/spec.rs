//! Names with parameters: `go9(komi=6.5)`, `mcss(t=80)`, `rollout(best-of(8, linear))`.
//!
//! One grammar for games, searches, evaluators and players, so that what is typed, logged and stored in experiment files is the
//! same string. A word with spaces or signs in it is put in quotes: `gtp("gnugo --mode gtp")`. Errors point at the wrong word.

use std::fmt;
use std::str::FromStr;
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::hint::did_you_mean;
use crate::text::TextError;

/// A name with parameters. A bare word or number is a name without any.
#[derive(Clone, Debug)]
pub struct Spec {
    /// The word in front.
    pub name: String,
    args: Vec<Arg>,
    asked: Asked,
    /// The whole text it was part of, and where in it the name began: for errors.
    source: String,
    offset: usize,
}

/// One parameter, with a key or without. It remembers whether it was asked for.
#[derive(Clone, Debug)]
struct Arg {
    key: Option<String>,
    value: Spec,
    used: OnceLock<()>,
}

/// The keys that were asked for, in order and whether given or not: what a reader understands, for errors.
#[derive(Default, Debug)]
struct Asked(Mutex<Vec<String>>);

impl Asked {
    fn note(&self, key: &str) {
        let mut keys = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !keys.iter().any(|known| known == key) {
            keys.push(key.to_string());
        }
    }

    fn keys(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Clone for Asked {
    fn clone(&self) -> Asked {
        Asked(Mutex::new(self.keys()))
    }
}

/// What [`Spec::map_keyed`] makes of a parameter, by its key and value; none leaves it as it is.
pub type ChangeParameter<'a> = dyn FnMut(&str, &Spec) -> Result<Option<Spec>, TextError> + 'a;

/// The deepest nesting that is accepted.
const MAX_DEPTH: usize = 32;

impl Spec {
    /// Reads a specification; nothing may follow it.
    pub fn parse(text: &str) -> Result<Spec, TextError> {
        let mut parser = Parser { text, at: 0, depth: 0 };
        let spec = parser.spec()?;
        parser.skip_space();
        if parser.at < text.len() {
            return Err(parser.error("nothing more was expected here"));
        }
        Ok(spec)
    }

    /// Reads a specification from the front of `text` and says where it ended.
    pub fn parse_prefix(text: &str) -> Result<(Spec, usize), TextError> {
        let mut parser = Parser { text, at: 0, depth: 0 };
        let spec = parser.spec()?;
        Ok((spec, parser.at))
    }

    /// A specification without parameters.
    pub fn named(name: &str) -> Spec {
        Spec { name: name.to_string(), args: Vec::new(), asked: Asked::default(), source: name.to_string(), offset: 0 }
    }

    /// The same parameters under another name.
    pub fn renamed(&self, name: &str) -> Spec {
        Spec { name: name.to_string(), ..self.clone() }
    }

    /// The same with the parameter `key` set to `value`, whatever was written for it.
    pub fn with(&self, key: &str, value: Spec) -> Spec {
        let mut spec = self.clone();
        spec.args.retain(|arg| arg.key.as_deref() != Some(key));
        spec.args.push(Arg { key: Some(key.to_string()), value, used: OnceLock::new() });
        spec
    }

    /// The same with what `change` makes of parameters that have a key, here and inside.
    pub fn map_keyed(&self, change: &mut ChangeParameter<'_>) -> Result<Spec, TextError> {
        let mut spec = self.clone();
        for arg in &mut spec.args {
            let changed = arg.key.as_deref().map_or(Ok(None), |key| change(key, &arg.value))?;
            arg.value = changed.map_or_else(|| arg.value.map_keyed(change), Ok)?;
        }
        Ok(spec)
    }

    /// Whether there are no parameters.
    pub fn is_bare(&self) -> bool {
        self.args.is_empty()
    }

    /// The parameter called `key`, as it was written.
    pub fn get(&self, key: &str) -> Option<&Spec> {
        self.asked.note(key);
        let arg = self.args.iter().find(|a| a.key.as_deref() == Some(key))?;
        let _ = arg.used.set(());
        Some(&arg.value)
    }

    /// The `index`-th parameter without a key.
    pub fn positional(&self, index: usize) -> Option<&Spec> {
        let arg = self.args.iter().filter(|a| a.key.is_none()).nth(index)?;
        let _ = arg.used.set(());
        Some(&arg.value)
    }

    /// All parameters that have a key, in the order they were written: for readers that accept any key.
    pub fn keyed(&self) -> impl Iterator<Item = (&str, &Spec)> {
        self.args.iter().filter_map(|arg| {
            let key = arg.key.as_deref()?;
            let _ = arg.used.set(());
            Some((key, &arg.value))
        })
    }

    /// The parameter called `key` read as a `T`, or `default` if it is absent.
    pub fn value_or<T: FromStr>(&self, key: &str, default: T) -> Result<T, TextError> {
        self.get(key).map_or(Ok(default), Spec::value)
    }

    /// This specification, a bare word, read as a `T`.
    pub fn value<T: FromStr>(&self) -> Result<T, TextError> {
        let wanted = || std::any::type_name::<T>().rsplit("::").next().unwrap_or("value").to_lowercase();
        let parsed = if self.is_bare() { self.name.parse().ok() } else { None };
        parsed.ok_or_else(|| self.error(format!("{} is not a {}", self, kind_of(&wanted()))))
    }

    /// This specification, a bare word, as one of `choices`.
    pub fn choice<T: Copy>(&self, choices: &[(&str, T)]) -> Result<T, TextError> {
        let found = choices.iter().find(|(name, _)| self.is_bare() && *name == self.name);
        found.map(|&(_, value)| value).ok_or_else(|| {
            let names: Vec<&str> = choices.iter().map(|&(name, _)| name).collect();
            let meant = did_you_mean(&self.name, names.iter().copied());
            self.error(format!("{} is not one of {}{meant}", self, names.join(", ")))
        })
    }

    /// An error that points at this specification.
    pub fn error(&self, message: impl Into<String>) -> TextError {
        TextError::at(&self.source, self.offset, message)
    }

    /// The error for a name that is not `what` ("a game"), with the one that was probably meant and all there are.
    pub fn unknown<'a>(&self, what: &str, names: impl IntoIterator<Item = &'a str>) -> TextError {
        let names: Vec<&str> = names.into_iter().collect();
        let meant = did_you_mean(&self.name, names.iter().copied());
        self.error(format!("{} is not {what}{meant}", self.name)).hinting(format!("there are {}", names.join(", ")))
    }

    /// An error for the first parameter that was not read: call it when all have been read.
    pub fn reject_unused(&self) -> Result<(), TextError> {
        self.reject_unused_of([])
    }

    /// The same, where more is known of the parameters than their keys: a line for each.
    pub fn reject_unused_of(&self, lines: impl IntoIterator<Item = String>) -> Result<(), TextError> {
        let Some(arg) = self.args.iter().find(|a| a.used.get().is_none()) else { return Ok(()) };
        let (keys, lines): (Vec<String>, Vec<String>) = (self.asked.keys(), lines.into_iter().collect());
        let error = match &arg.key {
            Some(key) => {
                let offset = arg.value.offset.saturating_sub(key.len() + 1);
                let meant = did_you_mean(key, keys.iter().map(String::as_str));
                TextError::at(&self.source, offset, format!("{} has no parameter called {key}{meant}", self.name))
            }
            None => arg.value.error(format!("{} does not expect {} here", self.name, arg.value)),
        };
        Err(error.hinting(match (keys.is_empty(), lines.is_empty()) {
            (true, true) => format!("{} takes no parameters with a key", self.name),
            (false, true) => format!("{} takes {}", self.name, keys.join(", ")),
            (_, false) => format!("{} takes\n  {}", self.name, lines.join("\n  ")),
        }))
    }
}

/// The words for a type that a person understands.
fn kind_of(type_name: &str) -> &str {
    match type_name {
        "f32" | "f64" => "number",
        "u8" | "u16" | "u32" | "u64" | "usize" => "whole number from 0 up",
        "i8" | "i16" | "i32" | "i64" | "isize" => "whole number",
        "bool" => "true or false",
        other => other,
    }
}

impl PartialEq for Spec {
    fn eq(&self, other: &Spec) -> bool {
        let same = |(a, b): (&Arg, &Arg)| a.key == b.key && a.value == b.value;
        self.name == other.name && self.args.len() == other.args.len() && self.args.iter().zip(&other.args).all(same)
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", Word(&self.name))?;
        for (i, arg) in self.args.iter().enumerate() {
            write!(f, "{}", if i == 0 { "(" } else { "," })?;
            if let Some(key) = &arg.key {
                write!(f, "{}=", Word(key))?;
            }
            write!(f, "{}", arg.value)?;
        }
        if !self.args.is_empty() {
            write!(f, ")")?;
        }
        Ok(())
    }
}

/// A word as it is written: in quotes if it could not be read back without.
struct Word<'a>(&'a str);

impl fmt::Display for Word<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.0.is_empty() && !self.0.starts_with('"') && !self.0.contains(ends_word) {
            return f.write_str(self.0);
        }
        write!(f, "\"{}\"", self.0.replace('\\', "\\\\").replace('"', "\\\""))
    }
}

/// Whether a word without quotes ends here.
fn ends_word(c: char) -> bool {
    c.is_whitespace() || "(),=".contains(c)
}

impl FromStr for Spec {
    type Err = TextError;
    fn from_str(text: &str) -> Result<Spec, TextError> {
        Spec::parse(text)
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn error(&self, message: impl Into<String>) -> TextError {
        TextError::at(self.text, self.at, message)
    }

    fn skip_space(&mut self) {
        self.at += self.text[self.at..].len() - self.text[self.at..].trim_start().len();
    }

    fn take(&mut self, c: char) -> bool {
        self.skip_space();
        let found = self.text[self.at..].starts_with(c);
        self.at += if found { c.len_utf8() } else { 0 };
        found
    }

    /// Anything up to a bracket, comma, equals sign or space; or anything at all between quotes, with `\"` for a quote in it.
    fn word(&mut self) -> Result<(String, usize), TextError> {
        self.skip_space();
        let rest = &self.text[self.at..];
        if rest.starts_with('"') {
            return self.quoted();
        }
        let end = rest.find(ends_word).unwrap_or(rest.len());
        if end == 0 {
            return Err(self.error("a name was expected here"));
        }
        let offset = self.at;
        self.at += end;
        Ok((rest[..end].to_string(), offset))
    }

    fn quoted(&mut self) -> Result<(String, usize), TextError> {
        let offset = self.at;
        let mut word = String::new();
        let mut chars = self.text[offset..].char_indices().skip(1);
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    self.at = offset + at + 1;
                    return Ok((word, offset));
                }
                '\\' => word.extend(chars.next().map(|(_, c)| c)),
                c => word.push(c),
            }
        }
        Err(self.error("this quote is never closed"))
    }

    fn spec(&mut self) -> Result<Spec, TextError> {
        let (name, offset) = self.word()?;
        self.parameters(name, offset)
    }

    fn parameters(&mut self, name: String, offset: usize) -> Result<Spec, TextError> {
        let mut args: Vec<Arg> = Vec::new();
        if self.text[self.at..].starts_with('(') {
            self.depth += 1;
            if self.depth > MAX_DEPTH {
                return Err(self.error("too many brackets inside each other"));
            }
            self.at += 1;
            while !self.take(')') {
                if !args.is_empty() && !self.take(',') {
                    return Err(self.error("a comma or a closing bracket was expected here"));
                }
                let (word, at) = self.word()?;
                let arg = if self.take('=') {
                    let value = self.spec()?;
                    if args.iter().any(|a| a.key.as_deref() == Some(word.as_str())) {
                        return Err(TextError::at(self.text, at, format!("{word} is given twice")));
                    }
                    Arg { key: Some(word), value, used: OnceLock::new() }
                } else {
                    Arg { key: None, value: self.parameters(word, at)?, used: OnceLock::new() }
                };
                args.push(arg);
            }
            self.depth -= 1;
        }
        Ok(Spec { name, args, asked: Asked::default(), source: self.text.to_string(), offset })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn prints_as_typed() {
        for text in ["go9", "go9(komi=6.5)", "rollout(best-of(8,linear))", "uct(c=1.5,after=30)", "a(b=c(d=-1),e)"] {
            assert_eq!(Spec::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(Spec::parse(" mcss( t = 80 ,x ) ").unwrap().to_string(), "mcss(t=80,x)");
    }

    #[test]
    fn reads_values() {
        let spec = Spec::parse("uct(c=1.5,after=30,fast,mode=b)").unwrap();
        assert_eq!(spec.value_or("c", 0.0f32), Ok(1.5));
        assert_eq!(spec.value_or("after", 1u32), Ok(30));
        assert_eq!(spec.value_or("none", 7u32), Ok(7));
        assert_eq!(spec.positional(0).unwrap().name, "fast");
        assert_eq!(spec.get("mode").unwrap().choice(&[("a", 1), ("b", 2)]), Ok(2));
        assert_eq!(spec.reject_unused(), Ok(()));
    }

    #[test]
    fn words_with_spaces_stand_in_quotes() {
        let spec =
            Spec::parse(r#"gtp( "gnugo --mode gtp", "Skill Level"=-3, File="a \"b\" \\ c(d)", Empty="" )"#).unwrap();
        assert_eq!(spec.to_string(), r#"gtp("gnugo --mode gtp","Skill Level"=-3,File="a \"b\" \\ c(d)",Empty="")"#);
        assert_eq!(spec.positional(0).unwrap().name, "gnugo --mode gtp");
        let keyed: Vec<(&str, &str)> = spec.keyed().map(|(key, value)| (key, value.name.as_str())).collect();
        assert_eq!(keyed, [("Skill Level", "-3"), ("File", "a \"b\" \\ c(d)"), ("Empty", "")]);
        assert_eq!(spec.reject_unused(), Ok(()));
        assert_eq!(Spec::parse("a(\"b)").unwrap_err().column, 3);
    }

    #[test]
    fn errors_point_at_the_word() {
        let column = |e: TextError| e.column;
        assert_eq!(column(Spec::parse("uct(c=)").unwrap_err()), 7);
        assert_eq!(column(Spec::parse("uct(c=1").unwrap_err()), 8);
        assert_eq!(column(Spec::parse("uct(c=1) x").unwrap_err()), 10);
        assert_eq!(column(Spec::parse("uct(c=1,c=2)").unwrap_err()), 9);
        let spec = Spec::parse("uct(c=abc,d=1)").unwrap();
        let error = spec.value_or("c", 0.0f32).unwrap_err();
        assert_eq!((error.column, error.message.as_str()), (7, "abc is not a number"));
        assert_eq!(column(spec.reject_unused().unwrap_err()), 11);
        assert!(Spec::parse(&"a(".repeat(100_000)).is_err());
    }

    #[test]
    fn what_was_asked_for_is_what_there_is() {
        let spec = Spec::parse("uct(frist=1)").unwrap();
        assert_eq!((spec.get("c"), spec.get("first"), spec.get("c")), (None, None, None));
        let error = spec.reject_unused().unwrap_err();
        assert_eq!(error.message, "uct has no parameter called frist; did you mean first?");
        assert_eq!(error.hint, "uct takes c, first");
        let lines = ["c=1.5".to_string(), "first=0".to_string()];
        assert_eq!(spec.reject_unused_of(lines).unwrap_err().hint, "uct takes\n  c=1.5\n  first=0");
        // Who asks a copy does not ask the original.
        let spec = Spec::parse("random(x)").unwrap();
        assert_eq!(spec.clone().get("threads"), None);
        assert_eq!(spec.reject_unused().unwrap_err().hint, "random takes no parameters with a key");
    }

    #[test]
    fn unknown_names_come_with_those_there_are() {
        let error = Spec::parse("minishgi(komi=7)").unwrap().unknown("a game", ["shogi", "minishogi"]);
        assert_eq!(error.message, "minishgi is not a game; did you mean minishogi?");
        assert_eq!((error.column, error.hint.as_str()), (1, "there are shogi, minishogi"));
        let error = Spec::parse("frist").unwrap().choice(&[("first", 1), ("rule", 2)]).unwrap_err();
        assert_eq!(error.message, "frist is not one of first, rule; did you mean first?");
    }

    proptest! {
        #[test]
        fn never_panics(text in r#"(.|[a-c(),="\\ ]){0,60}"#) {
            if let Ok(spec) = Spec::parse(&text) {
                prop_assert_eq!(Spec::parse(&spec.to_string()).unwrap(), spec);
            }
        }
    }
}
