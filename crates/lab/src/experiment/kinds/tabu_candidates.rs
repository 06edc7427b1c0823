//! Candidates that tabu lists turn away, by the length of the lists (S2.7, table 4), with the bound of S2.6.

use serde::{Deserialize, Serialize};
use serde_json::json;
use yomi_core::TextError;

use super::duplicates::{PlayoutsTask, of_curve, position_of};
use super::{Kind, TourChanges, scaled, with_budget};
use crate::experiment::claims;
use crate::experiment::findings::{Findings, measured};
use crate::experiment::known::FullRun;
use crate::experiment::place::Place;
use crate::experiment::published::Claim;
use crate::experiment::sample::Sample;
use crate::experiment::task::{Measurement, Task};
use crate::experiment::verdict::{Judgement, of_numbers};
use crate::plots::{Axis, Chart, Point, Series};
use crate::report::text::{number_text, short};
use crate::report::{Field, Section, Sheet};
use crate::statistics::Level;

/// Tabu candidates per search.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct TabuCandidates {
    /// What it shows.
    pub title: String,
    /// The game and its rules.
    pub game: String,
    /// Where to search.
    pub place: Place,
    /// Searches of each length at full size.
    pub searches: u64,
    /// Who searches; `{l}` stands for the length of the lists.
    pub player: String,
    /// The lengths.
    pub lengths: Vec<u32>,
    /// How many plies have lists: M.
    pub plies: u32,
    /// The size N of the board, for the bound of S2.6; no bound if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub board: Option<u32>,
    /// What players may spend on the search who do not say it themselves.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub budget: String,
    /// A part of the published number that matters.
    #[serde(default = "quarter")]
    pub margin: f64,
    /// What the reader should know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub note: Vec<String>,
    /// The playouts of one published search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published_playouts: Option<u64>,
    /// The candidates per search that a paper printed, one per length.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub published: Vec<u64>,
    /// What the paper says about the order of the lengths.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<Claim>,
}

fn quarter() -> f64 {
    0.25
}

/// Euler's constant γ.
const EULER: f64 = 0.577_215_664_901_532_9;

/// S2.6: the average number of tabu candidates per playout stays below (M·L/n)·(ln n + γ + L·π²/6), n = N² − L − M.
pub fn bound(board: u32, length: u32, plies: u32) -> f64 {
    let (n, l, m) = (f64::from(board), f64::from(length), f64::from(plies));
    let free = n * n - l - m;
    m * l / free * (free.ln() + EULER + l * std::f64::consts::PI.powi(2) / 6.0)
}

impl TabuCandidates {
    fn labels(&self) -> Vec<String> {
        self.lengths.iter().map(u32::to_string).collect()
    }

    fn player(&self, length: u32) -> String {
        with_budget(&self.player.replace("{l}", &length.to_string()), &self.budget)
    }

    /// Candidates a playout of one length, search by search.
    fn sample(&self, measurements: &[Option<Measurement>], place: usize) -> Sample {
        let rate = |candidates: u64, playouts: u64| candidates as f64 / playouts.max(1) as f64;
        let searches = of_curve(measurements, place, self.lengths.len());
        Sample::new(searches.iter().filter_map(|measurement| Some(rate(measurement.candidates?, measurement.playouts))))
    }

    /// The published candidates per playout.
    fn print(&self, place: usize) -> Option<f64> {
        Some(*self.published.get(place)? as f64 / self.published_playouts? as f64)
    }

    fn chart(&self, samples: &[Sample]) -> Chart {
        let at = |i: usize| f64::from(self.lengths[i]);
        let measured = samples.iter().enumerate().filter_map(|(i, sample)| {
            let interval = sample.interval(Level::P95);
            let bar = interval.low.is_finite().then_some(interval);
            Some(Point { x: at(i), y: sample.mean()?, bar })
        });
        let printed = (0..self.lengths.len()).filter_map(|i| Some(Point::plain(at(i), self.print(i)?)));
        let curve = |name: &str, points: Vec<Point>| Series {
            name: name.to_string(),
            points,
            joined: true,
            ..Series::default()
        };
        let mut series = vec![curve("measured", measured.collect()), curve("published", printed.collect())];
        if let Some(board) = self.board {
            let points = self.lengths.iter().map(|&l| Point::plain(f64::from(l), bound(board, l, self.plies)));
            series.push(curve("upper bound (S2.6)", points.collect()));
        }
        series.retain(|series| !series.points.is_empty());
        Chart {
            title: self.title.clone(),
            x: Axis::labelled("length L of the lists"),
            y: Axis::labelled("tabu candidates per playout"),
            series,
            marks: Vec::new(),
            ..Chart::default()
        }
    }
}

impl Kind for TabuCandidates {
    fn title(&self) -> &str {
        &self.title
    }

    fn check(&self) -> Result<(), TextError> {
        if self.lengths.is_empty() || self.searches == 0 || self.plies == 0 {
            return Err(TextError::new("lengths, searches and plies must be at least 1"));
        }
        if !self.player.contains("{l}") {
            return Err(TextError::new("the player must say where the length stands: {l}"));
        }
        if !self.published.is_empty()
            && (self.published.len() != self.lengths.len() || self.published_playouts.is_none())
        {
            return Err(TextError::new("published needs one number per length, and published-playouts"));
        }
        // Lists fill up as playouts come in: with fewer playouts there are fewer candidates per playout, whatever the method.
        if let Some(playouts) = self.published_playouts
            && self.budget != format!("sims={playouts}")
        {
            return Err(TextError::new(format!(
                "candidates per playout grow with the playouts of a search: to be compared with the published numbers, the budget must be sims={playouts}"
            )));
        }
        claims::check(&self.claims, self.labels().iter().map(String::as_str))?;
        let longest = self.lengths.iter().max().copied().unwrap_or(0);
        if self.board.is_some_and(|n| u64::from(n).pow(2) <= u64::from(longest) + u64::from(self.plies)) {
            return Err(TextError::new("the board is too small for lists of this length"));
        }
        Ok(())
    }

    fn tasks(&self, scale: f64) -> Vec<Task> {
        let task = |repetition: u64, &length: &u32| PlayoutsTask {
            game: self.game.clone(),
            place: self.place.clone(),
            repetition,
            player: self.player(length),
            plies: self.plies,
            top: 1,
        };
        let searches = scaled(self.searches, scale).max(2);
        (0..searches).flat_map(|r| self.lengths.iter().map(move |l| Task::Playouts(task(r, l)))).collect()
    }

    fn conclude(&self, measurements: &[Option<Measurement>], _known: Option<&FullRun>) -> Section {
        let samples: Vec<Sample> = (0..self.lengths.len()).map(|i| self.sample(measurements, i)).collect();
        let pairs: Vec<Option<(f64, u64, Sample)>> =
            samples.iter().enumerate().map(|(i, sample)| Some((self.print(i)?, 1, sample.clone()))).collect();
        let judged: Vec<Option<Judgement>> = of_numbers(&pairs, self.margin);
        let head = ["L", "searches", "candidates per playout [95 %]", "bound (S2.6)", "published", "verdict"];
        let rows = samples.iter().zip(&judged).enumerate().map(|(i, (sample, judged))| -> Vec<Field> {
            let length = self.lengths[i];
            vec![
                length.to_string().into(),
                sample.count().to_string().into(),
                sample.mean().map_or("–".to_string(), |mean| number_text(mean, sample.interval(Level::P95))).into(),
                self.board.map_or(String::new(), |board| short(bound(board, length, self.plies))).into(),
                self.print(i).map_or(String::new(), |x| format!("{} ({})", short(x), self.published[i])).into(),
                Field::judged(judged.as_ref()),
            ]
        });
        let sheet = Sheet { rows: rows.collect(), ..Sheet::new(&head) };
        let mut notes = self.note.clone();
        let above = samples.iter().zip(&self.lengths).filter(|(sample, length)| {
            let limit = self.board.map_or(f64::INFINITY, |board| bound(board, **length, self.plies));
            sample.mean().is_some_and(|mean| mean > limit)
        });
        let above: Vec<String> = above.map(|(_, length)| length.to_string()).collect();
        if self.board.is_some() {
            notes.push(if above.is_empty() {
                "Every mean lies below the bound of S2.6.".to_string()
            } else {
                format!("Above the bound of S2.6 at L = {}.", above.join(", "))
            });
        }
        let labels = self.labels();
        let named: Vec<(&str, Sample)> = labels.iter().map(String::as_str).zip(samples.iter().cloned()).collect();
        let (claimed, mut verdicts) = claims::judge(&self.claims, "candidates per playout", &named);
        verdicts.extend(judged.iter().flatten().map(|judgement| judgement.verdict));
        let rows: Vec<_> = samples
            .iter()
            .enumerate()
            .map(|(i, sample)| {
                let interval = sample.interval(Level::P95);
                json!({ "length": self.lengths[i], "label": self.lengths[i].to_string(),
                    "candidates_a_playout": sample.mean(), "searches": sample.count(),
                    "published": self.print(i), "printed": self.print(i), "judgement": judged[i],
                    "measured": measured(sample.mean(), interval, &number_text(sample.mean().unwrap_or(f64::NAN), interval)) })
            })
            .collect();
        Section::from(Findings {
            title: self.title.clone(),
            verdicts,
            summary: json!({ "kind": "tabu-candidates", "title": self.title, "game": self.game, "rows": rows,
                "claims": claims::summary(&self.claims, &named) }),
            chart: self.chart(&samples),
            table: sheet,
            claimed,
            board: position_of(measurements, &self.game),
            notes,
            conditions: vec![
                ("game".to_string(), self.game.clone()),
                ("position".to_string(), self.place.to_string()),
                ("player".to_string(), with_budget(&self.player, &self.budget)),
            ],
        })
    }

    fn reduce(&mut self, smaller: &TourChanges) {
        self.searches = smaller.amount.unwrap_or(self.searches);
        if !smaller.only.is_empty() {
            let keep: Vec<bool> = self.lengths.iter().map(|length| smaller.keeps(&length.to_string())).collect();
            let mut kept = keep.iter();
            self.lengths.retain(|_| *kept.next().unwrap_or(&false));
            let mut kept = keep.iter();
            self.published.retain(|_| *kept.next().unwrap_or(&false));
        }
        smaller.replace(&mut self.budget, &mut self.game);
        smaller.move_to(&mut self.place);
        if smaller.game.is_some() {
            // The bound belongs to the board of the paper.
            self.board = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_of_the_paper() {
        let found = bound(19, 12, 5);
        // The paper prints "< 4.562".
        assert!((found - 4.562).abs() < 0.0005, "{found}");
    }

    /// With an eighth of the playouts there are a seventh of the candidates per playout: no verdict on the paper may come of that.
    #[test]
    fn published_numbers_are_compared_at_their_own_budget_only() {
        let text = crate::experiment::library::text("s2-table4").unwrap();
        let whole: toml::Table = text.parse().unwrap();
        let part = whole["tabu-candidates"].as_array().unwrap()[0].clone();
        let mut part: TabuCandidates = part.try_into().unwrap();
        assert!(part.check().is_ok() && !part.claims.is_empty());
        part.reduce(&TourChanges { budget: Some("sims=1000".to_string()), ..TourChanges::default() });
        assert!(part.check().unwrap_err().message.contains("must be sims=8000"));
        part.published_playouts = None;
        part.published.clear();
        assert!(part.check().is_ok());
    }
}
