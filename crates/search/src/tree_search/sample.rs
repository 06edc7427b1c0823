//! One sample: the loop every method of the tree family shares.
//!
//! [`Sampler::gather`] and [`Sampler::back_up`] are the whole algorithm, joined in `flight`. Each thread has a sampler of its own; all
//! samplers share the tree.

use yomi_core::question::Flight as Batched;
use yomi_core::{Evaluator, Line, Move, Position, Rng};

use super::amaf::Amaf;
use super::crew::Tally;
use super::deferred::Deferred;
use super::flight::{Finding, Flight, PathNode};
use super::leaf::End;
use crate::expand::Expand;
use crate::growth::Source;
use crate::recipe::Recipe;
use crate::score;
use crate::select::{Buffers, Choice};
use crate::tree::{Below, Block, Extras, Link, Newborn, NodeId, Plot, ROOT, Tree};

/// What all samplers of a search share.
pub(super) struct Task<'a, P: Position, E> {
    pub(super) tree: &'a Tree,
    pub(super) recipe: &'a Recipe,
    pub(super) evaluator: &'a E,
    pub(super) root: &'a Line<P>,
    /// No node lies deeper.
    pub(super) depth: u32,
    /// Whether this sampler has the tree to itself.
    pub(super) alone: bool,
    /// By how much a sample in flight lowers a node for other samplers.
    pub(super) virtual_loss: f32,
    /// Whether values are computed from children, and not from the samples that passed.
    pub(super) recomputes: bool,
    /// The extra columns of the tree.
    pub(super) extras: Extras,
}

/// A thread's walker through the tree.
pub(super) struct Sampler<'a, P: Position, E: Evaluator<P>> {
    pub(super) task: Task<'a, P, E>,
    /// What a won game is worth.
    pub(super) win: f32,
    /// What a drawn game is worth to Black.
    pub(super) draw: f32,
    pub(super) tally: &'a Tally,
    pub(super) state: State<P, E>,
}

/// What a sampler keeps from sample to sample: nothing is allocated inside a sample once this is warm.
pub(super) struct State<P: Position, E: Evaluator<P>> {
    /// The sample at hand.
    pub(super) flight: Flight<P>,
    /// Samples that wait for their answers: the first `gathered` of these.
    pub(super) parked: Vec<Flight<P>>,
    pub(super) gathered: usize,
    /// Memory for their questions.
    pub(super) batch: Vec<Batched<'static, P>>,
    pub(super) newborns: Vec<Newborn>,
    pub(super) plot: Plot,
    pub(super) buffers: Buffers,
    pub(super) amaf: Amaf,
    pub(super) deferred: Deferred,
    pub(super) rng: Rng,
    pub(super) scratch: E::Scratch,
}

/// How a sample ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fate {
    /// It brought something new.
    Fruitful,
    /// It met nothing new: a finished game, a leaf that may not grow, a full tree.
    Barren,
    /// Another sample was expanding the very leaf, or the evaluation was cancelled: the sample was taken back as if it had not been.
    TakenBack,
}

impl<'a, P: Position, E: Evaluator<P>> Sampler<'a, P, E> {
    /// The first half of a sample (S0.1).
    #[inline(never)]
    pub(super) fn gather(&mut self) -> End {
        // 1. Start at the root.
        let (mut node, mut link) = self.start();
        // 2. Follow the selection rule to a leaf.
        while let Some(block) = self.open_children(node, link) {
            let Some(child) = self.select(node, block) else { break };
            (node, link) = self.step_to(child);
        }
        // 3. Expand the leaf and judge it or its children.
        self.reach(node, link)
    }

    fn start(&mut self) -> (NodeId, Link) {
        self.state.flight.line.rewind_to(self.task.root);
        self.state.flight.path.clear();
        self.state.flight.cumulative = 1.0;
        self.enter(ROOT);
        (ROOT, self.task.tree.link(ROOT))
    }

    /// The children a sample may go on to; none at a leaf and where the result is proven.
    fn open_children(&self, node: NodeId, link: Link) -> Option<Block> {
        let Task { tree, recipe, .. } = self.task;
        let Below::Children(block) = link.below() else { return None };
        if score::is_proven(tree.value(node)) {
            return None;
        }
        match recipe.expand {
            Expand::Widening { .. } => Some(block.truncated(recipe.expand.considered(tree.visits(node), block.len))),
            _ => Some(block),
        }
    }

    /// The child to follow. None if nothing can be learned below any of them.
    fn select(&mut self, node: NodeId, block: Block) -> Option<NodeId> {
        let Task { tree, recipe, recomputes, .. } = self.task;
        let mut choice = self.choice(node, block);
        let mut index = recipe.select.take(&choice, &mut self.state.buffers, &mut self.state.rng)?;
        // A value computed from children gains nothing by looking again where all is known. A mean does: it counts.
        if recomputes && tree.is_spent(block.child(index)) {
            choice.open_only = true;
            index = recipe.select.take(&choice, &mut self.state.buffers, &mut self.state.rng)?;
        }
        if let Expand::Growth { of, .. } = recipe.expand {
            self.state.flight.cumulative *= match of {
                Source::Prior => f64::from(tree.prior(block.child(index))),
                Source::Selection => {
                    recipe.select.probabilities(&choice, &mut self.state.buffers, &mut self.state.rng);
                    f64::from(self.state.buffers.rates[index])
                }
            };
        }
        Some(block.child(index))
    }

    fn step_to(&mut self, child: NodeId) -> (NodeId, Link) {
        let Task { tree, recipe, .. } = self.task;
        // What is judged by visits alone is a leaf until the first. Otherwise the link comes before the move: its cache line may be far
        // away, as those of the children are, and playing takes a while.
        let is_leaf = !recipe.expand.judges_siblings() && tree.visits(child) == 0;
        let link = if is_leaf { Link::LEAF } else { tree.link(child) };
        if let Below::Children(block) = link.below() {
            tree.approach(block);
        }
        self.state.flight.line.play(P::Move::from_bits(tree.mv(child)));
        self.enter(child);
        (child, link)
    }

    /// 4. Brings the value back along the path.
    #[inline]
    pub(super) fn back_up(&mut self, finding: Finding) {
        let Task { tree, recipe, extras, recomputes, .. } = self.task;
        let mut value = finding.value;
        let mut settled = finding.settles;
        for i in (0..self.state.flight.path.len()).rev() {
            let step @ PathNode { node, .. } = self.state.flight.path[i];
            // A node keeps its value for the player who moved into it.
            value = 0.0 - value;
            if step.deferred {
                self.state.deferred.visit(tree, node, value);
            }
            settled = settled && self.settle(node);
            if recipe.solver && score::is_proven(tree.value(node)) {
                value = score::plain(tree.value(node), self.win);
                self.refresh_auxiliary(node, i as u32);
            } else if recomputes && step.deferred && node == ROOT {
                // It waits for the end of the batch.
            } else if !self.recompute(node, i as u32) {
                self.average(step, value);
                self.refresh_auxiliary(node, i as u32);
            }
        }
        if extras.amaf && finding.judged {
            self.count_all_moves_as_first();
        }
    }

    /// Plies below the root.
    pub(super) fn depth(&self) -> u32 {
        (self.state.flight.path.len() as u32).saturating_sub(1)
    }

    pub(super) fn choice(&self, parent: NodeId, block: Block) -> Choice<'a> {
        let mix = self.task.recipe.backup.mix();
        Choice { tree: self.task.tree, parent, block, depth: self.depth(), win: self.win, mix, open_only: false }
    }
}
