//! The weights and the probabilities they give.
//!
//! ```text
//! yomi-blokus-moves 1
//! covers-corner-of-theirs 0.9 1.1 …      a line per feature, a weight per phase of the game
//! …
//! piece-u 0 0.3 …
//! check 0123456789abcdef                 FNV-1a of all before this line
//! ```

use std::fmt::Write;

use yomi_core::rng::fnv1a;
use yomi_core::{Question, TextError};
use yomi_games::blokus::{BlokusDuo, BlokusMove, Piece};

use super::context::MoveContext;
use super::features::{Counts, FEATURES, NAMES, PHASES};
use crate::priors::Priors;

const HEADER: &str = "yomi-blokus-moves 1";

/// No such file is larger.
pub const LARGEST_MODEL: u64 = 1 << 18;

/// A learned model of the moves of Blokus Duo.
#[derive(Clone, PartialEq, Debug)]
pub struct Model {
    weights: [[f64; FEATURES]; PHASES],
    /// The same for speed, flattened by the temperature.
    quick: [[f32; FEATURES]; PHASES],
}

impl Model {
    /// The model with these weights.
    pub fn new(weights: [[f64; FEATURES]; PHASES]) -> Model {
        Model { quick: weights.map(|phase| phase.map(|w| w as f32)), weights }
    }

    /// The same at another temperature: above 1 probabilities are closer to each other.
    #[must_use]
    pub fn at_temperature(&self, temperature: f32) -> Model {
        let quick = self.weights.map(|phase| phase.map(|w| w as f32 / temperature));
        Model { weights: self.weights, quick }
    }

    /// The model that comes with the program.
    pub fn embedded() -> Model {
        Model::read(include_str!("../../../weights/blokus-moves.txt"))
            .expect("the model in the program is whole: a test reads it")
    }

    /// Common knowledge about the game, by hand: large pieces first, cover the opponent's corners, gain corners with room
    /// around them, keep away from the rim while the board is open. Nothing is learned.
    pub fn by_hand() -> Model {
        let mut weights = [[0.0; FEATURES]; PHASES];
        for (phase, weights) in weights.iter_mut().enumerate() {
            let early = if phase < 3 { 1.0 } else { 0.3 };
            for (name, weight) in [
                ("covers-corner-of-theirs", 1.0),
                ("covers-1-from-theirs", 0.3),
                ("covers-own-corner", -0.3),
                ("covers-rim", -0.3 * early),
                ("covers-middle", 0.3 * early),
                ("beside-own-corner", -0.5),
                ("gains-corner-room-2", 0.2),
                ("gains-corner-room-3", 0.4),
                ("gains-corner-room-4", 0.6),
            ] {
                weights[NAMES.iter().position(|n| *n == name).unwrap_or(0)] = weight;
            }
            for piece in Piece::all() {
                weights[NAMES.len() + piece.index()] = f64::from(piece.size());
            }
        }
        Model::new(weights)
    }

    /// The weights of each phase.
    pub fn weights(&self) -> &[[f64; FEATURES]; PHASES] {
        &self.weights
    }

    /// Replaces `out` by the probability of each move of a position.
    pub fn probabilities(&self, position: &BlokusDuo, moves: &[BlokusMove], out: &mut Vec<f32>) {
        let context = MoveContext::of(position);
        let weights = &self.quick[context.phase()];
        out.clear();
        out.extend(moves.iter().map(|&mv| Counts::of(&context, mv).map_or(0.0, |counts| counts.score(weights))));
        let most = out.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        out.iter_mut().for_each(|score| *score = (*score - most).exp());
        let total: f32 = out.iter().sum();
        out.iter_mut().for_each(|p| *p /= total);
    }

    /// The file.
    pub fn write(&self) -> String {
        let mut text = format!("{HEADER}\n");
        for (feature, name) in names().enumerate() {
            text.push_str(&name);
            self.weights.iter().for_each(|phase| {
                let _ = write!(text, " {}", phase[feature]);
            });
            text.push('\n');
        }
        let check = fnv1a(text.as_bytes());
        let _ = writeln!(text, "check {check:016x}");
        text
    }

    /// Reads such a file. Anything that is not exactly one is refused, with the line.
    pub fn read(text: &str) -> Result<Model, TextError> {
        let wrong = |line: &str, number: usize, what: &str| {
            let mut error = TextError::at(line, 0, format!("in the model of Blokus moves: {what}"));
            error.line = number;
            error
        };
        let body = text.rfind("check ").map_or("", |at| &text[..at]);
        if text[body.len()..] != format!("check {:016x}\n", fnv1a(body.as_bytes())) {
            return Err(TextError::new("the model of Blokus moves is damaged: its checksum is wrong"));
        }
        let mut lines = body.lines().zip(1..);
        match lines.next() {
            Some((HEADER, _)) => {}
            other => return Err(wrong(other.map_or("", |o| o.0), 1, &format!("the first line is not \"{HEADER}\""))),
        }
        let mut weights = [[0.0; FEATURES]; PHASES];
        for (feature, name) in names().enumerate() {
            let (line, number) = lines.next().unwrap_or(("", FEATURES + 1));
            let mut words = line.split_ascii_whitespace();
            if words.next() != Some(&name) {
                return Err(wrong(line, number, &format!("{name} was expected")));
            }
            for phase in &mut weights {
                let weight = words.next().and_then(|word| word.parse::<f64>().ok()).filter(|w| w.abs() < 1e6);
                phase[feature] = weight.ok_or_else(|| wrong(line, number, &format!("a line has {PHASES} weights")))?;
            }
            if words.next().is_some() {
                return Err(wrong(line, number, &format!("a line has {PHASES} weights")));
            }
        }
        match lines.next() {
            Some((line, number)) => Err(wrong(line, number, "there are too many lines")),
            None => Ok(Model::new(weights)),
        }
    }
}

/// The names of all features.
fn names() -> impl Iterator<Item = String> {
    let pieces = Piece::all().map(|piece| format!("piece-{}", piece.letter()));
    NAMES.iter().map(|name| (*name).to_string()).chain(pieces)
}

impl Counts {
    /// The weights of what there is.
    #[inline]
    fn score(&self, weights: &[f32; FEATURES]) -> f32 {
        let counted: f32 = self.of.iter().zip(weights).map(|(&n, w)| f32::from(n) * w).sum();
        counted + weights[NAMES.len() + self.piece]
    }
}

impl Priors<BlokusDuo> for Model {
    type Scratch = ();

    fn priors(&self, question: &Question<'_, BlokusDuo>, (): &mut (), out: &mut Vec<f32>) {
        self.probabilities(question.position, question.moves, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blokus::features::random_position;
    use yomi_core::{Position, Seed};

    fn random_model() -> Model {
        let mut rng = Seed::new(4).rng();
        let mut weights = [[0.0; FEATURES]; PHASES];
        weights.iter_mut().flatten().for_each(|w| *w = f64::from(rng.unit()) - 0.5);
        Model::new(weights)
    }

    #[test]
    fn probabilities_are_a_softmax() {
        let model = random_model();
        let (mut moves, mut found) = (Vec::new(), Vec::new());
        for seed in 0..20 {
            let position = random_position(seed, seed as usize);
            if position.generate(&mut moves).is_some() {
                continue;
            }
            model.probabilities(&position, &moves, &mut found);
            let context = MoveContext::of(&position);
            let weights = model.weights()[context.phase()];
            let score = |mv: &BlokusMove| {
                Counts::of(&context, *mv).map_or(0.0, |c| c.nonzero().map(|(i, n)| weights[i] * n).sum::<f64>())
            };
            let total: f64 = moves.iter().map(|mv| score(mv).exp()).sum();
            for (mv, p) in moves.iter().zip(&found) {
                assert!((f64::from(*p) - score(mv).exp() / total).abs() < 1e-5);
            }
        }
        let hot = model.at_temperature(1e6);
        hot.probabilities(&BlokusDuo::default(), &moves[..1], &mut found);
        assert_eq!(found, [1.0]);
    }

    #[test]
    fn what_is_written_is_read_and_damage_is_seen() {
        let model = random_model();
        assert_eq!(Model::read(&model.write()), Ok(model.clone()));
        let refused = |text: &str| Model::read(text).unwrap_err().to_string();
        assert!(refused("").contains("checksum"));
        assert!(refused(&model.write().replace("piece-c", "piece-d")).contains("checksum"));
        let resealed = |from: &str, to: &str| {
            let text = model.write().replace(from, to);
            let body = text[..text.rfind("check ").unwrap()].to_string();
            refused(&format!("{body}check {:016x}\n", fnv1a(body.as_bytes())))
        };
        assert!(resealed("piece-c", "piece-d").contains("piece-c was expected"));
        assert!(resealed("piece-c ", "piece-c x ").contains("6 weights"));
        assert!(resealed(HEADER, "yomi-blokus-moves 2").contains("first line"));
        let _ = Model::embedded();
    }
}
