//! Threads at work on one tree or several, until a limit is met.

use std::sync::atomic::{AtomicU8, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::Thread;
use std::time::Duration;

use yomi_core::clock::Stopwatch;
use yomi_core::{Cancel, Evaluator, Position};

use super::sample::{Fate, Sampler};
use crate::options::Options;
use crate::score::UNSEEN;
use crate::search::{Ended, Limits};
use crate::sync::Apart;
use crate::tree::{NodeId, ROOT, Tree};

/// Depths counted apart; deeper nodes count for the last.
pub(super) const DEPTHS: usize = 256;

/// What one thread has done. It alone writes, so adding needs no locked instruction; others may read at any time. Relaxed
/// throughout: counts that are a moment old do no harm. Aligned so that no two threads share a cache line.
#[repr(align(128))]
pub(super) struct Tally {
    simulations: AtomicU64,
    evaluations: AtomicU64,
    closed: AtomicU64,
    nodes: AtomicU64,
    depths: [AtomicU64; DEPTHS],
}

impl Tally {
    pub(super) fn new() -> Tally {
        let zero = || AtomicU64::new(0);
        Tally {
            simulations: zero(),
            evaluations: zero(),
            closed: zero(),
            nodes: zero(),
            depths: std::array::from_fn(|_| zero()),
        }
    }

    fn add(counter: &AtomicU64, n: u64) {
        counter.store(counter.load(Ordering::Relaxed) + n, Ordering::Relaxed);
    }

    /// Counts positions that the evaluator judged.
    pub(super) fn evaluated(&self, positions: usize) {
        Tally::add(&self.evaluations, positions as u64);
    }

    /// Counts children that were created at this depth.
    pub(super) fn grew(&self, depth: u32, children: u16) {
        Tally::add(&self.nodes, u64::from(children));
        Tally::add(&self.depths[(depth as usize).min(DEPTHS - 1)], u64::from(children));
    }

    /// Whether a simulation is done.
    pub(super) fn has_simulated(&self) -> bool {
        self.simulations.load(Ordering::Relaxed) > 0
    }

    /// A leaf was closed because of a limit or of growth control.
    pub(super) fn closed_a_leaf(&self) {
        Tally::add(&self.closed, 1);
    }
}

/// The sum of what all threads have done.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Totals {
    pub(super) simulations: u64,
    pub(super) evaluations: u64,
    pub(super) closed: u64,
    pub(super) depths: Vec<u64>,
}

impl Totals {
    pub(super) fn of<'a>(tallies: impl IntoIterator<Item = &'a Tally>) -> Totals {
        let mut totals = Totals { depths: vec![0; DEPTHS], ..Totals::default() };
        for tally in tallies {
            totals.simulations += tally.simulations.load(Ordering::Relaxed);
            totals.evaluations += tally.evaluations.load(Ordering::Relaxed);
            totals.closed += tally.closed.load(Ordering::Relaxed);
            for (total, depth) in totals.depths.iter_mut().zip(&tally.depths) {
                *total += depth.load(Ordering::Relaxed);
            }
        }
        totals
    }
}

/// What may be spent on one tree, and whether it is over. Shared by the samplers of that tree.
pub(super) struct Allowance {
    simulations: u64,
    evaluations: u64,
    /// Nodes the tree may grow.
    nodes: u64,
    /// Simulations handed out so far.
    tickets: Apart<AtomicU64>,
    /// Whether barren samples count for nothing, because no limit of samples or time would ever end them.
    impatient: bool,
    /// Whether it is over once the most visited move of the root cannot be overtaken.
    settles: bool,
    /// 0 while it goes on, else one more than the place of the reason in [`Ended::ALL`].
    ended: AtomicU8,
}

/// After this many barren samples in a row a sampler has nothing left to learn.
const MOST_BARREN: u32 = 1 << 16;

/// How many simulations a thread takes at a time: few enough that all end together, enough not to fight over the counter.
const BATCH: u64 = 16;

/// After this many batches a thread flushes its deferred updates.
const BATCHES: u64 = 16;

impl Allowance {
    /// The share of the `index`-th tree in the limits.
    pub(super) fn new(limits: &Limits, index: usize, options: &Options, recomputes: bool) -> Self {
        let (index, trees) = (index as u64, options.trees as u64);
        let part = |limit: Option<u64>| limit.map_or(u64::MAX, |n| n / trees + u64::from(index < n % trees));
        Allowance {
            simulations: part(limits.simulations),
            evaluations: part(limits.evaluations),
            nodes: part(limits.nodes),
            tickets: Apart(AtomicU64::new(0)),
            impatient: recomputes || (limits.simulations.is_none() && limits.time.is_none()),
            settles: options.settled && limits.simulations.is_some(),
            ended: AtomicU8::new(0),
        }
    }

    /// Whether it is over.
    #[inline]
    pub(super) fn is_over(&self) -> bool {
        // Relaxed: the flag carries no data.
        self.ended.load(Ordering::Relaxed) != 0
    }

    /// Why it is over, if it is.
    pub(super) fn ended(&self) -> Option<Ended> {
        // Relaxed: the flag carries no data.
        let code = self.ended.load(Ordering::Relaxed);
        Ended::ALL.get(usize::from(code).wrapping_sub(1)).copied()
    }

    /// It is over; the first reason stays.
    pub(super) fn end(&self, reason: Ended) {
        let code = 1 + Ended::ALL.iter().position(|&r| r == reason).unwrap_or(Ended::ALL.len() - 1) as u8;
        let _ = self.ended.compare_exchange(0, code, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Hands out simulations, enough for this many flights; 0 if none are left.
    fn tickets(&self, flights: u64) -> u64 {
        let batch = BATCH.max(flights);
        if self.simulations == u64::MAX {
            return batch;
        }
        // Relaxed: the counter alone decides who gets which.
        let taken = self.tickets.0.fetch_add(batch, Ordering::Relaxed);
        self.simulations.saturating_sub(taken).min(batch)
    }

    /// Whether the most visited move of the root stays so, whatever comes of the simulations not handed out yet and of those that several
    /// threads have not flushed yet. One that is lost does not stay.
    fn is_settled(&self, tree: &Tree, tallies: &[Tally]) -> bool {
        if !self.settles {
            return false;
        }
        // Relaxed: a count that is a moment old is too small, and the answer no then.
        let unspent = self.simulations.saturating_sub(self.tickets.0.load(Ordering::Relaxed));
        let threads = tallies.len() as u64;
        let deferred = if threads > 1 { threads * BATCHES * BATCH } else { 0 };
        let left = unspent + deferred;
        if unspent == 0 || left >= u64::from(tree.visits(ROOT)) {
            return false;
        }
        let Some(block) = tree.children(ROOT) else { return false };
        let visits = |child: NodeId| u64::from(tree.visits(child));
        let Some(most) = block.children().max_by_key(|&child| visits(child)) else { return false };
        let second = block.children().filter(|&child| child != most).map(visits).max().unwrap_or(0);
        visits(most) - second > left && tree.value(most) >= UNSEEN
    }

    /// The reason to end that the counts give, if any.
    #[inline]
    fn spent(&self, tallies: &[Tally]) -> Option<Ended> {
        let counted = self.evaluations < u64::MAX || self.nodes < u64::MAX;
        if counted { self.spent_by_count(tallies) } else { None }
    }

    fn spent_by_count(&self, tallies: &[Tally]) -> Option<Ended> {
        // Relaxed: each thread knows its own count, and that of the others soon.
        let spent = |limit: u64, counter: fn(&Tally) -> &AtomicU64| {
            limit < u64::MAX && tallies.iter().map(|t| counter(t).load(Ordering::Relaxed)).sum::<u64>() >= limit
        };
        if spent(self.evaluations, |tally| &tally.evaluations) {
            Some(Ended::Evaluations)
        } else if spent(self.nodes, |tally| &tally.nodes) {
            Some(Ended::Nodes)
        } else {
            None
        }
    }
}

/// A sampler at work. Aligned so that no two threads share a cache line.
#[repr(align(128))]
pub(super) struct Worker<'a, P: Position, E: Evaluator<P>> {
    pub(super) sampler: Sampler<'a, P, E>,
    pub(super) allowance: &'a Allowance,
    /// Those of all samplers of the tree.
    pub(super) tallies: &'a [Tally],
    pub(super) progress: Progress,
}

/// How far a worker is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Progress {
    /// Samples that may be in flight at a time.
    flights: u64,
    /// Simulations it may still do before it must ask for more.
    tickets: u64,
    /// Batches of simulations since the last flush.
    batches: u64,
    barren: u32,
}

impl Progress {
    pub(super) fn new(flights: usize) -> Progress {
        Progress { flights: flights.max(1) as u64, tickets: 0, batches: 0, barren: 0 }
    }
}

impl<P: Position, E: Evaluator<P>> Worker<'_, P, E> {
    /// Takes one sample, or as many at once as may be in flight. False when there is no more to do.
    fn work(&mut self, cancel: Cancel<'_>) -> bool {
        let working = match self.progress.flights {
            1 => self.sample(cancel),
            _ => self.sample_many(cancel),
        };
        self.flush_when_due(working);
        working
    }

    /// Flushes the deferred updates from time to time, and in the end.
    fn flush_when_due(&mut self, working: bool) {
        if self.progress.tickets == 0 {
            self.progress.batches += 1;
        }
        if !working || self.progress.batches == BATCHES {
            self.sampler.flush_deferred();
            self.progress.batches = 0;
        }
    }

    /// Whether there is a simulation to do.
    #[inline]
    fn is_ready(&mut self) -> bool {
        let allowance = self.allowance;
        if allowance.is_over() {
            return false;
        }
        if let Some(reason) = allowance.spent(self.tallies) {
            allowance.end(reason);
            return false;
        }
        if self.progress.tickets == 0 {
            if allowance.is_settled(self.sampler.task.tree, self.tallies) {
                allowance.end(Ended::Settled);
                return false;
            }
            // If none are left, others may still hold theirs.
            self.progress.tickets = allowance.tickets(self.progress.flights);
        }
        self.progress.tickets > 0
    }

    fn sample(&mut self, cancel: Cancel<'_>) -> bool {
        if !self.is_ready() {
            return false;
        }
        match self.sampler.sample(cancel) {
            Fate::TakenBack => std::thread::yield_now(),
            fate => self.count(fate),
        }
        true
    }

    fn sample_many(&mut self, cancel: Cancel<'_>) -> bool {
        if !self.gather() {
            return false;
        }
        if self.sampler.state.gathered == 0 {
            std::thread::yield_now();
        }
        self.sampler.state.judge_gathered(self.sampler.task.evaluator, cancel);
        self.apply(cancel);
        true
    }

    /// The first half of as many samples as may be in flight. False when there is no more to do.
    pub(super) fn gather(&mut self) -> bool {
        if !self.is_ready() {
            return false;
        }
        let flights = self.progress.flights;
        while (self.sampler.state.gathered as u64) < flights.min(self.progress.tickets) {
            match self.sampler.gather_one() {
                // The samples on their way must come back first.
                Some(Fate::TakenBack) => break,
                Some(fate) => self.count(fate),
                None => {}
            }
            if self.allowance.is_over() {
                break;
            }
        }
        true
    }

    /// The second half of all samples gathered.
    pub(super) fn apply(&mut self, cancel: Cancel<'_>) {
        for slot in 0..std::mem::take(&mut self.sampler.state.gathered) {
            match self.sampler.apply_gathered(slot, cancel) {
                Fate::TakenBack => {}
                fate => self.count(fate),
            }
        }
    }

    /// A round of a worker that is driven from outside has ended.
    pub(super) fn end_round(&mut self, working: bool) {
        self.flush_when_due(working);
    }

    /// A simulation is done.
    #[inline(always)]
    fn count(&mut self, fate: Fate) {
        let (allowance, tree) = (self.allowance, self.sampler.task.tree);
        let barren = if fate == Fate::Barren { self.progress.barren + 1 } else { 0 };
        self.progress.barren = barren;
        self.progress.tickets -= 1;
        Tally::add(&self.sampler.tally.simulations, 1);
        if tree.is_spent(ROOT) {
            let proven = crate::score::is_proven(tree.value(ROOT));
            allowance.end(if proven { Ended::Solved } else { Ended::Exhausted });
        } else if allowance.impatient && barren >= MOST_BARREN {
            allowance.end(Ended::Exhausted);
        }
    }
}

/// Lets every worker of every thread work until all allowances are spent. Each thread makes its own, so that their memory lies apart.
/// `pulse` is asked on the calling thread after every round of samples, and in the midst of those that take long; its argument says whether that
/// thread is idle, and may end it all.
pub(super) fn run<'a, P: Position, E: Evaluator<P> + 'a>(
    threads: usize,
    workers: impl Fn(usize) -> Vec<Worker<'a, P, E>> + Sync,
    allowances: &[Allowance],
    pulse: impl FnMut(bool) -> Option<Ended> + Send,
) {
    let busy = AtomicUsize::new(threads.saturating_sub(1));
    let caller = std::thread::current();
    let over = || allowances.iter().all(Allowance::is_over);
    let mut pulse = Mutex::new(pulse);
    let end_all = |reason: Option<Ended>| {
        if let Some(reason) = reason {
            allowances.iter().for_each(|allowance| allowance.end(reason));
        }
    };
    std::thread::scope(|scope| {
        for thread in 1..threads {
            let (over, workers) = (&over, &workers);
            let shift = Shift { busy: &busy, caller: caller.clone() };
            scope.spawn(move || {
                let _shift = shift;
                let mut workers = workers(thread);
                while round(&mut workers, Cancel::when(over)) {}
            });
        }
        let mut own = workers(0);
        loop {
            // The lock is never contended: only this thread's evaluations look. It makes the token `Sync`.
            let looking = || {
                end_all(pulse.lock().unwrap_or_else(PoisonError::into_inner)(false));
                over()
            };
            let working = round(&mut own, Cancel::when(&looking));
            end_all(pulse.get_mut().unwrap_or_else(PoisonError::into_inner)(!working));
            if !working {
                if busy.load(Ordering::Relaxed) == 0 {
                    break;
                }
                // The others are at work: look at the watch twice in every millisecond until the last one wakes this thread.
                std::thread::park_timeout(Duration::from_micros(500));
            }
        }
    });
}

/// A thread at work. When it ends, even by a panic of the evaluator, it wakes the caller.
struct Shift<'a> {
    busy: &'a AtomicUsize,
    caller: Thread,
}

impl Drop for Shift<'_> {
    fn drop(&mut self) {
        // Relaxed: the caller only counts; joining the threads orders everything else.
        self.busy.fetch_sub(1, Ordering::Relaxed);
        self.caller.unpark();
    }
}

/// One sample for each worker of a thread. False when all are done.
fn round<P: Position, E: Evaluator<P>>(workers: &mut [Worker<'_, P, E>], cancel: Cancel<'_>) -> bool {
    let mut working = false;
    for worker in workers {
        working |= worker.work(cancel);
    }
    working
}

/// Decides when to look at the clock, so that short samples do not pay for it and long ones are not late.
pub(super) struct Pulse {
    stopwatch: Stopwatch,
    wait: u32,
    waited: u32,
    last: Duration,
}

/// How much time may pass between two looks.
const LOOK_EVERY: Duration = Duration::from_micros(500);

/// The most samples between two looks, however quick they are: the next ones may be slow, and the look costs nothing then.
const LONGEST_WAIT: u128 = 32;

impl Pulse {
    pub(super) fn start(stopwatch: Stopwatch) -> Pulse {
        Pulse { stopwatch, wait: 1, waited: 0, last: Duration::ZERO }
    }

    /// The time, if it is time to look; an idle thread may look whenever it likes.
    pub(super) fn look(&mut self, idle: bool) -> Option<Duration> {
        self.waited += 1;
        if self.waited < self.wait && !idle {
            return None;
        }
        let now = self.stopwatch.elapsed();
        let each = ((now - self.last) / self.waited).as_nanos().max(1);
        self.wait = (LOOK_EVERY.as_nanos() / each).clamp(1, LONGEST_WAIT) as u32;
        self.last = now;
        self.waited = 0;
        Some(now)
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.stopwatch.elapsed()
    }
}
