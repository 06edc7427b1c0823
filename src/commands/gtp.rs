//! `yomi gtp`: our searches in a Go interface, and in Pentobi's dialect for Blokus Duo.

use std::io::Write;
use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::ensure;
use yomi_core::{Seed, Spec};
use yomi_protocol::server::Console;
use yomi_protocol::server::gtp::{self, GtpOptions};

use crate::arguments::{BudgetArgs, PlayerArgs};
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
    budget: BudgetArgs,
    /// Give up when the chance of winning is smaller; 0 for never
    #[arg(long, default_value_t = 0.05, value_name = "CHANCE")]
    resign: f32,
    /// Milliseconds of the clock that a move keeps back for its way to the controller [default: 250, and at most a quarter of the time]
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(..=3_600_000))]
    delay: Option<u64>,
    /// Seed of all random choices
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    ensure!((0.0..=1.0).contains(&args.resign), "--resign is a chance from 0 to 1");
    let options = GtpOptions::new(Seed::new(args.seed), args.resign).with_delay(args.delay.map(Duration::from_millis));
    let players = args.player.on_every_board(args.budget);
    let console = Console::new(std::io::stdin(), out);
    heed_interrupts(&console, &options)?;
    Ok(gtp::serve(console, &args.game, &players, options)??)
}

/// An interrupt signal ends the program, or the thought of the moment once a controller has asked for that (`gogui-sigint`).
#[allow(clippy::exit, reason = "what an interrupt does to a program that handles none")]
fn heed_interrupts<W: Write>(console: &Console<W>, options: &GtpOptions) -> anyhow::Result<()> {
    /// What a shell expects of a program that an interrupt has ended.
    const INTERRUPTED: i32 = 130;
    let (interrupt, interruptible) = (console.interrupter(), options.interruptible.clone());
    on_interrupt(move || {
        // Relaxed: a flag that carries no data.
        if interruptible.load(Ordering::Relaxed) {
            interrupt();
        } else {
            std::process::exit(INTERRUPTED);
        }
    })
}
