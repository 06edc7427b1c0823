//! A run: updates one after the other, with checkpoints and a curve in a folder.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use yomi_core::clock::Stopwatch;
use yomi_core::{Color, Outcome, Seed, TextError};
use yomi_eval::blokus::{Evaluation, Features, Weights};

use super::checkpoint::Checkpoint;
use super::curve::{self, Point, Sums};
use super::episode::Episode;
use super::games::Games;
use super::search::principal;
use super::settings::Settings;
use super::simulate::{blend, win_rates};
use super::update::{Change, update};
use crate::files::{read_if_there, replace, trouble};

/// Updates between two points of the curve. Checkpoints are made at points only, so that nothing else needs to be kept.
const POINT_EVERY: u64 = 10;

/// Why [`Run::go`] came back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// All updates are done.
    Done,
    /// It was asked to stop; a checkpoint was written.
    Stopped,
}

/// A run in a folder: `checkpoint.txt`, `curve.jsonl`, `weights.txt` for players, and `games.blksgf` if it learns from games that were
/// played elsewhere.
pub struct Run {
    folder: PathBuf,
    state: Checkpoint,
    sums: Sums,
    curve: fs::File,
    /// Games to learn from in place of self-play.
    games: Option<Games>,
    /// The point and checkpoint written last.
    written: u64,
}

impl Run {
    /// Begins a run in a folder that has none.
    pub fn begin(folder: &Path, settings: Settings) -> Result<Run, TextError> {
        Run::begin_with(folder, settings, None)
    }

    /// Begins a run that learns from the positions of these games, which are kept in its folder.
    pub fn begin_with(folder: &Path, settings: Settings, games: Option<Games>) -> Result<Run, TextError> {
        let settings = Settings { games: games.as_ref().map(Games::check), ..settings };
        settings.check()?;
        fs::create_dir_all(folder).map_err(|e| trouble(folder, &e))?;
        if checkpoint_file(folder).exists() {
            let message = format!("{}: there is a run already; resume it or choose another folder", folder.display());
            return Err(TextError::new(message));
        }
        if let Some(games) = &games {
            replace(&games_file(folder), games.file())?;
        }
        let state = Checkpoint::start(settings);
        replace(&checkpoint_file(folder), state.write()?.as_bytes())?;
        Run::open(folder, state, games)
    }

    /// Goes on with the run in a folder, with the settings that it was begun with.
    pub fn resume(folder: &Path) -> Result<Run, TextError> {
        let path = checkpoint_file(folder);
        let bytes = read_if_there(&path)?
            .ok_or_else(|| TextError::new(format!("{}: there is no run to resume", folder.display())))?;
        let text = String::from_utf8(bytes).map_err(|_| TextError::new(format!("{}: not UTF-8", path.display())))?;
        let state = Checkpoint::read(&text).map_err(|e| e.context(path.display()))?;
        let games = state.settings.games.map(|check| kept_games(folder, check)).transpose()?;
        Run::open(folder, state, games)
    }

    fn open(folder: &Path, state: Checkpoint, games: Option<Games>) -> Result<Run, TextError> {
        let path = curve_file(folder);
        let text = String::from_utf8_lossy(&read_if_there(&path)?.unwrap_or_default()).into_owned();
        let kept = curve::up_to(&text, state.updates).map_err(|e| e.context(path.display()))?;
        replace(&path, kept.as_bytes())?;
        let curve = fs::OpenOptions::new().append(true).open(&path).map_err(|e| trouble(&path, &e))?;
        let written = state.updates;
        Ok(Run { folder: folder.to_path_buf(), state, sums: Sums::default(), curve, games, written })
    }

    /// The settings of the run.
    pub fn settings(&self) -> &Settings {
        &self.state.settings
    }

    /// Updates done.
    pub fn updates(&self) -> u64 {
        self.state.updates
    }

    /// The weights as they are now.
    pub fn weights(&self) -> &Weights {
        &self.state.weights
    }

    /// The file of the newest weights.
    pub fn weights_file(&self) -> PathBuf {
        weights_file(&self.folder)
    }

    /// Makes updates until all are done or `tell`, which hears of every update and of new points of the curve, says no. A checkpoint
    /// is written at the first point after every `interval`.
    pub fn go(
        &mut self,
        threads: usize,
        interval: Duration,
        tell: &mut dyn FnMut(u64, Option<&Point>) -> bool,
    ) -> Result<Stop, TextError> {
        let mut since = Stopwatch::start();
        let mut wanted = true;
        while self.state.updates < self.settings().updates {
            let cpu = self.state.cpu_seconds;
            let epsilon = self.settings().epsilon_at(self.state.updates);
            let (change, black, seconds) = self.step(threads);
            self.state.cpu_seconds = [cpu[0] + seconds[0], cpu[1] + seconds[1]];
            self.sums.add(&change, black);
            let updates = self.state.updates;
            let last = updates == self.settings().updates;
            let mut point = None;
            if updates.is_multiple_of(POINT_EVERY) || last {
                let new = self.sums.point(updates, epsilon, &self.state.weights, self.state.cpu_seconds);
                let path = curve_file(&self.folder);
                writeln!(self.curve, "{}", new.json()).map_err(|e| trouble(&path, &e))?;
                point = Some(new);
            }
            wanted &= tell(updates, point.as_ref());
            if point.is_some() && (last || !wanted || since.elapsed() >= interval) {
                self.save()?;
                since = Stopwatch::start();
                if !wanted {
                    return Ok(Stop::Stopped);
                }
            }
        }
        if self.written < self.state.updates {
            self.save()?;
        }
        Ok(Stop::Done)
    }

    fn save(&mut self) -> Result<(), TextError> {
        // The curve first: what a checkpoint vouches for is there.
        self.curve.sync_data().map_err(|e| trouble(&curve_file(&self.folder), &e))?;
        replace(&checkpoint_file(&self.folder), self.state.write()?.as_bytes())?;
        replace(&weights_file(&self.folder), self.state.weights.write().as_bytes())?;
        self.written = self.state.updates;
        Ok(())
    }

    /// One update: what it changed, Black's result of the game, and CPU seconds in all and in simulated games.
    fn step(&mut self, threads: usize) -> (Change, f64, [f64; 2]) {
        let watch = Stopwatch::start();
        let settings = *self.settings();
        let seed = Seed::new(settings.seed).branch("update", self.state.updates);
        let evaluation = Evaluation::new(&self.state.weights);
        let epsilon = settings.epsilon_at(self.state.updates);
        let mut rng = seed.branch("game", 0).rng();
        let played;
        let episode = match &self.games {
            Some(games) => games.draw(&mut rng),
            None => {
                played = Episode::play(&evaluation, epsilon, &mut rng);
                &played
            }
        };
        let outside = watch.busy();
        let policy = settings.selection.policy(evaluation.clone());
        let rates = win_rates(&policy, &episode.positions, settings.simulations, seed, threads);
        let watch = Stopwatch::start();
        let mut targets = rates.black;
        blend(&mut targets, settings.lambda);
        let features: Vec<Features> = match settings.searched {
            0 => episode.positions.iter().map(Features::of).collect(),
            depth => episode.positions.iter().map(|p| Features::of(&principal(&evaluation, p, depth))).collect(),
        };
        let black = match episode.outcome {
            Outcome::Win(Color::Black) => 1.0,
            Outcome::Draw => 0.5,
            Outcome::Win(Color::White) => 0.0,
        };
        let change = update(&mut self.state.weights, &features, &targets, settings.rate);
        self.state.updates += 1;
        let rest = (outside + watch.busy()).as_secs_f64();
        (change, black, [rest + rates.cpu_seconds, rates.cpu_seconds])
    }
}

/// The games in the folder of a run, which must be those that it was begun with.
fn kept_games(folder: &Path, check: u64) -> Result<Games, TextError> {
    let path = games_file(folder);
    let file = read_if_there(&path)?
        .ok_or_else(|| TextError::new(format!("{}: the games that this run learns from are gone", path.display())))?;
    let games = Games::read(file).map_err(|e| e.context(path.display()))?;
    if games.check() != check {
        return Err(TextError::new(format!("{}: not the games that this run was begun with", path.display())));
    }
    Ok(games)
}

fn games_file(folder: &Path) -> PathBuf {
    folder.join("games.blksgf")
}

fn checkpoint_file(folder: &Path) -> PathBuf {
    folder.join("checkpoint.txt")
}

fn curve_file(folder: &Path) -> PathBuf {
    folder.join("curve.jsonl")
}

fn weights_file(folder: &Path) -> PathBuf {
    folder.join("weights.txt")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blokus::Selection;
    use yomi_core::Position;
    use yomi_eval::blokus::Kind;
    use yomi_games::blokus::BlokusDuo;

    fn small() -> Settings {
        Settings { selection: Selection::best_of(3), simulations: 4, updates: 34, ..Settings::default() }
    }

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("yomi-blokus-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        folder
    }

    /// The curve without what the clock says.
    fn curve(folder: &Path) -> Vec<String> {
        let text = fs::read_to_string(curve_file(folder)).unwrap();
        text.lines().map(|line| line.split(",\"cpu_seconds\"").next().unwrap_or("").to_string()).collect()
    }

    fn finish(run: &mut Run, threads: usize) {
        assert_eq!(run.go(threads, Duration::ZERO, &mut |_, _| true), Ok(Stop::Done));
    }

    /// Whole, with other threads, stopped and resumed, and dropped in the midst of a game and resumed: the same weights to the last bit
    /// and the same curve.
    #[test]
    fn neither_threads_nor_interruptions_change_anything() {
        let whole = folder("whole");
        let mut run = Run::begin(&whole, small()).unwrap();
        finish(&mut run, 1);
        let expected = run.weights().write();
        assert_eq!(fs::read_to_string(run.weights_file()).unwrap(), expected);
        assert_eq!(curve(&whole).len(), 4);

        let threaded = folder("threads");
        let mut run = Run::begin(&threaded, small()).unwrap();
        finish(&mut run, 3);
        assert_eq!((run.weights().write(), curve(&threaded)), (expected.clone(), curve(&whole)));

        let stopped = folder("stopped");
        let mut run = Run::begin(&stopped, small()).unwrap();
        assert_eq!(run.go(1, Duration::MAX, &mut |update, _| update < 13), Ok(Stop::Stopped));
        assert_eq!(run.updates(), 20, "to the next point");
        drop(run);
        let mut run = Run::resume(&stopped).unwrap();
        finish(&mut run, 2);
        assert_eq!((run.weights().write(), curve(&stopped)), (expected.clone(), curve(&whole)));

        // A panic is as sudden as a kill: the point of update 20 is in the curve, the checkpoint is that of update 10.
        let killed = folder("killed");
        let mut run = Run::begin(&killed, small()).unwrap();
        run.go(1, Duration::ZERO, &mut |update, _| update < 10).unwrap();
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            run.go(1, Duration::MAX, &mut |update, _| if update == 27 { panic!("killed") } else { true })
        }));
        assert!(caught.is_err() && curve(&killed).len() == 2);
        let mut run = Run::resume(&killed).unwrap();
        assert_eq!((run.updates(), curve(&killed).len()), (10, 1));
        finish(&mut run, 1);
        assert_eq!((run.weights().write(), curve(&killed)), (expected, curve(&whole)));

        assert!(Run::begin(&killed, small()).err().is_some_and(|e| e.message.contains("a run already")));
        for folder in [whole, threaded, stopped, killed] {
            fs::remove_dir_all(folder).unwrap();
        }
        assert!(Run::resume(&folder("none")).err().is_some_and(|e| e.message.contains("no run to resume")));
    }

    /// Learning from games of others resumes with the same games or not at all, and learns something else than self-play.
    #[test]
    fn games_of_others_are_learned_from() {
        let game = |moves: &str| format!("(;GM[Blokus Duo]{moves})");
        let text = [
            game(";B[e10,e9,e8,e7,e6];W[j5,j6,j7,j8,j9];B[f5,g5,h5]"),
            game(";B[e10,f10,g10,h10,i10];W[j5,j6,j7,j8,j9]"),
        ];
        let games = || Games::read(text.join("\n").into_bytes()).unwrap();
        let whole = folder("others-whole");
        let mut run = Run::begin_with(&whole, small(), Some(games())).unwrap();
        assert_eq!(run.settings().games, Some(games().check()));
        finish(&mut run, 1);
        let expected = run.weights().write();
        let stopped = folder("others-stopped");
        let mut run = Run::begin_with(&stopped, small(), Some(games())).unwrap();
        assert_eq!(run.go(1, Duration::MAX, &mut |update, _| update < 13), Ok(Stop::Stopped));
        let mut run = Run::resume(&stopped).unwrap();
        finish(&mut run, 2);
        assert_eq!(run.weights().write(), expected);
        fs::write(games_file(&stopped), &text[0]).unwrap();
        assert!(Run::resume(&stopped).err().is_some_and(|e| e.message.contains("not the games")));
        fs::remove_file(games_file(&stopped)).unwrap();
        assert!(Run::resume(&stopped).err().is_some_and(|e| e.message.contains("are gone")));
        let own = folder("others-own");
        let mut run = Run::begin(&own, small()).unwrap();
        finish(&mut run, 1);
        assert_ne!(run.weights().write(), expected);
        for folder in [whole, stopped, own] {
            fs::remove_dir_all(folder).unwrap();
        }
    }

    /// The extensions of S1 run, and each changes what is learned.
    #[test]
    fn every_setting_matters() {
        let learn = |name: &str, settings: Settings| {
            let folder = folder(name);
            let mut run = Run::begin(&folder, Settings { updates: 3, ..settings }).unwrap();
            finish(&mut run, 1);
            fs::remove_dir_all(&folder).unwrap();
            run.weights().write()
        };
        let selection = |softmax, noise| Selection { candidates: Some(3), softmax, noise };
        let learned = [
            learn("plain", small()),
            learn("seed", Settings { seed: 2, ..small() }),
            learn("lambda", Settings { lambda: 0.5, ..small() }),
            learn("searched", Settings { searched: 1, ..small() }),
            learn("softmax", Settings { selection: selection(Some(5.0), None), ..small() }),
            learn("noise", Settings { selection: selection(None, Some(5.0)), ..small() }),
            learn("rate", Settings { rate: 0.25, ..small() }),
        ];
        for (i, a) in learned.iter().enumerate() {
            assert!(learned[..i].iter().all(|b| a != b), "{i}");
        }
    }

    /// What S1 found first: a placed square is worth most. And what was learned plays better than chance.
    #[test]
    fn squares_are_worth_something() {
        let folder = folder("worth");
        let settings =
            Settings { selection: Selection::best_of(1), simulations: 20, updates: 60, ..Settings::default() };
        let mut run = Run::begin(&folder, settings).unwrap();
        finish(&mut run, 2);
        fs::remove_dir_all(&folder).unwrap();
        let shared = Kind::ALL.map(|kind| run.weights().all()[kind.shared()]);
        assert!(shared[0] > 1.0 && shared[1..].iter().all(|w| *w < shared[0]), "{shared:?}");
        let evaluation = Evaluation::new(run.weights());
        let (mut moves, mut changes, mut rng) = (Vec::new(), Vec::new(), Seed::new(1).rng());
        let mut wins = 0;
        for game in 0..20 {
            let mut position = BlokusDuo::default();
            let learned = Color::from_index(game % 2);
            let outcome = loop {
                if let Some(outcome) = position.generate(&mut moves) {
                    break outcome;
                }
                evaluation.changes(&position, &moves, &mut changes);
                let best = (0..moves.len()).max_by_key(|&i| changes[i]).unwrap();
                position.play(moves[if position.turn() == learned { best } else { rng.below(moves.len()) }]);
            };
            wins += u32::from(outcome == Outcome::Win(learned));
        }
        assert!(wins >= 16, "{wins} of 20");
    }
}
