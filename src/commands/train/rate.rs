//! `yomi train rate`: the Elo of the generations of a run.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::ensure;
use serde_json::{Value, json};
use yomi_core::{Seed, Spec};
use yomi_lab::plots::{Axis, Chart, Point, Series};
use yomi_lab::statistics::Interval;
use yomi_lab::statistics::ratings::{self, Pool};
use yomi_lab::statistics::tally::Game;
use yomi_search::{Limits, Method};
use yomi_train::contest::Terms;
use yomi_train::run::{Folder, Generation};
use yomi_train::{dispatch, open};

use crate::arguments::NetworkRunArgs;

/// Rate the generations of a run by matches between them
#[derive(clap::Args)]
#[command(after_help = "Examples:
  yomi train rate runs/mini --pairs 50
  yomi train rate runs/mini --every 4 --pairs 200 --simulations 64 \\
    --threads 16 --device cuda

Pairs of games from the same random openings with colours exchanged, each generation against the next of those chosen and
the one after it. elo.jsonl in the folder has the ratings, the first generation at 0; they go into dashboard.html.")]
pub(super) struct Args {
    /// The folder of the run
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// Every how many generations; the last is always rated
    #[arg(long, default_value_t = 1, value_name = "GENERATIONS")]
    every: u64,
    /// Pairs of games per pairing
    #[arg(long, default_value_t = 50)]
    pairs: usize,
    /// Simulations per move
    #[arg(long, default_value_t = 64, value_name = "COUNT")]
    simulations: u64,
    /// The search of both sides
    #[arg(long, default_value = "puct", value_name = "METHOD")]
    method: String,
    /// Random moves at the beginning
    #[arg(long, default_value_t = 4, value_name = "PLIES")]
    random: usize,
    #[command(flatten)]
    network: NetworkRunArgs,
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    let (folder, config) = Folder::existing(&args.folder)?;
    let newest = folder.newest().unwrap_or(0);
    ensure!(newest > 0, "{}: there are no two generations to compare", args.folder.display());
    ensure!(args.every > 0 && args.pairs > 0, "--every and --pairs are at least 1");
    let game = Spec::parse(&config.game)?;
    let method: Method = args.method.parse()?;
    let limits = Limits::simulations(args.simulations);
    let terms = Terms { methods: [method.clone(), method], limits: [limits.clone(), limits], random: args.random };
    let mut chosen: Vec<u64> = (0..newest).step_by(args.every as usize).collect();
    chosen.push(newest);
    let device = args.network.device()?;
    let net = |generation: u64| -> anyhow::Result<_> {
        Ok(open::open(&open::read(&folder.net(generation))?, device, args.network.threads())?)
    };
    let name = |generation: u64| format!("net-{generation:05}");
    let mut pool = Pool::new();
    let mut progress = crate::progress::Progress::new("matches", (2 * chosen.len()) as u64);
    for (i, &first) in chosen.iter().enumerate() {
        let player = net(first)?;
        for &second in chosen[i + 1..].iter().take(2) {
            let seed = Seed::new(args.network.seed).branch("first", first).branch("second", second);
            let other = net(second)?;
            let points =
                dispatch::contest(&game, &terms, [&player, &other], args.pairs, args.network.threads(), &seed)?;
            // The ratings know games, not pairs: half points are games drawn or won.
            for half_points in points {
                for result in match half_points {
                    0 => [Game::Loss, Game::Loss],
                    1 => [Game::Loss, Game::Draw],
                    2 => [Game::Draw, Game::Draw],
                    3 => [Game::Win, Game::Draw],
                    _ => [Game::Win, Game::Win],
                } {
                    pool.add(&name(first), &name(second), result)?;
                }
            }
            progress.step();
        }
    }
    drop(progress);
    let ratings = ratings::fit(&pool, &ratings::Options::default())?;
    let rating = |generation: u64| ratings.players.iter().find(|player| player.name == name(generation));
    let zero = rating(0).map_or(0.0, |player| player.rating.value);
    let mut lines = String::new();
    for &generation in &chosen {
        let Some(player) = rating(generation) else { continue };
        let line = json!({ "generation": generation, "elo": player.rating.value - zero, "low": player.rating.interval.low - zero,
            "high": player.rating.interval.high - zero, "games": player.games(), "simulations": args.simulations,
            "method": args.method });
        lines.push_str(&format!("{line}\n"));
        if args.network.json {
            writeln!(out, "{line}")?;
        } else {
            let (low, high) = (player.rating.interval.low - zero, player.rating.interval.high - zero);
            writeln!(out, "net-{generation:05}: {:+.0} ({low:+.0} to {high:+.0})", player.rating.value - zero)?;
        }
    }
    yomi_train::files::replace(&args.folder.join("elo.jsonl"), lines.as_bytes())?;
    super::dashboard::write(&args.folder)
}

/// The Elo of generations over the time of the run.
pub(super) fn chart(folder: &Path, history: &[Generation]) -> Option<Chart> {
    let text = std::fs::read_to_string(folder.join("elo.jsonl")).ok()?;
    let point = |line: &str| {
        let row: Value = serde_json::from_str(line).ok()?;
        let generation = row["generation"].as_u64()?;
        // The network of generation n is there when generation n - 1 is learned from.
        let seconds = match generation.checked_sub(1) {
            Some(before) => history.iter().find(|line| line.generation == before)?.seconds,
            None => 0.0,
        };
        let bar = Some(Interval { low: row["low"].as_f64()?, high: row["high"].as_f64()? });
        Some(Point { x: seconds / 60.0, y: row["elo"].as_f64()?, bar })
    };
    let points: Vec<Point> = text.lines().filter_map(point).collect();
    Some(Chart {
        title: "Elo of the generations".into(),
        x: Axis::labelled("minutes"),
        y: Axis::labelled("Elo"),
        series: vec![Series { name: "networks".into(), points, joined: true, ..Series::default() }],
        ..Chart::default()
    })
}
