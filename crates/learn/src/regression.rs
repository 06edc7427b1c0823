//! Learning from nothing, generation after generation: play, keep the games, fit, keep the weights.
//!
//! Every generation leaves two files, its games and its weights, each written beside its place and then moved there. A run that was
//! killed goes on after the last file that is whole, and ends as if nothing had happened: chance descends from the seed, sums do not
//! depend on the number of threads, and nothing but these files passes from one generation to the next.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use yomi_core::clock::Stopwatch;
use yomi_core::{Outcome, Seed, TextError};
use yomi_eval::Linear;
use yomi_eval::linear::{Layout, Weights};
use yomi_games::shogi::{Kind, Shogi, ShogiMove, Variant};

use crate::adam::Adam;
use crate::games::{self, Game};
use crate::gradient::{Aim, Crowd};
use crate::scale;
use crate::self_play::{Manner, play};

/// What a run is told.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Settings {
    /// Games a generation.
    pub games: usize,
    /// How they are played. In the first generation, which knows nothing, half of the moves are random.
    pub manner: Manner,
    /// What the evaluation is fitted to. In the first generation it is the results alone.
    pub aim: Aim,
    /// The games of so many generations are learnt from.
    pub window: usize,
    /// How often a generation goes through them.
    pub epochs: usize,
    /// Games a step.
    pub batch: usize,
    /// How far a relation may move in the first step of a generation, and a piece's worth eight times as far; in the last step it is
    /// a tenth of it.
    pub rate: f32,
    /// The decay of weights, in parts of the rate.
    pub decay: f32,
    /// Threads.
    pub threads: usize,
    /// All chance descends from it.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            games: 1000,
            manner: Manner { nodes: 400, random: 16, explore: 0.01, plies: 256 },
            aim: Aim { k: 600.0, lambda: 0.5 },
            window: 6,
            epochs: 4,
            batch: 16,
            rate: 1.5,
            decay: 5e-4,
            threads: 1,
            seed: 1,
        }
    }
}

/// One game in so many is kept from learning, to see what was learnt.
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
    /// Mean loss over the games learnt from, in each epoch (in nats above a perfect prediction).
    pub losses: Vec<f64>,
    /// Mean loss over the games held out: before, after.
    pub held_out: [f64; 2],
    /// The value that wins a game with probability 0.73.
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
    parameters: Vec<[f32; 2]>,
    next: usize,
    variant: std::marker::PhantomData<V>,
}

impl<V: Variant> Regression<V> {
    /// Begins a run in a folder, or goes on with the one that is there.
    pub fn open(folder: &Path, settings: Settings) -> Result<Regression<V>, TextError> {
        fs::create_dir_all(folder).map_err(|e| trouble(folder, &e))?;
        Ok(Regression {
            settings,
            folder: folder.to_path_buf(),
            window: Vec::new(),
            parameters: vec![[0.0; 2]; Layout::of::<V>().len()],
            next: 0,
            variant: std::marker::PhantomData,
        })
    }

    /// How many generations are done.
    pub fn generations(&self) -> usize {
        self.next
    }

    /// The weights learnt so far.
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

    /// The next generation; `done` hears of every game played.
    pub fn generation(&mut self, done: &(dyn Fn() + Sync)) -> Result<Generation, TextError> {
        let number = self.next;
        let clock = Stopwatch::start();
        let evaluation = Linear::<V>::new(&self.weights()?, "linear")?;
        let games = match read_if_there(&self.games_file(number))? {
            Some(bytes) => games::read::<Shogi<V>>(&bytes).map_err(|e| e.context(self.games_file(number).display()))?,
            None => {
                let games = self.play(&evaluation, number, done);
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
            losses: Vec::new(),
            held_out: [f64::NAN; 2],
            k: self.settings.aim.k,
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

    fn play(&self, evaluation: &Linear<V>, number: usize, done: &(dyn Fn() + Sync)) -> Vec<Game<ShogiMove>> {
        let mut manner = self.settings.manner;
        if number == 0 {
            manner.explore = 0.5;
        }
        let seed = Seed::new(self.settings.seed).branch("generation", number as u64);
        let next = AtomicUsize::new(0);
        let games: Vec<Mutex<Option<Game<ShogiMove>>>> = (0..self.settings.games).map(|_| Mutex::new(None)).collect();
        std::thread::scope(|scope| {
            for _ in 0..self.settings.threads.max(1) {
                scope.spawn(|| {
                    loop {
                        // Relaxed: the number alone decides who plays what.
                        let index = next.fetch_add(1, Ordering::Relaxed);
                        let Some(slot) = games.get(index) else { return };
                        let game = play(evaluation, &manner, seed.branch("game", index as u64));
                        *slot.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(game);
                        done();
                    }
                });
            }
        });
        let take = |slot: Mutex<Option<_>>| slot.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        games.into_iter().filter_map(take).collect()
    }

    /// Fits the parameters to the games of the window.
    fn fit(&mut self, evaluation: &Linear<V>, report: &mut Generation) {
        let settings = self.settings;
        let mut aim = settings.aim;
        let all = || self.window.iter().flat_map(|games| games.iter().enumerate());
        let held_out: Vec<&Game<ShogiMove>> = all().filter(|(i, _)| i % HELD_OUT == 0).map(|(_, game)| game).collect();
        let mut learnt: Vec<&Game<ShogiMove>> =
            all().filter(|(i, _)| i % HELD_OUT != 0).map(|(_, game)| game).collect();
        let mut crowd = Crowd::new(evaluation, settings.threads);
        let mean_loss = |crowd: &mut Crowd<V>, aim: &Aim, parameters: &[[f32; 2]]| {
            let over = crowd.over(aim, parameters, &held_out);
            over.loss / over.positions.max(1) as f64
        };
        if report.number == 0 {
            aim.lambda = 1.0;
        } else {
            // The unit is fixed by the pawn, so how much of it wins a game is a question to the games.
            aim.k = least(K_RANGE, |k| mean_loss(&mut crowd, &Aim { k, lambda: 1.0 }, &self.parameters));
        }
        report.k = aim.k;
        report.held_out[0] = mean_loss(&mut crowd, &aim, &self.parameters);
        let mut adam = Adam::new(self.parameters.len());
        let rates = rates::<V>(report.number);
        let mut rng = Seed::new(settings.seed).branch("order", report.number as u64).rng();
        let batches = learnt.len().div_ceil(settings.batch.max(1)) * settings.epochs;
        let mut step = 0;
        for _ in 0..settings.epochs {
            for i in (1..learnt.len()).rev() {
                learnt.swap(i, rng.below(i + 1));
            }
            let (mut loss, mut positions) = (0.0, 0);
            for batch in learnt.chunks(settings.batch.max(1)) {
                let mut gradient = crowd.over(&aim, &self.parameters, batch);
                loss += gradient.loss;
                positions += gradient.positions;
                gradient.mean();
                let rate = settings.rate * (1.0 - 0.9 * step as f32 / batches as f32);
                adam.step(&mut self.parameters, &gradient.sums, &rates, rate, settings.decay);
                step += 1;
            }
            report.losses.push(loss / positions.max(1) as f64);
        }
        report.held_out[1] = mean_loss(&mut crowd, &aim, &self.parameters);
        let newest = self.window.last().map_or(&[][..], Vec::as_slice);
        report.factor = scale::factor::<V>(&self.parameters, newest, 8);
        scale::rescale(&mut self.parameters, report.factor);
    }
}

/// How fast each parameter may move against the others: what a piece is worth comes to hundreds, a relation to a few. The games of the
/// first generation are almost random, and teach what pieces are worth and nothing else.
fn rates<V: Variant>(generation: usize) -> Vec<f32> {
    let layout = Layout::of::<V>();
    let worth = layout.hand(Kind::Gold);
    let relations = if generation == 0 { 0.0 } else { 1.0 };
    (0..layout.len()).map(|index| if index <= worth { 8.0 } else { relations }).collect()
}

/// Where the value lies that wins a game with probability 0.73.
const K_RANGE: [f32; 2] = [50.0, 10_000.0];

/// Where between two positive numbers a function with one valley is least: golden section on a logarithmic scale, to a few percent.
fn least([low, high]: [f32; 2], mut f: impl FnMut(f32) -> f64) -> f32 {
    const GOLDEN: f64 = 0.618_033_988_75;
    let (mut a, mut b) = (f64::from(low).ln(), f64::from(high).ln());
    let mut at = |x: f64| f(x.exp() as f32);
    let (mut x, mut y) = (b - GOLDEN * (b - a), a + GOLDEN * (b - a));
    let (mut fx, mut fy) = (at(x), at(y));
    while b - a > 0.03 {
        if fx < fy {
            (b, y, fy) = (y, x, fx);
            x = b - GOLDEN * (b - a);
            fx = at(x);
        } else {
            (a, x, fx) = (x, y, fy);
            y = a + GOLDEN * (b - a);
            fy = at(y);
        }
    }
    f64::midpoint(a, b).exp() as f32
}

fn result_index(outcome: Outcome) -> usize {
    match outcome {
        Outcome::Win(yomi_core::Color::Black) => 0,
        Outcome::Draw => 1,
        Outcome::Win(_) => 2,
    }
}

fn trouble(path: &Path, error: &std::io::Error) -> TextError {
    TextError::new(format!("{}: {error}", path.display()))
}

fn read_if_there(path: &Path) -> Result<Option<Vec<u8>>, TextError> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(trouble(path, &error)),
    }
}

/// Writes a file so that it is there whole or not at all.
fn replace(path: &Path, bytes: &[u8]) -> Result<(), TextError> {
    let beside = path.with_extension("part");
    let write = || {
        let mut file = fs::File::create(&beside)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&beside, path)
    };
    write().map_err(|error| trouble(path, &error))
}
