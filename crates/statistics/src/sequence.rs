//! A sequential test while the games come in, in whatever order the workers finish them.
//!
//! Quick games would bias a test that took them as they come. So results are counted in the order of the schedule: the test sees the
//! longest prefix without a gap, and its decision depends on the games alone, not on who played them when.

use std::collections::BTreeMap;

use yomi_core::TextError;

use super::sprt::{Decision, Sprt};
use super::tally::Tally;

/// Where a test ended, and how it stood there.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Stop {
    /// The hypothesis that was accepted.
    pub decision: Decision,
    /// The log-likelihood ratio that decided.
    pub ratio: f64,
    /// The games that decided. Those that were already under way come on top of them.
    pub tally: Tally,
}

/// A running test.
#[derive(Clone, Debug)]
pub struct Sequence {
    sprt: Sprt,
    tally: Tally,
    ratio: f64,
    /// Results behind the first gap, by their place in the schedule.
    waiting: BTreeMap<u64, usize>,
    overshoot: Option<Overshoot>,
    stop: Option<Stop>,
}

impl Sequence {
    /// A test over single games.
    pub fn of_games(sprt: Sprt) -> Sequence {
        Sequence::new(sprt, Tally::Games([0; 3]))
    }

    /// A test over pairs of games.
    pub fn of_pairs(sprt: Sprt) -> Sequence {
        Sequence::new(sprt, Tally::Pairs([0; 5]))
    }

    fn new(sprt: Sprt, tally: Tally) -> Sequence {
        Sequence { sprt, tally, ratio: 0.0, waiting: BTreeMap::new(), overshoot: None, stop: None }
    }

    /// The same test with bounds that allow for the ratio overshooting them, which saves a few games.
    pub fn correcting_overshoot(mut self) -> Sequence {
        self.overshoot = Some(Overshoot::default());
        self
    }

    /// Takes the result of the game or pair at place `index` of the schedule, in half points for the tested player: 0 to 2 for a game,
    /// 0 to 4 for a pair. Says what is decided by now.
    pub fn record(&mut self, index: u64, half_points: usize) -> Result<Decision, TextError> {
        if half_points >= self.tally.counts().len() {
            return Err(TextError::new(format!("{half_points} half points are more than there are to win")));
        }
        if index < self.counted() || self.waiting.insert(index, half_points).is_some() {
            return Err(TextError::new(format!("the result at place {index} of the schedule was recorded before")));
        }
        while let Some(half_points) = self.waiting.remove(&self.counted()) {
            self.advance(half_points);
        }
        Ok(self.decision())
    }

    /// One more result of the prefix.
    fn advance(&mut self, half_points: usize) {
        self.tally.add(half_points);
        self.ratio = self.sprt.log_likelihood_ratio(&self.tally);
        let [excess0, excess1] = self.overshoot.as_mut().map_or([0.0; 2], |overshoot| overshoot.update(self.ratio));
        if self.stop.is_none() {
            // A correction of the bounds is one of the ratio, to the outside.
            let corrected = if self.ratio > 0.0 { self.ratio + excess1 } else { self.ratio - excess0 };
            let decision = self.sprt.decide(corrected);
            if decision != Decision::Continue {
                self.stop = Some(Stop { decision, ratio: self.ratio, tally: self.tally });
            }
        }
    }

    /// How long the prefix without a gap is, in games or pairs.
    pub fn counted(&self) -> u64 {
        self.tally.samples()
    }

    /// What is decided by now. Once made, a decision stands.
    pub fn decision(&self) -> Decision {
        self.stop.map_or(Decision::Continue, |stop| stop.decision)
    }

    /// Where it was decided.
    pub fn stop(&self) -> Option<Stop> {
        self.stop
    }

    /// The prefix so far, those after the decision included.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// The log-likelihood ratio of the prefix so far.
    pub fn ratio(&self) -> f64 {
        self.ratio
    }
}

/// How far the ratio is expected to jump over a bound: Σd² / 2Σd over the steps d by which it set records, below and above.
/// After fishtest.
#[derive(Clone, Copy, Default, Debug)]
struct Overshoot {
    sides: [Records; 2],
}

/// The records of one side.
#[derive(Clone, Copy, Default, Debug)]
struct Records {
    best: f64,
    sum: f64,
    squares: f64,
}

impl Overshoot {
    /// Takes the next ratio; says the expected excess below the lower and above the upper bound.
    fn update(&mut self, ratio: f64) -> [f64; 2] {
        let [below, above] = &mut self.sides;
        [below.update(-ratio), above.update(ratio)]
    }
}

impl Records {
    fn update(&mut self, ratio: f64) -> f64 {
        if ratio > self.best {
            let step = ratio - self.best;
            self.best = ratio;
            self.sum += step;
            self.squares += step * step;
        }
        if self.sum > 0.0 { self.squares / (2.0 * self.sum) } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Model;
    use yomi_core::Seed;

    fn sprt() -> Sprt {
        Sprt::new(Model::Normalized, 0.0, 60.0, 0.05, 0.05).unwrap()
    }

    /// The results of a strong player, as half points of pairs.
    fn results() -> Vec<usize> {
        let mut rng = Seed::new(3).rng();
        (0..400).map(|_| [0, 1, 2, 2, 3, 3, 4, 4][rng.below(8)]).collect()
    }

    /// Whatever order the results come in, the decision falls at the same place, and it is where a plain loop finds it.
    #[test]
    fn order_does_not_matter() {
        let results = results();
        let mut counts = [0; 5];
        let expected = results.iter().position(|&half_points| {
            counts[half_points] += 1;
            sprt().decide(sprt().log_likelihood_ratio(&Tally::Pairs(counts))) != Decision::Continue
        });
        let expected = expected.unwrap() as u64 + 1;
        assert!(expected > 20 && expected < 300, "{expected}");
        let mut rng = Seed::new(4).rng();
        for _ in 0..5 {
            let mut order: Vec<usize> = (0..results.len()).collect();
            for i in (1..order.len()).rev() {
                order.swap(i, i - rng.below(8.min(i + 1)));
            }
            let mut sequence = Sequence::of_pairs(sprt());
            for &i in &order {
                sequence.record(i as u64, results[i]).unwrap();
            }
            let stop = sequence.stop().unwrap();
            assert_eq!((stop.decision, stop.tally.samples()), (Decision::AcceptH1, expected));
            assert_eq!(sequence.counted(), 400);
            assert!(sequence.ratio() > stop.ratio, "the drain goes on counting");
        }
    }

    #[test]
    fn a_gap_holds_the_decision_back() {
        let mut sequence = Sequence::of_games(sprt());
        for i in 1..300 {
            assert_eq!(sequence.record(i, 2).unwrap(), Decision::Continue);
        }
        assert_eq!(sequence.counted(), 0);
        assert_eq!(sequence.record(0, 2).unwrap(), Decision::AcceptH1);
        assert!(sequence.record(0, 2).is_err() && sequence.record(5, 0).is_err() && sequence.record(1000, 3).is_err());
        assert!(sequence.record(500, 0).is_ok() && sequence.record(500, 0).is_err());
    }

    #[test]
    fn correction_stops_no_later() {
        let (mut plain, mut corrected) =
            (Sequence::of_pairs(sprt()), Sequence::of_pairs(sprt()).correcting_overshoot());
        for (i, &half_points) in results().iter().enumerate() {
            plain.record(i as u64, half_points).unwrap();
            corrected.record(i as u64, half_points).unwrap();
        }
        let [plain, corrected] = [plain, corrected].map(|s| s.stop().unwrap());
        assert!(corrected.tally.samples() <= plain.tally.samples() && corrected.decision == plain.decision);
        assert!(corrected.ratio <= plain.ratio);
    }
}
