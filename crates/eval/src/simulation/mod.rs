//! The simulation policy (S3.1): which moves are worth following, judged without reading ahead.
//!
//! `π'(a|u,h;θ) ∝ exp(E'(a,u,h;θ)/T')`, `E' = Σ_i θ_i·f_i(a;u,h)`: a linear judgement of heuristic features of the move, the position and
//! the move before. Searches read it as priors: growth control multiplies it along a branch (S3.2).

mod blokus;
mod go;
mod shogi;

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use yomi_core::hint::did_you_mean;
use yomi_core::{Position, Question, TextError};

use crate::priors::Priors;

/// A game whose moves have features.
pub trait MoveFeatures: Position {
    /// Working memory of one thread, kept from position to position.
    type Scratch: Default + Send + 'static;

    /// What the features are called, in the order of their weights.
    fn feature_names() -> Vec<String>;

    /// Hands every feature that is not 0 to `sink(place of the move, feature, value)`. `last` is the move before, if it is known.
    fn move_features(
        &self,
        last: Option<Self::Move>,
        moves: &[Self::Move],
        scratch: &mut Self::Scratch,
        sink: &mut dyn FnMut(usize, usize, f32),
    );

    /// The weights that come with the program.
    fn embedded_policy() -> Vec<f32>;
}

/// S3.1, `π' = exp(E'/T')/Z` over the judgements of all moves, in their place.
pub fn softmax(judgements: &mut [f32], t: f32) {
    let best = judgements.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    judgements.iter_mut().for_each(|x| *x = ((*x - best) / t).exp());
    let z: f32 = judgements.iter().sum();
    judgements.iter_mut().for_each(|x| *x /= z);
}

/// A simulation policy of a game. A clone shares the weights.
pub struct SimulationPolicy<P> {
    theta: Arc<[f32]>,
    t: f32,
    game: PhantomData<fn(P)>,
}

impl<P> Clone for SimulationPolicy<P> {
    fn clone(&self) -> Self {
        SimulationPolicy { theta: Arc::clone(&self.theta), t: self.t, game: PhantomData }
    }
}

impl<P> fmt::Debug for SimulationPolicy<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a simulation policy of {} features, T' = {}", self.theta.len(), self.t)
    }
}

/// No file of weights is larger.
pub const LARGEST_POLICY: u64 = 1 << 20;

impl<P: MoveFeatures> SimulationPolicy<P> {
    /// The policy of these weights, one per feature, at the temperature T'.
    pub fn new(theta: &[f32], t: f32) -> Result<Self, TextError> {
        let wanted = P::feature_names().len();
        if theta.len() != wanted {
            return Err(TextError::new(format!("{} has {wanted} features of moves, not {}", P::NAME, theta.len())));
        }
        if !(t.is_finite() && t > 0.0 && theta.iter().all(|x| x.is_finite())) {
            return Err(TextError::new("weights are numbers and the temperature is above 0"));
        }
        Ok(SimulationPolicy { theta: theta.into(), t, game: PhantomData })
    }

    /// The policy that comes with the program.
    pub fn embedded() -> Self {
        SimulationPolicy { theta: P::embedded_policy().into(), t: 1.0, game: PhantomData }
    }

    /// θ.
    pub fn theta(&self) -> &[f32] {
        &self.theta
    }

    /// π' of every move.
    pub fn probabilities(
        &self,
        position: &P,
        last: Option<P::Move>,
        moves: &[P::Move],
        scratch: &mut P::Scratch,
        out: &mut Vec<f32>,
    ) {
        out.clear();
        out.resize(moves.len(), 0.0);
        position.move_features(last, moves, scratch, &mut |mv, feature, x| out[mv] += self.theta[feature] * x);
        softmax(out, self.t);
    }

    /// The file: a line per feature, `name weight`; what is left out is 0.
    pub fn write(&self) -> String {
        let mut text = format!("# Simulation policy of {} (S3.1): feature, weight.\ntemperature {}\n", P::NAME, self.t);
        for (name, x) in P::feature_names().iter().zip(self.theta.iter()) {
            text += &format!("{name} {x}\n");
        }
        text
    }

    /// Reads the file. Anything that is not exactly such a file is refused with the line.
    pub fn read(text: &str) -> Result<Self, TextError> {
        let names = P::feature_names();
        let (mut theta, mut t) = (vec![0.0; names.len()], 1.0);
        for (i, line) in text.lines().enumerate() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let refuse = |what: String| TextError::new(format!("line {}: {what}", i + 1));
            match words[..] {
                [] => {}
                [first, ..] if first.starts_with('#') => {}
                [name, number] => {
                    let x: f32 = number.parse().map_err(|_| refuse(format!("{number} is no number")))?;
                    match names.iter().position(|known| known == name) {
                        Some(place) => theta[place] = x,
                        None if name == "temperature" => t = x,
                        None => {
                            let meant = did_you_mean(name, names.iter().map(String::as_str));
                            return Err(refuse(format!("{name} is no feature of moves of {}{meant}", P::NAME)));
                        }
                    }
                }
                _ => return Err(refuse("a feature and its weight were expected".to_string())),
            }
        }
        Self::new(&theta, t)
    }
}

impl<P: MoveFeatures> Priors<P> for SimulationPolicy<P> {
    type Scratch = P::Scratch;

    fn priors(&self, question: &Question<'_, P>, scratch: &mut P::Scratch, out: &mut Vec<f32>) {
        self.probabilities(question.position, question.last, question.moves, scratch, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use yomi_core::Seed;
    use yomi_games::blokus::BlokusDuo;
    use yomi_games::go::{Go9, Rules};
    use yomi_games::shogi::{Minishogi, Shogi9};

    /// Every feature names one weight, occurs in random games, and every policy sums to 1.
    fn check<P: MoveFeatures>(start: &P, games: u64, plies: usize, rare: &[&str]) {
        let names = P::feature_names();
        let mut sorted = names.clone();
        sorted.sort();
        sorted.dedup();
        assert_eq!(sorted.len(), names.len(), "every name once");
        assert_eq!(P::embedded_policy().len(), names.len());
        let theta: Vec<f32> = (0..names.len()).map(|i| (i as f32 * 0.7).sin()).collect();
        let policy = SimulationPolicy::<P>::new(&theta, 2.0).unwrap();
        let again = SimulationPolicy::<P>::read(&policy.write()).unwrap();
        assert_eq!((again.theta(), again.t), (policy.theta(), policy.t));
        let (mut moves, mut out, mut seen) = (Vec::new(), Vec::new(), vec![0; names.len()]);
        let mut scratch = P::Scratch::default();
        for game in 0..games {
            let mut rng = Seed::new(game).rng();
            let (mut position, mut last) = (start.clone(), None);
            for _ in 0..plies {
                if position.generate(&mut moves).is_some() {
                    break;
                }
                policy.probabilities(&position, last, &moves, &mut scratch, &mut out);
                assert!((out.iter().sum::<f32>() - 1.0).abs() < 1e-4 && out.iter().all(|p| *p >= 0.0));
                position.move_features(last, &moves, &mut scratch, &mut |mv, feature, x| {
                    assert!(mv < moves.len() && x.is_finite() && x != 0.0);
                    seen[feature] += 1;
                });
                let mv = moves[rng.below(moves.len())];
                position.play(mv);
                last = Some(mv);
            }
        }
        let unseen: Vec<&String> = names.iter().zip(&seen).filter(|(_, n)| **n == 0).map(|(name, _)| name).collect();
        assert!(unseen.iter().all(|name| rare.contains(&name.as_str())), "{unseen:?}");
    }

    #[test]
    fn features_of_all_games_occur() {
        let absent =
            ["moves-lance", "moves-knight", "takes-lance", "takes-knight", "promotes-lance", "promotes-knight"];
        let more = ["drops-lance", "drops-knight", "moves-+lance", "moves-+knight", "takes-+lance", "takes-+knight"];
        check(&Minishogi::default(), 60, 120, &[absent.as_slice(), &more, &["takes-king"]].concat());
        check(&Shogi9::default(), 8, 250, &["takes-king", "takes-+lance", "takes-+knight"]);
        check(&BlokusDuo::default(), 2, 40, &[]);
        // Most 3x3 shapes and the distances of larger boards are rare.
        let shapes: Vec<String> = Go9::feature_names().into_iter().filter(|name| name.starts_with("shape")).collect();
        let rare = ["last-1", "last-17", "before-last-1", "before-last-17"];
        check(
            &Go9::new(9, Rules::default()).unwrap(),
            20,
            120,
            &shapes.iter().map(String::as_str).chain(rare).collect::<Vec<_>>(),
        );
    }

    #[test]
    fn files_are_read_with_care() {
        let why = |text: &str| SimulationPolicy::<Minishogi>::read(text).unwrap_err().to_string();
        assert!(why("check 1\nchek 2").contains("line 2") && why("chek 2").contains("check"));
        assert!(why("check").contains("expected") && why("check x").contains("no number"));
        assert!(why("temperature 0").contains("above 0"));
        let policy = SimulationPolicy::<Minishogi>::read("# nothing\n").unwrap();
        let (mut moves, mut out) = (Vec::new(), Vec::new());
        Minishogi::default().generate(&mut moves);
        policy.probabilities(&Minishogi::default(), None, &moves, &mut (), &mut out);
        assert!(out.iter().all(|p| (p * moves.len() as f32 - 1.0).abs() < 1e-5), "uniform");
    }
}
