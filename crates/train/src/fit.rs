//! Training on sample files that are there: in rounds, each of which is measured on games that are held out.
//!
//! The folder has the network before the first round (`net-00000.safetensors`), the newest (`net.safetensors`), what the trainer needs to go on
//! and `log.jsonl`, a line for each round. Whatever is missing is made, as in a run of self-play.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};
use serde_json::json;
use yomi_core::clock::Stopwatch;
use yomi_core::{Seed, TextError};
use yomi_net::Network;
use yomi_net::open::Choice;

use crate::files::{replace, trouble};
use crate::open;
use crate::prediction::{Prediction, measure};
use crate::records::fnv;
use crate::samples::{self, Kind, Sample};
use crate::trainer::{Lesson, Report, Trainer};

/// What is trained; it cannot change between parts.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FitPlan {
    /// The files to train on.
    pub files: Vec<PathBuf>,
    /// Files of held-out games.
    pub held_out: Vec<PathBuf>,
    /// Rounds in all.
    pub rounds: u64,
    /// Steps of a round.
    pub steps: u64,
    /// The learning rate; over the last four tenths of the rounds it falls to a twentieth.
    pub rate: f64,
    /// Seeds the choice of samples.
    pub seed: u64,
    /// About how many positions are measured at most of each kind, evenly over the games.
    pub measured: usize,
}

impl FitPlan {
    fn rate(&self, round: u64) -> f64 {
        let done = (round - 1) as f64 / self.rounds.max(1) as f64;
        let falling = ((done - 0.6) / 0.4).clamp(0.0, 1.0);
        self.rate * (1.0 - falling + 0.05 * falling)
    }
}

/// Where a network is measured.
#[derive(Clone, Copy, Debug)]
pub struct Conditions {
    /// The device.
    pub device: Choice,
    /// Threads of the CPU.
    pub threads: usize,
}

/// A line of the log. Round 0 is the network before it learned anything here.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
pub struct Round {
    /// Its number.
    pub round: u64,
    /// The learning rate.
    pub rate: f64,
    /// What the trainer said.
    pub training: Report,
    /// Positions that it learned from.
    pub on_training: Prediction,
    /// Positions that it has never seen, of games that are held out; none without such files.
    pub on_held_out: Option<Prediction>,
    /// How many positions of these games were left out of it, because they are trained on: those of shared openings.
    #[serde(default)]
    pub known: u64,
    /// Seconds of this round, measuring included.
    pub seconds: f64,
}

/// The files of a folder.
struct Folder<'a>(&'a Path);

impl Folder<'_> {
    fn first(&self) -> PathBuf {
        self.0.join("net-00000.safetensors")
    }

    fn newest(&self) -> PathBuf {
        self.0.join("net.safetensors")
    }

    fn checkpoint(&self, round: u64) -> PathBuf {
        self.0.join(format!("checkpoint-{round:05}"))
    }

    fn log(&self) -> PathBuf {
        self.0.join("log.jsonl")
    }

    fn history(&self) -> Vec<Round> {
        let text = std::fs::read_to_string(self.log()).unwrap_or_default();
        // A line that a killed run left half written is no round.
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    /// Writes the log anew, with a line more.
    fn log_round(&self, round: &Round) -> Result<(), TextError> {
        let mut rounds = self.history();
        rounds.retain(|old| old.round < round.round);
        rounds.push(round.clone());
        replace(&self.log(), rounds.iter().map(|round| format!("{}\n", json!(round))).collect::<String>().as_bytes())
    }

    /// Begins the folder with a network, or checks that it was begun with the same plan and network.
    fn begin(&self, plan: &FitPlan, network: &Network) -> Result<(), TextError> {
        std::fs::create_dir_all(self.0).map_err(|error| trouble(self.0, error))?;
        let (about, plan, bytes) = (self.0.join("fit.json"), json!(plan), network.write());
        if !about.exists() {
            replace(&self.first(), &bytes)?;
            return replace(&about, format!("{plan}\n").as_bytes());
        }
        let text = yomi_core::file::read_text_file(&about.display().to_string(), 1 << 20)?;
        let found: serde_json::Value = serde_json::from_str(&text).map_err(|error| trouble(&about, error))?;
        let hint = "give the same options again, or another folder";
        if found != plan {
            return Err(trouble(&about, format!("training was begun with {found}, not with {plan}")).hinting(hint));
        }
        let there = std::fs::read(self.first()).map_err(|error| trouble(&self.first(), error))?;
        if there != bytes {
            return Err(trouble(&self.first(), "training was begun with another network").hinting(hint));
        }
        Ok(())
    }
}

/// Trains a network on samples until the plan is done or `stop` is set. `tell` hears of every round, of those of earlier parts as well.
pub fn fit(
    plan: &FitPlan,
    network: &Network,
    out: &Path,
    conditions: Conditions,
    trainer: &mut dyn Trainer,
    stop: &AtomicBool,
    tell: &mut dyn FnMut(&Round),
) -> Result<(), TextError> {
    if plan.files.is_empty() || plan.rounds == 0 || plan.steps == 0 {
        return Err(TextError::new("there is nothing to train on: a file, a round and a step at least"));
    }
    let game = network.architecture().check()?.0.game();
    let training = Seen::of(&plan.files, &game, plan.measured, &BTreeSet::new())?;
    let held_out = Seen::of(&plan.held_out, &game, plan.measured, &training.positions)?;
    if let Some((_, game)) = held_out.games.iter().find(|(positions, _)| training.games.contains_key(positions)) {
        return Err(TextError::new(format!("game {game} is held out and trained on")));
    }
    let counts = training.counts.iter().copied();
    let files: Vec<(PathBuf, u64)> = plan.files.iter().cloned().zip(counts).filter(|(_, count)| *count > 0).collect();
    let (training, held_out, known) = (training.chosen, held_out.chosen, held_out.known);
    let folder = Folder(out);
    folder.begin(plan, network)?;
    let look = |net: &Network| -> Result<(Prediction, Option<Prediction>), TextError> {
        let backend = yomi_net::open::open(net, conditions.device, conditions.threads)?.backend;
        let seen = measure(&*backend, &training)?;
        Ok((seen, if held_out.is_empty() { None } else { Some(measure(&*backend, &held_out)?) }))
    };
    let mut rounds = folder.history();
    if rounds.is_empty() {
        let clock = Stopwatch::start();
        let (on_training, on_held_out) = look(network)?;
        let seconds = clock.elapsed().as_secs_f64();
        rounds.push(Round { on_training, on_held_out, known, seconds, ..Round::default() });
        folder.log_round(&rounds[0])?;
    }
    rounds.iter().for_each(&mut *tell);
    let done = rounds.last().map_or(0, |round| round.round);
    if done >= plan.rounds {
        return Ok(());
    }
    let checkpoint = folder.checkpoint(done);
    trainer.begin(&folder.first(), (done > 0).then_some(checkpoint.as_path()))?;
    for round in done + 1..=plan.rounds {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let clock = Stopwatch::start();
        let lesson = Lesson {
            files: files.clone(),
            steps: plan.steps,
            rate: plan.rate(round),
            seed: Seed::new(plan.seed).branch("lesson", round).number() >> 1,
            out: folder.newest(),
            checkpoint: folder.checkpoint(round),
        };
        let report = trainer.train(&lesson)?;
        let (on_training, on_held_out) = look(&open::read(&folder.newest())?)?;
        let seconds = clock.elapsed().as_secs_f64();
        let line = Round { round, rate: lesson.rate, training: report, on_training, on_held_out, known, seconds };
        folder.log_round(&line)?;
        // What is needed to repeat the last round is not needed any more.
        let _ = std::fs::remove_file(folder.checkpoint(round - 1));
        tell(&line);
    }
    Ok(())
}

/// A number for a position, as networks see it.
fn number(sample: &Sample) -> u64 {
    fnv(sample.position.0.into_iter())
}

/// What is remembered of sample files.
#[derive(Default)]
struct Seen {
    /// The records of each file.
    counts: Vec<u64>,
    /// The games by all their positions: a game is the same whatever its number.
    games: BTreeMap<u64, u64>,
    /// All positions.
    positions: BTreeSet<u64>,
    /// Positions to measure a network on, evenly over all.
    chosen: Vec<Sample>,
    /// How many were not chosen because they are known.
    known: u64,
}

impl Seen {
    /// Reads files. Positions that are known, as those of the same opening in another game, are not chosen.
    fn of(files: &[PathBuf], game: &str, most: usize, known: &BTreeSet<u64>) -> Result<Seen, TextError> {
        let mut seen = Seen::default();
        let bytes = |path: &PathBuf| path.metadata().map_or(0, |about| about.len());
        let all = files.iter().map(bytes).sum::<u64>();
        for path in files {
            let (header, list) = samples::read(path, Some(game))?;
            seen.counts.push(list.len() as u64);
            let games = list.chunk_by(|a, b| a.game == b.game);
            seen.games.extend(games.map(|game| (fnv(game.iter().flat_map(|sample| sample.position.0)), game[0].game)));
            let every = (all as f64 / (header.record * most) as f64).ceil().max(1.0) as usize;
            seen.positions.extend(list.iter().map(number));
            for sample in list.into_iter().filter(|sample| sample.kind == Kind::Position).step_by(every) {
                if known.contains(&number(&sample)) { seen.known += 1 } else { seen.chosen.push(sample) }
            }
        }
        Ok(seen)
    }
}
