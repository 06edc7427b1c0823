//! What happens where a sample ends: the evaluator is asked, the tree grows.

use yomi_core::{Cancel, Evaluator, Move, Outcome, Position, Want};

use super::flight::{Asked, Finding, Flight};
use super::sample::{Sampler, State, Task};
use crate::backup::Backup;
use crate::expand::Expand;
use crate::growth::{Growth, Source, survival};
use crate::score::{self, UNSEEN};
use crate::search::Proof;
use crate::select::Select;
use crate::tree::{Below, Link, Newborn, NodeId, ROOT};

/// What a sample that has reached the end of its path does next.
pub(super) enum End {
    /// Nothing has to be asked.
    Found(Finding),
    /// It waits for an answer.
    Asks(Asked),
    /// Another sample is expanding the very leaf.
    Collision,
}

impl<P: Position, E: Evaluator<P>> Sampler<'_, P, E> {
    /// Step 3, first half: what the recipe wants to know about the leaf. `link` is what the sample saw when it came.
    pub(super) fn reach(&mut self, node: NodeId, link: Link) -> End {
        let turn = self.state.flight.line.position().turn();
        // Others may have been here meanwhile.
        let link = if self.task.alone { link } else { self.task.tree.link(node) };
        match link.below() {
            Below::Over(outcome) => End::Found(Finding {
                value: outcome.value_with_draw(turn, self.win, self.draw),
                fruitful: false,
                judged: false,
                settles: true,
            }),
            Below::Children(_) => End::Found(self.nothing_new(node)),
            Below::Leaf | Below::Busy if !self.task.recipe.expand.judges_siblings() => self.ask_for_leaf(node),
            Below::Busy => End::Collision,
            Below::Leaf if link.is_exhausted() => End::Found(self.nothing_new(node)),
            Below::Leaf => self.ask_for_children(node),
        }
    }

    /// All children at once (S0.1, S4.2).
    fn ask_for_children(&mut self, node: NodeId) -> End {
        if !self.may_grow() {
            return End::Found(self.close(node));
        }
        if !self.task.tree.claim(node) {
            return End::Collision;
        }
        let State { flight, .. } = &mut self.state;
        if let Some(outcome) = flight.line.generate(&mut flight.moves) {
            return End::Found(self.game_over(node, outcome));
        }
        let want = Want::CHILDREN | Want::PRIORS;
        let last = self.last_move(node);
        End::Asks(Asked { node, depth: self.depth(), want, visits: 0, grows: true, listed: true, last })
    }

    /// The leaf itself; its children are born unseen when it has been visited often enough (S2.1).
    fn ask_for_leaf(&mut self, node: NodeId) -> End {
        let Task { tree, recipe, extras, .. } = self.task;
        let visits = tree.visits(node);
        let ripe = visits > recipe.expand.after();
        // The moves of a leaf that gets no children yet are not needed.
        let State { flight, .. } = &mut self.state;
        let outcome = match ripe {
            true => flight.line.generate(&mut flight.moves),
            false => flight.line.ended(&mut flight.moves),
        };
        if let Some(outcome) = outcome {
            return End::Found(self.game_over(node, outcome));
        }
        let grows = ripe && self.may_grow() && tree.claim(node);
        let needs_priors = grows && (recipe.uses_priors() || node == ROOT);
        let want = Want::VALUE.and_if(needs_priors, Want::PRIORS).and_if(extras.amaf, Want::PLAYOUTS);
        let last = self.last_move(node);
        End::Asks(Asked { node, depth: self.depth(), want, visits, grows, listed: ripe, last })
    }

    /// The move that leads to a node. What was played before the root is not known here.
    fn last_move(&self, node: NodeId) -> Option<u16> {
        (node != ROOT).then(|| self.task.tree.mv(node))
    }

    /// Step 3, second half: what the answer means for the tree. None if the evaluation was cancelled.
    #[inline]
    pub(super) fn receive(&mut self, asked: Asked, cancel: Cancel<'_>) -> Option<Finding> {
        match asked.want.has(Want::CHILDREN) {
            true => self.receive_children(asked.node, cancel),
            false if self.state.flight.answer.abandoned && asked.node != ROOT => {
                if asked.grows {
                    self.task.tree.unclaim(asked.node);
                }
                None
            }
            // Without any number the root still gets its moves.
            false => Some(self.receive_leaf(asked)),
        }
    }

    fn receive_children(&mut self, node: NodeId, cancel: Cancel<'_>) -> Option<Finding> {
        let tree = self.task.tree;
        let State { flight, .. } = &mut self.state;
        let judged = flight.answer.values.len().min(flight.moves.len());
        self.tally.evaluated(judged);
        if judged < flight.moves.len() && cancel.is_cancelled() {
            if node != ROOT {
                tree.unclaim(node);
                return None;
            }
            // Some of the root's moves are better than none; those not judged are the last to play. If none is, none is lost.
            let unknown = if judged > 0 { -self.win } else { 0.0 };
            flight.answer.values.resize(flight.moves.len(), unknown);
        }
        let settles = self.prepare_newborns();
        let Some(block) = tree.adopt_on(&mut self.state.plot, node, &self.state.newborns) else {
            tree.unclaim(node);
            tree.exhaust(node);
            return Some(self.nothing_new(node));
        };
        self.tally.grew(self.depth() + 1, block.len);
        // A mean takes the best child for the sample's result. Other backups look at the children themselves.
        let newborns = &self.state.newborns;
        let value = match self.task.recomputes {
            true => 0.0,
            false => newborns.iter().map(|child| score::plain(child.value, self.win)).fold(-self.win, f32::max),
        };
        Some(Finding { value, fruitful: true, judged: false, settles })
    }

    fn receive_leaf(&mut self, asked: Asked) -> Finding {
        let Task { tree, recipe, .. } = self.task;
        let Asked { node, visits, grows, .. } = asked;
        let value = score::estimate(self.state.flight.answer.value);
        let keeps_first =
            || matches!(recipe.backup, Backup::ImplicitMinimax { .. }) || matches!(recipe.select, Select::Gumbel(_));
        if visits <= 1 && keeps_first() {
            tree.set_auxiliary(node, 0.0 - value);
        }
        self.tally.evaluated(1);
        if grows {
            self.prepare_unjudged();
            match tree.adopt_on(&mut self.state.plot, node, &self.state.newborns) {
                Some(block) => self.tally.grew(self.depth() + 1, block.len),
                None => tree.unclaim(node),
            }
        }
        Finding { value, fruitful: true, judged: true, settles: false }
    }

    /// The children of the flight's moves, as its answer judges them. An evaluator that answers too little is forgiven. True if the game
    /// ends with one of them.
    fn prepare_newborns(&mut self) -> bool {
        let Sampler { task: Task { recipe, extras, .. }, win, draw, state: State { flight, newborns, .. }, .. } = self;
        let Flight { line, moves, answer, .. } = flight;
        let chooser = line.position().turn();
        let uniform = 1.0 / moves.len().max(1) as f32;
        answer.values.resize(moves.len(), 0.0);
        answer.priors.resize(moves.len(), uniform);
        answer.outcomes.resize(moves.len(), None);
        let judgements = answer.values.iter().zip(&answer.priors).zip(&answer.outcomes);
        // Implicit minimax begins with the static value; other auxiliary numbers begin with nothing.
        let keeps = extras.static_value || matches!(recipe.backup, Backup::ImplicitMinimax { .. });
        let mut over = false;
        newborns.clear();
        newborns.extend(moves.iter().zip(judgements).map(|(mv, ((&value, &prior), outcome))| {
            let (value, link) = match outcome {
                None => (score::estimate(value), Link::LEAF),
                Some(outcome) => (worth(*outcome, chooser, *win, *draw, recipe.solver), Link::over(*outcome)),
            };
            over |= outcome.is_some();
            let (prior, static_value) = (sane(prior, uniform), if keeps { score::plain(value, *win) } else { 0.0 });
            Newborn { mv: mv.to_bits(), value, prior, static_value, link }
        }));
        over
    }

    /// The children of the flight's moves, about which nothing is known but their priors, as far as the answer has any.
    fn prepare_unjudged(&mut self) {
        let Sampler { task: Task { recipe, .. }, state: State { flight, newborns, .. }, .. } = self;
        let Flight { moves, answer, .. } = flight;
        let uniform = 1.0 / moves.len().max(1) as f32;
        answer.priors.resize(moves.len(), uniform);
        newborns.clear();
        newborns.extend(moves.iter().zip(&answer.priors).map(|(mv, &prior)| Newborn {
            mv: mv.to_bits(),
            value: UNSEEN,
            prior: sane(prior, uniform),
            static_value: 0.0,
            link: Link::LEAF,
        }));
        if recipe.expand.sorts_by_prior() {
            // Unstable, as a stable sort allocates; the moves, which come in order, break ties.
            newborns.sort_unstable_by(|a, b| b.prior.total_cmp(&a.prior).then(a.mv.cmp(&b.mv)));
        }
    }

    /// The game ends at this leaf.
    fn game_over(&mut self, node: NodeId, outcome: Outcome) -> Finding {
        let turn = self.state.flight.line.position().turn();
        let value = worth(outcome, !turn, self.win, self.draw, self.task.recipe.solver);
        match score::proof(value) {
            Some(proof) => self.task.tree.set_proof(node, proof),
            None => self.task.tree.set_estimate(node, value),
        }
        self.task.tree.finish(node, outcome);
        Finding {
            value: outcome.value_with_draw(turn, self.win, self.draw),
            fruitful: true,
            judged: false,
            settles: true,
        }
    }

    /// Nothing is to be learned here.
    fn nothing_new(&self, node: NodeId) -> Finding {
        Finding {
            value: 0.0 - score::plain(self.task.tree.value(node), self.win),
            fruitful: false,
            judged: false,
            settles: true,
        }
    }

    /// A leaf that may not grow. Where that depends on values, which change, it may grow another time.
    fn close(&self, node: NodeId) -> Finding {
        let wavering =
            matches!(self.task.recipe.expand, Expand::Growth { of: Source::Selection, rule: Growth::Above(_), .. });
        if !wavering || self.depth() >= self.task.depth {
            self.task.tree.exhaust(node);
            self.tally.closed_a_leaf();
        }
        self.nothing_new(node)
    }

    /// Whether the limits and the recipe let the leaf at the end of the path have children. The root always may.
    fn may_grow(&mut self) -> bool {
        let depth = self.depth();
        if depth == 0 {
            return true;
        }
        depth < self.task.depth
            && match self.task.recipe.expand {
                Expand::Growth { mu, tau, rule, .. } => {
                    rule.grows(survival(self.state.flight.cumulative, mu, tau), &mut self.state.rng)
                }
                _ => true,
            }
    }
}

/// A prior that is one; the uniform one in the place of others.
#[inline]
fn sane(prior: f32, uniform: f32) -> f32 {
    if (0.0..f32::INFINITY).contains(&prior) { prior } else { uniform }
}

/// What an outcome is worth to the side that moved into it: a proof at one ply, or a plain value when nothing is to be proven. A draw that
/// is worth more to one side than to the other is a plain value: what is proven has the same worth for both.
fn worth(outcome: Outcome, mover: yomi_core::Color, win: f32, draw: f32, solver: bool) -> f32 {
    if !solver || (outcome == Outcome::Draw && draw != 0.0) {
        return score::estimate(outcome.value_with_draw(mover, win, draw));
    }
    score::from_proof(match outcome {
        Outcome::Draw => Proof::Draw,
        Outcome::Win(winner) if winner == mover => Proof::Win(1),
        Outcome::Win(_) => Proof::Loss(1),
    })
}
