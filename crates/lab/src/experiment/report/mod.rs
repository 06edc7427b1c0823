//! What an experiment came to, for people and for programs: `report.md`, `report.html`, `summary.json`, `plots/*.svg`.

mod html;
mod markdown;

use serde_json::json;

use super::directory::{Directory, Manifest};
use super::page::{Block, Section};
use super::plan::Plan;
use super::verdict::Verdict;
use super::workshop::Workshop;
use crate::error::Result;

/// A report ready to be written.
pub struct Report<'a> {
    plan: &'a Plan,
    manifest: &'a Manifest,
    sections: Vec<Section>,
    /// How many jobs are done, and how many there are.
    progress: (usize, usize),
}

/// How the verdicts were reached, in words: part of every report.
pub(crate) const TESTS: &[&str] = &[
    "Win rates: published and measured counts are compared by the chi-square test of two proportions, by Fisher's exact test where a \
     count below five is expected. Intervals of rates are Clopper–Pearson's, those of differences Newcombe's, all at 95 %.",
    "Numbers: the published one is compared with where one more measurement would lie (Student's prediction interval).",
    "Statements about an order: paired Student tests between neighbours and between the ends.",
    "All p-values of one table are corrected by Holm. “Differs”: corrected p below 0.05. “Agrees”: not so, and the interval of the \
     difference lies within the margin, so that a difference that matters is ruled out (for an order: the ends differ as said, and \
     no neighbours the other way). “Not significant”: neither; more games are needed to tell.",
    "“p vs 50 %” is the exact two-sided binomial test.",
];

impl<'a> Report<'a> {
    /// What the rows of a directory say.
    pub fn new(plan: &'a Plan, manifest: &'a Manifest, directory: &Directory) -> Result<Report<'a>> {
        let told = plan.told(&directory.rows()?)?;
        let all = told.iter().map(Vec::len).sum();
        let done = told.iter().flatten().flatten().count();
        let parts = plan.experiment.parts.iter().zip(&told);
        let sections = parts.map(|(part, told)| part.kind().conclude(told)).collect();
        Ok(Report { plan, manifest, sections, progress: (done, all) })
    }

    /// The verdicts of all parts: how many agree, differ, and cannot be told.
    pub fn verdicts(&self) -> [usize; 3] {
        let count = |wanted: Verdict| self.sections.iter().flat_map(|s| &s.verdicts).filter(|&&v| v == wanted).count();
        [Verdict::Agrees, Verdict::Differs, Verdict::NotSignificant].map(count)
    }

    /// The verdicts in a sentence.
    pub fn sentence(&self) -> String {
        let [agree, differ, open] = self.verdicts();
        if agree + differ + open == 0 {
            return "Nothing published to compare with.".to_string();
        }
        format!(
            "Of {} published rows and statements, {agree} agree, {differ} differ, and {open} are not significant.",
            agree + differ + open
        )
    }

    /// Writes everything into the directory of the run.
    pub fn write(&self, directory: &Directory, workshop: &dyn Workshop) -> Result<()> {
        for (name, chart) in self.charts() {
            directory.write(&format!("plots/{name}.svg"), chart.svg().as_bytes())?;
        }
        let mut boards = Vec::new();
        for (i, (scene, _)) in self.boards().enumerate() {
            let drawn = workshop.board(scene);
            if let Ok(drawn) = &drawn {
                directory.write(&format!("plots/board-{}.svg", i + 1), drawn.svg.as_bytes())?;
            }
            boards.push(drawn.ok());
        }
        directory.write("report.md", markdown::text(self, &boards).as_bytes())?;
        directory.write("report.html", html::text(self, &boards).as_bytes())?;
        let summary = serde_json::to_string_pretty(&self.summary()).unwrap_or_default();
        directory.write("summary.json", summary.as_bytes())
    }

    /// The report for programs.
    pub fn summary(&self) -> serde_json::Value {
        let [agree, differ, open] = self.verdicts();
        json!({ "type": "experiment", "experiment": self.plan.experiment.name, "title": self.plan.experiment.title,
            "paper": self.plan.experiment.paper, "scale": self.plan.scale, "seed": self.plan.seed,
            "program": self.manifest.program, "bench": self.manifest.bench, "reproducible": self.manifest.reproducible,
            "jobs_done": self.progress.0, "jobs": self.progress.1,
            "agree": agree, "differ": differ, "not_significant": open,
            "parts": self.sections.iter().map(|s| s.summary.clone()).collect::<Vec<_>>() })
    }

    fn blocks(&self) -> impl Iterator<Item = &Block> {
        self.sections.iter().flat_map(|section| &section.blocks)
    }

    /// All charts with the names of their files; the same name twice gets a number.
    fn charts(&self) -> Vec<(String, &crate::plots::Chart)> {
        let mut charts: Vec<(String, &crate::plots::Chart)> = Vec::new();
        for block in self.blocks() {
            if let Block::Figure(name, chart) = block {
                let taken =
                    charts.iter().filter(|(other, _)| other == name || other.starts_with(&format!("{name}-x"))).count();
                let name = if taken == 0 { name.clone() } else { format!("{name}-x{}", taken + 1) };
                charts.push((name, chart));
            }
        }
        charts
    }

    /// All boards in order.
    fn boards(&self) -> impl Iterator<Item = &(super::workshop::Scene, String)> {
        self.blocks().flat_map(|block| match block {
            Block::Boards(boards) => boards.as_slice(),
            _ => &[],
        })
    }

    /// What the reader should know before the results.
    fn preface(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.progress.0 < self.progress.1 {
            lines.push(format!(
                "Incomplete: {} of {} jobs are done. What follows is from those.",
                self.progress.0, self.progress.1
            ));
        }
        if self.plan.scale < 1.0 {
            lines.push(format!(
                "A miniature: {} of the full size. With so few games the intervals are wide; “not significant” means that nothing \
                 can be told yet, not that nothing is there.",
                self.plan.scale
            ));
        }
        lines.extend(self.plan.experiment.note.iter().cloned());
        lines
    }

    /// The facts of the run.
    fn facts(&self) -> Vec<(&'static str, String)> {
        let Manifest { program, bench, reproducible, seed, scale, parts, .. } = self.manifest;
        let again = if *reproducible {
            "yes: the same seed gives the same ledger"
        } else {
            "no: time, threads or programs of others are involved"
        };
        vec![
            ("experiment", self.plan.experiment.name.clone()),
            ("program", program.clone()),
            ("bench signature", bench.to_string()),
            ("seed", seed.to_string()),
            ("scale", scale.to_string()),
            ("jobs", format!("{} of {}", self.progress.0, self.progress.1)),
            ("conditions", parts.join(", ")),
            ("reproducible", again.to_string()),
        ]
    }
}
