//! Counting lines and playing games out at full speed: what `perft` and `bench` measure.
//!
//! Compiled here for every game, so that programs around it may be built for size.

use yomi_core::policy::play_out;
use yomi_core::{Color, Line, Rng, Simulate, Uniform};

/// Work that is done millions of times a second.
pub trait Count: Sized {
    /// Lines of exactly `depth` moves, without repetition and superko.
    fn perft(&self, depth: u32) -> u64;

    /// The same under the whole of the rules, from the end of a line.
    fn perft_line(line: &Line<Self>, depth: u32) -> u64
    where
        Self: yomi_core::Position;

    /// Plays random games to their end: their plies, and the first player's points.
    fn play_outs(&self, games: u64, rng: &mut Rng) -> (u64, f64);
}

/// Plays random games to their end: their plies, and Black's points.
fn play_outs<P: Simulate>(start: &P, games: u64, rng: &mut Rng) -> (u64, f64) {
    let (mut plies, mut points) = (0, 0.0);
    let mut scratch = P::Sampler::default();
    let mut position = start.clone();
    for _ in 0..games {
        position.clone_from(start);
        let (outcome, length) = play_out(&mut position, 0, &Uniform, rng, &mut scratch);
        plies += length as u64;
        points += (1.0 + f64::from(outcome.value_for(Color::Black, 1.0))) / 2.0;
    }
    (plies, points)
}

macro_rules! counted {
    ([] $( $type:ty, $knowledge:ident, [$($name:literal),+], $summary:literal; )+) => {$(
        impl Count for $type {
            fn perft(&self, depth: u32) -> u64 {
                yomi_core::perft::perft(self, depth)
            }

            fn perft_line(line: &Line<Self>, depth: u32) -> u64 {
                yomi_core::perft::perft_line(line, depth)
            }

            fn play_outs(&self, games: u64, rng: &mut Rng) -> (u64, f64) {
                play_outs(self, games, rng)
            }
        }
    )+};
}
crate::for_each_game!(counted);
