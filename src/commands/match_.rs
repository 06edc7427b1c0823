//! `yomi match`: games between players, with everything that makes a result count.

mod display;
mod manifest;

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use yomi_core::{Seed, Spec};
use yomi_lab::arena::{self, Arena};
use yomi_lab::clock::TimeControl;
use yomi_lab::conditions::{Conditions, DrawRule, ResignRule};
use yomi_lab::config::{MatchConfig, PlayerConfig, SprtConfig, sha256};
use yomi_lab::directory::RunDirectory;
use yomi_lab::error::LabError;
use yomi_lab::ledger::line;
use yomi_lab::opening::{Opening, OpeningSource, shuffle};
use yomi_lab::plan::MatchPlan;
use yomi_lab::players::build::{Programs, check_budget, configure, inspect};
use yomi_lab::report::{self, Records};
use yomi_lab::runner::{RunEnd, is_complete, run as run_match};
use yomi_lab::schedule::{Schedule, expand};
use yomi_lab::worker::Assignment;
use yomi_session::{Budget, Player};

use crate::arguments::BudgetArgs;
use crate::build;
use crate::commands::bench::build_signature;
use crate::files;
use crate::programs::Consent;
use crate::signals::controls;
use display::Watcher;
use manifest::Signature;

/// Play matches between players, with statistics, records and a report
#[derive(clap::Args)]
#[command(after_help = "Examples:
  yomi match --game minishogi 'mcss(t=80)' 'uct(c=1.5)' \\
    --sims 1000 --games 100 --jobs 2
  yomi match --game go9 'uct + rollout sims=500' 'flat(n=20)' \\
    --openings 'random(4)' --games 200
  yomi match --game shogi 'mcss(t={20,40,80}) + quiet(material)' \\
    'alpha-beta depth=4' --sims 2000
  yomi match --game blokus-duo 'flat(n=10)' 'flat(n=40)' random \\
    --openings pentomino --games 50
  yomi match --game shogi 'alpha-beta depth=3' 'alpha-beta depth=2' \\
    --openings book.sfen --sprt 0,30
  yomi match --game go9 'prior-rave + go sims=2000' --games 20 \\
    'gtp:gnugo --mode gtp --chinese-rules --capture-all-dead --level 10'
  yomi match --game minishogi 'mcss sims=1000' --games 20 \\
    'usi:fairy-stockfish nodes=500'
  yomi match --resume runs/match-1f2e3d4c --games 400
  yomi match report runs/match-1f2e3d4c   # the report again

A player is typed as for yomi analyze, with its budget behind it (sims=1000, nodes=…, depth=…, time=…) and a name if it
wants one (name=…). A list in braces stands for one player for each item: the match is then a sweep against the last player.
The first Ctrl-C finishes the games being played, the second stops; --resume, or the same command again, goes on.")]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
    /// The game and its rules: shogi, minishogi, go9, blokus-duo, …; see `yomi games`
    #[arg(long, short, value_name = "GAME", required_unless_present = "resume")]
    game: Option<Spec>,
    /// The players: 'mcss(t=80) + quiet(material) sims=1000'
    #[arg(value_name = "PLAYER", num_args = 1.., required_unless_present = "resume")]
    players: Vec<String>,
    /// Games of each pairing (100); pairs are always completed
    #[arg(long, value_name = "N")]
    games: Option<u64>,
    /// Who plays whom: pair, round-robin, gauntlet (the first against all others), sweep (all others against the last)
    #[arg(long, value_enum)]
    schedule: Option<Kind>,
    /// How games begin: start, 'random(8)', 'balanced(8,within=100)', pentomino, or a file of positions, move lists or records
    #[arg(long, default_value = "start", value_name = "OPENINGS")]
    openings: String,
    /// Cut the games of an opening file after this many plies
    #[arg(long, value_name = "PLIES")]
    cut: Option<usize>,
    /// Take the openings of a file in an order that the seed decides
    #[arg(long)]
    shuffle: bool,
    /// Play every opening once, colours alternating, instead of twice with colours swapped
    #[arg(long)]
    no_pairs: bool,
    /// Games played at the same time
    #[arg(long, short, default_value_t = 1, value_name = "K")]
    jobs: usize,
    /// Stop each pairing as soon as a sequential test decides between these differences, in normalized Elo
    #[arg(long, value_name = "ELO0,ELO1", value_parser = two_numbers, allow_hyphen_values = true)]
    sprt: Option<[f64; 2]>,
    /// Risk of accepting the greater difference wrongly
    #[arg(long, default_value_t = 0.05, value_name = "RISK", requires = "sprt")]
    alpha: f64,
    /// Risk of accepting the lesser difference wrongly
    #[arg(long, default_value_t = 0.05, value_name = "RISK", requires = "sprt")]
    beta: f64,
    /// Differences of --sprt are in logistic Elo
    #[arg(long, requires = "sprt")]
    logistic: bool,
    #[command(flatten)]
    budget: BudgetArgs,
    /// Clocks in seconds: 300, 300+5 (increment), 300/10 (byoyomi), with ~0.1 for a grace; makes the match irreproducible
    #[arg(long, value_name = "CLOCK")]
    clock: Option<TimeControl>,
    /// Give up for a player that says so: score=600,moves=3,two-sided=true
    #[arg(long, value_name = "RULE", value_parser = ResignRule::parse)]
    resign: Option<ResignRule>,
    /// Call a draw where both say so: score=20,moves=8,from=80
    #[arg(long, value_name = "RULE", value_parser = DrawRule::parse)]
    draw: Option<DrawRule>,
    /// Plies after which a game is drawn; by default the limit of the game
    #[arg(long, value_name = "PLIES")]
    move_limit: Option<u32>,
    /// Seed of all random choices
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// What to call the match
    #[arg(long, default_value = "match")]
    name: String,
    /// The directory of the run; runs/NAME-HASH if left out
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Go on with the match in this directory, as its config.toml describes it; --games can make it longer
    #[arg(long, value_name = "DIR", conflicts_with_all = [
        "players", "game", "out", "schedule", "openings", "cut", "shuffle", "no_pairs", "sprt", "alpha", "beta", "logistic", "sims",
        "evals", "nodes", "depth", "time", "clock", "resign", "draw", "move_limit", "seed", "name",
    ])]
    resume: Option<PathBuf>,
    #[command(flatten)]
    consent: Consent,
    /// Write no record files (KIF and CSA, SGF, blksgf); they can be written later from the ledger, by --resume
    #[arg(long)]
    no_records: bool,
    /// Play nothing: print the games as JSON Lines, for yomi worker
    #[arg(long)]
    plan: bool,
    /// JSON Lines: every game as it ends, and the summary
    #[arg(long)]
    json: bool,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Write the report of a run again, be it a match or an experiment
    Report {
        /// The directory of the run
        dir: PathBuf,
        /// Print the summary as JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Kind {
    Pair,
    RoundRobin,
    Gauntlet,
    Sweep,
}

/// Games per pairing by default.
const GAMES: u64 = 100;

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    if let Some(Action::Report { dir, json }) = &args.action {
        return super::experiment::report(dir, false, *json, out);
    }
    ensure!((1..=1024).contains(&args.jobs), "--jobs goes from 1 to 1024");
    let (plan, path) = match &args.resume {
        Some(path) => (resumed(path, args)?, path.clone()),
        None => begun(args)?,
    };
    if args.plan {
        return print_plan(&plan, out);
    }
    let directory = RunDirectory::at(&path);
    directory.check(&plan)?;
    // Nothing is left to play: no program is started.
    let complete = is_complete(&plan, &directory.rows()?)?;
    let programs = match &args.resume {
        _ if complete => Programs::Refused,
        Some(path) => args.consent.ask(&path.join("config.toml").display().to_string(), &plan.config.programs()?)?,
        None => Programs::Allowed,
    };
    let arena = arena::open(&plan.config.game.parse()?, programs)?;
    let ids = if complete { None } else { Some(identify(&plan, &*arena)?) };
    let directory = RunDirectory::create(&path, &plan)?;
    let end = match ids {
        Some(ids) => play(args, &plan, &*arena, &directory, &ids, out)?,
        None => RunEnd::Complete,
    };
    let records = if args.no_records { Records::None } else { Records::All };
    let summary = report::write(&plan, &*arena, &directory, &directory.rows()?, records, &build::text())?;
    if args.json {
        writeln!(out, "{}", summary.json(&plan))?;
    } else {
        display::print(&plan, &summary, &directory, out)?;
    }
    ensure!(end != RunEnd::GivenUp, "a pairing was given up after void games; its players cannot play");
    Ok(())
}

/// Writes what follows from the ledger of a match again; its records are left as they are.
pub(crate) fn report_again(
    directory: &RunDirectory,
    plan: &MatchPlan,
    json: bool,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let arena = arena::open(&plan.config.game.parse()?, Programs::Refused)?;
    let summary = report::write(plan, &*arena, directory, &directory.rows()?, Records::None, &build::text())?;
    if json {
        writeln!(out, "{}", summary.json(plan))?;
    } else {
        display::print(plan, &summary, directory, out)?;
    }
    Ok(())
}

/// What the players call themselves; an error if one cannot be had.
fn identify(plan: &MatchPlan, arena: &dyn Arena) -> anyhow::Result<Vec<String>> {
    let players = plan.config.players.iter();
    players.map(|player| arena.identify(player).map_err(|fault| anyhow::anyhow!("{}: {fault}", player.name))).collect()
}

/// Plays what is missing, with the manifest written before and after.
fn play(
    args: &Args,
    plan: &MatchPlan,
    arena: &dyn Arena,
    directory: &RunDirectory,
    ids: &[String],
    out: &mut dyn Write,
) -> anyhow::Result<RunEnd> {
    let signature = Signature::begin(directory)?;
    manifest::write(plan, directory, ids, signature.known())?;
    let mut watcher = Watcher::new(plan, args.json, out);
    let result = run_match(plan, arena, directory, args.jobs, &controls()?, &mut watcher);
    drop(watcher);
    let (_, end) = result.map_err(rescued)?;
    if end == RunEnd::Interrupted {
        // The terminal may be gone.
        let _ = writeln!(std::io::stderr(), "interrupted; yomi match --resume {} goes on", directory.path().display());
    } else {
        manifest::write(plan, directory, ids, Some(signature.wait()?))?;
    }
    Ok(end)
}

/// The games of a match as lines for workers.
fn print_plan(plan: &MatchPlan, out: &mut dyn Write) -> anyhow::Result<()> {
    let arena = arena::open(&plan.config.game.parse()?, Programs::Refused)?;
    let signature = build_signature()?;
    for index in 0..plan.len() {
        let job = plan.job(index, &*arena)?;
        let line = serde_json::to_string(&Assignment { signature, config: plan.config.clone(), job })?;
        writeln!(out, "{line}")?;
    }
    Ok(())
}

/// A match as the arguments describe it, and where it is played. No program is started.
fn begun(args: &Args) -> anyhow::Result<(MatchPlan, PathBuf)> {
    let game = args.game.as_ref().context("--game is missing")?;
    let arena = arena::open(game, Programs::Refused)?;
    let (players, template) = players(args, &game.name)?;
    for player in &players {
        inspect(&*arena, player).with_context(|| format!("player {}", player.name))?;
    }
    let (openings, book) = openings(args, &*arena)?;
    let config = MatchConfig {
        name: args.name.clone(),
        game: arena.rules(),
        seed: args.seed,
        games: args.games.unwrap_or(GAMES),
        pairs: !args.no_pairs,
        schedule: schedule(args.schedule, players.len(), template)?,
        reproducible: false,
        openings,
        conditions: Conditions {
            move_limit: args.move_limit.unwrap_or_else(|| arena.move_limit()),
            time: args.clock.map(|clock| clock.to_string()),
            resign: args.resign,
            draw: args.draw,
        },
        sprt: sprt(args),
        players,
    };
    let plan = planned(config, book)?;
    let path = args.out.clone().unwrap_or_else(|| RunDirectory::default_path(&plan));
    Ok((plan, path))
}

/// A match that was begun before.
fn resumed(path: &Path, args: &Args) -> anyhow::Result<MatchPlan> {
    let (directory, plan) = RunDirectory::open(path)?;
    directory.check_unchanged(&plan)?;
    let games = args.games.unwrap_or(plan.config.games);
    planned(MatchConfig { games, ..plan.config }, plan.book)
}

/// The plan of a match whose players all come to an end.
fn planned(config: MatchConfig, book: Vec<Opening>) -> anyhow::Result<MatchPlan> {
    let has_clock = config.conditions.time.is_some();
    config.players.iter().try_for_each(|player| check_budget(player, has_clock))?;
    Ok(MatchPlan::new(config, book)?)
}

/// The players, templates expanded, and whether there was one.
fn players(args: &Args, game: &str) -> anyhow::Result<(Vec<PlayerConfig>, bool)> {
    let mut players: Vec<PlayerConfig> = Vec::new();
    let mut template = false;
    for text in &args.players {
        let expanded = expand(text)?;
        template |= expanded.len() > 1;
        for text in expanded {
            let mut player = configure(game, &text, args.budget.into())?;
            say_if_unlimited(&player, args)?;
            // The same player twice is a fair question about luck.
            let same = players.iter().filter(|p| p.spec == player.spec && p.budget == player.budget).count();
            if same > 0 && players.iter().any(|p| p.name == player.name) {
                player.name = format!("{} #{}", player.name, same + 1);
            }
            players.push(player);
        }
    }
    ensure!(players.len() >= 2, "a match needs two players at least");
    Ok((players, template))
}

/// Says so if the budget that all players get means nothing to a program.
fn say_if_unlimited(player: &PlayerConfig, args: &Args) -> anyhow::Result<()> {
    let common = Budget::from(args.budget);
    let language = player.spec.parse::<Player>()?.language();
    let Some(language) = language.filter(|_| player.budget.is_open() && !common.is_open() && args.clock.is_none())
    else {
        return Ok(());
    };
    eprintln!("{} does not understand {common} and plays without a limit: {}", player.name, language.limits_text());
    Ok(())
}

fn schedule(asked: Option<Kind>, players: usize, template: bool) -> anyhow::Result<Schedule> {
    Ok(match asked {
        Some(Kind::Pair) if players != 2 => bail!("a pair is two players, not {players}"),
        Some(Kind::Pair) => Schedule::Pair,
        Some(Kind::RoundRobin) => Schedule::RoundRobin,
        Some(Kind::Gauntlet) => Schedule::Gauntlet,
        Some(Kind::Sweep) => Schedule::Sweep,
        None if players == 2 => Schedule::Pair,
        None if template => Schedule::Sweep,
        None => Schedule::RoundRobin,
    })
}

/// `0,30`, or `0 30` as one word of a shell.
fn two_numbers(text: &str) -> Result<[f64; 2], String> {
    let pair = text.trim().split_once([',', ' ']);
    let numbers = pair.and_then(|(a, b)| Some([a.trim().parse().ok()?, b.trim().parse().ok()?]));
    numbers.ok_or_else(|| "two numbers are expected, as in 0,30".to_string())
}

fn sprt(args: &Args) -> Option<SprtConfig> {
    let [elo0, elo1] = args.sprt?;
    Some(SprtConfig { elo0, elo1, alpha: args.alpha, beta: args.beta, logistic: args.logistic })
}

/// Where openings come from, and those of a file.
fn openings(args: &Args, arena: &dyn Arena) -> anyhow::Result<(OpeningSource, Vec<Opening>)> {
    let path = Path::new(&args.openings);
    let drawn = |spec: &Spec| ["start", "random", "balanced", "pentomino"].contains(&spec.name.as_str());
    if !path.is_file() && Spec::parse(&args.openings).is_ok_and(|spec| drawn(&spec)) {
        return Ok((OpeningSource::parse(&args.openings).context("--openings")?, Vec::new()));
    }
    let bytes =
        files::read(path).context("--openings is start, random(8), balanced(8,within=100), pentomino or a file")?;
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or("");
    let mut book = arena.read_openings(&bytes, ending, args.cut).with_context(|| path.display().to_string())?;
    if args.shuffle {
        shuffle(&mut book, Seed::new(args.seed));
    }
    let source = OpeningSource::File {
        path: args.openings.clone(),
        sha256: sha256(&bytes),
        count: book.len(),
        plies: args.cut,
        shuffled: args.shuffle,
    };
    Ok((source, book))
}

/// Games that could not be saved are written to standard error.
fn rescued(error: LabError) -> anyhow::Error {
    if let LabError::Unsaved { rows, .. } = &error {
        eprintln!("these games were finished but could not be written down; append them to games.jsonl to keep them:");
        for row in rows {
            eprintln!("{}", line(row).unwrap_or_default());
        }
    }
    error.into()
}
