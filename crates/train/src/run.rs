//! The loop: self-play, training, next generation, in a folder that a killed run goes on in.
//!
//! `nets/net-00007.safetensors` is the network that plays generation 7, whose games are in `samples/gen-00007.samples`; training on the
//! newest generations leaves `nets/net-00008.safetensors`, and so on. Whatever is missing is made, so nothing else has to be remembered.
//! `log.jsonl` has a line for every generation, `games.jsonl` a few games of each.
//!
//! Two ways of working. Step by step, a generation is a fixed number of games and everything follows from the seed (with the native trainer
//! and the CPU, to the last bit). Overlapped, games never stop: the trainer learns from what is there while they go on, and each new network
//! takes over at once, in the middle of games.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::json;
use yomi_core::clock::Stopwatch;
use yomi_core::{Color, Outcome, Seed, TextError};
use yomi_net::open::Choice;
use yomi_net::{Architecture, Network};
use yomi_search::{Limits, Method};

use crate::contest::{self, Terms};
use crate::files::{replace, trouble};
use crate::game::Trainable;
use crate::live::Live;
use crate::open;
use crate::samples::{self, Writer};
use crate::self_play::{self, Desk, Finished};
use crate::tally::Tally;
use crate::trainer::{Lesson, Trainer};

/// What a run is; it cannot change between its parts.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Config {
    /// The game with its rules, as players name it.
    pub game: String,
    /// Residual blocks.
    pub blocks: usize,
    /// Filters.
    pub channels: usize,
    /// Seeds everything.
    pub seed: u64,
    /// How games are played.
    pub play: self_play::Settings,
    /// Games of a generation; overlapped, the least before a generation is learnt from.
    pub games: u64,
    /// How often a sample is trained on, on the average.
    pub reuse: f64,
    /// Generations of the replay window at most; it has half of all at least, so that the first, played by nearly random networks, go.
    pub window: usize,
    /// The learning rate.
    pub rate: f64,
    /// Positions of a training step.
    pub batch: usize,
    /// Whether games go on while the trainer learns.
    pub overlapped: bool,
    /// Whether, and how, a new network has to show that it is better before it plays.
    #[serde(default)]
    pub gate: Option<Gate>,
}

/// A match that a new network has to win against the one that plays.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Gate {
    /// Most pairs of games; if they decide nothing, the higher score does.
    pub pairs: usize,
    /// Simulations per move.
    pub simulations: u64,
}

/// Looks at pairs by the half points that the first player made in each (0 to 4): whether it is better, if that is decided.
pub type Decide = fn(&[u64; 5]) -> Option<bool>;

/// What may differ from part to part.
#[derive(Clone, Debug)]
pub struct Conditions {
    /// Where networks are evaluated.
    pub device: Choice,
    /// Threads of self-play.
    pub threads: usize,
    /// Generations after which the run is over.
    pub generations: u64,
    /// Seconds after which this part of the run ends.
    pub time: Option<f64>,
    /// Seconds that the run will take in all: the learning rate falls over its last four tenths. By generations if not known.
    pub planned: Option<f64>,
    /// The sequential test of the gate.
    pub decide: Decide,
}

/// What a generation was like: a line of `log.jsonl`.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Generation {
    /// Its number.
    pub generation: u64,
    /// Games of the run so far.
    pub games: u64,
    /// Samples of the run so far.
    pub samples: u64,
    /// Positions evaluated by the run so far.
    pub evaluations: u64,
    /// Seconds of work so far, all parts together.
    pub seconds: f64,
    /// Games of this generation won by Black, drawn, won by White.
    pub results: [u64; 3],
    /// Mean plies of its games.
    pub plies: f64,
    /// Share of games in which a side resigned.
    pub resigned: f64,
    /// Games in which nobody might resign, those in which somebody would have, and those in which that would have been wrong.
    pub resignations: [u64; 3],
    /// The value below which sides resign in the next generation.
    pub resign_below: f32,
    /// Positions evaluated per second in this generation.
    pub evaluations_per_second: f64,
    /// Learnt from per second of this generation.
    pub samples_per_second: f64,
    /// Share of this generation's time in which the trainer was at work.
    pub training_share: f64,
    /// Mean surprise of its samples.
    pub surprise: f64,
    /// The learning rate.
    pub rate: f64,
    /// What the trainer said.
    pub training: crate::trainer::Report,
    /// The network that plays the next generation.
    #[serde(default)]
    pub best: u64,
    /// Pairs of the gate by the half points of the new network; all 0 without a gate.
    #[serde(default)]
    pub gate: [u64; 5],
}

/// Paths of a run.
pub struct Folder(PathBuf);

impl Folder {
    /// Opens or makes the folder; the configuration must be the one it was made with.
    pub fn open(path: &Path, config: &Config) -> Result<Folder, TextError> {
        for part in ["nets", "samples"] {
            let folder = path.join(part);
            std::fs::create_dir_all(&folder).map_err(|error| trouble(&folder, error))?;
        }
        let file = path.join("run.json");
        let text = serde_json::to_string_pretty(config).unwrap_or_default();
        match std::fs::read_to_string(&file) {
            Ok(found) if found.trim() == text.trim() => {}
            Ok(found) => {
                let differs = text.lines().zip(found.lines()).find(|(a, b)| a != b);
                let (new, old) = differs.map_or(("", ""), |(a, b)| (a.trim(), b.trim()));
                return Err(trouble(&file, format!("the run was begun with {old}, not with {new}"))
                    .hinting("give the same options again, or another folder"));
            }
            Err(_) => replace(&file, format!("{text}\n").as_bytes())?,
        }
        Ok(Folder(path.to_path_buf()))
    }

    /// The folder of a run that was begun, and its configuration.
    pub fn existing(path: &Path) -> Result<(Folder, Config), TextError> {
        let file = path.join("run.json");
        let text = std::fs::read_to_string(&file)
            .map_err(|error| trouble(&file, error).hinting("this is no folder of a run"))?;
        let config = serde_json::from_str(&text).map_err(|error| trouble(&file, error))?;
        Ok((Folder(path.to_path_buf()), config))
    }

    /// The network that plays a generation.
    pub fn net(&self, generation: u64) -> PathBuf {
        self.0.join(format!("nets/net-{generation:05}.safetensors"))
    }

    /// The games of a generation.
    pub fn samples(&self, generation: u64) -> PathBuf {
        self.0.join(format!("samples/gen-{generation:05}.samples"))
    }

    fn checkpoint(&self, generation: u64) -> PathBuf {
        self.0.join(format!("nets/checkpoint-{generation:05}"))
    }

    /// The line of each generation.
    pub fn log(&self) -> PathBuf {
        self.0.join("log.jsonl")
    }

    /// The generations that are logged.
    pub fn history(&self) -> Vec<Generation> {
        let text = std::fs::read_to_string(self.log()).unwrap_or_default();
        // A line that a killed run left half written is not a generation.
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    /// The newest network.
    pub fn newest(&self) -> Option<u64> {
        (0..).take_while(|&generation| self.net(generation).exists()).last()
    }
}

/// Whether a file of samples is complete: there is a note of how many records it has.
pub(crate) fn sealed(path: &Path) -> Option<u64> {
    std::fs::read_to_string(path.with_extension("sealed")).ok()?.trim().parse().ok()
}

pub(crate) fn seal(path: &Path, count: u64) -> Result<(), TextError> {
    replace(&path.with_extension("sealed"), format!("{count}\n").as_bytes())
}

/// Hands out the games of a run and writes what they teach.
pub(crate) struct Counter {
    inner: Mutex<Inner>,
    arrived: Condvar,
    stop: AtomicBool,
    next: AtomicU64,
    end: AtomicU64,
    resign_below: Mutex<f32>,
}

struct Inner {
    writer: Writer,
    tally: Tally,
    failure: Option<TextError>,
}

impl Counter {
    /// Hands out these games, except those that are written already.
    pub(crate) fn new(writer: Writer, games: std::ops::Range<u64>, resign_below: f32) -> Counter {
        Counter {
            inner: Mutex::new(Inner { writer, tally: Tally::default(), failure: None }),
            arrived: Condvar::new(),
            stop: AtomicBool::new(false),
            next: AtomicU64::new(games.start),
            end: AtomicU64::new(games.end),
            resign_below: Mutex::new(resign_below),
        }
    }

    /// Leaves the games under way.
    pub(crate) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Waits for a game, not longer than this; how many were played.
    pub(crate) fn wait(&self, most: Duration) -> u64 {
        let inner = self.lock();
        let waited = self.arrived.wait_timeout(inner, most);
        waited.map_or(0, |(inner, _)| inner.tally.games)
    }

    /// What was counted, or what went wrong.
    pub(crate) fn into_tally(self) -> Result<Tally, TextError> {
        let Inner { writer, tally, failure } = self.inner.into_inner().unwrap_or_else(PoisonError::into_inner);
        writer.sync()?;
        failure.map_or(Ok(tally), Err)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Desk for Counter {
    fn next(&self) -> Option<u64> {
        loop {
            // Relaxed: numbers are handed out, nothing hangs on their order.
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            if number >= self.end.load(Ordering::Relaxed) {
                return None;
            }
            if !self.lock().writer.games().contains(&number) {
                return Some(number);
            }
        }
    }

    fn finished(&self, mut game: Finished) {
        let mut inner = self.lock();
        let Inner { writer, tally, failure } = &mut *inner;
        if let Err(error) = writer.append(&mut game.samples) {
            failure.get_or_insert(error);
            self.stop.store(true, Ordering::Relaxed);
        }
        tally.add(&game);
        drop(inner);
        self.arrived.notify_all();
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn resign_below(&self) -> f32 {
        *self.resign_below.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Sides may resign where that was wrong in at most this share of the games played on.
const WRONG_RESIGNATIONS: f64 = 0.05;

/// Of games played on: in how many somebody would have resigned below `value`, and in how many of these wrongly.
fn resignations(played_on: &[([f32; 2], Outcome)], value: f32) -> [u64; 2] {
    let mut counts = [0; 2];
    for (lowest, outcome) in played_on {
        let low = |color: Color| lowest[color.index()] < value;
        let wrong = Color::BOTH.into_iter().any(|color| low(color) && *outcome != Outcome::Win(!color));
        if Color::BOTH.into_iter().any(low) {
            counts[0] += 1;
            counts[1] += u64::from(wrong);
        }
    }
    counts
}

/// The highest value below which resigning was seldom wrong; -1, which no value is below, if there is none or too little is known.
fn calibrated(played_on: &[([f32; 2], Outcome)]) -> f32 {
    let fine = |value: &f32| {
        let [would, wrong] = resignations(played_on, *value);
        would >= 20 && wrong as f64 <= WRONG_RESIGNATIONS * would as f64
    };
    [-0.8, -0.85, -0.9, -0.95, -0.98].into_iter().find(fine).unwrap_or(-1.0)
}

/// The network a run begins with: random, but of no opinion, for its heads whisper.
pub fn first_network(architecture: Architecture, seed: &Seed) -> Result<Network, TextError> {
    let network = Network::random(architecture, seed.branch("network", 0))?;
    let mut tensors = network.tensors().clone();
    for (name, tensor) in &mut tensors {
        let head = ["policy.conv", "policy.pass", "value.fc2", "score", "ownership"];
        if head.iter().any(|head| name.starts_with(head)) {
            tensor.data.iter_mut().for_each(|x| *x *= 0.05);
        }
    }
    Network::new(network.architecture().clone(), tensors)
}

/// A run at work.
pub struct Run<'a, P: Trainable> {
    start: P,
    config: &'a Config,
    conditions: &'a Conditions,
    folder: Folder,
    method: Method,
    seed: Seed,
    clock: Stopwatch,
    /// Work of earlier parts: games, samples, evaluations, seconds.
    before: (u64, u64, u64, f64),
    resign_below: f32,
    played_on: Vec<([f32; 2], Outcome)>,
    /// The network that plays.
    best: u64,
}

impl<'a, P: Trainable> Run<'a, P> {
    /// Opens a run where it was.
    pub fn open(start: P, config: &'a Config, conditions: &'a Conditions, path: &Path) -> Result<Self, TextError> {
        let method: Method = config.play.method.parse()?;
        let folder = Folder::open(path, config)?;
        let seed = Seed::new(config.seed);
        if !folder.net(0).exists() {
            let architecture = Architecture::new(start.layout(), config.blocks, config.channels);
            replace(&folder.net(0), &first_network(architecture, &seed)?.write())?;
        }
        let last = folder.history().pop();
        let before =
            last.as_ref().map_or((0, 0, 0, 0.0), |last| (last.games, last.samples, last.evaluations, last.seconds));
        let resign_below = last.as_ref().map_or(config.play.resign_below, |last| last.resign_below);
        // Without a gate the newest network plays, whether its line was written or not.
        let newest = folder.newest().unwrap_or(0);
        let best = if config.gate.is_some() { last.map_or(0, |last| last.best) } else { newest };
        let played_on = (0..newest).flat_map(|before| Tally::beside(&folder.samples(before)).played_on).collect();
        Ok(Run {
            start,
            config,
            conditions,
            folder,
            method,
            seed,
            clock: Stopwatch::start(),
            before,
            resign_below,
            played_on,
            best,
        })
    }

    /// Where the run lies.
    pub fn folder(&self) -> &Folder {
        &self.folder
    }

    fn seconds(&self) -> f64 {
        self.before.3 + self.clock.elapsed().as_secs_f64()
    }

    fn is_over(&self, generation: u64) -> bool {
        generation >= self.conditions.generations
            || self.conditions.time.is_some_and(|time| self.clock.elapsed().as_secs_f64() >= time)
    }

    /// The learning rate falls to a twentieth over the last four tenths of the run.
    fn rate(&self, generation: u64) -> f64 {
        let done = match self.conditions.planned {
            Some(planned) => self.seconds() / planned,
            None => generation as f64 / self.conditions.generations.max(1) as f64,
        };
        let falling = ((done - 0.6) / 0.4).clamp(0.0, 1.0);
        self.config.rate * (1.0 - falling + 0.05 * falling)
    }

    fn open_network(&self, generation: u64) -> Result<(yomi_net::NetEvaluator, u32), TextError> {
        let network = open::read(&self.folder.net(generation))?;
        let step = network.architecture().step as u32;
        Ok((open::open(&network, self.conditions.device, self.conditions.threads)?, step))
    }

    /// The lesson after a generation: its window and steps.
    fn lesson(&self, generation: u64) -> Lesson {
        let most = self.config.window.max(1) as u64;
        let width = (generation + 1).div_ceil(2).clamp(1, most).max((generation + 1).min(4));
        let files: Vec<(PathBuf, u64)> = (generation + 1 - width..=generation)
            .filter_map(|generation| {
                let path = self.folder.samples(generation);
                sealed(&path).filter(|&count| count > 0).map(|count| (path, count))
            })
            .collect();
        let newest = files.last().map_or(0, |&(_, count)| count);
        let steps = (newest as f64 * self.config.reuse / self.config.batch as f64).ceil().max(1.0) as u64;
        Lesson {
            files,
            steps,
            rate: self.rate(generation),
            seed: self.seed.branch("lesson", generation).number() >> 1,
            out: self.folder.net(generation + 1),
            checkpoint: self.folder.checkpoint(generation + 1),
        }
    }

    fn counter(&self, generation: u64) -> Result<Counter, TextError> {
        let writer = Writer::open(&self.folder.samples(generation), self.start.layout())?;
        let first = generation * self.config.games;
        // Overlapped, numbers go on from part to part; what a killed part left unwritten is skipped.
        let part = self.before.0.max(first) + (writer.games().len() as u64);
        let games = if self.config.overlapped { part..u64::MAX } else { first..first + self.config.games };
        Ok(Counter::new(writer, games, self.resign_below))
    }

    /// Runs until it is over. `tell` hears of every generation.
    pub fn go(
        &mut self,
        trainer: &mut dyn Trainer,
        stop: &AtomicBool,
        tell: &mut dyn FnMut(&Generation),
    ) -> Result<(), TextError> {
        let generation = self.folder.newest().unwrap_or(0);
        if self.is_over(generation) {
            return Ok(());
        }
        if self.config.overlapped {
            self.overlapped(generation, trainer, stop, tell)
        } else {
            self.step_by_step(generation, trainer, stop, tell)
        }
    }

    fn begin(&self, trainer: &mut dyn Trainer, generation: u64) -> Result<(), TextError> {
        let checkpoint = self.folder.checkpoint(generation);
        let there = checkpoint.exists().then_some(checkpoint.as_path());
        trainer.begin(&self.folder.net(generation), there)
    }

    fn step_by_step(
        &mut self,
        mut generation: u64,
        trainer: &mut dyn Trainer,
        stop: &AtomicBool,
        tell: &mut dyn FnMut(&Generation),
    ) -> Result<(), TextError> {
        self.begin(trainer, generation)?;
        while !self.is_over(generation) && !stop.load(Ordering::Relaxed) {
            let begun = Stopwatch::start();
            // Games of a part that was killed, or that were played elsewhere, count as well.
            let mut tally = Tally::beside(&self.folder.samples(generation));
            if sealed(&self.folder.samples(generation)).is_none() {
                let (net, step) = self.open_network(self.best)?;
                let live = Live::new(net, step);
                let counter = self.counter(generation)?;
                std::thread::scope(|scope| {
                    let play = || {
                        self_play::play(
                            &self.start,
                            &self.config.play,
                            &self.method,
                            &live,
                            &self.seed,
                            self.conditions.threads,
                            &counter,
                        );
                    };
                    let playing = scope.spawn(play);
                    while !playing.is_finished() {
                        if stop.load(Ordering::Relaxed) {
                            counter.stop();
                        }
                        counter.wait(Duration::from_millis(50));
                    }
                });
                if stop.load(Ordering::Relaxed) {
                    return counter.lock().failure.clone().map_or(Ok(()), Err);
                }
                let mut inner = counter.lock();
                if let Some(error) = inner.failure.take() {
                    return Err(error);
                }
                inner.writer.sync()?;
                tally = std::mem::take(&mut inner.tally);
                tally.write_beside(&self.folder.samples(generation))?;
                seal(&self.folder.samples(generation), inner.writer.samples())?;
            }
            self.learn(generation, trainer, tally, &begun, tell)?;
            generation += 1;
        }
        Ok(())
    }

    fn overlapped(
        &mut self,
        mut generation: u64,
        trainer: &mut dyn Trainer,
        stop: &AtomicBool,
        tell: &mut dyn FnMut(&Generation),
    ) -> Result<(), TextError> {
        let (net, step) = self.open_network(self.best)?;
        let live = Live::new(net, step);
        let counter = self.counter(generation)?;
        let (start, settings, method, seed) = (
            self.start.clone(),
            self.config.play.clone(),
            self.method.clone(),
            self.seed.branch("part", self.before.0),
        );
        let threads = self.conditions.threads;
        std::thread::scope(|scope| {
            let playing = scope.spawn(|| self_play::play(&start, &settings, &method, &live, &seed, threads, &counter));
            let mut work = || -> Result<(), TextError> {
                // The games have begun; now the trainer may take its time.
                self.begin(trainer, generation)?;
                let mut begun = Stopwatch::start();
                while !self.is_over(generation) && !stop.load(Ordering::Relaxed) && !playing.is_finished() {
                    let mut inner = counter.lock();
                    if inner.tally.games < self.config.games || inner.tally.samples < self.config.batch as u64 {
                        drop(counter.arrived.wait_timeout(inner, Duration::from_millis(20)));
                        continue;
                    }
                    // The generation ends with the games that are there; those under way belong to the next.
                    let next = Writer::open(&self.folder.samples(generation + 1), self.start.layout())?;
                    let writer = std::mem::replace(&mut inner.writer, next);
                    let tally = std::mem::take(&mut inner.tally);
                    drop(inner);
                    seal(&self.folder.samples(generation), writer.samples())?;
                    self.learn(generation, trainer, tally, &begun, tell)?;
                    begun = Stopwatch::start();
                    generation += 1;
                    let (net, step) = self.open_network(self.best)?;
                    live.replace(net, step);
                    *counter.resign_below.lock().unwrap_or_else(PoisonError::into_inner) = self.resign_below;
                }
                Ok(())
            };
            let done = work();
            counter.stop();
            let _ = playing.join();
            done
        })?;
        counter.into_tally().map(|_| ())
    }

    /// Trains after a generation and writes its line.
    fn learn(
        &mut self,
        generation: u64,
        trainer: &mut dyn Trainer,
        mut tally: Tally,
        begun: &Stopwatch,
        tell: &mut dyn FnMut(&Generation),
    ) -> Result<(), TextError> {
        let lesson = self.lesson(generation);
        let watch = Stopwatch::start();
        let training = trainer.train(&lesson)?;
        let (taken, all) = (watch.elapsed().as_secs_f64(), begun.elapsed().as_secs_f64().max(1e-9));
        self.played_on.append(&mut tally.played_on);
        let newest = self.played_on.len().saturating_sub(2000);
        self.played_on.drain(..newest);
        let [would, wrong] = resignations(&self.played_on, self.resign_below);
        let gate = self.pass_gate(generation + 1)?;
        let line = Generation {
            generation,
            games: self.before.0 + tally.games,
            samples: self.before.1 + tally.samples,
            evaluations: self.before.2 + tally.evaluations,
            seconds: self.seconds(),
            results: tally.results,
            plies: tally.plies as f64 / tally.games.max(1) as f64,
            resigned: tally.resigned as f64 / tally.games.max(1) as f64,
            resignations: [self.played_on.len() as u64, would, wrong],
            resign_below: calibrated(&self.played_on),
            evaluations_per_second: tally.evaluations as f64 / all,
            samples_per_second: tally.samples as f64 / all,
            training_share: taken / all,
            surprise: tally.surprise / tally.samples.max(1) as f64,
            rate: lesson.rate,
            training,
            best: self.best,
            gate,
        };
        self.resign_below = line.resign_below;
        (self.before.0, self.before.1, self.before.2) = (line.games, line.samples, line.evaluations);
        self.show(generation, &tally.shown)?;
        self.log(&line)?;
        tell(&line);
        // The checkpoint before the last is not needed to go on.
        if let Some(old) = generation.checked_sub(1) {
            let _ = std::fs::remove_file(self.folder.checkpoint(old));
        }
        Ok(())
    }

    /// Lets a new network play if it is better than the one that does, or if there is no gate; the pairs that were played.
    fn pass_gate(&mut self, candidate: u64) -> Result<[u64; 5], TextError> {
        /// Pairs are played in rounds of so many, whatever the threads.
        const ROUND: usize = 16;
        let mut counts = [0; 5];
        let Some(gate) = &self.config.gate else {
            self.best = candidate;
            return Ok(counts);
        };
        let method: Method = "puct".parse()?;
        let limits = Limits::simulations(gate.simulations);
        let terms = Terms { methods: [method.clone(), method], limits, random: self.config.play.random };
        let (new, old) = (self.open_network(candidate)?.0, self.open_network(self.best)?.0);
        let mut decision = None;
        for round in 0..gate.pairs.div_ceil(ROUND) {
            let seed = self.seed.branch("gate", candidate).branch("round", round as u64);
            let pairs = ROUND.min(gate.pairs - round * ROUND);
            for points in contest::pairs(&self.start, &terms, [&new, &old], pairs, self.conditions.threads, &seed) {
                counts[points.min(4)] += 1;
            }
            decision = (self.conditions.decide)(&counts);
            if decision.is_some() {
                break;
            }
        }
        let lead: i64 = counts.iter().zip(-2..).map(|(&count, points): (&u64, i64)| count as i64 * points).sum();
        if decision.unwrap_or(lead > 0) {
            self.best = candidate;
        }
        Ok(counts)
    }

    /// Adds games of a generation to `games.jsonl`, once.
    fn show(&self, generation: u64, games: &[(u64, String, String)]) -> Result<(), TextError> {
        let path = self.folder.0.join("games.jsonl");
        let before = std::fs::read_to_string(&path).unwrap_or_default();
        let step = |line: &str| serde_json::from_str::<serde_json::Value>(line).ok()?["step"].as_u64();
        let kept = before.lines().filter(|line| step(line).is_some_and(|step| step < generation));
        let rules = self.start.rules();
        let new = games.iter().map(|(number, result, moves)| {
            json!({ "step": generation, "number": number, "game": rules, "result": result, "moves": moves }).to_string()
        });
        let text: String = kept.map(str::to_string).chain(new).map(|line| line + "\n").collect();
        replace(&path, text.as_bytes())
    }

    /// Writes the log anew, with a line more: a line that a killed run left half written goes.
    fn log(&self, line: &Generation) -> Result<(), TextError> {
        let mut lines = self.folder.history();
        lines.retain(|old| old.generation < line.generation);
        lines.push(line.clone());
        let text: String = lines.iter().map(|line| format!("{}\n", json!(line))).collect();
        replace(&self.folder.log(), text.as_bytes())
    }
}

/// Checks all sample files of a run: what is wrong, and where.
pub fn check(folder: &Folder, game: &str) -> Result<u64, TextError> {
    let mut count = 0;
    for generation in 0.. {
        let path = folder.samples(generation);
        let Some(sealed) = sealed(&path) else { break };
        let (_, samples) = samples::read(&path, Some(game))?;
        if samples.len() as u64 != sealed {
            return Err(trouble(&path, format!("{} samples, expected {sealed}", samples.len())));
        }
        count += sealed;
    }
    Ok(count)
}
