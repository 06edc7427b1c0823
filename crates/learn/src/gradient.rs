//! The loss of an evaluation over games, and its gradient.
//!
//! A position is judged at the end of its quiescence search, as a search would. Its value becomes a probability of winning,
//! `p = σ(value/K)`, and is compared with the target `y = λ·result + (1-λ)·σ(searched value/K)` by cross-entropy. The loss is linear in
//! the parameters behind σ, so its gradient is `(p - y)/K` times the features of the quiet position.

use std::sync::atomic::{AtomicUsize, Ordering};

use yomi_core::{Color, Evaluator, Leaf, Line, Outcome, Position};
use yomi_eval::Linear;
use yomi_eval::linear::{Feature, Layout, features};
use yomi_games::shogi::{Shogi, ShogiMove, Variant};
use yomi_search::quiescence::QuietScratch;
use yomi_search::{Quiet, QuietOptions};

use crate::games::Game;

/// What the loss measures.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Aim {
    /// The value at which a position is won with probability σ(1) = 0.73 (Shibaura MCSS uses 600).
    pub k: f32,
    /// How much of the target is the result; the rest is the searched value.
    pub lambda: f32,
}

/// `1/(1 + e^-x)`.
pub fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// `-y ln p - (1-y) ln (1-p)`, less the same of a perfect prediction: 0 where p = y.
pub fn cross_entropy(p: f64, y: f64) -> f64 {
    let term = |y: f64, p: f64| if y > 0.0 { y * (y / p.max(1e-12)).ln() } else { 0.0 };
    term(y, p) + term(1.0 - y, 1.0 - p)
}

/// What `outcome` is worth to `side`: 1, 0.5 or 0.
pub fn score(outcome: Outcome, side: Color) -> f64 {
    0.5 + 0.5 * f64::from(outcome.value_for(side, 1.0))
}

/// The target of a position (see the top of this file).
pub fn target(aim: &Aim, result: f64, searched: f32) -> f64 {
    let lambda = f64::from(aim.lambda);
    lambda * result + (1.0 - lambda) * sigmoid(f64::from(searched) / f64::from(aim.k))
}

/// Loss and gradient over some positions.
#[derive(Clone, Debug)]
pub struct Gradient {
    /// Sum of the derivatives by each parameter, times K: for its owner, for the side to move.
    pub sums: Vec<[f32; 2]>,
    /// Sum of the losses.
    pub loss: f64,
    /// How many positions.
    pub positions: u64,
}

impl Gradient {
    /// Of no position.
    pub fn zero(parameters: usize) -> Gradient {
        Gradient { sums: vec![[0.0; 2]; parameters], loss: 0.0, positions: 0 }
    }

    fn clear(&mut self) {
        self.sums.fill([0.0; 2]);
        (self.loss, self.positions) = (0.0, 0);
    }

    fn add(&mut self, other: &Gradient) {
        self.sums.as_flattened_mut().iter_mut().zip(other.sums.as_flattened()).for_each(|(x, y)| *x += y);
        self.loss += other.loss;
        self.positions += other.positions;
    }

    /// The mean over the positions.
    pub fn mean(&mut self) {
        let share = 1.0 / self.positions.max(1) as f32;
        self.sums.as_flattened_mut().iter_mut().for_each(|x| *x *= share);
    }
}

/// One position to learn from: how the quiet position behind it is seen, and what it should be worth to the side to move there.
pub struct Example<'a> {
    features: &'a [Feature],
    /// 1 if Black moves in the quiet position, else -1.
    side: f64,
    target: f64,
}

impl Example<'_> {
    /// Adds the loss of this example and its derivatives.
    pub fn enter(&self, aim: &Aim, parameters: &[[f32; 2]], gradient: &mut Gradient) {
        let value: f64 = self.features.iter().map(|feature| self.part(feature, parameters)).sum();
        let p = sigmoid(value / f64::from(aim.k));
        gradient.loss += cross_entropy(p, self.target);
        gradient.positions += 1;
        let slope = (p - self.target) as f32;
        for feature in self.features {
            let [owner, mover] = &mut gradient.sums[feature.index];
            *owner += slope * self.side as f32 * feature.black as f32;
            *mover += slope * feature.mover as f32;
        }
    }

    fn part(&self, feature: &Feature, parameters: &[[f32; 2]]) -> f64 {
        let [owner, mover] = parameters[feature.index].map(f64::from);
        self.side * f64::from(feature.black) * owner + f64::from(feature.mover) * mover
    }
}

/// What one thread works with.
pub struct Reader<V: Variant> {
    quiet: Quiet<Linear<V>>,
    scratch: QuietScratch<ShogiMove, <Linear<V> as Evaluator<Shogi<V>>>::Scratch>,
    features: Vec<Feature>,
}

impl<V: Variant> Reader<V> {
    /// Looks for quiet positions with this evaluation.
    pub fn new(evaluation: &Linear<V>) -> Reader<V> {
        let quiet = Quiet::new(evaluation.clone(), QuietOptions { depth: 6, nodes: 200, ..QuietOptions::default() });
        let scratch = quiet.scratch(0);
        Reader { quiet, scratch, features: Vec::new() }
    }

    /// Hands every position of a game that says something to `each`.
    pub fn read(&mut self, aim: &Aim, game: &Game<ShogiMove>, mut each: impl FnMut(&Example<'_>)) {
        let layout = Layout::of::<V>();
        let mut line = Line::new(Shogi::<V>::default());
        for (ply, (&mv, &searched)) in game.moves.iter().zip(&game.values).enumerate() {
            if ply >= game.random && searched.is_finite() {
                let position = line.position();
                let leaf = Leaf { position, past: &[], moves: &[], node: 0, depth: 0 };
                let (value, moves) = self.quiet.resolve(&leaf, &mut self.scratch);
                // A mate is no matter of the evaluation.
                if value.abs() < 0.9 * self.quiet.win() {
                    let turn = position.turn();
                    let mut calm = *position;
                    moves.iter().for_each(|&mv| calm.play(mv));
                    let for_turn = target(aim, score(game.outcome, turn), searched);
                    let target = if calm.turn() == turn { for_turn } else { 1.0 - for_turn };
                    self.features.clear();
                    features(layout, &calm, |feature| self.features.push(feature));
                    let side = if calm.turn() == Color::Black { 1.0 } else { -1.0 };
                    each(&Example { features: &self.features, side, target });
                }
            }
            line.play(mv);
        }
    }
}

/// Games are dealt out to so many shares, whatever the number of threads, so that sums are rounded alike.
pub const SHARES: usize = 16;

/// Loss and gradient over games, by any number of threads, always the same.
pub struct Crowd<V: Variant> {
    readers: Vec<Reader<V>>,
    shares: Vec<std::sync::Mutex<Gradient>>,
}

impl<V: Variant> Crowd<V> {
    /// So many threads that look for quiet positions with this evaluation.
    pub fn new(evaluation: &Linear<V>, threads: usize) -> Crowd<V> {
        let zero = || Gradient::zero(Layout::of::<V>().len()).into();
        Crowd {
            readers: (0..threads.clamp(1, SHARES)).map(|_| Reader::new(evaluation)).collect(),
            shares: (0..SHARES).map(|_| zero()).collect(),
        }
    }

    /// The sums over these games.
    pub fn over(&mut self, aim: &Aim, parameters: &[[f32; 2]], games: &[&Game<ShogiMove>]) -> Gradient {
        let next = AtomicUsize::new(0);
        let shares = &self.shares;
        std::thread::scope(|scope| {
            for reader in &mut self.readers {
                let next = &next;
                scope.spawn(move || {
                    loop {
                        // Relaxed: the number alone decides who does what.
                        let share = next.fetch_add(1, Ordering::Relaxed);
                        let Some(gradient) = shares.get(share) else { return };
                        let mut gradient = gradient.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                        gradient.clear();
                        for game in games.iter().skip(share).step_by(SHARES) {
                            reader.read(aim, game, |example| example.enter(aim, parameters, &mut gradient));
                        }
                    }
                });
            }
        });
        let mut total = Gradient::zero(parameters.len());
        for share in &self.shares {
            total.add(&share.lock().unwrap_or_else(std::sync::PoisonError::into_inner));
        }
        total
    }
}
