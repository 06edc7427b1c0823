//! Positions of random games, and comparisons of the answers about them: for checks and measurements.

use yomi_core::{Notation, Seed, Spec, TextError};
use yomi_games::blokus::BlokusDuo;
use yomi_games::go::{Go9, Go13, Go19};
use yomi_games::shogi::{Minishogi, Shogi9};

use crate::backend::{Answers, Request};
use crate::cpu::reference;
use crate::fold::Folded;
use crate::input::{Encode, Layout, PackedPosition};

/// Positions with the labels of their legal moves, each seen by its side to move.
#[derive(Clone, Debug, Default)]
pub struct Sample {
    /// The positions.
    pub positions: Vec<PackedPosition>,
    /// Labels of the legal moves, position after position.
    pub labels: Vec<u16>,
    /// Where the labels of each position end.
    pub ends: Vec<u32>,
}

impl Sample {
    /// Positions of the game of a layout.
    pub fn of(layout: Layout, count: usize, seed: Seed) -> Result<Sample, TextError> {
        fn start<P: Notation>(layout: Layout) -> Result<P, TextError> {
            P::start(&Spec::parse(&layout.game())?)
        }
        Ok(match layout {
            Layout::Shogi | Layout::Dlshogi => Sample::walk(&Shogi9::default(), count, seed),
            Layout::Minishogi => Sample::walk(&Minishogi::default(), count, seed),
            Layout::Go(..=9) => Sample::walk(&start::<Go9>(layout)?, count, seed),
            Layout::Go(10..=13) => Sample::walk(&start::<Go13>(layout)?, count, seed),
            Layout::Go(_) => Sample::walk(&start::<Go19>(layout)?, count, seed),
            Layout::BlokusDuo => Sample::walk(&BlokusDuo::default(), count, seed),
        })
    }

    /// Positions of random games from `start`.
    pub fn walk<P: Encode>(start: &P, count: usize, seed: Seed) -> Sample {
        let mut rng = seed.rng();
        let (mut position, mut moves, mut sample) = (start.clone(), Vec::new(), Sample::default());
        while sample.positions.len() < count {
            if position.generate(&mut moves).is_some() {
                position = start.clone();
                continue;
            }
            sample.positions.push(position.pack(position.turn()));
            sample.labels.extend(moves.iter().map(|&mv| position.label(mv) as u16));
            sample.ends.push(sample.labels.len() as u32);
            position.play(moves[rng.below(moves.len())]);
        }
        sample
    }

    /// The first `count` positions, again and again if there are fewer; with labels or without.
    #[must_use]
    pub fn cycle(&self, count: usize, labels: bool) -> Sample {
        let mut sample = Sample::default();
        for i in (0..self.positions.len()).cycle().take(count) {
            sample.positions.push(self.positions[i]);
            if labels {
                sample.labels.extend(self.labels_of(i));
                sample.ends.push(sample.labels.len() as u32);
            }
        }
        sample
    }

    /// The labels of one position.
    pub fn labels_of(&self, i: usize) -> &[u16] {
        let start = i.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        &self.labels[start..self.ends[i] as usize]
    }

    /// Everything about all of them.
    pub fn request(&self) -> Request<'_> {
        Request { positions: &self.positions, labels: &self.labels, ends: &self.ends, ..Request::default() }
    }

    /// What the slow definition of a network answers.
    pub fn by_reference(&self, folded: &Folded) -> Answers {
        let mut answers = Answers::default();
        for (i, packed) in self.positions.iter().enumerate() {
            let one = reference::evaluate(folded, std::slice::from_ref(packed));
            answers.value.extend(&one.value);
            answers.score.extend(&one.score);
            answers.policy.extend(self.labels_of(i).iter().map(|&label| one.policy[usize::from(label)]));
        }
        answers
    }
}

/// How far answers are from others about the same sample.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Comparison {
    /// The greatest difference of a probability of win, draw or loss.
    pub value: f64,
    /// The greatest difference of a logit.
    pub policy: f64,
    /// The differences of logits by the size of logits, as roots of mean squares.
    pub policy_relative: f64,
    /// The greatest difference of a score by the size of scores.
    pub score: f64,
    /// The share of positions whose move of highest logit is the same.
    pub top_move: f64,
    /// The same, of positions whose two best moves differ by more than the greatest difference of a logit: where a tie does not decide.
    pub top_move_clear: f64,
}

impl Comparison {
    /// Compares the answers to `sample.request()` with what they should be.
    pub fn new(sample: &Sample, answers: &Answers, expected: &Answers) -> Comparison {
        let (value, ..) = differences(answers.value.as_flattened(), expected.value.as_flattened());
        let (policy, _, policy_relative) = differences(&answers.policy, &expected.policy);
        let (_, score, _) = differences(&answers.score, &expected.score);
        let (mut same, mut clear, mut clear_same, mut start) = (0usize, 0usize, 0usize, 0);
        for &end in &sample.ends {
            let range = start..end as usize;
            start = end as usize;
            let (best, _) = best_two(answers.policy.get(range.clone()).unwrap_or_default());
            let (should, margin) = best_two(expected.policy.get(range).unwrap_or_default());
            same += usize::from(best == should);
            if f64::from(margin) > policy {
                clear += 1;
                clear_same += usize::from(best == should);
            }
        }
        let share = |part: usize, all: usize| if all == 0 { 1.0 } else { part as f64 / all as f64 };
        let (top_move, top_move_clear) = (share(same, sample.ends.len()), share(clear_same, clear));
        Comparison { value, policy, policy_relative, score, top_move, top_move_clear }
    }
}

/// Where the largest number is, and by how much it is larger than the next.
fn best_two(logits: &[f32]) -> (Option<usize>, f32) {
    let best = (0..logits.len()).max_by(|&a, &b| logits[a].total_cmp(&logits[b]));
    let others = logits.iter().enumerate().filter(|&(i, _)| Some(i) != best).map(|(_, &x)| x);
    let next = others.fold(f32::NEG_INFINITY, f32::max);
    (best, best.map_or(0.0, |best| logits[best] - next))
}

/// Differences of one kind of number: the greatest, the greatest by the size of the numbers, and the root mean square by theirs. What is
/// not a number, or missing, is a difference that no bound allows.
pub fn differences(numbers: &[f32], expected: &[f32]) -> (f64, f64, f64) {
    let (mut worst, mut most, mut squares, mut sizes) = (0.0f64, 1.0f64, 0.0, 0.0);
    for (&a, &b) in numbers.iter().zip(expected) {
        let (difference, size) = (f64::from(a - b).abs(), f64::from(b).abs());
        worst = if difference <= worst { worst } else { difference };
        most = most.max(size);
        squares += difference * difference;
        sizes += size * size;
    }
    let relative = if sizes > 0.0 { (squares / sizes).sqrt() } else { 0.0 };
    if numbers.len() == expected.len() { (worst, worst / most, relative) } else { (f64::NAN, f64::NAN, f64::NAN) }
}
