//! `yomi stats pool`: one rating list from many runs.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, ensure};
use yomi_lab::any_run::Kind;
use yomi_lab::directory::RunDirectory;
use yomi_lab::statistics::ratings::Pool;

use super::ratings::{Fitting, rate};

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  yomi stats pool runs/*\n  yomi stats pool runs/match-1f2e3d4c runs/sweep-00aa11bb --json\n\n\
    Games of all ledgers are counted together; players of the same name are taken for the same player, so budgets belong\n\
    into names. Void games are left out. All runs must be of one game."
)]
pub(crate) struct Args {
    /// The directories of the runs
    #[arg(value_name = "DIR", required = true)]
    directories: Vec<PathBuf>,
    #[command(flatten)]
    fitting: Fitting,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    let mut pool = Pool::new();
    let (mut seen, mut games) = (BTreeSet::new(), BTreeSet::new());
    for path in &args.directories {
        // A folder of runs may hold other things, too.
        if args.directories.len() > 1 && Kind::at(path) != Some(Kind::Match) {
            eprintln!("{} is left out: it holds no match", path.display());
            continue;
        }
        let (directory, plan) = RunDirectory::open(path)?;
        let shown = path.display();
        ensure!(seen.insert(plan.hash.clone()), "{shown} holds a match that another of these directories holds too");
        games.insert(plan.config.game.clone());
        for row in directory.rows()? {
            if let Some(game) = row.result.game() {
                pool.add(&row.first, &row.second, game).with_context(|| shown.to_string())?;
            }
        }
    }
    ensure!(!seen.is_empty(), "none of these directories holds a match");
    let names: Vec<&str> = games.iter().map(String::as_str).collect();
    ensure!(names.len() <= 1, "these runs are of different games: {}", names.join(", "));
    rate(&pool, &args.fitting, out)
}
