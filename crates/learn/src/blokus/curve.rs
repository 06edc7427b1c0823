//! The curve of a run: a line of JSON every few updates.

use serde_json::{Value, json};
use yomi_core::TextError;
use yomi_eval::blokus::{KINDS, Kind, Weights};

use super::update::Change;

/// What happened since the last point, as means.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Point {
    /// Updates done.
    pub updates: u64,
    /// ε of the last self-play game.
    pub epsilon: f64,
    /// Plies per game.
    pub plies: f64,
    /// `|r - V|` per position.
    pub error: f64,
    /// The objective per game.
    pub objective: f64,
    /// Black's share of the self-play games.
    pub black: f64,
    /// By kind, the change of the location weights per update: the mean of `|Δw/w|`, and `Σ|Δw|/Σ|w|`.
    pub relative: [f64; KINDS],
    /// See [`Point::relative`].
    pub overall: [f64; KINDS],
    /// The shared weights.
    pub shared: [f64; KINDS],
    /// CPU seconds of the whole run so far, and the part of it that simulated games took.
    pub cpu_seconds: [f64; 2],
}

impl Point {
    /// A line of the curve.
    pub fn json(&self) -> Value {
        let kinds = |values: &[f64; KINDS]| -> Value {
            Kind::ALL.iter().map(|kind| (kind.name().to_string(), json!(values[*kind as usize]))).collect()
        };
        json!({ "type": "point", "updates": self.updates, "epsilon": self.epsilon, "plies": self.plies, "error": self.error,
            "objective": self.objective, "black": self.black, "relative_change": kinds(&self.relative),
            "overall_change": kinds(&self.overall), "shared": kinds(&self.shared),
            "cpu_seconds": self.cpu_seconds[0], "cpu_seconds_simulating": self.cpu_seconds[1] })
    }
}

/// Sums since the last point.
#[derive(Clone, Default)]
pub(super) struct Sums {
    games: f64,
    black: f64,
    change: Change,
}

impl Sums {
    pub(super) fn add(&mut self, change: &Change, black: f64) {
        self.games += 1.0;
        self.black += black;
        let sum = &mut self.change;
        sum.positions += change.positions;
        sum.error += change.error;
        sum.objective += change.objective;
        sum.relative.iter_mut().zip(change.relative).for_each(|(a, b)| *a += b);
        sum.overall.iter_mut().zip(change.overall).for_each(|(a, b)| *a += b);
    }

    /// The means, and a new beginning.
    pub(super) fn point(&mut self, updates: u64, epsilon: f64, weights: &Weights, cpu_seconds: [f64; 2]) -> Point {
        let Sums { games, black, change } = std::mem::take(self);
        let games = games.max(1.0);
        Point {
            updates,
            epsilon,
            plies: change.positions as f64 / games,
            error: change.error / change.positions.max(1) as f64,
            objective: change.objective / games,
            black: black / games,
            relative: change.relative.map(|x| x / games),
            overall: change.overall.map(|x| x / games),
            shared: Kind::ALL.map(|kind| weights.all()[kind.shared()]),
            cpu_seconds,
        }
    }
}

/// The lines of a curve up to an update. A line that was cut off is the last of what a killed run wrote, and is dropped.
pub(super) fn up_to(text: &str, updates: u64) -> Result<String, TextError> {
    let mut kept = String::new();
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        let read = serde_json::from_str::<Value>(line).ok().filter(|_| line.ends_with('\n'));
        match read.as_ref().and_then(|value| value["updates"].as_u64()) {
            Some(n) if n <= updates => kept += line,
            Some(_) => break,
            None if !line.ends_with('\n') => break,
            None => {
                let mut error = TextError::at(line.trim_end(), 0, "this is no line of a learning curve");
                error.line = number;
                return Err(error);
            }
        }
    }
    Ok(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_cut_off_is_dropped_and_what_is_foreign_refused() {
        let line = |n: u64| format!("{}\n", Point { updates: n, ..Point::default() }.json());
        let text = line(10) + &line(20) + &line(30);
        assert_eq!(up_to(&text, 20).unwrap(), line(10) + &line(20));
        assert_eq!(up_to(&text[..text.len() - 9], 100).unwrap(), line(10) + &line(20));
        assert_eq!(up_to("", 5).unwrap(), "");
        assert_eq!(up_to(&(line(10) + "hello\n"), 20).unwrap_err().line, 2);
    }
}
