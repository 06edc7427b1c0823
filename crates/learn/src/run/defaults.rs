//! Settings that depend on the game and the method: temperatures, K and the search are in the unit of the evaluation.

use toml::{Table, Value};

use super::prepare::unit;

/// What a game's evaluation counts in; where there is none, the defaults of [`super::Config`] are in hundredths of a pawn.
pub(super) struct Unit {
    /// K: a position worth this is won with probability 0.73.
    pub(super) k: f64,
    /// T_a.
    pub(super) temperature: f64,
    /// T of the search.
    pub(super) search: f64,
    /// Positions that it may judge: as many more as the game has moves.
    pub(super) evaluations: i64,
    /// The search that imitation learns from, where it is another one.
    pub(super) imitated: Option<&'static str>,
}

/// Fills in what a file leaves out. S3 methods search with controlled growth.
pub(super) fn fill(table: &mut Table) {
    let word = |key: &str| table.get(key).and_then(Value::as_str).unwrap_or_default().to_string();
    let (game, method) = (word("game"), word("method"));
    let unit = unit(&game);
    let t = unit.as_ref().map_or(80.0, |unit| unit.search);
    let rule = match method.as_str() {
        "s3-stochastic" => Some("chance"),
        "s3-deterministic" | "s3-tree" => Some("above(0.5)"),
        _ => None,
    };
    let search = match rule {
        Some(rule) => Some(format!("mcss(t={t},hash=4,expand=growth(mu=0.002,tau=0.001,rule={rule}))")),
        None => unit.as_ref().map(|unit| match unit.imitated.filter(|_| method == "imitation") {
            Some(search) => search.to_string(),
            None => format!("mcss(t={t},hash=16)"),
        }),
    };
    let mut default = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            table.entry(key).or_insert(value);
        }
    };
    default("search", search.map(Value::from));
    default("k", unit.as_ref().map(|unit| unit.k.into()));
    default("temperature", unit.as_ref().map(|unit| unit.temperature.into()));
    default("evaluations", unit.map(|unit| unit.evaluations.into()));
}
