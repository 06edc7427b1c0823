//! The loss of an evaluation over quiet positions, and its gradient.
//!
//! A value becomes a probability of winning, `p = σ(value/K)`, and is compared with the target y of the lesson by cross-entropy. The value
//! is linear in the parameters, so the gradient is `(p - y)/K` times the features.

use std::sync::atomic::{AtomicUsize, Ordering};

use yomi_core::{Color, Position};
use yomi_eval::linear::{Feature, Layout, features};
use yomi_games::shogi::Variant;

use crate::lessons::{Lesson, sigmoid};

/// `-y ln p - (1-y) ln (1-p)`.
pub fn cross_entropy(p: f64, y: f64) -> f64 {
    let term = |y: f64, p: f64| if y > 0.0 { -y * p.max(1e-12).ln() } else { 0.0 };
    term(y, p) + term(1.0 - y, 1.0 - p)
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
        self.loss /= self.positions.max(1) as f64;
    }

    /// Adds the loss of a lesson and its derivatives. `seen` is room to work in.
    fn enter<V: Variant>(&mut self, k: f32, parameters: &[[f32; 2]], lesson: &Lesson<V>, seen: &mut Vec<Feature>) {
        let side = if lesson.position.turn() == Color::Black { 1.0 } else { -1.0 };
        let mut value = 0.0;
        seen.clear();
        features(Layout::of::<V>(), &lesson.position, |feature| {
            let [owner, mover] = parameters[feature.index];
            value += side * feature.black as f32 * owner + feature.mover as f32 * mover;
            seen.push(feature);
        });
        let (p, target) = (sigmoid(f64::from(value / k)), f64::from(lesson.target));
        self.loss += cross_entropy(p, target);
        self.positions += 1;
        let slope = (p - target) as f32;
        for feature in seen {
            let [owner, mover] = &mut self.sums[feature.index];
            *owner += slope * side * feature.black as f32;
            *mover += slope * feature.mover as f32;
        }
    }
}

/// Lessons are divided into this many shares, whatever the number of threads, so that sums are always rounded in the same way.
pub const SHARES: usize = 16;

/// Loss and gradient over lessons, by any number of threads, always the same.
pub struct Crowd {
    threads: usize,
    shares: Vec<std::sync::Mutex<Gradient>>,
}

impl Crowd {
    /// With this many threads.
    pub fn new<V: Variant>(threads: usize) -> Crowd {
        let zero = || Gradient::zero(Layout::of::<V>().len()).into();
        Crowd { threads: threads.clamp(1, SHARES), shares: (0..SHARES).map(|_| zero()).collect() }
    }

    /// The sums over the lessons with these numbers.
    pub fn over<V: Variant>(
        &mut self,
        k: f32,
        parameters: &[[f32; 2]],
        lessons: &[Lesson<V>],
        numbers: &[u32],
    ) -> Gradient {
        let (next, shares) = (AtomicUsize::new(0), &self.shares);
        let part = numbers.len().div_ceil(SHARES).max(1);
        let work = || {
            let mut seen = Vec::new();
            loop {
                // Relaxed: the number alone decides who does what.
                let share = next.fetch_add(1, Ordering::Relaxed);
                let Some(gradient) = shares.get(share) else { return };
                let mut gradient = gradient.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                gradient.clear();
                for &number in numbers.iter().skip(share * part).take(part) {
                    gradient.enter(k, parameters, &lessons[number as usize], &mut seen);
                }
            }
        };
        std::thread::scope(|scope| {
            (1..self.threads).for_each(|_| drop(scope.spawn(work)));
            work();
        });
        let mut total = Gradient::zero(parameters.len());
        for share in &self.shares {
            total.add(&share.lock().unwrap_or_else(std::sync::PoisonError::into_inner));
        }
        total
    }
}
