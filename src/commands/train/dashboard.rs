//! The curves of a run as one HTML file.

use std::fmt::Write;
use std::path::Path;

use yomi_lab::plots::{Axis, Chart, Point, Series};
use yomi_train::run::{Folder, Generation};

use super::elo::{self, Over};

/// A series of a chart, with its value in each generation.
type Curve<'a> = (&'a str, Box<dyn Fn(&Generation) -> f64>);

/// Writes `dashboard.html` of a run.
pub(super) fn write(path: &Path) -> anyhow::Result<()> {
    let (folder, config) = Folder::existing(path)?;
    let history = folder.history();
    let loss = |name: &'static str| -> Box<dyn Fn(&Generation) -> f64> {
        Box::new(move |generation| generation.training.losses.get(name).copied().unwrap_or(f64::NAN))
    };
    let minutes = |generation: &Generation| generation.seconds / 60.0;
    let mut charts = vec![
        chart(
            "Losses",
            "nats",
            &history,
            minutes,
            vec![
                ("policy", loss("policy")),
                ("value", loss("value")),
                ("score", loss("score")),
                ("ownership", loss("ownership")),
            ],
        ),
        chart("Surprise of the policy", "nats", &history, minutes, vec![("surprise", Box::new(|g| g.surprise))]),
        chart("Moves per game", "plies", &history, minutes, vec![("plies", Box::new(|g| g.plies))]),
        chart(
            "Evaluations per second",
            "thousands",
            &history,
            minutes,
            vec![("self-play", Box::new(|g| g.evaluations_per_second / 1e3))],
        ),
        chart(
            "Positions trained on per second",
            "thousands",
            &history,
            minutes,
            vec![("trainer", Box::new(|g| g.training.positions_per_second / 1e3))],
        ),
        chart(
            "Samples per second",
            "samples",
            &history,
            minutes,
            vec![("self-play", Box::new(|g| g.samples_per_second))],
        ),
        chart(
            "Device at work",
            "share of the time",
            &history,
            minutes,
            vec![("device", Box::new(|g| g.device_share.unwrap_or(f64::NAN)))],
        ),
        chart(
            "Trainer at work",
            "share of the time",
            &history,
            minutes,
            vec![("trainer", Box::new(|g| g.training_share))],
        ),
    ];
    if let Some(rated) = elo::read_lines(path) {
        for over in [Over::Evaluations, Over::Games, Over::Minutes] {
            charts.insert(0, elo::chart("Elo of the generations", &rated, &history, over));
        }
    }
    let mut html = format!(
        "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>{0} {1}x{2}</title>\n<style>body{{font-family:sans-serif;\
         max-width:60em;margin:auto}}svg{{max-width:100%}}</style>\n<h1>{0}, {1}x{2}</h1>\n",
        config.game.replace(['<', '&'], " "),
        config.blocks,
        config.channels
    );
    if let Some(last) = history.last() {
        writeln!(
            html,
            "<p>Generation {}, {} games, {} samples, {} evaluations, {:.0} seconds.</p>",
            last.generation, last.games, last.samples, last.evaluations, last.seconds
        )?;
    }
    // What was not measured, as a device that no tool of the system looks at, has no chart.
    charts.retain(|chart| !chart.series.is_empty());
    charts.iter().for_each(|chart| html.push_str(&chart.svg()));
    yomi_train::files::replace(&path.join("dashboard.html"), html.as_bytes())?;
    Ok(())
}

fn chart(title: &str, unit: &str, history: &[Generation], x: fn(&Generation) -> f64, curves: Vec<Curve<'_>>) -> Chart {
    let series = |(name, y): Curve<'_>| Series {
        name: name.to_string(),
        points: history.iter().map(|generation| Point::plain(x(generation), y(generation))).collect(),
        joined: true,
        ..Series::default()
    };
    Chart {
        title: title.to_string(),
        x: Axis::labelled("minutes"),
        y: Axis::labelled(unit),
        series: curves
            .into_iter()
            .map(series)
            .filter(|series| series.points.iter().any(|point| point.y.is_finite()))
            .collect(),
        ..Chart::default()
    }
}
