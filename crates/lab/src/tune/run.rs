//! Playing a tuning run: the games of a generation side by side, one generation after the other, then the games that judge.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use yomi_core::{Seed, Spec, TextError};
use yomi_session::Budget;

use super::config::TuneConfig;
use super::course::{Course, Generation};
use crate::arena::{self, Arena};
use crate::directory::RunDirectory;
use crate::error::{LabError, Result};
use crate::experiment::kinds::match_table::{self, GameMeasurement, GameTask};
use crate::experiment::{Failure, Job, Task};
use crate::ledger::{self, Ledger};
use crate::manifest::{files, machine, own_sum};
use crate::opening::OpeningSource;
use crate::players::build::{Programs, check_budget, configure, inspect};
use crate::players::spec::is_reproducible;
use crate::runner::{Controls, RunEnd};
use crate::verify::Verification;

/// What a game is for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// To tune.
    Tune,
    /// To judge the tuned player.
    Tuned,
    /// To judge the middle of the range beside it.
    Middle,
}

/// A game of a tuning run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TuneRow {
    /// What it is for.
    pub stage: Stage,
    /// Its number among those of its stage.
    pub index: u64,
    /// The coordinates of the player, from -1 to 1.
    pub point: Vec<f64>,
    /// What came of it, under the name that old ledgers have for it.
    #[serde(rename = "told")]
    pub game: GameMeasurement,
}

/// A game that is to be played.
#[derive(Clone, PartialEq, Debug)]
struct Wanted {
    stage: Stage,
    index: u64,
    point: Vec<f64>,
    job: Job,
}

/// Who watches.
pub trait Watcher {
    /// How many games are played, and of how many.
    fn game(&mut self, done: u64, all: u64) {
        let _ = (done, all);
    }

    /// Some time has passed.
    fn tick(&mut self) {}
}

impl Watcher for () {}

/// A tuning run in its directory.
pub struct Tuning {
    /// The configuration.
    pub config: TuneConfig,
    directory: RunDirectory,
    arena: Box<dyn Arena>,
}

const LEDGER: &str = "games.jsonl";
const TICK: Duration = Duration::from_millis(200);

impl Tuning {
    /// Begins a run, or goes on with the same one; `games` and `judge` may be other numbers than before.
    pub fn create(path: &Path, config: TuneConfig, programs: Programs, version: &serde_json::Value) -> Result<Tuning> {
        config.check()?;
        if path.join("config.toml").exists() {
            let begun = Tuning::read(path)?;
            if begun.hash() != config.hash() {
                let message =
                    format!("{} holds another tuning run: begin a new one in another directory", path.display());
                return Err(LabError::Conflict(message));
            }
        }
        std::fs::create_dir_all(path).map_err(LabError::file("cannot create", path))?;
        let tuning = Tuning::with(path, config, programs)?;
        let text =
            toml::to_string(&tuning.config).map_err(|error| LabError::Conflict(format!("config.toml: {error}")))?;
        let players = [vec![tuning.config.space.template.clone()], tuning.config.against.clone()].concat();
        let sums: BTreeMap<String, String> = players.iter().flat_map(|player| files(player)).collect();
        let manifest = serde_json::json!({ "program": version, "sha256": own_sum(), "machine": machine(), "files": sums,
            "conditions": tuning.config.hash() });
        tuning.directory.write("manifest.json", format!("{manifest:#}\n").as_bytes())?;
        // Last: a directory with a configuration is complete.
        tuning.directory.write("config.toml", text.as_bytes())?;
        Ok(tuning)
    }

    /// The run at `path`.
    pub fn open(path: &Path, programs: Programs) -> Result<Tuning> {
        Tuning::with(path, Tuning::read(path)?, programs)
    }

    /// The configuration of the run at `path`.
    pub fn read(path: &Path) -> Result<TuneConfig> {
        let file = path.join("config.toml");
        let text = std::fs::read_to_string(&file).map_err(LabError::file("cannot read", &file))?;
        let config: TuneConfig =
            toml::from_str(&text).map_err(|error| TextError::new(error.to_string()).context(file.display()))?;
        config.check()?;
        Ok(config)
    }

    fn with(path: &Path, config: TuneConfig, programs: Programs) -> Result<Tuning> {
        let arena = arena::open(&config.game.parse()?, programs)?;
        Ok(Tuning { config, directory: RunDirectory::at(path), arena })
    }

    /// The directory.
    pub fn directory(&self) -> &RunDirectory {
        &self.directory
    }

    /// Where games are played and drawn.
    pub fn arena(&self) -> &dyn Arena {
        &*self.arena
    }

    /// Whether all players can be built and come to an end. Starts no program.
    pub fn inspect(&self) -> std::result::Result<(), TextError> {
        let game: Spec = self.config.game.parse()?;
        let ends = [-1.0, 0.0, 1.0].map(|x| self.config.space.player(&vec![x; self.config.space.axes.len()]));
        for text in ends.iter().chain(&self.config.against) {
            let player = configure(&game.name, text, Budget::default())?;
            check_budget(&player, false)?;
            inspect(self.arena(), &player).map_err(|error| error.context(format!("player {text:?}")))?;
        }
        Ok(())
    }

    /// The games so far.
    pub fn rows(&self) -> Result<Vec<TuneRow>> {
        let path = self.directory.file(LEDGER);
        if path.exists() { ledger::read(&path) } else { Ok(Vec::new()) }
    }

    /// What is known from these rows, generation by generation, as far as they are complete.
    pub fn course(&self, rows: &[TuneRow]) -> Course<'_> {
        let known = by_place(rows);
        let mut course = Course::new(&self.config);
        for generation in 0..self.config.generations() {
            let Some(results) = self.results(generation, &course, &known) else { break };
            course.learn(&results);
        }
        course
    }

    /// The results of a generation, if it is complete and was played at the points it should be.
    fn results(
        &self,
        generation: u64,
        course: &Course<'_>,
        known: &BTreeMap<(Stage, u64), &TuneRow>,
    ) -> Option<Generation> {
        let wanted = self.generation(generation, course);
        let score = |wanted: &Wanted| {
            let row = known.get(&(wanted.stage, wanted.index)).filter(|row| is_at(row, &wanted.point))?;
            Some(row.game.score)
        };
        wanted.chunks(2).map(|pair| Some([score(&pair[0])?, score(&pair[1])?])).collect()
    }

    /// The games of a generation: for each of its pairs two games with colours swapped.
    fn generation(&self, generation: u64, course: &Course<'_>) -> Vec<Wanted> {
        let mut wanted = Vec::new();
        for (slot, point) in (0..).zip(course.points()) {
            let pair = generation * self.config.batch + slot;
            for first in [true, false] {
                let opening = course.opening(generation, slot);
                wanted.push(self.wanted(Stage::Tune, 2 * pair + u64::from(!first), point, opening, pair, first));
            }
        }
        wanted
    }

    /// A game: the opening number decides how it begins, `turn` which opponent it is.
    fn wanted(&self, stage: Stage, index: u64, point: &[f64], opening: u64, turn: u64, first: bool) -> Wanted {
        let opponent = &self.config.against[(turn % self.config.against.len() as u64) as usize];
        let task = GameTask {
            game: self.config.game.clone(),
            players: [self.config.space.player(point), opponent.clone()],
            first,
            pair: opening,
            opening: self.config.opening.clone(),
            move_limit: self.config.move_limit,
            resign: None,
        };
        // Openings and other chance of the games that judge are of another branch.
        let branch = if stage == Stage::Tune { "tune" } else { "judge" };
        let hash = format!("{}-{branch}", self.config.hash());
        let number = if stage == Stage::Middle { index + (1 << 40) } else { index };
        let job = Job {
            experiment: "tune".into(),
            part: 0,
            hash,
            index: number,
            seed: self.config.seed,
            work: Task::Game(task),
        };
        Wanted { stage, index, point: point.to_vec(), job }
    }

    /// The opening that a game begins with, as text.
    fn opening(&self, wanted: &Wanted) -> std::result::Result<String, TextError> {
        let Task::Game(task) = &wanted.job.work else { return Ok(String::new()) };
        let source = OpeningSource::parse(&self.config.opening)?;
        Ok(self.arena.draw_opening(&source, wanted.job.shared("opening", task.pair))?.moves)
    }

    /// The games that judge the best point: the same openings for it and for the middle of the range, none of which was used to tune.
    fn judging(&self, course: &Course<'_>) -> Result<Vec<Wanted>> {
        let mut used = BTreeSet::new();
        if self.config.judge > 0 {
            let mut replayed = Course::new(&self.config);
            let mut results = course.samples.chunks(2 * self.config.batch as usize);
            for generation in 0.. {
                let Some(chunk) = results.next() else { break };
                for wanted in self.generation(generation, &replayed).iter().step_by(2) {
                    used.insert(self.opening(wanted)?);
                }
                replayed.learn(&chunk.chunks(2).map(|pair| [pair[0].score, pair[1].score]).collect());
            }
        }
        let (best, middle) = (course.best(), vec![0.0; course.theta.len()]);
        let mut wanted = Vec::new();
        let mut opening = 0;
        for pair in 0..self.config.judge.div_ceil(2) {
            // A game has few openings of two plies: when all were used, one that was must do.
            for _ in 0..1000 {
                if !used.contains(&self.opening(&self.wanted(Stage::Tuned, 0, &best, opening, pair, true))?) {
                    break;
                }
                opening += 1;
            }
            for (stage, point) in [(Stage::Tuned, &best), (Stage::Middle, &middle)] {
                for first in [true, false] {
                    wanted.push(self.wanted(stage, 2 * pair + u64::from(!first), point, opening, pair, first));
                }
            }
            opening += 1;
        }
        Ok(wanted)
    }

    /// The games that judge and were played: those of the tuned player and of the middle of the range.
    pub fn judged(&self, rows: &[TuneRow], course: &Course<'_>) -> [Vec<TuneRow>; 2] {
        let best = course.best();
        let of = |stage: Stage, point: &[f64]| {
            rows.iter().filter(|row| row.stage == stage && is_at(row, point)).cloned().collect::<Vec<_>>()
        };
        [of(Stage::Tuned, &best), of(Stage::Middle, &vec![0.0; best.len()])]
    }

    /// Checks all games by the rules, and plays `sample` of those that tuned again, chosen by `seed`, unless programs, threads or time decide
    /// them.
    pub fn verify(&self, sample: usize, seed: u64) -> Result<Verification> {
        let rows = self.rows()?;
        let mut found = Verification::default();
        for row in &rows {
            found.checked += 1;
            let checked =
                self.arena.look_through(&row.game.scene(&self.config.game), row.game.result(), &row.game.reason);
            found
                .differences
                .extend(checked.err().map(|error| format!("{:?} game {}: {}", row.stage, row.index, error.message)));
        }
        if !self.is_reproducible() {
            return Ok(found);
        }
        // The points of a generation follow from the games before it: so do the games that should be here.
        let known = by_place(&rows);
        let mut course = Course::new(&self.config);
        let mut games: Vec<(Wanted, &TuneRow)> = Vec::new();
        for generation in 0..self.config.generations() {
            for wanted in self.generation(generation, &course) {
                if let Some(row) = known.get(&(wanted.stage, wanted.index)) {
                    if !is_at(row, &wanted.point) {
                        found
                            .differences
                            .push(format!("game {}: it was not played where it should have been", wanted.index));
                    }
                    games.push((wanted, row));
                }
            }
            let Some(results) = self.results(generation, &course, &known) else { break };
            course.learn(&results);
        }
        let mut rng = Seed::new(seed).branch("verify", 0).rng();
        for _ in 0..sample.min(games.len()) {
            let (wanted, row) = games.swap_remove(rng.below(games.len()));
            found.replayed += 1;
            match self.one_game(&wanted, &Controls::default()) {
                Ok(again) if again.moves == row.game.moves && again.score == row.game.score => found.same += 1,
                Ok(_) => found.changed.push(format!("game {}: played again it came out differently", row.index)),
                Err(_) => found.changed.push(format!("game {}: it cannot be played again", row.index)),
            }
        }
        Ok(found)
    }

    /// Whether the same games can be produced again: no time, no threads that share a tree, no programs of others.
    pub fn is_reproducible(&self) -> bool {
        let tuned = self.config.space.player(&vec![0.0; self.config.space.axes.len()]);
        let mut players = self.config.against.iter().chain([&tuned]);
        players.all(|player| is_reproducible(player) && !player.contains(" time="))
    }

    /// Plays what is missing, `threads` games at a time.
    pub fn run(&self, threads: usize, controls: &Controls, watcher: &mut dyn Watcher) -> Result<RunEnd> {
        let (mut ledger, mut rows): (Ledger, Vec<TuneRow>) = Ledger::open(&self.directory.file(LEDGER))?;
        self.directory.clean();
        let all = self.config.generations() * 2 * self.config.batch + 4 * self.config.judge.div_ceil(2);
        let mut course = Course::new(&self.config);
        for generation in 0..=self.config.generations() {
            let judging = generation == self.config.generations();
            let wanted = if judging { self.judging(&course)? } else { self.generation(generation, &course) };
            let known = by_place(&rows);
            let is_missing = |w: &Wanted| known.get(&(w.stage, w.index)).is_none_or(|row| !is_at(row, &w.point));
            let missing: Vec<Wanted> = wanted.into_iter().filter(is_missing).collect();
            let done = if judging { all - missing.len() as u64 } else { generation * 2 * self.config.batch };
            if !missing.is_empty()
                && !self.play(&missing, threads, controls, &mut ledger, &mut rows, &mut |n| {
                    watcher.game((done + n).min(all), all);
                })?
            {
                ledger.sync()?;
                return Ok(RunEnd::Interrupted);
            }
            if !judging {
                let known = by_place(&rows);
                let results = self.results(generation, &course, &known);
                course.learn(&results.ok_or_else(|| LabError::Conflict("a generation is incomplete".into()))?);
            }
        }
        ledger.sync()?;
        Ok(RunEnd::Complete)
    }

    fn play(
        &self,
        missing: &[Wanted],
        threads: usize,
        controls: &Controls,
        ledger: &mut Ledger,
        rows: &mut Vec<TuneRow>,
        report: &mut dyn FnMut(u64),
    ) -> Result<bool> {
        let next = AtomicUsize::new(0);
        let mut failure: Option<LabError> = None;
        let mut written = 0;
        std::thread::scope(|scope| {
            let (sender, receiver) = mpsc::channel();
            for _ in 0..threads.max(1).min(missing.len()) {
                let (sender, next) = (sender.clone(), &next);
                scope.spawn(move || {
                    loop {
                        // Relaxed: the flags carry no data, and the counter orders nothing but itself.
                        if controls.drain.load(Ordering::Relaxed) || controls.stop.load(Ordering::Relaxed) {
                            return;
                        }
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        let Some(wanted) = missing.get(number) else { return };
                        // The scribe outlives all threads.
                        let _ = sender.send((number, self.one_game(wanted, controls)));
                    }
                });
            }
            drop(sender);
            loop {
                match receiver.recv_timeout(TICK) {
                    Err(mpsc::RecvTimeoutError::Timeout) => report(written),
                    Err(mpsc::RecvTimeoutError::Disconnected) => break,
                    Ok((_, Err(Failure::Stopped))) => {}
                    Ok((_, Err(Failure::Void(why)))) => drain(controls, &mut failure, LabError::Conflict(why)),
                    Ok((_, Err(Failure::Wrong(error)))) => drain(controls, &mut failure, error.into()),
                    Ok((number, Ok(game))) => {
                        let Wanted { stage, index, point, .. } = missing[number].clone();
                        let row = TuneRow { stage, index, point, game };
                        match ledger.append(&row) {
                            Ok(()) => {
                                rows.push(row);
                                written += 1;
                                report(written);
                            }
                            Err(error) => drain(controls, &mut failure, error),
                        }
                    }
                }
            }
        });
        match failure {
            Some(error) => Err(error),
            None => Ok(written as usize == missing.len()),
        }
    }

    fn one_game(&self, wanted: &Wanted, controls: &Controls) -> std::result::Result<GameMeasurement, Failure> {
        let Task::Game(task) = &wanted.job.work else { return Err(TextError::new("this is no game").into()) };
        let game: Spec = self.config.game.parse()?;
        let player = |text: &str| configure(&game.name, text, Budget::default());
        let players = [player(&task.players[0])?, player(&task.players[1])?];
        match_table::measure(task, self.arena(), players, &wanted.job, &controls.stop)
    }
}

/// No more games begin; those under way are finished and written down.
fn drain(controls: &Controls, failure: &mut Option<LabError>, error: LabError) {
    controls.drain.store(true, Ordering::Relaxed);
    failure.get_or_insert(error);
}

/// Whether a game was played at this point: numbers lose their last bit on their way through a ledger.
fn is_at(row: &TuneRow, point: &[f64]) -> bool {
    row.point.len() == point.len() && row.point.iter().zip(point).all(|(a, b)| (a - b).abs() < 1e-9)
}

/// The last row of each place: of a point that changed since, the newest game counts.
fn by_place(rows: &[TuneRow]) -> BTreeMap<(Stage, u64), &TuneRow> {
    rows.iter().map(|row| ((row.stage, row.index), row)).collect()
}
