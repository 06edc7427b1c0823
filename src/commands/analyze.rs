//! `yomi analyze`: what a player thinks of a position.

use std::io::{IsTerminal, Write};
use std::time::Duration;

use serde_json::{Value, json};
use yomi_core::Line;
use yomi_search::{Proof, RootMove, Verdict, Watch};

use crate::games::{PositionArgs, with_game};
use crate::players::{Budget, Playable, Player};

/// Think about a position and tell everything the search knows
#[derive(clap::Args)]
#[command(after_help = "Examples:
  yomi analyze --game minishogi --player 'mcss(t=80)' --sims 10000
  yomi analyze --game go9 --player 'uct(c=1.5,after=30) + rollout' --sims 8000 --multipv 5
  yomi analyze --game shogi --player alpha-beta --depth 6 --moves '7g7f 3c3d'
  yomi analyze --game connect-four --player 'ments + rollout(n=4)' --time 2 --threads 2 --json

yomi methods lists the searches and their parameters.")]
pub(crate) struct Args {
    #[command(flatten)]
    position: PositionArgs,
    /// The search and its evaluation: 'mcss(t=80) + quiet(material)'
    #[arg(long, value_name = "PLAYER")]
    player: Player,
    #[command(flatten)]
    budget: Budget,
    /// All chance descends from it
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many moves to show
    #[arg(long, default_value_t = 8, value_name = "MOVES")]
    multipv: usize,
    /// JSON Lines: one object a report, the last one final
    #[arg(long)]
    json: bool,
}

/// Without any budget a search gets this long.
const DEFAULT_TIME: f64 = 2.0;

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    with_game!(&args.position.game, |start| analyze(args, &args.position.line(start)?.0, out))
}

fn analyze<P: Playable>(args: &Args, line: &Line<P>, out: &mut dyn Write) -> anyhow::Result<()> {
    let mut search = args.player.build::<P>()?;
    let mut limits = args.player.budget.limits(&args.budget, args.seed)?;
    let open = [limits.simulations, limits.evaluations, limits.nodes].iter().all(Option::is_none);
    if open && limits.depth.is_none() && limits.time.is_none() {
        limits.time = Some(Duration::from_secs_f64(DEFAULT_TIME));
    }
    let mut watch = Onlooker { line, args, terminal: std::io::stderr().is_terminal() };
    let verdict = search.search(line, &limits, &mut watch);
    if watch.terminal && !args.json {
        // Wipe the line of progress.
        eprint!("\r{:78}\r", "");
    }
    if args.json {
        writeln!(out, "{}", told(line, &verdict, args.multipv, true))?;
    } else {
        print(line, &verdict, args.multipv, out)?;
    }
    Ok(())
}

/// Shows a line of progress to people; programs that want reports read the final one.
struct Onlooker<'a, P: Playable> {
    line: &'a Line<P>,
    args: &'a Args,
    terminal: bool,
}

impl<P: Playable> Watch<P::Move> for Onlooker<'_, P> {
    fn interval(&self) -> Option<Duration> {
        (self.terminal || self.args.json).then_some(Duration::from_millis(500))
    }

    fn progress(&mut self, so_far: &Verdict<P::Move>) {
        if self.args.json {
            eprintln!("{}", told(self.line, so_far, self.args.multipv, false));
            return;
        }
        let pv = variation(self.line, &so_far.pv);
        let short: String = pv.chars().take(40).collect();
        eprint!("\r{:>8} sims {:>9} nodes  {:+.3}  {short:<40}", so_far.simulations, so_far.nodes, so_far.value);
    }
}

fn print<P: Playable>(
    line: &Line<P>,
    verdict: &Verdict<P::Move>,
    rows: usize,
    out: &mut dyn Write,
) -> std::io::Result<()> {
    let Some(best) = verdict.best else { return writeln!(out, "the game is over") };
    let position = line.position();
    writeln!(
        out,
        "{:<10}{:>9}{:>10}{:>8}{:>8}{:>8}{:>7}  line",
        "move", "visits", "value", "prior", "select", "backup", "depth"
    )?;
    for mv in verdict.moves.iter().take(rows) {
        writeln!(
            out,
            "{:<10}{:>9}{:>10.3}{:>8.3}{:>8.3}{:>8.3}{:>7.1}  {}{}",
            position.move_text(mv.mv),
            mv.visits,
            mv.value,
            mv.prior,
            mv.selection,
            mv.backup,
            mv.depth,
            mv.proof.map_or(String::new(), |proof| format!("[{}] ", proof_text(proof))),
            variation(line, &mv.pv)
        )?;
    }
    let hidden = verdict.moves.len().saturating_sub(rows);
    if hidden > 0 {
        writeln!(out, "… and {hidden} more (--multipv)")?;
    }
    writeln!(out)?;
    writeln!(
        out,
        "{} simulations, {} evaluations, {} nodes, depth {} (effective {:.1}), entropy {:.2}, {:.1} MiB{}",
        verdict.simulations,
        verdict.evaluations,
        verdict.nodes,
        verdict.depth,
        verdict.effective_depth,
        verdict.entropy,
        verdict.memory as f64 / f64::from(1 << 20),
        if verdict.tree_full { ", tree full" } else { "" }
    )?;
    let proof = verdict.proof.map_or(String::new(), |proof| format!(", {}", proof_text(proof)));
    writeln!(out, "best {} value {:+.3}{proof}", position.move_text(best), verdict.value)
}

fn proof_text(proof: Proof) -> String {
    match proof {
        Proof::Win(plies) => format!("won in {plies}"),
        Proof::Draw => "drawn".to_string(),
        Proof::Loss(plies) => format!("lost in {plies}"),
    }
}

/// A variation as words.
fn variation<P: Playable>(line: &Line<P>, moves: &[P::Move]) -> String {
    let mut position = line.position().clone();
    let mut words = Vec::new();
    for &mv in moves {
        words.push(position.move_text(mv));
        position.play(mv);
    }
    words.join(" ")
}

fn told<P: Playable>(line: &Line<P>, verdict: &Verdict<P::Move>, rows: usize, last: bool) -> Value {
    let position = line.position();
    let row = |mv: &RootMove<P::Move>| {
        json!({ "move": position.move_text(mv.mv), "visits": mv.visits, "value": mv.value, "prior": mv.prior,
            "selection": mv.selection, "realization": mv.realization, "backup": mv.backup, "depth": mv.depth,
            "proof": mv.proof.map(proof_text), "pv": variation(line, &mv.pv) })
    };
    let moves: Vec<Value> = verdict.moves.iter().take(rows).map(row).collect();
    json!({ "type": "analysis", "final": last, "game": position.rules(), "position": position.position_text(),
        "best": verdict.best.map(|mv| position.move_text(mv)), "value": verdict.value, "proof": verdict.proof.map(proof_text),
        "pv": variation(line, &verdict.pv), "moves": moves, "simulations": verdict.simulations,
        "evaluations": verdict.evaluations, "nodes": verdict.nodes, "depth": verdict.depth,
        "nodes_per_depth": verdict.nodes_per_depth, "effective_depth": verdict.effective_depth,
        "entropy": verdict.entropy, "memory": verdict.memory, "tree_full": verdict.tree_full,
        "seconds": verdict.elapsed.as_secs_f64(), "ended": verdict.ended.map(|e| format!("{e:?}").to_lowercase()) })
}
