//! `yomi tune`: numbers of a player found by matches.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde_json::json;
use yomi_core::Spec;
use yomi_lab::experiment::kinds::with_budget;
use yomi_lab::players::build::Programs;
use yomi_lab::players::spec::launches;
use yomi_lab::runner::RunEnd;
use yomi_lab::tune::config::{Method, TuneConfig};
use yomi_lab::tune::report;
use yomi_lab::tune::run::{Tuning, Watcher};
use yomi_lab::tune::space::Space;

use crate::arguments::{self, BudgetArgs};
use crate::build;
use crate::commands::bench::build_signature;
use crate::programs::Consent;
use crate::progress::Progress;
use crate::signals::controls;

/// Find the best numbers of a player by matches
#[derive(clap::Args)]
#[command(after_help = "Examples:
  yomi tune --game minishogi --evals 2000 --games 2000 --judge 400 --jobs 2 \\
    'mcss(t={10..200:log},tb={1..100:log}) + quiet(linear)' \\
    --against 'alpha-beta + linear nodes=3000'
  yomi tune --game go9 'uct(c={0.1..2:log}) + rollout' --sims 500 \\
    --against 'uct + rollout' --openings 'balanced(4,within=0.25)' --method spsa
  yomi tune --resume runs/tune-1f2e3d4c --games 4000   # goes on, longer

A range stands in the place of a number: {10..200}, {10..200:log} (equal ratios are equally far apart), {1..8:whole}. Games are played in
generations; where the next ones are played depends on those before alone, so --jobs and kill -9 change nothing. With several --against
the opponents take turns. --judge plays the tuned player and the middle of the range on openings that were not used to tune.")]
pub(crate) struct Args {
    /// The game and its rules
    #[arg(long, short, value_name = "GAME", required_unless_present = "resume")]
    game: Option<Spec>,
    /// The player, with ranges in the place of numbers
    #[arg(value_name = "PLAYER", required_unless_present = "resume")]
    player: Option<String>,
    /// Whom it plays; may be given several times
    #[arg(long, value_name = "PLAYER", required_unless_present = "resume")]
    against: Vec<String>,
    /// Games to tune with (1000); whole generations are played
    #[arg(long, value_name = "N")]
    games: Option<u64>,
    /// Games to judge the tuned player by, and as many for the middle of the range
    #[arg(long, value_name = "N")]
    judge: Option<u64>,
    /// How the next points are chosen: a local quadratic model, or stochastic approximation
    #[arg(long, value_enum, default_value_t = Kind::Clop)]
    method: Kind,
    /// Pairs of games whose points are chosen together
    #[arg(long, default_value_t = 8, value_name = "PAIRS")]
    batch: u64,
    /// How games begin: 'random(6)', 'balanced(6,within=100)', pentomino
    #[arg(long, default_value = "random(6)", value_name = "OPENINGS")]
    openings: String,
    /// Plies after which a game is drawn; by default the limit of the game
    #[arg(long, value_name = "PLIES")]
    move_limit: Option<u32>,
    #[command(flatten)]
    budget: BudgetArgs,
    /// Games played at the same time
    #[arg(long, short, default_value_t = 1, value_name = "K")]
    jobs: usize,
    /// The seed of all random numbers
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The directory of the run; runs/tune-HASH if left out
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Go on with the run in this directory; --games and --judge can make it longer
    #[arg(long, value_name = "DIR", conflicts_with_all = ["game", "player", "against", "method", "batch", "openings", "move_limit", "sims",
        "evals", "nodes", "depth", "time", "seed", "out"])]
    resume: Option<PathBuf>,
    #[command(flatten)]
    consent: Consent,
    /// Print the summary as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum Kind {
    Clop,
    Spsa,
}

const GAMES: u64 = 1000;
const JUDGE: u64 = 0;

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    let (config, path, file) = match &args.resume {
        Some(path) => {
            let begun = Tuning::read(path)?;
            let (games, judge) = (args.games.unwrap_or(begun.games), args.judge.unwrap_or(begun.judge));
            (TuneConfig { games, judge, ..begun }, path.clone(), path.join("config.toml"))
        }
        None => {
            let config = configured(args)?;
            let short: String = config.hash().chars().take(8).collect();
            let path = args.out.clone().unwrap_or_else(|| Path::new("runs").join(format!("tune-{short}")));
            (config, path, PathBuf::from("the command line"))
        }
    };
    config.check()?;
    let programs = allowed(args, &config, &file)?;
    let version = json!({ "build": build::text(), "signature": build_signature()?, "command": arguments::typed() });
    let tuning = Tuning::create(&path, config, programs, &version)?;
    tuning.inspect()?;
    let mut reporter = Reporter { progress: None, name: path.display().to_string() };
    let end = tuning.run(args.jobs.clamp(1, 1024), &controls()?, &mut reporter)?;
    drop(reporter);
    report_again(&tuning, args.json, out)?;
    if end == RunEnd::Interrupted {
        // The terminal may be gone.
        let _ = writeln!(std::io::stderr(), "interrupted; yomi tune --resume {} goes on", path.display());
    }
    Ok(())
}

/// Writes the report of a run and says where it is.
pub(crate) fn report_again(tuning: &Tuning, json: bool, out: &mut dyn Write) -> anyhow::Result<()> {
    let report = report::write(tuning, &build::text())?;
    if json {
        writeln!(out, "{}", report.summary)?;
        return Ok(());
    }
    writeln!(out, "{}", report.page.answer)?;
    let page = tuning.directory().file("report.html");
    writeln!(out, "report: {}", page.canonicalize().unwrap_or(page).display())?;
    Ok(())
}

/// Programs that were typed here may be started; those of a directory are asked about.
fn allowed(args: &Args, config: &TuneConfig, file: &Path) -> anyhow::Result<Programs> {
    let mut commands = std::collections::BTreeSet::new();
    for player in config.against.iter().chain([&config.space.player(&vec![0.0; config.space.axes.len()])]) {
        commands.extend(launches(player)?.iter().map(|launch| launch.command.text()));
    }
    if commands.is_empty() || args.resume.is_none() {
        return Ok(Programs::Allowed);
    }
    args.consent.ask(&file.display().to_string(), &commands)
}

fn configured(args: &Args) -> anyhow::Result<TuneConfig> {
    let game = args.game.as_ref().context("--game is missing")?;
    let budget = yomi_session::Budget::from(args.budget).to_string();
    let template = args.player.as_deref().context("which player?")?;
    Ok(TuneConfig {
        game: game.to_string(),
        method: if args.method == Kind::Clop { Method::Clop } else { Method::Spsa },
        games: args.games.unwrap_or(GAMES),
        judge: args.judge.unwrap_or(JUDGE),
        batch: args.batch,
        seed: args.seed,
        opening: args.openings.clone(),
        move_limit: args.move_limit,
        against: args.against.iter().map(|player| with_budget(player, &budget)).collect(),
        space: Space::parse(&with_budget(template, &budget))?,
    })
}

/// Tells how the run goes.
struct Reporter {
    progress: Option<Progress>,
    name: String,
}

impl Watcher for Reporter {
    fn game(&mut self, done: u64, all: u64) {
        let progress = self.progress.get_or_insert_with(|| Progress::new(&self.name, all));
        progress.skip(done.saturating_sub(1));
        progress.step();
    }
}
