//! The loop: self-play, training, next generation, in a folder that a killed run goes on in.
//!
//! `nets/net-00007.safetensors` is the network that plays generation 7, whose games are in `samples/gen-00007.samples`; training on the
//! newest generations leaves `nets/net-00008.safetensors`, and so on. Whatever is missing is made, so nothing else has to be remembered.
//! `log.jsonl` has a line for every generation (`events.out.tfevents.yomi` the same for TensorBoard), `games.jsonl` a few games of each.
//!
//! Two ways of working. Step by step, a generation is a fixed number of games and everything follows from the seed (with the native trainer
//! and the CPU, to the last bit). Overlapped, games never stop: the trainer learns from what is there while they go on, and each new network
//! takes over at once, in the middle of games.

mod config;
mod counter;
mod events;
mod folder;
mod resign;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::json;
use yomi_core::clock::Stopwatch;
use yomi_core::{Outcome, Seed, TextError};
use yomi_net::open::Choice;
use yomi_net::{Architecture, Network};
use yomi_search::{Limits, Method};

pub use config::{Conditions, Config, Decide, Gate, Generation};
pub(crate) use counter::Counter;
pub use folder::{Folder, check};
pub(crate) use folder::{seal, sealed};

use crate::contest::{self, Terms};
use crate::files::replace;
use crate::game::Trainable;
use crate::live::Live;
use crate::open;
use crate::samples::Writer;
use crate::self_play;
use crate::tally::Tally;
use crate::trainer::{Lesson, Trainer};
use crate::utilisation::Utilisation;
use resign::{calibrated, resignations};

/// The network a run begins with: random, but nearly indifferent, because the weights of its heads are small.
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
    /// Looks at the device, where there is one that can be looked at.
    utilisation: Option<Utilisation>,
}

impl<'a, P: Trainable> Run<'a, P> {
    /// Opens a run where it was.
    pub fn open(start: P, config: &'a Config, conditions: &'a Conditions, path: &Path) -> Result<Self, TextError> {
        let method: Method = config.play.method.parse()?;
        config.play.gradient.iter().try_for_each(|gradient| gradient.check(&method))?;
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
            utilisation: None,
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
            || self.conditions.evaluations.is_some_and(|most| self.before.2 >= most)
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

    /// Looks at the device of a network from now on. What the CPU does is everybody's.
    fn watch(&mut self, net: &yomi_net::NetEvaluator) {
        let device = match self.conditions.device {
            Choice::Cuda(device) => device,
            Choice::Auto if !net.backend().name().starts_with("cpu") => 0,
            _ => return,
        };
        if self.utilisation.is_none() {
            self.utilisation = Utilisation::of_cuda(device);
        }
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
                self.watch(&net);
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
        self.watch(&net);
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
                    counter.set_resign_below(self.resign_below);
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
            device_share: self.utilisation.as_ref().and_then(Utilisation::take),
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
        /// Pairs are played in rounds of this many, whatever the number of threads.
        const ROUND: usize = 16;
        let mut counts = [0; 5];
        let Some(gate) = &self.config.gate else {
            self.best = candidate;
            return Ok(counts);
        };
        let method: Method = "puct".parse()?;
        let limits = Limits::simulations(gate.simulations);
        let terms = Terms {
            methods: [method.clone(), method],
            limits: [limits.clone(), limits],
            random: self.config.play.random,
        };
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
        let path = self.folder.games();
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
        replace(&self.folder.log(), text.as_bytes())?;
        events::write(self.folder.path(), &lines)
    }
}
