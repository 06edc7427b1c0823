//! Which child a sample goes to.
//!
//! A rule gives every sibling a number: a weight, when the child is drawn at random, or an urgency, when the most urgent is taken.
//! Each rule is a file with its formula. The enum is matched once per node; the loops over the siblings are inside.

mod anchored;
mod best_first;
mod boltzmann;
mod entropy;
mod gumbel;
mod puct;
mod rave;
mod text;
mod thompson;
mod ucb1;

pub(crate) use anchored::{anchored, mass};
pub(crate) use best_first::reach;
pub use entropy::Regularizer;
pub(crate) use entropy::entropic_policy;
pub use gumbel::Gumbel;
pub use puct::FirstPlay;
pub use rave::{Belief, Criticality, Rave, Schedule};
pub use text::WORDS;
pub(crate) use text::{
    BETA, C_HEURISTIC, C_PUCT, CRITICAL, EPSILON, EPSILON_BTS, EVEN, SIGMA, T, WINS, parse_first_play, parse_rave,
};
pub use ucb1::Unit;

use yomi_core::Rng;

use crate::constant::Constant;
use crate::score::{self, UNSEEN};
use crate::search::Proof;
use crate::softmax;
use crate::temperature::Temperature;
use crate::tree::{Block, NodeId, Tree};

/// The rules of selection.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Select {
    /// At random by `exp(E/T)` (S0.2), with the policy term of S4.1 where `c` is not 0.
    Boltzmann {
        /// Temperature.
        t: Temperature,
        /// Weight of the policy term, in the evaluator's unit.
        c: Constant,
    },
    /// At random by `exp(E'/T)`, E' being drawn towards the static value while little is below a child (Shibaura MCSS).
    Anchored {
        /// Temperature.
        t: Temperature,
        /// How much of E' is the static value of a child with nothing below it, from 0 to 1.
        share: f32,
        /// Temperature of the soft depth.
        td: f32,
        /// The temperature at a node is multiplied by this once for each unit of its soft depth; 1 leaves it alone.
        cool: f32,
    },
    /// The highest upper confidence bound (S2.1).
    Ucb1 {
        /// Weight of exploration.
        c: Constant,
        /// What the weight counts in.
        unit: Unit,
    },
    /// UCB1 mixed with all moves as first (S2.1).
    Rave {
        /// Weight of exploration.
        c: f32,
        /// What the weight counts in.
        unit: Unit,
        /// How all moves as first, priors and criticality count.
        rave: Rave,
    },
    /// The policy's upper confidence bound (S4.1, baseline).
    Puct {
        /// Weight of exploration, in the evaluator's unit.
        c: Constant,
        /// Visits over which the weight grows; 0 for a constant weight.
        base: f32,
        /// The value of an unvisited move.
        first_play: FirstPlay,
    },
    /// Sequential halving with Gumbel noise at the root, the improved policy below (Danihelka et al. 2022).
    Gumbel(Gumbel),
    /// The highest of one draw for each child, the child's value being uncertain (S0.5, RBFM).
    Thompson {
        /// Standard deviation of a child visited once, in the evaluator's unit.
        sigma: Constant,
    },
    /// The child of highest value.
    Greedy,
    /// Towards the leaf of highest realization probability (S0.5).
    BestFirst {
        /// Temperature of the probabilities.
        t: Temperature,
    },
    /// At random by a policy of maximum entropy, with some uniform exploration: E2W and E3W.
    Entropy {
        /// Temperature.
        t: Constant,
        /// Exploration: the uniform part is `ε·|A|/ln(N+1)`, at most 1.
        epsilon: f32,
        /// Which entropy.
        by: Regularizer,
    },
    /// Boltzmann with a temperature that may fall as `N^-decay`, with uniform exploration: BTS.
    Bts {
        /// Temperature at the first visit.
        t: Constant,
        /// Exploration: the uniform part is `ε/ln(e+N)`, at most 1.
        epsilon: f32,
        /// How fast it cools: 0 not at all, 0.5 as one over the root.
        decay: f32,
    },
    /// BTS with a bonus for the entropy of the subtree that fades as `β/ln(e+N)`: DENTS.
    Dents {
        /// Temperature.
        t: Constant,
        /// Exploration, as above.
        epsilon: f32,
        /// Weight of the entropy before the first visit, in the evaluator's unit.
        beta: Constant,
    },
}

/// What the numbers of a rule mean.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rule {
    /// Weights: draw in proportion.
    Draw,
    /// Urgencies: take the highest, the first of equals.
    Greedy,
}

impl Rule {
    /// Takes a child by these numbers; none if every one is out of the question.
    #[inline]
    pub(crate) fn pick(self, rates: &[f32], rng: &mut Rng) -> Option<usize> {
        match self {
            Rule::Draw => softmax::draw(rates, rng),
            Rule::Greedy => {
                let mut best = (None, f32::NEG_INFINITY);
                for (i, &rate) in rates.iter().enumerate() {
                    if rate > best.1 {
                        best = (Some(i), rate);
                    }
                }
                best.0
            }
        }
    }
}

/// Siblings to choose among, and who chooses.
#[derive(Clone, Copy)]
pub(crate) struct Choice<'a> {
    pub(crate) tree: &'a Tree,
    pub(crate) parent: NodeId,
    pub(crate) block: Block,
    /// Plies of the parent below the root.
    pub(crate) depth: u32,
    /// What a won game is worth.
    pub(crate) win: f32,
    /// How much of the auxiliary minimax value is mixed into the values (implicit minimax); 0 for none.
    pub(crate) mix: f32,
    /// Whether siblings below which nothing can be learned are out of the question.
    pub(crate) open_only: bool,
}

impl Choice<'_> {
    /// The siblings' scores for the side that chooses: proofs and the mark of unseen ones included.
    #[inline]
    pub(crate) fn scores(&self, out: &mut Vec<f32>, spare: &mut Vec<f32>) {
        self.tree.read_values(self.block, out);
        if self.mix > 0.0 {
            self.tree.read_auxiliary(self.block, spare);
            for (x, &deep) in out.iter_mut().zip(&*spare) {
                if !score::is_proven(*x) && score::is_seen(*x) {
                    *x = score::estimate((1.0 - self.mix) * *x + self.mix * deep);
                }
            }
        }
        if self.open_only {
            for (x, child) in out.iter_mut().zip(self.block.children()) {
                if self.tree.is_spent(child) {
                    *x = score::from_proof(Proof::Loss(0));
                }
            }
        }
    }

    /// The same, with the parent's own value in the place of unseen ones.
    #[inline]
    pub(crate) fn scores_or_own(&self, out: &mut Vec<f32>, spare: &mut Vec<f32>) {
        self.scores(out, spare);
        let own = self.own_value();
        for x in out {
            *x = if *x == UNSEEN { own } else { *x };
        }
    }

    /// Worth of the parent for the side that chooses.
    #[inline]
    pub(crate) fn own_value(&self) -> f32 {
        0.0 - score::plain(self.tree.value(self.parent), self.win)
    }

    /// Samples through the parent so far, the present one included.
    #[inline]
    pub(crate) fn samples(&self) -> f32 {
        self.tree.visits(self.parent).max(1) as f32
    }
}

/// Memory for the numbers of one node's siblings, used again and again.
#[derive(Default, Debug)]
pub(crate) struct Buffers {
    /// What [`Select::rate`] fills in.
    pub(crate) rates: Vec<f32>,
    pub(crate) spare: Vec<f32>,
    pub(crate) more: Vec<f32>,
    /// 1 for a sibling that may be taken, 0 for one that is out of the question.
    pub(crate) open: Vec<f32>,
    pub(crate) wide: Vec<f64>,
    pub(crate) weights: Vec<f64>,
    /// Gumbel's noise at the root.
    pub(crate) noise: gumbel::Noise,
}

impl Select {
    /// Fills in `buffers.rates`, one number for each sibling, and says what they mean. Lost children are out of the question.
    #[inline]
    pub(crate) fn rate(&self, choice: &Choice<'_>, buffers: &mut Buffers, rng: &mut Rng) -> Rule {
        match *self {
            Select::Boltzmann { t, c } => boltzmann::rate(t, c.value(), choice, buffers),
            Select::Anchored { t, share, cool, .. } => anchored::rate(t, share, cool, choice, buffers),
            Select::Ucb1 { c, unit } => ucb1::rate(unit.weight(c.value(), choice.win), choice, buffers),
            Select::Rave { c, unit, rave } => rave::rate(unit.weight(c, choice.win), rave, choice, buffers),
            Select::Puct { c, base, first_play } => puct::rate(c.value(), base, first_play, choice, buffers),
            Select::Gumbel(rule) => gumbel::rate(rule, choice, buffers),
            Select::Thompson { sigma } => thompson::rate(sigma.value(), choice, buffers, rng),
            Select::Greedy => {
                choice.scores_or_own(&mut buffers.rates, &mut buffers.spare);
                exclude_lost(&mut buffers.rates);
                Rule::Greedy
            }
            Select::BestFirst { t } => best_first::rate(t, choice, buffers),
            Select::Entropy { t, epsilon, by } => entropy::rate(t.value(), epsilon, by, choice, buffers),
            Select::Bts { t, epsilon, decay } => entropy::rate_cooling(t.value(), epsilon, decay, choice, buffers),
            Select::Dents { t, epsilon, beta } => {
                entropy::rate_with_bonus(t.value(), epsilon, beta.value(), choice, buffers)
            }
        }
    }

    /// The rule of [`Gumbel`], before a search has set it up.
    pub(crate) fn gumbel(moves: f32, visit: f32, scale: f32) -> Select {
        Select::Gumbel(Gumbel { moves: moves as u32, visit, scale, simulations: gumbel::DEFAULT_PLAN, noise: 0 })
    }

    /// Sets the rule up for a search: for how many simulations it plans, and the seed of its noise.
    pub(crate) fn begin(&mut self, simulations: Option<u64>, seed: yomi_core::Seed) {
        if let Select::Gumbel(rule) = self {
            // The first simulation judges the root.
            let plan =
                simulations.map_or(gumbel::DEFAULT_PLAN, |n| u32::try_from(n.saturating_sub(1)).unwrap_or(u32::MAX));
            (rule.simulations, rule.noise) = (plan.max(1), seed.branch("gumbel", 0).number());
        }
    }

    /// Takes a child; none if every one is out of the question.
    #[inline]
    pub(crate) fn take(&self, choice: &Choice<'_>, buffers: &mut Buffers, rng: &mut Rng) -> Option<usize> {
        match *self {
            Select::Ucb1 { c, unit } if choice.mix == 0.0 && !choice.open_only => {
                ucb1::most_urgent(unit.weight(c.value(), choice.win), choice)
            }
            _ => self.rate(choice, buffers, rng).pick(&buffers.rates, rng),
        }
    }

    /// Probabilities that the next sample takes each sibling, into `buffers.rates`. Where they have no closed form, how often each was
    /// taken so far.
    pub(crate) fn probabilities(&self, choice: &Choice<'_>, buffers: &mut Buffers, rng: &mut Rng) {
        if let Select::Thompson { .. } = self {
            return thompson::frequencies(choice, buffers);
        }
        match self.rate(choice, buffers, rng) {
            Rule::Draw => {
                let total = softmax::sum(&buffers.rates);
                let scale = if total > 0.0 { 1.0 / total } else { 0.0 };
                buffers.rates.iter_mut().for_each(|x| *x *= scale);
            }
            Rule::Greedy => {
                let taken = Rule::Greedy.pick(&buffers.rates, rng);
                buffers.rates.fill(0.0);
                if let Some(i) = taken {
                    buffers.rates[i] = 1.0;
                }
            }
        }
    }

    /// Whether equal trees always lead to the same child, so that threads need a virtual loss to part ways.
    pub(crate) fn is_deterministic(&self) -> bool {
        matches!(
            self,
            Select::Ucb1 { .. }
                | Select::Rave { .. }
                | Select::Puct { .. }
                | Select::Gumbel(_)
                | Select::Greedy
                | Select::BestFirst { .. }
        )
    }

    /// The same rule with its temperature multiplied by `factor`; none for rules without a temperature that could differ from thread to thread.
    pub(crate) fn heated(&self, factor: f32) -> Option<Select> {
        match *self {
            Select::Boltzmann { t, c } => Some(Select::Boltzmann { t: t.times(factor), c }),
            Select::Anchored { t, share, td, cool } => Some(Select::Anchored { t: t.times(factor), share, td, cool }),
            _ => None,
        }
    }

    /// A difference of values that makes this rule change its mind: what a virtual loss takes away.
    pub(crate) fn virtual_loss(&self, win: f32) -> f32 {
        match *self {
            Select::Ucb1 { c, unit } => unit.weight(c.value(), win),
            Select::Rave { c, unit, .. } => unit.weight(c, win),
            Select::Puct { c, .. } => c.value(),
            _ => win,
        }
    }

    /// Whether it reads prior probabilities.
    pub(crate) fn uses_priors(&self) -> bool {
        match *self {
            Select::Boltzmann { c, .. } => c.value() > 0.0,
            Select::Rave { rave, .. } => rave.belief.counts(),
            Select::Puct { .. } | Select::Gumbel(_) | Select::Entropy { by: Regularizer::Relative, .. } => true,
            _ => false,
        }
    }
}

/// Lost children are never taken greedily.
fn exclude_lost(rates: &mut [f32]) {
    for x in rates {
        if *x < score::WEIGHTLESS {
            *x = f32::NEG_INFINITY;
        }
    }
}
