//! How long a program is waited for.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use yomi_core::clock::Stopwatch;

/// How long each phase of a conversation may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Patience {
    /// From the start of the program to its introduction (`usiok`).
    pub start: Duration,
    /// Loading before a game (`readyok`), and setting the game up.
    pub ready: Duration,
    /// A move that is limited by nodes or depth or not at all, not by time.
    pub think: Duration,
    /// What a move limited by time may take on top of it.
    pub grace: Duration,
    /// How long an answer that may belong to an earlier question is doubted at most (USI).
    pub doubt: Duration,
    /// Leaving after `quit`.
    pub quit: Duration,
}

impl Default for Patience {
    /// Generous where a busy machine is the likelier cause than a hung program.
    fn default() -> Patience {
        Patience {
            start: Duration::from_secs(60),
            ready: Duration::from_secs(60),
            think: Duration::from_secs(300),
            grace: Duration::from_secs(2),
            doubt: Duration::from_secs(1),
            quit: Duration::from_secs(2),
        }
    }
}

/// A wait that ends at a time, or when it is cancelled.
#[derive(Clone, Copy, Debug)]
pub struct Wait<'a> {
    clock: Stopwatch,
    /// How long in all.
    pub limit: Duration,
    stop: Option<&'a AtomicBool>,
}

impl<'a> Wait<'a> {
    /// Waits so long from now on.
    pub fn new(limit: Duration) -> Wait<'a> {
        Wait { clock: Stopwatch::start(), limit, stop: None }
    }

    /// The same, but no longer than until `stop` is raised.
    pub fn unless(self, stop: &'a AtomicBool) -> Wait<'a> {
        Wait { stop: Some(stop), ..self }
    }

    /// What is left of it.
    pub fn left(&self) -> Duration {
        self.limit.saturating_sub(self.clock.elapsed())
    }

    /// Whether it was cancelled.
    pub fn is_stopped(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}
