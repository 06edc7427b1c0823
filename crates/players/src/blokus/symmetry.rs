//! The second player can answer every move by its image under half a turn, which ends in a draw unless the first player takes the middle.

use std::sync::atomic::AtomicBool;

use yomi_core::{Color, Line, Position};
use yomi_eval::blokus::{Evaluation, Learned};
use yomi_games::blokus::{BlokusDuo, BlokusMove, Symmetry};
use yomi_search::{Limits, RootMove, Search, Verdict, Watch};

/// Takes the middle as soon as it can if the opponent has mirrored everything so far, and asks the search inside otherwise.
pub(super) struct BreakSymmetry {
    inner: Box<dyn Search<BlokusDuo>>,
    evaluation: Evaluation,
}

impl BreakSymmetry {
    pub(super) fn new(inner: Box<dyn Search<BlokusDuo>>) -> BreakSymmetry {
        BreakSymmetry { inner, evaluation: Evaluation::new(&Learned::embedded_weights()) }
    }

    /// The best of the moves that cannot be mirrored, in a position where everything was.
    fn breaking(&self, position: &BlokusDuo) -> Option<BlokusMove> {
        let [black, white] = Color::BOTH.map(|color| position.occupied(color));
        if position.turn() != Color::Black || black.is_empty() || Symmetry::Rotate.cells(black) != white {
            return None;
        }
        let mut moves = Vec::new();
        position.generate(&mut moves);
        // A piece that overlaps its own image has none; all others do. Once both sides stand in the middle there is no such piece left.
        moves.retain(|mv| !mv.cells().is_disjoint(Symmetry::Rotate.cells(mv.cells())));
        let mut changes = Vec::new();
        self.evaluation.changes(position, &moves, &mut changes);
        (0..moves.len()).max_by_key(|&i| changes[i]).map(|i| moves[i])
    }
}

impl Search<BlokusDuo> for BreakSymmetry {
    fn search(
        &mut self,
        line: &Line<BlokusDuo>,
        limits: &Limits,
        watch: &mut dyn Watch<BlokusMove>,
    ) -> Verdict<BlokusMove> {
        match self.breaking(line.position()).filter(|&mv| line.is_legal(mv)) {
            Some(mv) => Verdict {
                best: Some(mv),
                pv: vec![mv],
                moves: vec![RootMove { visits: 1, selection: 1.0, realization: 1.0, backup: 1.0, ..RootMove::new(mv) }],
                ..Verdict::empty()
            },
            None => self.inner.search(line, limits, watch),
        }
    }

    fn played(&mut self, mv: BlokusMove) {
        self.inner.played(mv);
    }

    fn new_game(&mut self) {
        self.inner.new_game();
    }

    fn prepare(&mut self, line: &Line<BlokusDuo>, stop: &AtomicBool) {
        self.inner.prepare(line, stop);
    }
}
