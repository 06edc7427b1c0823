//! A mate solver in front of another search.

use std::sync::atomic::AtomicBool;

use yomi_core::{Line, Tactical};

use crate::mate::{Mate, MateOptions, MateSearch};
use crate::search::{Ended, Limits, Proof, RootMove, Search, Verdict, Watch};

/// Looks for a mate at the root first, within a limit of nodes, and asks the search inside if there is none.
pub struct MateFirst<P: Tactical> {
    solver: MateSearch<P>,
    nodes: u64,
    /// What a won game is worth.
    win: f32,
    inner: Box<dyn Search<P>>,
}

impl<P: Tactical> MateFirst<P> {
    /// Spends up to `nodes` nodes on looking for a mate before `inner` is asked; a win is worth `win`.
    pub fn new(inner: Box<dyn Search<P>>, nodes: u64, win: f32) -> MateFirst<P> {
        MateFirst { solver: MateSearch::new(MateOptions { hash: 16, ..MateOptions::default() }), nodes, win, inner }
    }
}

impl<P: Tactical> Search<P> for MateFirst<P> {
    fn search(&mut self, line: &Line<P>, limits: &Limits, watch: &mut dyn Watch<P::Move>) -> Verdict<P::Move> {
        // A few nodes, whatever the time: the solver looks at the clock, and has a tenth of what there is.
        let bounds = Limits {
            time: limits.time.map(|time| time / 10),
            ..Limits::nodes(limits.nodes.map_or(self.nodes, |nodes| nodes.min(self.nodes)))
        };
        let report = self.solver.solve(line, &bounds, watch);
        let mate = match report.mate {
            // The solver does not know which moves are excluded.
            Mate::Found { line: mate, .. } if mate.first().is_some_and(|&mv| line.is_legal(mv)) => Some(mate),
            _ => None,
        };
        let Some(mate) = mate else {
            let left = limits.time.map(|time| time.saturating_sub(report.elapsed));
            return self.inner.search(line, &Limits { time: left, ..limits.clone() }, watch);
        };
        let plies = mate.len() as u32;
        let first = mate.first().copied();
        let root = first.map(|mv| RootMove {
            visits: report.nodes,
            proof: Some(Proof::Win(plies)),
            selection: 1.0,
            realization: 1.0,
            backup: 1.0,
            depth: plies as f32,
            pv: mate.clone(),
            ..RootMove::new(mv)
        });
        Verdict {
            best: first,
            proof: Some(Proof::Win(plies)),
            moves: root.into_iter().collect(),
            pv: mate,
            nodes: report.nodes,
            depth: plies,
            selective_depth: plies,
            effective_depth: plies as f32,
            elapsed: report.elapsed,
            ended: Some(Ended::Solved),
            value: self.win,
            ..Verdict::empty()
        }
    }

    fn played(&mut self, mv: P::Move) {
        self.inner.played(mv);
    }

    fn new_game(&mut self) {
        self.inner.new_game();
    }

    fn prepare(&mut self, line: &Line<P>, stop: &AtomicBool) {
        self.inner.prepare(line, stop);
    }
}
