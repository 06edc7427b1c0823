//! What a tuning run came to: the best numbers with their region, the games that judge them, curves.

use serde_json::{Value, json};

use super::config::Method;
use super::course::Course;
use super::run::{TuneRow, Tuning};
use crate::error::Result;
use crate::experiment::kinds::counts::{Counts, Draws};
use crate::plots::{Axis, Chart, Look, Point, Series};
use crate::report::text::{p_text, percent_text, record_text, short, signed_text};
use crate::report::{Block, Page, Section, Sheet, write_page};
use crate::statistics::elo::elo;
use crate::statistics::proportions::{compare, difference};
use crate::statistics::{Estimate, Interval, Level, Proportion};

/// Models drawn for the region.
const DRAWS: usize = 1000;
/// Columns of games in a curve.
const COLUMNS: usize = 12;

/// What a run came to.
pub struct TuneReport {
    /// The best point, in coordinates from -1 to 1.
    pub best: Vec<f64>,
    /// The same as a player.
    pub player: String,
    /// The page.
    pub page: Page,
    /// The same for programs.
    pub summary: Value,
}

/// How it was found, in words.
const METHOD: &[&str] = &[
    "The log-odds of winning are modelled as a quadratic in the tuned numbers (in their logarithms where the range says so), fitted by \
     penalised maximum likelihood to all games; a game counts less the further below the average of the model it lies, so the model is \
     local around its top (after CLOP, Coulom 2012).",
    "The region of a number is the middle 95 % of the tops of models drawn by the likelihood. One that reaches an end of the range says that \
     the best may lie outside.",
    "The tuned player and the middle of the range are judged on openings that were not used to tune: rates with intervals clustered by opening, \
     the difference by Newcombe's interval.",
];

/// The report of the games so far.
pub fn report(tuning: &Tuning, build: &str) -> Result<TuneReport> {
    let rows = tuning.rows()?;
    let course = tuning.course(&rows);
    let (config, space) = (&tuning.config, &tuning.config.space);
    let (model, best) = (course.model(), course.best());
    let region = model.region(DRAWS);
    let player = space.player(&best);
    let judged = tuning.judged(&rows, &course).map(|games| counted(&games));
    let mut table = Sheet::new(&["number", "best", "95 % region", "range"]);
    let mut numbers = Vec::new();
    for ((axis, &x), region) in space.axes.iter().zip(&best).zip(&region) {
        let [value, low, high] = [x, region.low, region.high].map(|x| axis.value(x));
        table.rows.push(vec![
            axis.name.as_str().into(),
            short(value).into(),
            format!("{} to {}", short(low), short(high)).into(),
            format!("{} to {}{}", short(axis.low), short(axis.high), if axis.log { ", by ratios" } else { "" }).into(),
        ]);
        numbers.push(
            json!({ "name": axis.name, "best": value, "low": low, "high": high, "range": [axis.low, axis.high] }),
        );
    }
    let mut blocks = vec![Block::Table(table)];
    blocks.extend(judgement(&judged));
    blocks.extend(
        (0..space.axes.len()).map(|i| Block::Figure(format!("tune-{}", i + 1), curve(tuning, &course, i, &best))),
    );
    blocks.push(Block::Conditions(conditions(tuning)));
    let done = course.samples.len();
    let (rate, interval) = model.rate(&best);
    let answer = format!(
        "{} (model: {} % after {done} games): {player}",
        space.words(&best),
        percent_text(Some(rate), interval)
    );
    let incomplete =
        (done < config.games as usize).then(|| format!("Incomplete: {done} of {} games are played.", config.games));
    let page = Page {
        title: format!("Tuning {}", space.template),
        kicker: format!("Tuning: {}", config.game),
        question: format!("Which {} win most against {}?", names(tuning), config.against.join(" and ")),
        answer,
        remarks: incomplete.into_iter().collect(),
        sections: vec![Section { title: "Result".to_string(), blocks, ..Section::default() }],
        method: METHOD.iter().map(ToString::to_string).collect(),
        facts: vec![
            (
                "games".to_string(),
                format!("{done} to tune, {} to judge", judged.iter().map(Counts::games).sum::<u64>()),
            ),
            ("conditions".to_string(), config.hash()),
            ("seed".to_string(), config.seed.to_string()),
        ],
        build: build.to_string(),
        ..Page::default()
    };
    let judged_json = |counts: &Counts| {
        let interval = counts.interval();
        json!({ "wins": counts.wins, "draws": counts.draws, "losses": counts.losses, "rate": counts.rate(Draws::Half),
            "interval": [interval.low, interval.high] })
    };
    let summary = json!({ "type": "tune", "game": config.game, "template": space.template, "against": config.against,
        "method": config.method, "games": done, "player": player, "numbers": numbers, "model_rate": rate,
        "model_interval": [interval.low, interval.high], "judged": { "tuned": judged_json(&judged[0]), "middle": judged_json(&judged[1]) } });
    Ok(TuneReport { best, player, page, summary })
}

/// Writes the report of a run into its directory.
pub fn write(tuning: &Tuning, build: &str) -> Result<TuneReport> {
    let report = report(tuning, build)?;
    write_page(&report.page, tuning.directory(), &|_| Some(tuning.arena()))?;
    tuning.directory().write("summary.json", format!("{:#}\n", report.summary).as_bytes())?;
    Ok(report)
}

fn names(tuning: &Tuning) -> String {
    tuning.config.space.axes.iter().map(|axis| axis.name.as_str()).collect::<Vec<_>>().join(" and ")
}

fn conditions(tuning: &Tuning) -> Vec<(String, String)> {
    let config = &tuning.config;
    let method = match config.method {
        Method::Clop => "local quadratic model",
        Method::Spsa => "SPSA",
    };
    vec![
        ("player".to_string(), config.space.template.clone()),
        ("against".to_string(), config.against.join("; ")),
        ("openings".to_string(), config.opening.clone()),
        ("method".to_string(), format!("{method}, {} pairs of games at a time", config.batch)),
    ]
}

fn counted(rows: &[TuneRow]) -> Counts {
    let mut counts = Counts::default();
    // Every pair of games has an opening of its own.
    rows.iter()
        .for_each(|row| counts.add_of_cluster(&row.game, row.index / 2, &(row.index / 2).to_string(), Draws::Half));
    counts
}

/// The tuned player beside the middle of the range; nothing before games judge them.
fn judgement([tuned, middle]: &[Counts; 2]) -> Option<Block> {
    if tuned.games() == 0 {
        return None;
    }
    let mut sheet = Sheet::new(&[
        "on openings not used to tune",
        "W-D-L",
        "score, % [95 %]",
        "Elo [95 %]",
        "tuned minus middle, points [95 %]",
        "p",
    ]);
    let gain = difference(tuned.effective(), middle.effective(), Level::P95);
    let p = compare(tuned.effective(), middle.effective(), false).p;
    for (label, counts, gain) in [("tuned", tuned, gain), ("middle of the range", middle, None)] {
        let (rate, interval) = (counts.rate(Draws::Half), counts.interval());
        let points = gain.map_or(String::new(), |gain: Estimate| {
            format!(
                "{:+.1} [{:+.1}, {:+.1}]",
                100.0 * gain.value,
                100.0 * gain.interval.low,
                100.0 * gain.interval.high
            )
        });
        sheet.rows.push(vec![
            label.into(),
            record_text(counts.wins, counts.draws, counts.losses).into(),
            percent_text(rate, interval).into(),
            signed_text(elo(&counts.tally(), Level::P95)).into(),
            points.into(),
            gain.map_or(String::new(), |_| p_text(p)).into(),
        ]);
    }
    Some(Block::Table(sheet))
}

/// One number: the games in columns, and the model through its top.
fn curve(tuning: &Tuning, course: &Course<'_>, i: usize, best: &[f64]) -> Chart {
    let axis = &tuning.config.space.axes[i];
    let column = |x: f64| (((x + 1.0) / 2.0 * COLUMNS as f64) as usize).min(COLUMNS - 1);
    let mut columns = [[0.0f64; 2]; COLUMNS];
    for sample in &course.samples {
        let cell = &mut columns[column(sample.point[i])];
        *cell = [cell[0] + sample.score, cell[1] + 1.0];
    }
    let middle = |c: usize| (c as f64 + 0.5) / COLUMNS as f64 * 2.0 - 1.0;
    let games = columns.iter().enumerate().filter_map(|(c, &[points, games])| {
        let rate = Proportion::new(points.round() as u64, games as u64).ok()?;
        let estimate = Estimate { value: rate.rate()?, interval: rate.wilson(Level::P95) };
        Some(Point::percent(axis.value(middle(c)), estimate))
    });
    let model = course.model();
    let along = (0..=24).map(|k| {
        let x = f64::from(k) / 12.0 - 1.0;
        let mut point = best.to_vec();
        point[i] = x;
        let (rate, interval): (f64, Interval) = model.rate(&point);
        Point::percent(axis.value(x), Estimate { value: rate, interval })
    });
    Chart {
        title: format!("{}: games, and the model through its top", axis.name),
        x: Axis { label: axis.name.clone(), logarithmic: axis.log, ..Axis::default() },
        y: Axis::percent("score"),
        series: vec![
            Series {
                name: "games".into(),
                points: games.collect(),
                joined: false,
                look: Look::Hollow,
                colour: Some(1),
            },
            Series { name: "model".into(), points: along.collect(), joined: true, look: Look::Solid, colour: Some(0) },
        ],
        marks: vec![50.0],
        ..Chart::default()
    }
}
