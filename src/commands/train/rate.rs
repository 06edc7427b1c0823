//! `yomi train rate`: the Elo of the generations of a run.

use std::io::Write;
use std::path::PathBuf;

use anyhow::ensure;
use serde_json::json;
use yomi_core::{Seed, Spec};
use yomi_search::{Limits, Method};
use yomi_train::contest::{Pairing, Terms};
use yomi_train::run::{Config, Folder};
use yomi_train::{dispatch, open};

use super::elo::{self, Over};
use crate::arguments::NetworkRunArgs;
use crate::files;

/// Rate the generations of a run by matches between them
#[derive(clap::Args)]
#[command(after_help = "Examples:
  yomi train rate runs/mini --pairs 50
  yomi train rate runs/mini --every 4 --pairs 200 --simulations 64 \\
    --threads 16 --device cuda
  yomi train rate results/train-go9 --played --svg results/train-go9

Pairs of games from the same random openings with colours exchanged, each generation against the next of those chosen and
the one after it: pairs.jsonl in the folder. elo.jsonl has the ratings, the first generation at 0, with 95 % intervals against the
mean of all; they go into dashboard.html. --svg draws them over the games, the evaluated positions and the minutes that each network
took.")]
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
    /// Play nothing: rate the pairs that were played (pairs.jsonl), and write nothing but charts
    #[arg(long, conflicts_with_all = ["every", "pairs", "simulations", "method", "random"])]
    played: bool,
    /// Draw the ratings with their intervals: elo-by-games.svg, elo-by-evaluations.svg and elo-by-minutes.svg in this folder
    #[arg(long, value_name = "FOLDER")]
    svg: Option<PathBuf>,
    #[command(flatten)]
    network: NetworkRunArgs,
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    let (folder, config) = Folder::existing(&args.folder)?;
    let pairings = if args.played { elo::read(&args.folder)? } else { play(args, &folder, &config)? };
    let rated = elo::rate(&pairings)?;
    let more = if args.played { json!({}) } else { json!({ "simulations": args.simulations, "method": args.method }) };
    let lines = elo::lines(&rated, &more);
    if args.network.json {
        write!(out, "{lines}")?;
    } else {
        for row in &rated {
            let (low, high) = (row.interval.low, row.interval.high);
            writeln!(out, "net-{:05}: {:+.0} ({low:+.0} to {high:+.0})", row.generation, row.elo)?;
        }
    }
    if let Some(pictures) = &args.svg {
        let title = format!("{} {}x{}: Elo of generations", config.game, config.blocks, config.channels);
        for (name, over) in [("games", Over::Games), ("evaluations", Over::Evaluations), ("minutes", Over::Minutes)] {
            let chart = elo::chart(&title, &rated, &folder.history(), over);
            files::write(&pictures.join(format!("elo-by-{name}.svg")), chart.svg().as_bytes(), out)?;
        }
    }
    if args.played {
        return Ok(());
    }
    yomi_train::files::replace(&args.folder.join("elo.jsonl"), lines.as_bytes())?;
    super::dashboard::write(&args.folder)
}

/// Plays the pairs and keeps them in `pairs.jsonl`.
fn play(args: &Args, folder: &Folder, config: &Config) -> anyhow::Result<Vec<Pairing>> {
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
    let mut pairings = Vec::new();
    let mut progress = crate::progress::Progress::new("matches", (2 * chosen.len()) as u64);
    for (i, &first) in chosen.iter().enumerate() {
        let player = net(first)?;
        for &second in chosen[i + 1..].iter().take(2) {
            let seed = Seed::new(args.network.seed).branch("first", first).branch("second", second);
            let other = net(second)?;
            let half_points =
                dispatch::contest(&game, &terms, [&player, &other], args.pairs, args.network.threads(), &seed)?;
            pairings.push(Pairing { first, second, half_points });
            progress.step();
        }
    }
    drop(progress);
    let lines: String = pairings.iter().map(|pairing| format!("{}\n", json!(pairing))).collect();
    yomi_train::files::replace(&args.folder.join("pairs.jsonl"), lines.as_bytes())?;
    Ok(pairings)
}
