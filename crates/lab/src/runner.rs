//! Playing a match: threads take games from the schedule, one scribe writes them down.

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::arena::{Arena, Place};
use crate::directory::RunDirectory;
use crate::error::{LabError, Result};
use crate::ledger::Ledger;
use crate::plan::Plan;
use crate::row::GameRow;
use crate::standing::Standing;

/// How a match is told to end before its time. Both flags may be raised from anywhere, a signal included.
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

/// Nobody watches.
impl Observer for () {}

/// Why a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RunEnd {
    /// Every game that was wanted has been played.
    Complete,
    /// It was told to end. What is missing can be played later.
    Interrupted,
    /// Everything was played but pairings that were given up after void games in a row.
    GivenUp,
}

/// How often a match that waits for its players looks up.
const TICK: Duration = Duration::from_millis(200);

/// Plays what is missing of a match, `threads` games at a time, and writes it into the ledger of its directory. Says how the match stands
/// and whether it is complete.
pub fn run(
    plan: &Plan,
    arena: &dyn Arena,
    directory: &RunDirectory,
    threads: usize,
    controls: &Controls,
    observer: &mut dyn Observer,
) -> Result<(Standing, RunEnd)> {
    let (ledger, rows) = directory.ledger()?;
    let standing = Standing::of(plan, &rows)?;
    let hall = Hall::new(plan, arena, controls, standing);
    let mut scribe = Scribe { hall: &hall, ledger, failure: None, unsaved: Vec::new(), observer };
    let logs = Some(directory.file("engine-logs"));
    std::thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for worker in 0..threads.max(1) {
            let (sender, hall, logs) = (sender.clone(), &hall, logs.clone());
            scope.spawn(move || hall.work(worker, logs, &sender));
        }
        drop(sender);
        loop {
            match receiver.recv_timeout(TICK) {
                Ok(message) => scribe.take(message),
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    // A flag raised by a signal wakes nobody up.
                    hall.changed.notify_all();
                    scribe.observer.tick(&hall.lock().standing);
                }
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
            }
        }
    });
    scribe.finish()?;
    let state = hall.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    let end = if state.is_incomplete() {
        RunEnd::Interrupted
    } else if state.standing.pairings.iter().any(|pairing| pairing.given_up.is_some()) {
        RunEnd::GivenUp
    } else {
        RunEnd::Complete
    };
    Ok((state.standing, end))
}

/// What the threads share.
struct Hall<'a> {
    plan: &'a Plan,
    arena: &'a dyn Arena,
    controls: &'a Controls,
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    standing: Standing,
    /// The first place of the schedule that nobody has looked at yet.
    frontier: u64,
    /// Void games that are to be played again.
    again: VecDeque<u64>,
    attempts: BTreeMap<u64, u32>,
    playing: usize,
    order: crate::schedule::Order,
}

impl State {
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
}

/// A message of a player's thread to the scribe.
enum Message {
    Played(Box<GameRow>),
    /// The game was broken off or cannot be played; no more will come from this thread.
    Broken(Option<LabError>),
}

impl<'a> Hall<'a> {
    fn new(plan: &'a Plan, arena: &'a dyn Arena, controls: &'a Controls, standing: Standing) -> Hall<'a> {
        let state = State {
            standing,
            frontier: 0,
            again: VecDeque::new(),
            attempts: BTreeMap::new(),
            playing: 0,
            order: plan.order,
        };
        Hall { plan, arena, controls, state: Mutex::new(state), changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A thread that panicked has not left the state half changed: changes are made by the scribe.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One thread: plays what is wanted until nothing is.
    fn work(&self, worker: usize, logs: Option<PathBuf>, scribe: &mpsc::Sender<Message>) {
        let tell = |message| {
            // The scribe outlives all threads.
            let _ = scribe.send(message);
        };
        let mut table = match self.arena.table(&self.plan.config, Place { worker, logs }) {
            Ok(table) => table,
            Err(error) => return tell(Message::Broken(Some(error.into()))),
        };
        while let Some((index, attempt)) = self.next() {
            let played = match self.plan.job(index, self.arena) {
                Ok(job) => table.play(&job, &self.controls.stop),
                Err(error) => {
                    self.lock().playing -= 1;
                    return tell(Message::Broken(Some(error.into())));
                }
            };
            match played {
                Some(row) => tell(Message::Played(Box::new(GameRow { attempt, ..row }))),
                None => {
                    self.lock().playing -= 1;
                    return tell(Message::Broken(None));
                }
            }
        }
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

/// The one who writes.
struct Scribe<'a, 'h> {
    hall: &'h Hall<'a>,
    ledger: Ledger,
    failure: Option<LabError>,
    unsaved: Vec<GameRow>,
    observer: &'h mut dyn Observer,
}

impl Scribe<'_, '_> {
    fn take(&mut self, message: Message) {
        match message {
            Message::Played(row) => self.write(*row),
            Message::Broken(None) => {}
            Message::Broken(Some(error)) => self.fail(error),
        }
        self.hall.changed.notify_all();
    }

    fn write(&mut self, row: GameRow) {
        let mut state = self.hall.lock();
        state.playing -= 1;
        if self.failure.is_some() {
            self.unsaved.push(row);
            return;
        }
        if let Err(error) = self.ledger.append(&row) {
            drop(state);
            self.unsaved.push(row);
            return self.fail(error);
        }
        if let Err(error) = state.standing.add(self.hall.plan, &row) {
            drop(state);
            return self.fail(error.into());
        }
        if !row.counts() {
            *state.attempts.entry(row.job).or_default() += 1;
            state.again.push_back(row.job);
        }
        self.observer.game(&row, &state.standing);
    }

    /// Ends the match: games under way are finished, no more begin.
    fn fail(&mut self, error: LabError) {
        self.hall.controls.drain.store(true, Ordering::Relaxed);
        self.failure.get_or_insert(error);
    }

    /// Everything is on the disk, or the rest is handed back.
    fn finish(mut self) -> Result<()> {
        // The disk may have room again.
        while let Some(row) = self.unsaved.first() {
            if self.ledger.append(row).is_err() {
                break;
            }
            self.unsaved.remove(0);
        }
        let synced = self.ledger.sync();
        match self.failure {
            None => synced,
            Some(cause) if self.unsaved.is_empty() => Err(cause),
            Some(cause) => Err(LabError::Unsaved { cause: Box::new(cause), rows: self.unsaved }),
        }
    }
}
