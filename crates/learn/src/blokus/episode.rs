//! A game of the evaluation against itself.

use yomi_core::{Outcome, Position, Rng};
use yomi_eval::blokus::Evaluation;
use yomi_games::blokus::{BlokusDuo, BlokusMove};

/// The positions of a game after each of its plies, and how it ended.
pub struct Episode {
    /// After the first ply first; the last one is that of the finished game.
    pub positions: Vec<BlokusDuo>,
    /// How it ended.
    pub outcome: Outcome,
}

impl Episode {
    /// Plays a game: random pentominoes first, then the move whose position is judged best, or with probability ε any legal move.
    pub fn play(evaluation: &Evaluation, epsilon: f64, rng: &mut Rng) -> Episode {
        let mut position = BlokusDuo::default();
        let (mut positions, mut moves, mut changes) = (Vec::new(), Vec::new(), Vec::new());
        loop {
            if let Some(outcome) = position.generate(&mut moves) {
                return Episode { positions, outcome };
            }
            let mv = if position.occupied(position.turn()).is_empty() && !moves[0].is_pass() {
                random_pentomino(&moves, rng)
            } else if f64::from(rng.unit()) < epsilon {
                moves[rng.below(moves.len())]
            } else {
                evaluation.changes(&position, &moves, &mut changes);
                moves[random_best(&changes, rng)]
            };
            position.play(mv);
            positions.push(position.clone());
        }
    }
}

/// One of the pentominoes among these moves, or any of them if there is none.
pub fn random_pentomino(moves: &[BlokusMove], rng: &mut Rng) -> BlokusMove {
    let is_pentomino = |mv: &&BlokusMove| mv.piece().is_some_and(|piece| piece.size() == 5);
    match moves.iter().filter(is_pentomino).count() {
        0 => moves[rng.below(moves.len())],
        count => *moves.iter().filter(is_pentomino).nth(rng.below(count)).unwrap_or(&moves[0]),
    }
}

/// The index of one of the largest, each equally likely.
fn random_best(values: &[i32], rng: &mut Rng) -> usize {
    let (mut best, mut found, mut equals) = (i32::MIN, 0, 0);
    for (i, &value) in values.iter().enumerate() {
        if value > best {
            (best, found, equals) = (value, i, 1);
        } else if value == best {
            equals += 1;
            if rng.below(equals) == 0 {
                found = i;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use yomi_core::{Color, Seed};
    use yomi_eval::blokus::{Kind, Learned, Weights};
    use yomi_games::blokus::Symmetry;

    #[test]
    fn games_begin_with_pentominoes_and_end() {
        let mut weights = Weights::default();
        weights.all_mut()[Kind::Score.shared()] = 1.0;
        let evaluation = Evaluation::new(&weights);
        let mut openings = std::collections::BTreeSet::new();
        for seed in 0..20 {
            let episode = Episode::play(&evaluation, 0.0, &mut Seed::new(seed).rng());
            let sizes: Vec<u32> = episode.positions[..2].iter().map(|p| p.occupied(Color::Black).len()).collect();
            assert_eq!((sizes, episode.positions[1].occupied(Color::White).len()), (vec![5, 5], 5));
            openings.insert(episode.positions[1].key());
            let last = episode.positions.last().unwrap();
            assert_eq!(last.generate(&mut Vec::new()), Some(episode.outcome));
            // It takes squares as long as it can: pentominoes come first.
            assert_eq!(episode.positions[5].occupied(Color::Black).len(), 15);
        }
        assert!(openings.len() >= 19);
    }

    /// Half a turn of the board exchanges the sides, and the evaluation is the same for both; games in which White only copies Black
    /// would be draws that teach nothing. They do not come up, with and without chance in the moves.
    #[test]
    fn episodes_are_not_mirrored() {
        let evaluation = Evaluation::new(&Learned::embedded_weights());
        let (mut mirrored, mut draws) = (0, 0);
        for seed in 0..100 {
            let episode = Episode::play(&evaluation, 0.1 * (seed % 2) as f64, &mut Seed::new(seed).rng());
            let [black, white] = [Color::Black, Color::White].map(|color| episode.positions[7].occupied(color));
            mirrored += u32::from(Symmetry::Rotate.cells(black) == white);
            draws += u32::from(episode.outcome == Outcome::Draw);
        }
        assert!(mirrored == 0 && draws < 30, "{mirrored} mirrored, {draws} draws");
    }

    #[test]
    fn ties_are_broken_at_random() {
        let mut rng = Seed::new(1).rng();
        let mut counts = [0; 5];
        (0..3000).for_each(|_| counts[random_best(&[3, 7, 7, 1, 7], &mut rng)] += 1);
        // Each of three equals 1,000 times, give or take 6 standard deviations of 26.
        assert!(
            [1, 2, 4].iter().all(|&i| (840..1160).contains(&counts[i])) && counts[0] + counts[3] == 0,
            "{counts:?}"
        );
    }
}
