//! Experiment files: what they may say, and errors that point at the place.
//!
//! A file has a head (`name`, `title`, `paper`, `question`, `note`) and parts, each a table named by its kind: `[[match-table]]`,
//! `[[sweep]]`, `[[suite]]`, `[[tree-profile]]`, `[[learning-curve]]`, `[[prediction-error]]`, `[[duplicates]]`, `[[tabu-candidates]]`,
//! `[[step-timing]]`, or `[[include]]` for parts of another file in smaller numbers. Whatever is not known is an error.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use toml::Spanned;
use yomi_core::TextError;
use yomi_core::hint::did_you_mean;

use super::kinds::duplicates::Duplicates;
use super::kinds::learning_curve::LearningCurve;
use super::kinds::match_table::MatchTable;
use super::kinds::prediction_error::PredictionError;
use super::kinds::step_timing::StepTiming;
use super::kinds::suite::Suite;
use super::kinds::sweep::Sweep;
use super::kinds::tabu_candidates::TabuCandidates;
use super::kinds::tree_profile::TreeProfile;
use super::kinds::{Kind, TourChanges};
use crate::config::sha256;

/// An experiment, its parts in the order of the file.
#[derive(Clone, PartialEq, Debug)]
pub struct Experiment {
    /// What it is called on the command line.
    pub name: String,
    /// What it is called in reports.
    pub title: String,
    /// The table or figure it repeats: `S0.6, table 1`. Empty for questions of our own.
    pub paper: String,
    /// What it is to find out.
    pub question: String,
    /// Where its conditions differ from the paper's, and why.
    pub note: Vec<String>,
    /// The parts.
    pub parts: Vec<Part>,
    /// Where included parts come from, one per part: `s0-table2/1` is the first part of that experiment, empty one of its own. Nothing at
    /// all if nothing is included.
    pub origins: Vec<String>,
}

/// A part of an experiment.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs, reason = "each is documented where it is defined")]
pub enum Part {
    MatchTable(MatchTable),
    Sweep(Sweep),
    Suite(Suite),
    TreeProfile(TreeProfile),
    LearningCurve(LearningCurve),
    PredictionError(PredictionError),
    Duplicates(Duplicates),
    TabuCandidates(TabuCandidates),
    StepTiming(StepTiming),
}

/// The file as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct ExperimentFile {
    name: String,
    title: String,
    #[serde(default)]
    paper: String,
    #[serde(default)]
    question: String,
    #[serde(default)]
    note: Vec<String>,
    #[serde(default)]
    match_table: Vec<Spanned<MatchTable>>,
    #[serde(default)]
    sweep: Vec<Spanned<Sweep>>,
    #[serde(default)]
    suite: Vec<Spanned<Suite>>,
    #[serde(default)]
    tree_profile: Vec<Spanned<TreeProfile>>,
    #[serde(default)]
    learning_curve: Vec<Spanned<LearningCurve>>,
    #[serde(default)]
    prediction_error: Vec<Spanned<PredictionError>>,
    #[serde(default)]
    duplicates: Vec<Spanned<Duplicates>>,
    #[serde(default)]
    tabu_candidates: Vec<Spanned<TabuCandidates>>,
    #[serde(default)]
    step_timing: Vec<Spanned<StepTiming>>,
    #[serde(default)]
    include: Vec<Spanned<Include>>,
    #[serde(default)]
    origins: Vec<String>,
}

/// Parts of another file, in smaller numbers.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Include {
    /// The other experiment.
    experiment: String,
    /// What the part is called here, if not as there.
    #[serde(default)]
    title: Option<String>,
    /// What is different.
    #[serde(default)]
    smaller: TourChanges,
}

/// No experiment file is longer.
const LONGEST: usize = 1 << 20;

impl Experiment {
    /// Reads a file. `library` finds the experiments that it includes.
    pub fn parse(
        text: &str,
        library: &dyn Fn(&str) -> Option<Result<Experiment, TextError>>,
    ) -> Result<Experiment, TextError> {
        if text.len() > LONGEST {
            return Err(TextError::new("an experiment file has at most a mebibyte"));
        }
        let file: ExperimentFile = read(text)?;
        let mut parts: Vec<(usize, Part)> = Vec::new();
        take(&mut parts, file.match_table, Part::MatchTable);
        take(&mut parts, file.sweep, Part::Sweep);
        take(&mut parts, file.suite, Part::Suite);
        take(&mut parts, file.tree_profile, Part::TreeProfile);
        take(&mut parts, file.learning_curve, Part::LearningCurve);
        take(&mut parts, file.prediction_error, Part::PredictionError);
        take(&mut parts, file.duplicates, Part::Duplicates);
        take(&mut parts, file.tabu_candidates, Part::TabuCandidates);
        take(&mut parts, file.step_timing, Part::StepTiming);
        let mut origins: Vec<(usize, String)> = Vec::new();
        for include in file.include {
            let (at, include) = (include.span().start, include.into_inner());
            let included = included(&include, library).map_err(|error| TextError::at(text, at, error.message))?;
            origins.extend((1..=included.len()).map(|part| (at, format!("{}/{part}", include.experiment))));
            parts.extend(included.into_iter().map(|part| (at, part)));
        }
        // Stable: what was included at one place stays in its order.
        parts.sort_by_key(|&(at, _)| at);
        origins.sort_by_key(|&(at, _)| at);
        let origins = match (origins.is_empty(), file.origins.len()) {
            (true, n) if n == 0 || n == parts.len() => file.origins.clone(),
            (false, 0) => origins_of(&parts, origins),
            _ => return Err(TextError::new("origins are written by the program, one per part")),
        };
        for (at, part) in &parts {
            part.kind().check().map_err(|error| TextError::at(text, *at, error.message))?;
        }
        let name_is_word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if file.name.is_empty() || !file.name.chars().all(name_is_word) {
            return Err(TextError::new(format!(
                "name: {:?} is not made of small letters, digits and dashes",
                file.name
            )));
        }
        if parts.is_empty() {
            return Err(TextError::new("there is no part: [[match-table]], [[sweep]], [[tree-profile]], …"));
        }
        let ExperimentFile { name, title, paper, question, note, .. } = file;
        let parts = parts.into_iter().map(|(_, part)| part).collect();
        Ok(Experiment { name, title, paper, question, note, parts, origins })
    }

    /// Where the part at this place comes from: another experiment, or this one.
    pub fn origin(&self, part: usize) -> String {
        match self.origins.get(part) {
            Some(origin) => origin.clone(),
            None => format!("{}/{}", self.name, part + 1),
        }
    }

    /// The file again, everything resolved: what is included stands in it.
    pub fn text(&self) -> Result<String, TextError> {
        #[derive(Serialize)]
        struct Head<'a> {
            name: &'a str,
            title: &'a str,
            #[serde(skip_serializing_if = "str::is_empty")]
            paper: &'a str,
            #[serde(skip_serializing_if = "str::is_empty")]
            question: &'a str,
            #[serde(skip_serializing_if = "<[String]>::is_empty")]
            note: &'a [String],
            #[serde(skip_serializing_if = "<[String]>::is_empty")]
            origins: &'a [String],
        }
        let Experiment { name, title, paper, question, note, origins, .. } = self;
        let mut text = written(&Head { name, title, paper, question, note, origins })?;
        for part in &self.parts {
            text.push('\n');
            text.push_str(&part.text()?);
        }
        Ok(text)
    }
}

/// Reads TOML; an error shows the place.
fn read<T: DeserializeOwned>(text: &str) -> Result<T, TextError> {
    toml::from_str(text).map_err(|error| {
        let message = format!("{}{}", error.message(), field_meant(error.message()));
        match error.span() {
            Some(span) => TextError::at(text, span.start, message),
            None => TextError::new(message),
        }
    })
}

/// The field that was probably meant, if a message is about an unknown one: "unknown field `gamess`, expected one of `title`, `games`".
fn field_meant(message: &str) -> String {
    let mut names = message.split('`').skip(1).step_by(2);
    match names.next() {
        Some(wrong) if message.starts_with("unknown ") => did_you_mean(wrong, names),
        _ => String::new(),
    }
}

fn written(value: &impl Serialize) -> Result<String, TextError> {
    toml::to_string(value).map_err(|error| TextError::new(error.to_string()))
}

fn take<T>(parts: &mut Vec<(usize, Part)>, from: Vec<Spanned<T>>, part: fn(T) -> Part) {
    parts.extend(from.into_iter().map(|item| (item.span().start, part(item.into_inner()))));
}

fn included(
    include: &Include,
    library: &dyn Fn(&str) -> Option<Result<Experiment, TextError>>,
) -> Result<Vec<Part>, TextError> {
    let found = library(&include.experiment)
        .ok_or_else(|| TextError::new(format!("there is no experiment {} to include", include.experiment)))?;
    let mut parts = found?.parts;
    for part in &mut parts {
        part.kind_mut().reduce(&include.smaller);
        if let Some(title) = &include.title {
            part.rename(title);
        }
    }
    Ok(parts)
}

/// The origin of every part; empty for those that were not included.
fn origins_of(parts: &[(usize, Part)], included: Vec<(usize, String)>) -> Vec<String> {
    let mut included = included.into_iter().peekable();
    let origin = |(at, _): &(usize, Part)| included.next_if(|(from, _)| from == at).map_or(String::new(), |(_, o)| o);
    parts.iter().map(origin).collect()
}

/// Calls `$body` with the part, whatever its kind.
macro_rules! each {
    ($part:expr, |$kind:ident| $body:expr) => {
        match $part {
            Part::MatchTable($kind) => $body,
            Part::Sweep($kind) => $body,
            Part::Suite($kind) => $body,
            Part::TreeProfile($kind) => $body,
            Part::LearningCurve($kind) => $body,
            Part::PredictionError($kind) => $body,
            Part::Duplicates($kind) => $body,
            Part::TabuCandidates($kind) => $body,
            Part::StepTiming($kind) => $body,
        }
    };
}

/// Words for people, which do not change what is done.
const WORDS: [&str; 9] =
    ["title", "label", "note", "claims", "axis", "margin", "published-playouts", "published", "level"];
/// Numbers that only decide how much of the same is done.
const AMOUNTS: [&str; 5] = ["games", "records", "searches", "repetitions", "positions"];

impl Part {
    /// What all kinds answer.
    pub fn kind(&self) -> &dyn Kind {
        each!(self, |kind| kind)
    }

    fn kind_mut(&mut self) -> &mut dyn Kind {
        each!(self, |kind| kind)
    }

    fn rename(&mut self, title: &str) {
        each!(self, |kind| kind.title = title.to_string());
    }

    /// The word for its kind.
    pub fn word(&self) -> &'static str {
        match self {
            Part::MatchTable(_) => "match-table",
            Part::Sweep(_) => "sweep",
            Part::Suite(_) => "suite",
            Part::TreeProfile(_) => "tree-profile",
            Part::LearningCurve(_) => "learning-curve",
            Part::PredictionError(_) => "prediction-error",
            Part::Duplicates(_) => "duplicates",
            Part::TabuCandidates(_) => "tabu-candidates",
            Part::StepTiming(_) => "step-timing",
        }
    }

    fn text(&self) -> Result<String, TextError> {
        let word = self.word();
        each!(self, |kind| written(&std::collections::BTreeMap::from([(word, [kind])])))
    }

    /// The name of everything that decides what a job of this part does. Words for people and numbers of games are left out, so that a
    /// note can be corrected and a run be made longer.
    pub fn hash(&self) -> String {
        let value = each!(self, |kind| serde_json::to_value(kind)).unwrap_or(Value::Null);
        let mut essence = serde_json::json!({ "kind": self.word(), "conditions": value });
        strip(&mut essence);
        sha256(essence.to_string().as_bytes()).chars().take(16).collect()
    }
}

fn strip(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.retain(|key, _| !WORDS.contains(&key.as_str()) && !AMOUNTS.contains(&key.as_str()));
            map.values_mut().for_each(strip);
        }
        Value::Array(items) => items.iter_mut().for_each(strip),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = r#"name = "small"
title = "A small one"

[[match-table]]
title = "nim"
game = "nim"
games = 4
opponent = "random"

[[match-table.rows]]
label = "uct"
player = "uct sims=10"
published = { wins = 3, losses = 1 }

[[step-timing]]
title = "time"
game = "nim"
place = { moves = "1" }
repetitions = 2
baseline = "a"
curves = [{ label = "a", player = "uct sims=10" }]
"#;

    fn parse(text: &str) -> Result<Experiment, TextError> {
        Experiment::parse(text, &|name| (name == "small").then(|| Experiment::parse(SMALL, &|_| None)))
    }

    #[test]
    fn parts_keep_their_order_and_the_text_can_be_read_again() {
        let experiment = parse(SMALL).unwrap();
        assert_eq!(experiment.parts.iter().map(Part::word).collect::<Vec<_>>(), ["match-table", "step-timing"]);
        let text = experiment.text().unwrap();
        assert_eq!(parse(&text).unwrap(), experiment, "{text}");
    }

    /// Every mistake is found, and the error points at its line.
    #[test]
    fn errors_say_where() {
        for (from, to, line, says) in [
            ("games = 4", "gamess = 4", 7, "did you mean games?"),
            ("games = 4", "games = \"4\"", 7, "invalid type"),
            ("games = 4", "games = 0", 4, "at least 1"),
            ("losses = 1", "loses = 1", 13, "did you mean losses?"),
            ("losses = 1", "rate = 7.0", 4, "between 0 and 1"),
            ("[[step-timing]]", "[[step-timings]]", 15, "did you mean step-timing?"),
            ("baseline = \"a\"", "baseline = \"b\"", 15, "no curve"),
            ("label = \"uct\"", "label = \"\"", 4, "label"),
            ("opponent = \"random\"", "", 4, "no opponent"),
            ("title = \"time\"", "title = ", 16, ""),
        ] {
            assert!(SMALL.contains(from));
            let error = parse(&SMALL.replacen(from, to, 1)).unwrap_err();
            assert_eq!(error.line, line, "{to}: {error}");
            assert!(error.message.contains(says), "{to}: {error}");
        }
        for text in ["", "name = 1", "name = \"x\"\ntitle = \"y\"", "\u{0}", "name = \"A b\"\ntitle=\"\""] {
            assert!(parse(text).is_err(), "{text}");
        }
        assert!(parse(&" ".repeat(LONGEST + 1)).is_err());
    }

    #[test]
    fn includes_change_numbers_and_keep_what_was_published() {
        let text = "name = \"tour\"\ntitle = \"t\"\n[[include]]\nexperiment = \"small\"\ntitle = \"nim again\"\n\
                    smaller = { amount = 2, budgets = { uct = \"sims=5\" } }\n";
        let tour = parse(text).unwrap();
        let Part::MatchTable(table) = &tour.parts[0] else { panic!("{tour:?}") };
        assert_eq!((table.games, table.title.as_str()), (2, "nim again"));
        assert!(table.rows[0].published.is_some());
        let lost = text.replace("experiment = \"small\"", "experiment = \"large\"");
        assert_eq!(parse(&lost).unwrap_err().line, 3);
    }

    #[test]
    fn the_hash_knows_conditions_only() {
        let hash = |text: &str| parse(text).unwrap().parts[0].hash();
        let same = hash(SMALL);
        assert_eq!(same.len(), 16);
        for (from, to) in
            [("games = 4", "games = 40"), ("title = \"nim\"", "title = \"Nim!\""), ("wins = 3", "wins = 2")]
        {
            assert_eq!(hash(&SMALL.replacen(from, to, 1)), same, "{to}");
        }
        for (from, to) in [("sims=10", "sims=11"), ("game = \"nim\"", "game = \"tic-tac-toe\"")] {
            assert_ne!(hash(&SMALL.replacen(from, to, 1)), same, "{to}");
        }
    }
}
