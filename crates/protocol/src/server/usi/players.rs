//! Engines for USI from the text of a player.

use yomi_core::TextError;
use yomi_games::shogi::{Shogi, Variant};
use yomi_session::player::{HIGHEST_LEVEL, NetworkChoice};
use yomi_session::{Budget, Playable, Player};

use super::{Builder, Engine, Scale, Settings};
use crate::usi::{EngineOption, OptionKind};

/// Weights of the linear evaluation instead of those in the program.
const EVAL_FILE: &str = "EvalFile";
/// A network as the evaluation, where it is evaluated, and how many positions at once (0: the default of the device).
const NET_FILE: &str = "NetFile";
const NET_DEVICE: &str = "NetDevice";
const NET_BATCH: &str = "NetBatch";
/// The level: below the highest, its player takes the place of the option `Player`.
const SKILL: &str = "Skill";

/// Makes players as the settings ask for them.
pub struct Players;

impl Players {
    /// The options that players need beside those of the server, at this level.
    pub fn options(level: u8) -> Vec<(EngineOption, String)> {
        let file = EngineOption { name: EVAL_FILE.to_string(), kind: OptionKind::Filename(String::new()) };
        let skill = OptionKind::Spin(i64::from(level), 1, i64::from(HIGHEST_LEVEL));
        let skill = EngineOption { name: SKILL.to_string(), kind: skill };
        let option = |name: &str, kind: OptionKind| EngineOption { name: name.to_string(), kind };
        vec![
            (file, String::new()),
            (option(NET_FILE, OptionKind::Filename(String::new())), String::new()),
            (option(NET_DEVICE, OptionKind::Text("auto".to_string())), "auto".to_string()),
            (option(NET_BATCH, OptionKind::Spin(0, 0, 1 << 16)), "0".to_string()),
            (skill, level.to_string()),
        ]
    }

    /// The network that the settings name.
    fn network(settings: &Settings) -> NetworkChoice {
        NetworkChoice {
            file: settings.extra(NET_FILE).to_string(),
            device: settings.extra(NET_DEVICE).to_string(),
            batch: settings.extra(NET_BATCH).parse().unwrap_or(0),
        }
    }
}

impl<V: Variant> Builder<V> for Players
where
    Shogi<V>: Playable,
{
    fn build(&self, settings: &Settings) -> Result<Engine<V>, TextError> {
        let player = match settings.extra(SKILL).parse() {
            Ok(level) if level < HIGHEST_LEVEL => Player::of_level(level, V::NAME)?,
            _ => settings.player.parse::<Player>()?.in_game(V::NAME)?,
        };
        let player = player.with_network(&Players::network(settings));
        let player = player.granted(settings.threads, settings.hash, settings.multipv);
        Engine::of(&player.with_weights(settings.extra(EVAL_FILE)))
    }
}

impl<V: Variant> Engine<V>
where
    Shogi<V>: Playable,
{
    /// The engine that a player is.
    pub fn of(player: &Player) -> Result<Engine<V>, TextError> {
        Ok(Engine {
            limits: player.limits(&Budget::default(), 0)?,
            scale: Scale::of_win(player.win::<Shogi<V>>()?),
            search: player.build()?,
            note: player.temperature().map_or(String::new(), |t| format!("temperature {t} ")),
        })
    }
}
