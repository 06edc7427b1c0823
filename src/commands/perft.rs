//! `yomi perft`: counting the leaves of the game tree.

use std::io::Write;

use serde_json::json;
use yomi_core::Line;
use yomi_core::clock::Stopwatch;
use yomi_games::Count;
use yomi_session::{Game, with_game};

use crate::arguments::PositionArgs;
use crate::progress::Progress;

/// Count the leaves of the game tree: the standard proof of a move generator
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  yomi perft --game shogi --depth 5\n  yomi perft --game minishogi --depth 4 --divide\n  \
    yomi perft --game 'go3(ko=positional)' --depth 6 --history\n\nThe total stands alone on the last line."
)]
pub(crate) struct Args {
    #[command(flatten)]
    position: PositionArgs,
    /// How many moves deep
    #[arg(long, short)]
    depth: u32,
    /// Show the count below each first move
    #[arg(long)]
    divide: bool,
    /// Obey repetition and superko, which look at the past (slower)
    #[arg(long)]
    history: bool,
    /// One JSON object instead of text
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    with_game!(&args.position.game, |start| count(args, &args.position.line(start)?, out))
}

fn count<P: Game + Count>(args: &Args, line: &Line<P>, out: &mut dyn Write) -> anyhow::Result<()> {
    let watch = Stopwatch::start();
    let mut moves = Vec::new();
    if args.history {
        line.generate(&mut moves);
    } else {
        line.position().generate(&mut moves);
    }
    let mut divided = Vec::new();
    let total = match args.depth {
        0 => 1,
        depth => {
            let mut progress = Progress::new("perft", moves.len() as u64);
            for &mv in &moves {
                divided.push((line.position().move_text(mv), below(line, mv, depth - 1, args.history)));
                progress.step();
            }
            divided.iter().map(|(_, n)| n).sum()
        }
    };
    let seconds = watch.busy().as_secs_f64();
    if args.json {
        let by_move: serde_json::Map<_, _> = divided.into_iter().map(|(text, n)| (text, json!(n))).collect();
        let game = line.position().rules();
        writeln!(
            out,
            "{}",
            json!({ "type": "perft", "game": game, "position": line.position().position_text(), "depth": args.depth,
                    "nodes": total, "cpu_seconds": seconds, "divide": args.divide.then_some(by_move) })
        )?;
        return Ok(());
    }
    if args.divide {
        for (text, n) in &divided {
            writeln!(out, "{text}: {n}")?;
        }
    }
    if seconds > 0.1 {
        eprintln!("{seconds:.2} s of one CPU, {:.1} million nodes/s", total as f64 / seconds / 1e6);
    }
    writeln!(out, "{total}")?;
    Ok(())
}

fn below<P: Game + Count>(line: &Line<P>, mv: P::Move, depth: u32, history: bool) -> u64 {
    if history {
        let mut child = line.clone();
        child.play(mv);
        P::perft_line(&child, depth)
    } else {
        let mut child = line.position().clone();
        child.play(mv);
        child.perft(depth)
    }
}
