//! Mate by check after check: depth-first proof-number search (df-pn; Nagai 2002) with the weak proof numbers of Ueda et al. (2008).
//!
//! The side to move at the root attacks and plays nothing but checks; the other side plays every evasion. Proof and disproof numbers are
//! for the side to move: the attacker's aim is mate, the defender's is to escape it.
//!
//! *Never a false mate.* A mate is built from positions without evasions upwards, each step after the ones it rests on, so it holds
//! however the position was reached: its line never comes back to a position, and what the rules of repetition say of the game so far
//! is asked at every node. An escape, in contrast, may rest on a circle that another way to the position does not close. Such escapes are
//! marked and never reported as "no mate"; the search then turns to mates of limited length, where a position and the plies left are
//! one thing and circles do not exist.

mod solver;
mod table;

use std::time::Duration;

use yomi_core::{Line, Tactical};

use self::solver::{MAX_PLIES, Memory, Solver};
use crate::alpha_beta::meter::{Meter, Shared};
use crate::machine::TABLE_MEMORY;
use crate::search::{Ended, Limits, Watch};

/// How a mate search works.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MateOptions {
    /// MiB of the table.
    pub hash: usize,
    /// After a mate is found, look for the shortest one as far as the limits allow.
    pub shortest: bool,
}

impl Default for MateOptions {
    fn default() -> Self {
        MateOptions { hash: TABLE_MEMORY.0, shortest: true }
    }
}

/// What a mate search has found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Mate<M> {
    /// The side to move mates. The moves of both sides, the last one mates; the defender resists as long as the search knows how.
    Found {
        /// The moves from the position asked about.
        line: Vec<M>,
        /// No mate is shorter, and no defence longer.
        shortest: bool,
    },
    /// No sequence of checks mates (within the depth asked for, if one was).
    None,
    /// Not decided within the limits.
    Unknown,
}

/// The answer of a mate search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MateReport<M> {
    /// What was found.
    pub mate: Mate<M>,
    /// Positions visited.
    pub nodes: u64,
    /// Wall-clock time since the call.
    pub elapsed: Duration,
    /// Which limit ended the search; none if it came to its own end.
    pub ended: Option<Ended>,
}

/// A mate solver with its memory.
pub struct MateSearch<P: Tactical> {
    options: MateOptions,
    memory: Memory<P::Move>,
}

impl<P: Tactical> MateSearch<P> {
    /// A solver.
    pub fn new(options: MateOptions) -> MateSearch<P> {
        MateSearch { options, memory: Memory::new(options.hash) }
    }

    /// Looks for a mate in the position at the end of `line`. Of the limits, `nodes`, `time` and `depth` count: the last is the longest
    /// mate looked for, in plies.
    pub fn solve(&mut self, line: &Line<P>, limits: &Limits, watch: &mut dyn Watch<P::Move>) -> MateReport<P::Move> {
        let shared = Shared::default();
        let meter = Meter::first(&shared, limits, true, watch);
        let mut solver = Solver::new(line, meter, &mut self.memory);
        let mate = if line.generate(&mut Vec::new()).is_some() {
            Mate::None
        } else if solver.meter.look() {
            Mate::Unknown
        } else if let Some(depth) = limits.depth {
            solver.shortest(line.position(), depth.min(MAX_PLIES as u32) as u16)
        } else {
            self.options.search(&mut solver, line.position())
        };
        let mut meter = solver.meter;
        meter.finish();
        MateReport { mate, nodes: meter.so_far.nodes, elapsed: meter.so_far.elapsed, ended: meter.ended }
    }
}

impl MateOptions {
    /// A mate of any length first, then the shortest.
    fn search<P: Tactical>(&self, solver: &mut Solver<'_, P>, root: &P) -> Mate<P::Move> {
        let entry = solver.decide(root);
        match () {
            () if !entry.is_decided() => Mate::Unknown,
            () if entry.disproof == 0 && !entry.circular => Mate::None,
            // An escape in circles proves nothing, but mates of limited length know no circles.
            () if entry.disproof == 0 => solver.shortest(root, MAX_PLIES as u16),
            () => {
                let any = solver.any_line(root);
                let best = if self.shortest { solver.shortest(root, entry.plies) } else { Mate::Unknown };
                match (any, best) {
                    (_, found @ Mate::Found { .. }) => found,
                    (Some(line), _) => Mate::Found { line, shortest: false },
                    (None, _) => Mate::Unknown,
                }
            }
        }
    }
}
