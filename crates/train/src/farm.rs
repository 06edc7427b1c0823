//! Games of a generation that are played elsewhere: on other machines, in any order, some of them twice.
//!
//! A game is a function of the settings, its number, the seed and the network, so it does not matter who plays it. What came back lies in
//! files of samples, each with its tally beside it; [`deliver`] makes the generation of them, and the run goes on as if it had played the
//! games itself.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

use yomi_core::{Spec, TextError};

use crate::dispatch;
use crate::files::trouble;
use crate::run::{Config, Folder, seal, sealed};
use crate::samples::{self, Sample, Writer};
use crate::tally::Tally;

/// What a generation that is played elsewhere needs.
#[derive(Clone, PartialEq, Debug)]
pub struct Assignment {
    /// The number of the generation.
    pub generation: u64,
    /// The network that plays it.
    pub net: PathBuf,
    /// The numbers of its games.
    pub games: Range<u64>,
    /// The value below which sides resign.
    pub resign_below: f32,
}

/// What is to be played next of a run that goes step by step; none if its newest generation is there and is to be learned from.
pub fn next(folder: &Folder, config: &Config) -> Option<Assignment> {
    let generation = folder.newest().unwrap_or(0);
    if sealed(&folder.samples(generation)).is_some() {
        return None;
    }
    let last = folder.history().pop();
    let best = last.as_ref().filter(|_| config.gate.is_some()).map_or(generation, |last| last.best);
    let first = generation * config.games;
    Some(Assignment {
        generation,
        net: folder.net(best),
        games: first..first + config.games,
        resign_below: last.map_or(config.play.resign_below, |last| last.resign_below),
    })
}

/// Makes a generation of the files of its parts. Refused, with what and where: a game of another generation, a game twice, games that are
/// missing, and whatever [`samples::read`] refuses.
pub fn deliver(folder: &Folder, config: &Config, assignment: &Assignment, parts: &[PathBuf]) -> Result<u64, TextError> {
    let path = folder.samples(assignment.generation);
    let game = Spec::parse(&config.game)?;
    let samples = gather(&path, &game, &assignment.games, parts, Tally::default())?;
    seal(&path, samples)?;
    Ok(samples)
}

/// Adds the games with these numbers, which lie in the files of their parts, to a file of samples whose other games are counted by
/// `before`. What [`deliver`] refuses is refused. How many samples the file has.
pub fn gather(
    path: &Path,
    game: &Spec,
    games: &Range<u64>,
    parts: &[PathBuf],
    before: Tally,
) -> Result<u64, TextError> {
    let layout = dispatch::layout(game)?;
    let (mut all, mut tally, mut seen) = (Vec::new(), Tally::default(), BTreeSet::new());
    for part in parts {
        let (found, samples) = part_of(part, &layout.game(), games)?;
        if let Some(game) = found.iter().find(|game| !seen.insert(**game)) {
            return Err(trouble(part, format!("game {game} was delivered twice")));
        }
        all.extend(samples);
        tally.merge(&Tally::beside(part));
    }
    let wanted = games.end - games.start;
    if tally.games != wanted {
        return Err(trouble(path, format!("{} games were delivered, not {wanted}", tally.games)));
    }
    all.sort_by_key(|sample| (sample.game, sample.index));
    let mut writer = Writer::open(path, layout)?;
    // Part of it may be there if the one who delivered was killed.
    let there = writer.games().clone();
    all.retain(|sample| !there.contains(&sample.game));
    all.chunk_by_mut(|a, b| a.game == b.game).try_for_each(|game| writer.append(game))?;
    writer.sync()?;
    tally.merge(&before);
    tally.write_beside(path)?;
    Ok(writer.samples())
}

/// Whether a file of samples and its tally can be these games, all of them, and no others.
pub fn check_part(path: &Path, game: &Spec, games: &Range<u64>) -> Result<(), TextError> {
    let (found, samples) = part_of(path, &dispatch::layout(game)?.game(), games)?;
    let tally = Tally::beside(path);
    let wanted = games.end.saturating_sub(games.start);
    // A game may have taught nothing.
    if tally.games != wanted || tally.samples != samples.len() as u64 || found.len() as u64 > wanted {
        return Err(trouble(path, format!("its tally counts {} games, not {wanted}, or other samples", tally.games)));
    }
    Ok(())
}

fn part_of(path: &Path, game: &str, games: &Range<u64>) -> Result<(BTreeSet<u64>, Vec<Sample>), TextError> {
    let (_, samples) = samples::read(path, Some(game))?;
    let found: BTreeSet<u64> = samples.iter().map(|sample| sample.game).collect();
    match found.iter().find(|game| !games.contains(game)) {
        Some(game) => Err(trouble(path, format!("game {game} is not one of {} to {}", games.start, games.end))),
        None => Ok((found, samples)),
    }
}
