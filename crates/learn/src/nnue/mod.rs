//! Learning the evaluation `nnue`: generations of games against itself, and a network fitted to all of them.
//!
//! [`mod@play`] makes the games, [`mod@crew`] has many threads make them, [`mod@samples`] finds quiet positions in them and what each
//! should be worth, [`mod@train`] and `layers` fit a network. Games are kept in files of some hundred, each written beside its place and
//! then moved there, networks likewise: a run that was killed goes on after the last file that is whole. For a trainer elsewhere
//! [`mod@stream`] writes samples to a file as [`mod@export`] has it.

pub mod crew;
pub mod export;
mod layers;
pub mod play;
pub mod samples;
pub mod stream;
pub mod train;

use std::fs;
use std::path::{Path, PathBuf};

use yomi_core::clock::Stopwatch;
use yomi_core::{Color, Evaluator, Outcome, Seed, TextError};
use yomi_eval::nnue::Network;
use yomi_eval::{Linear, Nnue};
use yomi_games::shogi::{Shogi, ShogiMove, Variant};

use crate::files::{read_if_there, replace, trouble};
use crate::games::{self, Game};
use crate::lessons::Targets;
use play::{Play, play};
use samples::Samples;
use train::{Fit, Loss, Trainer};

/// The settings of a run.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Settings {
    /// Games per generation.
    pub games: usize,
    /// No game is begun later than this many seconds into a generation; the generation has fewer games then.
    pub seconds: f64,
    /// How they are played.
    pub play: Play,
    /// What a position should be worth.
    pub targets: Targets,
    /// How many children of every position of all games are judged by the linear evaluation, for a new network to imitate first.
    pub imitate: usize,
    /// How a network is fitted.
    pub fit: Fit,
    /// The seed of all random numbers.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            games: 2000,
            seconds: f64::INFINITY,
            play: Play { nodes: 1000, random: 8, plies: 256, resign: 3000.0 },
            targets: Targets { k: yomi_eval::nnue::UNIT, lambda: 0.8 },
            imitate: 2,
            fit: Fit { epochs: 3, batch: 4096, rate: 1e-3, decay: 0.2, threads: 1 },
            seed: 1,
        }
    }
}

/// Games of one file.
const PART: usize = 500;
/// One game in this many is held out, to measure what was learned.
const HELD_OUT: usize = 20;

/// An evaluation that plays.
#[derive(Clone)]
pub enum Player<V: Variant> {
    /// The linear one: where a run begins.
    Linear(Linear<V>),
    /// A network.
    Network(Nnue<V>),
}

/// What a generation has brought.
#[derive(Clone, PartialEq, Debug)]
pub struct Generation {
    /// Its number, from 0.
    pub number: usize,
    /// Games won by Black, drawn, won by White.
    pub results: [usize; 3],
    /// Moves of its games.
    pub plies: usize,
    /// Positions learned from, those of other generations included.
    pub positions: usize,
    /// Whether its network was there.
    pub resumed: bool,
    /// Mean loss of each epoch, and how well the games held out are explained after it.
    pub curve: Vec<(f64, Loss)>,
    /// Seconds it took: playing, learning.
    pub seconds: [f64; 2],
}

/// What a run reports while it works.
pub enum Event {
    /// One of this many games is over.
    Game(usize),
    /// The linear evaluation has been imitated: the mean loss, and how well the games held out are explained.
    Imitated(f64, Loss),
    /// An epoch is over: its number, its mean loss, and how well the games held out are explained.
    Epoch(usize, f64, Loss),
}

/// A run.
pub struct Run<V: Variant> {
    settings: Settings,
    folder: PathBuf,
    player: Player<V>,
    games: Vec<Game<ShogiMove>>,
    next: usize,
}

impl<V: Variant> Run<V> {
    /// Begins a run in a folder, or goes on with the one that is there. The first games are played by `player`; `games` are learned from
    /// in every generation.
    pub fn open(
        folder: &Path,
        settings: Settings,
        player: Player<V>,
        games: Vec<Game<ShogiMove>>,
    ) -> Result<Run<V>, TextError> {
        fs::create_dir_all(folder).map_err(|e| trouble(folder, &e))?;
        Ok(Run { settings, folder: folder.to_path_buf(), player, games, next: 0 })
    }

    /// How many generations are done.
    pub fn generations(&self) -> usize {
        self.next
    }

    /// The file of the network of a generation.
    pub fn network_file(&self, number: usize) -> PathBuf {
        self.folder.join(format!("{}-{number:04}.nnue", V::NAME))
    }

    /// The next generation.
    pub fn generation(&mut self, tell: &(dyn Fn(Event) + Sync)) -> Result<Generation, TextError> {
        let number = self.next;
        let clock = Stopwatch::start();
        let mut report = Generation {
            number,
            results: [0; 3],
            plies: 0,
            positions: 0,
            resumed: false,
            curve: Vec::new(),
            seconds: [0.0; 2],
        };
        let games = self.play_all(number, &clock, tell)?;
        for game in &games {
            report.results[result_index(game.outcome)] += 1;
            report.plies += game.moves.len();
        }
        self.games.extend(games);
        report.seconds[0] = clock.elapsed().as_secs_f64();
        let file = self.network_file(number);
        let bytes = match read_if_there(&file)? {
            Some(bytes) => {
                report.resumed = true;
                bytes
            }
            None => {
                let bytes = self.fit(&mut report, tell).write::<V>();
                replace(&file, &bytes)?;
                bytes
            }
        };
        let network = Network::read::<V>(&bytes).map_err(|e| e.context(file.display()))?;
        self.player = Player::Network(Nnue::new(network, "nnue"));
        report.seconds[1] = clock.elapsed().as_secs_f64() - report.seconds[0];
        self.next += 1;
        Ok(report)
    }

    /// The games of a generation, those that are there included.
    fn play_all(
        &self,
        number: usize,
        clock: &Stopwatch,
        tell: &(dyn Fn(Event) + Sync),
    ) -> Result<Vec<Game<ShogiMove>>, TextError> {
        let mut all = Vec::new();
        for first in (0..self.settings.games).step_by(PART) {
            let file = self.games_file(number, first);
            let Some(bytes) = read_if_there(&file)? else { break };
            all.extend(games::read::<Shogi<V>>(&bytes).map_err(|e| e.context(file.display()))?);
        }
        // A network was learned from what was there.
        if !self.network_file(number).exists() {
            match &self.player {
                Player::Linear(evaluation) => self.play_rest(evaluation, number, clock, tell, &mut all)?,
                Player::Network(evaluation) => self.play_rest(evaluation, number, clock, tell, &mut all)?,
            }
        }
        Ok(all)
    }

    /// The file of a generation's games from this one on.
    fn games_file(&self, number: usize, first: usize) -> PathBuf {
        self.folder.join(format!("{}-{number:04}-{first:06}.games", V::NAME))
    }

    /// Plays the games that are missing, and keeps them part by part.
    fn play_rest<E: Evaluator<Shogi<V>> + Clone>(
        &self,
        evaluation: &E,
        number: usize,
        clock: &Stopwatch,
        tell: &(dyn Fn(Event) + Sync),
        all: &mut Vec<Game<ShogiMove>>,
    ) -> Result<(), TextError> {
        let Settings { play: how, fit, seed, seconds, games, .. } = self.settings;
        let seed = Seed::new(seed).branch("generation", number as u64);
        // A part that the clock ended is not played to its end later: the numbers of games go on behind it.
        let first = all.len().next_multiple_of(PART);
        let (mut part, mut start) = (Vec::new(), first);
        let keep = |start: usize, part: &[Game<ShogiMove>]| {
            replace(&self.games_file(number, start), &games::write::<Shogi<V>>(part))
        };
        let in_time = || clock.elapsed().as_secs_f64() < seconds;
        let make = |index: usize| {
            let game = play(evaluation, &how, seed.branch("game", index as u64));
            tell(Event::Game(games));
            game
        };
        crew::in_order(first..games, fit.threads, in_time, make, |game| {
            part.push(game);
            if part.len() < PART {
                return Ok(());
            }
            keep(start, &part)?;
            start += PART;
            all.append(&mut part);
            Ok(())
        })?;
        if !part.is_empty() {
            keep(start, &part)?;
            all.append(&mut part);
        }
        Ok(())
    }

    /// A new network, fitted to all games.
    fn fit(&self, report: &mut Generation, tell: &(dyn Fn(Event) + Sync)) -> Network {
        let Settings { targets, fit, seed, .. } = self.settings;
        let pick = |held_out: bool| {
            let chosen = self.games.iter().enumerate().filter(move |(i, _)| (i % HELD_OUT == 0) == held_out);
            Samples::of::<V>(&targets, chosen.map(|(_, game)| game))
        };
        let (learned, held_out) = (pick(false), pick(true));
        report.positions = learned.len();
        let mut rng = Seed::new(seed).branch("network", report.number as u64).rng();
        let mut trainer = Trainer::new::<V>(&mut rng);
        if self.settings.imitate > 0 {
            let samples = Samples::imitating::<V>(&Linear::embedded(), &self.games, self.settings.imitate, &mut rng);
            trainer.fit(
                &Fit { epochs: 1, rate: 2.0 * fit.rate, ..fit },
                &samples,
                &mut rng,
                &mut |trainer, _, loss| {
                    tell(Event::Imitated(loss, trainer.loss(&held_out, fit.threads)));
                },
            );
        }
        trainer.fit(&fit, &learned, &mut rng, &mut |trainer, epoch, loss| {
            let explained = trainer.loss(&held_out, fit.threads);
            report.curve.push((loss, explained));
            tell(Event::Epoch(epoch, loss, explained));
        });
        Network::round::<V>(&trainer.parameters::<V>())
    }
}

fn result_index(outcome: Outcome) -> usize {
    match outcome {
        Outcome::Win(Color::Black) => 0,
        Outcome::Draw => 1,
        Outcome::Win(_) => 2,
    }
}
