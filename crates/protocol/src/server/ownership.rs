//! Who will own which point, by playing the game out many times.

use yomi_core::policy::play_out;
use yomi_core::{Color, Policy, Position, Seed, Uniform};
use yomi_games::go::{Go, Score, Vertex};

/// What many playouts came to.
pub(super) struct Ownership {
    /// By point: 1 where Black owned it in the end of every playout, -1 where White did.
    pub(super) points: Vec<f32>,
}

/// A chain is dead if the other side owned it so much of the time.
const DEAD: f32 = 0.6;

impl Ownership {
    /// Plays `playouts` games out, each side moving first in half of them.
    pub(super) fn of<const LEN: usize>(position: &Go<LEN>, playouts: u32, seed: Seed) -> Ownership {
        let mut rng = seed.rng();
        let mut scratch = Policy::<Go<LEN>>::scratch(&Uniform);
        let mut counts = vec![0i32; position.size() * position.size()];
        for i in 0..playouts {
            let mut game = position.clone();
            // Both may have passed: the playout goes on as if they had not.
            game.set_turn(if i % 2 == 0 { position.turn() } else { !position.turn() });
            play_out(&mut game, 0, &Uniform, &mut rng, &mut scratch);
            for (count, owner) in counts.iter_mut().zip(game.owners(&[])) {
                *count += owner.map_or(0, |color| if color == Color::Black { 1 } else { -1 });
            }
        }
        let n = playouts.max(1) as f32;
        Ownership { points: counts.into_iter().map(|c| c as f32 / n).collect() }
    }

    /// The stones that do not survive: whole chains.
    pub(super) fn dead<const LEN: usize>(&self, position: &Go<LEN>) -> Vec<Vertex> {
        let stones = position.vertices().filter_map(|v| Some((v, position.at(v)?)));
        stones
            .filter(|&(v, color)| {
                let sign = if color == Color::Black { 1.0 } else { -1.0 };
                let (mut sum, mut n) = (0.0, 0.0);
                for stone in position.chain(v) {
                    sum += sign * self.points[position.index(stone)];
                    n += 1.0;
                }
                sum / n < -DEAD
            })
            .map(|(v, _)| v)
            .collect()
    }

    /// The count with the dead stones taken off.
    pub(super) fn score<const LEN: usize>(&self, position: &Go<LEN>) -> Score {
        position.score(&self.dead(position))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use yomi_core::{Notation, Spec};
    use yomi_games::go::Go9;

    /// Black holds the left with two eyes, White the right; a White stone is lost in Black's area.
    fn settled() -> Go9 {
        let start = Go9::start(&Spec::parse("go7(komi=0.5)").unwrap()).unwrap();
        start.parse_position(".b.bw.w/bbbbw.w/..bbwww/.wbbw.w/..bbwww/bbbbw.w/.b.bw.w b - 2").unwrap()
    }

    #[test]
    fn dead_stones_are_found() {
        let position = settled();
        let ownership = Ownership::of(&position, 400, Seed::new(1));
        let dead: Vec<String> = ownership.dead(&position).into_iter().map(|v| position.vertex_text(v)).collect();
        assert_eq!(dead, ["B4"]);
        // Black 28 points, White 21, komi 0.5.
        assert_eq!(ownership.score(&position).to_string(), "B+6.5");
        assert!(ownership.points[position.index(position.parse_vertex("G1").unwrap())] < -0.9);
    }
}
