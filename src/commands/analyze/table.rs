//! What a search found, as a table: only what the search has to say.

use std::io::Write;

use yomi_core::text::counted;
use yomi_session::report::{Analysis, MoveAnalysis, proof_text};

/// Columns that only searches with probabilities fill.
const PROBABILITIES: &str = "   prior  select  realize  backup";

/// The table of root moves, what the search cost, and the answer. The last line says of the best move what the table says of it.
pub(super) fn print(verdict: &Analysis, rows: usize, out: &mut dyn Write) -> std::io::Result<()> {
    let Some(best) = &verdict.best else { return writeln!(out, "the game is over") };
    let shown = &verdict.moves[..rows.min(verdict.moves.len())];
    let width = shown.iter().map(|row| row.mv.len()).max().unwrap_or(0).max(8);
    let probabilities = has_probabilities(&verdict.moves);
    // Alpha-beta counts the nodes below a move, the others their samples.
    let visits = if verdict.simulations == 0 && verdict.nodes > 0 { "nodes" } else { "visits" };
    let header = if probabilities { PROBABILITIES } else { "" };
    writeln!(out, "{:<width$}{visits:>10}{:>12}{header}{:>7}  line", "move", "value", "depth")?;
    for row in shown {
        write!(out, "{:<width$}{:>10}{:>+12.3}", row.mv, row.visits, row.value)?;
        if probabilities {
            let MoveAnalysis { prior, selection, realization, backup, .. } = row;
            write!(out, "{prior:>8.3}{selection:>8.3}{realization:>9.2e}{backup:>8.3}")?;
        }
        let proof = row.proof.map_or(String::new(), |proof| format!("[{}] ", proof_text(proof)));
        writeln!(out, "{:>7.1}  {proof}{}", row.depth, row.pv)?;
    }
    let hidden = verdict.moves.len().saturating_sub(rows);
    if hidden > 0 {
        writeln!(out, "… and {hidden} more (--multipv)")?;
    }
    writeln!(out, "\n{}", cost(verdict))?;
    if !verdict.nodes_per_depth.is_empty() {
        let nodes: Vec<String> = verdict.nodes_per_depth.iter().map(u64::to_string).collect();
        writeln!(out, "nodes at depth 0, 1, …: {}", nodes.join(" "))?;
    }
    let row = verdict.moves.iter().find(|row| row.mv == *best);
    let (value, proof) = row.map_or((verdict.value, verdict.proof), |row| (row.value, row.proof));
    let proof = proof.map_or(String::new(), |proof| format!(", {}", proof_text(proof)));
    // The root of a tree is worth a mean over its moves, the position to alpha-beta what its best move is worth.
    let (value, root) = (format!("{value:+.3}"), format!("{:+.3}", verdict.value));
    let root = if root == value { String::new() } else { format!("; the whole position {root}") };
    writeln!(out, "best {} value {value}{proof}{root}", best)
}

/// Whether a search chooses by probabilities; alpha-beta does not.
fn has_probabilities(moves: &[MoveAnalysis]) -> bool {
    moves.iter().any(|row| row.prior != 0.0 || row.selection != 0.0)
}

/// What the search took: the counts it keeps, and how fast it was.
fn cost(verdict: &Analysis) -> String {
    let counts = [
        (verdict.simulations, "simulations", verdict.simulations_per_second),
        (verdict.evaluations, "evaluations", verdict.evaluations_per_second),
        (verdict.nodes, "nodes", verdict.nodes_per_second),
    ];
    let kept = || counts.iter().filter(|(count, ..)| *count > 0);
    let mut parts: Vec<String> =
        kept().map(|&(count, name, _)| counted(count, name.trim_end_matches('s'), name)).collect();
    let depth = verdict.depth.max(verdict.selective_depth);
    let effective = if verdict.effective_depth > 0.0 {
        format!(" (effective {:.1})", verdict.effective_depth)
    } else {
        String::new()
    };
    parts.push(format!("depth {depth}{effective}"));
    if has_probabilities(&verdict.moves) {
        parts.push(format!("entropy {:.2}", verdict.entropy));
    }
    parts.push(format!("{:.1} MiB", verdict.memory as f64 / f64::from(1 << 20)));
    if verdict.tree_full {
        parts.push("tree full".to_string());
    }
    let speeds: Vec<String> = kept().map(|(_, name, speed)| format!("{speed:.0} {name}/s")).collect();
    let seconds = verdict.seconds;
    format!("{}\n{seconds:.3} s{}{}", parts.join(", "), if speeds.is_empty() { "" } else { ": " }, speeds.join(", "))
}
