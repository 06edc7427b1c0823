//! What may be set in an engine.

use std::fmt;
use std::str::FromStr;

use yomi_core::TextError;

use super::EMPTY;

/// An option as the engine announces it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EngineOption {
    /// Its name. It should be one word; programs that also speak UCI use spaces.
    pub name: String,
    /// What it can be.
    pub kind: OptionKind,
}

/// What values an option takes, with the one it has at first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OptionKind {
    /// `true` or `false`.
    Check(bool),
    /// A whole number: the first one, the smallest, the largest.
    Spin(i64, i64, i64),
    /// One of several words: the first one, and all.
    Combo(String, Vec<String>),
    /// No value: something happens when it is set.
    Button,
    /// Any text.
    Text(String),
    /// The name of a file.
    Filename(String),
}

impl EngineOption {
    /// What is wrong with `value` for this option, if anything.
    pub fn objection(&self, value: Option<&str>) -> Option<String> {
        let name = &self.name;
        match (&self.kind, value) {
            (OptionKind::Button, None) => None,
            (OptionKind::Button, Some(_)) => Some(format!("{name} is a button and takes no value")),
            (_, None) => Some(format!("{name} needs a value")),
            (OptionKind::Check(_), Some(value)) => {
                (value != "true" && value != "false").then(|| format!("{name} is true or false, not {value}"))
            }
            (&OptionKind::Spin(_, min, max), Some(value)) => match value.parse::<i64>() {
                Ok(number) if (min..=max).contains(&number) => None,
                _ => Some(format!("{name} is a whole number from {min} to {max}, not {value}")),
            },
            (OptionKind::Combo(_, words), Some(value)) => (!words.iter().any(|word| word == value))
                .then(|| format!("{name} is one of {}, not {value}", words.join(", "))),
            (OptionKind::Text(_) | OptionKind::Filename(_), Some(_)) => None,
        }
    }
}

impl FromStr for EngineOption {
    type Err = TextError;

    /// Reads what stands behind `option`.
    fn from_str(text: &str) -> Result<EngineOption, TextError> {
        let wrong = |message: &str| TextError::at(text, 0, format!("{message} in an option"));
        let rest = text.trim().strip_prefix("name ").ok_or_else(|| wrong("`name` was expected first"))?;
        let (name, rest) = rest.split_once(" type ").ok_or_else(|| wrong("`type` was expected"))?;
        let words: Vec<&str> = rest.split_whitespace().collect();
        let (&kind, words) = words.split_first().ok_or_else(|| wrong("a type was expected"))?;
        let fields = Fields(words);
        let number = |key: &str, default: i64| fields.first(key).and_then(|w| w.parse().ok()).unwrap_or(default);
        let default = fields.first("default").unwrap_or_default();
        let kind = match kind {
            "check" => OptionKind::Check(default == "true"),
            "spin" => OptionKind::Spin(number("default", 0), number("min", i64::MIN), number("max", i64::MAX)),
            "combo" => OptionKind::Combo(default, fields.all("var")),
            "button" => OptionKind::Button,
            "string" => OptionKind::Text(unescape(default)),
            "filename" => OptionKind::Filename(unescape(default)),
            _ => return Err(wrong("the types are check, spin, combo, button, string and filename")),
        };
        let name: Vec<&str> = name.split_whitespace().collect();
        if name.is_empty() {
            return Err(wrong("a name was expected"));
        }
        Ok(EngineOption { name: name.join(" "), kind })
    }
}

/// `default a b min 3 var x var y z`: each value runs to the next key.
struct Fields<'a>(&'a [&'a str]);

impl Fields<'_> {
    fn all(&self, key: &str) -> Vec<String> {
        let is_key = |word: &str| matches!(word, "default" | "min" | "max" | "var");
        let starts = self.0.iter().enumerate().filter(|&(_, &word)| word == key).map(|(at, _)| at + 1);
        starts
            .map(|at| self.0[at..].iter().take_while(|word| !is_key(word)).copied().collect::<Vec<_>>().join(" "))
            .collect()
    }

    fn first(&self, key: &str) -> Option<String> {
        self.all(key).into_iter().next()
    }
}

fn unescape(text: String) -> String {
    if text == EMPTY { String::new() } else { text }
}

fn escape(text: &str) -> &str {
    if text.is_empty() { EMPTY } else { text }
}

impl fmt::Display for EngineOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "name {} type ", self.name)?;
        match &self.kind {
            OptionKind::Check(default) => write!(f, "check default {default}"),
            OptionKind::Spin(default, min, max) => write!(f, "spin default {default} min {min} max {max}"),
            OptionKind::Combo(default, words) => {
                write!(f, "combo default {default}")?;
                words.iter().try_for_each(|word| write!(f, " var {word}"))
            }
            OptionKind::Button => write!(f, "button"),
            OptionKind::Text(default) => write!(f, "string default {}", escape(default)),
            OptionKind::Filename(default) => write!(f, "filename default {}", escape(default)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_as_it_reads() {
        for line in [
            "name USI_Ponder type check default true",
            "name Skill Level type spin default 20 min -20 max 20",
            "name EnteringKingRule type combo default CSARule27 var NoEnteringKing var CSARule27",
            "name Clear Hash type button",
            "name CSAFile type string default <empty>",
            "name EvalDir type filename default my eval",
        ] {
            assert_eq!(line.parse::<EngineOption>().unwrap().to_string(), line);
        }
        // Fairy-Stockfish leaves the default of a text out.
        let bare: EngineOption = "name Debug Log File type string default ".parse().unwrap();
        assert_eq!((bare.name.as_str(), bare.kind), ("Debug Log File", OptionKind::Text(String::new())));
        for line in ["", "name", "name x", "name x type", "name x type nonsense", "type spin"] {
            assert!(line.parse::<EngineOption>().is_err(), "{line}");
        }
    }

    #[test]
    fn objects_to_wrong_values() {
        let option = |line: &str| line.parse::<EngineOption>().unwrap();
        let spin = option("name T type spin default 2 min 1 max 2");
        assert_eq!(spin.objection(Some("2")), None);
        assert!(spin.objection(Some("3")).unwrap().contains("from 1 to 2"));
        assert!(spin.objection(None).is_some());
        let combo = option("name V type combo default a var a var b c");
        assert_eq!(combo.objection(Some("b c")), None);
        assert!(combo.objection(Some("b")).is_some());
        assert!(option("name B type button").objection(Some("x")).is_some());
        assert!(option("name C type check default false").objection(Some("yes")).is_some());
    }
}
