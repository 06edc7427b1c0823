//! Counts nodes, looks at the limits and reports to the watch.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use yomi_core::clock::Stopwatch;

use crate::quiescence::Pace;
use crate::search::{Ended, Limits, Verdict, Watch};

/// What the threads of one search share. Nothing else is published through these words, so `Relaxed` suffices.
#[derive(Default)]
pub(crate) struct Shared {
    stop: AtomicBool,
    nodes: AtomicU64,
    evaluations: AtomicU64,
}

impl Shared {
    pub(crate) fn stop(&self) {
        self.stop.store(true, Relaxed);
    }
}

/// Between two looks at clock and watch about this much time should pass.
const LOOK_EVERY: Duration = Duration::from_micros(500);
/// And never more nodes than this.
const MAX_STRIDE: u64 = 4096;
/// Nodes between two looks at the sum of all threads, where threads share a limit.
const SHARED_STRIDE: u64 = 256;

/// One thread's counters. Only the calling thread's has a watch and a clock; the others hear from it.
pub(crate) struct Meter<'a, M> {
    shared: &'a Shared,
    limits: &'a Limits,
    alone: bool,
    watch: Option<(&'a mut dyn Watch<M>, Stopwatch)>,
    /// What the watch is shown.
    pub(crate) so_far: Verdict<M>,
    /// Why the search stops; none while it runs.
    pub(crate) ended: Option<Ended>,
    /// Nodes of this thread.
    pub(crate) nodes: u64,
    evaluations: u64,
    deepest: usize,
    /// At which node, and at which evaluation, to look again.
    look_at: u64,
    judge_until: u64,
    stride: u64,
    /// What of the counters the other threads know.
    published: (u64, u64),
    last_look: Duration,
    last_report: Duration,
}

impl<'a, M> Meter<'a, M> {
    /// The meter of the thread that called.
    pub(crate) fn first(
        shared: &'a Shared,
        limits: &'a Limits,
        alone: bool,
        watch: &'a mut dyn Watch<M>,
    ) -> Meter<'a, M> {
        let mut meter = Meter::helper(shared, limits);
        meter.alone = alone;
        let clock = watch.clock();
        meter.watch = Some((watch, clock));
        meter.set_next_look();
        meter
    }

    /// The meter of one more thread.
    pub(crate) fn helper(shared: &'a Shared, limits: &'a Limits) -> Meter<'a, M> {
        Meter {
            shared,
            limits,
            alone: false,
            watch: None,
            so_far: Verdict::empty(),
            ended: None,
            nodes: 0,
            evaluations: 0,
            deepest: 0,
            look_at: 1,
            judge_until: u64::MAX,
            stride: 1,
            published: (0, 0),
            last_look: Duration::ZERO,
            last_report: Duration::ZERO,
        }
    }

    /// Counts children that were judged together: nodes like others, without a look at the limits in between.
    pub(crate) fn judged_children(&mut self, children: u64) {
        self.nodes += children;
        self.evaluations += children;
    }

    /// Looks at the limits and the watch now: before the first node, and between iterations.
    pub(crate) fn look(&mut self) -> bool {
        let (nodes, evaluations) = self.totals();
        let spent = self.spent((nodes, evaluations));
        let Some((watch, clock)) = &mut self.watch else { return self.ended.is_some() };
        let elapsed = clock.elapsed();
        self.so_far.nodes = nodes;
        self.so_far.evaluations = evaluations;
        self.so_far.selective_depth = self.so_far.selective_depth.max(self.deepest as u32);
        self.so_far.elapsed = elapsed;
        if self.ended.is_none() {
            self.ended = match () {
                () if watch.should_stop() => Some(Ended::Stopped),
                () if self.limits.time.is_some_and(|time| elapsed >= time) => Some(Ended::Time),
                () => spent,
            };
        }
        if watch.interval().is_some_and(|interval| elapsed - self.last_report >= interval) && self.so_far.depth > 0 {
            self.last_report = elapsed;
            watch.progress(&self.so_far);
        }
        let since = elapsed.saturating_sub(self.last_look);
        self.last_look = elapsed;
        self.stride = if since > LOOK_EVERY { self.stride / 2 } else { self.stride * 2 }.clamp(1, MAX_STRIDE);
        self.set_next_look();
        self.ended.is_some()
    }

    /// A thread that is alone meets its node limit to the node; threads that share a limit look at the sum now and then.
    fn set_next_look(&mut self) {
        let exactly = |limit: Option<u64>| limit.filter(|_| self.alone).unwrap_or(u64::MAX);
        let stride = if self.alone { self.stride } else { self.stride.min(SHARED_STRIDE) };
        self.look_at = (self.nodes + stride).min(exactly(self.limits.nodes).max(self.nodes + 1));
        self.judge_until = exactly(self.limits.evaluations);
    }

    /// Which budget the threads have used up together.
    fn spent(&self, (nodes, evaluations): (u64, u64)) -> Option<Ended> {
        match () {
            () if self.limits.nodes.is_some_and(|limit| nodes >= limit) => Some(Ended::Nodes),
            () if self.limits.evaluations.is_some_and(|limit| evaluations >= limit) => Some(Ended::Evaluations),
            () => None,
        }
    }

    /// The part of the budget that was used up at the last look: of the one nearest to its end, and 0 without any.
    pub(crate) fn share_spent(&self) -> f64 {
        let share = |spent: u64, limit: Option<u64>| limit.map_or(0.0, |limit| spent as f64 / limit.max(1) as f64);
        let nodes = share(self.so_far.nodes, self.limits.nodes);
        let evaluations = share(self.so_far.evaluations, self.limits.evaluations);
        let time =
            self.limits.time.map_or(0.0, |time| self.so_far.elapsed.as_secs_f64() / time.as_secs_f64().max(1e-9));
        nodes.max(evaluations).max(time)
    }

    /// Publishes what this thread did and reads what all did.
    fn totals(&mut self) -> (u64, u64) {
        let (nodes, evaluations) = (self.nodes - self.published.0, self.evaluations - self.published.1);
        self.published = (self.nodes, self.evaluations);
        (
            self.shared.nodes.fetch_add(nodes, Relaxed) + nodes,
            self.shared.evaluations.fetch_add(evaluations, Relaxed) + evaluations,
        )
    }

    fn look_around(&mut self) -> bool {
        if self.watch.is_some() {
            return self.look();
        }
        let totals = self.totals();
        self.ended = self.spent(totals);
        self.look_at = self.nodes + SHARED_STRIDE;
        self.ended.is_some()
    }

    /// The counters of all threads, once they have finished.
    pub(crate) fn finish(&mut self) {
        let (nodes, evaluations) = self.totals();
        self.so_far.nodes = nodes;
        self.so_far.evaluations = evaluations;
        self.so_far.selective_depth = self.so_far.selective_depth.max(self.deepest as u32);
        if let Some((_, clock)) = &self.watch {
            self.so_far.elapsed = clock.elapsed();
        }
    }

    /// The search has a result worth showing: the watch sees it at once if it watches at all.
    pub(crate) fn report(&mut self) {
        if self.watch.as_ref().is_some_and(|(watch, _)| watch.interval().is_some()) {
            self.finish();
            if let Some((watch, _)) = &mut self.watch {
                self.last_report = self.so_far.elapsed;
                watch.progress(&self.so_far);
            }
        }
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.ended.is_some()
    }
}

impl<M> Pace for Meter<'_, M> {
    /// The node is counted unless the search stops here.
    #[inline]
    fn tick(&mut self, ply: usize) -> bool {
        if self.ended.is_some() {
            return true;
        }
        if self.shared.stop.load(Relaxed) {
            self.ended = Some(Ended::Stopped);
            return true;
        }
        if (self.nodes >= self.look_at || self.evaluations >= self.judge_until) && self.look_around() {
            return true;
        }
        self.nodes += 1;
        self.deepest = self.deepest.max(ply);
        false
    }

    #[inline]
    fn judged(&mut self) {
        self.evaluations += 1;
    }
}
