//! What a search is asked, and what it answers.
//!
//! This is the object-safe edge between searches and their users: one virtual call per move of a game.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use yomi_core::clock::Stopwatch;
use yomi_core::{Line, Position, Seed};

use crate::tree::Explorer;

/// Chooses a move.
pub trait Search<P: Position>: Send {
    /// Thinks about the position at the end of `line` until a limit is met or `watch` says stop.
    ///
    /// There is always an answer: with no time at all it is the first legal move, in a finished game no move.
    fn search(&mut self, line: &Line<P>, limits: &Limits, watch: &mut dyn Watch<P::Move>) -> Verdict<P::Move>;

    /// `mv` was played in the position searched last (or reached by `played` since): keep what is known of it.
    fn played(&mut self, mv: P::Move) {
        let _ = mv;
    }

    /// A new game begins: forget everything.
    fn new_game(&mut self) {}

    /// Does now whatever the first search would lose time with: memory is mapped, tables are built. A game from `line` is about to begin, and
    /// nothing that a search finds depends on whether this was called. Raising `stop` ends it early: what takes long is done in pieces that
    /// look at it.
    fn prepare(&mut self, line: &Line<P>, stop: &AtomicBool) {
        let _ = (line, stop);
    }

    /// Writes the tree of the last search as a [`TreeFile`](crate::tree::TreeFile), with notes for its readers. False, and
    /// nothing written, if this search keeps no tree.
    fn save_tree(&self, notes: &str, out: &mut dyn io::Write) -> io::Result<bool> {
        let _ = (notes, out);
        Ok(false)
    }

    /// Shows the tree of the last search to `visitor`. False if this search keeps no tree.
    fn explore(&self, visitor: &mut dyn FnMut(&mut dyn Explorer)) -> bool {
        let _ = visitor;
        false
    }
}

/// When to stop, whichever comes first, the seed, and what a draw is worth. Without any limit a search runs until it is stopped.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// Samples of a tree search, playouts of flat Monte Carlo.
    pub simulations: Option<u64>,
    /// Positions judged by the evaluator.
    pub evaluations: Option<u64>,
    /// Nodes added to a tree, nodes visited by alpha-beta.
    pub nodes: Option<u64>,
    /// Plies below the root: no tree node lies deeper; iterative deepening goes no further.
    pub depth: Option<u32>,
    /// Wall-clock time from the call on.
    pub time: Option<Duration>,
    /// The seed of all random numbers of this search.
    pub seed: Seed,
    /// What a draw is worth to Black in the evaluator's unit, and as much less than nothing to White: contempt. Tree search and
    /// alpha-beta know of it, playouts do not.
    pub draw: f32,
}

impl Limits {
    /// No limit: until it is stopped.
    pub fn infinite() -> Limits {
        let seed = Seed::new(0);
        Limits { simulations: None, evaluations: None, nodes: None, depth: None, time: None, seed, draw: 0.0 }
    }

    /// Whether a search under these limits ends by itself.
    pub fn is_bounded(&self) -> bool {
        *self != Limits { seed: self.seed, draw: self.draw, ..Limits::infinite() }
    }

    /// A number of simulations.
    pub fn simulations(n: u64) -> Limits {
        Limits { simulations: Some(n), ..Limits::infinite() }
    }

    /// A number of evaluated positions.
    pub fn evaluations(n: u64) -> Limits {
        Limits { evaluations: Some(n), ..Limits::infinite() }
    }

    /// A number of nodes.
    pub fn nodes(n: u64) -> Limits {
        Limits { nodes: Some(n), ..Limits::infinite() }
    }

    /// A number of plies.
    pub fn depth(plies: u32) -> Limits {
        Limits { depth: Some(plies), ..Limits::infinite() }
    }

    /// So much time.
    pub fn time(time: Duration) -> Limits {
        Limits { time: Some(time), ..Limits::infinite() }
    }

    /// The same limits with chance from another seed.
    pub fn seeded(self, seed: Seed) -> Limits {
        Limits { seed, ..self }
    }
}

/// Who looks over a search's shoulder. All calls come on the thread that called [`Search::search`].
pub trait Watch<M>: Send {
    /// Asked after every sample or every few hundred nodes: cheap, and true means stop now.
    fn should_stop(&self) -> bool {
        false
    }

    /// The clock of the search, started now: the system's. Tests bring one that counts its readings.
    fn clock(&self) -> Stopwatch {
        Stopwatch::start()
    }

    /// How often [`Watch::progress`] wants to be called; never, if none. Reports do not change what the search finds.
    fn interval(&self) -> Option<Duration> {
        None
    }

    /// What the search believes so far.
    fn progress(&mut self, so_far: &Verdict<M>) {
        let _ = so_far;
    }

    /// Whether [`Watch::explore`] is wanted with this report.
    fn wants_tree(&self) -> bool {
        false
    }

    /// The tree as it stands while it grows. Called after [`Watch::progress`] by searches that keep a tree.
    fn explore(&mut self, tree: &mut dyn Explorer) {
        let _ = tree;
    }
}

/// No one watches.
impl<M> Watch<M> for () {}

/// A flag that another thread may raise: stop when it is true.
impl<M> Watch<M> for Arc<AtomicBool> {
    fn should_stop(&self) -> bool {
        // Relaxed: the flag carries no data, and a store becomes visible in far less than a sample's time.
        self.load(Ordering::Relaxed)
    }
}

/// What is known for certain about a position or a move, for the side that moves there or plays it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Proof {
    /// Won in at most this many plies.
    Win(u32),
    /// Neither side can force a win.
    Draw,
    /// Lost; the line found lasts this many plies.
    Loss(u32),
}

impl Proof {
    /// The same fact for the side that moved into the position: one ply earlier, the other way round.
    pub fn before(self) -> Proof {
        match self {
            Proof::Win(plies) => Proof::Loss(plies.saturating_add(1)),
            Proof::Draw => Proof::Draw,
            Proof::Loss(plies) => Proof::Win(plies.saturating_add(1)),
        }
    }
}

/// Why a search came back.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Ended {
    /// The game was over before it began.
    GameOver,
    /// The budget of simulations is spent.
    Simulations,
    /// The budget of evaluated positions is spent.
    Evaluations,
    /// The budget of nodes is spent.
    Nodes,
    /// The depth asked for is reached everywhere.
    Depth,
    /// The time is over.
    Time,
    /// It was stopped.
    Stopped,
    /// The result is proven: win, draw or loss.
    Solved,
    /// No simulation left can change the move.
    Settled,
    /// Nothing more can be learned: the tree is complete, or full, or may grow no further.
    Exhausted,
}

impl Ended {
    /// Every reason.
    pub const ALL: [Ended; 10] = [
        Ended::GameOver,
        Ended::Simulations,
        Ended::Evaluations,
        Ended::Nodes,
        Ended::Depth,
        Ended::Time,
        Ended::Stopped,
        Ended::Solved,
        Ended::Settled,
        Ended::Exhausted,
    ];
}

/// What a search answers. Values are **for the side to move at the root**, in the evaluator's own unit.
///
/// A search fills in what it has: alpha-beta has no probabilities, Monte Carlo no completed depth. Live reports have the
/// same shape.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict<M> {
    /// The move to play; none if the game is over.
    pub best: Option<M>,
    /// Worth of the root.
    pub value: f32,
    /// What is proven about the root.
    pub proof: Option<Proof>,
    /// Principal variation, `best` first: the child of highest probability at each step (S0.1).
    pub pv: Vec<M>,
    /// Every root move (alpha-beta: those it has a line for), best first.
    pub moves: Vec<RootMove<M>>,
    /// Simulations of this search.
    pub simulations: u64,
    /// Positions judged by the evaluator in this search.
    pub evaluations: u64,
    /// Nodes of the tree, or nodes visited by alpha-beta.
    pub nodes: u64,
    /// Deepest node of a tree; completed depth of iterative deepening.
    pub depth: u32,
    /// Deepest line looked at, quiescence included.
    pub selective_depth: u32,
    /// Nodes of the tree at each depth, the root first (S0.6, figures 2 and 3).
    pub nodes_per_depth: Vec<u64>,
    /// Mean depth of the leaves, each weighted by its part in the root's value (S4.1).
    pub effective_depth: f32,
    /// Entropy of the selection probabilities at the root, in nats.
    pub entropy: f32,
    /// Bytes of memory in use by tree or table.
    pub memory: u64,
    /// How much of the memory granted is in use, 0 to 1.
    pub fullness: f32,
    /// The tree found no more room and stopped growing.
    pub tree_full: bool,
    /// Wall-clock time since the call.
    pub elapsed: Duration,
    /// Why it ended; none in a live report.
    pub ended: Option<Ended>,
}

impl<M> Verdict<M> {
    /// An answer that knows nothing yet, to be filled in.
    pub fn empty() -> Verdict<M> {
        Verdict {
            best: None,
            value: 0.0,
            proof: None,
            pv: Vec::new(),
            moves: Vec::new(),
            simulations: 0,
            evaluations: 0,
            nodes: 0,
            depth: 0,
            selective_depth: 0,
            nodes_per_depth: Vec::new(),
            effective_depth: 0.0,
            entropy: 0.0,
            memory: 0,
            fullness: 0.0,
            tree_full: false,
            elapsed: Duration::ZERO,
            ended: None,
        }
    }

    /// Simulations per second of wall-clock time.
    pub fn simulations_per_second(&self) -> f64 {
        per_second(self.simulations, self.elapsed)
    }

    /// Evaluated positions per second of wall-clock time.
    pub fn evaluations_per_second(&self) -> f64 {
        per_second(self.evaluations, self.elapsed)
    }

    /// Nodes per second of wall-clock time.
    pub fn nodes_per_second(&self) -> f64 {
        per_second(self.nodes, self.elapsed)
    }
}

fn per_second(count: u64, elapsed: Duration) -> f64 {
    if elapsed.is_zero() { 0.0 } else { count as f64 / elapsed.as_secs_f64() }
}

/// One move of the root, as the search sees it. Values are for the side to move at the root.
#[derive(Clone, Debug, PartialEq)]
pub struct RootMove<M> {
    /// The move.
    pub mv: M,
    /// Samples that went through it; nodes below it for alpha-beta.
    pub visits: u64,
    /// Its worth.
    pub value: f32,
    /// What is proven about it.
    pub proof: Option<Proof>,
    /// Prior probability from the evaluator.
    pub prior: f32,
    /// Its static value, before any search, where the method keeps it.
    pub static_value: Option<f32>,
    /// Probability that the next sample takes it (S0.2); how often samples took it, where that has no closed form.
    pub selection: f32,
    /// Realization probability of its principal variation: the product of the selection probabilities along it (S4.1).
    pub realization: f32,
    /// Its part in the value of the root (S4.1): 1 for the best move and 0 for the others under minimax.
    pub backup: f32,
    /// Effective depth of the search below it, the move itself included; completed depth for alpha-beta.
    pub depth: f32,
    /// Its principal variation, the move itself first.
    pub pv: Vec<M>,
    /// Samples that went through each move of `pv`; empty for searches without a tree.
    pub pv_visits: Vec<u64>,
}

impl<M: Copy> RootMove<M> {
    /// A move about which nothing is known yet.
    pub fn new(mv: M) -> RootMove<M> {
        RootMove {
            mv,
            visits: 0,
            value: 0.0,
            proof: None,
            prior: 0.0,
            static_value: None,
            selection: 0.0,
            realization: 0.0,
            backup: 0.0,
            depth: 0.0,
            pv: vec![mv],
            pv_visits: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_combine() {
        let limits = Limits { depth: Some(3), ..Limits::simulations(10) }.seeded(Seed::new(4));
        assert_eq!((limits.simulations, limits.depth, limits.seed), (Some(10), Some(3), Seed::new(4)));
        let infinite = Limits { draw: -2.0, ..Limits::infinite() }.seeded(Seed::new(4));
        assert!(limits.is_bounded() && Limits::time(Duration::ZERO).is_bounded() && !infinite.is_bounded());
    }

    #[test]
    fn a_raised_flag_stops() {
        let flag = Arc::new(AtomicBool::new(false));
        assert!(!Watch::<u8>::should_stop(&flag));
        flag.store(true, Ordering::Relaxed);
        assert!(Watch::<u8>::should_stop(&flag));
    }

    #[test]
    fn proofs_turn_around() {
        assert_eq!(Proof::Loss(0).before(), Proof::Win(1));
        assert_eq!(Proof::Win(1).before(), Proof::Loss(2));
        assert_eq!(Proof::Draw.before(), Proof::Draw);
    }

    #[test]
    fn rates_of_nothing_are_zero() {
        let mut verdict = Verdict::<u8>::empty();
        assert_eq!(verdict.simulations_per_second(), 0.0);
        verdict.simulations = 10;
        verdict.elapsed = Duration::from_secs(2);
        assert_eq!(verdict.simulations_per_second(), 5.0);
    }
}
