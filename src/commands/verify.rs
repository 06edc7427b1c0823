//! `yomi verify`: is a ledger true?

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::bail;
use serde_json::json;
use yomi_core::text::counted;
use yomi_lab::any_run::AnyRun;
use yomi_lab::arena;
use yomi_lab::experiment::{self, LocalWorkshop};
use yomi_lab::players::build::Programs;
use yomi_lab::verify::{Verification, verify};

use crate::build;
use crate::commands::bench::build_signature;

/// Check the games of runs by the rules, and play some of them again
#[derive(clap::Args)]
#[command(after_help = "Examples:
  yomi verify runs/match-1f2e3d4c
  yomi verify runs/match-1f2e3d4c --sample 50 --json
  yomi verify results/*                 # matches, experiments, tuning runs
  yomi verify results/* --sample 0      # by the rules only

All games are looked through by the rules; --sample of them, or of the other jobs of an experiment, are done again and compared move by
move. Games that time, threads or engines of other people decided cannot be had again and are only looked through. A run that was made
by a program of another signature may come out differently: that is reported and is no mistake.")]
pub(crate) struct Args {
    /// The directories of the runs
    #[arg(value_name = "DIR", required = true)]
    directories: Vec<PathBuf>,
    /// How many games of each run to play again
    #[arg(long, default_value_t = 5, value_name = "K")]
    sample: usize,
    /// Seed of the choice of games
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// One JSON object per run
    #[arg(long)]
    json: bool,
}

/// A run that was looked through.
struct Looked {
    found: Verification,
    reproducible: bool,
    /// The signature of the program that made it, where it is known.
    signature: Option<u64>,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    let mut wrong = Vec::new();
    // A second or two of work: only on demand.
    let mut ours = None;
    for directory in &args.directories {
        // A folder of runs may hold other things, too.
        if args.directories.len() > 1 && !directory.join("config.toml").is_file() {
            continue;
        }
        let looked = look(directory, args)?;
        let mut found = looked.found;
        let mut note = String::new();
        if !found.changed.is_empty() {
            let ours = match ours {
                Some(known) => known,
                None => *ours.insert(build_signature()?),
            };
            match looked.signature.filter(|&theirs| theirs != ours) {
                Some(theirs) => note = format!(" (made by signature {theirs}, this is {ours}: no mistake)"),
                None => found.differences.append(&mut found.changed),
            }
        }
        if args.json {
            let line = json!({ "type": "verification", "run": directory, "checked": found.checked, "replayed": found.replayed,
                "same": found.same, "reproducible": looked.reproducible, "signature": looked.signature,
                "differences": found.differences, "changed": found.changed });
            writeln!(out, "{line}")?;
        } else {
            for difference in &found.differences {
                writeln!(out, "{difference}")?;
            }
            let name = if args.directories.len() > 1 { format!("{}: ", directory.display()) } else { String::new() };
            let alike =
                if found.same < found.replayed { format!(", {} alike{note}", found.same) } else { String::new() };
            let again = format!("{} played again{alike}", found.replayed);
            let differences = counted(found.differences.len() as u64, "difference", "differences");
            writeln!(
                out,
                "{name}{} checked by the rules, {again}, {differences}",
                counted(found.checked as u64, "game", "games")
            )?;
        }
        if !found.differences.is_empty() {
            wrong.push(directory.display().to_string());
        }
    }
    match wrong.as_slice() {
        [] => Ok(()),
        [one] => bail!("{one} is not what was played"),
        many => bail!("{} are not what was played", many.join(", ")),
    }
}

fn look(directory: &Path, args: &Args) -> anyhow::Result<Looked> {
    Ok(match AnyRun::open(directory)? {
        AnyRun::Match(directory, plan) => {
            directory.check_unchanged(&plan)?;
            // Games with programs cannot be had again: none is started, whatever the directory says.
            let arena = arena::open(&plan.config.game.parse()?, Programs::Refused)?;
            let found = verify(&plan, &*arena, &directory.rows()?, args.sample, args.seed)?;
            let signature = directory.manifest().and_then(|manifest| manifest["signature"].as_u64());
            Looked { found, reproducible: plan.config.reproducible, signature }
        }
        AnyRun::Tuning(tuning) => {
            let manifest = tuning.directory().manifest();
            let signature = manifest.and_then(|manifest| manifest["program"]["signature"].as_u64());
            Looked { found: tuning.verify(args.sample, args.seed)?, reproducible: tuning.is_reproducible(), signature }
        }
        AnyRun::Experiment(directory, plan, manifest) => {
            let here = LocalWorkshop::onlooker(build::version(0));
            let found = experiment::verify::verify(&plan, &here, &directory.rows()?, args.sample, args.seed)?;
            Looked { found, reproducible: plan.is_reproducible(), signature: Some(manifest.bench) }
        }
    })
}
