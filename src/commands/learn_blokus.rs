//! `yomi learn simulations`: the evaluation of Blokus Duo, from selective simulations.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::{Context, ensure};
use serde_json::json;
use yomi_eval::blokus::Kind;
use yomi_learn::blokus::{Games, Run, Selection, Settings, Stop};

use crate::progress::Progress;
use crate::signals;

/// Learn the evaluation of Blokus Duo from the results of selective simulations (S1)
#[derive(clap::Args)]
#[command(after_help = "Examples:
  yomi learn simulations --out runs/n8 --n 8
  yomi learn simulations --resume runs/n8 --threads 2
  yomi learn simulations --out /tmp/try --n 4 --updates 50 --simulations 10
  yomi learn simulations --out runs/strong --n 1 --games strong.blksgf

The folder holds checkpoint.txt, curve.jsonl (a point every ten updates) and weights.txt, the newest weights. A run that was stopped,
however roughly, goes on with --resume and ends with the same weights, to the last bit, whatever the number of threads.
  yomi plot runs/n8/curve.jsonl --x updates --y shared.score")]
pub(crate) struct Args {
    /// The folder of a new run
    #[arg(long, value_name = "FOLDER", required_unless_present = "resume", conflicts_with = "resume")]
    out: Option<PathBuf>,
    /// Go on with the run in this folder, with the settings it was begun with
    #[arg(long, value_name = "FOLDER")]
    resume: Option<PathBuf>,
    #[command(flatten)]
    settings: Option<Chosen>,
    /// Threads; the weights do not depend on how many
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Seconds between checkpoints
    #[arg(long, default_value_t = 60.0, value_name = "SECONDS")]
    checkpoint: f64,
    /// One JSON object per point of the curve
    #[arg(long)]
    json: bool,
}

/// The settings of a new run.
#[derive(clap::Args)]
#[group(id = "settings", multiple = true, conflicts_with = "resume")]
struct Chosen {
    /// Candidates drawn at random for each simulated move, the best of which is played; 0 for all legal moves
    #[arg(long, default_value_t = 8, value_name = "CANDIDATES")]
    n: usize,
    /// Choose among the candidates by a softmax of this temperature
    #[arg(long, value_name = "T", conflicts_with = "noise")]
    softmax: Option<f32>,
    /// Choose the best candidate after normal noise of this standard deviation
    #[arg(long, value_name = "DEVIATION")]
    noise: Option<f32>,
    /// Simulated games from each position (m)
    #[arg(long, default_value_t = 100, value_name = "GAMES")]
    simulations: u32,
    /// Updates, one self-play game each (l)
    #[arg(long, default_value_t = 10_000)]
    updates: u64,
    /// The learning rate α
    #[arg(long, default_value_t = 0.5)]
    rate: f64,
    /// The probability of a random move in self-play at the beginning
    #[arg(long, default_value_t = 0.5, value_name = "PROBABILITY")]
    epsilon: f64,
    /// The same at the end; it falls linearly
    #[arg(long, default_value_t = 0.0, value_name = "PROBABILITY")]
    epsilon_end: f64,
    /// TDMC(λ): how much of a position's target lies in the win rates of later positions
    #[arg(long, default_value_t = 0.0, value_name = "FRACTION")]
    lambda: f64,
    /// Fit the value of a search of this depth instead of the static value
    #[arg(long, default_value_t = 0, value_name = "PLIES")]
    searched: u32,
    /// Learn from the positions of these games (Blokus SGF) of stronger players instead of self-play
    #[arg(long, value_name = "FILE")]
    games: Option<PathBuf>,
    /// Seed of all random choices
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

impl Chosen {
    fn settings(&self) -> Settings {
        let candidates = (self.n > 0).then_some(self.n);
        Settings {
            selection: Selection { candidates, softmax: self.softmax, noise: self.noise },
            simulations: self.simulations,
            updates: self.updates,
            rate: self.rate,
            epsilon: [self.epsilon, self.epsilon_end],
            lambda: self.lambda,
            searched: self.searched,
            games: None,
            seed: self.seed,
        }
    }
}

/// The games of a file.
fn read_games(path: &Path) -> anyhow::Result<Games> {
    let text = std::fs::read(path).with_context(|| path.display().to_string())?;
    Games::read(text).map_err(|e| e.context(path.display()).into())
}

/// Goes on with the run in a folder.
pub(crate) fn go_on(folder: &std::path::Path, threads: usize, json: bool, out: &mut dyn Write) -> anyhow::Result<()> {
    let resume = Some(folder.to_path_buf());
    run(&Args { out: None, resume, settings: None, threads, checkpoint: 60.0, json }, out)
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    ensure!((1..=1024).contains(&args.threads), "--threads go from 1 to 1024");
    ensure!((0.0..=1e6).contains(&args.checkpoint), "--checkpoint is a number of seconds from 0 to 1000000");
    let mut run = match (&args.out, &args.resume) {
        (_, Some(folder)) => Run::resume(folder)?,
        (Some(folder), None) => {
            let settings = args.settings.as_ref().map_or_else(Settings::default, Chosen::settings);
            let games =
                args.settings.as_ref().and_then(|chosen| chosen.games.as_deref()).map(read_games).transpose()?;
            Run::begin_with(folder, settings, games)?
        }
        (None, None) => unreachable!("one of the two is required"),
    };
    let updates = run.settings().updates;
    let controls = signals::controls()?;
    let mut progress = Progress::new("learning", updates);
    progress.skip(run.updates());
    let mut trouble = None;
    let interval = Duration::from_secs_f64(args.checkpoint);
    let stop = run.go(args.threads, interval, &mut |_, point| {
        if let Some(point) = point {
            progress.say(format!("learning (error {:.3}, score {:.2})", point.error, point.shared[0]));
            if args.json {
                trouble = trouble.take().or(writeln!(out, "{}", point.json()).err());
            }
        }
        progress.step();
        // Relaxed: the flag carries no data.
        trouble.is_none() && !controls.drain.load(Ordering::Relaxed)
    })?;
    drop(progress);
    if let Some(error) = trouble {
        return Err(error.into());
    }
    let summary = match stop {
        Stop::Done => "done",
        Stop::Stopped => "stopped; --resume goes on",
    };
    let weights = run.weights_file();
    if args.json {
        let file = weights.display().to_string();
        writeln!(out, "{}", json!({ "type": "end", "updates": run.updates(), "of": updates, "weights": file }))?;
    } else {
        let shared = Kind::ALL.map(|kind| format!("{} {:.2}", kind.name(), run.weights().all()[kind.shared()]));
        writeln!(out, "{} of {updates} updates, {summary}", run.updates())?;
        writeln!(out, "shared weights: {}", shared.join(", "))?;
        writeln!(out, "weights: {}", weights.display())?;
    }
    Ok(())
}
