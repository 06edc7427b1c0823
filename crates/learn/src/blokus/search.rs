//! The position at the end of the best line of a shallow search: whose features are fitted if dynamic values are learned.

use yomi_core::{Outcome, Position};
use yomi_eval::blokus::Evaluation;
use yomi_games::blokus::BlokusDuo;

/// Where the best play of both sides leads in `depth` plies, by the evaluation. Ended games are worth what they are worth, far beyond
/// any evaluation.
pub(super) fn principal(evaluation: &Evaluation, position: &BlokusDuo, depth: u32) -> BlokusDuo {
    negamax(evaluation, position, depth, [f64::NEG_INFINITY, f64::INFINITY]).1
}

/// More than any evaluation.
const WON: f64 = 1e9;

fn negamax(evaluation: &Evaluation, position: &BlokusDuo, depth: u32, [alpha, beta]: [f64; 2]) -> (f64, BlokusDuo) {
    let mut moves = Vec::new();
    if let Some(outcome) = position.generate(&mut moves) {
        let value = match outcome {
            Outcome::Draw => 0.0,
            Outcome::Win(winner) => {
                if winner == position.turn() {
                    WON
                } else {
                    -WON
                }
            }
        };
        return (value, position.clone());
    }
    if depth == 0 {
        return (evaluation.value(position), position.clone());
    }
    let mut changes = Vec::new();
    evaluation.changes(position, &moves, &mut changes);
    let mut order: Vec<usize> = (0..moves.len()).collect();
    order.sort_by_key(|&i| std::cmp::Reverse(changes[i]));
    let mut best: Option<(f64, BlokusDuo)> = None;
    for i in order {
        let mut child = position.clone();
        child.play(moves[i]);
        let least = best.as_ref().map_or(alpha, |(value, _)| value.max(alpha));
        let (value, leaf) = negamax(evaluation, &child, depth - 1, [-beta, -least]);
        if best.as_ref().is_none_or(|(most, _)| -value > *most) {
            best = Some((-value, leaf));
        }
        if -value >= beta {
            break;
        }
    }
    best.unwrap_or_else(|| (0.0, position.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use yomi_core::{Color, Seed};
    use yomi_eval::blokus::{Kind, Weights};

    /// The value of a leaf for Black.
    fn black_value(evaluation: &Evaluation, position: &BlokusDuo) -> f64 {
        let value = evaluation.value(position);
        if position.turn() == Color::Black { value } else { -value }
    }

    /// Late in the game, where all lines can be tried: the best line by plain minimax has the same value.
    #[test]
    fn the_line_is_that_of_minimax() {
        fn minimax(evaluation: &Evaluation, position: &BlokusDuo, depth: u32) -> f64 {
            let mut moves = Vec::new();
            let sign = if position.turn() == Color::Black { 1.0 } else { -1.0 };
            match position.generate(&mut moves) {
                Some(outcome) => return f64::from(outcome.value_for(Color::Black, WON as f32)),
                None if depth == 0 => return black_value(evaluation, position),
                None => {}
            }
            let values = moves.iter().map(|&mv| {
                let mut child = position.clone();
                child.play(mv);
                sign * minimax(evaluation, &child, depth - 1)
            });
            sign * values.fold(f64::NEG_INFINITY, f64::max)
        }
        let mut weights = Weights::default();
        let mut rng = Seed::new(8).rng();
        weights.all_mut().iter_mut().for_each(|w| *w = f64::from(rng.unit()));
        weights.all_mut()[Kind::Score.shared()] = 5.0;
        let evaluation = Evaluation::new(&weights);
        for seed in 0..6 {
            let mut rng = Seed::new(seed).rng();
            let (mut position, mut moves) = (BlokusDuo::default(), Vec::new());
            for _ in 0..19 {
                if position.generate(&mut moves).is_none() {
                    position.play(moves[rng.below(moves.len())]);
                }
            }
            for depth in 0..=2 {
                let leaf = principal(&evaluation, &position, depth);
                let value = match leaf.generate(&mut moves) {
                    Some(outcome) => f64::from(outcome.value_for(Color::Black, WON as f32)),
                    None => black_value(&evaluation, &leaf),
                };
                assert_eq!(value, minimax(&evaluation, &position, depth), "{position}");
            }
        }
    }
}
