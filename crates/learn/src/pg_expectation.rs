//! PG expectation learning, exact and recursive (S0.7).
//!
//! The learner A chooses by `π_a(a|u) ∝ exp(E*(a,u)/T_a)`, the opponent B by a policy that is a parameter. One unit of depth is from a
//! turn of A to the next one. Values and gradients come back together, as the paper writes them; the cost is that of the whole tree.

use yomi_core::{Line, Outcome, Position};

use crate::gradient_sum::Gradient;
use crate::model::{Leaf, Model};
use crate::policy::{boltzmann, expectation};

/// The policy of the opponent, π_b.
pub trait Opponent<P: Position> {
    /// The probability of every reply; `values` is what each is worth to the opponent.
    fn probabilities(&mut self, position: &Line<P>, replies: &[P::Move], values: &[f64]) -> Vec<f64>;
}

/// All replies alike.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Uniform;

impl<P: Position> Opponent<P> for Uniform {
    fn probabilities(&mut self, _: &Line<P>, replies: &[P::Move], _: &[f64]) -> Vec<f64> {
        vec![1.0 / replies.len() as f64; replies.len()]
    }
}

/// The opponent chooses as the learner does, by the same values at its own temperature: the policy of the MCSS tree. It is known and
/// fixed, so nothing is differentiated through it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Softmax(pub f64);

impl<P: Position> Opponent<P> for Softmax {
    fn probabilities(&mut self, _: &Line<P>, _: &[P::Move], values: &[f64]) -> Vec<f64> {
        boltzmann(values, self.0)
    }
}

/// A value for the learner A, and its gradient.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Valued {
    /// `E*`.
    pub value: f64,
    /// `∂E*/∂ω`.
    pub gradient: Gradient,
}

/// The exact expectation over a tree of fixed depth.
pub struct Expectation<'a, P: Position, M, O, R> {
    /// The static value `E_s` and its gradient.
    pub model: &'a M,
    /// ω.
    pub parameters: &'a [f64],
    /// T_a.
    pub t_a: f64,
    /// π_b.
    pub opponent: O,
    /// Where the static value of a leaf is taken: at itself, or where its quiescence search ends.
    pub rest: R,
    /// The worth of a won game.
    pub win: f64,
    /// Positions come as lines, for repetitions end games.
    pub game: std::marker::PhantomData<P>,
}

impl<P: Position, M: Model<P>, O: Opponent<P>, R: FnMut(&P) -> Leaf<P>> Expectation<'_, P, M, O, R> {
    /// The moves of A at `u` with `E*(a,u)` and its gradient, for a tree of `depth` units, one at least. None where the game is over.
    pub fn moves(&mut self, u: &Line<P>, depth: u32) -> Vec<(P::Move, Valued)> {
        let mut legal = Vec::new();
        u.generate(&mut legal);
        let worth = |a: P::Move, this: &mut Self| {
            let mut v = u.clone();
            v.play(a);
            this.after_own_move(&v, depth)
        };
        legal.into_iter().map(|a| (a, worth(a, self))).collect()
    }

    /// `E*(a,u) = Σ_b π_b(b|v)·…` at v, the position after A's move a.
    fn after_own_move(&mut self, v: &Line<P>, depth: u32) -> Valued {
        let mut replies = Vec::new();
        if let Some(outcome) = v.generate(&mut replies) {
            return self.over(outcome, !v.position().turn());
        }
        let mut worths = Vec::with_capacity(replies.len());
        for &b in &replies {
            let mut u = v.clone();
            u.play(b);
            worths.push(self.own_turn(&u, depth - 1));
        }
        let for_opponent: Vec<f64> = worths.iter().map(|worth| -worth.value).collect();
        let pi_b = self.opponent.probabilities(v, &replies, &for_opponent);
        let mut sum = Valued::default();
        for (p, worth) in pi_b.iter().zip(&worths) {
            sum.value += p * worth.value;
            sum.gradient.add_scaled(*p, &worth.gradient);
        }
        sum
    }

    /// At a turn of A: `Σ_a π_a(a|u)·E*(a,u)` with gradient `Σ_a π_a·[e_ω(a)·E*(a,u) + ∂E*(a,u)/∂ω]`; `E_s(u)` where the tree ends.
    fn own_turn(&mut self, u: &Line<P>, depth: u32) -> Valued {
        if let Some(outcome) = u.ended(&mut Vec::new()) {
            return self.over(outcome, u.position().turn());
        }
        if depth == 0 {
            return self.static_value(u.position());
        }
        let worths: Vec<Valued> = self.moves(u, depth).into_iter().map(|(_, worth)| worth).collect();
        let values: Vec<f64> = worths.iter().map(|worth| worth.value).collect();
        let pi_a = boltzmann(&values, self.t_a);
        let mut mean_gradient = Gradient::default();
        for (p, worth) in pi_a.iter().zip(&worths) {
            mean_gradient.add_scaled(*p, &worth.gradient);
        }
        let mut sum = Valued { value: expectation(&pi_a, &values), gradient: Gradient::default() };
        for (p, worth) in pi_a.iter().zip(&worths) {
            let e = eligibility(&worth.gradient, &mean_gradient, self.t_a);
            sum.gradient.add_scaled(p * worth.value, &e);
            sum.gradient.add_scaled(*p, &worth.gradient);
        }
        sum
    }

    fn static_value(&mut self, u: &P) -> Valued {
        let leaf = (self.rest)(u);
        let mut gradient = Gradient::default();
        leaf.gradient(self.model, self.parameters, 1.0, &mut |index, x| gradient.add(index, x));
        Valued { value: leaf.value(self.model, self.parameters), gradient }
    }

    fn over(&self, outcome: Outcome, learner: yomi_core::Color) -> Valued {
        let value = f64::from(outcome.value_for(learner, 1.0)) * self.win;
        Valued { value, gradient: Gradient::default() }
    }
}

/// S0.7, `e_ω = (1/T_a)·[∂E*(a,u)/∂ω - Σ_a' π_a(a'|u)·∂E*(a',u)/∂ω]`.
pub fn eligibility(own: &Gradient, mean: &Gradient, t_a: f64) -> Gradient {
    let mut e = Gradient::default();
    e.add_scaled(1.0 / t_a, own);
    e.add_scaled(-1.0 / t_a, mean);
    e
}

/// e_ω of a move played among moves of these values and gradients (S0.7).
pub fn eligibility_of(moves: &[Valued], t_a: f64, played: usize) -> Gradient {
    let values: Vec<f64> = moves.iter().map(|worth| worth.value).collect();
    let mut mean = Gradient::default();
    for (p, worth) in boltzmann(&values, t_a).iter().zip(moves) {
        mean.add_scaled(*p, &worth.gradient);
    }
    eligibility(&moves[played].gradient, &mean, t_a)
}
