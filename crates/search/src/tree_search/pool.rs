//! Many searches that advance together, so that one evaluator answers the questions of all of them at once.

use yomi_core::clock::Stopwatch;
use yomi_core::question::{Flight as Batched, recycle};
use yomi_core::{Cancel, Evaluator, Line, Position};

use super::TreeSearch;
use super::crew::{Allowance, Progress, Pulse, Tally};
use super::sample::State;
use crate::finished::over;
use crate::search::{Ended, Limits, Verdict};

/// A pool of tree searches which share an evaluator (give them an [`std::sync::Arc`] or a reference to it): what self-play on a device
/// needs. Each round gathers the questions of all searches that are under way, has them answered by one call of
/// [`Evaluator::judge_all`], and applies the answers. A search grows the tree that it grows alone.
///
/// A round has two halves, [`Pool::launch`] and [`Pool::land`]: while a device answers the questions of one pool, its thread works on
/// another.
///
/// Each search works on one tree with one thread, and has as many samples in flight as its method says; searches begin and end
/// independently of each other.
///
/// ```
/// use yomi_core::{Line, Seed, Uniform, toy::Nim};
/// use yomi_eval::Rollout;
/// use yomi_search::{Limits, Method, Pool, TreeSearch};
///
/// let method: Method = "uct".parse()?;
/// let mut pool = Pool::new((0..3).map(|_| TreeSearch::new(method.clone(), Rollout::new(Uniform))));
/// for game in 0..pool.len() {
///     let limits = Limits { seed: Seed::new(game as u64), ..Limits::simulations(200) };
///     pool.begin(game, &Line::new(Nim::new(10)), &limits);
/// }
/// while pool.advance(yomi_core::Cancel::NEVER) > 0 {}
/// assert!((0..3).all(|game| pool.take_verdict(game).is_some_and(|verdict| verdict.simulations <= 200)));
/// # Ok::<(), yomi_core::TextError>(())
/// ```
pub struct Pool<P: Position, E: Evaluator<P>> {
    seats: Vec<Seat<P, E>>,
    /// Memory for the questions of a round.
    batch: Vec<Batched<'static, P>>,
    /// The evaluator's memory for them; none before the first round.
    scratch: Option<E::Scratch>,
    /// Whether questions are on their way.
    launched: bool,
}

/// A search and, while it is under way, how far it is.
struct Seat<P: Position, E: Evaluator<P>> {
    search: TreeSearch<P, E>,
    running: Option<Running<P, E>>,
    verdict: Option<Verdict<P::Move>>,
}

struct Running<P: Position, E: Evaluator<P>> {
    limits: Limits,
    clock: Pulse,
    legal: Vec<P::Move>,
    before: Vec<u64>,
    tallies: Vec<Vec<Tally>>,
    allowance: Allowance,
    /// What the worker keeps between its turns; none only while it is at work.
    paused: Option<(State<P, E>, Progress)>,
}

impl<P: Position, E: Evaluator<P>> Pool<P, E> {
    /// A pool of these searches, none of them under way.
    pub fn new(searches: impl IntoIterator<Item = TreeSearch<P, E>>) -> Pool<P, E> {
        let seat = |search| Seat { search, running: None, verdict: None };
        Pool { seats: searches.into_iter().map(seat).collect(), batch: Vec::new(), scratch: None, launched: false }
    }

    /// How many searches there are.
    pub fn len(&self) -> usize {
        self.seats.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.seats.is_empty()
    }

    /// Whether a search is under way.
    pub fn is_running(&self, index: usize) -> bool {
        self.seats.get(index).is_some_and(|seat| seat.running.is_some())
    }

    /// A search, to advance it by a move that was played or to begin a new game. None if there is no such search or it is under way.
    pub fn search_mut(&mut self, index: usize) -> Option<&mut TreeSearch<P, E>> {
        self.seats.get_mut(index).filter(|seat| seat.running.is_none()).map(|seat| &mut seat.search)
    }

    /// Begins a search; what it was doing before is forgotten. A finished game has its verdict at once.
    pub fn begin(&mut self, index: usize, line: &Line<P>, limits: &Limits) {
        if self.launched {
            self.land(Cancel::NEVER);
        }
        if let Some(seat) = self.seats.get_mut(index) {
            seat.begin(line, limits);
        }
    }

    /// The verdict of a search that has ended, once.
    pub fn take_verdict(&mut self, index: usize) -> Option<Verdict<P::Move>> {
        self.seats.get_mut(index)?.verdict.take()
    }

    /// One round: every search that is under way takes as many samples as it has flights. Says how many are still under way.
    pub fn advance(&mut self, cancel: Cancel<'_>) -> usize {
        self.launch(cancel);
        self.land(cancel)
    }

    /// The first half of a round: the questions of all searches are on their way. Says how many searches are under way.
    pub fn launch(&mut self, cancel: Cancel<'_>) -> usize {
        self.land(cancel);
        self.seats.iter_mut().for_each(Seat::gather);
        let mut batch = recycle(std::mem::take(&mut self.batch));
        let mut asked: Option<&E> = None;
        for Seat { search, running, .. } in &mut self.seats {
            let Some((state, _)) = running.as_mut().and_then(|running| running.paused.as_mut()) else { continue };
            // Each is answered by the scratch of its own search if the evaluator gains nothing from many questions.
            if search.evaluator.batch() == 1 {
                state.judge_gathered(&search.evaluator, cancel);
                continue;
            }
            batch.extend(state.questions(cancel).0);
            asked.get_or_insert(&search.evaluator);
        }
        if let Some(evaluator) = asked {
            let scratch = self.scratch.get_or_insert_with(|| evaluator.scratch(0));
            evaluator.submit_all(&mut batch, scratch);
        }
        self.batch = recycle(batch);
        self.launched = true;
        self.running()
    }

    /// The second half of a round: waits for the answers and applies them. Says how many searches are still under way.
    pub fn land(&mut self, cancel: Cancel<'_>) -> usize {
        if std::mem::take(&mut self.launched) {
            self.collect(cancel);
            self.seats.iter_mut().for_each(|seat| seat.apply(cancel));
        }
        self.running()
    }

    fn running(&self) -> usize {
        self.seats.iter().filter(|seat| seat.running.is_some()).count()
    }

    fn collect(&mut self, cancel: Cancel<'_>) {
        let Some(scratch) = &mut self.scratch else { return };
        let mut batch = recycle(std::mem::take(&mut self.batch));
        let mut asked: Option<&E> = None;
        for Seat { search, running, .. } in &mut self.seats {
            let Some((state, _)) = running.as_mut().and_then(|running| running.paused.as_mut()) else { continue };
            batch.extend(state.submitted(cancel));
            asked.get_or_insert(&search.evaluator);
        }
        if let Some(evaluator) = asked.filter(|evaluator| evaluator.batch() > 1) {
            evaluator.collect_all(&mut batch, scratch);
        }
        self.batch = recycle(batch);
    }
}

impl<P: Position, E: Evaluator<P>> Seat<P, E> {
    fn begin(&mut self, line: &Line<P>, limits: &Limits) {
        (self.running, self.verdict) = (None, None);
        let (clock, mut legal) = (Pulse::start(Stopwatch::start()), Vec::new());
        let search = &mut self.search;
        if let Some(outcome) = line.generate(&mut legal) {
            self.verdict = Some(over(line.position(), outcome, search.evaluator.win()));
            return;
        }
        let (before, tallies) = search.begin(line, limits, legal.len());
        let recomputes = search.method.recipe.backup.recomputes();
        let allowance = Allowance::new(limits, 0, &search.method.options, recomputes);
        let paused = search.state(0, 0, limits).map(|state| (state, Progress::new(search.flights)));
        self.running = Some(Running { limits: limits.clone(), clock, legal, before, tallies, allowance, paused });
    }

    /// Lets the worker do something. None if no search is under way.
    fn work<T>(&mut self, work: impl FnOnce(&mut super::Worker<'_, P, E>) -> T) -> Option<T> {
        let Running { limits, tallies, allowance, paused, .. } = self.running.as_mut()?;
        let mut worker = self.search.worker((0, 0), limits, (&tallies[0], allowance), paused.take()?)?;
        let done = work(&mut worker);
        *paused = Some((worker.sampler.state, worker.progress));
        Some(done)
    }

    /// The first half of a round. A search that has nothing more to do has ended.
    fn gather(&mut self) {
        if let Some(Running { limits, clock, allowance, .. }) = &mut self.running
            && let Some(now) = clock.look(false)
            && limits.time.is_some_and(|time| now >= time)
        {
            allowance.end(Ended::Time);
        }
        let working = self.work(|worker| {
            let working = worker.gather();
            if !working {
                worker.end_round(false);
            }
            working
        });
        if working == Some(false)
            && let Some(Running { limits, clock, legal, before, tallies, allowance, .. }) = self.running.take()
        {
            let ended = allowance.ended().unwrap_or(Ended::Simulations);
            self.verdict = Some(self.search.finish(ended, &limits, &legal, &before, &tallies, clock.elapsed()));
        }
    }

    fn apply(&mut self, cancel: Cancel<'_>) {
        self.work(|worker| {
            worker.apply(cancel);
            worker.end_round(true);
        });
    }
}
