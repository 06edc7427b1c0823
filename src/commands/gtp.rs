//! `yomi gtp`: our searches in a Go interface, and in Pentobi's dialect for Blokus Duo.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use anyhow::{Context, ensure};
use yomi_core::{AnyEvaluator, Seed, Spec, TextError};
use yomi_games::blokus::BlokusDuo;
use yomi_games::go::{Go, Go9, Go13, Go19};
use yomi_protocol::server::Console;
use yomi_protocol::server::forecast::{Forecaster, Playouts};
use yomi_protocol::server::gtp::{self, Builder, Engine, Manners};

use crate::players::{Budget, Playable, Player};

/// Speak GTP on standard input and output: the engine for Sabaki, GoGui, Lizzie
#[derive(clap::Args)]
#[command(after_help = "Examples:
  yomi gtp
  yomi gtp --game 'go9(komi=7)' --player 'prior-rave(threads=2)' --sims 8000
  yomi gtp --game blokus-duo --player 'mcss(t=0.05) + rollout(n=4)' --time 2

The board can be resized while it runs. Without clock and budget a move takes five seconds.")]
pub(crate) struct Args {
    /// The game and its rules: go19, go13, go9 (goN) or blokus-duo
    #[arg(long, short, value_name = "GAME", default_value = "go19")]
    game: Spec,
    /// The search and its evaluation; if left out, what has proved best on the board
    #[arg(long, value_name = "PLAYER")]
    player: Option<Player>,
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
    let engines = Engines { player: args.player.as_ref(), budget: &args.budget };
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
    ctrlc::set_handler(move || {
        // Relaxed: a flag that carries no data.
        if interruptible.load(Ordering::Relaxed) {
            interrupt();
        } else {
            std::process::exit(INTERRUPTED);
        }
    })
    .context("cannot handle interrupts")
}

/// The engine of every board, made from one player or from what has proved best there (results/README.md); what the player's own budget
/// leaves open, the other closes.
pub(super) struct Engines<'a> {
    pub(super) player: Option<&'a Player>,
    pub(super) budget: &'a Budget,
}

/// Up to 13x13 a deeper tree is worth its price, and all moves as first fade sooner.
pub(super) const SMALL_BOARDS: &str = "prior-rave(after=1,beta=least-squares(0.03))";
/// On 19x19 there are too many moves to try them all: priors weigh more.
pub(super) const LARGE_BOARDS: &str = "prior-rave(wins=300,even=20)";
const BLOKUS: &str = "prior-rave";

impl Builder for Engines<'_> {
    fn go9(&self) -> Result<Engine<Go9>, TextError> {
        self.go(SMALL_BOARDS)
    }

    fn go13(&self) -> Result<Engine<Go13>, TextError> {
        self.go(SMALL_BOARDS)
    }

    fn go19(&self) -> Result<Engine<Go19>, TextError> {
        self.go(LARGE_BOARDS)
    }

    fn blokus(&self) -> Result<Engine<BlokusDuo>, TextError> {
        self.engine(BLOKUS)
    }
}

impl Engines<'_> {
    fn engine<P: Playable>(&self, usual: &str) -> Result<Engine<P>, TextError> {
        self.observed(usual, &mut |evaluator| evaluator)
    }

    /// The same with ears for the playouts of the search, which tell leads and owners.
    fn go<const LEN: usize>(&self, usual: &str) -> Result<Engine<Go<LEN>>, TextError>
    where
        Go<LEN>: Playable,
    {
        let mut playouts = None;
        let mut engine = self.observed(usual, &mut |evaluator| {
            let (heard, audible) = Playouts::of(evaluator);
            playouts = Some(heard);
            audible
        })?;
        engine.forecaster = playouts.map(|playouts| playouts as Arc<dyn Forecaster<Go<LEN>>>);
        Ok(engine)
    }

    fn observed<P: Playable>(
        &self,
        usual: &str,
        observer: &mut dyn FnMut(AnyEvaluator<P>) -> AnyEvaluator<P>,
    ) -> Result<Engine<P>, TextError> {
        let usual: Player = usual.parse()?;
        let player = self.player.unwrap_or(&usual);
        let limits = player.budget.limits(self.budget, 0).map_err(|error| TextError::new(error.to_string()))?;
        Ok(Engine { search: player.build_observed(observer)?, win: player.win::<P>()?, limits, forecaster: None })
    }
}
