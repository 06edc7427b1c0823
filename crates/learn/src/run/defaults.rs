//! Settings that depend on the game and the method: temperatures, K and the search are in the unit of the evaluation.

use toml::{Table, Value};

/// What a game's evaluation counts in.
struct Unit {
    /// K: a position worth this is won with probability 0.73.
    k: f64,
    /// T_a.
    temperature: f64,
    /// T of the search.
    search: f64,
    /// Positions that it may judge: as many more as the game has moves.
    evaluations: i64,
}

/// Hundredths of a pawn for shogi, the defaults of [`super::Config`]; the linear value of S1.2 for Blokus Duo (its gain is 1/50); results of
/// games for Go.
fn unit(game: &str) -> Option<Unit> {
    match game.split('(').next().unwrap_or_default() {
        "blokus-duo" => Some(Unit { k: 50.0, temperature: 4.0, search: 8.0, evaluations: 3000 }),
        game if game.starts_with("go") => Some(Unit { k: 0.5, temperature: 0.05, search: 0.1, evaluations: 1000 }),
        _ => None,
    }
}

/// Fills in what a file leaves out. S3 methods search with controlled growth. In Go, imitation learns from a search by mean results: it is far
/// stronger with playouts, and imitation asks for no gradient.
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
        None if game.starts_with("go") && method == "imitation" => Some("prior-rave(hash=16)".to_string()),
        None => unit.is_some().then(|| format!("mcss(t={t},hash=16)")),
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
