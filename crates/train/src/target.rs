//! What a search teaches: the policy that its root arrived at.

use yomi_core::{Move, Rng};
use yomi_search::select::{Gumbel, Select};
use yomi_search::{Proof, RootMove, Verdict};

/// The policy of a search over the moves of its verdict, in their order. `own` is what the network itself said about the position.
pub fn policy<M: Move>(select: &Select, verdict: &Verdict<M>, own: f32) -> Vec<f32> {
    let moves = &verdict.moves;
    if let Some(Proof::Win(_)) = verdict.proof {
        let wins: Vec<f32> = moves.iter().map(|row| won(row) * (row.prior + 1e-3)).collect();
        return normalized(wins);
    }
    let weights = match select {
        Select::Gumbel(rule) => improved(rule, moves, own),
        Select::Boltzmann { .. } | Select::Anchored { .. } => moves.iter().map(|row| row.selection).collect(),
        _ => moves.iter().map(|row| row.visits as f32).collect(),
    };
    // A move that is proven to lose is no move to learn, unless all are.
    let hopes: Vec<f32> = weights.iter().zip(moves).map(|(&x, row)| if lost(row) { 0.0 } else { x }).collect();
    normalized(if hopes.iter().any(|&x| x > 0.0) { hopes } else { weights })
}

fn won<M>(row: &RootMove<M>) -> f32 {
    if matches!(row.proof, Some(Proof::Win(_))) { 1.0 } else { 0.0 }
}

fn lost<M>(row: &RootMove<M>) -> bool {
    matches!(row.proof, Some(Proof::Loss(_)))
}

/// `π' = softmax(ln P + σ(completed q))`, eq. 11 of Danihelka et al. 2022: moves without visits count as much as the mixed value of
/// their appendix D.
fn improved<M>(rule: &Gumbel, moves: &[RootMove<M>], own: f32) -> Vec<f32> {
    let total: f32 = moves.iter().map(|row| row.visits as f32).sum();
    let most = moves.iter().map(|row| row.visits).max().unwrap_or(0) as f32;
    let seen = || moves.iter().filter(|row| row.visits > 0);
    let mass: f32 = seen().map(|row| row.prior).sum();
    let mean: f32 = seen().map(|row| row.prior * row.value).sum::<f32>() / mass.max(1e-30);
    let mixed = if mass > 0.0 { (own + total * mean) / (1.0 + total) } else { own };
    let logit = |row: &RootMove<M>| {
        let value = if row.visits > 0 { row.value } else { mixed };
        row.prior.max(1e-30).ln() + (rule.visit + most) * rule.scale * (0.5 + 0.5 * value.clamp(-1.0, 1.0))
    };
    let logits: Vec<f32> = moves.iter().map(logit).collect();
    let highest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    logits.iter().map(|x| (x - highest).exp()).collect()
}

/// Weights as probabilities; equal ones where there is no weight.
fn normalized(mut weights: Vec<f32>) -> Vec<f32> {
    let sum: f32 = weights.iter().sum();
    let even = 1.0 / weights.len().max(1) as f32;
    weights.iter_mut().for_each(|x| *x = if sum > 0.0 && sum.is_finite() { *x / sum } else { even });
    weights
}

/// How surprising a policy is to the network that gave the priors: the Kullback–Leibler divergence in nats.
pub fn surprise<M>(policy: &[f32], moves: &[RootMove<M>]) -> f32 {
    let term = |(&p, row): (&f32, &RootMove<M>)| if p > 0.0 { p * (p / row.prior.max(1e-6)).ln() } else { 0.0 };
    policy.iter().zip(moves).map(term).sum::<f32>().max(0.0)
}

/// Draws a move by `p^(1/temperature)`; the number of the move.
pub fn draw(policy: &[f32], temperature: f32, rng: &mut Rng) -> usize {
    let weights: Vec<f32> = policy.iter().map(|p| p.powf(1.0 / temperature)).collect();
    let mut left = rng.unit() * weights.iter().sum::<f32>();
    for (i, weight) in weights.iter().enumerate() {
        left -= weight;
        if left < 0.0 {
            return i;
        }
    }
    policy.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).map_or(0, |(i, _)| i)
}

#[cfg(test)]
mod tests {
    use super::*;
    use yomi_core::Seed;
    use yomi_search::Method;

    fn row(mv: u16, visits: u64, value: f32, prior: f32) -> RootMove<Mv> {
        RootMove { visits, value, prior, ..RootMove::new(Mv(mv)) }
    }

    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
    struct Mv(u16);
    impl Move for Mv {
        fn to_bits(self) -> u16 {
            self.0
        }
        fn from_bits(bits: u16) -> Mv {
            Mv(bits)
        }
    }

    fn select(text: &str) -> Select {
        text.parse::<Method>().unwrap().recipe.select
    }

    #[test]
    fn visits_are_the_policy_of_puct() {
        let verdict = Verdict { moves: vec![row(1, 6, 0.1, 0.5), row(2, 2, 0.0, 0.5)], ..Verdict::empty() };
        assert_eq!(policy(&select("puct"), &verdict, 0.0), [0.75, 0.25]);
    }

    /// By hand: visits 3 and 1, values 0.5 and -0.5, a third move that was not tried, c_visit 1, c_scale 1.
    #[test]
    fn the_improved_policy_is_the_papers() {
        let moves = vec![row(1, 3, 0.5, 0.2), row(2, 1, -0.5, 0.3), row(3, 0, 0.0, 0.5)];
        let verdict = Verdict { moves, ..Verdict::empty() };
        let got = policy(&select("gumbel(visit=1,scale=1)"), &verdict, 0.2);
        let seen: f32 = (0.2 * 0.5 - 0.3 * 0.5) / 0.5;
        let mixed = (0.2 + 4.0 * seen) / 5.0;
        let weight = |p: f32, q: f32| p * (4.0 * (0.5 + 0.5 * q)).exp();
        let weights = [weight(0.2, 0.5), weight(0.3, -0.5), weight(0.5, mixed)];
        let sum: f32 = weights.iter().sum();
        for (got, want) in got.iter().zip(weights) {
            assert!((got - want / sum).abs() < 1e-6, "{got} {want}");
        }
    }

    #[test]
    fn proofs_come_first() {
        let mut verdict = Verdict { moves: vec![row(1, 6, 0.1, 0.5), row(2, 2, 0.0, 0.5)], ..Verdict::empty() };
        verdict.moves[0].proof = Some(Proof::Loss(4));
        assert_eq!(policy(&select("puct"), &verdict, 0.0), [0.0, 1.0]);
        verdict.moves[0].proof = Some(Proof::Win(1));
        verdict.proof = Some(Proof::Win(1));
        assert_eq!(policy(&select("gumbel"), &verdict, 0.0), [1.0, 0.0]);
    }

    #[test]
    fn draws_follow_the_policy() {
        let mut rng = Seed::new(1).rng();
        let mut counts = [0; 3];
        (0..3000).for_each(|_| counts[draw(&[0.5, 0.0, 0.5], 1.0, &mut rng)] += 1);
        // Binomial, standard deviation 27; six of them.
        assert!(counts[1] == 0 && (counts[0] - 1500i32).abs() < 165, "{counts:?}");
        assert!((0..100).all(|_| draw(&[0.9, 0.1], 0.05, &mut rng) == 0));
    }
}
