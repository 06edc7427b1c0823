//! `yomi bench`: speeds, and the signature that says two builds play alike.

mod searches;

use std::io::Write;

use serde_json::json;
use yomi_core::Spec;
use yomi_core::clock::Stopwatch;
use yomi_core::rng::Seed;
use yomi_games::Count;
use yomi_session::signature::{SearchCounts, Signature, WORK, of_game, search_names};
use yomi_session::{Game, with_game};

use crate::progress::Progress;
use crate::version::COMMIT;

/// Measure the speed of every game and search and print the signature of this build
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  yomi bench\n  yomi bench --scale 10 --json\n\n\
    Speeds are for one thread, per second that it really ran. Two builds with the same signature generate the same moves in the\n\
    same order, play the same simulated games, and their searches, all of them in all games, visit the same nodes as often.")]
pub(crate) struct Args {
    /// Measure this many times longer; the signature stays the same
    #[arg(long, default_value_t = 1.0, value_name = "FACTOR")]
    scale: f64,
    /// Only this game; no signature then
    #[arg(long, short)]
    game: Option<String>,
    /// One JSON object per game, and one for the signature
    #[arg(long)]
    json: bool,
}

/// What was measured of one game.
struct Row {
    nodes: u64,
    nodes_per_second: f64,
    playouts: u64,
    playouts_per_second: f64,
    mean_plies: f64,
    first_player: f64,
    signature: u64,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    if let Some(game) = args.game.as_deref().filter(|game| WORK.iter().all(|work| work.0 != *game)) {
        return Err(Spec::named(game).unknown("a game that is measured", WORK.map(|work| work.0)).into());
    }
    let steps = WORK.len() + search_names().count();
    let mut progress = Progress::new("bench", steps as u64);
    let mut signature = Signature::default();
    if !args.json {
        writeln!(
            out,
            "{:<14}{:>14}{:>12}{:>14}{:>12}{:>12}{:>14}",
            "game", "perft nodes", "Mnodes/s", "playouts/s", "Mplies/s", "mean plies", "first player"
        )?;
    }
    let chosen = |&&(name, ..): &&(&str, u32, u64)| args.game.as_deref().is_none_or(|game| game == name);
    for &(name, depth, playouts) in WORK.iter().filter(chosen) {
        let playouts = (playouts as f64 * args.scale).clamp(1.0, 1e12) as u64;
        let row = with_game!(&name.parse()?, |start| measure(&start, depth, playouts));
        signature.add(row.signature);
        print(args, name, &row, out)?;
        progress.step();
    }
    if args.game.is_some() {
        return Ok(());
    }
    if !args.json {
        searches::print_head(out)?;
    }
    for name in search_names() {
        let row = SearchCounts::of(name)?;
        signature.add(row.signature);
        searches::print(&row, args.json, out)?;
        progress.step();
    }
    let signature = signature.number();
    if args.json {
        writeln!(
            out,
            "{}",
            json!({ "type": "bench", "version": env!("CARGO_PKG_VERSION"), "commit": COMMIT, "signature": signature })
        )?;
    } else {
        writeln!(out, "Bench: {signature}")?;
    }
    Ok(())
}

/// The signature of this build, as [`run`] prints it; a second or two of work.
pub(crate) fn build_signature() -> anyhow::Result<u64> {
    Ok(yomi_session::signature::build_signature()?)
}

fn print(args: &Args, name: &str, row: &Row, out: &mut dyn Write) -> std::io::Result<()> {
    let plies_per_second = row.playouts_per_second * row.mean_plies;
    if args.json {
        writeln!(
            out,
            "{}",
            json!({ "type": "bench-game", "game": name, "nodes": row.nodes, "nodes_per_second": row.nodes_per_second,
                    "playouts": row.playouts, "playouts_per_second": row.playouts_per_second,
                    "plies_per_second": plies_per_second, "mean_plies": row.mean_plies,
                    "first_player": row.first_player, "signature": row.signature })
        )?;
        return Ok(());
    }
    writeln!(
        out,
        "{name:<14}{:>14}{:>12.1}{:>14.0}{:>12.2}{:>12.2}{:>14.3}",
        row.nodes,
        row.nodes_per_second / 1e6,
        row.playouts_per_second,
        plies_per_second / 1e6,
        row.mean_plies,
        row.first_player
    )
}

fn measure<P: Game + Count>(start: &P, depth: u32, playouts: u64) -> Row {
    let watch = Stopwatch::start();
    let nodes = start.perft(depth);
    let nodes_per_second = nodes as f64 / watch.busy().as_secs_f64();
    let watch = Stopwatch::start();
    let (plies, points) = start.play_outs(playouts, &mut Seed::new(1).branch("bench", 0).rng());
    let playouts_per_second = playouts as f64 / watch.busy().as_secs_f64();
    Row {
        nodes,
        nodes_per_second,
        playouts,
        playouts_per_second,
        mean_plies: plies as f64 / playouts as f64,
        first_player: points / playouts as f64,
        signature: of_game(start, nodes),
    }
}
