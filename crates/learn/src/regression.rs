//! Learning generation after generation: play, keep the games, fit, keep the weights.
//!
//! Every generation leaves two files, its games and its weights, each written beside its place and then moved there. A run that was
//! killed goes on after the last file that is whole, and ends as if nothing had happened: random numbers come from the seed, sums do not
//! depend on the number of threads, and nothing but these files passes from one generation to the next.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use yomi_core::clock::Stopwatch;
use yomi_core::{Outcome, Seed, TextError};
use yomi_eval::Linear;
use yomi_eval::linear::Weights;
use yomi_games::shogi::{Shogi, ShogiMove, Variant};

use crate::files::{read_if_there, replace, trouble};
use crate::fit::{FitSettings, best_k, fit, values};
use crate::games::{self, Game};
use crate::lessons::{Targets, lessons};
use crate::prior::{Prior, Start, perturbed};
use crate::scale;
use crate::self_play::{SelfPlay, play};

/// The settings of a run.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Settings {
    /// Where it begins.
    pub start: Start,
    /// Games per generation.
    pub games: usize,
    /// How they are played.
    pub self_play: SelfPlay,
    /// How much the evaluations of the players of a generation differ: the standard deviation of what is added to every square.
    pub perturbation: f32,
    /// What the evaluation is fitted to.
    pub targets: Targets,
    /// How many generations of games are learned from.
    pub window: usize,
    /// How a generation learns from them.
    pub plan: FitSettings,
    /// Threads.
    pub threads: usize,
    /// The seed of all random numbers.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            start: Start::Material,
            games: 1000,
            self_play: SelfPlay { nodes: 250, random: 12, plies: 256 },
            perturbation: 5.0,
            targets: Targets { k: 600.0, lambda: 0.9 },
            window: 8,
            plan: FitSettings { epochs: 3, batch: 2048, rate: 0.05, regularization: 1.0 },
            threads: 1,
            seed: 1,
        }
    }
}

/// How many different players make the games of a generation.
const CHARACTERS: usize = 32;

/// One game in this many is held out, to measure what was learned.
const HELD_OUT: usize = 20;

/// What a generation has brought.
#[derive(Clone, PartialEq, Debug)]
pub struct Generation {
    /// Its number, from 0.
    pub number: usize,
    /// Games won by Black, drawn, won by White.
    pub results: [usize; 3],
    /// Moves of its games.
    pub plies: usize,
    /// Positions learned from.
    pub lessons: usize,
    /// Mean loss over the games learned from, in each epoch, in nats.
    pub losses: Vec<f64>,
    /// The same over the games held out: before, and after each epoch.
    pub held_out: Vec<f64>,
    /// How well the results of the games held out are explained, the best K granted: by the prior's centre, before, and after.
    pub results_held_out: [f64; 3],
    /// The value that wins a game of those held out with probability 0.73, whatever was aimed at.
    pub k: f32,
    /// By what the parameters were multiplied to set their unit.
    pub factor: Option<f32>,
    /// Whether it was found in the files of an earlier run.
    pub resumed: bool,
    /// Seconds it took: playing, learning.
    pub seconds: [f64; 2],
}

/// A run.
pub struct Regression<V: Variant> {
    settings: Settings,
    folder: PathBuf,
    /// The games of the last generations, the newest last.
    window: Vec<Vec<Game<ShogiMove>>>,
    prior: Prior,
    parameters: Vec<[f32; 2]>,
    next: usize,
    variant: std::marker::PhantomData<V>,
}

impl<V: Variant> Regression<V> {
    /// Begins a run in a folder, or goes on with the one that is there.
    pub fn open(folder: &Path, settings: Settings) -> Result<Regression<V>, TextError> {
        fs::create_dir_all(folder).map_err(|e| trouble(folder, &e))?;
        let prior = Prior::new::<V>(settings.start);
        Ok(Regression {
            settings,
            folder: folder.to_path_buf(),
            window: Vec::new(),
            parameters: prior.centre.clone(),
            prior,
            next: 0,
            variant: std::marker::PhantomData,
        })
    }

    /// How many generations are done.
    pub fn generations(&self) -> usize {
        self.next
    }

    /// The weights learned so far.
    pub fn weights(&self) -> Result<Weights, TextError> {
        Weights::round::<V>(&self.parameters)
    }

    /// The file of the weights of a generation.
    pub fn weights_file(&self, number: usize) -> PathBuf {
        self.folder.join(format!("{}-{number:04}.linear", V::NAME))
    }

    fn games_file(&self, number: usize) -> PathBuf {
        self.folder.join(format!("{}-{number:04}.games", V::NAME))
    }

    /// The next generation; `done` is called after every game.
    pub fn generation(&mut self, done: &(dyn Fn() + Sync)) -> Result<Generation, TextError> {
        let number = self.next;
        let clock = Stopwatch::start();
        let evaluation = Linear::<V>::new(&self.weights()?, "linear")?;
        let games = match read_if_there(&self.games_file(number))? {
            Some(bytes) => games::read::<Shogi<V>>(&bytes).map_err(|e| e.context(self.games_file(number).display()))?,
            None => {
                let games = self.play(number, done)?;
                replace(&self.games_file(number), &games::write::<Shogi<V>>(&games))?;
                games
            }
        };
        let played = clock.elapsed().as_secs_f64();
        let results = [0, 1, 2].map(|i| games.iter().filter(|game| result_index(game.outcome) == i).count());
        let plies = games.iter().map(|game| game.moves.len()).sum();
        self.window.push(games);
        let surplus = self.window.len().saturating_sub(self.settings.window.max(1));
        self.window.drain(..surplus);

        let mut report = Generation {
            number,
            results,
            plies,
            lessons: 0,
            losses: Vec::new(),
            held_out: Vec::new(),
            results_held_out: [f64::NAN; 3],
            k: f32::NAN,
            factor: None,
            resumed: false,
            seconds: [played, 0.0],
        };
        match read_if_there(&self.weights_file(number))? {
            Some(bytes) => {
                let weights = Weights::read::<V>(&bytes).map_err(|e| e.context(self.weights_file(number).display()))?;
                self.parameters = weights.parameters();
                report.resumed = true;
            }
            None => {
                self.fit(&evaluation, &mut report);
                let weights = self.weights()?;
                replace(&self.weights_file(number), &weights.write())?;
                // A resumed run reads rounded weights; so does this one.
                self.parameters = weights.parameters();
            }
        }
        report.seconds[1] = clock.elapsed().as_secs_f64() - played;
        self.next += 1;
        Ok(report)
    }

    fn play(&self, number: usize, done: &(dyn Fn() + Sync)) -> Result<Vec<Game<ShogiMove>>, TextError> {
        let seed = Seed::new(self.settings.seed).branch("generation", number as u64);
        let mut rng = seed.branch("characters", 0).rng();
        let character = |_| perturbed::<V>(&self.parameters, self.settings.perturbation, &mut rng);
        let characters = (0..CHARACTERS).map(character).collect::<Result<Vec<_>, _>>()?;
        let next = AtomicUsize::new(0);
        let games: Vec<Mutex<Option<Game<ShogiMove>>>> = (0..self.settings.games).map(|_| Mutex::new(None)).collect();
        std::thread::scope(|scope| {
            for _ in 0..self.settings.threads.max(1) {
                scope.spawn(|| {
                    loop {
                        // Relaxed: the number alone decides who plays what.
                        let index = next.fetch_add(1, Ordering::Relaxed);
                        let Some(slot) = games.get(index) else { return };
                        let seed = seed.branch("game", index as u64);
                        let mut rng = seed.branch("players", 0).rng();
                        let players = [0; 2].map(|_| &characters[rng.below(CHARACTERS)]);
                        let game = play(players, &self.settings.self_play, seed);
                        *slot.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(game);
                        done();
                    }
                });
            }
        });
        let take = |slot: Mutex<Option<_>>| slot.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        Ok(games.into_iter().filter_map(take).collect())
    }

    /// Fits the parameters to the games of the window.
    fn fit(&mut self, evaluation: &Linear<V>, report: &mut Generation) {
        let settings = self.settings;
        let games = |held_out: bool| -> Vec<&Game<ShogiMove>> {
            let all = self.window.iter().flat_map(|games| games.iter().enumerate());
            all.filter(|(i, _)| (i % HELD_OUT == 0) == held_out).map(|(_, game)| game).collect()
        };
        let held_out = lessons(&settings.targets, evaluation, &games(true), settings.threads);
        let learned = lessons(&settings.targets, evaluation, &games(false), settings.threads);
        report.lessons = learned.len();
        let mut explained = [f64::NAN; 3];
        (_, explained[0]) = best_k(&values(&self.prior.centre, &held_out), &held_out);
        (_, explained[1]) = best_k(&values(&self.parameters, &held_out), &held_out);
        let mut rng = Seed::new(settings.seed).branch("order", report.number as u64).rng();
        let lessons = (learned.as_slice(), held_out.as_slice());
        let begin = std::mem::take(&mut self.parameters);
        let fitted = fit(&settings.plan, settings.targets.k, &self.prior, begin, lessons, settings.threads, &mut rng);
        self.parameters = fitted.parameters;
        (report.k, explained[2]) = best_k(&values(&self.parameters, &held_out), &held_out);
        report.results_held_out = explained;
        (report.losses, report.held_out) = (fitted.losses, fitted.held_out);
        let newest = self.window.last().map_or(&[][..], Vec::as_slice);
        report.factor = scale::factor::<V>(&self.parameters, newest, 8);
        scale::rescale(&mut self.parameters, report.factor);
    }
}

fn result_index(outcome: Outcome) -> usize {
    match outcome {
        Outcome::Win(yomi_core::Color::Black) => 0,
        Outcome::Draw => 1,
        Outcome::Win(_) => 2,
    }
}
