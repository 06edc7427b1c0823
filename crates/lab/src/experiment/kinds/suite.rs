//! Sets of positions with known answers: how many each method solves, by budget.

use serde::{Deserialize, Serialize};
use serde_json::json;
use yomi_core::TextError;
use yomi_games::Game;
use yomi_search::Limits;

use super::tree_profile::Curve;
use super::{Kind, TourChanges, distinct};
use crate::experiment::findings::{Findings, measured};
use crate::experiment::known::FullRun;
use crate::experiment::problems::Problem;
use crate::experiment::task::{Job, Measurement, Task};
use crate::experiment::workshop::{Factory, Failure};
use crate::opening;
use crate::plots::{Axis, Chart, Point, Series};
use crate::report::text::{percent_text, short};
use crate::report::{Field, Scene, Section, Sheet};
use crate::statistics::clusters::Clusters;
use crate::statistics::{Estimate, Interval, Level};

/// A set of problems.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Suite {
    /// What it shows.
    pub title: String,
    /// The game and its rules.
    pub game: String,
    /// What methods may spend, from the least to the most: `evals=1000`.
    pub budgets: Vec<String>,
    /// How often each method tries each problem, with another seed: 1 for methods without chance.
    #[serde(default = "once")]
    pub repetitions: u64,
    /// What the reader should know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub note: Vec<String>,
    /// The methods.
    pub curves: Vec<Curve>,
    /// The problems.
    pub problems: Vec<Problem>,
}

fn once() -> u64 {
    1
}

/// One method at one problem.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ProblemTask {
    /// The game and its rules.
    pub game: String,
    /// The problem.
    pub problem: Problem,
    /// Who tries, with a budget.
    pub player: String,
    /// Which try.
    pub repetition: u64,
}

/// What came of it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ProblemMeasurement {
    /// Whether the move is right.
    pub solved: bool,
    /// The move that was chosen.
    pub chosen: String,
    /// What the search spent.
    pub nodes: u64,
    /// Positions that its evaluation judged.
    pub evals: u64,
    /// Milliseconds.
    pub ms: f64,
}

/// Lets a method try a problem.
pub(crate) fn measure<P: Game>(
    task: &ProblemTask,
    start: P,
    factory: &dyn Factory<P>,
    job: &Job,
) -> Result<ProblemMeasurement, Failure> {
    let (_, _, line) = opening::replay(&start, &task.problem.opening())?;
    let (mut search, limits) = factory.search(&task.player, &mut |evaluator| evaluator)?;
    let verdict = search.search(&line, &Limits { seed: job.chance(), ..limits }, &mut ());
    let chosen = verdict.best.map_or(String::new(), |mv| line.position().move_text(mv));
    Ok(ProblemMeasurement {
        solved: task.problem.solved_by(&chosen),
        chosen,
        nodes: verdict.nodes,
        evals: verdict.evaluations,
        ms: verdict.elapsed.as_secs_f64() * 1000.0,
    })
}

impl Suite {
    /// The place of a task: method, budget and problem of job number `index`; problems run slowest, so that a broken run has all methods.
    fn place(&self, index: usize) -> (usize, usize, usize) {
        let (methods, budgets) = (self.curves.len(), self.budgets.len());
        let problem = index / (methods * budgets) % self.problems.len();
        (index % methods, index / methods % budgets, problem)
    }

    fn player(&self, method: usize, budget: usize) -> String {
        // The budget of the curve is the row's; a player's own would make all columns alike.
        format!("{} {}", self.curves[method].player, self.budgets[budget])
    }

    /// The amount of a budget, for the axis: the number after its equals sign.
    fn amount(&self, budget: usize) -> f64 {
        let number = self.budgets[budget].split_once('=').and_then(|(_, n)| n.trim().parse().ok());
        number.unwrap_or((budget + 1) as f64)
    }
}

impl Kind for Suite {
    fn title(&self) -> &str {
        &self.title
    }

    fn check(&self) -> Result<(), TextError> {
        distinct(self.curves.iter().map(|curve| curve.label.as_str()))?;
        distinct(self.problems.iter().map(|problem| problem.name.as_str()))?;
        if self.budgets.is_empty() || self.repetitions == 0 {
            return Err(TextError::new("a suite needs a budget and a repetition at least"));
        }
        match self.problems.iter().find(|problem| problem.best.is_empty() && problem.avoid.is_empty()) {
            Some(open) => Err(TextError::new(format!("problem “{}” has no answer", open.name))),
            None => Ok(()),
        }
    }

    fn tasks(&self, scale: f64) -> Vec<Task> {
        let one = self.curves.len() * self.budgets.len();
        // All methods try a problem before the next one; a greater scale tries all problems again with other seeds.
        let tries = (self.problems.len() as f64 * self.repetitions as f64 * scale).ceil().clamp(1.0, 1e7) as usize;
        let task = |index: usize| {
            let (method, budget, problem) = self.place(index);
            Task::Problem(ProblemTask {
                game: self.game.clone(),
                problem: self.problems[problem].clone(),
                player: self.player(method, budget),
                repetition: (index / (one * self.problems.len())) as u64,
            })
        };
        (0..one * tries).map(task).collect()
    }

    fn conclude(&self, measurements: &[Option<Measurement>], _known: Option<&FullRun>) -> Section {
        let (methods, budgets) = (self.curves.len(), self.budgets.len());
        let mut cells: Vec<Vec<Clusters>> = vec![vec![Clusters::default(); budgets]; methods];
        let mut never: Vec<bool> = vec![true; self.problems.len()];
        let mut tried: Vec<bool> = vec![false; self.problems.len()];
        let mut ms = vec![vec![(0.0, 0u64); budgets]; methods];
        for (index, measurement) in measurements.iter().enumerate() {
            let Some(Measurement::Problem(measurement)) = measurement else { continue };
            let (method, budget, problem) = self.place(index);
            let points = f64::from(u8::from(measurement.solved));
            cells[method][budget].add(&problem.to_string(), points, 1.0);
            (tried[problem], never[problem]) = (true, never[problem] && !measurement.solved);
            let time = &mut ms[method][budget];
            *time = (time.0 + measurement.ms, time.1 + 1);
        }
        let mut head = vec!["method".to_string()];
        head.extend(self.budgets.iter().map(|budget| format!("{budget}, % [95 %]")));
        head.push("ms per problem".to_string());
        let mut sheet = Sheet { head, ..Sheet::default() };
        let (mut series, mut rows) = (Vec::new(), Vec::new());
        for (m, curve) in self.curves.iter().enumerate() {
            // The rate is that of all tries; how sure it is follows from the problems.
            let rate = |b: usize| {
                let known = cells[m][b].estimate(Level::P95);
                (known.map(|known| known.value), known.map_or(Interval::UNIT, |known| known.interval))
            };
            let mut fields = vec![Field::named(&curve.label, &curve.player)];
            fields
                .extend((0..budgets).map(|b| Field::from(percent_text(rate(b).0, rate(b).1).replace("no games", "–"))));
            let times = ms[m].iter().map(|&(ms, n)| if n == 0 { "–".to_string() } else { short(ms / n as f64) });
            fields.push(times.collect::<Vec<_>>().join(" / ").into());
            sheet.rows.push(fields);
            let points = (0..budgets).filter_map(|b| {
                let (value, interval) = rate(b);
                Some(Point::percent(self.amount(b), Estimate { value: value?, interval }))
            });
            series.push(Series {
                name: curve.label.clone(),
                points: points.collect(),
                joined: true,
                ..Series::default()
            });
            let (last, interval) = rate(budgets - 1);
            rows.push(json!({ "label": curve.label, "player": curve.player,
                "solved": (0..budgets).map(|b| json!({ "budget": self.budgets[b], "rate": rate(b).0, "interval": [rate(b).1.low, rate(b).1.high] })).collect::<Vec<_>>(),
                "measured": measured(last.map(|x| 100.0 * x), interval.map(|end| 100.0 * end), &percent_text(last, interval)) }));
        }
        let unsolved: Vec<&str> = self
            .problems
            .iter()
            .zip(never.iter().zip(&tried))
            .filter(|(_, (never, tried))| **never && **tried)
            .map(|(p, _)| p.name.as_str())
            .collect();
        let count = tried.iter().filter(|tried| **tried).count();
        let mut notes = self.note.clone();
        notes.push(format!(
            "{count} of {} problems tried. Intervals take the problem as the unit of chance: tries of one problem count as far as they differ.",
            self.problems.len()
        ));
        if !unsolved.is_empty() && count > 0 {
            notes.push(format!("Solved by no method at any budget: {}.", unsolved.join(", ")));
        }
        let chart = Chart {
            title: self.title.clone(),
            x: Axis {
                label: self.budgets[0].split_once('=').map_or("budget", |(key, _)| key).to_string(),
                logarithmic: budgets > 1,
                ..Axis::default()
            },
            y: Axis::percent("solved"),
            series,
            marks: Vec::new(),
            ..Chart::default()
        };
        let board = self.problems.first().map(|problem| {
            let moves = problem.moves.split_whitespace().map(str::to_string).collect();
            let scene = Scene { game: self.game.clone(), position: problem.position.clone(), moves };
            (scene, format!("{}: {}", problem.name, problem.best.join(" or ")))
        });
        Section::from(Findings {
            title: self.title.clone(),
            verdicts: Vec::new(),
            summary: json!({ "kind": "suite", "title": self.title, "game": self.game, "unit": "%", "problems": count, "rows": rows,
                "unsolved": unsolved }),
            chart,
            table: sheet,
            claimed: Sheet::default(),
            board,
            notes,
            conditions: vec![
                ("game".to_string(), self.game.clone()),
                ("problems".to_string(), self.problems.len().to_string()),
            ],
        })
    }

    fn reduce(&mut self, smaller: &TourChanges) {
        self.curves.retain(|curve| smaller.keeps(&curve.label));
        if let Some(amount) = smaller.amount {
            self.problems.truncate(amount.max(1) as usize);
        }
        if let Some(budget) = &smaller.budget {
            self.budgets = vec![budget.clone()];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Seven of nine problems are 77.8 %, though nine problems that were drawn at random are worth a little less than nine games.
    #[test]
    fn rates_are_those_of_all_tries() {
        let problem = |i: usize| Problem { name: i.to_string(), best: vec!["1".to_string()], ..Problem::default() };
        let suite = Suite {
            title: "t".to_string(),
            game: "nim".to_string(),
            budgets: vec!["sims=10".to_string()],
            repetitions: 1,
            note: Vec::new(),
            curves: vec![Curve { label: "a".to_string(), player: "random".to_string() }],
            problems: (0..9).map(problem).collect(),
        };
        let answer = |solved: bool| ProblemMeasurement { solved, chosen: "1".to_string(), nodes: 1, evals: 1, ms: 1.0 };
        let measurements: Vec<_> = (0..9).map(|i| Some(Measurement::Problem(answer(i < 7)))).collect();
        let row = &suite.conclude(&measurements, None).summary["rows"][0];
        assert!((row["measured"]["value"].as_f64().unwrap() - 100.0 * 7.0 / 9.0).abs() < 1e-9, "{row}");
        let nothing = suite.conclude(&[], None);
        assert_eq!(nothing.summary["problems"], 0);
    }
}
