//! One step of all weights (S1.3): `w_j += α·k·Σ_t (r_t - V_t)·V_t·(1 - V_t)·x_tj`.

use yomi_eval::blokus::{Features, GAIN, KINDS, Kind, SQUARES, Weights, sigmoid};

/// What an update has done.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Change {
    /// Positions learned from.
    pub positions: usize,
    /// Sum of `|r_t - V_t|` before the update.
    pub error: f64,
    /// Sum of `(r_t - V_t)²` before the update: the objective OF of the episode.
    pub objective: f64,
    /// By kind, the mean over its squares of `|Δw/w|` (eq. 5), those that had no weight yet left out.
    pub relative: [f64; KINDS],
    /// By kind, `Σ|Δw| / Σ|w|` over its squares, which no tiny weight dominates.
    pub overall: [f64; KINDS],
}

/// Moves the weights towards the targets of the positions that have these features, all from Black's view.
pub fn update(weights: &mut Weights, features: &[Features], targets: &[f64], rate: f64) -> Change {
    let mut change = Change { positions: features.len(), ..Change::default() };
    let mut step = vec![0.0; weights.all().len()];
    for (features, target) in features.iter().zip(targets) {
        let expected = sigmoid(features.value(weights.all()));
        let error = target - expected;
        change.error += error.abs();
        change.objective += error * error;
        let slope = error * expected * (1.0 - expected);
        features.nonzero().for_each(|(index, x)| step[index] += slope * x);
    }
    step.iter_mut().for_each(|s| *s *= rate * GAIN);
    for kind in Kind::ALL {
        let squares = kind.location(0)..kind.location(0) + SQUARES;
        let (mut sum, mut count, mut moved, mut size) = (0.0, 0.0, 0.0, 0.0);
        for (w, s) in weights.all()[squares.clone()].iter().zip(&step[squares]) {
            moved += s.abs();
            size += w.abs();
            if *w != 0.0 {
                sum += (s / w).abs();
                count += 1.0;
            }
        }
        change.relative[kind as usize] = if count > 0.0 { sum / count } else { 0.0 };
        change.overall[kind as usize] = if size > 0.0 { moved / size } else { 0.0 };
    }
    weights.all_mut().iter_mut().zip(step).for_each(|(w, s)| *w += s);
    change
}

#[cfg(test)]
mod tests {
    use super::*;
    use yomi_core::Position;
    use yomi_games::blokus::{BlokusDuo, BlokusMove};

    /// By hand: Black's monomino alone, from no weights. V = 0.5, so with r = 0.9 a count of one moves by 0.5·0.02·0.4·0.25 = 0.001.
    #[test]
    fn the_first_step_is_known() {
        let mut position = BlokusDuo::default();
        position.play(BlokusMove::parse("e10").unwrap());
        let features = Features::of(&position);
        let mut weights = Weights::default();
        let change = update(&mut weights, std::slice::from_ref(&features), &[0.9], 0.5);
        let close = |a: f64, b: f64| (a - b).abs() < 1e-15;
        assert!(close(change.error, 0.4) && close(change.objective, 0.16));
        assert_eq!((change.positions, change.relative, change.overall), (1, [0.0; KINDS], [0.0; KINDS]));
        assert!(close(weights.all()[Kind::Score.shared()], 0.001));
        assert!(close(weights.all()[Kind::Dead.shared()], 0.004));
        assert!(close(weights.all()[Kind::Score.location(60)], 0.001));
        assert_eq!(weights.all()[Kind::Score.location(61)], 0.0);
        // Twice the same position sums up; the second step shrinks the error, and says by how much the weight changes.
        let before = weights.all()[Kind::Score.location(60)];
        let change = update(&mut weights, &[features.clone(), features], &[0.9, 0.9], 0.5);
        let after = weights.all()[Kind::Score.location(60)];
        assert!(change.error < 0.8 && change.error > 0.75, "{}", change.error);
        assert!(close(change.relative[0], (after - before) / before) && close(change.overall[0], change.relative[0]));
    }
}
