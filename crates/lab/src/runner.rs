//! Playing a match: threads take games from the schedule and write them down one at a time.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::arena::{Arena, Place};
use crate::directory::RunDirectory;
use crate::engine_logs::{EngineLogs, MAX_LENGTH};
use crate::error::{LabError, Result};
use crate::ledger::Ledger;
use crate::plan::MatchPlan;
use crate::row::GameRow;
use crate::schedule::Order;
use crate::standing::Standing;

/// How a match is asked to end early. Both flags may be raised from anywhere, a signal included.
#[derive(Clone, Debug, Default)]
pub struct Controls {
    /// Begin no more games; finish those that are being played.
    pub drain: Arc<AtomicBool>,
    /// Break off the games that are being played. They are not written down.
    pub stop: Arc<AtomicBool>,
}

/// Who watches a match.
pub trait Observer {
    /// A game was written down.
    fn game(&mut self, row: &GameRow, standing: &Standing) {
        let _ = (row, standing);
    }

    /// Some time has passed: bars may be redrawn.
    fn tick(&mut self, standing: &Standing) {
        let _ = standing;
    }
}

/// No one watches.
impl Observer for () {}

/// Why a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RunEnd {
    /// Every game that was wanted has been played.
    Complete,
    /// It was asked to end. What is missing can be played later.
    Interrupted,
    /// Everything was played but pairings that were given up after void games in a row.
    GivenUp,
}

/// How often a match that waits for its players looks up.
const TICK: Duration = Duration::from_millis(200);

/// Plays what is missing of a match, `threads` games at a time, and writes it into the ledger of its directory. Says how the match stands
/// and whether it is complete.
///
/// ```
/// use yomi_lab::config::MatchConfig;
/// use yomi_lab::directory::RunDirectory;
/// use yomi_lab::plan::MatchPlan;
/// use yomi_lab::players::build::Programs;
/// use yomi_lab::runner::{Controls, RunEnd, run};
/// use yomi_lab::{arena, summary::Summary};
///
/// let config: MatchConfig = toml::from_str(
///     r#"
///     name = "four games"
///     game = "connect-four"
///     seed = 1
///     games = 4
///     pairs = true
///     schedule = "pair"
///     reproducible = true
///     openings = { kind = "start" }
///     conditions = { move-limit = 100 }
///     players = [{ name = "tree", spec = "uct(c=0.7,hash=1)", budget = { sims = 50 } }, { name = "chance", spec = "random" }]
///     "#,
/// )?;
/// let arena = arena::open(&config.game.parse()?, Programs::Refused)?;
/// let plan = MatchPlan::new(config, Vec::new())?;
/// # let path = std::env::temp_dir().join(format!("yomi-doc-match-{}", std::process::id()));
/// let directory = RunDirectory::create(&path, &plan)?;
/// let (standing, end) = run(&plan, &*arena, &directory, 1, &Controls::default(), &mut ())?;
/// assert_eq!((standing.games, end), (4, RunEnd::Complete));
/// let summary = Summary::of(&plan, &directory.rows()?)?;
/// assert!(summary.unique() > 1, "the seed makes different games");
/// # std::fs::remove_dir_all(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn run(
    plan: &MatchPlan,
    arena: &dyn Arena,
    directory: &RunDirectory,
    threads: usize,
    controls: &Controls,
    observer: &mut dyn Observer,
) -> Result<(Standing, RunEnd)> {
    let (ledger, rows) = directory.ledger()?;
    let mut standing = Standing::of(plan, &rows)?;
    standing.forgive();
    let hall = Hall::new(plan, arena, controls, State::new(plan, standing, ledger));
    let logs = EngineLogs::new(&directory.file("engine-logs"), MAX_LENGTH);
    std::thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for worker in 0..threads.max(1) {
            let (sender, hall, logs) = (sender.clone(), &hall, logs.clone());
            scope.spawn(move || hall.work(worker, logs, &sender));
        }
        drop(sender);
        loop {
            match receiver.recv_timeout(TICK) {
                Ok(row) => observer.game(&row, &hall.lock().standing),
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    // A flag raised by a signal wakes no thread.
                    hall.changed.notify_all();
                    observer.tick(&hall.lock().standing);
                }
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
            }
        }
    });
    hall.state.into_inner().unwrap_or_else(PoisonError::into_inner).finish()
}

/// Whether these games are all that a match wants, so that nothing has to be played.
pub fn is_complete(plan: &MatchPlan, rows: &[GameRow]) -> Result<bool> {
    let mut standing = Standing::of(plan, rows)?;
    standing.forgive();
    let is_wanted = |index: u64| standing.wants(plan.order.slot(index).pairing) && !standing.has(index);
    Ok(!(0..standing.scheduled).any(is_wanted))
}

/// What the threads share.
struct Hall<'a> {
    plan: &'a MatchPlan,
    arena: &'a dyn Arena,
    controls: &'a Controls,
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    standing: Standing,
    order: Order,
    /// The first place of the schedule that has not been looked at yet.
    frontier: u64,
    /// Void games that are to be played again.
    again: VecDeque<u64>,
    attempts: BTreeMap<u64, u32>,
    playing: usize,
    ledger: Ledger,
    /// What ended the match before its time.
    failure: Option<LabError>,
    /// Finished games that could not be written down.
    unsaved: Vec<GameRow>,
}

impl State {
    fn new(plan: &MatchPlan, standing: Standing, ledger: Ledger) -> State {
        State {
            standing,
            order: plan.order,
            frontier: 0,
            again: VecDeque::new(),
            attempts: BTreeMap::new(),
            playing: 0,
            ledger,
            failure: None,
            unsaved: Vec::new(),
        }
    }

    /// The next game that is wanted.
    fn next(&self) -> Option<u64> {
        let again = self.again.iter().copied().find(|&index| self.wants(index));
        again.or_else(|| (self.frontier..self.standing.scheduled).find(|&index| self.wants(index)))
    }

    fn wants(&self, index: u64) -> bool {
        self.standing.wants(self.order.slot(index).pairing) && !self.standing.has(index)
    }

    /// Whether a game is missing, broken off ones included.
    fn is_incomplete(&self) -> bool {
        (0..self.standing.scheduled).any(|index| self.wants(index))
    }

    fn take(&mut self) -> Option<(u64, u32)> {
        let index = self.next()?;
        match self.again.iter().position(|&other| other == index) {
            Some(place) => drop(self.again.remove(place)),
            None => self.frontier = index + 1,
        }
        self.playing += 1;
        Some((index, self.attempts.get(&index).copied().unwrap_or(0)))
    }

    /// Writes a game down and counts it.
    fn write(&mut self, plan: &MatchPlan, row: &GameRow) -> Result<()> {
        self.ledger.append(row)?;
        self.standing.add(plan, row)?;
        if !row.counts() {
            *self.attempts.entry(row.job).or_default() += 1;
            self.again.push_back(row.job);
        }
        Ok(())
    }

    /// Everything is on the disk, or what is not is handed back.
    fn finish(mut self) -> Result<(Standing, RunEnd)> {
        let mut lost = Vec::new();
        for row in std::mem::take(&mut self.unsaved) {
            // The disk may have room again.
            if !lost.is_empty() || self.ledger.append(&row).is_err() {
                lost.push(row);
            }
        }
        let synced = self.ledger.sync();
        match self.failure {
            None => synced?,
            Some(cause) if lost.is_empty() => return Err(cause),
            Some(cause) => return Err(LabError::Unsaved { cause: Box::new(cause), rows: lost }),
        }
        let end = if self.is_incomplete() {
            RunEnd::Interrupted
        } else if self.standing.pairings.iter().any(|pairing| pairing.given_up.is_some()) {
            RunEnd::GivenUp
        } else {
            RunEnd::Complete
        };
        Ok((self.standing, end))
    }
}

impl<'a> Hall<'a> {
    fn new(plan: &'a MatchPlan, arena: &'a dyn Arena, controls: &'a Controls, state: State) -> Hall<'a> {
        Hall { plan, arena, controls, state: Mutex::new(state), changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A thread that panicked while it played has not touched the state.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One thread: plays what is wanted until nothing is.
    fn work(&self, worker: usize, logs: EngineLogs, observed: &mpsc::Sender<GameRow>) {
        let mut table = match self.arena.table(&self.plan.config, Place { worker, logs: Some(logs) }) {
            Ok(table) => table,
            Err(error) => return self.fail(&mut self.lock(), error.into()),
        };
        while let Some((index, attempt)) = self.next() {
            let played = self.plan.job(index, self.arena).map(|job| table.play(&job, &self.controls.stop));
            let mut state = self.lock();
            state.playing -= 1;
            self.changed.notify_all();
            match played {
                Err(error) => return self.fail(&mut state, error.into()),
                // Broken off.
                Ok(None) => return,
                Ok(Some(row)) => {
                    let row = GameRow { attempt, ..row };
                    self.write(&mut state, &row);
                    drop(state);
                    // The watch outlives all threads.
                    let _ = observed.send(row);
                }
            }
        }
    }

    /// Writes a game down, before another one begins.
    fn write(&self, state: &mut State, row: &GameRow) {
        if state.failure.is_some() {
            state.unsaved.push(row.clone());
        } else if let Err(error) = state.write(self.plan, row) {
            if matches!(error, LabError::File { .. }) {
                state.unsaved.push(row.clone());
            }
            self.fail(state, error);
        }
    }

    /// Ends the match: games under way are finished, no more begin.
    fn fail(&self, state: &mut State, error: LabError) {
        // Relaxed: the flag carries no data.
        self.controls.drain.store(true, Ordering::Relaxed);
        state.failure.get_or_insert(error);
        self.changed.notify_all();
    }

    /// The next game for a thread. Waits while games are being played that may have to be played again.
    fn next(&self) -> Option<(u64, u32)> {
        let mut state = self.lock();
        loop {
            // Relaxed: the flags carry no data.
            if self.controls.drain.load(Ordering::Relaxed) || self.controls.stop.load(Ordering::Relaxed) {
                return None;
            }
            if let Some(next) = state.take() {
                return Some(next);
            }
            if state.playing == 0 {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}
