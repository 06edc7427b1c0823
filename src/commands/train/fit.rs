//! `yomi train fit`: training on sample files.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use serde_json::json;
use yomi_core::Seed;
use yomi_net::{Architecture, Network};
use yomi_train::fit::{self, Conditions, FitPlan, Round};
use yomi_train::prediction::Prediction;
use yomi_train::records::{HELD_OUT, TRAINING};
use yomi_train::trainer::Settings;
use yomi_train::{open, run as loops, samples};

use super::{SymmetriesArgs, start_trainer, tower};
use crate::arguments::NetworkRunArgs;

/// Train a network on sample files, and measure how well it predicts games that are held out
#[derive(clap::Args)]
#[command(after_help = "Examples:
  yomi train fit floodgate --tower 5x64 --out floodgate/fit --epochs 3 \\
    --trainer 'python3 python/yomi_train'
  yomi train fit runs/mini/samples --net net.safetensors --out again
  yomi train fit a.samples b.samples --out fit --tower 2x16 --rounds 5

Takes sample files of records (yomi train samples) and of self-play (yomi selfplay); of a folder, all that are in it. Files called
held-out.samples are not trained on: every round is measured on them. OUT has net.safetensors, the newest network, and log.jsonl, a
line for every round; the same command goes on with a training that was stopped.")]
pub(super) struct Args {
    /// Sample files, or folders of them
    #[arg(value_name = "SAMPLES", required = true)]
    samples: Vec<PathBuf>,
    /// The folder of the network and the log
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// The network to begin with; one that has learned nothing if left out
    #[arg(long, value_name = "FILE")]
    net: Option<PathBuf>,
    /// The tower of a network that has learned nothing: blocks x channels
    #[arg(long, default_value = "3x32", value_name = "BxC", conflicts_with = "net")]
    tower: String,
    /// How often each sample is learned from, on the average
    #[arg(long, default_value_t = 4.0, value_name = "TIMES")]
    epochs: f64,
    /// Into how many rounds the training is divided
    #[arg(long, default_value_t = 10)]
    rounds: u64,
    /// Positions of a training step
    #[arg(long, default_value_t = 256)]
    batch: usize,
    /// The learning rate; it falls over the last four tenths
    #[arg(long, default_value_t = 2e-3)]
    rate: f64,
    /// How much of the value target is the value in the samples (an evaluation, or what a search thought), not the result
    #[arg(long, default_value_t = 0.5, value_name = "FRACTION")]
    search_share: f32,
    /// How much values count beside the policy
    #[arg(long, default_value_t = 1.0, value_name = "WEIGHT")]
    value_weight: f32,
    #[command(flatten)]
    symmetries: SymmetriesArgs,
    /// Who trains: native (on the CPU), or the command that starts python/yomi_train
    #[arg(long, default_value = "native", value_name = "native | COMMAND")]
    trainer: String,
    /// Most positions of each kind that are measured after a round
    #[arg(long, default_value_t = 10_000, value_name = "POSITIONS")]
    measured: usize,
    #[command(flatten)]
    network: NetworkRunArgs,
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    ensure!(args.batch > 1 && args.rounds > 0, "--batch is at least 2, --rounds at least 1");
    ensure!(args.rate > 0.0 && args.epochs > 0.0, "--rate and --epochs are numbers above 0");
    let (mut files, mut held_out) = (Vec::new(), Vec::new());
    for path in &args.samples {
        for file in sample_files(path)? {
            let is_held_out = file.file_name().is_some_and(|name| name == HELD_OUT);
            if is_held_out { &mut held_out } else { &mut files }.push(file);
        }
    }
    ensure!(!files.is_empty(), "there are no samples to train on, as {TRAINING}, in {}", args.samples[0].display());
    let headers = files.iter().map(|file| samples::header(file)).collect::<Result<Vec<_>, _>>()?;
    let layout = headers[0].plane_layout().context("an unknown layout")?;
    let bytes: u64 = files.iter().map(|file| file.metadata().map_or(0, |about| about.len())).sum();
    let count = bytes / headers[0].record as u64;
    let network: Network = match &args.net {
        Some(file) => open::read(file)?,
        None => {
            let (blocks, channels) = tower(&args.tower)?;
            loops::first_network(Architecture::new(layout, blocks, channels), &Seed::new(args.network.seed))?
        }
    };
    network.check_game(&layout.game())?;
    let steps = (count as f64 * args.epochs / (args.batch as u64 * args.rounds) as f64).ceil().max(1.0) as u64;
    let plan = FitPlan {
        files,
        held_out,
        rounds: args.rounds,
        steps,
        rate: args.rate,
        seed: args.network.seed,
        measured: args.measured.max(1),
    };
    let settings = Settings {
        batch: args.batch,
        search_share: args.search_share,
        // No network played these games: none of their moves is more surprising than another.
        surprise_share: 0.0,
        value_weight: args.value_weight,
        symmetries: args.symmetries.symmetries(),
        ..Settings::default()
    };
    let conditions = Conditions { device: args.network.device()?, threads: args.network.threads() };
    let mut trainer = start_trainer(&args.trainer, settings, conditions.threads)?;
    let stop = crate::signals::controls()?.drain;
    let mut failed = None;
    let mut tell = |round: &Round| {
        let text = if args.network.json { json!(round).to_string() } else { line(round) };
        failed = writeln!(out, "{text}").and_then(|()| out.flush()).err().or(failed.take());
    };
    fit::fit(&plan, &network, &args.out, conditions, &mut *trainer, &stop, &mut tell)?;
    failed.map_or(Ok(()), |error| Err(error.into()))
}

/// The sample files that a path names.
fn sample_files(path: &Path) -> anyhow::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_path_buf()]);
    }
    let shown = || path.display().to_string();
    let entries = std::fs::read_dir(path).with_context(shown)?;
    let files =
        entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>().with_context(shown)?;
    let mut files: Vec<PathBuf> =
        files.into_iter().filter(|file| file.extension().is_some_and(|ending| ending == "samples")).collect();
    files.sort();
    Ok(files)
}

/// A round in a line for people.
fn line(round: &Round) -> String {
    let of = |what: &Prediction| {
        format!(
            "{:.1} % of moves, {:.1} % among five, policy {:.3}, value {:.3}",
            100.0 * what.first,
            100.0 * what.five,
            what.policy,
            what.value
        )
    };
    let held_out = round.on_held_out.as_ref().map_or(String::new(), |what| format!("; held out: {}", of(what)));
    let speed = match round.round {
        0 => String::new(),
        _ => format!("; trained on {:.0}/s", round.training.positions_per_second),
    };
    format!("round {}: {}{held_out}{speed}", round.round, of(&round.on_training))
}
