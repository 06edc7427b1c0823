//! `yomi usi`: our searches in a shogi interface.

use std::io::Write;

use anyhow::{Context, bail};
use yomi_core::{Notation, Spec, TextError};
use yomi_games::shogi::{Five, Nine, Shogi, Variant};
use yomi_protocol::server::Console;
use yomi_protocol::server::usi::{self, Builder, Engine, Scale, Settings};
use yomi_protocol::usi::{EngineOption, OptionKind};

use crate::players::{Budget, HIGHEST_LEVEL, Playable, Player};

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
    /// All chance descends from it
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Weights of the linear evaluation instead of those in the program.
const EVAL_FILE: &str = "EvalFile";
/// The level: below the highest, its player takes the place of the option `Player`.
const SKILL: &str = "Skill";

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    match args.game.name.as_str() {
        "shogi" => serve::<Nine>(args, out),
        "minishogi" => serve::<Five>(args, out),
        other => bail!("USI is spoken about shogi and minishogi, not about {other}"),
    }
}

fn serve<V: Variant>(args: &Args, out: &mut dyn Write) -> anyhow::Result<()>
where
    Shogi<V>: Playable,
{
    let rules = Shogi::<V>::start(&args.game)?.choices();
    let file = EngineOption { name: EVAL_FILE.to_string(), kind: OptionKind::Filename(String::new()) };
    let skill = OptionKind::Spin(i64::from(args.level), 1, i64::from(HIGHEST_LEVEL));
    let skill = EngineOption { name: SKILL.to_string(), kind: skill };
    let extra = vec![(file, String::new()), (skill, args.level.to_string())];
    let usual = Player::of_level(HIGHEST_LEVEL, V::NAME)?.to_string();
    let player = args.player.as_deref().unwrap_or(&usual);
    let settings = Settings { seed: args.seed, extra, ..Settings::new::<V>(player, rules) };
    // A slip on the command line is told before anybody waits for an answer.
    Players.build(&settings).map(|_: Engine<V>| ()).context("--player")?;
    Ok(usi::serve::<V, _>(Console::new(std::io::stdin(), out), settings, &Players)?)
}

/// Makes players as the settings ask for them.
struct Players;

impl<V: Variant> Builder<V> for Players
where
    Shogi<V>: Playable,
{
    fn build(&self, settings: &Settings) -> Result<Engine<V>, TextError> {
        let player = match settings.extra(SKILL).parse() {
            Ok(level) if level < HIGHEST_LEVEL => Player::of_level(level, V::NAME)?,
            _ => settings.player.parse::<Player>()?.in_game(V::NAME)?,
        };
        let player = player.granted(settings.threads, settings.hash, settings.multipv);
        let player = player.with_weights(settings.extra(EVAL_FILE));
        engine(&player)
    }
}

/// The engine that a player is.
pub(crate) fn engine<V: Variant>(player: &Player) -> Result<Engine<V>, TextError>
where
    Shogi<V>: Playable,
{
    let limits = player.limits(&Budget::default(), 0).map_err(|error| TextError::new(error.to_string()))?;
    // Values of playouts run from -1 to 1; every other evaluation of shogi counts in pawns.
    let results = player.win::<Shogi<V>>()? <= 1.0;
    Ok(Engine {
        search: player.build()?,
        scale: if results { Scale::Result } else { Scale::Pawn(yomi_eval::material::PAWN) },
        limits,
        note: player.temperature().map_or(String::new(), |t| format!("temperature {t} ")),
    })
}
