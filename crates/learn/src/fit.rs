//! The fit of one generation: the parameters that explain the lessons and still agree with the prior.
//!
//! With N lessons, prior centre c and deviation s of each parameter w, it minimises
//! `1/N Σ loss + 1/2 Σ r/N·((w - c)/s)²` with the regularization r: a ridge regression, and for r = 1 the maximum a posteriori.

use yomi_core::Rng;
use yomi_eval::linear::{Layout, value};
use yomi_games::shogi::Variant;

use crate::adam::Adam;
use crate::gradient::{Crowd, cross_entropy};
use crate::lessons::{Lesson, sigmoid};
use crate::prior::Prior;

/// How a fit is made.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FitSettings {
    /// How often it goes through the lessons.
    pub epochs: usize,
    /// Lessons per step.
    pub batch: usize,
    /// How far a parameter may move in the first step, in parts of its prior deviation; the steps shrink to nothing.
    pub rate: f32,
    /// Weight of the prior: positions of one game are correlated, so this many count as one.
    pub regularization: f32,
}

/// What a fit has brought.
#[derive(Clone, PartialEq, Debug)]
pub struct Fitted {
    /// The parameters after the epoch that did best on the lessons held out.
    pub parameters: Vec<[f32; 2]>,
    /// Mean loss over the lessons learned from, in each epoch.
    pub losses: Vec<f64>,
    /// Mean loss over the lessons held out: before, and after each epoch.
    pub held_out: Vec<f64>,
}

/// Fits `parameters` to the lessons learned from.
pub fn fit<V: Variant>(
    plan: &FitSettings,
    k: f32,
    prior: &Prior,
    parameters: Vec<[f32; 2]>,
    (learned, held_out): (&[Lesson<V>], &[Lesson<V>]),
    threads: usize,
    rng: &mut Rng,
) -> Fitted {
    let mut crowd = Crowd::new::<V>(threads);
    let mut adam = Adam::new(parameters.len());
    let mut current = parameters.clone();
    let deviations = prior.deviations(k);
    let mut order: Vec<u32> = (0..learned.len() as u32).collect();
    let first = mean_loss(k, &values(&parameters, held_out), held_out);
    let mut fitted = Fitted { parameters, losses: Vec::new(), held_out: vec![first] };
    let mut best = first;
    let batch = plan.batch.max(1);
    let steps = (learned.len().div_ceil(batch) * plan.epochs) as f32;
    let mut step = 0.0;
    for _ in 0..plan.epochs {
        for i in (1..order.len()).rev() {
            order.swap(i, rng.below(i + 1));
        }
        let mut loss = 0.0;
        for numbers in order.chunks(batch) {
            let mut gradient = crowd.over(k, &current, learned, numbers);
            loss += gradient.loss;
            gradient.mean();
            pull(
                &mut gradient.sums,
                &current,
                (&prior.centre, &deviations),
                k * plan.regularization / learned.len() as f32,
            );
            adam.step(&mut current, &gradient.sums, &deviations, plan.rate * (1.0 - step / steps));
            step += 1.0;
        }
        fitted.losses.push(loss / learned.len().max(1) as f64);
        let now = mean_loss(k, &values(&current, held_out), held_out);
        fitted.held_out.push(now);
        if now < best || held_out.is_empty() {
            best = now;
            fitted.parameters.clone_from(&current);
        }
    }
    fitted
}

/// The derivative of the prior's part of the loss, times K like the other.
fn pull(
    sums: &mut [[f32; 2]],
    parameters: &[[f32; 2]],
    (centre, deviations): (&[[f32; 2]], &[[f32; 2]]),
    strength: f32,
) {
    let believed = centre.as_flattened().iter().zip(deviations.as_flattened());
    let moved = sums.as_flattened_mut().iter_mut().zip(parameters.as_flattened());
    for ((sum, w), (centre, deviation)) in moved.zip(believed) {
        *sum += strength * (w - centre) / (deviation * deviation);
    }
}

/// What the parameters make of the lessons.
pub fn values<V: Variant>(parameters: &[[f32; 2]], lessons: &[Lesson<V>]) -> Vec<f64> {
    lessons.iter().map(|lesson| value(Layout::of::<V>(), parameters, &lesson.position)).collect()
}

/// The mean loss of these values of the lessons.
pub fn mean_loss<V: Variant>(k: f32, values: &[f64], lessons: &[Lesson<V>]) -> f64 {
    mean(k, values, lessons.iter().map(|lesson| lesson.target))
}

fn mean(k: f32, values: &[f64], truth: impl Iterator<Item = f32>) -> f64 {
    let one = |(value, y): (&f64, f32)| cross_entropy(sigmoid(value / f64::from(k)), f64::from(y));
    values.iter().zip(truth).map(one).sum::<f64>() / values.len().max(1) as f64
}

/// Where the value lies that wins a game with probability 0.73.
const K_RANGE: [f32; 2] = [50.0, 10_000.0];

/// The K under which these values explain the results best, and the loss that remains.
pub fn best_k<V: Variant>(values: &[f64], lessons: &[Lesson<V>]) -> (f32, f64) {
    let loss = |k: f32| mean(k, values, lessons.iter().map(|lesson| lesson.result));
    let k = least(K_RANGE, loss);
    (k, loss(k))
}

/// Where between two positive numbers a function with one valley is least: golden section on a logarithmic scale, to a percent.
fn least([low, high]: [f32; 2], f: impl Fn(f32) -> f64) -> f32 {
    const GOLDEN: f64 = 0.618_033_988_75;
    let (mut a, mut b) = (f64::from(low).ln(), f64::from(high).ln());
    let at = |x: f64| f(x.exp() as f32);
    let (mut x, mut y) = (b - GOLDEN * (b - a), a + GOLDEN * (b - a));
    let (mut fx, mut fy) = (at(x), at(y));
    while b - a > 0.01 {
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

#[cfg(test)]
mod tests {
    use super::*;
    use yomi_core::{Position, Seed};
    use yomi_games::shogi::{Five, Kind, Minishogi};

    use crate::prior::Start;

    const K: f32 = 600.0;

    /// Positions of random games, worth what `judge` makes of them.
    fn taught(judge: &[[f32; 2]], seed: u64, games: usize) -> Vec<Lesson<Five>> {
        let mut rng = Seed::new(seed).rng();
        let (mut lessons, mut legal) = (Vec::new(), Vec::new());
        for _ in 0..games {
            let mut position = Minishogi::default();
            for _ in 0..40 {
                if position.generate(&mut legal).is_some() {
                    break;
                }
                position.play(legal[rng.below(legal.len())]);
                let target = sigmoid(value(Layout::of::<Five>(), judge, &position) / f64::from(K)) as f32;
                lessons.push(Lesson { position, result: 0.5, target });
            }
        }
        lessons
    }

    /// From nothing, and with targets from a teacher that counts pieces and likes to have the move, the fit finds what the
    /// pieces are worth; and a prior that counts for everything stays where it is.
    #[test]
    fn a_teacher_is_understood() {
        let layout = Layout::of::<Five>();
        let mut teacher = Prior::new::<Five>(Start::Material).centre;
        teacher[layout.turn()][1] = 40.0;
        let (learned, held_out) = (taught(&teacher, 1, 150), taught(&teacher, 2, 20));
        let prior = Prior::new::<Five>(Start::Nothing);
        let run = |regularization: f32| {
            let plan = FitSettings { epochs: 12, batch: 128, rate: 0.2, regularization };
            let mut rng = Seed::new(3).rng();
            fit(&plan, K, &prior, prior.centre.clone(), (&learned, &held_out), 1, &mut rng)
        };
        let fitted = run(0.01);
        let entropy = mean_loss(K, &values(&teacher, &held_out), &held_out);
        let [before, after] = [fitted.held_out[0], *fitted.held_out.last().unwrap()].map(|loss| loss - entropy);
        assert!(after < 0.05 * before, "{before} {after}");
        assert!(fitted.losses.len() == 12 && fitted.losses[11] < fitted.losses[0]);
        // A rook changes hands: what it is worth on both sides together, whatever its square adds to that.
        let worth = |parameters: &[[f32; 2]], kind: Kind| parameters[layout.hand(kind)][0];
        for kind in [Kind::Rook, Kind::Gold, Kind::Silver] {
            let [found, wanted] = [&fitted.parameters, &teacher].map(|parameters| worth(parameters, kind));
            assert!(found > 0.5 * wanted && found < 1.3 * wanted, "{kind:?} {found} {wanted}");
        }
        let timid = run(1e6);
        assert!(timid.parameters.iter().flatten().all(|x| x.abs() < 2.0));
    }

    /// With values twice as large as they should be, the best K is twice as large.
    #[test]
    fn the_best_k_is_found() {
        let teacher = Prior::new::<Five>(Start::Material).centre;
        let mut rng = Seed::new(9).rng();
        let mut lessons = taught(&teacher, 5, 60);
        for lesson in &mut lessons {
            lesson.result = if rng.chance(lesson.target) { 1.0 } else { 0.0 };
        }
        let exact = values(&teacher, &lessons);
        let (k, loss) = best_k(&exact, &lessons);
        assert!((k / K).ln().abs() < 0.25, "{k}");
        let doubled: Vec<f64> = exact.iter().map(|value| 2.0 * value).collect();
        let (k2, loss2) = best_k(&doubled, &lessons);
        assert!((k2 / k - 2.0).abs() < 0.05 && (loss - loss2).abs() < 1e-4, "{k} {k2}");
    }

    /// One step of the prior by hand: K·strength·(w - c)/s² is added.
    #[test]
    fn the_prior_pulls_to_its_centre() {
        let mut sums = vec![[1.0, 0.0]];
        pull(&mut sums, &[[30.0, -4.0]], (&[[10.0, 0.0]], &[[10.0, 2.0]]), 0.5);
        assert_eq!(sums, [[1.0 + 0.5 * 20.0 / 100.0, 0.5 * -4.0 / 4.0]]);
    }
}
