//! The course of a tuning run: which points are played in each generation, and what is known after it.

use yomi_core::{Rng, Seed};

use super::config::{Method, TuneConfig};
use super::quadratic::{Quadratic, Sample};
use super::spsa::{self, Gains};

/// The results of one generation: for each of its pairs the points of its two games.
pub type Generation = Vec<[f64; 2]>;

/// How often a point is drawn before any is taken.
const TRIES: u32 = 1000;

/// What is known after some generations.
#[derive(Clone, Debug)]
pub struct Course<'a> {
    config: &'a TuneConfig,
    seed: Seed,
    /// All games so far.
    pub samples: Vec<Sample>,
    /// Where SPSA stands; its start is the middle of the range.
    pub theta: Vec<f64>,
    generation: u64,
    gains: Gains,
    /// The points of the next generation.
    next: Vec<Vec<f64>>,
}

impl<'a> Course<'a> {
    /// Nothing is known.
    pub fn new(config: &'a TuneConfig) -> Course<'a> {
        let seed = Seed::new(config.seed).branch(&config.hash(), 0);
        // The gains must not depend on how long the run will be: it may be made longer.
        let gains = Gains::for_steps(500);
        let theta = vec![0.0; config.space.axes.len()];
        let mut course = Course { config, seed, samples: Vec::new(), theta, generation: 0, gains, next: Vec::new() };
        course.next = course.chosen();
        course
    }

    /// The points of the next generation, one for each pair of games.
    pub fn points(&self) -> &[Vec<f64>] {
        &self.next
    }

    fn chosen(&self) -> Vec<Vec<f64>> {
        let (dimensions, batch) = (self.theta.len(), self.config.batch);
        let mut rng = self.seed.branch("points", self.generation).rng();
        match self.config.method {
            Method::Clop => {
                let model = (!self.samples.is_empty()).then(|| Quadratic::fit(&self.samples, dimensions));
                (0..batch).map(|_| drawn(model.as_ref(), dimensions, &mut rng)).collect()
            }
            Method::Spsa => {
                let k = self.generation + 1;
                let [plus, minus] = spsa::points(&self.theta, &self.signs(), self.gains.perturbation(k));
                (0..batch).map(|slot| if slot % 2 == 0 { plus.clone() } else { minus.clone() }).collect()
            }
        }
    }

    fn signs(&self) -> Vec<f64> {
        spsa::signs(self.theta.len(), self.generation + 1, self.seed)
    }

    /// Learns what the next generation came to.
    pub fn learn(&mut self, results: &Generation) {
        if self.config.method == Method::Spsa {
            let mean = |side: usize| {
                let mine: Vec<f64> = results.iter().skip(side).step_by(2).flatten().copied().collect();
                if mine.is_empty() { None } else { Some(mine.iter().sum::<f64>() / mine.len() as f64) }
            };
            if let (Some(plus), Some(minus)) = (mean(0), mean(1)) {
                let k = self.generation + 1;
                let (step, perturbation) = (self.gains.step(k), self.gains.perturbation(k));
                self.theta = spsa::moved(&self.theta, &self.signs(), plus - minus, step, perturbation);
            }
        }
        for (point, scores) in self.next.iter().zip(results) {
            self.samples.extend(scores.iter().map(|&score| Sample { point: point.clone(), score }));
        }
        self.generation += 1;
        self.next = self.chosen();
    }

    /// The local model of all games so far.
    pub fn model(&self) -> Quadratic {
        Quadratic::fit(&self.samples, self.theta.len())
    }

    /// The best point as it is known now: the top of the model, or where SPSA stands.
    pub fn best(&self) -> Vec<f64> {
        match self.config.method {
            Method::Clop => self.model().top(),
            Method::Spsa => self.theta.clone(),
        }
    }

    /// The pair of openings that a pair of games has: in SPSA both points of a step play from the same ones.
    pub fn opening(&self, generation: u64, slot: u64) -> u64 {
        match self.config.method {
            Method::Clop => generation * self.config.batch + slot,
            Method::Spsa => generation * self.config.batch + slot / 2,
        }
    }
}

/// A point drawn uniformly, and kept as often as a game there would count.
fn drawn(model: Option<&Quadratic>, dimensions: usize, rng: &mut Rng) -> Vec<f64> {
    let mut point = Vec::new();
    for _ in 0..TRIES {
        point = (0..dimensions).map(|_| 2.0 * f64::from(rng.unit()) - 1.0).collect();
        if model.is_none_or(|model| f64::from(rng.unit()) < model.weight(&point)) {
            break;
        }
    }
    point
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tune::space::Space;

    pub(crate) fn config(method: Method) -> TuneConfig {
        TuneConfig {
            game: "nim".into(),
            method,
            games: 2000,
            judge: 0,
            batch: 10,
            seed: 1,
            opening: "random(2)".into(),
            move_limit: None,
            against: vec!["random".into()],
            space: Space::parse("x(a={0..1},b={1..100:log})").unwrap(),
        }
    }

    /// Both methods find the best player of a game whose odds are known.
    #[test]
    fn a_known_optimum_is_found() {
        for method in [Method::Clop, Method::Spsa] {
            let config = config(method);
            let mut course = Course::new(&config);
            let mut rng = Seed::new(2).rng();
            for _ in 0..200 {
                let results = course.points().iter().map(|point| {
                    let far = (point[0] - 0.4).powi(2) + (point[1] + 0.2).powi(2);
                    let p = 1.0 / (1.0 + (3.0 * far - 1.0).exp());
                    [(); 2].map(|()| f64::from(u8::from(f64::from(rng.unit()) < p)))
                });
                let results = results.collect();
                course.learn(&results);
            }
            let best = course.best();
            assert!((best[0] - 0.4).abs() < 0.25 && (best[1] + 0.2).abs() < 0.25, "{method:?} {best:?}");
            assert_eq!(course.samples.len(), 4000);
        }
    }

    /// What is played next depends on the games so far alone.
    #[test]
    fn the_same_games_lead_to_the_same_points() {
        let config = config(Method::Clop);
        let play = || {
            let mut course = Course::new(&config);
            (0..3).for_each(|g| course.learn(&vec![[1.0, f64::from(g % 2)]; 10]));
            course.points().to_vec()
        };
        assert_eq!(play(), play());
    }
}
