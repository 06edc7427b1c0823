//! What a game adds to learning from it: who has won when time is up, by how much, and who owns what.

use yomi_core::{Color, Notation, Outcome};
use yomi_games::Game;
use yomi_games::blokus::BlokusDuo;
use yomi_games::go::Go;
use yomi_games::shogi::{Five, Nine, Shogi};
use yomi_net::input::Encode;

/// A game that networks can learn.
pub trait Trainable: Encode + Game {
    /// Moves after which a game is broken off.
    fn longest_game(&self) -> usize;

    /// The result of a game that is broken off.
    fn broken_off(&self) -> Outcome {
        Outcome::Draw
    }

    /// Whether a game may end as soon as its result is proven. Not where the final score is learned, too.
    fn ends_when_proven(&self) -> bool {
        true
    }

    /// Black's points minus White's, in games of points.
    fn margin(&self) -> Option<f32> {
        None
    }

    /// The owner of every point if the game ends here (Go).
    fn final_owners(&self) -> Vec<Option<Color>> {
        Vec::new()
    }
}

impl Trainable for Shogi<Nine> {
    fn longest_game(&self) -> usize {
        320
    }
}

impl Trainable for Shogi<Five> {
    fn longest_game(&self) -> usize {
        160
    }
}

impl<const LEN: usize> Trainable for Go<LEN>
where
    Go<LEN>: Notation,
{
    fn longest_game(&self) -> usize {
        2 * self.size() * self.size()
    }

    fn broken_off(&self) -> Outcome {
        self.score(&[]).outcome()
    }

    fn ends_when_proven(&self) -> bool {
        false
    }

    fn margin(&self) -> Option<f32> {
        Some(self.score(&[]).0.in_halves() as f32 / 2.0)
    }

    fn final_owners(&self) -> Vec<Option<Color>> {
        self.owners(&[])
    }
}

impl Trainable for BlokusDuo {
    fn longest_game(&self) -> usize {
        64
    }

    fn ends_when_proven(&self) -> bool {
        false
    }

    fn margin(&self) -> Option<f32> {
        Some((self.score(Color::Black) - self.score(Color::White)) as f32)
    }
}
