//! Games of runs as lines of JSON, and what they have brought as answers: how a cluster plays for a learner.
//!
//! An order names the configuration, a file with the players' weights, and the games. It carries a fingerprint of all of it that the worker
//! computes again, so that no game is played by other settings, records or weights than the learner's.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use yomi_core::TextError;
use yomi_core::rng::fnv1a;

use super::config::Config;
use super::table::Hand;
use super::work::{self, Players, Work};

/// A line that a worker reads.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Order {
    /// The signature of the program that keeps the run. A worker with another one refuses the order.
    pub signature: u64,
    /// The configuration of the run.
    pub learn: String,
    /// The file of the players' weights, as [`Players::write`] has it.
    pub weights: String,
    /// The games.
    pub play: Work,
    /// The fingerprint of all that: see [`fingerprint`].
    pub hash: String,
    /// Threads, which change nothing.
    #[serde(default = "one")]
    pub threads: usize,
}

fn one() -> usize {
    1
}

/// No order asks for more games.
pub const MOST_GAMES: u64 = 1 << 16;

/// No file of weights is larger.
const LARGEST_WEIGHTS: u64 = 1 << 32;

/// What an order and its answer agree about: the run ([`super::Run::agreement`]), the bytes of the weights, and the games.
pub fn fingerprint(agreement: u64, weights: u64, work: &Work) -> String {
    let Work { kind, games } = work;
    format!("{:016x}", fnv1a(format!("{agreement} {weights} {kind:?} {games:?}").as_bytes()))
}

/// The answer to a line, if its member `key` says that it is an order: what was played, or an object with the member `error`.
pub fn answer_order<O: DeserializeOwned>(
    line: &[u8],
    key: &str,
    whose: &str,
    play: impl FnOnce(O) -> Result<Value, TextError>,
) -> Option<String> {
    let value: Value = serde_json::from_slice(line).ok()?;
    value.get(key)?;
    let order = serde_json::from_value(value);
    let order = order.map_err(|error| TextError::new(format!("this is no job of {whose}: {error}")));
    let answer = order.and_then(play).unwrap_or_else(|error| json!({ "error": error.to_string() }));
    Some(answer.to_string())
}

/// Refuses an order of a build whose searches play other games.
pub fn same_build(theirs: u64, ours: u64) -> Result<(), TextError> {
    if theirs == ours {
        return Ok(());
    }
    Err(TextError::new(format!("planned by a build of signature {theirs}; this one has {ours} and would differ")))
}

/// Answers orders. What it has opened for one it keeps for the next.
#[derive(Default)]
pub struct Worker {
    /// The hand for a configuration, and what it agrees to.
    hand: Option<(String, u64, Box<dyn Hand>)>,
    /// FNV-1a of the weights that it plays with. Their file may be gone meanwhile.
    seated: Option<u64>,
}

impl Worker {
    /// The answer to a line, if it is an order: `{"hash":…,"played":…}` with the bytes of [`work::write`] in hexadecimal digits, or an object
    /// with the member `error`.
    pub fn answer(&mut self, line: &[u8], signature: u64) -> Option<String> {
        answer_order(line, "learn", "a learner", |order: Order| self.play(&order, signature))
    }

    fn play(&mut self, order: &Order, signature: u64) -> Result<Value, TextError> {
        let refuse = |why: String| Err(TextError::new(why));
        same_build(order.signature, signature)?;
        let games = &order.play.games;
        if games.start >= games.end || games.end - games.start > MOST_GAMES {
            return refuse(format!("games {} to {}: 1 to {MOST_GAMES} at a time", games.start, games.end));
        }
        if !(1..=1024).contains(&order.threads) {
            return refuse("threads go from 1 to 1024".to_string());
        }
        if self.hand.as_ref().is_none_or(|(config, ..)| *config != order.learn) {
            (self.hand, self.seated) = (None, None);
            let hand = super::hand(Config::read(&order.learn)?)?;
            self.hand = Some((order.learn.clone(), hand.agreement()?, hand));
        }
        let Some((_, agreement, hand)) = &mut self.hand else { return refuse("there is no hand".to_string()) };
        let fits = |weights: u64| fingerprint(*agreement, weights, &order.play) == order.hash;
        if !self.seated.is_some_and(fits) {
            self.seated = None;
            let bytes = yomi_core::file::read_file(&order.weights, LARGEST_WEIGHTS)?;
            let sum = fnv1a(&bytes);
            if !fits(sum) {
                return refuse(format!(
                    "the settings, the records of games or {} are not those of the learner",
                    order.weights
                ));
            }
            hand.seat(&Players::read(&bytes).map_err(|error| error.context(&order.weights))?)?;
            self.seated = Some(sum);
        }
        let bytes = work::write(&hand.play(&order.play, order.threads)?);
        Ok(json!({ "hash": order.hash, "played": hexadecimal(&bytes) }))
    }
}

/// Bytes as digits, for lines of JSON.
pub fn hexadecimal(bytes: &[u8]) -> String {
    let digit = |nibble: u8| char::from_digit(u32::from(nibble), 16).unwrap_or('0');
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}
