//! Everything that passes from one step of a run to the next, and the file that keeps it.
//!
//! ```text
//! YOMI-LRN  version u32  FNV-1a of the configuration u64
//! games u64  steps u64  bytes of curves u64  bytes of events u64  Elo of the best f64  gates passed u64
//! parameters f64 …  best f64 …  optimizer: steps u64, means f64 …, squares f64 …  pool: count u64, each f64 …     FNV-1a of all before u64
//! ```
//! A vector is its length as a u64 and its numbers. All is little-endian.

use yomi_core::TextError;
use yomi_core::rng::fnv1a;

use crate::optimizer::Optimizer;

/// The state of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct State {
    /// Games played.
    pub games: u64,
    /// Steps made.
    pub batches: u64,
    /// Bytes of the file of curves that belong to those.
    pub curves: u64,
    /// Bytes of the event file that belong to those.
    pub events: u64,
    /// The Elo of the best weights over those of the start, as their gates have it.
    pub elo: f64,
    /// How many times a gate was passed.
    pub gates: u64,
    /// ω.
    pub parameters: Vec<f64>,
    /// The best so far.
    pub best: Vec<f64>,
    /// The optimizer's memory.
    pub optimizer: Optimizer,
    /// Earlier parameters, the oldest first.
    pub pool: Vec<Vec<f64>>,
}

const MAGIC: &[u8; 8] = b"YOMI-LRN";
const VERSION: u32 = 1;

impl State {
    /// Before the first game.
    pub fn new(parameters: Vec<f64>) -> State {
        State {
            games: 0,
            batches: 0,
            curves: 0,
            events: 0,
            elo: 0.0,
            gates: 0,
            best: parameters.clone(),
            optimizer: Optimizer::new(parameters.len()),
            pool: Vec::new(),
            parameters,
        }
    }

    /// The file, for a run of this configuration.
    pub fn write(&self, config: &str) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        let mut words = vec![fnv1a(config.as_bytes()), self.games, self.batches, self.curves, self.events];
        words.extend([self.elo.to_bits(), self.gates]);
        let vector = |words: &mut Vec<u64>, numbers: &[f64]| {
            words.push(numbers.len() as u64);
            words.extend(numbers.iter().map(|x| x.to_bits()));
        };
        vector(&mut words, &self.parameters);
        vector(&mut words, &self.best);
        words.push(self.optimizer.steps);
        vector(&mut words, &self.optimizer.mean);
        vector(&mut words, &self.optimizer.square);
        words.push(self.pool.len() as u64);
        self.pool.iter().for_each(|earlier| vector(&mut words, earlier));
        words.iter().for_each(|word| bytes.extend(word.to_le_bytes()));
        let sum = fnv1a(&bytes);
        bytes.extend(sum.to_le_bytes());
        bytes
    }

    /// Reads the file of a run of this configuration with this number of parameters. Anything else is refused with the reason.
    pub fn read(file: &[u8], config: &str, parameters: usize) -> Result<State, TextError> {
        let refuse = |what: &str| TextError::new(format!("this checkpoint {what}"));
        let (bytes, sum) = file.split_last_chunk::<8>().ok_or_else(|| refuse("is too short"))?;
        let rest = bytes.strip_prefix(MAGIC).ok_or_else(|| refuse("does not begin with YOMI-LRN"))?;
        let (version, rest) = rest.split_first_chunk::<4>().ok_or_else(|| refuse("is too short"))?;
        if u32::from_le_bytes(*version) != VERSION {
            return Err(refuse("has a version this program does not know"));
        }
        if fnv1a(bytes) != u64::from_le_bytes(*sum) {
            return Err(refuse("is damaged: its checksum is wrong"));
        }
        let mut words = rest.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word));
        let mut next = || words.next().ok_or_else(|| refuse("ends too early"));
        if next()? != fnv1a(config.as_bytes()) {
            return Err(refuse("belongs to a run with another configuration"));
        }
        let (games, batches, curves, events) = (next()?, next()?, next()?, next()?);
        let (elo, gates) = (f64::from_bits(next()?), next()?);
        let vector = |next: &mut dyn FnMut() -> Result<u64, TextError>| -> Result<Vec<f64>, TextError> {
            if next()? != parameters as u64 {
                return Err(refuse("has another number of parameters"));
            }
            (0..parameters).map(|_| Ok(f64::from_bits(next()?))).collect()
        };
        let (own, best) = (vector(&mut next)?, vector(&mut next)?);
        let steps = next()?;
        let (mean, square) = (vector(&mut next)?, vector(&mut next)?);
        let count = next()?;
        let pool = (0..count).map(|_| vector(&mut next)).collect::<Result<_, _>>()?;
        let optimizer = Optimizer { steps, mean, square };
        if next().is_ok() {
            return Err(refuse("goes on after its end"));
        }
        Ok(State { games, batches, curves, events, elo, gates, parameters: own, best, optimizer, pool })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_survive_the_file_and_nothing_else_does() {
        let mut state = State::new(vec![1.5, -0.0, 1e-300]);
        (state.games, state.elo, state.gates, state.optimizer.steps) = (99, -12.5, 3, 17);
        state.pool.push(vec![0.1, 0.2, 0.3]);
        let bytes = state.write("a = 1");
        assert_eq!(State::read(&bytes, "a = 1", 3), Ok(state));
        let why = |bytes: &[u8], config: &str, n: usize| State::read(bytes, config, n).unwrap_err().to_string();
        assert!(why(&bytes, "a = 2", 3).contains("another configuration"));
        assert!(why(&bytes, "a = 1", 4).contains("number of parameters"));
        assert!(why(&bytes[..bytes.len() - 1], "a = 1", 3).contains("checksum"));
        assert!(why(b"YOMI", "a = 1", 3).contains("short"));
        let mut bent = bytes.clone();
        bent[40] ^= 1;
        assert!(why(&bent, "a = 1", 3).contains("checksum"));
    }
}
