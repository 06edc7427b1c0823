//! Learns the strengths of a [`Model`] from games: minorization-maximization of the Bradley-Terry model (Hunter 2004, Coulom 2007).
//!
//! Every position is a competition that the move played has won against all others. One step changes the strengths of one group, the
//! others being held, and never makes the games less likely. The result depends on the games and their order alone, not on the threads.

use std::collections::BTreeMap;

use yomi_core::Position;
use yomi_games::go::{Go, GoMove};

use super::features::{Group, Scene, Values};
use super::model::{Book, Model};
use super::neighbourhood::rings;

/// Counts how often each large pattern was played, to find those worth knowing.
#[derive(Default)]
pub struct Census(BTreeMap<u64, u32>);

impl Census {
    /// Somebody played `mv` here.
    pub fn observe<const LEN: usize>(&mut self, go: &Go<LEN>, mv: GoMove) {
        if let Some(v) = mv.vertex() {
            rings(go, v, go.turn(), |_, hash| {
                *self.0.entry(hash).or_default() += 1;
                true
            });
        }
    }

    /// The patterns played at least so many times.
    pub fn book(&self, least: u32) -> Book {
        Book::new(self.0.iter().filter(|&(_, &times)| times >= least).map(|(&hash, _)| hash))
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
    /// Somebody played `mv` here. Moves that fill an eye of their own side are not looked at, not even if they were played.
    pub fn observe<const LEN: usize>(&mut self, go: &Go<LEN>, mv: GoMove, model: &Model) {
        let mut moves = Vec::new();
        go.generate(&mut moves);
        moves.retain(|mv| mv.vertex().is_none_or(|v| !go.is_eye(v, go.turn())));
        let Some(played) = moves.iter().position(|&other| other == mv) else { return };
        let scene = Scene::new(go);
        let first = self.candidates.len();
        self.candidates.extend(moves.iter().map(|&mv| model.values(&scene, go, mv)));
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

    /// Takes the positions of `other` in after one's own.
    pub fn append(&mut self, other: &Examples) {
        let shift = self.candidates.len();
        self.candidates.extend_from_slice(&other.candidates);
        self.positions.extend(other.positions.iter().map(|&(end, played)| (end + shift, played + shift)));
    }

    /// The candidates of a position and which of them was played.
    fn position(&self, index: usize) -> (&[Values], usize) {
        let first = if index == 0 { 0 } else { self.positions[index - 1].0 };
        let (end, played) = self.positions[index];
        (&self.candidates[first..end], played - first)
    }
}

/// How well a model foretells moves.
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

/// How well `model` foretells the moves of `examples`.
pub fn fit(model: &Model, examples: &Examples) -> Fit {
    let mut fit = Fit { positions: examples.len(), ..Fit::default() };
    let n = examples.len().max(1) as f64;
    for index in 0..examples.len() {
        let (candidates, played) = examples.position(index);
        let strengths: Vec<f64> = candidates.iter().map(|values| f64::from(model.strength(values))).collect();
        let better = strengths.iter().filter(|&&s| s > strengths[played]).count();
        fit.log_likelihood += (strengths[played] / strengths.iter().sum::<f64>()).ln() / n;
        fit.first += f64::from(u8::from(better == 0)) / n;
        fit.first_five += f64::from(u8::from(better < 5)) / n;
    }
    fit
}

/// The parts that positions are dealt out in, whatever the number of threads, so that sums are always added in the same order.
const PARTS: usize = 64;

/// One round: every group once. Each strength has won once and lost once against a strength of 1 before anything was played, which keeps
/// rare values near 1.
pub fn improve(model: &mut Model, examples: &Examples, threads: usize) {
    for group in Group::ALL {
        let g = group as usize;
        let sums = in_parts(examples.len(), threads, |range| sums(model, examples, g, range));
        let mut total = vec![(0.0, 0.0); model.strengths[g].len()];
        for part in sums {
            total.iter_mut().zip(part).for_each(|(sum, more)| *sum = (sum.0 + more.0, sum.1 + more.1));
        }
        for (strength, (wins, rivals)) in model.strengths[g].iter_mut().zip(total).skip(1) {
            if rivals > 0.0 {
                let old = f64::from(*strength);
                *strength = ((wins + 1.0) / (rivals + 2.0 / (old + 1.0))) as f32;
            }
        }
    }
}

/// For every value of a group: how often it won, and the sum of `C/E` of the minorization.
fn sums(model: &Model, examples: &Examples, g: usize, range: std::ops::Range<usize>) -> Vec<(f64, f64)> {
    let mut sums = vec![(0.0, 0.0); model.strengths[g].len()];
    let mut strengths = Vec::new();
    for index in range {
        let (candidates, played) = examples.position(index);
        strengths.clear();
        strengths.extend(candidates.iter().map(|values| f64::from(model.strength(values))));
        let all: f64 = strengths.iter().sum();
        sums[usize::from(candidates[played][g])].0 += 1.0;
        for (values, strength) in candidates.iter().zip(&strengths) {
            let value = usize::from(values[g]);
            if value != 0 {
                sums[value].1 += strength / f64::from(model.strengths[g][value]) / all;
            }
        }
    }
    sums
}

/// Deals out `n` things in parts over threads; the answers come in the order of the parts.
fn in_parts<T: Send>(n: usize, threads: usize, work: impl Fn(std::ops::Range<usize>) -> T + Sync) -> Vec<T> {
    let range = |part: usize| part * n / PARTS..(part + 1) * n / PARTS;
    let threads = threads.clamp(1, PARTS);
    std::thread::scope(|scope| {
        let work = &work;
        let deal =
            |thread: usize| move || (thread..PARTS).step_by(threads).map(|part| (part, work(range(part)))).collect();
        let handles: Vec<_> = (1..threads).map(|thread| scope.spawn(deal(thread))).collect();
        let mut answers: Vec<(usize, T)> = deal(0)();
        for handle in handles {
            let more: Vec<(usize, T)> = handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            answers.extend(more);
        }
        answers.sort_by_key(|&(part, _)| part);
        answers.into_iter().map(|(_, answer)| answer).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use yomi_core::{Rng, Seed};
    use yomi_games::go::{Go9, Rules};

    /// Games played by a model itself.
    fn games(model: &Model, games: u64, plies: usize, mut observe: impl FnMut(&Go9, GoMove)) {
        let (mut moves, mut chances) = (Vec::new(), Vec::new());
        for game in 0..games {
            let mut rng: Rng = Seed::new(game).rng();
            let mut go = Go9::new(7, Rules::default()).unwrap();
            for _ in 0..plies {
                if go.generate(&mut moves).is_some() {
                    break;
                }
                model.probabilities(&go, &moves, &mut chances);
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
        let mut model = Model::indifferent(Book::default());
        let mut examples = Examples::default();
        games(&truth, 150, 30, |go, mv| examples.observe(go, mv, &model));
        let before = fit(&model, &examples);
        let mut last = before;
        for _ in 0..12 {
            improve(&mut model, &examples, 2);
            let now = fit(&model, &examples);
            // The virtual games pull a little the other way, so the likelihood of the real ones may fall by a hair at the end.
            assert!(now.log_likelihood > last.log_likelihood - 1e-3);
            last = now;
        }
        assert!(last.log_likelihood > before.log_likelihood + 0.1, "{before:?} {last:?}");
        let strength = |model: &Model, group: Group, value: usize| model.strengths[group as usize][value];
        for (group, value) in [(Group::Last, 2), (Group::Last, 3), (Group::Pass, 1), (Group::SelfAtari, 1)] {
            let ratio = strength(&model, group, value) / strength(&truth, group, value);
            assert!((0.5..2.0).contains(&ratio), "{group:?} {value}: {ratio}");
        }
        // Lines stand for each other: only their proportions are known.
        let lines = |model: &Model| strength(model, Group::Line, 1) / strength(model, Group::Line, 3);
        assert!((0.6..1.7).contains(&(lines(&model) / lines(&truth))), "{}", lines(&model));
    }

    #[test]
    fn threads_change_nothing() {
        let truth: Model = "last 2 5\nline 1 0.3\n".parse().unwrap();
        let mut examples = Examples::default();
        let blank = Model::indifferent(Book::default());
        games(&truth, 10, 20, |go, mv| examples.observe(go, mv, &blank));
        let learnt = [1, 3].map(|threads| {
            let mut model = blank.clone();
            improve(&mut model, &examples, threads);
            model
        });
        assert_eq!(learnt[0], learnt[1]);
        let mut twice = Examples::default();
        twice.append(&examples);
        twice.append(&examples);
        assert_eq!(twice.len(), 2 * examples.len());
        let (once, again) = (fit(&learnt[0], &examples), fit(&learnt[0], &twice));
        assert!((once.log_likelihood - again.log_likelihood).abs() < 1e-9);
    }

    #[test]
    fn books_hold_what_was_played_often() {
        let blank = Model::indifferent(Book::default());
        let mut census = Census::default();
        games(&blank, 20, 12, |go, mv| census.observe(go, mv));
        let (all, often) = (census.book(1), census.book(4));
        assert!(all.len() > often.len() && !often.is_empty());
        let model = Model::indifferent(often);
        let mut known = 0;
        games(&blank, 5, 12, |go, mv| known += u32::from(mv.vertex().is_some_and(|v| model.book.largest(go, v) > 0)));
        assert!(known > 0);
    }
}
