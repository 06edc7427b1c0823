//! `yomi tree`: looking around in a tree that `yomi analyze --tree` saved.

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, ensure};
use serde_json::{Value, json};
use yomi_core::text::counted;
use yomi_core::{Line, Move, Spec};
use yomi_search::tree::{Explorer, NodeId, NodeView, ROOT, TreeFile};

use super::analyze::proof_text;
use crate::games::{Game, with_game};

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
    /// Look so many plies further
    #[arg(long, default_value_t = 1, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(..=200))]
    depth: u32,
    /// Read the whole file first and compare its checksums
    #[arg(long)]
    verify: bool,
    /// One JSON object, children within their parents
    #[arg(long)]
    json: bool,
}

/// What the notes of a tree say.
struct Notes {
    game: Spec,
    position: String,
    player: String,
}

impl Notes {
    fn read(text: &str) -> anyhow::Result<Notes> {
        let notes: Value = serde_json::from_str(text).unwrap_or(Value::Null);
        let word = |key: &str| {
            let word = notes[key].as_str().map(str::to_string);
            word.with_context(|| format!("the tree does not say its {key}; yomi analyze writes one that does"))
        };
        Ok(Notes { game: word("game")?.parse()?, position: word("position")?, player: word("player")? })
    }
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    let shown = args.file.display();
    let file = File::open(&args.file).with_context(|| format!("cannot open {shown}"))?;
    let mut tree = TreeFile::open(file).with_context(|| shown.to_string())?;
    if args.verify {
        tree.verify().with_context(|| shown.to_string())?;
    }
    let notes = Notes::read(tree.notes()).with_context(|| shown.to_string())?;
    with_game!(&notes.game, |start| {
        explore(args, &notes, Viewer { tree: &mut tree, line: Line::new(start), node: ROOT }, out)
    })
}

/// A node of a tree and the position there.
struct Viewer<'a, P: Game> {
    tree: &'a mut TreeFile<File>,
    line: Line<P>,
    node: NodeId,
}

impl<P: Game> Viewer<'_, P> {
    /// The child that `view` shows. A tree of another game, or a damaged one, has moves that nobody can play.
    fn child(&mut self, view: &NodeView) -> anyhow::Result<(String, Viewer<'_, P>)> {
        let mv = P::Move::from_bits(view.mv);
        ensure!(self.line.is_legal(mv), "node {} of the tree is reached by no legal move", view.node.0);
        let word = self.line.position().move_text(mv);
        let mut line = self.line.clone();
        line.play(mv);
        Ok((word, Viewer { tree: self.tree, line, node: view.node }))
    }

    /// Goes down by a move as it is typed.
    fn follow(&mut self, word: &str) -> anyhow::Result<()> {
        let mv = self.line.position().parse_move(word)?;
        let children = self.tree.children(self.node)?;
        let child = children.iter().find(|child| child.mv == mv.to_bits());
        self.node = child.with_context(|| format!("the tree does not go on with {word}"))?.node;
        self.line.play(mv);
        Ok(())
    }
}

fn explore<P: Game>(args: &Args, notes: &Notes, mut viewer: Viewer<'_, P>, out: &mut dyn Write) -> anyhow::Result<()> {
    let root = viewer.line.position().parse_position(&notes.position).context("the position of the tree")?;
    viewer.line = Line::new(root);
    for (i, word) in args.moves.split_whitespace().enumerate() {
        viewer.follow(word).with_context(|| format!("--moves, move {}", i + 1))?;
    }
    let here = viewer.tree.node(viewer.node)?;
    let nodes = viewer.tree.nodes();
    if args.json {
        let told = json!({ "type": "tree", "game": viewer.line.position().rules(), "player": notes.player, "nodes": nodes,
            "moves": args.moves, "position": viewer.line.position().position_text(), "visits": here.visits,
            "children": here.children, "below": told(&mut viewer, args.top, args.depth)? });
        writeln!(out, "{told}")?;
        return Ok(());
    }
    writeln!(out, "{} by {}: {}", viewer.line.position().rules(), notes.player, counted(nodes, "node", "nodes"))?;
    writeln!(out, "{}", viewer.line.position().position_text())?;
    let visits = counted(here.visits, "visit", "visits");
    writeln!(out, "{visits}, {}\n", counted(here.children, "move", "moves"))?;
    if here.children == 0 {
        return Ok(writeln!(out, "the tree ends here")?);
    }
    writeln!(out, "{:>9}{:>8}{:>10}{:>8}{:>7}  move", "visits", "share", "value", "prior", "moves")?;
    print(&mut viewer, (args.top, args.depth), 0, out)
}

/// The best children and, indented, what lies below them.
fn print<P: Game>(
    viewer: &mut Viewer<'_, P>,
    (top, depth): (usize, u32),
    indent: usize,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    if depth == 0 {
        return Ok(());
    }
    let children = viewer.tree.top(viewer.node, top)?;
    let visits = viewer.tree.node(viewer.node)?.visits.max(1);
    for view in &children {
        let (word, mut child) = viewer.child(view)?;
        writeln!(
            out,
            "{:>9}{:>7.1}%{}{:>8.3}{:>7}  {:indent$}{word}{}",
            view.visits,
            100.0 * f64::from(view.visits) / f64::from(visits),
            view.value
                .filter(|value| value.is_finite())
                .map_or(format!("{:>10}", "-"), |value| format!("{value:>10.3}")),
            view.prior,
            view.children,
            "",
            view.proof.map_or(String::new(), |proof| format!("  [{}]", proof_text(proof))),
        )?;
        print(&mut child, (top, depth - 1), indent + 2, out)?;
    }
    Ok(())
}

/// The same as JSON.
fn told<P: Game>(viewer: &mut Viewer<'_, P>, top: usize, depth: u32) -> anyhow::Result<Vec<Value>> {
    if depth == 0 {
        return Ok(Vec::new());
    }
    let mut rows = Vec::new();
    for view in viewer.tree.top(viewer.node, top)? {
        let (word, mut child) = viewer.child(&view)?;
        rows.push(json!({ "move": word, "visits": view.visits, "value": view.value, "prior": view.prior,
            "proof": view.proof.map(proof_text), "children": view.children, "below": told(&mut child, top, depth - 1)? }));
    }
    Ok(rows)
}
