//! The experiments that come with the program.

use yomi_core::TextError;

use super::file::Experiment;

/// Declares the files once.
macro_rules! library {
    ($($name:literal),+ $(,)?) => {
        /// The files, by name.
        const FILES: &[(&str, &str)] = &[$(
            ($name, include_str!(concat!("../../../../experiments/", $name, ".toml"))),
        )+];
    };
}

library![
    "tour",
    "s0-table1",
    "s0-table2",
    "s0-fig2",
    "s0-table2-gnu",
    "s0-table2-controls",
    "s0-fig3",
    "s1-fig4",
    "s1-fig5",
    "s1-fig6",
    "s1-table2",
    "s1-fig7",
    "s1-fig8",
    "s1-fig9",
    "s2-table2",
    "s2-knowledge",
    "s2-fig5",
    "s2-table4",
    "s2-fig6",
    "s4-table1",
    "s4-table1-cpu",
    "x-temperature",
    "x-temperature-shogi",
    "x-cold",
    "x-temperature-by-depth",
    "x-temperature-target",
    "x-temperatures-apart",
    "x-methods-evaluations",
    "x-methods-time",
    "x-family-constants",
    "x-family",
    "x-mcss-ladder",
    "x-mcss-alphabeta",
    "x-quiescence",
    "x-tabu-go19",
    "x-tabu-go9",
    "x-tabu-time",
    "x-blokus-outside",
    "x-blokus-controls",
    "x-blokus-yardstick",
    "ladder-minishogi",
    "ladder-shogi",
    "ladder-go",
    "levels-shogi",
    "levels-minishogi",
    "levels-go9",
    "levels-go13",
    "levels-go19",
    "levels-blokus-duo",
];

/// The names of all of them.
pub fn names() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|&(name, _)| name)
}

/// The text of one.
pub fn text(name: &str) -> Option<&'static str> {
    FILES.iter().find(|(file, _)| *file == name).map(|&(_, text)| text)
}

/// One of them.
pub fn find(name: &str) -> Option<Result<Experiment, TextError>> {
    // Includes go one step deep: what is included includes nothing itself.
    let plain = |other: &str| text(other).filter(|_| other != name).map(|text| Experiment::parse(text, &|_| None));
    text(name).map(|text| Experiment::parse(text, &plain))
}

/// The experiment that `text`, a file of the user's own, describes.
pub fn parse(text: &str) -> Result<Experiment, TextError> {
    Experiment::parse(text, &find)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_can_be_read_and_is_called_by_its_name() {
        for name in names() {
            let experiment = find(name).unwrap().unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(experiment.name, name);
            assert!(!experiment.title.is_empty() && !experiment.question.is_empty(), "{name}");
            assert_eq!(parse(&experiment.text().unwrap()).unwrap(), experiment, "{name}");
        }
        assert!(find("s9-table9").is_none());
    }
}
