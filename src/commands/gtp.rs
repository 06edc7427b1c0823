//! `yomi gtp`: our searches in a Go interface, and in Pentobi's dialect for Blokus Duo.

use std::io::Write;

use anyhow::ensure;
use yomi_core::{Seed, Spec, TextError};
use yomi_games::blokus::BlokusDuo;
use yomi_games::go::{Go9, Go13, Go19};
use yomi_protocol::server::Console;
use yomi_protocol::server::gtp::{self, Builder, Engine, Manners};

use crate::players::{Budget, Playable, PlayerArgs};

/// Speak GTP on standard input and output: the engine for Sabaki, GoGui, Lizzie
#[derive(clap::Args)]
#[command(after_help = "Examples:
  yomi gtp
  yomi gtp --level 4
  yomi gtp --game 'go9(komi=7)' --player 'prior-rave(threads=2)' --sims 8000
  yomi gtp --game blokus-duo --player 'mcss(t=0.05) + rollout(n=4)' --time 2

The board can be resized while it runs. Without clock and budget a move takes five seconds.")]
pub(crate) struct Args {
    /// The game and its rules: go19, go13, go9 (goN) or blokus-duo
    #[arg(long, short, value_name = "GAME", default_value = "go19")]
    game: Spec,
    #[command(flatten)]
    player: PlayerArgs,
    #[command(flatten)]
    budget: Budget,
    /// Give up when the chance of winning is smaller; 0 for never
    #[arg(long, default_value_t = 0.05, value_name = "CHANCE")]
    resign: f32,
    /// All chance descends from it
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    ensure!((0.0..=1.0).contains(&args.resign), "--resign is a chance from 0 to 1");
    let manners = Manners::new(Seed::new(args.seed), args.resign);
    let engines = Engines { player: &args.player, budget: &args.budget };
    Ok(gtp::serve(Console::new(std::io::stdin(), out), &args.game, &engines, manners)??)
}

/// The engine of every board: one player, or the usual one of the board (`yomi levels`); what the player's own budget leaves open,
/// the other closes.
pub(super) struct Engines<'a> {
    pub(super) player: &'a PlayerArgs,
    pub(super) budget: &'a Budget,
}

impl Builder for Engines<'_> {
    fn go9(&self) -> Result<Engine<Go9>, TextError> {
        self.engine("go9")
    }

    fn go13(&self) -> Result<Engine<Go13>, TextError> {
        self.engine("go13")
    }

    fn go19(&self) -> Result<Engine<Go19>, TextError> {
        self.engine("go19")
    }

    fn blokus(&self) -> Result<Engine<BlokusDuo>, TextError> {
        self.engine("blokus-duo")
    }
}

impl Engines<'_> {
    fn engine<P: Playable>(&self, game: &str) -> Result<Engine<P>, TextError> {
        let player = self.player.in_game(game)?;
        let limits = player.budget.limits(self.budget, 0).map_err(|error| TextError::new(error.to_string()))?;
        Ok(Engine { search: player.build()?, win: player.win::<P>()?, limits })
    }
}
