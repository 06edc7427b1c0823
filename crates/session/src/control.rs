//! Reaching a search while it runs: to stop it, to start its clock, to see what it believes and what its tree looks like.
//!
//! This is the one stopping rule of all front ends: limits and a raised flag end a search at once, a clock ends it at its soft limit, or
//! later if it is still changing its mind ([`Paced`]).

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use yomi_core::{Line, Position};
use yomi_search::time::{MoveTime, Paced, PonderHit};
use yomi_search::tree::Explorer;
use yomi_search::{Limits, Search, Verdict, Watch};

use crate::tree::TreeQuery;

/// Reaches one search from any thread. Clones reach the same search.
///
/// The flags carry no data, so all of them are relaxed: a moment's delay does no harm.
#[derive(Clone, Default, Debug)]
pub struct Control {
    stop: Arc<AtomicBool>,
    clock: PonderHit,
    queries: Arc<Queries>,
}

#[derive(Default, Debug)]
struct Queries {
    waiting: Mutex<Vec<TreeQuery>>,
    any: AtomicBool,
}

impl Control {
    /// Ends the search at once.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Whether [`Control::stop`] was called.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// The flag that [`Control::stop`] raises.
    pub fn stop_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stop)
    }

    /// A control that is stopped by this flag.
    pub fn stopped_by(stop: &Arc<AtomicBool>) -> Control {
        Control { stop: Arc::clone(stop), ..Control::default() }
    }

    /// Starts the clock of a search that ponders: from now on it has this long. Only the first call counts.
    pub fn start_clock(&self, time: MoveTime) {
        self.clock.start(time);
    }

    /// Asks to see a part of the tree. The answer comes with one of the next reports, or when the search ends.
    pub fn explore(&self, query: TreeQuery) {
        self.queries.waiting.lock().unwrap_or_else(PoisonError::into_inner).push(query);
        self.queries.any.store(true, Ordering::Relaxed);
    }

    /// The questions about the tree that are not answered yet.
    pub(crate) fn take_queries(&self) -> Vec<TreeQuery> {
        self.queries.any.store(false, Ordering::Relaxed);
        std::mem::take(&mut *self.queries.waiting.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn has_queries(&self) -> bool {
        self.queries.any.load(Ordering::Relaxed)
    }
}

/// The clock of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Clock {
    /// None: limits alone end it, or [`Control::stop`].
    Off,
    /// It may take this long.
    Running(MoveTime),
    /// It thinks in the opponent's time, until [`Control::start_clock`] is called.
    Pondering,
}

/// Runs a search. `report` is called on this thread, every `every` and, by searches that deepen, after every iteration.
pub fn think<P: Position>(
    search: &mut dyn Search<P>,
    line: &Line<P>,
    limits: &Limits,
    clock: Clock,
    control: &Control,
    every: Option<Duration>,
    report: &mut (dyn FnMut(&Verdict<P::Move>) + Send),
) -> Verdict<P::Move> {
    run(search, line, limits, clock, &mut Supervisor::new(control, every, report))
}

pub(crate) fn run<P: Position>(
    search: &mut dyn Search<P>,
    line: &Line<P>,
    limits: &Limits,
    clock: Clock,
    supervisor: &mut Supervisor<'_, P::Move>,
) -> Verdict<P::Move> {
    match clock {
        Clock::Off => search.search(line, limits, supervisor),
        // No time at all still gives the first report: the move of a search that has thought for a moment.
        Clock::Running(time) => {
            let least = Duration::from_nanos(1);
            let (soft, hard) = (time.soft.max(least), time.hard.max(least));
            // Searches look at their own limits more often than they report.
            let limits = Limits { time: Some(limits.time.map_or(hard, |limit| limit.min(hard))), ..limits.clone() };
            search.search(line, &limits, &mut Paced::new(MoveTime { soft, ..time }, supervisor))
        }
        Clock::Pondering => {
            let hit = supervisor.control.clock.clone();
            search.search(line, limits, &mut Paced::pondering(hit, supervisor))
        }
    }
}

/// Shows a tree that grows.
type Show<'a> = Box<dyn FnMut(&mut dyn Explorer) + Send + 'a>;

/// The watch of a search under a [`Control`].
pub struct Supervisor<'a, M> {
    control: &'a Control,
    every: Option<Duration>,
    report: &'a mut (dyn FnMut(&Verdict<M>) + Send),
    show: Option<Show<'a>>,
}

impl<'a, M> Supervisor<'a, M> {
    /// Reports at this interval; never, if none.
    pub fn new(
        control: &'a Control,
        every: Option<Duration>,
        report: &'a mut (dyn FnMut(&Verdict<M>) + Send),
    ) -> Supervisor<'a, M> {
        Supervisor { control, every, report, show: None }
    }

    /// Shows the tree with a report when a question about it waits.
    pub(crate) fn showing(self, show: impl FnMut(&mut dyn Explorer) + Send + 'a) -> Supervisor<'a, M> {
        Supervisor { show: Some(Box::new(show)), ..self }
    }
}

impl<M> Watch<M> for Supervisor<'_, M> {
    fn should_stop(&self) -> bool {
        self.control.is_stopped()
    }

    fn interval(&self) -> Option<Duration> {
        self.every
    }

    fn progress(&mut self, so_far: &Verdict<M>) {
        (self.report)(so_far);
    }

    fn wants_tree(&self) -> bool {
        self.show.is_some() && self.control.has_queries()
    }

    fn explore(&mut self, tree: &mut dyn Explorer) {
        if let Some(show) = &mut self.show {
            show(tree);
        }
    }
}

/// The same report, but not more often than this: searches that deepen report every iteration as well.
pub fn at_most_every<M>(every: Duration, mut report: impl FnMut(&Verdict<M>) + Send) -> impl FnMut(&Verdict<M>) + Send {
    let mut reported = Duration::ZERO;
    move |so_far: &Verdict<M>| {
        if so_far.elapsed.saturating_sub(reported) >= every {
            reported = so_far.elapsed;
            report(so_far);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_thinned_out() {
        let mut reported = Vec::new();
        {
            let mut report = at_most_every(Duration::from_millis(100), |so_far: &Verdict<u8>| {
                reported.push(so_far.elapsed.as_millis());
            });
            for ms in [0, 50, 100, 150, 199, 200, 500, 510] {
                report(&Verdict { elapsed: Duration::from_millis(ms), ..Verdict::empty() });
            }
        }
        assert_eq!(reported, [100, 200, 500]);
    }

    #[test]
    fn clones_reach_the_same_search() {
        let control = Control::default();
        let other = control.clone();
        other.stop();
        other.explore(TreeQuery::default());
        let mut report = |_: &Verdict<u8>| {};
        let supervisor = Supervisor::new(&control, None, &mut report).showing(|_| {});
        assert!(supervisor.should_stop() && supervisor.wants_tree());
        assert_eq!(control.take_queries().len(), 1);
        assert!(!other.has_queries());
    }
}
