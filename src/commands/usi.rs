//! `yomi usi`: our searches in a shogi interface.

use std::io::Write;

use anyhow::{Context, bail};
use yomi_core::{Notation, Spec};
use yomi_games::shogi::{Shogi, Variant};
use yomi_games::with_shogi;
use yomi_protocol::server::Console;
use yomi_protocol::server::usi::{self, Builder, Engine, Players, Settings};
use yomi_session::player::HIGHEST_LEVEL;
use yomi_session::{Playable, Player};

/// Speak USI on standard input and output: the engine for ShogiHome, Shogidokoro, ShogiGUI
#[derive(clap::Args)]
#[command(after_help = "Examples:
  yomi usi
  yomi usi --level 4
  yomi usi --player 'mcss(t=60,threads=2)'
  yomi usi --game minishogi --player alpha-beta
  yomi usi --game 'minishogi(repetition=first-loses)'

Everything here can be set in the interface as well: the options are Player,
Skill (the level: below 9 it takes the place of Player), Threads, USI_Hash and
so on. A Player or an EvalFile (at most 64 MiB) that is
wrong is reported, and the last good one stays; a BookFile has at most 1 GiB.
Threads goes up to the number of this machine's cores; to have more, name them
in the player: mcss(threads=64).

quit and the end of the input end a search with the best move so far. A script
that wants all of it keeps the input open until the answer has come, or uses
yomi analyze.")]
pub(crate) struct Args {
    /// The game and its rules: shogi or minishogi
    #[arg(long, short, value_name = "GAME", default_value = "shogi")]
    game: Spec,
    /// The search, its evaluation and its budget; if left out, the strongest of the game
    #[arg(long, value_name = "PLAYER")]
    player: Option<String>,
    /// A named strength instead, 1 to 9; yomi levels lists them
    #[arg(long, value_name = "N", conflicts_with = "player", default_value_t = HIGHEST_LEVEL,
        value_parser = clap::value_parser!(u8).range(1..=9))]
    level: u8,
    /// Seed of all random choices
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    with_shogi!(args.game.name.as_str(), |V| serve::<V>(args, out), other => {
        bail!("USI is spoken about shogi and minishogi, not about {other}")
    })
}

fn serve<V: Variant>(args: &Args, out: &mut dyn Write) -> anyhow::Result<()>
where
    Shogi<V>: Playable,
{
    let rules = Shogi::<V>::start(&args.game)?.choices();
    let default = Player::of_level(HIGHEST_LEVEL, V::NAME)?.to_string();
    let player = args.player.as_deref().unwrap_or(&default);
    let extra = Players::options(args.level);
    let settings = Settings { seed: args.seed, extra, ..Settings::new::<V>(player, rules) };
    // A slip on the command line is reported before the first command.
    Players.build(&settings).map(|_: Engine<V>| ()).context("--player")?;
    Ok(usi::serve::<V, _>(Console::new(std::io::stdin(), out), settings, &Players)?)
}
