//! Positions and search results as text and numbers: what sessions answer and what `--json` prints.
//!
//! The fields are described in `docs/json.md`; a change that readers could notice raises [`SCHEMA`]. Numbers are 64 bits wide so that JSON
//! keeps them exactly; what is no number (an infinite value) is `null` in JSON and comes back as not-a-number.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Value, json};
use yomi_core::{Line, Notation, Outcome};
use yomi_search::{Ended, Proof, RootMove, Verdict};

use crate::scale::Scale;
use crate::variation::variation;

/// The version of the JSON that sessions and commands write.
pub const SCHEMA: u32 = 1;

/// A position: what `yomi show --json` prints.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PositionReport {
    /// The game and the rules in force: `go9(komi=6.5)`.
    pub game: String,
    /// The position in the game's own text.
    pub position: String,
    /// The side to move: `black` or `white`.
    pub turn: String,
    /// The key of the position, 16 hexadecimal digits.
    pub key: String,
    /// How the game ended, if it did: `black wins`, `white wins`, `draw`.
    pub outcome: Option<String>,
    /// The count if the game ended here, where games are counted.
    pub score: Option<String>,
    /// The legal moves.
    pub moves: Vec<String>,
}

impl PositionReport {
    /// The position at the end of a line.
    pub fn of<P: Notation>(line: &Line<P>) -> PositionReport {
        let position = line.position();
        let mut moves = Vec::new();
        let outcome = line.generate(&mut moves);
        PositionReport {
            game: position.rules(),
            position: position.position_text(),
            turn: format!("{:?}", position.turn()).to_lowercase(),
            key: format!("{:016x}", position.key()),
            outcome: outcome.map(outcome_text),
            score: position.score_text(),
            moves: moves.iter().map(|&mv| position.move_text(mv)).collect(),
        }
    }

    /// One JSON object.
    pub fn json(&self) -> Value {
        tagged("position", self)
    }
}

/// What a search believes of a position: what `yomi analyze --json` prints. Values are for the side to move.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Analysis {
    /// Whether the search is over.
    #[serde(rename = "final")]
    pub is_final: bool,
    /// The game and the rules in force.
    pub game: String,
    /// The position in the game's own text.
    pub position: String,
    /// The move to play; none if the game is over.
    pub best: Option<String>,
    /// The value of the position in the unit of the evaluation.
    #[serde(deserialize_with = "number")]
    pub value: f64,
    /// The value of the best move.
    #[serde(deserialize_with = "optional_number")]
    pub best_value: Option<f64>,
    /// What a won game is worth in the same unit.
    #[serde(deserialize_with = "number")]
    pub win: f64,
    /// The chance of winning that the value stands for, 0 to 1.
    #[serde(default, deserialize_with = "number")]
    pub chance: f64,
    /// By how many points the side to move leads, where that was asked for and games are counted.
    pub lead: Option<f64>,
    /// What is proven: `won in 3`, `drawn`, `lost in 4`.
    #[serde(with = "proof_json")]
    pub proof: Option<Proof>,
    /// The principal variation, moves separated by spaces.
    pub pv: String,
    /// The root moves, best first.
    pub moves: Vec<MoveAnalysis>,
    /// Simulations of this search.
    pub simulations: u64,
    /// Positions judged by the evaluation.
    pub evaluations: u64,
    /// Nodes of the tree, or visited by alpha-beta.
    pub nodes: u64,
    /// Deepest node of a tree; completed depth of iterative deepening.
    pub depth: u32,
    /// Deepest line looked at, quiescence included.
    pub selective_depth: u32,
    /// Nodes of the tree at each depth, the root first.
    pub nodes_per_depth: Vec<u64>,
    /// Mean depth of the leaves, weighted by their part in the root's value.
    #[serde(deserialize_with = "number")]
    pub effective_depth: f64,
    /// Entropy of the selection probabilities at the root, in nats.
    #[serde(deserialize_with = "number")]
    pub entropy: f64,
    /// Bytes in use by tree or table.
    pub memory: u64,
    /// Share of the memory granted that is in use, 0 to 1.
    #[serde(deserialize_with = "number")]
    pub fullness: f64,
    /// Whether the tree found no more room.
    pub tree_full: bool,
    /// Wall-clock seconds.
    pub seconds: f64,
    /// Simulations per second.
    pub simulations_per_second: f64,
    /// Evaluations per second.
    pub evaluations_per_second: f64,
    /// Nodes per second.
    pub nodes_per_second: f64,
    /// Why it ended: `simulations`, `time`, `stopped`, …; none while it runs.
    #[serde(with = "ended_json")]
    pub ended: Option<Ended>,
}

/// One move of the root.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MoveAnalysis {
    /// The move.
    #[serde(rename = "move")]
    pub mv: String,
    /// Samples that went through it; nodes below it for alpha-beta.
    pub visits: u64,
    /// Its value.
    #[serde(deserialize_with = "number")]
    pub value: f64,
    /// The chance of winning that the value stands for, 0 to 1.
    #[serde(default, deserialize_with = "number")]
    pub chance: f64,
    /// Its prior probability.
    #[serde(deserialize_with = "number")]
    pub prior: f64,
    /// The probability that the next sample takes it.
    #[serde(deserialize_with = "number")]
    pub selection: f64,
    /// The realization probability of its principal variation.
    #[serde(deserialize_with = "number")]
    pub realization: f64,
    /// Its part in the value of the root.
    #[serde(deserialize_with = "number")]
    pub backup: f64,
    /// Effective depth below it; completed depth for alpha-beta.
    #[serde(deserialize_with = "number")]
    pub depth: f64,
    /// By how many points the side that plays it leads then, as in [`Analysis::lead`].
    pub lead: Option<f64>,
    /// What is proven about it.
    #[serde(with = "proof_json")]
    pub proof: Option<Proof>,
    /// Its principal variation, moves separated by spaces.
    pub pv: String,
}

impl Analysis {
    /// What a verdict says about the position at the end of `line`, its first `rows` moves. A won game is worth `win`.
    pub fn of<P: Notation>(line: &Line<P>, verdict: &Verdict<P::Move>, win: f32, rows: usize) -> Analysis {
        let position = line.position();
        let words = |moves: &[P::Move]| variation(position, moves).join(" ");
        let row = |row: &RootMove<P::Move>| MoveAnalysis {
            mv: position.move_text(row.mv),
            visits: row.visits,
            value: row.value.into(),
            chance: chance(row.value, row.proof, win),
            prior: row.prior.into(),
            selection: row.selection.into(),
            realization: row.realization.into(),
            backup: row.backup.into(),
            depth: row.depth.into(),
            lead: None,
            proof: row.proof,
            pv: words(&row.pv),
        };
        let best = verdict.moves.iter().find(|row| Some(row.mv) == verdict.best);
        Analysis {
            is_final: verdict.ended.is_some(),
            game: position.rules(),
            position: position.position_text(),
            best: verdict.best.map(|mv| position.move_text(mv)),
            value: verdict.value.into(),
            best_value: best.map(|row| row.value.into()),
            win: win.into(),
            chance: chance(verdict.value, verdict.proof, win),
            lead: None,
            proof: verdict.proof,
            pv: words(&verdict.pv),
            moves: verdict.moves.iter().take(rows).map(row).collect(),
            simulations: verdict.simulations,
            evaluations: verdict.evaluations,
            nodes: verdict.nodes,
            depth: verdict.depth,
            selective_depth: verdict.selective_depth,
            nodes_per_depth: verdict.nodes_per_depth.clone(),
            effective_depth: verdict.effective_depth.into(),
            entropy: verdict.entropy.into(),
            memory: verdict.memory,
            fullness: verdict.fullness.into(),
            tree_full: verdict.tree_full,
            seconds: verdict.elapsed.as_secs_f64(),
            simulations_per_second: verdict.simulations_per_second(),
            evaluations_per_second: verdict.evaluations_per_second(),
            nodes_per_second: verdict.nodes_per_second(),
            ended: verdict.ended,
        }
    }

    /// One JSON object with no more than `rows` moves.
    pub fn json(&self, rows: usize) -> Value {
        let mut value = tagged("analysis", self);
        if let Some(moves) = value.get_mut("moves").and_then(Value::as_array_mut) {
            moves.truncate(rows);
        }
        value
    }
}

/// The chance of winning, 0 to 1, that a value and what is proven stand for; a won game is worth `win`.
fn chance(value: f32, proof: Option<Proof>, win: f32) -> f64 {
    match proof {
        Some(Proof::Win(_)) => 1.0,
        Some(Proof::Loss(_)) => 0.0,
        Some(Proof::Draw) => 0.5,
        None => Scale::of_win(win).chance(value).into(),
    }
}

/// A JSON object with its type and the version of its schema.
pub(crate) fn tagged(kind: &str, fields: &impl Serialize) -> Value {
    let mut value = serde_json::to_value(fields).unwrap_or_else(|_| json!({}));
    value["type"] = json!(kind);
    value["schema"] = json!(SCHEMA);
    value
}

/// The outcome in words.
pub fn outcome_text(outcome: Outcome) -> String {
    match outcome {
        Outcome::Win(color) => format!("{color:?} wins").to_lowercase(),
        Outcome::Draw => "draw".to_string(),
    }
}

/// What is proven, in words.
pub fn proof_text(proof: Proof) -> String {
    match proof {
        Proof::Win(plies) => format!("won in {plies}"),
        Proof::Draw => "drawn".to_string(),
        Proof::Loss(plies) => format!("lost in {plies}"),
    }
}

/// The way back of [`proof_text`].
fn parse_proof(text: &str) -> Option<Proof> {
    match text.split_once(" in ") {
        Some(("won", plies)) => plies.parse().ok().map(Proof::Win),
        Some(("lost", plies)) => plies.parse().ok().map(Proof::Loss),
        _ => (text == "drawn").then_some(Proof::Draw),
    }
}

/// A number; `null` is none.
fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(Option::<f64>::deserialize(deserializer)?.unwrap_or(f64::NAN))
}

fn optional_number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    Option::<f64>::deserialize(deserializer)
}

pub(crate) mod proof_json {
    use super::{Deserialize, Deserializer, Proof, Serialize, Serializer, parse_proof, proof_text};

    pub(crate) fn serialize<S: Serializer>(proof: &Option<Proof>, serializer: S) -> Result<S::Ok, S::Error> {
        proof.map(proof_text).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Proof>, D::Error> {
        let wrong = |text: &str| serde::de::Error::custom(format!("{text} is no proof: won in 3, drawn, lost in 4"));
        match Option::<String>::deserialize(deserializer)? {
            Some(text) => parse_proof(&text).map(Some).ok_or_else(|| wrong(&text)),
            None => Ok(None),
        }
    }
}

mod ended_json {
    use super::{Deserialize, Deserializer, Ended, Serialize, Serializer};

    fn text(ended: Ended) -> String {
        format!("{ended:?}").to_lowercase()
    }

    pub(super) fn serialize<S: Serializer>(ended: &Option<Ended>, serializer: S) -> Result<S::Ok, S::Error> {
        ended.map(text).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Ended>, D::Error> {
        let Some(word) = Option::<String>::deserialize(deserializer)? else { return Ok(None) };
        let found = Ended::ALL.into_iter().find(|&ended| text(ended) == word);
        found.map(Some).ok_or_else(|| serde::de::Error::custom(format!("no search ends by {word}")))
    }
}
