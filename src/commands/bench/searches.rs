//! Every search in every game: counts for the signature, speeds for people.

use std::io::Write;

use serde_json::json;
use yomi_core::clock::Stopwatch;
use yomi_core::rng::{Seed, fnv1a};
use yomi_core::{Line, Move};
use yomi_search::{Limits, METHODS, Verdict};
use yomi_session::{OTHER_SEARCHES, Playable, Player, with_game};

/// The games, each with an evaluation that all builds share and a temperature that suits its unit.
const GAMES: [(&str, &str, &str); 9] = [
    ("shogi", "quiet", "80"),
    ("minishogi", "quiet", "80"),
    ("go9", "rollout", "0.3"),
    ("go13", "rollout", "0.3"),
    ("go19", "rollout", "0.3"),
    ("blokus-duo", "rollout", "0.3"),
    ("tic-tac-toe", "rollout", "0.3"),
    ("connect-four", "rollout", "0.3"),
    ("nim", "rollout", "0.3"),
];

/// What a search may spend on a game: enough to visit some nodes twice, little enough for a table in seconds.
const SIMULATIONS: u64 = 1_000;
const EVALUATIONS: u64 = 1_500;
const NODES: u64 = 20_000;

/// What one search did in all games.
#[derive(Default)]
pub(super) struct Row {
    name: &'static str,
    simulations: u64,
    evaluations: u64,
    nodes: u64,
    seconds: f64,
    pub(super) signature: u64,
}

/// The searches there are.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    METHODS.iter().map(|entry| entry.name).chain(OTHER_SEARCHES.iter().map(|&(name, _)| name))
}

/// Lets the search think about the start of every game.
pub(super) fn measure(name: &'static str) -> anyhow::Result<Row> {
    let mut row = Row { name, ..Row::default() };
    for (game, evaluator, temperature) in GAMES {
        let player: Player = format!("{} + {evaluator}", with_parameters(name, temperature)).parse()?;
        with_game!(&game.parse()?, |start| think(&player, &Line::new(start), &mut row)?);
    }
    Ok(row)
}

/// The search with temperatures for the game at hand and a small table where it has one.
fn with_parameters(name: &str, temperature: &str) -> String {
    let Some(entry) = METHODS.iter().find(|entry| entry.name == name) else {
        return if name == "alpha-beta" { "alpha-beta(hash=4)".to_string() } else { name.to_string() };
    };
    let heats = entry.parameters.iter().filter(|p| ["t", "ts", "tb"].contains(&p.key));
    let heats: String = heats.map(|p| format!("{}={temperature},", p.key)).collect();
    format!("{name}({heats}hash=16)")
}

fn think<P: Playable>(player: &Player, line: &Line<P>, row: &mut Row) -> anyhow::Result<()> {
    let limits = Limits {
        simulations: Some(SIMULATIONS),
        evaluations: Some(EVALUATIONS),
        nodes: Some(NODES),
        ..Limits::infinite().seeded(Seed::new(1))
    };
    let mut search = player.build::<P>()?;
    let watch = Stopwatch::start();
    let verdict = search.search(line, &limits, &mut ());
    row.seconds += watch.busy().as_secs_f64();
    row.simulations += verdict.simulations;
    row.evaluations += verdict.evaluations;
    row.nodes += verdict.nodes;
    row.signature = signature(row.signature, &verdict);
    Ok(())
}

/// Everything about a search that is counted, and nothing that is computed: the last bit of a value may be the machine's.
fn signature<M: Move>(before: u64, verdict: &Verdict<M>) -> u64 {
    let mut numbers = vec![before, verdict.simulations, verdict.evaluations, verdict.nodes];
    numbers.extend(&verdict.nodes_per_depth);
    numbers.extend(verdict.moves.iter().flat_map(|row| [u64::from(row.mv.to_bits()), row.visits]));
    fnv1a(&numbers.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<u8>>())
}

pub(super) fn print_head(out: &mut dyn Write) -> std::io::Result<()> {
    writeln!(
        out,
        "\n{:<20}{:>12}{:>14}{:>10}{:>16}{:>16}",
        "search, all games", "simulations", "evaluations", "nodes", "simulations/s", "evaluations/s"
    )
}

pub(super) fn print(row: &Row, as_json: bool, out: &mut dyn Write) -> std::io::Result<()> {
    let Row { name, simulations, evaluations, nodes, seconds, signature } = *row;
    let rate = |n: u64| n as f64 / seconds.max(1e-9);
    if as_json {
        let line = json!({ "type": "bench-search", "search": name, "simulations": simulations,
            "evaluations": evaluations, "nodes": nodes, "simulations_per_second": rate(simulations),
            "evaluations_per_second": rate(evaluations), "signature": signature });
        return writeln!(out, "{line}");
    }
    writeln!(
        out,
        "{name:<20}{simulations:>12}{evaluations:>14}{nodes:>10}{:>16.0}{:>16.0}",
        rate(simulations),
        rate(evaluations)
    )
}
