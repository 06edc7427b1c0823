//! The named methods: what the papers call them, as recipes.

mod bts;
mod dents;
mod gumbel;
mod mcss;
mod mcss_puct;
mod ments;
mod prior_rave;
mod puct;
mod rave;
mod rbfm;
mod rents;
mod softmax_best_first;
mod tents;
mod ubfm;
mod uct;
mod uct_h;
mod uct_max_h;

use std::fmt;
use std::str::FromStr;

use yomi_core::{Spec, TextError};

use crate::options::{Options, PARAMETERS};
use crate::parameters::{Args, Parameter};
use crate::recipe::{self, Recipe};

/// A named method, for reading it and for help pages.
#[derive(Clone, Copy)]
pub struct Entry {
    /// What is typed.
    pub name: &'static str,
    /// What it does, in a sentence.
    pub about: &'static str,
    /// Where it comes from.
    pub paper: &'static str,
    /// Its own parameters; [`crate::options::PARAMETERS`] come with every method.
    pub parameters: &'static [Parameter],
    /// How its parameters become a recipe.
    build: fn(&Args<'_>) -> Result<Recipe, TextError>,
}

/// Every method there is.
pub const METHODS: &[Entry] = &[
    mcss::ENTRY,
    mcss_puct::ENTRY,
    uct::ENTRY,
    rave::ENTRY,
    prior_rave::ENTRY,
    uct_h::ENTRY,
    uct_max_h::ENTRY,
    puct::ENTRY,
    gumbel::ENTRY,
    rbfm::ENTRY,
    softmax_best_first::ENTRY,
    ubfm::ENTRY,
    ments::ENTRY,
    rents::ENTRY,
    tents::ENTRY,
    bts::ENTRY,
    dents::ENTRY,
    Entry {
        name: "tree",
        about: "Any recipe, word by word.",
        paper: "",
        parameters: recipe::PARAMETERS,
        build: Recipe::read,
    },
];

/// A method with its parameters: `mcss(t=80,hash=512)`.
#[derive(Clone, PartialEq, Debug)]
pub struct Method {
    /// As it was typed, spaces apart.
    text: String,
    /// What it does.
    pub recipe: Recipe,
    /// With what.
    pub options: Options,
}

impl Method {
    /// Reads a method and its options.
    pub fn parse(spec: &Spec) -> Result<Method, TextError> {
        let unknown = || spec.unknown("a search of the tree family", METHODS.iter().map(|entry| entry.name));
        let entry = METHODS.iter().find(|entry| entry.name == spec.name).ok_or_else(unknown)?;
        let mut recipe = (entry.build)(&Args { spec, table: entry.parameters })?;
        let options = Options::read(spec, &mut recipe)?;
        spec.reject_unused_of(entry.parameters.iter().chain(PARAMETERS).map(Parameter::line))?;
        Ok(Method { text: spec.to_string(), recipe, options })
    }
}

impl FromStr for Method {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Method, TextError> {
        Method::parse(&Spec::parse(text)?)
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options;

    #[test]
    fn every_method_reads_its_defaults_prints_as_typed_and_equals_its_recipe() {
        for entry in METHODS {
            let method: Method = entry.name.parse().unwrap();
            assert_eq!(method.to_string(), entry.name);
            assert_eq!(method.recipe.to_string().parse::<Recipe>().unwrap(), method.recipe, "{}", entry.name);
            for parameter in entry.parameters.iter().chain(options::PARAMETERS) {
                if !parameter.default.is_empty() {
                    let text = format!("{}({}={})", entry.name, parameter.key, parameter.default);
                    let explicit: Method = text.parse().unwrap();
                    assert_eq!(explicit.to_string(), text);
                    assert_eq!((explicit.recipe, explicit.options), (method.recipe, method.options), "{text}");
                }
            }
        }
    }

    #[test]
    fn errors_point_at_the_wrong_word() {
        for (text, column) in [
            ("mcst", 1),
            ("mcss(t=-1)", 8),
            ("mcss(t=1e300)", 8),
            ("mcss(t=NaN)", 8),
            ("mcss(temperature=80)", 6),
            ("mcss(t=80,hash=0)", 16),
            ("mcss(hash=99999999999999)", 11),
            ("mcss(threads=0)", 14),
            ("uct(after=1.5)", 11),
            ("uct(solver=maybe)", 12),
            ("puct(choose=prior)", 13),
            ("tree(select=mcss)", 13),
            ("tree(select=boltzmann(t=hot))", 25),
            ("tree(select=dents,backup=implicit-minimax)", 26),
        ] {
            let error = text.parse::<Method>().unwrap_err();
            assert_eq!(error.column, column, "{text}: {error}");
        }
    }
}
