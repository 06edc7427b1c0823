//! Watches a search from the thread it runs on: stops it, ends it in time, tells what it believes.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use yomi_core::clock::Stopwatch;
use yomi_search::time::Budget;
use yomi_search::{Verdict, Watch};

/// When a search must end, as the conversation sees it. It may learn so while the search runs: at a ponder hit the clock begins to count.
///
/// Relaxed throughout: single numbers that carry no other data, and a moment's delay does no harm.
pub(crate) struct Pace {
    begun: Stopwatch,
    /// Whether a limit may come.
    clocked: bool,
    stop: AtomicBool,
    /// Microseconds since it began.
    soft: AtomicU64,
    hard: AtomicU64,
}

impl Pace {
    /// Begins now, without an end. If it is `clocked`, one may be set.
    pub(crate) fn new(clocked: bool) -> Pace {
        let never = || AtomicU64::new(u64::MAX);
        Pace { begun: Stopwatch::start(), clocked, stop: AtomicBool::new(false), soft: never(), hard: never() }
    }

    /// Ends the search at once.
    pub(crate) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// From now on it has this long.
    pub(crate) fn allow(&self, budget: Budget) {
        let end = |time: Duration| micros(self.begun.elapsed().saturating_add(time));
        self.soft.store(end(budget.soft), Ordering::Relaxed);
        self.hard.store(end(budget.hard), Ordering::Relaxed);
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

/// How often the clock is looked at.
const LOOK: Duration = Duration::from_millis(5);

/// Hears what a search believes.
type Tell<'a, M> = Box<dyn FnMut(&Verdict<M>) + Send + 'a>;

/// The watch of a search that somebody waits for.
pub(crate) struct Overseer<'a, M> {
    pace: &'a Pace,
    /// How often to tell what it believes.
    every: Duration,
    tell: Tell<'a, M>,
    told: Duration,
    best: Option<M>,
    best_since: Duration,
    enough: bool,
}

impl<'a, M> Overseer<'a, M> {
    /// Tells `tell` every so often what the search believes.
    pub(crate) fn new(pace: &'a Pace, every: Duration, tell: impl FnMut(&Verdict<M>) + Send + 'a) -> Overseer<'a, M> {
        let (told, best_since) = (Duration::ZERO, Duration::ZERO);
        Overseer { pace, every, tell: Box::new(tell), told, best: None, best_since, enough: false }
    }
}

impl<M: Copy + PartialEq + Send> Watch<M> for Overseer<'_, M> {
    fn should_stop(&self) -> bool {
        self.enough || self.pace.stop.load(Ordering::Relaxed)
    }

    fn interval(&self) -> Option<Duration> {
        Some(if self.pace.clocked { LOOK.min(self.every) } else { self.every })
    }

    /// A best move that is younger than a quarter of the thinking time gets more of it, up to the hard limit.
    fn progress(&mut self, so_far: &Verdict<M>) {
        let now = so_far.elapsed;
        if so_far.best != self.best {
            self.best = so_far.best;
            self.best_since = now;
        }
        let limit = |limit: &AtomicU64| micros(now) >= limit.load(Ordering::Relaxed);
        let settled = now.saturating_sub(self.best_since) >= now / 4;
        self.enough |= limit(&self.pace.hard) || (limit(&self.pace.soft) && settled);
        if now.saturating_sub(self.told) >= self.every && !self.enough {
            self.told = now;
            (self.tell)(so_far);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    #[test]
    fn time_ends_a_search_that_has_settled_and_later_any() {
        let pace = Pace::new(true);
        let mut told = 0;
        {
            let mut overseer = Overseer::new(&pace, ms(100), |_| told += 1);
            let mut look = |now: u64, best: u8| {
                overseer.progress(&Verdict { best: Some(best), elapsed: ms(now), ..Verdict::empty() });
                overseer.should_stop()
            };
            assert!(!look(100, 1) && !look(900, 2), "no limit");
            pace.soft.store(1_000_000, Ordering::Relaxed);
            pace.hard.store(3_000_000, Ordering::Relaxed);
            assert!(!look(1_010, 2), "the move is young");
            assert!(!look(1_190, 3) && !look(1_250, 3));
            assert!(look(3_000, 4), "hard limit");
        }
        assert_eq!(told, 4, "at 100, 900, 1010, 1190");
        let pace = Pace::new(true);
        let overseer = Overseer::<u8>::new(&pace, ms(1), |_| ());
        assert!(!overseer.should_stop());
        pace.stop();
        assert!(overseer.should_stop());
    }

    #[test]
    #[allow(clippy::disallowed_methods, reason = "time must pass before the budget is given")]
    fn a_budget_counts_from_when_it_is_given() {
        let pace = Pace::new(true);
        std::thread::sleep(ms(3));
        pace.allow(Budget { soft: ms(10), hard: Duration::MAX });
        assert!(pace.soft.load(Ordering::Relaxed) >= 13_000);
        assert_eq!(pace.hard.load(Ordering::Relaxed), u64::MAX);
    }
}
