//! Games of self-play as lines of JSON, and their samples as answers: how a cluster plays for a network.
//!
//! An order names the game, the settings, a file with the network, and the numbers of the games. It carries a fingerprint of all of it that
//! the worker computes again, so that no game is played with another network.

use std::ops::Range;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use yomi_core::rng::fnv1a;
use yomi_core::{Spec, TextError};
use yomi_learn::run::worker::{answer_order, hexadecimal, same_build};
use yomi_net::open::Choice;
use yomi_net::{NetEvaluator, Network};

use crate::dispatch;
use crate::open;
use crate::self_play::Settings;

/// A line that a worker reads.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Order {
    /// The signature of the program that wants the games. A worker with another one refuses the order.
    pub signature: u64,
    /// How games are played.
    #[serde(rename = "self-play")]
    pub settings: Settings,
    /// The game.
    pub game: String,
    /// The file of the network. Samples are written beside it and taken away again.
    pub weights: String,
    /// The numbers of the games.
    pub games: Range<u64>,
    /// Seeds the games.
    pub seed: u64,
    /// The fingerprint of all that: see [`Order::fingerprint`].
    pub hash: String,
    /// Threads.
    pub threads: usize,
    /// Where the network is evaluated.
    pub device: String,
}

/// No order asks for more games.
pub const MOST_GAMES: u64 = 1 << 16;

/// No network is larger.
const LARGEST_NETWORK: u64 = 1 << 32;

impl Order {
    /// What an order and its answer agree about; `network` is the FNV-1a of the bytes of the network.
    pub fn fingerprint(&self, network: u64) -> String {
        let Order { settings, game, games, seed, .. } = self;
        format!("{:016x}", fnv1a(format!("{game} {seed} {games:?} {network} {}", json!(settings)).as_bytes()))
    }
}

/// Answers orders. The network that it has opened for one it keeps for the next.
#[derive(Default)]
pub struct Worker {
    opened: Option<Opened>,
}

/// A network, ready to be asked.
struct Opened {
    /// FNV-1a of the bytes.
    sum: u64,
    device: String,
    threads: usize,
    network: Network,
    evaluator: NetEvaluator,
}

impl Worker {
    /// The answer to a line, if it is an order: `{"hash":…,"played":…,"tally":…}` with the bytes of the file of samples in hexadecimal
    /// digits, or an object with the member `error`.
    pub fn answer(&mut self, line: &[u8], signature: u64) -> Option<String> {
        answer_order(line, "self-play", "self-play", |order: Order| self.play(&order, signature))
    }

    fn play(&mut self, order: &Order, signature: u64) -> Result<Value, TextError> {
        let refuse = |why: String| Err(TextError::new(why));
        same_build(order.signature, signature)?;
        let games = &order.games;
        if games.start >= games.end || games.end - games.start > MOST_GAMES {
            return refuse(format!("games {} to {}: 1 to {MOST_GAMES} at a time", games.start, games.end));
        }
        if !(1..=1024).contains(&order.threads) {
            return refuse("threads go from 1 to 1024".to_string());
        }
        let game = Spec::parse(&order.game)?;
        let Opened { network, evaluator, .. } = self.open(order)?;
        let out = Path::new(&order.weights).with_extension("samples");
        let wanted = dispatch::Order {
            game: &game,
            settings: &order.settings,
            games: games.clone(),
            seed: order.seed,
            threads: order.threads,
            out: &out,
        };
        let tally = dispatch::self_play(&wanted, evaluator.clone(), network, &AtomicBool::new(false), &mut |_| {})?;
        if let Some(error) = evaluator.failure().cloned() {
            // Another attempt begins with the network opened anew.
            self.opened = None;
            return Err(error);
        }
        let bytes = yomi_core::file::read_file(&out.display().to_string(), LARGEST_NETWORK)?;
        let _ = std::fs::remove_file(&out);
        Ok(json!({ "hash": order.hash, "played": hexadecimal(&bytes), "tally": tally }))
    }

    fn open(&mut self, order: &Order) -> Result<&Opened, TextError> {
        let is_it = |opened: &Opened| {
            opened.device == order.device
                && opened.threads == order.threads
                && order.fingerprint(opened.sum) == order.hash
        };
        let opened = match self.opened.take().filter(is_it) {
            Some(opened) => opened,
            None => {
                let bytes = yomi_core::file::read_file(&order.weights, LARGEST_NETWORK)?;
                let sum = fnv1a(&bytes);
                if order.fingerprint(sum) != order.hash {
                    return Err(TextError::new(format!(
                        "the settings or {} are not those of the one who wants the games",
                        order.weights
                    )));
                }
                let network = Network::read(&bytes).map_err(|error| error.context(&order.weights))?;
                let evaluator = open::open(&network, Choice::parse(&order.device)?, order.threads)?;
                Opened { sum, device: order.device.clone(), threads: order.threads, network, evaluator }
            }
        };
        Ok(self.opened.insert(opened))
    }
}
