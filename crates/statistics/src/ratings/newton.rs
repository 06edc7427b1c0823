//! The likelihood of a pool of games, and Newton's way to its maximum.
//!
//! Parameters in natural units (400/ln 10 Elo): the ratings, then the advantage, then the draw parameter.

use yomi_core::TextError;

use crate::cholesky::Cholesky;

/// Games of one player, who moved first, against another; virtual ones are counted too, so counts are no whole numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pairing {
    pub(super) first: usize,
    pub(super) second: usize,
    pub(super) wins: f64,
    pub(super) draws: f64,
    pub(super) losses: f64,
}

/// What is to be fitted.
pub(super) struct Problem<'a> {
    pub(super) pairings: &'a [Pairing],
    pub(super) players: usize,
    /// For each player the number of the pool he belongs to.
    pub(super) pools: &'a [usize],
    /// Fixed advantage and draw parameters; the others are estimated.
    pub(super) fixed: [Option<f64>; 2],
}

/// The maximum.
pub(super) struct Solution {
    pub(super) parameters: Vec<f64>,
    /// The covariance, row by row; zero for what was fixed.
    pub(super) covariance: Vec<f64>,
}

/// Variance of the normal prior of an estimated advantage or draw parameter: 400 Elo squared. It weighs about as much as one game, and
/// keeps both finite where the games alone would not.
const WIDE: f64 = std::f64::consts::LN_10 * std::f64::consts::LN_10;

const MAX_STEPS: usize = 200;

/// ln(1 / (1 + e^-x)), for any x.
fn ln_logistic(x: f64) -> f64 {
    -(-x.abs()).exp().ln_1p() + x.min(0.0)
}

fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

impl Problem<'_> {
    fn size(&self) -> usize {
        self.players + 2
    }

    /// Draws have no probability of their own when the draw parameter is fixed at 0: then each is half a win and half a loss.
    fn has_draws(&self) -> bool {
        self.fixed[1] != Some(0.0)
    }

    /// In the exponents a draw counts as a win and a loss: P(draw) = P(win)·P(loss)·(e^2y - 1).
    fn weights(&self, pairing: &Pairing) -> (f64, f64) {
        let share = if self.has_draws() { 1.0 } else { 0.5 };
        (pairing.wins + share * pairing.draws, pairing.losses + share * pairing.draws)
    }

    fn start(&self) -> Vec<f64> {
        let mut parameters = vec![0.0; self.size()];
        parameters[self.players] = self.fixed[0].unwrap_or(0.0);
        parameters[self.players + 1] = self.fixed[1].unwrap_or(0.5);
        parameters
    }

    /// The logarithm of the likelihood, or -∞ where the draw parameter is out of its range.
    fn value(&self, parameters: &[f64]) -> f64 {
        let (advantage, y) = (parameters[self.players], parameters[self.players + 1]);
        if self.has_draws() && y <= 0.0 {
            return f64::NEG_INFINITY;
        }
        let draw = if self.has_draws() { 2.0 * y + (-(-2.0 * y).exp_m1()).ln() } else { 0.0 };
        let games = self.pairings.iter().map(|pairing| {
            let x = parameters[pairing.first] - parameters[pairing.second] + advantage;
            let (wins, losses) = self.weights(pairing);
            wins * ln_logistic(x - y) + losses * ln_logistic(-x - y) + pairing.draws * draw
        });
        games.sum::<f64>() + self.estimated().map(|i| -parameters[i].powi(2) / (2.0 * WIDE)).sum::<f64>()
    }

    /// The places of the advantage and the draw parameter, as far as they are estimated.
    fn estimated(&self) -> impl Iterator<Item = usize> + '_ {
        (0..2).filter(|&i| self.fixed[i].is_none()).map(|i| self.players + i)
    }

    /// The gradient, and minus the matrix of second derivatives, made positive along what nothing depends on: the level of each pool,
    /// and what is fixed.
    fn derivatives(&self, parameters: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let (n, a, d) = (self.size(), self.players, self.players + 1);
        let (advantage, y) = (parameters[a], parameters[d]);
        let (mut gradient, mut matrix) = (vec![0.0; n], vec![0.0; n * n]);
        for pairing in self.pairings {
            let (i, j) = (pairing.first, pairing.second);
            let x = parameters[i] - parameters[j] + advantage;
            let (wins, losses) = self.weights(pairing);
            let (not_won, not_lost) = (logistic(y - x), logistic(x + y));
            let (won_curve, lost_curve) = (wins * not_won * (1.0 - not_won), losses * not_lost * (1.0 - not_lost));
            let (along, across) = (won_curve + lost_curve, lost_curve - won_curve);
            let slope = wins * not_won - losses * not_lost;
            // x rises with i and the advantage and falls with j.
            for (row, sign) in [(i, 1.0), (j, -1.0), (a, 1.0)] {
                gradient[row] += sign * slope;
                for (column, other) in [(i, 1.0), (j, -1.0), (a, 1.0)] {
                    matrix[row * n + column] += sign * other * along;
                }
                matrix[row * n + d] += sign * across;
                matrix[d * n + row] += sign * across;
            }
            gradient[d] -= wins * not_won + losses * not_lost;
            matrix[d * n + d] += along;
            if self.has_draws() {
                let decay = -(-2.0 * y).exp_m1();
                gradient[d] += 2.0 * pairing.draws / decay;
                matrix[d * n + d] += 4.0 * pairing.draws * (1.0 - decay) / (decay * decay);
            }
        }
        for i in self.estimated() {
            gradient[i] -= parameters[i] / WIDE;
            matrix[i * n + i] += 1.0 / WIDE;
        }
        for (i, _) in self.fixed.iter().enumerate().filter(|(_, fixed)| fixed.is_some()) {
            let i = self.players + i;
            gradient[i] = 0.0;
            (0..n).for_each(|k| (matrix[i * n + k], matrix[k * n + i]) = (0.0, 0.0));
            matrix[i * n + i] = 1.0;
        }
        for i in 0..self.players {
            for j in (0..self.players).filter(|&j| self.pools[i] == self.pools[j]) {
                matrix[i * n + j] += 1.0;
            }
        }
        (gradient, matrix)
    }

    /// Newton's method from zero. Steps that do not gain are halved; the function is concave, so this arrives.
    pub(super) fn solve(&self) -> Result<Solution, TextError> {
        let failed = || TextError::new("the ratings cannot be determined from these games: try a stronger prior");
        let mut parameters = self.start();
        let mut value = self.value(&parameters);
        for _ in 0..MAX_STEPS {
            let (gradient, matrix) = self.derivatives(&parameters);
            let factor = Cholesky::factor(matrix, self.size()).ok_or_else(failed)?;
            let mut step = gradient.clone();
            factor.solve(&mut step);
            // Twice what the quadratic approximation promises to gain.
            let promise: f64 = step.iter().zip(&gradient).map(|(s, g)| s * g).sum();
            if promise <= 1e-20 * (1.0 + value.abs()) || !promise.is_finite() {
                return if promise.is_finite() { Ok(self.solution(parameters, &factor)) } else { Err(failed()) };
            }
            let mut length = 1.0;
            loop {
                let next: Vec<f64> = parameters.iter().zip(&step).map(|(p, s)| p + length * s).collect();
                let gained = self.value(&next) - value;
                // The last steps gain less than rounding shows.
                if gained >= 0.25 * length * promise || (gained.abs() <= 1e-13 * value.abs() && length == 1.0) {
                    (parameters, value) = (next, value + gained);
                    break;
                }
                length /= 2.0;
                if length < 1e-9 {
                    return Ok(self.solution(parameters, &factor));
                }
            }
        }
        Err(failed())
    }

    fn solution(&self, parameters: Vec<f64>, factor: &Cholesky) -> Solution {
        let n = self.size();
        let mut covariance = factor.inverse();
        // What was added along the level of a pool of m players is 1/m² in the inverse.
        let mut members = vec![0.0; self.players];
        self.pools.iter().for_each(|&pool| members[pool] += 1.0);
        for i in 0..self.players {
            for j in (0..self.players).filter(|&j| self.pools[i] == self.pools[j]) {
                covariance[i * n + j] -= 1.0 / f64::powi(members[self.pools[i]], 2);
            }
        }
        for (i, _) in self.fixed.iter().enumerate().filter(|(_, fixed)| fixed.is_some()) {
            covariance[(self.players + i) * n + self.players + i] = 0.0;
        }
        Solution { parameters, covariance }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The derivatives are what differences of the function say.
        #[test]
        fn derivatives_are_differences(
            counts in proptest::collection::vec((0usize..3, 0usize..3, 0.0..9.0f64, 0.1..9.0f64, 0.0..9.0f64), 1..8),
            point in proptest::collection::vec(-1.5..1.5f64, 4), y in 0.2..2.0f64, fixed in 0usize..3,
        ) {
            let pairings: Vec<Pairing> = counts.iter().filter(|c| c.0 != c.1)
                .map(|&(first, second, wins, draws, losses)| Pairing { first, second, wins, draws, losses }).collect();
            let fixed = [[None, None], [Some(0.3), None], [None, Some(0.0)]][fixed];
            let problem = Problem { pairings: &pairings, players: 3, pools: &[0, 1, 2], fixed };
            let mut at = point;
            at.push(y);
            (0..2).for_each(|i| if let Some(value) = fixed[i] { at[3 + i] = value });
            let (gradient, matrix) = problem.derivatives(&at);
            for i in (0..5).filter(|&i| i < 3 || fixed[i - 3].is_none()) {
                let moved = |by: f64| { let mut p = at.clone(); p[i] += by; p };
                let h = 1e-5;
                let slope = (problem.value(&moved(h)) - problem.value(&moved(-h))) / (2.0 * h);
                prop_assert!((slope - gradient[i]).abs() < 1e-5 * (1.0 + slope.abs()), "{i} {slope} {}", gradient[i]);
                let (up, down) = (problem.derivatives(&moved(h)).0, problem.derivatives(&moved(-h)).0);
                for j in 0..5 {
                    let curve = -(up[j] - down[j]) / (2.0 * h) + if i == j && i < 3 { 1.0 } else { 0.0 };
                    prop_assert!((curve - matrix[i * 5 + j]).abs() < 1e-4 * (1.0 + curve.abs()), "{i} {j} {curve}");
                }
            }
        }
    }

    #[test]
    fn logistic_far_out() {
        assert_eq!(ln_logistic(1e4), 0.0);
        assert_eq!(ln_logistic(-1e4), -1e4);
        assert!((ln_logistic(0.3) - logistic(0.3).ln()).abs() < 1e-15);
    }
}
