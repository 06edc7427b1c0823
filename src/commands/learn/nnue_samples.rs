//! `yomi learn nnue-samples` and `yomi learn nnue-round`: samples for a trainer elsewhere, and a network from what it has learned.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, ensure};
use serde_json::json;
use yomi_core::Spec;
use yomi_core::clock::Stopwatch;
use yomi_eval::nnue::{Groups, Network};
use yomi_games::shogi::Variant;
use yomi_games::with_shogi;
use yomi_learn::nnue::stream::{SampleRun, Tally, write_samples};
use yomi_learn::nnue::{Player, Settings};

use super::nnue::{no_evaluation, player_of};
use crate::files;
use crate::progress::Progress;

/// Play games against itself and write their quiet positions for a trainer elsewhere
#[derive(clap::Args)]
#[command(after_help = "Examples:
  yomi learn nnue-samples --game shogi --out shogi.rows --time 540 --threads 14
  yomi learn nnue-samples --game minishogi --out mini.rows --games 1000 \\
    --network mini.nnue
  python3 python/yomi_train nnue --out shogi.f32 shogi.rows
  yomi learn nnue-round --game shogi shogi.f32 --to shogi.nnue

The file has a header and one record per position; docs/methods/learn-nnue.md
has its format. The first games do not depend on the time nor on the threads.")]
pub(super) struct Args {
    /// shogi or minishogi
    #[arg(long, short, value_name = "GAME")]
    game: Spec,
    /// The file
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// The network that plays; the linear evaluation if left out
    #[arg(long, value_name = "FILE")]
    network: Option<PathBuf>,
    /// How many games
    #[arg(long, default_value_t = 10_000_000)]
    games: usize,
    /// Begin no game later than this
    #[arg(long, value_name = "SECONDS")]
    time: Option<f64>,
    /// Nodes of alpha-beta per move
    #[arg(long, default_value_t = 1000)]
    nodes: u64,
    /// Most random moves at the beginning of a game; at least half as many are played
    #[arg(long, default_value_t = 8, value_name = "PLIES")]
    random: usize,
    /// TD(λ): how much of what a position should be worth lies beyond its own search, in later ones and in the result
    #[arg(long, default_value_t = 0.8, value_name = "FRACTION")]
    lambda: f32,
    /// Threads
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// The seed of all random numbers
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Round the parameters that a trainer has found to a network of whole numbers
#[derive(clap::Args)]
#[command(after_help = "Example:
  yomi learn nnue-round --game shogi shogi.f32 --to shogi.nnue

The file of parameters holds single-precision numbers, little-endian, in the
order of the parameters: docs/methods/learn-nnue.md.")]
pub(super) struct RoundArgs {
    /// shogi or minishogi
    #[arg(long, short, value_name = "GAME")]
    game: Spec,
    /// The parameters
    parameters: PathBuf,
    /// The file of the network
    #[arg(long, value_name = "FILE")]
    to: PathBuf,
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    with_shogi!(args.game.name.as_str(), |V| write_file::<V>(args, out), other => no_evaluation(other))
}

pub(super) fn run_round(args: &RoundArgs, out: &mut dyn Write) -> anyhow::Result<()> {
    with_shogi!(args.game.name.as_str(), |V| round::<V>(args, out), other => no_evaluation(other))
}

fn write_file<V: Variant>(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    ensure!((0.0..=1.0).contains(&args.lambda), "--lambda is a fraction from 0 to 1, not {}", args.lambda);
    ensure!(args.nodes > 0 && (1..=1024).contains(&args.threads), "--nodes and --threads (to 1024) are at least 1");
    let time = args.time.map(Duration::try_from_secs_f64).transpose().context("--time is in seconds, from 0")?;
    let Settings { mut play, mut targets, .. } = Settings::default();
    (play.nodes, play.random, targets.lambda) = (args.nodes, args.random.min(1000), args.lambda);
    let run = SampleRun { games: 0..args.games, play, targets, seed: args.seed, threads: args.threads };
    let player = player_of::<V>(args.network.as_deref())?;
    let file = File::create(&args.out).with_context(|| args.out.display().to_string())?;
    let mut file = BufWriter::with_capacity(1 << 20, file);
    let clock = Stopwatch::start();
    let in_time = || time.is_none_or(|time| clock.elapsed() < time);
    let mut progress = Progress::new("games", args.games as u64);
    let mut tell = |_: &Tally| progress.step();
    let tally = match &player {
        Player::Linear(evaluation) => write_samples::<V, _>(evaluation, &run, in_time, &mut file, &mut tell)?,
        Player::Network(evaluation) => write_samples::<V, _>(evaluation, &run, in_time, &mut file, &mut tell)?,
    };
    let seconds = clock.elapsed().as_secs_f64();
    let [black, drawn, white] = tally.results;
    let line = json!({ "type": "samples", "game": V::NAME, "games": tally.games(), "black": black, "drawn": drawn,
        "white": white, "plies": tally.plies, "positions": tally.positions, "seconds": seconds });
    Ok(writeln!(out, "{line}")?)
}

fn round<V: Variant>(args: &RoundArgs, out: &mut dyn Write) -> anyhow::Result<()> {
    let bytes = files::read(&args.parameters)?;
    let wanted = Groups::of::<V>().len();
    ensure!(
        bytes.len() == 4 * wanted,
        "{}: a network of {} has {wanted} parameters of four bytes, these are {} bytes",
        args.parameters.display(),
        V::NAME,
        bytes.len()
    );
    let parameters: Vec<f32> = bytes.as_chunks::<4>().0.iter().map(|&number| f32::from_le_bytes(number)).collect();
    ensure!(parameters.iter().all(|p| p.is_finite()), "{}: not all are numbers", args.parameters.display());
    let network = Network::round::<V>(&parameters).write::<V>();
    std::fs::write(&args.to, &network).with_context(|| args.to.display().to_string())?;
    Ok(writeln!(out, "{}: {} bytes", args.to.display(), network.len())?)
}
