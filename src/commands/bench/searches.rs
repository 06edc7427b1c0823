//! Every search in every game: speeds for people.

use std::io::Write;

use serde_json::json;
use yomi_session::signature::SearchCounts;

pub(super) fn print_head(out: &mut dyn Write) -> std::io::Result<()> {
    writeln!(
        out,
        "\n{:<20}{:>12}{:>14}{:>10}{:>16}{:>16}",
        "search, all games", "simulations", "evaluations", "nodes", "simulations/s", "evaluations/s"
    )
}

pub(super) fn print(row: &SearchCounts, as_json: bool, out: &mut dyn Write) -> std::io::Result<()> {
    let SearchCounts { name, simulations, evaluations, nodes, seconds, signature } = *row;
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
