//! `yomi levels`: the default player and the levels of each game.

use std::io::Write;

use serde_json::json;
use yomi_core::Spec;

use yomi_session::player::defaults::{ALL_DEFAULTS, Defaults, defaults};
use yomi_session::unknown_game;

/// List the levels of each game with their players and their Elo
#[derive(clap::Args)]
#[command(after_help = "Examples:
  yomi levels
  yomi levels --game minishogi
  yomi play --game minishogi --level 3
  yomi match --game minishogi 'level(3)' 'level(2)' --games 100

Elo is counted from level 1 of the same game, by matches between neighbours
(docs/levels.md); - is not measured. Levels 1 to 8 have budgets of nodes or
simulations and play the same on every machine; level 9 is the strongest player
with the time it is given, and was measured with the budget shown.")]
pub(crate) struct Args {
    /// Only this game
    #[arg(long, short, value_name = "GAME")]
    game: Option<Spec>,
    /// One JSON object a level
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    let tables: Vec<&Defaults> = match &args.game {
        None => ALL_DEFAULTS.to_vec(),
        Some(game) => vec![defaults(&game.name).ok_or_else(|| unknown_game(game))?],
    };
    for table in tables {
        if !args.json {
            writeln!(out, "{} (default: {})", table.game, table.player)?;
        }
        for (level, number) in table.measured().zip(1..) {
            if args.json {
                let line = json!({ "type": "level", "game": table.game, "level": number, "elo": level.elo,
                    "player": table.level(number), "measured": level.player });
                writeln!(out, "{line}")?;
            } else {
                let elo = level.elo.map_or("-".to_string(), |elo| elo.to_string());
                writeln!(out, "  {number}  {elo:>5}  {}", level.player)?;
            }
        }
    }
    Ok(())
}
