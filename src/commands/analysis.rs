//! `yomi analysis`: our searches behind KataGo's JSON questions, for KaTrain, Ogatak and scripts.

use std::io::Write;

use anyhow::Context;
use yomi_core::{Seed, Spec};
use yomi_protocol::server::Console;
use yomi_protocol::server::analysis::{self, AnalysisOptions, View};

use crate::arguments::{BudgetArgs, PlayerArgs};

/// Answer questions about Go in KataGo's analysis protocol, JSON Lines: the engine for KaTrain, Ogatak and scripts
#[derive(clap::Args)]
#[command(after_help = "Examples:
  yomi analysis
  yomi analysis --game go9 --player 'prior-rave(threads=2)' --sims 2000
  echo '{\"id\":\"a\",\"moves\":[[\"B\",\"E5\"]],\"maxVisits\":200}' \\
    | yomi analysis --game go9

A question is a JSON object on one line: id, moves, initialStones, initialPlayer, rules, komi, boardXSize, boardYSize,
analyzeTurns, maxVisits, includeOwnership, includeMovesOwnership, includePolicy, includePVVisits, avoidMoves, allowMoves,
reportDuringSearchEvery, priority, priorities, overrideSettings (maxTime, maxVisits, reportAnalysisWinratesAs); or an
action: query_version, query_models, clear_cache, terminate, terminate_all. What it leaves open is as the game and the budget say here. Without maxVisits and
budget a position gets 500 visits. In KaTrain, the whole command goes into the engine settings as the override command.")]
pub(crate) struct Args {
    /// Size of the board and rules of questions that name none: go19, go13, go9 (goN)
    #[arg(long, short, value_name = "GAME", default_value = "go19")]
    game: Spec,
    #[command(flatten)]
    player: PlayerArgs,
    #[command(flatten)]
    budget: BudgetArgs,
    /// Whose chances and points are reported: black, white or sidetomove
    #[arg(long, default_value = "black", value_name = "SIDE")]
    perspective: String,
    /// Stop at the end of the input; otherwise what was asked before it is answered first
    #[arg(long)]
    quit_without_waiting: bool,
    /// Seed of all random choices
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    let view = View::parse(&args.perspective).context("--perspective is black, white or sidetomove")?;
    let (small, large) = (args.player.in_game("go13")?.to_string(), args.player.in_game("go19")?.to_string());
    let player = if small == large { small } else { format!("{small} up to 13x13, {large} above") };
    let options =
        AnalysisOptions { seed: Seed::new(args.seed), view, player, quit_without_waiting: args.quit_without_waiting };
    let players = args.player.on_every_board(args.budget);
    Ok(analysis::serve(Console::new(std::io::stdin(), out), &args.game, &players, options)??)
}
