//! Working memory of each ply of the current line, kept from node to node.

use crate::alpha_beta::scale::MAX_PLY;
use crate::ordering::{Killers, Scored};

/// What one ply needs.
pub(crate) struct Level<M> {
    /// The moves as the game lists them.
    pub(crate) moves: Vec<M>,
    /// The moves with their scores.
    pub(crate) scored: Vec<Scored<M>>,
    /// The principal variation from here.
    pub(crate) pv: Vec<M>,
    /// Quiet moves that were good at this ply.
    pub(crate) killers: Killers<M>,
    /// The move that led here, where depth is measured in probabilities.
    pub(crate) last: Option<M>,
    /// The part of a ply that the moves up to here have cost beyond whole ones.
    pub(crate) spent: f32,
    /// All moves, and the plies that each costs.
    pub(crate) all: Vec<M>,
    pub(crate) costs: Vec<(u16, f32)>,
}

/// The plies of the current line, the root first.
pub(crate) struct Levels<M>(Vec<Level<M>>);

impl<M: Copy> Levels<M> {
    pub(crate) fn new() -> Levels<M> {
        let level = || Level {
            moves: Vec::new(),
            scored: Vec::new(),
            pv: Vec::new(),
            killers: Killers::default(),
            last: None,
            spent: 0.0,
            all: Vec::new(),
            costs: Vec::new(),
        };
        Levels((0..MAX_PLY + 2).map(|_| level()).collect())
    }

    #[inline]
    pub(crate) fn at(&mut self, ply: usize) -> &mut Level<M> {
        &mut self.0[ply]
    }

    /// No variation begins at this ply.
    #[inline]
    pub(crate) fn cut_pv(&mut self, ply: usize) {
        self.0[ply].pv.clear();
    }

    /// The best line from `ply` on is `mv` and what is best after it.
    pub(crate) fn extend_pv(&mut self, ply: usize, mv: M) {
        let (upper, lower) = self.0.split_at_mut(ply + 1);
        let pv = &mut upper[ply].pv;
        pv.clear();
        pv.push(mv);
        pv.extend_from_slice(&lower[0].pv);
    }

    pub(crate) fn pv(&self, ply: usize) -> &[M] {
        &self.0[ply].pv
    }

    pub(crate) fn killers(&self, ply: usize) -> &Killers<M> {
        &self.0[ply].killers
    }

    pub(crate) fn forget_killers(&mut self) {
        for level in &mut self.0 {
            level.killers = Killers::default();
        }
    }
}
