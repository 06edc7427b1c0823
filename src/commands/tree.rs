//! `yomi tree`: looking around in a tree that `yomi analyze --tree` saved.

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;

use anyhow::Context;
use yomi_core::text::counted;
use yomi_session::report::proof_text;
use yomi_session::{SavedTree, TreeQuery, TreeRow};

use crate::arguments::of_moves;

/// Look around in a saved tree: the root, or any node, and the best below it
#[derive(clap::Args)]
#[command(after_help = "Examples:
  yomi analyze --game minishogi --player 'mcss(t=80)' --sims 20000 --tree m.tree
  yomi tree m.tree
  yomi tree m.tree --moves '5d5c 1b1c' --top 5
  yomi tree m.tree --top 3 --depth 4
  yomi tree m.tree --json

Only what is shown is read, however large the file. Values are for the side that plays the move.")]
pub(crate) struct Args {
    /// The tree
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Moves from the root to the node to look at, separated by spaces
    #[arg(long, short, value_name = "MOVES", default_value = "")]
    moves: String,
    /// Show the most sampled moves, this many at each node
    #[arg(long, default_value_t = 10, value_name = "MOVES")]
    top: usize,
    /// Look this many plies further
    #[arg(long, default_value_t = 1, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(..=200))]
    depth: u32,
    /// Read the whole file first and compare its checksums
    #[arg(long)]
    verify: bool,
    /// One JSON object, children within their parents
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    let shown = args.file.display();
    let file = File::open(&args.file).with_context(|| format!("cannot open {shown}"))?;
    let mut tree = SavedTree::open(file).with_context(|| shown.to_string())?;
    if args.verify {
        tree.verify().with_context(|| shown.to_string())?;
    }
    let query = TreeQuery { moves: args.moves.clone(), top: args.top, depth: args.depth };
    if !args.moves.trim().is_empty() {
        // The way to the node first: what is wrong with it is wrong with the option.
        tree.explore(&TreeQuery { depth: 0, ..query.clone() }).map_err(of_moves)?;
    }
    let report = tree.explore(&query)?;
    if args.json {
        writeln!(out, "{}", report.json(&tree.notes.player))?;
        return Ok(());
    }
    writeln!(out, "{} by {}: {}", report.game, tree.notes.player, counted(report.nodes, "node", "nodes"))?;
    writeln!(out, "{}", report.position)?;
    let visits = counted(report.visits, "visit", "visits");
    writeln!(out, "{visits}, {}\n", counted(report.children, "move", "moves"))?;
    if report.children == 0 {
        return Ok(writeln!(out, "the tree ends here")?);
    }
    writeln!(out, "{:>9}{:>8}{:>10}{:>8}{:>7}  move", "visits", "share", "value", "prior", "moves")?;
    print(&report.below, report.visits, 0, out)
}

/// The best children of a node with at least this many visits and, indented, what lies below them.
fn print(rows: &[TreeRow], visits: u32, indent: usize, out: &mut dyn Write) -> anyhow::Result<()> {
    for row in rows {
        writeln!(
            out,
            "{:>9}{:>7.1}%{}{:>8.3}{:>7}  {:indent$}{}{}",
            row.visits,
            100.0 * f64::from(row.visits) / f64::from(visits.max(1)),
            row.value.map_or(format!("{:>10}", "-"), |value| format!("{value:>10.3}")),
            row.prior,
            row.children,
            "",
            row.mv,
            row.proof.map_or(String::new(), |proof| format!("  [{}]", proof_text(proof))),
        )?;
        print(&row.below, row.visits, indent + 2, out)?;
    }
    Ok(())
}
