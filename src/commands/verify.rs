//! `yomi verify`: is a ledger true?

use std::io::Write;
use std::path::PathBuf;

use anyhow::bail;
use serde_json::json;
use yomi_core::text::counted;
use yomi_lab::any_run::AnyRun;
use yomi_lab::arena;
use yomi_lab::experiment::{self, LocalWorkshop};
use yomi_lab::players::build::Programs;
use yomi_lab::verify::verify;

use crate::build;

/// Check the games of a run by the rules, and play some of them again
#[derive(clap::Args)]
#[command(after_help = "Examples:
  yomi verify runs/match-1f2e3d4c
  yomi verify runs/match-1f2e3d4c --sample 50 --json
  yomi verify runs/s0-fig3-3b1c2d-1x1   # an experiment: its games and jobs

All games are looked through by the rules; --sample of them are played again and compared move by move. Games that time, threads or
engines of other people decided cannot be had again and are only looked through.")]
pub(crate) struct Args {
    /// The directory of the run
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// How many games to play again
    #[arg(long, default_value_t = 5, value_name = "K")]
    sample: usize,
    /// Seed of the choice of games
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// One JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    let (found, reproducible) = match AnyRun::open(&args.directory)? {
        AnyRun::Match(directory, plan) => {
            directory.check_unchanged(&plan)?;
            // Games with programs cannot be had again: none is started, whatever the directory says.
            let arena = arena::open(&plan.config.game.parse()?, Programs::Refused)?;
            let found = verify(&plan, &*arena, &directory.rows()?, args.sample, args.seed)?;
            (found, plan.config.reproducible)
        }
        AnyRun::Experiment(directory, plan, _) => {
            let rows = directory.rows()?;
            let found = experiment::verify::verify(
                &plan,
                &LocalWorkshop::onlooker(build::version(0)),
                &rows,
                args.sample,
                args.seed,
            )?;
            (found, plan.is_reproducible())
        }
    };
    let wrong = found.differences.len();
    if args.json {
        let line = json!({ "type": "verification", "checked": found.checked, "replayed": found.replayed,
            "reproducible": reproducible, "differences": found.differences });
        writeln!(out, "{line}")?;
    } else {
        for difference in &found.differences {
            writeln!(out, "{difference}")?;
        }
        writeln!(
            out,
            "{} checked by the rules, {} played again, {}",
            counted(found.checked as u64, "game", "games"),
            found.replayed,
            counted(wrong as u64, "difference", "differences")
        )?;
    }
    if wrong > 0 {
        bail!("{} is not what was played", args.directory.display());
    }
    Ok(())
}
