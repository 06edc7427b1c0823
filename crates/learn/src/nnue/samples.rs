//! What a network learns from: quiet positions as rows of weights, and how probably each is won.

use yomi_core::{Position, Rng, Tactical};
use yomi_eval::Linear;
use yomi_eval::nnue::{Seer, UNIT};
use yomi_games::shogi::{Shogi, ShogiMove, Variant};

use crate::games::Game;
use crate::lessons::{Targets, score, sigmoid, targets};

/// Positions of games, packed.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Samples {
    rows: Vec<u16>,
    /// Where the rows of each position end: those of the side to move, those of the other side.
    ends: Vec<[u32; 2]>,
    /// How probably the side to move wins, as the rest of the game has it.
    pub targets: Vec<f32>,
    /// What its own search made of it, in logits.
    pub searched: Vec<f32>,
    /// How the game ended for it: 1, 0.5 or 0.
    pub results: Vec<f32>,
}

impl Samples {
    /// The quiet positions of games: searched, not in check, no mate in sight, and neither a capture nor a promotion was played.
    pub fn of<'g, V: Variant>(options: &Targets, games: impl IntoIterator<Item = &'g Game<ShogiMove>>) -> Samples {
        let seer = Seer::new::<V>();
        let mut samples = Samples::default();
        for game in games {
            let targets = targets(options, game);
            let mut position = Shogi::<V>::default();
            for (ply, (&mv, &searched)) in game.moves.iter().zip(&game.values).enumerate() {
                let noisy = mv.promotes() || position.piece_at(mv.to()).is_some();
                let judged = searched.abs() < 0.9 * yomi_eval::material::WIN;
                if ply >= game.random && judged && !noisy && !position.in_check() {
                    let result = score(game.outcome, position.turn());
                    samples.push(&seer.rows(&position), [targets[ply], searched / UNIT, result]);
                }
                position.play(mv);
            }
        }
        samples
    }

    /// Random children of the positions of games, `each` for every position, and what the linear evaluation thinks of them: as many as wanted,
    /// and quick. A network that imitates it first needs fewer games to know better.
    pub fn imitating<'g, V: Variant>(
        evaluation: &Linear<V>,
        games: impl IntoIterator<Item = &'g Game<ShogiMove>>,
        each: usize,
        rng: &mut Rng,
    ) -> Samples {
        let (seer, tables) = (Seer::new::<V>(), evaluation.tables());
        let (mut samples, mut moves) = (Samples::default(), Vec::new());
        for game in games {
            let mut position = Shogi::<V>::default();
            for &mv in &game.moves {
                if position.generate(&mut moves).is_none() {
                    for _ in 0..each {
                        let mut child = position;
                        child.play(moves[rng.below(moves.len())]);
                        let value = tables.value(&child, &tables.sum(&child));
                        let target = sigmoid(f64::from(value / UNIT)) as f32;
                        samples.push(&seer.rows(&child), [target, value / UNIT, target]);
                    }
                }
                position.play(mv);
            }
        }
        samples
    }

    /// Adds a position: its target, what its search made of it in logits, and the result.
    pub fn push(&mut self, rows: &[Vec<u16>; 2], [target, searched, result]: [f32; 3]) {
        let ends = [0, 1].map(|side| {
            self.rows.extend(&rows[side]);
            self.rows.len() as u32
        });
        self.ends.push(ends);
        self.targets.push(target);
        self.searched.push(searched);
        self.results.push(result);
    }

    /// Adds the positions of others after these.
    pub fn append(&mut self, others: &Samples) {
        let offset = self.rows.len() as u32;
        self.rows.extend(&others.rows);
        self.ends.extend(others.ends.iter().map(|ends| ends.map(|end| end + offset)));
        self.targets.extend(&others.targets);
        self.searched.extend(&others.searched);
        self.results.extend(&others.results);
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The rows that the side to move sees in a position, and those that the other side sees.
    #[inline]
    pub fn rows(&self, index: usize) -> [&[u16]; 2] {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before][1]) as usize;
        let [middle, end] = self.ends[index].map(|end| end as usize);
        [&self.rows[start..middle], &self.rows[middle..end]]
    }
}
