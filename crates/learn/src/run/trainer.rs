//! A run: play a batch of games, sum up what they say, make a step; now and then a checkpoint, an opponent for the pool, a gate.
//!
//! The folder of a run holds `config.toml`, `checkpoint.state`, `curves.jsonl` (a line per step, nothing in it depends on a clock),
//! `events.out.tfevents.yomi` (the same for TensorBoard), `games.jsonl` (the first games of every step), and the weights: `GAME.linear`, `best.linear`. Everything after the last
//! checkpoint is done again after a kill, and comes out the same to the bit: random numbers come from the seed, and sums do not depend on
//! the number of threads.

use std::fs;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use yomi_core::clock::Stopwatch;
use yomi_core::{Color, Notation, Outcome, Position, TextError};

use super::checkpoint::State;
use super::config::Config;
use super::cost::StepCost;
use super::episode::Episode;
use super::gate::{Contest, Decide, elo};
use super::table::Table;
use super::work::{Kind, Played, Players, Work};
use super::writer::{Saving, Writer};
use super::{Run, events, sample_games};
use crate::files::{read_if_there, replace, trouble};
use crate::model::Model;
use crate::records::Library;

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
    /// The moves that were learned from.
    pub moves: u64,
    /// The method's own loss per move.
    pub loss: f64,
    /// Cross-entropy between the searches' values and the results, per move: ln 2 is knowing nothing.
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
    table: Table<P, M>,
    /// The configuration as it stands in the folder.
    written: String,
    units: Vec<f64>,
    folder: PathBuf,
    state: State,
    /// A step whose gate is under way.
    open: Option<OpenStep>,
    seconds: [f64; 2],
    cost: StepCost,
    writer: Writer,
}

/// A step that is made but not written down, because its gate is not decided.
struct OpenStep {
    row: Row,
    episodes: Vec<Episode>,
    contest: Contest,
}

const CHECKPOINT: &str = "checkpoint.state";
const CURVES: &str = "curves.jsonl";
const EVENTS: &str = "events.out.tfevents.yomi";

impl<P: Notation, M: Model<P>> Trainer<P, M> {
    /// Begins a run in a folder, or goes on with the one that is there. Games begin at `start`; `records` are for methods that play none.
    pub fn open(folder: &Path, config: Config, model: M, start: P, records: Library<P>) -> Result<Self, TextError> {
        let table = Table::new(config, model, start, records)?;
        let written = table.config.write()?;
        fs::create_dir_all(folder).map_err(|error| trouble(folder, &error))?;
        let state = Self::state(folder, &written, &table.model)?;
        replace(&folder.join("config.toml"), written.as_bytes())?;
        let trainer = Trainer {
            units: table.model.units(),
            folder: folder.to_path_buf(),
            written,
            state,
            table,
            open: None,
            seconds: [0.0; 2],
            cost: StepCost::default(),
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

    /// The step that the games say.
    fn step(&mut self, episodes: &[Episode]) -> Row {
        let mut gradient = vec![0.0; self.state.parameters.len()];
        let share = 1.0 / episodes.len().max(1) as f64;
        episodes.iter().for_each(|episode| episode.step.add_to(share, &mut gradient));
        let factor = self.table.config.steps.schedule.factor(self.state.batches, self.table.config.horizon());
        let State { parameters, optimizer, .. } = &mut self.state;
        let norm = optimizer.step(&self.table.config.steps, factor, parameters, &gradient, &self.units);
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
            rate: self.table.config.steps.rate * factor,
            size: (squares.sum::<f64>() / self.units.len().max(1) as f64).sqrt(),
            heat: self.table.model.heat(&self.state.parameters),
            gate: None,
        }
    }

    /// The parameters of those who play next: the learner and the pool, or the two of a gate.
    fn seats(&self) -> Box<dyn Iterator<Item = &[f64]> + '_> {
        let State { parameters, best, pool, .. } = &self.state;
        match self.open {
            Some(_) => Box::new([parameters, best].into_iter().map(Vec::as_slice)),
            None => Box::new([parameters].into_iter().chain(pool).map(Vec::as_slice)),
        }
    }

    /// Whether the games of this step have passed a multiple of `every`.
    fn passed(&self, every: u64, before: u64) -> bool {
        every > 0 && self.state.games / every > before / every
    }

    /// The pool and the gate after a step; what is to be written down, if there is no gate to be played.
    fn go_on(&mut self, row: Row, episodes: Vec<Episode>) -> Result<Option<Row>, TextError> {
        let before = row.games - episodes.len() as u64;
        let (pool, gate) = (self.table.config.pool, self.table.config.gate);
        if self.passed(pool.every, before) && pool.share > 0.0 {
            self.state.pool.push(self.state.parameters.clone());
            let surplus = self.state.pool.len().saturating_sub(pool.size);
            self.state.pool.drain(..surplus);
        }
        let step = OpenStep { row, episodes, contest: Contest::default() };
        if !self.passed(gate.every, before) {
            return self.close(step).map(Some);
        }
        if gate.pairs == 0 {
            return self.decided(step, None).map(Some);
        }
        self.open = Some(step);
        Ok(None)
    }

    /// A gate has ended.
    fn decided(&mut self, mut step: OpenStep, better: Option<bool>) -> Result<Row, TextError> {
        let pairs = step.contest.counts;
        let (elo, passed) = (elo(&pairs), better == Some(true));
        if passed {
            self.state.best.clone_from(&self.state.parameters);
            self.state.elo += elo;
            self.state.gates += 1;
        }
        step.row.gate = Some(GateRow { pairs, elo, passed, best: self.state.elo });
        self.close(step)
    }

    /// Writes a step down.
    fn close(&mut self, OpenStep { row, episodes, .. }: OpenStep) -> Result<Row, TextError> {
        let before = row.games - episodes.len() as u64;
        self.remember(&row)?;
        sample_games::add(
            &self.folder,
            &self.table.start,
            |number| self.table.start(number),
            row.step,
            before,
            &episodes,
        )?;
        if self.is_done() {
            self.checkpoint()?;
        } else if self.state.batches.is_multiple_of(self.table.config.checkpoint) {
            self.save()?;
        }
        Ok(row)
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

    /// What the files of weights are called: the game, without its rules.
    fn name(&self) -> String {
        let rules = self.table.start.rules();
        rules.split('(').next().unwrap_or(P::NAME).to_string()
    }

    /// A checkpoint of now, written while the run goes on.
    fn save(&mut self) -> Result<(), TextError> {
        let (place, model) = (|name: &str| self.folder.join(name), &self.table.model);
        let mut saving = Saving { appended: vec![place(CURVES), place(EVENTS)], files: Vec::new() };
        for (name, parameters) in [(self.name().as_str(), &self.state.parameters), ("best", &self.state.best)] {
            for (ending, bytes) in model.files(parameters)? {
                saving.files.push((place(&format!("{name}.{ending}")), bytes));
            }
        }
        saving.files.push((place(CHECKPOINT), self.state.write(&self.written)));
        self.writer.begin(saving)
    }
}

impl<P: Notation, M: Model<P>> Run for Trainer<P, M> {
    fn config(&self) -> &Config {
        &self.table.config
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

    fn cost(&self) -> &StepCost {
        &self.cost
    }

    fn skipped(&self) -> &[TextError] {
        self.table.skipped()
    }

    fn weights_file(&self) -> String {
        let ending = self.table.model.files(&self.state.parameters).ok().and_then(|files| Some(files.first()?.0));
        format!("{}.{}", self.name(), ending.unwrap_or_default())
    }

    fn checkpoint(&mut self) -> Result<(), TextError> {
        // A step whose gate is not decided is not over: it is made again, from the checkpoint that is there.
        if self.open.is_none() {
            self.save()?;
        }
        self.writer.finish()
    }

    fn wants(&self) -> Option<Work> {
        let (config, games) = (&self.table.config, self.state.games);
        match &self.open {
            Some(step) => {
                step.contest.next(config.gate.pairs).map(|round| Work { kind: Kind::Gate(games), games: round })
            }
            None => (games < config.games).then(|| Work {
                kind: Kind::Lessons,
                games: games..games.saturating_add(config.batch).min(config.games),
            }),
        }
    }

    fn players(&self) -> Players {
        Players(self.seats().map(<[f64]>::to_vec).collect())
    }

    fn agreement(&self) -> Result<u64, TextError> {
        self.table.agreement()
    }

    fn read(&self, work: &Work, bytes: &[u8]) -> Result<Vec<Played>, TextError> {
        self.table.read(work, bytes)
    }

    fn take(&mut self, played: Vec<Played>, decide: Decide<'_>) -> Result<Option<Row>, TextError> {
        let wrong = || TextError::new("these are not the games that the run waits for");
        let work = self.wants().ok_or_else(wrong)?;
        if played.len() as u64 != work.games.end - work.games.start {
            return Err(wrong());
        }
        let Some(mut step) = self.open.take() else {
            let lesson = |game| if let Played::Lesson(episode) = game { Ok(episode) } else { Err(wrong()) };
            let episodes = played.into_iter().map(lesson).collect::<Result<Vec<_>, _>>()?;
            let watch = Stopwatch::start();
            let row = self.step(&episodes);
            for episode in &episodes {
                (0..2).for_each(|i| self.seconds[i] += episode.seconds[i]);
            }
            self.seconds[1] += watch.busy().as_secs_f64();
            let games = episodes.iter().map(|episode| episode.whole).collect();
            let row = self.go_on(row, episodes);
            self.cost = StepCost { alone: watch.busy().as_secs_f64(), games };
            return row;
        };
        let half_points = |game: &Played| if let Played::Points(points) = game { Some(*points) } else { None };
        let Some(points) = played.iter().map(half_points).collect::<Option<Vec<u8>>>() else {
            self.open = Some(step);
            return Err(wrong());
        };
        step.contest.add(&points);
        let better = decide(&step.contest.counts);
        if better.is_none() && step.contest.next(self.table.config.gate.pairs).is_some() {
            self.open = Some(step);
            return Ok(None);
        }
        self.decided(step, better).map(Some)
    }

    fn batch(&mut self, threads: usize, decide: Decide<'_>, done: &(dyn Fn() + Sync)) -> Result<Row, TextError> {
        loop {
            let work = self.wants().ok_or_else(|| TextError::new("all games of this run are played"))?;
            let watch = Stopwatch::start();
            let players = self.table.seat(self.seats())?;
            let seating = watch.busy().as_secs_f64();
            let played = self.table.play(&players, &work, threads, done)?;
            let row = self.take(played, decide)?;
            if matches!(work.kind, Kind::Lessons) {
                self.cost.alone += seating;
            }
            if let Some(row) = row {
                return Ok(row);
            }
        }
    }
}
