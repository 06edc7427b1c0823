//! The learners through the search tree and their rivals: one harness, many methods.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::Ordering;

use anyhow::{Context, bail, ensure};
use serde_json::{Value, json};
use yomi_core::clock::Stopwatch;
use yomi_core::text::counted;
use yomi_lab::statistics::sprt::{Decision, Model, Sprt};
use yomi_lab::statistics::tally::Tally;
use yomi_learn::run::{self, Config, Row, Run};

use super::charts;
use crate::files;
use crate::progress::Progress;
use crate::signals;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  yomi learn pg-tree --game minishogi --out runs/tree --games 5000 --threads 2
  yomi learn pg-leaf --game shogi --out runs/leaf --from material \\
    --set evaluations=1000 --set steps.rate=0.02
  yomi learn comparison --game minishogi --out runs/mmto \\
    --records games/ more/final.kif
  yomi learn s3-deterministic --game minishogi --out runs/s3 --from embedded
  yomi learn imitation --game blokus-duo --out runs/moves --from embedded
  yomi learn imitation --game go9 --out runs/moves9
  yomi learn td-leaf --config my-run.toml --out runs/mine

The folder holds config.toml (every setting), checkpoint.state, curves.jsonl, loss.svg, gradient.svg and elo.svg, an event file for
TensorBoard (tensorboard --logdir runs), GAME.linear (the newest weights; GAME.weights in Blokus Duo), best.linear (those that passed
the last gate), and GAME.policy where a simulation policy is learned. Go is judged by playouts, which have no weights: of these methods
imitation and s3-… learn its simulation policy, and no others can. The same command, or yomi learn --resume FOLDER, goes on after any interruption and ends with the
same weights to the last bit, whatever the number of threads.")]
pub(super) struct Args {
    /// minishogi, shogi or blokus-duo; go2 to go19 for imitation and s3-…
    #[arg(long, short, value_name = "GAME")]
    game: Option<String>,
    /// The folder of the run
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Settings, as config.toml of a run has them; the options here come on top
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Games of self-play
    #[arg(long)]
    games: Option<u64>,
    /// What is known before the first game: nothing, material or embedded
    #[arg(long, value_name = "START")]
    from: Option<String>,
    /// Positions that the search before a move may judge
    #[arg(long, value_name = "N")]
    evals: Option<u64>,
    /// Records for comparison training: files or folders of KIF, KI2, CSA, USI lines, and the games of yomi learn regression. What cannot
    /// be read is named and left out, and the command fails at its end
    #[arg(long, value_name = "PATH", num_args = 1..)]
    records: Vec<String>,
    /// The seed of all random numbers
    #[arg(long)]
    seed: Option<u64>,
    /// Any setting of config.toml: --set lambda=0.7 --set steps.rate=0.02 --set gate.every=2000
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Begin no step after this time; --resume goes on
    #[arg(long, value_name = "SECONDS")]
    time: Option<f64>,
    /// Threads; what is learned does not depend on how many
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// One JSON object per step
    #[arg(long)]
    json: bool,
}

impl Args {
    /// The settings: those of the file, changed by the options.
    fn config(&self, method: &str) -> anyhow::Result<Config> {
        let text = match &self.config {
            None => String::new(),
            Some(path) => {
                String::from_utf8(files::read(path)?).with_context(|| format!("{} is no text", path.display()))?
            }
        };
        let mut changes = vec![("method".to_string(), method.to_string())];
        let mut change = |key: &str, value: Option<String>| {
            changes.extend(value.map(|value| (key.to_string(), value)));
        };
        change("game", self.game.clone());
        change("games", self.games.map(|n| n.to_string()));
        change("start", self.from.clone());
        change("evaluations", self.evals.map(|n| n.to_string()));
        change("seed", self.seed.map(|n| n.to_string()));
        change("records", (!self.records.is_empty()).then(|| json!(self.records).to_string()));
        for text in &self.set {
            let (key, value) = text.split_once('=').with_context(|| format!("--set {text}: KEY=VALUE was expected"))?;
            changes.push((key.trim().to_string(), value.trim().to_string()));
        }
        let whose = self.config.as_ref().map_or("the settings".to_string(), |path| path.display().to_string());
        Config::with(&text, &changes).context(whose)
    }
}

pub(super) fn run(method: &str, args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    ensure!((1..=1024).contains(&args.threads), "--threads go from 1 to 1024");
    ensure!(args.game.is_some() || args.config.is_some(), "--game is missing: minishogi, shogi, blokus-duo or go9");
    let mut run = run::open(&args.out, args.config(method)?)?;
    session(&mut *run, &args.out, Session { threads: args.threads, json: args.json, time: args.time }, out)
}

/// Goes on with the run in a folder.
pub(super) fn resume(folder: &Path, threads: usize, json: bool, out: &mut dyn Write) -> anyhow::Result<()> {
    let mut run = run::resume(folder)?;
    session(&mut *run, folder, Session { threads, json, time: None }, out)
}

/// How a run is watched.
pub(super) struct Session {
    pub(super) threads: usize,
    pub(super) json: bool,
    pub(super) time: Option<f64>,
}

/// The sequential test of a gate.
pub(super) fn sprt(config: &Config) -> anyhow::Result<Sprt> {
    let gate = config.gate;
    Sprt::new(Model::Logistic, gate.elo0, gate.elo1, gate.alpha, gate.beta).context("gate")
}

/// Whether the test accepts H1, by pairs of games; none while it goes on.
pub(super) fn decide(sprt: &Sprt, pairs: &[u64; 5]) -> Option<bool> {
    let tally = Tally::pairs(*pairs).ok()?;
    match sprt.decide(sprt.log_likelihood_ratio(&tally)) {
        Decision::Continue => None,
        Decision::AcceptH0 => Some(false),
        Decision::AcceptH1 => Some(true),
    }
}

fn session(run: &mut dyn Run, folder: &Path, how: Session, out: &mut dyn Write) -> anyhow::Result<()> {
    let config = run.config().clone();
    name_skipped(run, how.json, out)?;
    let sprt = sprt(&config)?;
    let controls = signals::controls()?;
    let (clock, before) = (Stopwatch::start(), run.games());
    let what = format!("{} {}", config.method, config.game);
    let progress = Mutex::new(Progress::new(&what, config.games));
    let locked = || progress.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    locked().skip(before);
    while !run.is_done() {
        // Relaxed: the flag carries no data.
        let late = how.time.is_some_and(|time| clock.elapsed().as_secs_f64() > time);
        if late || controls.drain.load(Ordering::Relaxed) {
            run.checkpoint()?;
            break;
        }
        let row = run.batch(how.threads, &|pairs| decide(&sprt, pairs), &|| locked().step())?;
        let speed = (row.games - before) as f64 / clock.elapsed().as_secs_f64().max(1e-9);
        locked().say(status(&what, &row, run.elo(), speed, config.games));
        if how.json {
            writeln!(out, "{}", row_json(&row)?)?;
        } else if let Some(gate) = &row.gate {
            let verdict = if gate.passed { "passed: these are the best weights now" } else { "not passed" };
            writeln!(out, "{} games: gate {:+.0} Elo over the best so far, {verdict}", row.games, gate.elo)?;
        }
        out.flush()?;
    }
    drop(progress);
    charts::write(folder, out)?;
    summary(run, folder, (run.games() - before, clock.elapsed().as_secs_f64()), how.json, out)?;
    all_read(run)
}

/// Says which records were left out, and why.
pub(super) fn name_skipped(run: &dyn Run, json: bool, out: &mut dyn Write) -> anyhow::Result<()> {
    for error in run.skipped() {
        match json {
            true => writeln!(out, "{}", json!({ "type": "skipped", "error": error.to_string() }))?,
            false => eprintln!("skipped: {error}"),
        }
    }
    Ok(())
}

/// Fails if records were left out: what was learned is whole, but not from everything that was asked for.
pub(super) fn all_read(run: &dyn Run) -> anyhow::Result<()> {
    let count = run.skipped().len();
    ensure!(count == 0, "{} could not be read and were left out", counted(count as u64, "record", "records"));
    Ok(())
}

/// What stands in front of the bar: games per second, loss, gradient, Elo, time left.
fn status(what: &str, row: &Row, elo: f64, speed: f64, games: u64) -> String {
    let left = (games - row.games.min(games)) as f64 / speed.max(1e-9);
    format!(
        "{what}: {speed:.1} games/s, loss {:.3}, gradient {:.3}, best {elo:+.0} Elo, {:.0} s left",
        row.loss, row.gradient_norm, left
    )
}

fn row_json(row: &Row) -> anyhow::Result<Value> {
    let mut value = serde_json::to_value(row)?;
    value["type"] = json!("step");
    Ok(value)
}

fn summary(
    run: &dyn Run,
    folder: &Path,
    (games, wall): (u64, f64),
    json: bool,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let config = run.config();
    let [playing, learning] = run.seconds();
    let weights = folder.join(run.weights_file());
    let share = learning / playing.max(1e-9);
    if json {
        let line = json!({ "type": "end", "method": config.method, "game": config.game, "games": run.games(), "of": config.games,
            "elo": run.elo(), "weights": weights.display().to_string(), "session_games": games, "seconds": wall,
            "games_per_second": games as f64 / wall.max(1e-9), "cpu_playing": playing, "cpu_learning": learning });
        writeln!(out, "{line}")?;
        return Ok(());
    }
    let state = if run.is_done() { "done" } else { "stopped; yomi learn --resume goes on" };
    writeln!(out, "{} of {} games, {state}", run.games(), config.games)?;
    if games > 0 {
        writeln!(
            out,
            "{:.2} games/s; learning took {:.1} % of the CPU time of self-play",
            games as f64 / wall.max(1e-9),
            100.0 * share
        )?;
    }
    if config.gate.every > 0 {
        writeln!(out, "best weights: {:+.0} Elo over the start, gates added up", run.elo())?;
    }
    if !weights.exists() {
        bail!("{}: no weights were written", weights.display());
    }
    writeln!(out, "weights: {}", weights.display())?;
    Ok(())
}
