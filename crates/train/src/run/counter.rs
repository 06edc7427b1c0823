//! The games of a run: handed out, written, counted.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use yomi_core::TextError;

use crate::samples::Writer;
use crate::self_play::{Desk, Finished};
use crate::tally::Tally;

/// Hands out the games of a run and writes what they teach.
pub(crate) struct Counter {
    inner: Mutex<Inner>,
    pub(super) arrived: Condvar,
    stop: AtomicBool,
    next: AtomicU64,
    end: AtomicU64,
    resign_below: Mutex<f32>,
}

/// What the threads of self-play share.
pub(super) struct Inner {
    pub(super) writer: Writer,
    pub(super) tally: Tally,
    pub(super) failure: Option<TextError>,
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

    /// Sides resign below this from now on.
    pub(super) fn set_resign_below(&self, value: f32) {
        *self.resign_below.lock().unwrap_or_else(PoisonError::into_inner) = value;
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

    pub(super) fn lock(&self) -> std::sync::MutexGuard<'_, Inner> {
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
