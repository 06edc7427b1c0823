//! Sequential tests do what they promise: risks and lengths by simulation, with fixed seeds.
//!
//! 1000 matches a row, or as many as the variable SPRT_RUNS says. A share near 5 % has then a standard error of 0.7 %, a mean length one of about 2 %; the bounds below are four
//! standard errors wide beside the theory, which is itself an approximation good to a few percent at these short lengths.

#![allow(clippy::print_stdout, reason = "what was measured, shown with --nocapture")]

use yomi_core::{Rng, Seed};
use yomi_statistics::elo::{NORMALIZED, score_of_elo};
use yomi_statistics::expected::expectation;
use yomi_statistics::likelihood::{with_effect, with_score};
use yomi_statistics::sequence::Sequence;
use yomi_statistics::tally::Distribution;
use yomi_statistics::{Decision, Model, Sprt};

fn runs() -> u64 {
    std::env::var("SPRT_RUNS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(1000)
}

/// One of the results 0, 1, … with the probabilities of `truth`.
fn draw(truth: &Distribution, rng: &mut Rng) -> usize {
    let mut left = f64::from(rng.unit());
    for (i, &share) in truth.shares().iter().enumerate() {
        left -= share;
        if left < 0.0 {
            return i;
        }
    }
    truth.shares().len() - 1
}

/// How often H1 is accepted, and after how many games on average.
fn simulate(start: &Sequence, truth: &Distribution, seed: u64) -> (f64, f64) {
    let (mut accepted, mut games) = (0, 0);
    for run in 0..runs() {
        let mut rng = Seed::new(seed).branch("run", run).rng();
        let mut sequence = start.clone();
        let mut index = 0;
        while sequence.record(index, draw(truth, &mut rng)).unwrap() == Decision::Continue {
            index += 1;
        }
        accepted += u64::from(sequence.decision() == Decision::AcceptH1);
        games += sequence.tally().len();
    }
    (accepted as f64 / runs() as f64, games as f64 / runs() as f64)
}

#[test]
fn pairs_normalized() {
    let sprt = Sprt::new(Model::Normalized, 0.0, 60.0, 0.05, 0.05).unwrap();
    let base = Distribution::new([0.06, 0.2, 0.44, 0.22, 0.08]);
    for (elo, least, most) in [(0.0, 0.015, 0.072), (30.0, 0.43, 0.57), (60.0, 0.928, 0.985)] {
        let truth = with_effect(&base, elo / NORMALIZED * 2f64.sqrt());
        let reached = (truth.mean() - 0.5) / truth.variance().sqrt();
        assert!((reached - elo / NORMALIZED * 2f64.sqrt()).abs() < 1e-9);
        let theory = expectation(&sprt, elo, f64::NAN);
        let (accepted, games) = simulate(&Sequence::of_pairs(sprt), &truth, 1);
        println!("{elo}: {accepted} accepted, {games} games, theory {theory:?}");
        assert!((least..most).contains(&accepted), "{elo}: {accepted} of {theory:?}");
        assert!((0.95..1.2).contains(&(games / theory.games)), "{elo}: {games} of {theory:?}");
        // Allowing for the overshoot takes fewer games and still keeps the risks.
        let (corrected, fewer) = simulate(&Sequence::of_pairs(sprt).correcting_overshoot(), &truth, 1);
        println!("{elo}, overshoot corrected: {corrected} accepted, {fewer} games");
        assert!((least..most + 0.02).contains(&corrected), "{elo}: {corrected}");
        assert!(fewer < games && fewer > 0.8 * games, "{elo}: {fewer} of {games}");
    }
}

#[test]
fn games_logistic() {
    let sprt = Sprt::new(Model::Logistic, 0.0, 60.0, 0.05, 0.1).unwrap();
    let base = Distribution::new([0.3, 0.35, 0.35]);
    for (elo, least, most) in [(0.0, 0.01, 0.075), (60.0, 0.86, 0.95)] {
        let truth = with_score(&base, score_of_elo(elo));
        let theory = expectation(&sprt, elo, truth.variance().sqrt());
        let (accepted, games) = simulate(&Sequence::of_games(sprt), &truth, 2);
        println!("{elo}: {accepted} accepted, {games} games, theory {theory:?}");
        assert!((least..most).contains(&accepted), "{elo}: {accepted} of {theory:?}");
        assert!((0.95..1.2).contains(&(games / theory.games)), "{elo}: {games} of {theory:?}");
    }
}
