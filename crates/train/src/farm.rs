//! Games of a generation that are played elsewhere: on other machines, in any order, some of them twice.
//!
//! A game is a function of the settings, its number, the seed and the network, so it does not matter who plays it. What came back lies in
//! files of samples, each with its tally beside it; [`deliver`] makes the generation of them, and the run goes on as if it had played the
//! games itself.

use std::collections::BTreeSet;
use std::path::PathBuf;

use yomi_core::{Spec, TextError};

use crate::dispatch;
use crate::files::trouble;
use crate::run::{Config, Folder, seal, sealed};
use crate::samples::{self, Writer};
use crate::tally::Tally;

/// What a generation that is played elsewhere needs.
#[derive(Clone, PartialEq, Debug)]
pub struct Assignment {
    /// The number of the generation.
    pub generation: u64,
    /// The network that plays it.
    pub net: PathBuf,
    /// The numbers of its games.
    pub games: std::ops::Range<u64>,
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
    let layout = dispatch::layout(&Spec::parse(&config.game)?)?;
    let path = folder.samples(assignment.generation);
    let (mut all, mut tally, mut seen) = (Vec::new(), Tally::default(), BTreeSet::new());
    for part in parts {
        let (_, samples) = samples::read(part, Some(&layout.game()))?;
        let games: BTreeSet<u64> = samples.iter().map(|sample| sample.game).collect();
        if let Some(game) = games.iter().find(|game| !assignment.games.contains(game)) {
            return Err(trouble(part, format!("game {game} is not of generation {}", assignment.generation)));
        }
        if let Some(game) = games.iter().find(|game| !seen.insert(**game)) {
            return Err(trouble(part, format!("game {game} was delivered twice")));
        }
        all.extend(samples);
        tally.merge(&Tally::beside(part));
    }
    if tally.games != config.games {
        return Err(trouble(&path, format!("{} games were delivered, not {}", tally.games, config.games)));
    }
    all.sort_by_key(|sample| (sample.game, sample.index));
    let mut writer = Writer::open(&path, layout)?;
    // Part of it may be there if the one who delivered was killed.
    let there = writer.games().clone();
    all.retain(|sample| !there.contains(&sample.game));
    all.chunk_by_mut(|a, b| a.game == b.game).try_for_each(|game| writer.append(game))?;
    writer.sync()?;
    tally.write_beside(&path)?;
    seal(&path, writer.samples())?;
    Ok(writer.samples())
}
