//! `yomi learn gradient-speed`: the accuracy of each gradient against the time it takes.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

use anyhow::{bail, ensure};
use serde_json::json;
use yomi_core::{Line, Seed};
use yomi_games::shogi::{Shogi, Variant};
use yomi_games::with_shogi;
use yomi_lab::plots::{Axis, Chart, Point, Series};
use yomi_learn::Start;
use yomi_learn::gradient_speed::{Measured, Terms, measure};
use yomi_learn::model::{LinearShogi, Model};
use yomi_learn::run::QUIET;

use crate::files;
use crate::progress::Progress;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  yomi learn gradient-speed --game minishogi --out runs/speed
  yomi learn gradient-speed --game shogi --positions 10 --out runs/speed

Each line of GAME.jsonl is a form with its setting: the mean error |g - g*|/|g*| over the positions, the cosine, CPU seconds per gradient.
On complete trees of two plies g* is S0.7; on the trees of searches it is the walk over the whole tree.")]
pub(super) struct Args {
    /// minishogi or shogi
    #[arg(long, short, value_name = "GAME")]
    game: String,
    /// The folder for GAME.jsonl and the charts
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Positions, from random games
    #[arg(long, default_value_t = 20)]
    positions: usize,
    /// Positions that the search before a gradient may judge
    #[arg(long, default_value_t = 2000, value_name = "N")]
    evals: u64,
    /// The seed of all random numbers
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The lines on standard output too
    #[arg(long)]
    json: bool,
}

const SAMPLES: [usize; 6] = [4, 16, 64, 256, 1024, 4096];
const LEAST: [f64; 4] = [0.0, 0.001, 0.01, 0.1];
const LEAVES: [usize; 5] = [4, 8, 16, 64, 256];
/// What has no error has no logarithm: it stands at the lower edge of a chart.
const EXACT: f64 = 1e-6;
/// Plies of a random game before its position is taken.
const PLIES: usize = 12;

pub(super) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    ensure!(args.positions > 0 && args.evals > 0, "--positions and --evals are at least 1");
    with_shogi!(args.game.as_str(), |V| speed::<V>(args, out), other => {
        bail!("{other} has no linear evaluation; shogi and minishogi have")
    })
}

/// A position of a random game.
fn position<V: Variant>(seed: Seed) -> Line<Shogi<V>> {
    let mut rng = seed.rng();
    let mut moves = Vec::new();
    'game: loop {
        let mut line = Line::new(Shogi::<V>::default());
        for _ in 0..PLIES {
            if line.generate(&mut moves).is_some() {
                continue 'game;
            }
            line.play(moves[rng.below(moves.len())]);
        }
        if line.generate(&mut moves).is_none() {
            return line;
        }
    }
}

/// A form with its setting, in the order of the charts.
type Key = (&'static str, &'static str, u64);

fn speed<V: Variant>(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    let model = LinearShogi::<V>::new(QUIET, Start::Embedded, 600.0);
    let parameters = Model::<Shogi<V>>::start(&model);
    let terms = Terms {
        search: "mcss(t=80,hash=64)".parse()?,
        evaluations: args.evals,
        t_a: 50.0,
        samples: SAMPLES.to_vec(),
        least: LEAST.to_vec(),
        leaves: LEAVES.to_vec(),
    };
    let mut found: BTreeMap<Key, Vec<Measured>> = BTreeMap::new();
    let mut progress = Progress::new("gradients", args.positions as u64);
    let (mut taken, mut number) = (0, 0);
    while taken < args.positions && number < 100 * args.positions as u64 {
        let seed = Seed::new(args.seed).branch("position", number);
        number += 1;
        let rows = measure((&model, &parameters), &position::<V>(seed), &terms, seed)?;
        if rows.is_empty() {
            continue;
        }
        for row in rows {
            found.entry((row.tree, row.form, row.setting.to_bits())).or_default().push(row);
        }
        taken += 1;
        progress.step();
    }
    drop(progress);
    let mut text = String::new();
    let mut lines: BTreeMap<(&str, &str), Vec<Point>> = BTreeMap::new();
    for ((tree, form, _), rows) in &found {
        let mean = |f: fn(&Measured) -> f64| rows.iter().map(f).sum::<f64>() / rows.len() as f64;
        let (error, seconds) = (mean(|row| row.error), mean(|row| row.seconds));
        let mut line = json!({ "type": "gradient", "game": V::NAME, "tree": tree, "form": form, "setting": rows[0].setting,
            "positions": rows.len(), "error": error, "cosine": mean(|row| row.cosine), "seconds": seconds,
            "search_seconds": mean(|row| row.search_seconds), "nodes": mean(|row| row.nodes as f64) });
        // Once more under the names of tree and form, where the series of an experiment find them.
        line[*tree] = json!({ (*form): { "seconds": seconds, "error": error.max(EXACT) } });
        text += &format!("{line}\n");
        lines.entry((tree, form)).or_default().push(Point::plain(seconds, error.max(EXACT)));
    }
    std::fs::create_dir_all(&args.out)?;
    files::write(&args.out.join(format!("{}.jsonl", V::NAME)), text.as_bytes(), out)?;
    for tree in ["complete", "search"] {
        let series = lines.iter().filter(|((of, _), _)| *of == tree).map(|((_, form), points)| {
            let mut points = points.clone();
            points.sort_by(|a, b| a.x.total_cmp(&b.x));
            Series { name: (*form).to_string(), joined: points.len() > 1, points, ..Series::default() }
        });
        let chart = Chart {
            title: format!("{}: error of the gradient against its time, {tree} tree", V::NAME),
            x: Axis { logarithmic: true, ..Axis::labelled("CPU seconds per gradient") },
            y: Axis { logarithmic: true, ..Axis::labelled("|g - g*|/|g*| (1e-6: exact)") },
            series: series.collect(),
            ..Chart::default()
        };
        files::write(&args.out.join(format!("{}-{tree}.svg", V::NAME)), chart.svg().as_bytes(), out)?;
    }
    if args.json {
        write!(out, "{text}")?;
    } else {
        writeln!(out, "{:<10}{:<9}{:>9}{:>11}{:>9}{:>12}", "tree", "form", "setting", "error", "cosine", "CPU ms")?;
        for ((tree, form, _), rows) in &found {
            let mean = |f: fn(&Measured) -> f64| rows.iter().map(f).sum::<f64>() / rows.len() as f64;
            writeln!(
                out,
                "{tree:<10}{form:<9}{:>9}{:>11.4}{:>9.4}{:>12.3}",
                rows[0].setting,
                mean(|row| row.error),
                mean(|row| row.cosine),
                1000.0 * mean(|row| row.seconds)
            )?;
        }
    }
    Ok(())
}
