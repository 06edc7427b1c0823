//! What an experiment came to, for people and for programs: `report.md`, `report.html`, `summary.json`, `plots/*.svg`.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::directory::{Directory, Manifest};
use super::known::{self, FullRun, highest};
use super::plan::ExperimentPlan;
use super::workshop::Workshop;
use crate::arena::Arena;
use crate::error::Result;
use crate::report::page::{Overview, count};
use crate::report::{Field, Page, Section, papers, write_page};

/// A report ready to be written.
pub struct Report<'a> {
    plan: &'a ExperimentPlan,
    manifest: &'a Manifest,
    sections: Vec<Section>,
    /// How many jobs each part has done.
    done: Vec<usize>,
    /// How many jobs there are.
    all: usize,
    /// What is known about each part from a larger run.
    known: Vec<Option<&'static FullRun>>,
}

/// How the verdicts were reached, in words: part of every report.
pub(crate) const TESTS: &[&str] = &[
    "Win rates: published and measured counts are compared by the chi-square test of two proportions, by Fisher's exact test where a \
     count below five is expected. Intervals of rates are Clopper–Pearson's, those of differences Newcombe's, all at 95 %.",
    "Games of one opening are not independent, and equal games are one game: the counts of every row are divided by its design effect \
     (Rao and Scott 1992, clusters being openings) before anything is tested or an interval is made. “Different” counts games whose moves, \
     or a symmetric image of them, did not occur before in their row.",
    "Claims about a shape: first the rows must differ at all (chi-square test of homogeneity, by permutations where a count below \
     five is expected), then an order is judged by Cochran and Armitage's trend test and by the distance to the likeliest rising rates \
     (parametric bootstrap), an optimum inside by both ends being worse than a row between them and by the distance to one peak. Claims \
     about an effect: the difference of two rows, compared with nothing and with the published difference, half of it either way.",
    "Power: how often the claim would be found to agree if the published rates, moved to the measured level, were the true ones.",
    "Elo and normalized Elo count a draw as half a win; their unit of chance is the pair of games with swapped colours. “ms per move”, \
     nodes and evaluations are those of the player of the row and of its opponent; CPU time is that of the thread that asked, so of \
     searches with more threads and of programs it is only a part.",
    "Numbers: the published one is compared with where one more measurement would lie, or the mean of as many as it is the mean of (Student's \
     prediction interval).",
    "Statements about an order: paired Student tests between neighbours and between the ends.",
    "Claims about where curves of learning end: what the means over the last stretch say and most of its points, too; “open” if they \
     disagree. One learning run has no interval, so this is a comparison and no test. A ratio may miss the published one by half of its \
     distance from 1.",
    "All p-values of one table are corrected by Holm. “Differs”: corrected p below 0.05. “Agrees”: not so, and the interval of the \
     difference lies within the margin, so that a difference that matters is ruled out (for an order: the ends differ as said, and \
     no neighbours the other way). The margin of a win rate is half of the published distance from 50 %, at least 2 and at most 10 points, where \
     the file names no other. “Not significant”: neither; more games are needed to tell.",
    "“p vs 50 %” is the exact two-sided binomial test.",
];

impl<'a> Report<'a> {
    /// What the rows of a directory say.
    pub fn new(plan: &'a ExperimentPlan, manifest: &'a Manifest, directory: &Directory) -> Result<Report<'a>> {
        let measurements = plan.measurements(&directory.rows()?)?;
        let all = measurements.iter().map(Vec::len).sum();
        let done: Vec<usize> = measurements.iter().map(|part| part.iter().flatten().count()).collect();
        // What is included was made smaller; of others, a run that is as large itself needs no other beside it.
        let included = !plan.experiment.origins.is_empty();
        let larger = |(i, &done): (usize, &usize)| {
            known::find(&plan.experiment.origin(i)).filter(|run| included || run.jobs > done)
        };
        let known: Vec<Option<&FullRun>> = done.iter().enumerate().map(larger).collect();
        let parts = plan.experiment.parts.iter().zip(&measurements).zip(&known);
        let sections = parts.map(|((part, measurements), &known)| {
            let mut section = part.kind().conclude(measurements, known);
            known.into_iter().for_each(|known| known.column(&mut section));
            section
        });
        Ok(Report { plan, manifest, sections: sections.collect(), done, all, known })
    }

    /// The parts, and how many jobs each has done.
    pub fn sections(&self) -> impl Iterator<Item = (&Section, usize)> {
        self.sections.iter().zip(self.done.iter().copied())
    }

    /// The verdicts of all parts: how many agree, differ, and are undecided.
    pub fn verdicts(&self) -> [usize; 3] {
        count(self.sections.iter().flat_map(|section| &section.verdicts))
    }

    /// The verdicts in a sentence.
    pub fn sentence(&self) -> String {
        let [agree, differ, open] = self.verdicts();
        if agree + differ + open == 0 {
            return "Nothing published to compare with.".to_string();
        }
        let is = |n: usize, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
        format!(
            "Of {}, {}, {}, and {} not significant.",
            is(agree + differ + open, "claim or published row", "claims and published rows"),
            is(agree, "agrees", "agree"),
            is(differ, "differs", "differ"),
            is(open, "is", "are")
        )
    }

    /// Writes everything into the directory of the run.
    pub fn write(&self, directory: &Directory, workshop: &dyn Workshop) -> Result<()> {
        let page = self.page(&workshop.version().build);
        let scenes = page.boards().map(|(scene, _)| scene.game.clone());
        let sets = page.sections.iter().filter_map(|section| Some(section.games.as_ref()?.game.clone()));
        let mut arenas: BTreeMap<String, Box<dyn Arena>> = BTreeMap::new();
        for game in scenes.chain(sets) {
            if !arenas.contains_key(&game)
                && let Ok(arena) = workshop.arena(&game)
            {
                arenas.insert(game, arena);
            }
        }
        write_page(&page, directory.run(), &|game| arenas.get(game).map(|arena| &**arena))?;
        let summary = serde_json::to_string_pretty(&self.summary()).unwrap_or_default();
        directory.write("summary.json", summary.as_bytes())
    }

    /// The report as a page. `build` is the program that writes it.
    pub fn page(&self, build: &str) -> Page {
        let experiment = &self.plan.experiment;
        let titles = self.sections.iter().map(|section| section.title.as_str());
        Page {
            title: experiment.title.clone(),
            kicker: experiment.paper.clone(),
            papers: papers::named_in(titles.chain([experiment.paper.as_str()])),
            question: experiment.question.clone(),
            answer: self.sentence(),
            warnings: Vec::new(),
            remarks: self.remarks(),
            overview: self.overview(),
            sections: self.sections.clone(),
            method: TESTS.iter().map(ToString::to_string).collect(),
            facts: self.facts(),
            build: build.to_string(),
        }
    }

    /// The report for programs.
    pub fn summary(&self) -> Value {
        let [agree, differ, open] = self.verdicts();
        json!({ "type": "experiment", "experiment": self.plan.experiment.name, "title": self.plan.experiment.title,
            "paper": self.plan.experiment.paper, "scale": self.plan.scale, "seed": self.plan.seed,
            "program": self.manifest.program, "bench": self.manifest.bench, "reproducible": self.manifest.reproducible,
            "jobs_done": self.done.iter().sum::<usize>(), "jobs": self.all,
            "agree": agree, "differ": differ, "not_significant": open,
            "parts": self.sections.iter().map(|s| s.summary.clone()).collect::<Vec<_>>() })
    }

    /// What the reader should know before the results.
    fn remarks(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let done: usize = self.done.iter().sum();
        if done < self.all {
            lines.push(format!("Incomplete: {done} of {} jobs are done. What follows is from those.", self.all));
        }
        if self.plan.scale < 1.0 {
            lines.push(format!(
                "A miniature: {} of the full size. With so few games the intervals are wide; “not significant” means that nothing \
                 can be said yet, not that nothing is there.",
                self.plan.scale
            ));
        }
        lines.extend(self.plan.experiment.note.iter().cloned());
        lines
    }

    /// All parts at a glance: the highest value that was published, that is known, and that was measured here.
    fn overview(&self) -> Option<Overview> {
        if self.sections.len() < 2 || self.known.iter().all(Option::is_none) {
            return None;
        }
        let row = |(section, known): (&Section, &Option<&FullRun>)| {
            let rows = &section.summary["rows"];
            let unit = section.summary["unit"].as_str().map_or(String::new(), |unit| format!(" {unit}"));
            let cell = |best: Option<(&str, f64)>| {
                best.map_or("–".into(), |(label, value)| {
                    Field::from(format!("{label}: {}{unit}", one_place(value, &unit)))
                })
            };
            let published = highest(rows, |row| row["printed"].as_f64());
            let here = highest(rows, |row| row["measured"]["value"].as_f64());
            // Of the full run only the rows that are here, too: else unequal things stand side by side.
            let here_too = |label: &str| rows.as_array().into_iter().flatten().any(|row| row["label"] == label);
            let known_rows = known.iter().flat_map(|run| &run.rows).filter(|row| here_too(&row.label));
            let best = known_rows.max_by(|a, b| a.value.total_cmp(&b.value));
            let [agree, differ, open] = known.map_or([0; 3], |run| run.verdicts);
            let verdicts = match agree + differ + open {
                0 => "–".to_string(),
                _ => format!("{agree} agree, {differ} differ, {open} open"),
            };
            vec![cell(published), cell(best.map(|row| (row.label.as_str(), row.value))), cell(here), verdicts.into()]
        };
        let head = ["published, highest", "our full run, highest", "this run, highest", "our full run and the paper"];
        Some(Overview {
            head: head.map(String::from).into(),
            rows: self.sections.iter().zip(&self.known).map(row).collect(),
            note: "The row with the highest value in each. Our full runs lie under results/ of the source: larger budgets, other opponents \
                   where a paper has them, hundreds of games per row. This run shows how they were made."
                .to_string(),
        })
    }

    /// The facts of the run.
    fn facts(&self) -> Vec<(String, String)> {
        let Manifest { program, bench, reproducible, seed, scale, parts, build, machines, commands, players, .. } =
            self.manifest;
        let again = if *reproducible {
            "yes: the same seed gives the same ledger"
        } else {
            "no: time, threads or programs of others are involved"
        };
        let mut facts = vec![
            ("experiment", self.plan.experiment.name.clone()),
            ("program", program.clone()),
            ("bench signature", bench.to_string()),
            ("seed", seed.to_string()),
            ("scale", scale.to_string()),
            ("jobs", format!("{} of {}", self.done.iter().sum::<usize>(), self.all)),
            ("conditions", parts.join(", ")),
            ("reproducible", again.to_string()),
        ];
        if !build.is_empty() {
            facts.insert(2, ("build", build.clone()));
        }
        facts.extend(commands.iter().map(|command| ("command", command.clone())));
        facts.extend(machines.iter().map(|machine| ("machine", machine.clone())));
        let programs = players.iter().filter(|seat| seat.id != seat.player && !seat.id.is_empty());
        facts.extend(programs.map(|seat| ("engine", format!("{}: {}", seat.player, seat.id))));
        facts.into_iter().map(|(key, value)| (key.to_string(), value)).collect()
    }
}

/// A number with its unit: percentages have one decimal.
fn one_place(value: f64, unit: &str) -> String {
    if unit.is_empty() { crate::report::text::short(value) } else { format!("{value:.1}") }
}
