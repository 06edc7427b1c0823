//! Learns the strengths of a [`Model`] from games: the Bradley-Terry model of Coulom (2007), by stochastic gradient ascent.
//!
//! Every position is a competition that the move played has won against all others. Each position changes the logarithms of the
//! strengths a little towards what would have made its move more likely, by steps that become smaller the more often a feature was
//! there (AdaGrad; Duchi, Hazan, Singer 2011). A large pattern is learned as the difference to the pattern inside it, and differences
//! are drawn to nothing, so that a pattern seen seldom is as strong as what is known of its middle. The result depends on the games
//! and their order alone.

use std::collections::BTreeMap;

use yomi_core::{Position, Rng, Seed};
use yomi_games::go::{Go, GoMove};

use super::features::{Group, Scene, Values};
use super::ladder::Ladders;
use super::model::{Book, Model};

/// Counts how often each pattern was played, to find those worth knowing.
#[derive(Default)]
pub struct Census([BTreeMap<u64, Seen>; Group::BOOKS.len()]);

/// A pattern that was played.
#[derive(Default)]
struct Seen {
    times: u32,
    /// The pattern inside it; 0 if it is the smallest.
    inside: u64,
}

/// The most patterns of one kind that are worth knowing.
const MOST: usize = 65_000;

impl Census {
    /// Counts the patterns around `mv`, which was played in this position.
    pub fn observe<const LEN: usize>(&mut self, go: &Go<LEN>, mv: GoMove) {
        let Some(v) = mv.vertex() else { return };
        let scene = Scene::without_ladders(go);
        for (group, seen) in Group::BOOKS.into_iter().zip(&mut self.0) {
            let mut inside = 0;
            scene.patterns(group, v, |pattern| {
                let seen = seen.entry(pattern).or_insert(Seen { times: 0, inside });
                seen.times += 1;
                inside = pattern;
                true
            });
        }
    }

    /// The patterns played at least `least` times; if there are too many of them, the limit is higher.
    pub fn books(&self, least: u32) -> [Book; Group::BOOKS.len()] {
        self.0.each_ref().map(|seen| {
            let mut times: Vec<u32> = seen.values().map(|seen| seen.times).filter(|&times| times >= least).collect();
            times.sort_unstable_by(|a, b| b.cmp(a));
            let least = times.get(MOST).map_or(least, |&too_many| too_many + 1);
            Book::new(seen.iter().filter(|(_, seen)| seen.times >= least).map(|(&pattern, _)| pattern))
        })
    }
}

/// Positions to learn from: the features of every move, and which was played.
#[derive(Default)]
pub struct Examples {
    candidates: Vec<Values>,
    /// Where each position's candidates end, and which of them was played (an index into all).
    positions: Vec<(usize, usize)>,
}

impl Examples {
    /// Adds a position in which `mv` was played. Moves that fill an eye of their own side are left out, even if they were played.
    pub fn observe<const LEN: usize>(&mut self, go: &Go<LEN>, mv: GoMove, model: &Model) {
        let mut moves = Vec::new();
        go.generate(&mut moves);
        moves.retain(|mv| mv.vertex().is_none_or(|v| !go.is_eye(v, go.turn())));
        let Some(played) = moves.iter().position(|&other| other == mv) else { return };
        let scene = Scene::new(go, &mut Ladders::default());
        let first = self.candidates.len();
        self.candidates.extend(moves.iter().map(|&mv| model.values(&scene, mv)));
        self.positions.push((self.candidates.len(), first + played));
    }

    /// How many positions.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// The candidates of every position and which of them was played.
    fn positions(&self) -> impl Iterator<Item = (&[Values], usize)> {
        let mut first = 0;
        self.positions.iter().map(move |&(end, played)| {
            let position = (&self.candidates[first..end], played - first);
            first = end;
            position
        })
    }
}

/// How well a model predicts moves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Fit {
    /// Positions looked at.
    pub positions: usize,
    /// Mean of the logarithm of the probability of the move played.
    pub log_likelihood: f64,
    /// How often the move played was the most probable one.
    pub first: f64,
    /// How often it was among the five most probable.
    pub first_five: f64,
}

/// How well `model` predicts the moves of `examples`.
pub fn fit<'a>(model: &Model, examples: impl IntoIterator<Item = &'a Examples>) -> Fit {
    let mut fit = Fit::default();
    for (candidates, played) in examples.into_iter().flat_map(Examples::positions) {
        let strengths: Vec<f64> = candidates.iter().map(|values| f64::from(model.strength(values))).collect();
        let better = strengths.iter().filter(|&&s| s > strengths[played]).count();
        fit.positions += 1;
        fit.log_likelihood += (strengths[played] / strengths.iter().sum::<f64>()).ln();
        fit.first += f64::from(u8::from(better == 0));
        fit.first_five += f64::from(u8::from(better < 5));
    }
    let n = fit.positions.max(1) as f64;
    Fit { log_likelihood: fit.log_likelihood / n, first: fit.first / n, first_five: fit.first_five / n, ..fit }
}

/// How far the first step of a weight goes.
const RATE: f32 = 0.15;
/// Probabilities below this teach nothing.
const NEGLIGIBLE: f32 = 1e-4;

/// What is being learned: for every value of every group, in one row, the logarithm of its strength, of patterns the difference to the
/// logarithm of the pattern inside.
pub struct Learner {
    weights: Vec<f32>,
    /// Sum of the squares of all gradients.
    squares: Vec<f32>,
    /// The feature that stands behind a feature: the pattern inside a pattern, itself if there is none.
    behind: Vec<u32>,
    /// Where each group begins.
    first: [usize; Group::ALL.len()],
    model: Model,
    rounds: u64,
}

impl Learner {
    /// Begins with a model that prefers nothing and knows these patterns of a census.
    pub fn new(census: &Census, books: [Book; Group::BOOKS.len()]) -> Learner {
        let model = Model::indifferent(books);
        let mut total = 0;
        let first = std::array::from_fn(|g| {
            total += model.strengths[g].len();
            total - model.strengths[g].len()
        });
        let mut behind: Vec<u32> = (0..total as u32).collect();
        for (group, (book, seen)) in Group::BOOKS.into_iter().zip(model.books.iter().zip(&census.0)) {
            for (&pattern, seen) in seen {
                let [number, inside] = [pattern, seen.inside].map(|pattern| usize::from(book.number(pattern)));
                if number > 0 && inside > 0 {
                    behind[first[group as usize] + number] = (first[group as usize] + inside) as u32;
                }
            }
        }
        Learner { weights: vec![0.0; total], squares: vec![1e-2; total], behind, first, model, rounds: 0 }
    }

    /// What was learned so far.
    pub fn model(&self) -> Model {
        let mut model = self.model.clone();
        for (first, strengths) in self.first.iter().zip(&mut model.strengths) {
            for (value, strength) in strengths.iter_mut().enumerate().skip(1) {
                *strength = self.features(first + value).map(|i| self.weights[i]).sum::<f32>().exp();
            }
        }
        model
    }

    /// A feature and all that stand behind it.
    #[inline]
    fn features(&self, feature: usize) -> impl Iterator<Item = usize> {
        let behind = |&i: &usize| Some(self.behind[i] as usize).filter(|&next| next != i);
        std::iter::successors(Some(feature), behind)
    }

    /// All features of a move.
    #[inline]
    fn all_features(&self, values: &Values) -> impl Iterator<Item = usize> {
        let present = self.first.iter().zip(values).filter(|&(_, &value)| value != 0);
        present.flat_map(|(first, &value)| self.features(first + usize::from(value)))
    }

    /// One round: every position once, the games in an order of their own, and a step of every weight towards nothing.
    pub fn improve(&mut self, games: &[&Examples]) {
        self.rounds += 1;
        let mut rng: Rng = Seed::new(self.rounds).rng();
        let mut order: Vec<usize> = (0..games.len()).collect();
        for i in (1..order.len()).rev() {
            order.swap(i, rng.below(i + 1));
        }
        let mut step =
            StepScratch { gradient: vec![0.0; self.weights.len()], touched: Vec::new(), chances: Vec::new() };
        for game in order {
            for (candidates, played) in games[game].positions() {
                self.learn(candidates, played, &mut step);
            }
        }
        // One game won and one lost against a strength of 1.
        for i in 0..self.weights.len() {
            self.move_by(i, -(self.weights[i] / 2.0).tanh());
        }
    }

    fn learn(&mut self, candidates: &[Values], played: usize, step: &mut StepScratch) {
        let StepScratch { gradient, touched, chances } = step;
        chances.clear();
        chances.extend(candidates.iter().map(|values| self.all_features(values).map(|i| self.weights[i]).sum::<f32>()));
        let most = chances.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        chances.iter_mut().for_each(|x| *x = (*x - most).exp());
        let total: f32 = chances.iter().sum();
        for (i, (values, chance)) in candidates.iter().zip(&*chances).enumerate() {
            let slope = f32::from(u8::from(i == played)) - chance / total;
            if slope.abs() < NEGLIGIBLE {
                continue;
            }
            for feature in self.all_features(values) {
                if gradient[feature] == 0.0 {
                    touched.push(feature);
                }
                gradient[feature] += slope;
            }
        }
        for feature in touched.drain(..) {
            self.move_by(feature, std::mem::take(&mut gradient[feature]));
        }
    }

    #[inline]
    fn move_by(&mut self, feature: usize, slope: f32) {
        let square = &mut self.squares[feature];
        *square += slope * slope;
        self.weights[feature] += RATE * slope / square.sqrt();
    }
}

/// Working memory of a step.
struct StepScratch {
    /// Of every feature; 0 but for those touched.
    gradient: Vec<f32>,
    touched: Vec<usize>,
    chances: Vec<f32>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use yomi_games::go::{Go9, Rules};

    /// Games played by a model itself.
    fn games(model: &Model, games: std::ops::Range<u64>, plies: usize, mut observe: impl FnMut(&Go9, GoMove)) {
        let (mut moves, mut chances, mut ladders) = (Vec::new(), Vec::new(), Ladders::default());
        for game in games {
            let mut rng: Rng = Seed::new(game).rng();
            let mut go = Go9::new(7, Rules::default()).unwrap();
            for _ in 0..plies {
                if go.generate(&mut moves).is_some() {
                    break;
                }
                model.probabilities(&go, &moves, &mut ladders, &mut chances);
                let mut left = rng.unit();
                let drawn = chances.iter().position(|p| {
                    left -= p;
                    left < 0.0
                });
                let mv = moves[drawn.unwrap_or(0)];
                observe(&go, mv);
                go.play(mv);
            }
        }
    }

    /// What a known model plays teaches its strengths: within a tenth or two, by how often they matter.
    #[test]
    fn strengths_are_found_again() {
        let truth: Model =
            "line 1 0.2\nline 2 0.5\nlast 2 6\nlast 3 4\npass 1 0.05\nself-atari 1 0.3\n".parse().unwrap();
        let mut learner = Learner::new(&Census::default(), Default::default());
        let mut examples = Examples::default();
        games(&truth, 0..150, 30, |go, mv| examples.observe(go, mv, &truth));
        let before = fit(&learner.model(), [&examples]);
        for _ in 0..25 {
            learner.improve(&[&examples]);
        }
        let model = learner.model();
        let last = fit(&model, [&examples]);
        assert!(last.log_likelihood > before.log_likelihood + 0.1, "{before:?} {last:?}");
        // Other games are predicted nearly as well as by what made them; shapes that seldom came explain the rest.
        let mut others = Examples::default();
        games(&truth, 200..250, 30, |go, mv| others.observe(go, mv, &truth));
        let [blank, learned, best] =
            [&Model::indifferent(Default::default()), &model, &truth].map(|model| fit(model, [&others]).log_likelihood);
        assert!(learned > best - 0.25 * (best - blank), "{blank} {learned} {best}");
        // Strengths of a kind stand for each other: only their proportions are known.
        let strength = |model: &Model, group: Group, value: usize| model.strengths[group as usize][value];
        for (group, a, b) in [(Group::Last, 2, 7), (Group::Last, 3, 7), (Group::Line, 1, 3)] {
            let proportion = |model: &Model| strength(model, group, a) / strength(model, group, b);
            let ratio = proportion(&model) / proportion(&truth);
            assert!((0.6..1.7).contains(&ratio), "{group:?} {a} {b}: {ratio}");
        }
    }

    /// Books hold what was played often; patterns played seldom are as strong as what lies inside them.
    #[test]
    fn books_hold_what_was_played_often() {
        let blank = Model::indifferent(Default::default());
        let mut census = Census::default();
        games(&blank, 0..60, 12, |go, mv| census.observe(go, mv));
        let (all, often) = (census.books(1), census.books(4));
        assert!(all[0].len() > often[0].len() && often.iter().all(|book| !book.is_empty()));
        let model = Model::indifferent(often.clone());
        let mut known = [0; 3];
        games(&blank, 0..5, 12, |go, mv| {
            let values = model.values(&Scene::new(go, &mut Ladders::default()), mv);
            Group::BOOKS.iter().zip(&mut known).for_each(|(&group, n)| *n += u32::from(values[group as usize] > 0));
        });
        assert!(known[0] > 0 && known[2] > 0, "{known:?}");
        let mut learner = Learner::new(&census, often);
        let nested = learner.behind.iter().enumerate().filter(|&(i, &behind)| i != behind as usize);
        let nested: Vec<(usize, usize)> = nested.map(|(i, &behind)| (i, behind as usize)).collect();
        assert!(!nested.is_empty());
        let (outer, inner) = nested[0];
        learner.weights[inner] = 1.0;
        let strengths = &learner.model().strengths[Group::Pattern as usize];
        let first = learner.first[Group::Pattern as usize];
        assert_eq!(strengths[outer - first], strengths[inner - first]);
        assert!((strengths[inner - first] - 1f32.exp()).abs() < 1e-5);
    }
}
