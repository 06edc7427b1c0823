//! A run: play a batch of games, sum up what they say, make a step; now and then a checkpoint, an opponent for the pool, a gate.
//!
//! The folder of a run holds `config.toml`, `checkpoint.state`, `curves.jsonl` (a line a step, nothing in it depends on a clock),
//! `events.out.tfevents.yomi` (the same for TensorBoard), `games.jsonl` (the first games of every step), and the weights: `GAME.linear`, `best.linear`. Everything after the last
//! checkpoint is done again after a kill, and comes out the same to the bit: chance descends from the seed, and sums do not depend on
//! the number of threads.

use std::fs;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;
use yomi_core::clock::Stopwatch;
use yomi_core::{Color, Notation, Outcome, Position, Seed, TextError};
use yomi_search::{Limits, Method as SearchMethod};

use super::checkpoint::State;
use super::config::Config;
use super::episode::{Episode, Player, Setting, play, replay};
use super::gate::{Decide, Terms, contest, elo};
use super::parallel::in_order;
use super::writer::{Saving, Writer};
use super::{Run, Work, events, sample_games};
use crate::files::{read_if_there, replace, trouble};
use crate::games::Game;
use crate::gradient_sum::Accumulator;
use crate::methods::Method;
use crate::model::Model;

/// What a step has brought: a line of the curves.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Row {
    /// The step, from 1.
    pub step: u64,
    /// Games so far.
    pub games: u64,
    /// Games of this step won by Black, drawn, won by White.
    pub results: [u64; 3],
    /// Their plies.
    pub plies: u64,
    /// The moves that were learnt from.
    pub moves: u64,
    /// The method's own loss, a move.
    pub loss: f64,
    /// Cross-entropy between the searches' values and the results, a move: ln 2 is knowing nothing.
    pub explained: f64,
    /// Length of the gradient, in units of the parameters.
    pub gradient_norm: f64,
    /// The rate.
    pub rate: f64,
    /// Root mean square of the parameters, in their units.
    pub size: f64,
    /// By what the temperature of the move policy is multiplied, where it is learned.
    pub heat: f64,
    /// A gate after the step, if there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gate: Option<GateRow>,
}

/// A gate.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct GateRow {
    /// Pairs by half points of the newest weights.
    pub pairs: [u64; 5],
    /// Their Elo over the best so far.
    pub elo: f64,
    /// Whether they are the best now.
    pub passed: bool,
    /// The Elo of the best over the start, gates added up.
    pub best: f64,
}

/// A run of one game and model.
pub struct Trainer<P: Position, M: Model<P>> {
    config: Config,
    /// The configuration as it stands in the folder.
    written: String,
    model: M,
    method: Box<dyn Method<P, M>>,
    search: SearchMethod,
    start: P,
    units: Vec<f64>,
    records: Vec<Game<P::Move>>,
    folder: PathBuf,
    state: State,
    seconds: [f64; 2],
    work: Work,
    writer: Writer,
}

const CHECKPOINT: &str = "checkpoint.state";
const CURVES: &str = "curves.jsonl";
const EVENTS: &str = "events.out.tfevents.yomi";

impl<P: Notation, M: Model<P>> Trainer<P, M> {
    /// Begins a run in a folder, or goes on with the one that is there. Games begin at `start`; `records` are for methods that play none.
    pub fn open(
        folder: &Path,
        config: Config,
        model: M,
        start: P,
        records: Vec<Game<P::Move>>,
    ) -> Result<Self, TextError> {
        config.check()?;
        let method = config.method::<P, M>()?;
        let written = config.write()?;
        if method.needs_records() && records.is_empty() {
            return Err(TextError::new(format!("{} learns from games: name files of them in records", method.name())));
        }
        fs::create_dir_all(folder).map_err(|error| trouble(folder, &error))?;
        let state = Self::state(folder, &written, &model)?;
        replace(&folder.join("config.toml"), written.as_bytes())?;
        let trainer = Trainer {
            search: config.search()?,
            units: model.units(),
            folder: folder.to_path_buf(),
            start,
            written,
            method,
            records,
            state,
            model,
            config,
            seconds: [0.0; 2],
            work: Work::default(),
            writer: Writer::default(),
        };
        // What a killed run wrote after its last checkpoint is written again.
        trainer.cut(CURVES, trainer.state.curves)?;
        trainer.cut(EVENTS, trainer.state.events)?;
        sample_games::cut(folder, trainer.state.batches)?;
        Ok(trainer)
    }

    fn state(folder: &Path, config: &str, model: &M) -> Result<State, TextError> {
        let path = folder.join(CHECKPOINT);
        match read_if_there(&path)? {
            Some(bytes) => {
                State::read(&bytes, config, model.parameters()).map_err(|error| error.context(path.display()))
            }
            None => Ok(State::new(model.start())),
        }
    }

    fn cut(&self, name: &str, length: u64) -> Result<(), TextError> {
        let path = self.folder.join(name);
        let open = fs::OpenOptions::new().create(true).truncate(false).write(true).open(&path);
        let file = open.map_err(|error| trouble(&path, &error))?;
        let there = file.metadata().map_err(|error| trouble(&path, &error))?.len();
        if there < length {
            return Err(TextError::new(format!("{}: shorter than its checkpoint says", path.display())));
        }
        file.set_len(length).map_err(|error| trouble(&path, &error))
    }

    /// Writes at the end of a file. Only a checkpoint waits for the disk: between checkpoints, threads would wait for it after every step.
    fn append(&self, name: &str, at: u64, bytes: &[u8]) -> Result<u64, TextError> {
        let path = self.folder.join(name);
        let write = || {
            let mut file = fs::OpenOptions::new().create(true).truncate(false).write(true).open(&path)?;
            file.seek(SeekFrom::Start(at))?;
            file.write_all(bytes)
        };
        write().map_err(|error| trouble(&path, &error))?;
        Ok(at + bytes.len() as u64)
    }

    fn limits(&self) -> Limits {
        Limits::evaluations(self.config.evaluations)
    }

    /// The games of the next step, in order.
    fn play(&self, threads: usize, done: &(dyn Fn() + Sync), work: &mut Work) -> Result<Vec<Episode>, TextError> {
        let (state, watch) = (&self.state, Stopwatch::start());
        let learner = Player {
            evaluator: Arc::new(self.model.evaluator(&state.parameters)?),
            parameters: Some(state.parameters.clone().into()),
            heat: self.model.heat(&state.parameters),
        };
        let pool = state.pool.iter().map(|earlier| {
            let evaluator = Arc::new(self.model.evaluator(earlier)?);
            Ok(Player { evaluator, parameters: None, heat: self.model.heat(earlier) })
        });
        let pool = pool.collect::<Result<Vec<_>, TextError>>()?;
        let setting = Setting {
            model: &self.model,
            method: &*self.method,
            search: &self.search,
            start: &self.start,
            limits: self.limits(),
            temperature: self.config.temperature,
            random: self.config.random,
            plies: self.config.plies,
            leaves: self.config.leaves,
            k: self.config.k,
        };
        let seed = Seed::new(self.config.seed);
        let count = self.config.batch.min(self.config.games.saturating_sub(state.games)) as usize;
        let memory = || Accumulator::new(self.model.parameters());
        work.alone += watch.busy().as_secs_f64();
        let episodes = in_order(count, threads, memory, |sum, index| {
            let watch = Stopwatch::start();
            let number = state.games + index as u64;
            let seed = seed.branch("game", number);
            let episode = if self.method.needs_records() {
                let game = &self.records[(number % self.records.len() as u64) as usize];
                replay(&setting, &[learner.clone(), learner.clone()], game, sum, seed)
            } else {
                let players = opponents(&learner, &pool, self.config.pool.share, seed);
                play(&setting, &players, sum, seed)
            };
            done();
            episode.map(|episode| Episode { whole: watch.busy().as_secs_f64(), ..episode })
        });
        episodes.into_iter().collect()
    }

    /// The step that the games say.
    fn step(&mut self, episodes: &[Episode]) -> Row {
        let mut gradient = vec![0.0; self.state.parameters.len()];
        let share = 1.0 / episodes.len().max(1) as f64;
        episodes.iter().for_each(|episode| episode.step.add_to(share, &mut gradient));
        let factor = self.config.steps.schedule.factor(self.state.batches, self.config.batches());
        let State { parameters, optimizer, .. } = &mut self.state;
        let norm = optimizer.step(&self.config.steps, factor, parameters, &gradient, &self.units);
        self.state.batches += 1;
        self.state.games += episodes.len() as u64;
        let moves: usize = episodes.iter().map(|episode| episode.notes).sum();
        let mean = |sum: f64| sum / moves.max(1) as f64;
        let squares = self.state.parameters.iter().zip(&self.units).map(|(x, unit)| (x / unit).powi(2));
        Row {
            step: self.state.batches,
            games: self.state.games,
            results: [Outcome::Win(Color::Black), Outcome::Draw, Outcome::Win(Color::White)]
                .map(|outcome| episodes.iter().filter(|episode| episode.outcome == outcome).count() as u64),
            plies: episodes.iter().map(|episode| episode.plies as u64).sum(),
            moves: moves as u64,
            loss: mean(episodes.iter().map(|episode| episode.loss).sum()),
            explained: mean(episodes.iter().map(|episode| episode.explained).sum()),
            gradient_norm: norm,
            rate: self.config.steps.rate * factor,
            size: (squares.sum::<f64>() / self.units.len().max(1) as f64).sqrt(),
            heat: self.model.heat(&self.state.parameters),
            gate: None,
        }
    }

    /// Whether the games of this step have passed a multiple of `every`.
    fn passed(&self, every: u64, before: u64) -> bool {
        every > 0 && self.state.games / every > before / every
    }

    fn gate(&mut self, threads: usize, decide: Decide<'_>) -> Result<GateRow, TextError> {
        let newest = Arc::new(self.model.evaluator(&self.state.parameters)?);
        let best = Arc::new(self.model.evaluator(&self.state.best)?);
        let terms = Terms {
            search: &self.search,
            limits: self.limits(),
            start: &self.start,
            random: self.config.random,
            plies: self.config.plies,
        };
        let seed = Seed::new(self.config.seed).branch("gate", self.state.games);
        let (pairs, decided) = contest(&terms, (&newest, &best), self.config.gate.pairs, threads, seed, decide);
        let (elo, passed) = (elo(&pairs), decided == Some(true));
        if passed {
            self.state.best.clone_from(&self.state.parameters);
            self.state.elo += elo;
            self.state.gates += 1;
        }
        Ok(GateRow { pairs, elo, passed, best: self.state.elo })
    }

    fn remember(&mut self, row: &Row) -> Result<(), TextError> {
        let mut line = serde_json::to_string(row).map_err(|error| TextError::new(error.to_string()))?;
        line.push('\n');
        self.state.curves = self.append(CURVES, self.state.curves, line.as_bytes())?;
        let now = yomi_core::clock::unix_seconds() as f64;
        let mut bytes = if self.state.events == 0 { events::header(now) } else { Vec::new() };
        let games = row.results.iter().sum::<u64>().max(1) as f64;
        let mut values = vec![
            ("loss", row.loss),
            ("explained", row.explained),
            ("gradient_norm", row.gradient_norm),
            ("rate", row.rate),
            ("size", row.size),
            ("heat", row.heat),
            ("plies", row.plies as f64 / games),
            ("draws", row.results[1] as f64 / games),
        ];
        if let Some(gate) = &row.gate {
            values.extend([("gate/elo", gate.elo), ("gate/best", gate.best)]);
        }
        bytes.extend(events::scalars(now, row.games, &values));
        self.state.events = self.append(EVENTS, self.state.events, &bytes)?;
        Ok(())
    }

    /// A checkpoint of now, written while the run goes on.
    fn save(&mut self) -> Result<(), TextError> {
        let place = |name: &str| self.folder.join(name);
        let mut saving = Saving { appended: vec![place(CURVES), place(EVENTS)], files: Vec::new() };
        for (name, parameters) in [(P::NAME, &self.state.parameters), ("best", &self.state.best)] {
            saving.files.push((place(&format!("{name}.{}", M::EXTENSION)), self.model.file(parameters)?));
            for (ending, bytes) in self.model.more_files(parameters)? {
                saving.files.push((place(&format!("{name}.{ending}")), bytes));
            }
        }
        saving.files.push((place(CHECKPOINT), self.state.write(&self.written)));
        self.writer.begin(saving)
    }
}

/// Who plays: the learner on both sides, or against an earlier one.
fn opponents<E>(learner: &Player<E>, pool: &[Player<E>], share: f64, seed: Seed) -> [Player<E>; 2] {
    let mut rng = seed.branch("players", 0).rng();
    if pool.is_empty() || f64::from(rng.unit()) >= share {
        return [learner.clone(), learner.clone()];
    }
    let earlier = pool[rng.below(pool.len())].clone();
    if rng.below(2) == 0 { [learner.clone(), earlier] } else { [earlier, learner.clone()] }
}

impl<P: Notation, M: Model<P>> Run for Trainer<P, M> {
    fn config(&self) -> &Config {
        &self.config
    }

    fn games(&self) -> u64 {
        self.state.games
    }

    fn parameters(&self) -> &[f64] {
        &self.state.parameters
    }

    fn elo(&self) -> f64 {
        self.state.elo
    }

    fn seconds(&self) -> [f64; 2] {
        self.seconds
    }

    fn work(&self) -> &Work {
        &self.work
    }

    fn checkpoint(&mut self) -> Result<(), TextError> {
        self.save()?;
        self.writer.finish()
    }

    fn batch(&mut self, threads: usize, decide: Decide<'_>, done: &(dyn Fn() + Sync)) -> Result<Row, TextError> {
        let before = self.state.games;
        let mut work = Work::default();
        let episodes = self.play(threads, done, &mut work)?;
        let watch = Stopwatch::start();
        let mut row = self.step(&episodes);
        work.alone += watch.busy().as_secs_f64();
        work.games.extend(episodes.iter().map(|episode| episode.whole));
        for episode in &episodes {
            (0..2).for_each(|i| self.seconds[i] += episode.seconds[i]);
        }
        self.seconds[1] += watch.busy().as_secs_f64();
        if self.passed(self.config.pool.every, before) && self.config.pool.share > 0.0 {
            self.state.pool.push(self.state.parameters.clone());
            let surplus = self.state.pool.len().saturating_sub(self.config.pool.size);
            self.state.pool.drain(..surplus);
        }
        if self.passed(self.config.gate.every, before) {
            row.gate = Some(self.gate(threads, decide)?);
        }
        let watch = Stopwatch::start();
        self.remember(&row)?;
        sample_games::add(&self.folder, &self.start, row.step, before, &episodes)?;
        if self.is_done() {
            self.checkpoint()?;
        } else if self.state.batches.is_multiple_of(self.config.checkpoint) {
            self.save()?;
        }
        work.alone += watch.busy().as_secs_f64();
        self.work = work;
        Ok(row)
    }
}
