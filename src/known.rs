//! Arguments whose usual words a shell can complete (`yomi completions`), though others are read as well.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, TypedValueParser};
use yomi_core::{Spec, TextError};
use yomi_lab::experiment::library;
use yomi_session::{game_names, search_names};

/// Reads a `T`; `names` are for completions only.
#[derive(Clone)]
pub(crate) struct Known<T> {
    read: fn(&str) -> Result<T, TextError>,
    names: fn() -> Vec<&'static str>,
}

/// A game and its rules.
pub(crate) fn game() -> Known<Spec> {
    Known { read: Spec::parse, names: || game_names().collect() }
}

/// A search by its bare name.
pub(crate) fn search() -> Known<String> {
    Known { read: |text| Ok(text.to_string()), names: || search_names().collect() }
}

/// An experiment by its name, or a file.
pub(crate) fn experiment() -> Known<String> {
    Known { read: |text| Ok(text.to_string()), names: || library::names().collect() }
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for Known<T> {
    type Value = T;

    fn parse_ref(&self, cmd: &clap::Command, arg: Option<&clap::Arg>, value: &OsStr) -> Result<T, clap::Error> {
        let read = self.read;
        TypedValueParser::parse_ref(&move |text: &str| read(text), cmd, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.names)().into_iter().map(PossibleValue::new)))
    }
}
