//! `yomi gtp`: our searches in a Go interface, and in Pentobi's dialect for Blokus Duo.

use std::cell::Cell;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use anyhow::ensure;
use yomi_core::{AnyEvaluator, Seed, Spec, TextError};
use yomi_games::blokus::BlokusDuo;
use yomi_games::go::{Go, Go9, Go13, Go19};
use yomi_protocol::server::Console;
use yomi_protocol::server::forecast::{Forecaster, Playouts};
use yomi_protocol::server::gtp::{self, Builder, Engine, Manners};

use crate::players::{Budget, HIGHEST_LEVEL, Playable, Player, PlayerArgs};
use crate::signals::on_interrupt;

/// Speak GTP on standard input and output: the engine for Sabaki, GoGui, Lizzie
#[derive(clap::Args)]
#[command(after_help = "Examples:
  yomi gtp
  yomi gtp --level 4
  yomi gtp --game 'go9(komi=7)' --player 'prior-rave(threads=2)' --sims 8000
  yomi gtp --game blokus-duo --player 'mcss(t=0.05) + rollout(n=4)' --time 2

The board can be resized while it runs, and the command level N (1 to 9) changes its
strength. Without clock and budget a move takes five seconds. quit and the end of the
input end a search at once; it is answered with the best move so far.")]
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
    let engines = Engines::new(&args.player, &args.budget);
    let console = Console::new(std::io::stdin(), out);
    heed_interrupts(&console, &manners)?;
    Ok(gtp::serve(console, &args.game, &engines, manners)??)
}

/// An interrupt signal ends the program, or the thought of the moment once a controller has asked for that (`gogui-sigint`).
#[allow(clippy::exit, reason = "what an interrupt does to a program that handles none")]
fn heed_interrupts<W: Write>(console: &Console<W>, manners: &Manners) -> anyhow::Result<()> {
    /// What a shell expects of a program that an interrupt has ended.
    const INTERRUPTED: i32 = 130;
    let (interrupt, interruptible) = (console.interrupter(), manners.interruptible.clone());
    on_interrupt(move || {
        // Relaxed: a flag that carries no data.
        if interruptible.load(Ordering::Relaxed) {
            interrupt();
        } else {
            std::process::exit(INTERRUPTED);
        }
    })
}

/// The engine of every board: one player, or the usual one of the board (`yomi levels`); what the player's own budget leaves open,
/// the other closes.
pub(super) struct Engines<'a> {
    player: &'a PlayerArgs,
    budget: &'a Budget,
    /// The level that a controller has asked for, in place of the player.
    level: Cell<Option<u8>>,
}

impl Builder for Engines<'_> {
    fn go9(&self) -> Result<Engine<Go9>, TextError> {
        self.go("go9")
    }

    fn go13(&self) -> Result<Engine<Go13>, TextError> {
        self.go("go13")
    }

    fn go19(&self) -> Result<Engine<Go19>, TextError> {
        self.go("go19")
    }

    fn blokus(&self) -> Result<Engine<BlokusDuo>, TextError> {
        self.engine("blokus-duo")
    }

    fn set_level(&self, level: u8) -> Result<(), TextError> {
        if !(1..=HIGHEST_LEVEL).contains(&level) {
            return Err(TextError::new(format!("levels go from 1 to {HIGHEST_LEVEL}, not {level}")));
        }
        self.level.set(Some(level));
        Ok(())
    }
}

impl<'a> Engines<'a> {
    pub(super) fn new(player: &'a PlayerArgs, budget: &'a Budget) -> Engines<'a> {
        Engines { player, budget, level: Cell::new(None) }
    }

    fn engine<P: Playable>(&self, game: &str) -> Result<Engine<P>, TextError> {
        self.observed(game, &mut |evaluator| evaluator)
    }

    /// The same with ears for the playouts of the search, which tell leads and owners.
    fn go<const LEN: usize>(&self, game: &str) -> Result<Engine<Go<LEN>>, TextError>
    where
        Go<LEN>: Playable,
    {
        let mut playouts = None;
        let mut engine = self.observed(game, &mut |evaluator| {
            let (heard, audible) = Playouts::of(evaluator);
            playouts = Some(heard);
            audible
        })?;
        engine.forecaster = playouts.map(|playouts| playouts as Arc<dyn Forecaster<Go<LEN>>>);
        Ok(engine)
    }

    fn observed<P: Playable>(
        &self,
        game: &str,
        observer: &mut dyn FnMut(AnyEvaluator<P>) -> AnyEvaluator<P>,
    ) -> Result<Engine<P>, TextError> {
        let player = match self.level.get() {
            Some(level) => Player::of_level(level, game)?,
            None => self.player.in_game(game)?,
        };
        let limits = player.limits(self.budget, 0).map_err(|error| TextError::new(error.to_string()))?;
        Ok(Engine { search: player.build_observed(observer)?, win: player.win::<P>()?, limits, forecaster: None })
    }
}
