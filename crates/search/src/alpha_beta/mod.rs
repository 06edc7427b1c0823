//! Alpha-beta: iterative deepening, principal variation search, a table shared by threads, and the prunings of the programs that
//! MCSS is compared with (S0.5, S0.6), each behind a switch of [`AlphaBetaOptions`].
//!
//! Read `node` first, then `pruning` and `order`, `deepening` (the root), `realization` (depth by probability), `path` (repetition), `scale` (values), `meter` (limits).

mod deepening;
pub(crate) mod levels;
pub(crate) mod meter;
mod node;
mod options;
mod order;
pub(crate) mod path;
mod pruning;
mod realization;
pub(crate) mod scale;
mod siblings;
mod soft;

use std::sync::atomic::AtomicBool;

use yomi_core::{Answer, Evaluator, Line, Position};

use self::meter::{Meter, Shared};
use self::node::{Memory, Worker};
use self::scale::{MAX_PLY, Scale};
use crate::finished::over;
use crate::ordering::{Blind, Guide, Tactics};
use crate::search::{Limits, Search, Verdict, Watch};
use crate::transposition::Table;
use crate::warm_up::warm_up;

pub use self::options::{AlphaBetaOptions, PARAMETERS};
pub use self::path::Repetition;
pub use self::soft::{PARAMETERS as SOFT_PARAMETERS, SoftBackup, SoftOptions};

/// An alpha-beta player. One thread searches the same tree every time; more threads share the table and do not.
pub struct AlphaBeta<P: Position, E, G = Blind> {
    evaluator: E,
    guide: G,
    options: AlphaBetaOptions,
    table: Table,
    memories: Vec<Memory<P::Move>>,
    /// What a draw was worth to Black in the last search: values in the table rest on it.
    draw: f32,
    /// Whether anything was searched since everything was forgotten. If not, forgetting costs nothing.
    used: bool,
}

impl<P: Position, E: Evaluator<P>> AlphaBeta<P, E> {
    /// A player for any game.
    pub fn new(evaluator: E, options: AlphaBetaOptions) -> AlphaBeta<P, E> {
        AlphaBeta::guided(evaluator, Blind, options)
    }
}

impl<P: yomi_core::Tactical, E: Evaluator<P>> AlphaBeta<P, E, Tactics> {
    /// A player for games with captures and checks.
    pub fn tactical(evaluator: E, options: AlphaBetaOptions) -> AlphaBeta<P, E, Tactics> {
        AlphaBeta::guided(evaluator, Tactics, options)
    }
}

impl<P: Position, E: Evaluator<P>, G: Guide<P>> AlphaBeta<P, E, G> {
    /// A search whose move ordering comes from `guide`.
    pub fn guided(evaluator: E, guide: G, mut options: AlphaBetaOptions) -> AlphaBeta<P, E, G> {
        if let Some(quiet) = &mut options.quiet {
            quiet.pawn = options.pawn;
        }
        let memories = (0..options.threads.max(1)).map(|_| Memory::new()).collect();
        AlphaBeta { evaluator, guide, options, table: Table::new(options.hash), memories, draw: 0.0, used: false }
    }

    /// How it searches.
    pub fn options(&self) -> &AlphaBetaOptions {
        &self.options
    }
}

/// What all threads of one search have in common.
struct Task<'a, P: Position, E, G> {
    evaluator: &'a E,
    guide: &'a G,
    options: &'a AlphaBetaOptions,
    table: &'a Table,
    line: &'a Line<P>,
    moves: &'a [P::Move],
    limits: &'a Limits,
}

impl<P: Position, E: Evaluator<P>, G: Guide<P>> Task<'_, P, E, G> {
    /// The work of one thread; its meter holds what it found.
    fn think<'t>(
        &'t self,
        thread: usize,
        meter: Meter<'t, P::Move>,
        memory: &'t mut Memory<P::Move>,
    ) -> Meter<'t, P::Move> {
        memory.fade();
        memory.path.start(self.line);
        let mut worker = Worker {
            evaluator: self.evaluator,
            guide: self.guide,
            options: self.options,
            table: self.table,
            scale: Scale::new(self.evaluator.win()).with_draw(self.limits.draw),
            meter,
            memory,
            answer: Answer::default(),
            scratch: self.evaluator.scratch(self.limits.seed.branch("alpha-beta thread", thread as u64).number()),
            iteration: 0,
        };
        let depth = self.limits.depth.unwrap_or(u32::MAX).min(self.options.depth) as usize;
        // Every other thread is an iteration ahead, so that they do not all search the same tree at the same time.
        let (from, to) = (1 + thread % 2, depth.min(MAX_PLY));
        match self.options.soft {
            // The other threads fill the table.
            Some(soft) if thread == 0 => worker.deepen_softly(&soft, self.line.position(), self.moves, to),
            _ => worker.deepen(self.line.position(), self.moves, from, to),
        }
        worker.meter
    }
}

impl<P: Position, E: Evaluator<P>, G: Guide<P>> Search<P> for AlphaBeta<P, E, G> {
    fn search(&mut self, line: &Line<P>, limits: &Limits, watch: &mut dyn Watch<P::Move>) -> Verdict<P::Move> {
        let mut moves = Vec::new();
        if let Some(outcome) = line.generate(&mut moves) {
            return over(line.position(), outcome, self.evaluator.win());
        }
        if limits.draw != self.draw {
            self.new_game();
            self.draw = limits.draw;
        }
        self.used = true;
        self.table.age();
        let shared = Shared::default();
        let task = Task {
            evaluator: &self.evaluator,
            guide: &self.guide,
            options: &self.options,
            table: &self.table,
            line,
            moves: &moves,
            limits,
        };
        let Some((first, others)) = self.memories.split_first_mut() else { return Verdict::empty() };
        let mut meter = Meter::first(&shared, limits, others.is_empty(), watch);
        // No threads are started for nothing.
        let others = if meter.look() { &mut [] } else { others };
        let mut meter = std::thread::scope(|scope| {
            for (i, memory) in others.iter_mut().enumerate() {
                let (task, shared) = (&task, &shared);
                scope.spawn(move || task.think(i + 1, Meter::helper(shared, limits), memory).finish());
            }
            let meter = task.think(0, meter, first);
            shared.stop();
            meter
        });
        meter.finish();
        let mut verdict = std::mem::replace(&mut meter.so_far, Verdict::empty());
        verdict.memory = self.table.bytes();
        verdict.fullness = self.table.permille() as f32 / 1000.0;
        verdict.ended = meter.ended;
        verdict
    }

    fn new_game(&mut self) {
        if std::mem::take(&mut self.used) {
            self.table.clear();
            self.memories.iter_mut().for_each(Memory::clear);
        }
    }

    fn prepare(&mut self, line: &Line<P>, stop: &AtomicBool) {
        self.table.populate(stop);
        warm_up(&self.evaluator, line);
    }
}
