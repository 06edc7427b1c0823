//! Games of an evaluation against itself, straight to a file of samples.

use std::io::Write;
use std::ops::Range;

use yomi_core::{Evaluator, Seed, TextError};
use yomi_games::shogi::{Shogi, Variant};

use super::crew::in_order;
use super::export::{header, write_records};
use super::play::{Play, play};
use super::result_index;
use super::samples::Samples;
use crate::lessons::Targets;

/// Which games are played, and by how many threads.
#[derive(Clone, PartialEq, Debug)]
pub struct SampleRun {
    /// Their numbers; a game is determined by its number, the seed and how it is played.
    pub games: Range<usize>,
    /// How they are played.
    pub play: Play,
    /// What a position should be worth.
    pub targets: Targets,
    /// The seed of all random numbers.
    pub seed: u64,
    /// Threads; what is written does not depend on how many.
    pub threads: usize,
}

/// What has been written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Games won by Black, drawn, won by White.
    pub results: [usize; 3],
    /// Their moves.
    pub plies: usize,
    /// Positions among them that are quiet.
    pub positions: usize,
}

impl Tally {
    /// Games.
    pub fn games(&self) -> usize {
        self.results.iter().sum()
    }
}

/// Writes a header and the samples of games in the order of their numbers. No game is begun once `go_on` says no; `tell` hears how far it
/// is after every game.
pub fn write_samples<V: Variant, E: Evaluator<Shogi<V>> + Clone>(
    evaluation: &E,
    run: &SampleRun,
    go_on: impl Fn() -> bool + Sync,
    out: &mut (dyn Write + Send),
    tell: &mut (dyn FnMut(&Tally) + Send),
) -> Result<Tally, TextError> {
    let SampleRun { games, play: how, targets, seed, threads } = run;
    let full = |error: std::io::Error| TextError::new(format!("cannot write samples: {error}"));
    out.write_all(&header::<V>()).map_err(full)?;
    let seed = Seed::new(*seed);
    let mut tally = Tally::default();
    let make = |index: usize| {
        let game = play::<V, E>(evaluation, how, seed.branch("game", index as u64));
        let samples = Samples::of::<V>(targets, [&game]);
        (game, samples)
    };
    in_order(games.clone(), *threads, go_on, make, |(game, samples)| {
        write_records::<V>(&samples, out).map_err(full)?;
        tally.results[result_index(game.outcome)] += 1;
        tally.plies += game.moves.len();
        tally.positions += samples.len();
        tell(&tally);
        Ok(())
    })?;
    out.flush().map_err(full)?;
    Ok(tally)
}
