//! The search that follows a recipe.
//!
//! Reading order: `sample` is the loop, a page; `leaf` is what happens at its end; `flight` joins its two halves, so that many samples can
//! be on their way; `visit` is what a sample leaves at the nodes it passes; `solver` and `auxiliary` what follows from children; `crew` are threads and
//! limits; `pool` lets many searches advance together; `report` reads results from the tree; this file holds them together.

mod amaf;
mod auxiliary;
mod crew;
mod deferred;
mod flight;
mod leaf;
mod merge;
mod pool;
mod report;
mod sample;
mod solver;
mod visit;

use std::io;
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use yomi_core::{Evaluator, Line, Move, Position};

use crate::finished::over;
use crate::methods::Method;
use crate::options;
use crate::recipe::Recipe;
use crate::search::{Ended, Limits, RootMove, Search, Verdict, Watch};
use crate::select::{Buffers, Select};
use crate::tree::{Explorer, Plot, ROOT, Tree, Weight};
use crate::walk::{Visit, walk};
use crate::warm_up::warm_up;
use crew::{Allowance, Progress, Pulse, Tally, Totals, Worker};
use flight::Flight;
pub use pool::Pool;
use report::TreeReader;
use sample::{Sampler, State, Task};

/// How much of the trees' memory is mapped before the first search: what a fast search fills in a second or two. A tree that never grows so
/// large as it may leaves the rest to others.
const PREPARED: u64 = 64 << 20;

/// A search of the tree family: a method, an evaluator, and the tree they have grown.
pub struct TreeSearch<P: Position, E> {
    method: Method,
    /// The method's recipe as each thread (or each tree of one's own) follows it.
    recipes: Vec<Recipe>,
    evaluator: E,
    /// One tree that all threads share, or several that are merged at the root.
    trees: Vec<Tree>,
    /// The position at the root of the trees.
    root: Option<Line<P>>,
    /// Whether leaves were closed for reasons that may not hold in the next search.
    closed: bool,
    /// What a draw was worth to Black in the last search: values in the trees rest on it.
    draw: f32,
    /// How many samples a thread has in flight at a time.
    flights: usize,
}

impl<P: Position, E: Evaluator<P>> TreeSearch<P, E> {
    /// A search with nothing in its tree. Memory is taken as the tree grows.
    pub fn new(mut method: Method, evaluator: E) -> Self {
        method.recipe = method.recipe.resolved(evaluator.win());
        let options = method.options;
        let bytes = (options.hash << 20) / options.trees as u64;
        let trees = (0..options.trees).map(|_| Tree::with_memory(bytes, method.recipe.extras())).collect();
        let members = if options.trees > 1 { options.trees } else { options.threads };
        let heated = |member| {
            let select = method.recipe.select;
            let factor = options.spread.factor(member, members);
            Recipe { select: select.heated(factor).unwrap_or(select), ..method.recipe }
        };
        let recipes = (0..members).map(heated).collect();
        TreeSearch { method, recipes, evaluator, trees, root: None, closed: false, draw: 0.0, flights: 1 }
    }

    /// The method at work.
    pub fn method(&self) -> &Method {
        &self.method
    }

    /// The evaluator at work.
    pub fn evaluator(&self) -> &E {
        &self.evaluator
    }

    /// The tree as the last search left it; the first of several.
    pub fn tree(&self) -> &Tree {
        &self.trees[0]
    }

    /// Walks over the tree as the last search left it (the first of several), replaying the line to each node: see [`walk`].
    pub fn walk(&self, visit: impl FnMut(&Visit<'_, P>) -> ControlFlow<()>) {
        if let Some(root) = &self.root {
            walk(self.tree(), &self.method.recipe, root, self.evaluator.win(), visit);
        }
    }

    /// Makes the trees those of `line`: by following its moves where it goes on from the last root, else by starting anew. A root with
    /// other moves than before is another root.
    fn align(&mut self, line: &Line<P>) {
        let same_moves = |root: &Line<P>| root.only() == line.only();
        // A plan of simulations begins with none.
        let plans = matches!(self.method.recipe.select, Select::Gumbel(_));
        let fits =
            self.method.options.reuse && !plans && self.follow(line) && self.root.as_ref().is_some_and(same_moves);
        if !fits {
            self.trees.iter_mut().for_each(Tree::clear);
            self.root = Some(line.clone());
        } else if self.closed {
            self.trees.iter_mut().for_each(Tree::reopen);
        }
        self.closed = false;
    }

    /// Follows the moves that lead from the root to the end of `line`. False if it is another game.
    fn follow(&mut self, line: &Line<P>) -> bool {
        /// More plies than this between two searches are another game.
        const FARTHEST: usize = 4;
        let Some(root) = &self.root else { return false };
        let Some(ahead) = line.plies().strip_prefix(root.plies()) else { return false };
        if ahead.len() > FARTHEST {
            return false;
        }
        let mut moves = Vec::new();
        for ply in ahead {
            let Some(root) = &self.root else { return false };
            let after = |&mv: &P::Move| {
                let mut next = root.position().clone();
                next.play(mv);
                next.ply() == *ply
            };
            root.generate(&mut moves);
            let Some(mv) = moves.iter().copied().find(after) else { return false };
            self.played(mv);
        }
        self.root.as_ref().is_some_and(|root| root.position().key() == line.position().key())
    }

    /// How many samples a thread has in flight at a time. One that judges all siblings asks about as many positions as there are moves.
    fn flights_for(&self, moves: usize) -> usize {
        let each = if self.method.recipe.expand.judges_siblings() { moves.max(1) } else { 1 };
        match self.method.options.flights {
            0 => (self.evaluator.batch() / each).clamp(1, options::MOST_FLIGHTS),
            flights => flights,
        }
    }

    /// What a thread works on.
    fn task<'a>(&'a self, index: usize, thread: usize, limits: &Limits) -> Option<Task<'a, P, E>> {
        let options = &self.method.options;
        let recipe = &self.recipes[if options.trees > 1 { index } else { thread }];
        let alone = (options.threads == 1 || options.trees > 1) && self.flights == 1;
        let repels = !alone && recipe.select.is_deterministic();
        let win = self.evaluator.win();
        Some(Task {
            tree: &self.trees[index],
            recipe,
            evaluator: &self.evaluator,
            root: self.root.as_ref()?,
            depth: limits.depth.unwrap_or(u32::MAX),
            alone,
            virtual_loss: if repels { options.virtual_loss * recipe.select.virtual_loss(win) } else { 0.0 },
            recomputes: recipe.backup.recomputes(),
            extras: recipe.extras(),
        })
    }

    /// What a thread starts with.
    fn state(&self, index: usize, thread: usize, limits: &Limits) -> Option<State<P, E>> {
        let task = self.task(index, thread, limits)?;
        let seed = limits.seed.branch("tree", index as u64).branch("thread", thread as u64);
        Some(State {
            flight: Flight::new(task.root),
            parked: Vec::new(),
            gathered: 0,
            batch: Vec::new(),
            newborns: Vec::new(),
            plot: if task.alone { Plot::NONE } else { Plot::SHARED },
            buffers: Buffers::default(),
            amaf: amaf::Amaf::default(),
            deferred: deferred::Deferred::new(!task.recomputes, self.method.options.threads),
            rng: seed.rng(),
            scratch: self.evaluator.scratch(seed.branch("evaluator", 0).number()),
        })
    }

    /// A thread at work on the `index`-th tree.
    fn worker<'a>(
        &'a self,
        (index, thread): (usize, usize),
        limits: &Limits,
        (tallies, allowance): (&'a [Tally], &'a Allowance),
        (state, progress): (State<P, E>, Progress),
    ) -> Option<Worker<'a, P, E>> {
        let task = self.task(index, thread, limits)?;
        let (win, draw) = (self.evaluator.win(), self.draw);
        let sampler = Sampler { task, win, draw, tally: &tallies[thread], state };
        Some(Worker { sampler, allowance, tallies, progress })
    }

    /// Grows the trees until a limit is met.
    fn grow(&self, limits: &Limits, tallies: &[Vec<Tally>], pulse: impl FnMut(bool) -> Option<Ended> + Send) -> Ended {
        let options = self.method.options;
        let recomputes = self.method.recipe.backup.recomputes();
        let allowances: Vec<Allowance> =
            (0..self.trees.len()).map(|i| Allowance::new(limits, i, &options, recomputes)).collect();
        if limits.time == Some(Duration::ZERO) {
            // Other threads would not wait for the first look at the clock.
            allowances.iter().for_each(|allowance| allowance.end(Ended::Time));
        }
        // The threads of one tree are 0, 1, …; trees of one's own are dealt out to the threads in turn.
        let workers = |thread: usize| -> Vec<Worker<'_, P, E>> {
            let all = tallies.iter().enumerate().flat_map(|(tree, own)| (0..own.len()).map(move |i| (tree, i)));
            let own = all.filter(|(tree, i)| (tree + i) % options.threads == thread);
            let worker = |(tree, i): (usize, usize)| {
                let fresh = (self.state(tree, i, limits)?, Progress::new(self.flights));
                self.worker((tree, i), limits, (&tallies[tree], &allowances[tree]), fresh)
            };
            own.filter_map(worker).collect()
        };
        crew::run(options.threads, workers, &allowances, pulse);
        // No other limit reports that the last simulation is handed out.
        allowances[0].ended().unwrap_or(Ended::Simulations)
    }

    /// Makes ready for a search: the nodes at each depth that are there already, and counters.
    fn begin(&mut self, line: &Line<P>, limits: &Limits, moves: usize) -> (Vec<u64>, Vec<Vec<Tally>>) {
        self.flights = self.flights_for(moves);
        for recipe in self.recipes.iter_mut().chain([&mut self.method.recipe]) {
            recipe.select.begin(limits.simulations, limits.seed);
        }
        let draw = limits.draw.clamp(-self.evaluator.win(), self.evaluator.win());
        if draw != self.draw {
            self.new_game();
            self.draw = draw;
        }
        self.align(line);
        let before = merge::nodes_per_depth(&self.trees);
        let workers = if self.trees.len() == 1 { self.method.options.threads } else { 1 };
        let new_tallies = || (0..workers).map(|_| Tally::new()).collect();
        (before, self.trees.iter().map(|_| new_tallies()).collect())
    }

    /// The verdict of a search that has ended.
    fn finish(
        &mut self,
        mut ended: Ended,
        limits: &Limits,
        legal: &[P::Move],
        before: &[u64],
        tallies: &[Vec<Tally>],
        elapsed: Duration,
    ) -> Verdict<P::Move> {
        let totals = Totals::of(tallies.iter().flatten());
        if ended == Ended::Exhausted && limits.depth.is_some() && totals.closed > 0 {
            ended = Ended::Depth;
        }
        let verdict = self.verdict(legal, before, tallies, elapsed);
        self.closed = totals.closed > 0 || verdict.tree_full;
        Verdict { ended: Some(ended), ..verdict }
    }

    /// Several trees of one position laid over each other.
    fn union(&self, trees: &[Tree]) -> Tree {
        Tree::union(trees, if self.method.recipe.backup.recomputes() { Weight::Alike } else { Weight::Samples })
    }

    /// The result so far.
    fn verdict(
        &self,
        legal: &[P::Move],
        before: &[u64],
        tallies: &[Vec<Tally>],
        elapsed: Duration,
    ) -> Verdict<P::Move> {
        let recipe = &self.method.recipe;
        let totals = Totals::of(tallies.iter().flatten());
        let mut readers: Vec<TreeReader<'_>> =
            self.trees.iter().map(|tree| TreeReader::new(tree, recipe, self.evaluator.win())).collect();
        let (value, mut rows) = merge::roots(&mut readers, recipe);
        report::rank(&mut rows, recipe, self.evaluator.win());
        let mut moves: Vec<RootMove<P::Move>> = rows.into_iter().map(|row| row.root_move).collect();
        if moves.is_empty() {
            // Nothing was grown: every legal move is as good as the other.
            let prior = 1.0 / legal.len().max(1) as f32;
            moves = legal.iter().map(|&mv| RootMove { prior, selection: prior, ..RootMove::new(mv) }).collect();
        }
        let mut nodes_per_depth: Vec<u64> = before.to_vec();
        nodes_per_depth.resize(before.len().max(crew::DEPTHS), 0);
        nodes_per_depth.iter_mut().zip(&totals.depths).for_each(|(n, grown)| *n += grown);
        nodes_per_depth.truncate(1 + nodes_per_depth.iter().rposition(|&n| n > 0).unwrap_or(0));
        let depth = nodes_per_depth.len() as u32 - 1;
        let used: usize = self.trees.iter().map(Tree::len).sum();
        let capacity: usize = self.trees.iter().map(Tree::capacity).sum();
        Verdict {
            best: moves.first().map(|row| row.mv),
            value,
            proof: merge::root_proof(&moves),
            pv: moves.first().map(|row| row.pv.clone()).unwrap_or_default(),
            simulations: totals.simulations,
            evaluations: totals.evaluations,
            nodes: nodes_per_depth.iter().sum(),
            depth,
            selective_depth: depth,
            nodes_per_depth,
            effective_depth: merge::effective_depth(&mut readers),
            entropy: report::entropy(&moves),
            memory: self.trees.iter().map(Tree::memory).sum(),
            fullness: used as f32 / capacity as f32,
            tree_full: self.trees.iter().any(Tree::is_full),
            elapsed,
            ended: None,
            moves,
        }
    }
}

impl<P: Position, E: Evaluator<P>> Search<P> for TreeSearch<P, E> {
    fn search(&mut self, line: &Line<P>, limits: &Limits, watch: &mut dyn Watch<P::Move>) -> Verdict<P::Move> {
        let mut clock = Pulse::start(watch.clock());
        let mut legal = Vec::new();
        if let Some(outcome) = line.generate(&mut legal) {
            return Verdict { elapsed: clock.elapsed(), ..over(line.position(), outcome, self.evaluator.win()) };
        }
        let (before, tallies) = self.begin(line, limits, legal.len());

        let this = &*self;
        let interval = watch.interval();
        let mut reported = Duration::ZERO;
        let ended = this.grow(limits, &tallies, |idle| {
            if watch.should_stop() {
                return Some(Ended::Stopped);
            }
            let now = clock.look(idle)?;
            if limits.time.is_some_and(|time| now >= time) {
                return Some(Ended::Time);
            }
            if interval.is_some_and(|interval| now - reported >= interval) {
                reported = now;
                watch.progress(&this.verdict(&legal, &before, &tallies, now));
                if watch.wants_tree() {
                    this.explore(&mut |tree| watch.explore(tree));
                }
            }
            None
        });

        self.finish(ended, limits, &legal, &before, &tallies, clock.elapsed())
    }

    fn played(&mut self, mv: P::Move) {
        let Some(root) = &mut self.root else { return };
        if !root.is_legal(mv) {
            self.new_game();
            return;
        }
        root.play(mv);
        for tree in &mut self.trees {
            let same = |&child: &crate::tree::NodeId| tree.mv(child) == mv.to_bits();
            match tree.children(ROOT).and_then(|block| block.children().find(same)) {
                Some(child) => tree.keep(child),
                None => tree.clear(),
            }
        }
    }

    /// Several trees are written as their union.
    fn save_tree(&self, notes: &str, mut out: &mut dyn io::Write) -> io::Result<bool> {
        match &self.trees[..] {
            [only] => only.save(notes, &mut out)?,
            several => self.union(several).save(notes, &mut out)?,
        }
        Ok(true)
    }

    /// Several trees are shown as their union.
    fn explore(&self, visitor: &mut dyn FnMut(&mut dyn Explorer)) -> bool {
        match &self.trees[..] {
            [only] => visitor(&mut &*only),
            several => visitor(&mut &self.union(several)),
        }
        true
    }

    fn new_game(&mut self) {
        self.trees.iter_mut().for_each(Tree::clear);
        self.root = None;
        self.closed = false;
    }

    /// Little enough of the memory is mapped that `stop` need not be asked.
    fn prepare(&mut self, line: &Line<P>, _stop: &AtomicBool) {
        let bytes = PREPARED / self.trees.len() as u64;
        self.trees.iter().for_each(|tree| tree.populate(bytes));
        warm_up(&self.evaluator, line);
    }
}
