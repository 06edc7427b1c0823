//! What a report says, before it is a web page or Markdown. Matches and experiments are reported by the same pages.

use serde_json::Value;

use super::games::GameSet;
use super::papers::Paper;
use crate::experiment::verdict::{Judgement, Verdict};
use crate::plots::Chart;
use crate::report::text::p_text;

/// A report.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Page {
    /// What it is about.
    pub title: String,
    /// A few words above the title.
    pub kicker: String,
    /// The papers that it repeats.
    pub papers: Vec<&'static Paper>,
    /// What was to be found out.
    pub question: String,
    /// The answer in a sentence.
    pub answer: String,
    /// Something the reader must not miss.
    pub warnings: Vec<String>,
    /// What the reader should know before the results.
    pub remarks: Vec<String>,
    /// All parts at a glance, above them.
    pub overview: Option<Overview>,
    /// The parts.
    pub sections: Vec<Section>,
    /// How it was judged, in words.
    pub method: Vec<String>,
    /// The facts of the run.
    pub facts: Vec<(String, String)>,
    /// Which build wrote the report, for its last line.
    pub build: String,
}

impl Page {
    /// The verdicts of all parts: how many agree, differ, and are undecided.
    pub fn verdicts(&self) -> [usize; 3] {
        count(self.sections.iter().flat_map(|section| &section.verdicts))
    }

    /// All charts with the names of their files; the same name twice gets a number.
    pub fn charts(&self) -> Vec<(String, &Chart)> {
        let mut charts: Vec<(String, &Chart)> = Vec::new();
        for block in self.sections.iter().flat_map(|section| &section.blocks) {
            if let Block::Figure(name, chart) = block {
                let same = |other: &String| other == name || other.starts_with(&format!("{name}-x"));
                let taken = charts.iter().filter(|(other, _)| same(other)).count();
                let name = if taken == 0 { name.clone() } else { format!("{name}-x{}", taken + 1) };
                charts.push((name, chart));
            }
        }
        charts
    }

    /// All boards in order.
    pub fn boards(&self) -> impl Iterator<Item = &(Scene, String)> {
        self.sections.iter().flat_map(|section| &section.blocks).flat_map(|block| match block {
            Block::Boards(boards) => boards.as_slice(),
            _ => &[],
        })
    }
}

/// How many agree, differ, and are undecided.
pub fn count<'a>(verdicts: impl Iterator<Item = &'a Verdict> + Clone) -> [usize; 3] {
    let of = |wanted: Verdict| verdicts.clone().filter(|&&verdict| verdict == wanted).count();
    [Verdict::Agrees, Verdict::Differs, Verdict::NotSignificant].map(of)
}

/// One line per part: what was published, what is known, what came out here.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Overview {
    /// What stands above the columns, the name of the part excepted.
    pub head: Vec<String>,
    /// The cells of each part, in their order.
    pub rows: Vec<Vec<Field>>,
    /// What the cells mean.
    pub note: String,
}

/// A part of a report.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Section {
    /// What it is about.
    pub title: String,
    /// What is shown, in order.
    pub blocks: Vec<Block>,
    /// The verdicts in it.
    pub verdicts: Vec<Verdict>,
    /// The same for programs.
    pub summary: Value,
    /// The games that can be replayed.
    pub games: Option<GameSet>,
}

/// A piece of a report.
#[derive(Clone, PartialEq, Debug)]
#[allow(clippy::large_enum_variant, reason = "a page has dozens of blocks, not thousands")]
pub enum Block {
    /// A paragraph.
    Text(String),
    /// Remarks, one per line.
    Notes(Vec<String>),
    /// A table.
    Table(Sheet),
    /// A chart; the name of its file under `plots/`, without extension.
    Figure(String, Chart),
    /// Positions to be drawn side by side, each with a caption.
    Boards(Vec<(Scene, String)>),
    /// The fine print: what and how, folded away.
    Conditions(Vec<(String, String)>),
}

/// A position to draw: a game, and the moves from its start or from a position.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Scene {
    /// The game and its rules.
    pub game: String,
    /// The position before the moves; the start position if left out.
    pub position: Option<String>,
    /// Moves in the game's own text.
    pub moves: Vec<String>,
}

/// A position drawn.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Drawing {
    /// As an SVG document.
    pub svg: String,
    /// As the game's own text (SFEN, …).
    pub text: String,
}

/// A table.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Sheet {
    /// What stands above the columns.
    pub head: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<Field>>,
    /// How many columns after the first are text, too; the others are numbers.
    pub words: usize,
}

impl Sheet {
    /// A table without rows: the first column is text, the others are numbers.
    pub fn new(head: &[&str]) -> Sheet {
        Sheet { head: head.iter().map(ToString::to_string).collect(), ..Sheet::default() }
    }
}

/// A field of a table.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Field {
    /// What stands there.
    pub text: String,
    /// What it means, if it is a verdict.
    pub verdict: Option<Verdict>,
    /// What the text is short for.
    pub full: Option<String>,
    /// The row of the section's games that it leads to.
    pub games: Option<usize>,
}

impl From<String> for Field {
    fn from(text: String) -> Field {
        Field { text, ..Field::default() }
    }
}

impl From<&str> for Field {
    fn from(text: &str) -> Field {
        Field::from(text.to_string())
    }
}

impl Field {
    /// A text that leads to the games of a row of its section.
    pub fn of_games(text: String, row: usize) -> Field {
        Field { games: Some(row), ..Field::from(text) }
    }

    /// A short name, and all of it on demand.
    pub fn named(short: &str, full: &str) -> Field {
        Field { full: (short != full).then(|| full.to_string()), ..Field::from(short) }
    }

    /// A verdict with its corrected p-value; empty where nothing was published.
    pub fn judged(judgement: Option<&Judgement>) -> Field {
        judgement.map_or(Field::default(), |judgement| Field {
            text: format!("{}, p = {}", judgement.verdict.words(), p_text(judgement.corrected)),
            verdict: Some(judgement.verdict),
            ..Field::default()
        })
    }
}
