//! A table of matches as a report shows it: its tables, its chart, its games and boards, and what readers should know.

use super::{Counts, LevelClaim, MatchTable, RowVerdict};
use crate::experiment::known::FullRun;
use crate::experiment::published::Published;
use crate::experiment::task::Measurement;
use crate::plots::{Axis, Chart, Look, Point, Series};
use crate::report::games::{GameSet, Recorded};
use crate::report::text::{games_text, p_text, percent_text, record_text, short_names, signed_text};
use crate::report::{Field, Scene, Sheet};
use crate::statistics::elo::{elo, normalized_elo};
use crate::statistics::{Estimate, Level, Proportion};

impl MatchTable {
    /// The rows with their rates, beside what was published.
    pub(super) fn sheet(&self, counts: &[Counts], judged: &[Option<RowVerdict>]) -> Sheet {
        let published = self.rows.iter().any(|row| row.published.is_some());
        let level = published && self.level == LevelClaim::Judged;
        let mut head = vec!["player", "W-D-L", "different", "measured, % [95 %]"];
        head.extend(published.then_some("published, %"));
        head.extend(level.then_some("verdict"));
        head.extend(["p vs 50 %", "Elo [95 %]", "nElo [95 %]"]);
        let mut sheet = Sheet::new(&head);
        sheet.rows = self
            .rows
            .iter()
            .zip(counts)
            .zip(judged)
            .enumerate()
            .map(|(place, ((row, counts), judged))| {
                let sure = counts.effective();
                let even = if sure.trials() == 0 { "–".to_string() } else { p_text(sure.exact_test(0.5)) };
                let mut fields: Vec<Field> = vec![
                    Field::named(&row.label, &self.players(row).join(" against ")),
                    Field::of_games(record_text(counts.wins, counts.draws, counts.losses), place),
                    counts.different().to_string().into(),
                    percent_text(counts.rate(self.draws), counts.interval()).into(),
                ];
                if published {
                    let flag = |p: &Published| if p.misprint().is_some() { " †" } else { "" };
                    let print = row.published.as_ref().map_or(String::new(), |p| format!("{}{}", p.text(), flag(p)));
                    fields.push(print.into());
                }
                fields.extend(level.then(|| judged.as_ref().map_or(Field::default(), RowVerdict::field)));
                let tally = counts.tally();
                fields.extend([
                    even.into(),
                    signed_text(elo(&tally, Level::P95)).into(),
                    signed_text(normalized_elo(&tally, Level::P95)).into(),
                ]);
                fields
            })
            .collect();
        sheet
    }

    /// Colours, openings, endings, and what both sides spent per move.
    pub(super) fn details(&self, counts: &[Counts]) -> Sheet {
        let mut reasons: Vec<&String> = counts.iter().flat_map(|counts| counts.reasons.keys()).collect();
        reasons.sort_unstable();
        reasons.dedup();
        let mut head = vec!["player", "moving first, W-D-L", "moving second", "openings", "design effect"];
        head.extend(reasons.iter().map(|reason| reason.as_str()));
        head.extend(["ms per move", "CPU ms", "CPU µs per simulation", "nodes", "simulations", "evaluations"]);
        let mut sheet = Sheet::new(&head);
        sheet.rows = self
            .rows
            .iter()
            .zip(counts)
            .map(|(row, counts)| {
                let mut fields: Vec<Field> = vec![
                    Field::named(&row.label, &self.players(row).join(" against ")),
                    counts.color_text(0).into(),
                    counts.color_text(1).into(),
                    counts.clusters.len().to_string().into(),
                    format!("{:.2}", counts.clusters.design_effect()).into(),
                ];
                fields.extend(
                    reasons.iter().map(|r| Field::from(counts.reasons.get(*r).copied().unwrap_or(0).to_string())),
                );
                fields.extend([
                    counts.both(|spent| spent.ms).into(),
                    counts.both(|spent| spent.cpu_ms).into(),
                    counts.step_times().into(),
                    counts.both(|spent| spent.nodes as f64).into(),
                    counts.both(|spent| spent.sims as f64).into(),
                    counts.both(|spent| spent.evals as f64).into(),
                ]);
                fields
            })
            .collect();
        sheet
    }

    /// The rates of the rows, measured, known and published.
    pub(super) fn chart(&self, counts: &[Counts], known: Option<&FullRun>) -> Chart {
        // Rows that have no place on an axis of numbers stand in the table only.
        let by_number = self.rows.iter().filter(|row| row.x.is_some()).count() > 1;
        let mut curves: Vec<&str> = self.rows.iter().map(|row| row.series.as_str()).collect();
        curves.sort_unstable();
        curves.dedup();
        let mut series = Vec::new();
        // What was measured, known and published of one curve has one colour and different marks, side by side.
        let drawn = |curve: &&str| !by_number || self.rows.iter().any(|row| row.series == *curve && row.x.is_some());
        for (colour, curve) in curves.into_iter().filter(drawn).enumerate() {
            for (what, look) in [("measured", Look::Solid), ("our full run", Look::Known), ("published", Look::Hollow)]
            {
                let rows = self.rows.iter().zip(counts).enumerate().filter(|(_, (row, _))| row.series == curve);
                let mut points: Vec<Point> = rows
                    .filter_map(|(i, (row, counts))| {
                        let at = if by_number { row.x? } else { i as f64 };
                        match look {
                            Look::Solid => {
                                let (value, interval) = (counts.rate(self.draws)?, counts.interval());
                                let estimate = Estimate { value, interval };
                                Some(Point::percent(at, estimate))
                            }
                            Look::Known => known?.point(&row.label, at),
                            Look::Hollow => point(at, row.published.as_ref()?.proportion()?),
                        }
                    })
                    .collect();
                points.sort_by(|a, b| a.x.total_cmp(&b.x));
                let name = if curve.is_empty() { what.to_string() } else { format!("{what}, {curve}") };
                series.push(Series { name, points, joined: by_number, look, colour: Some(colour) });
            }
        }
        series.retain(|series| !series.points.is_empty());
        let axis = self.axis.clone().unwrap_or_default();
        let names = if by_number { Vec::new() } else { self.rows.iter().map(|row| row.label.clone()).collect() };
        Chart {
            title: self.title.clone(),
            x: Axis { label: axis.label, logarithmic: axis.log && by_number, names, ..Axis::default() },
            y: Axis::percent("win rate"),
            series,
            marks: vec![50.0],
            apart: true,
        }
    }

    /// All games, to be replayed.
    pub(super) fn games(&self, measurements: &[Option<Measurement>]) -> GameSet {
        let players: Vec<[String; 2]> = self.rows.iter().map(|row| self.players(row)).collect();
        let mut opponents: Vec<&str> = players.iter().map(|[_, opponent]| opponent.as_str()).collect();
        opponents.sort_unstable();
        opponents.dedup();
        let short = short_names(&opponents);
        let name =
            |opponent: &str| opponents.iter().position(|o| *o == opponent).map_or("", |i| &*short[i]).to_string();
        let rows = self.rows.iter().zip(&players).map(|(row, [_, opponent])| [row.label.clone(), name(opponent)]);
        let games = measurements.iter().enumerate().filter_map(|(index, measurement)| match measurement {
            Some(Measurement::Game(game)) => Some(Recorded {
                row: index % self.rows.len(),
                number: index as u64,
                half_points: (2.0 * game.score).round() as u8,
                first: game.first,
                detail: game.detail.clone(),
                position: game.start.clone(),
                moves: game.moves.clone(),
            }),
            _ => None,
        });
        GameSet { game: self.game.clone(), rows: rows.collect(), games: games.collect() }
    }

    /// The last positions of some games: the first game of the first, the middle and the last row.
    pub(super) fn boards(&self, measurements: &[Option<Measurement>]) -> Vec<(Scene, String)> {
        let mut rows = vec![0, self.rows.len() / 2, self.rows.len().saturating_sub(1)];
        rows.dedup();
        let mut boards = Vec::new();
        for row in rows {
            let of_row = measurements.iter().skip(row).step_by(self.rows.len());
            let found = of_row.flatten().find_map(|measurement| match measurement {
                Measurement::Game(game) if !game.moves.is_empty() => Some(game),
                _ => None,
            });
            let Some(game) = found else { continue };
            let scene = game.scene(&self.game);
            let result = match game.score {
                score if score > 0.75 => "wins",
                score if score < 0.25 => "loses",
                _ => "draws",
            };
            let side = if game.first { "first" } else { "second" };
            let caption = format!(
                "{}, moving {side}, {result} after {} moves ({})",
                self.rows[row].label,
                game.moves.len(),
                game.detail
            );
            boards.push((scene, caption));
        }
        boards
    }

    /// What readers should know: remarks of the file, contradictions in print, games that are equal, games that ended oddly.
    pub(super) fn remarks(&self, counts: &[Counts]) -> Vec<String> {
        let mut remarks = self.note.clone();
        for row in &self.rows {
            if let Some(misprint) = row.published.as_ref().and_then(Published::misprint) {
                remarks.push(format!("† {}: {misprint}.", row.label));
            }
        }
        if self.level == LevelClaim::Open && self.rows.iter().any(|row| row.published.is_some()) {
            remarks.push(
                "How strong the opponent is, is ours to set: the level of these rows cannot agree with the published one and is not \
                 judged. The claims about their shape and their differences are."
                    .to_string(),
            );
        }
        let games: u64 = counts.iter().map(Counts::games).sum();
        let different: u64 = counts.iter().map(Counts::different).sum();
        remarks.push(format!(
            "{}, {different} of them different from all others of their row ({:.1} % are repeated). Smallest row: {}.",
            games_text(games),
            100.0 * (games - different) as f64 / games.max(1) as f64,
            games_text(counts.iter().map(Counts::games).min().unwrap_or(0))
        ));
        if counts.iter().any(|counts| counts.games() < 50) {
            remarks.push(
                "Fewer than 50 games per row: the intervals are wide, and only gross differences could show."
                    .to_string(),
            );
        }
        remarks
    }
}

impl RowVerdict {
    fn field(&self) -> Field {
        let field = Field::judged(Some(&self.judgement));
        match &self.readings {
            Some(readings) => Field { text: format!("{} ({readings})", self.judgement.verdict.words()), ..field },
            None => field,
        }
    }
}

/// A rate on a chart, in percent as in the table.
fn point(x: f64, rate: Proportion) -> Option<Point> {
    Some(Point::percent(x, Estimate { value: rate.rate()?, interval: rate.clopper_pearson(Level::P95) }))
}
