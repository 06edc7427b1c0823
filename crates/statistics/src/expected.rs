//! How long a sequential test will take, and how it will end: Wald's approximations.

use super::elo::{NORMALIZED, score_of_elo};
use super::sprt::{Model, Sprt};

/// What to expect of a test.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Expectation {
    /// The mean number of games until the decision.
    pub games: f64,
    /// How often H1 is accepted.
    pub accept_h1: f64,
}

/// What to expect of a test when the true difference is `elo`, in the units of its model. A game's score has the standard deviation
/// `deviation`, which matters for the logistic model only: 1/2·√(1 - share of draws) between equal players.
///
/// The log-likelihood ratio is taken for a Brownian motion. With the effects e0, e1 and e of both hypotheses and of the truth, in
/// standard deviations of a game, and D = e1 - e0, it drifts by D·(e - (e0+e1)/2) a game, with variance D².
pub fn expectation(sprt: &Sprt, elo: f64, deviation: f64) -> Expectation {
    let effect = |elo: f64| match sprt.model() {
        Model::Normalized => elo / NORMALIZED,
        Model::Logistic => (score_of_elo(elo) - 0.5) / deviation,
    };
    let [e0, e1] = sprt.hypotheses().map(effect);
    let [lower, upper] = sprt.bounds();
    let spread = e1 - e0;
    let drift = spread * (effect(elo) - (e0 + e1) / 2.0);
    // Exponentials of the ratio times this keep their mean: Wald's identity.
    let h = -2.0 * drift / (spread * spread);
    if h.abs() < 1e-6 {
        let games = -lower * upper / (spread * spread);
        return Expectation { games, accept_h1: -lower / (upper - lower) };
    }
    let accept_h1 = accepting(h, lower, upper);
    Expectation { games: (accept_h1 * upper + (1.0 - accept_h1) * lower) / drift, accept_h1 }
}

/// How often the upper bound is reached first: (1 - e^(h·lower)) / (e^(h·upper) - e^(h·lower)), written so that nothing overflows.
fn accepting(h: f64, lower: f64, upper: f64) -> f64 {
    if h > 0.0 {
        (-h * upper).exp() * (h * lower).exp_m1() / (h * (lower - upper)).exp_m1()
    } else {
        (-h * lower).exp_m1() / (h * (upper - lower)).exp_m1()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normalized(elo0: f64, elo1: f64) -> Sprt {
        Sprt::new(Model::Normalized, elo0, elo1, 0.05, 0.05).unwrap()
    }

    /// At either hypothesis 1.8·2.944/D² games, in between 2.944²/D².
    #[test]
    fn known_lengths() {
        let rows =
            [(5.0, 25_591, 41_861), (10.0, 6_398, 10_465), (20.0, 1_599, 2_616), (30.0, 711, 1_163), (50.0, 256, 419)];
        for (elo1, ends, middle) in rows {
            let sprt = normalized(0.0, elo1);
            let games = |elo| expectation(&sprt, elo, f64::NAN).games.round() as i64;
            assert_eq!((games(0.0), games(elo1), games(elo1 / 2.0)), (ends, ends, middle));
        }
    }

    #[test]
    fn risks_at_the_hypotheses() {
        let sprt = Sprt::new(Model::Normalized, -5.0, 10.0, 0.02, 0.1).unwrap();
        assert!((expectation(&sprt, -5.0, 0.5).accept_h1 - 0.02).abs() < 1e-12);
        assert!((expectation(&sprt, 10.0, 0.5).accept_h1 - 0.9).abs() < 1e-12);
    }

    /// Better players are accepted more often; nothing breaks far outside.
    #[test]
    fn monotone_and_finite() {
        for model in [Model::Normalized, Model::Logistic] {
            let sprt = Sprt::new(model, 0.0, 5.0, 0.05, 0.05).unwrap();
            let at = |elo: i32| expectation(&sprt, f64::from(elo), 0.4);
            for elo in -900..900 {
                let (here, next) = (at(elo), at(elo + 1));
                assert!(here.accept_h1 <= next.accept_h1 + 1e-12, "{model} {elo}: {here:?} {next:?}");
                assert!(
                    here.games > 0.0 && here.games.is_finite() && (0.0..=1.0).contains(&here.accept_h1),
                    "{here:?}"
                );
            }
        }
    }
}
