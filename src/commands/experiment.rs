//! `yomi experiment`: the tables and figures of the papers, and your own.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde_json::json;
use yomi_core::hint::did_you_mean;
use yomi_core::text::counted;
use yomi_core::{Spec, TextError};
use yomi_lab::any_run::AnyRun;
use yomi_lab::experiment::desk;
use yomi_lab::experiment::directory::{Circumstances, Directory};
use yomi_lab::experiment::kinds::suite::Suite;
use yomi_lab::experiment::kinds::tree_profile::Curve;
use yomi_lab::experiment::problems::Problem;
use yomi_lab::experiment::records;
use yomi_lab::experiment::report::Report;
use yomi_lab::experiment::run::{self, Watcher};
use yomi_lab::experiment::seats::seats;
use yomi_lab::experiment::{Experiment, ExperimentPlan, Job, LocalWorkshop, Part, Workshop, library, worker};
use yomi_lab::players::build::Programs;
use yomi_lab::report::text::short_names;
use yomi_lab::runner::RunEnd;

use crate::arguments;
use crate::build;
use crate::commands::bench;
use crate::commands::match_;
use crate::files;
use crate::known;
use crate::programs::Consent;
use crate::progress::Progress;
use crate::signals::controls;

/// Run the experiments of the papers and your own, and report them beside what was published
#[derive(clap::Args)]
#[command(after_help = "Examples:
  yomi experiment run tour               # everything in miniature: two minutes
  yomi experiment list
  yomi experiment show s0-table2         # with the power of its design
  yomi experiment run s0-table2 --scale 0.02 --jobs 2
  yomi experiment run my-table.toml --out runs/mine
  yomi experiment run --resume runs/mine # goes on, even after kill -9
  yomi experiment report runs/mine --records  # the games as SGF or KIF, too
  yomi experiment suite --game shogi problems.sfen --player alpha-beta \\
    --player mcss --budgets nodes=1000,nodes=10000 > suite.toml
  yomi experiment plan s0-fig3 | yomi worker >> ledger.jsonl  # done anywhere

A table of a paper is only configuration: yomi experiment show s0-table1 --toml > mine.toml, change it, run it.")]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand)]
enum Action {
    /// List the experiments that come with the program
    List {
        /// One JSON object an experiment
        #[arg(long)]
        json: bool,
    },
    /// Show what an experiment does, and what was published
    Show {
        /// A name of the list, or a file
        #[arg(value_parser = known::experiment(), hide_possible_values = true)]
        name: String,
        /// How much of it: the power is that of this size
        #[arg(long, default_value_t = 1.0)]
        scale: f64,
        /// The file itself, everything resolved: a start for your own
        #[arg(long, conflicts_with = "json")]
        toml: bool,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Print the jobs of an experiment as JSON lines, for yomi worker
    Plan(PlanArgs),
    /// Write an experiment file from positions with known answers: lines with bm, GTP regressions, SGF and tsume records
    Suite(SuiteArgs),
    /// Run an experiment, or go on with one, and report it
    Run(RunArgs),
    /// Write the report of a run again, be it an experiment or a match
    Report {
        /// The directory of the run
        dir: PathBuf,
        /// Write all games of an experiment as records, too: SGF, KIF and CSA, Blokus SGF
        #[arg(long)]
        records: bool,
        /// Print the summary as JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(clap::Args)]
struct PlanArgs {
    /// A name of the list, or a file
    #[arg(value_parser = known::experiment(), hide_possible_values = true)]
    name: String,
    /// How much of it: 1 is the full size, 0.01 a hundredth
    #[arg(long, default_value_t = 1.0)]
    scale: f64,
    /// Seed of all random choices
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

#[derive(clap::Args)]
struct SuiteArgs {
    /// The files: .sgf, .kif, .csa records, .tst GTP regressions, others lines like: sfen … bm 7g7f; id one
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// The game and its rules
    #[arg(long, short, value_name = "GAME")]
    game: Spec,
    /// A method to try, without a budget; may be given several times
    #[arg(long, value_name = "PLAYER", required = true)]
    player: Vec<String>,
    /// What methods may spend: evals=100,evals=1000
    #[arg(long, value_delimiter = ',', default_value = "sims=100,sims=1000", value_name = "BUDGETS")]
    budgets: Vec<String>,
    /// Tries of each problem with different seeds
    #[arg(long, default_value_t = 1, value_name = "N")]
    repetitions: u64,
    /// The name of the experiment
    #[arg(long, default_value = "suite")]
    name: String,
}

#[derive(clap::Args)]
struct RunArgs {
    /// A name of the list, or a file
    #[arg(required_unless_present = "resume", value_parser = known::experiment(), hide_possible_values = true)]
    name: Option<String>,
    /// How much of it: 1 is the full size, 0.01 a hundredth; with --resume a run can be made longer
    #[arg(long)]
    scale: Option<f64>,
    /// Jobs at the same time; as many as the machine has cores if left out
    #[arg(long, short, value_name = "K")]
    jobs: Option<usize>,
    /// Seed of all random choices
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The directory of the run; under runs/ if left out
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Go on with the run in this directory
    #[arg(long, value_name = "DIR", conflicts_with_all = ["name", "out", "seed"])]
    resume: Option<PathBuf>,
    /// Write all games as records, too: SGF, KIF and CSA, Blokus SGF
    #[arg(long)]
    records: bool,
    #[command(flatten)]
    consent: Consent,
    /// Print a JSON line per job as it is done, and the summary
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    match &args.action {
        Action::List { json } => list(*json, out),
        Action::Show { name, scale, toml, json } => show(name, *scale, *toml, *json, out),
        Action::Plan(args) => plan(args, out),
        Action::Suite(args) => suite(args, out),
        Action::Run(args) => run_one(args, out),
        Action::Report { dir, records, json } => report(dir, *records, *json, out),
    }
}

/// An experiment by its name, or the one in a file.
fn find(name: &str) -> anyhow::Result<Experiment> {
    if let Some(found) = library::find(name) {
        return found.with_context(|| name.to_string());
    }
    let path = Path::new(name);
    if !path.exists() {
        let names: Vec<&str> = library::names().collect();
        let meant = did_you_mean(name, names.iter().copied());
        let error = TextError::new(format!("{name} is neither a file nor an experiment of the list{meant}"));
        return Err(error.hinting(format!("there are {}", names.join(", "))).into());
    }
    let in_run = path.join("config.toml");
    let path = if path.is_dir() && in_run.is_file() { &in_run } else { path };
    let text = String::from_utf8(files::read(path)?).with_context(|| format!("{name} is no text"))?;
    library::parse(&text).with_context(|| name.to_string())
}

fn list(json: bool, out: &mut dyn Write) -> anyhow::Result<()> {
    for name in library::names() {
        let experiment = find(name)?;
        if json {
            let kinds: Vec<&str> = experiment.parts.iter().map(Part::word).collect();
            let line = json!({ "type": "experiment", "name": name, "title": experiment.title,
                "paper": experiment.paper, "question": experiment.question, "kinds": kinds });
            writeln!(out, "{line}")?;
        } else {
            let paper = if experiment.paper.is_empty() { "–" } else { &experiment.paper };
            writeln!(out, "{name:<24}{paper:<26}{}", experiment.title)?;
        }
    }
    Ok(())
}

fn show(name: &str, scale: f64, toml: bool, json: bool, out: &mut dyn Write) -> anyhow::Result<()> {
    let experiment = find(name)?;
    if toml {
        write!(out, "{}", experiment.text()?)?;
        return Ok(());
    }
    let plan = ExperimentPlan::new(experiment, scale, 1)?;
    let (jobs, experiment) = (plan.jobs()?, &plan.experiment);
    let parts: Vec<(&Part, usize)> = experiment
        .parts
        .iter()
        .enumerate()
        .map(|(i, part)| (part, jobs.iter().filter(|j| j.part == i).count()))
        .collect();
    let missing = run::check(&plan, &LocalWorkshop::onlooker(build::version(0))).err().map(|error| error.to_string());
    if json {
        let claim = |(says, power): &(String, Option<f64>)| json!({ "says": says, "power": power });
        let part = |(part, jobs): &(&Part, usize)| {
            let claims: Vec<_> = part.kind().power(scale).iter().map(claim).collect();
            json!({ "title": part.kind().title(), "kind": part.word(), "jobs": jobs, "claims": claims })
        };
        let parts: Vec<_> = parts.iter().map(part).collect();
        let line = json!({ "type": "experiment", "name": experiment.name, "title": experiment.title,
            "paper": experiment.paper, "question": experiment.question, "note": experiment.note, "parts": parts,
            "reproducible": plan.is_reproducible(), "ready": missing.is_none(), "missing": missing });
        writeln!(out, "{line}")?;
        return Ok(());
    }
    writeln!(out, "{}", experiment.title)?;
    if !experiment.paper.is_empty() {
        writeln!(out, "{}", experiment.paper)?;
    }
    writeln!(out, "\n{}\n", experiment.question)?;
    for note in &experiment.note {
        writeln!(out, "note: {note}")?;
    }
    let size = if scale == 1.0 { "at full size".to_string() } else { format!("at {scale} of the full size") };
    for (part, jobs) in parts {
        writeln!(out, "\n{}\n  {}, {} {size}", part.kind().title(), part.word(), counted(jobs as u64, "job", "jobs"))?;
        let claims = part.kind().power(scale);
        if !claims.is_empty() {
            writeln!(out, "  power {size}: how likely each claim is shown if the published numbers are the true ones")?;
        }
        for (says, power) in claims {
            let power = power.map_or("not published".to_string(), |power| format!("{:.0} %", 100.0 * power));
            writeln!(out, "    {power:>13}  {says}")?;
        }
    }
    match missing {
        None => writeln!(out, "\nEverything it needs is here.")?,
        Some(what) => writeln!(out, "\nIt cannot be run here: {what}")?,
    }
    writeln!(out, "yomi experiment show {name} --toml prints the whole file.")?;
    Ok(())
}

/// The positions of files as an experiment: everything is in it, so the files are not needed any more.
fn suite(args: &SuiteArgs, out: &mut dyn Write) -> anyhow::Result<()> {
    let desk = desk::open(&args.game)?;
    let mut problems: Vec<Problem> = Vec::new();
    for file in &args.files {
        let ending = file.extension().and_then(|ending| ending.to_str()).unwrap_or("");
        let folder = file.parent().unwrap_or(Path::new("."));
        let found = desk.problems(&files::read(file)?, ending, folder);
        let stem = file.file_stem().and_then(|stem| stem.to_str()).unwrap_or("problem").to_string();
        for problem in found.with_context(|| file.display().to_string())? {
            let taken = |name: &str| problems.iter().any(|other| other.name == name);
            let named = if args.files.len() > 1 || taken(&problem.name) {
                format!("{stem}, {}", problem.name)
            } else {
                problem.name.clone()
            };
            let name = if taken(&named) { format!("{named} ({})", problems.len() + 1) } else { named };
            problems.push(Problem { name, ..problem });
        }
    }
    let labels = short_names(&args.player.iter().map(String::as_str).collect::<Vec<_>>());
    let curves =
        args.player.iter().zip(labels).map(|(player, label)| Curve { label, player: player.clone() }).collect();
    let title = format!("{} solved by budget", counted(problems.len() as u64, "problem", "problems"));
    let part = Part::Suite(Suite {
        title: title.clone(),
        game: args.game.to_string(),
        budgets: args.budgets.clone(),
        repetitions: args.repetitions,
        note: Vec::new(),
        curves,
        problems,
    });
    part.kind().check()?;
    let experiment = Experiment {
        name: args.name.clone(),
        title,
        paper: String::new(),
        question: "How many of these positions does each method solve, and how does that grow with its budget?"
            .to_string(),
        note: Vec::new(),
        parts: vec![part],
        origins: Vec::new(),
    };
    // What is written can be read: an error shows here and not when it is run.
    let text = experiment.text()?;
    library::parse(&text)?;
    write!(out, "{text}")?;
    Ok(())
}

fn plan(args: &PlanArgs, out: &mut dyn Write) -> anyhow::Result<()> {
    let plan = ExperimentPlan::new(find(&args.name)?, args.scale, args.seed)?;
    for order in worker::orders(&plan, bench::build_signature()?)? {
        writeln!(out, "{}", serde_json::to_string(&order)?)?;
    }
    Ok(())
}

/// Whether the programs that an experiment names may be started: those of the list may, for any other file or directory consent is asked.
fn consent(plan: &ExperimentPlan, file: &Path, consent: &Consent) -> anyhow::Result<Programs> {
    if library::find(&plan.experiment.name)
        .is_some_and(|known| known.is_ok_and(|known| known.parts == plan.experiment.parts))
    {
        return Ok(Programs::Allowed);
    }
    consent.ask(&file.display().to_string(), &plan.programs()?)
}

fn run_one(args: &RunArgs, out: &mut dyn Write) -> anyhow::Result<()> {
    let (plan, path, file) = match &args.resume {
        Some(path) => {
            let (_, plan, _) = Directory::open(path)?;
            let plan = ExperimentPlan::new(plan.experiment, args.scale.unwrap_or(plan.scale), plan.seed)?;
            (plan, path.clone(), path.join("config.toml"))
        }
        None => {
            let name = args.name.as_deref().context("which experiment?")?;
            let plan = ExperimentPlan::new(find(name)?, args.scale.unwrap_or(1.0), args.seed)?;
            let path = args.out.clone().unwrap_or_else(|| Directory::default_path(&plan));
            (plan, path, PathBuf::from(name))
        }
    };
    run::check(&plan, &LocalWorkshop::onlooker(build::version(0)))?;
    let complete = run::is_complete(&plan, &Directory::at(&path).rows()?)?;
    // Nothing is left to do: no program is started, so no consent is needed.
    let programs = if complete { Programs::Refused } else { consent(&plan, &file, &args.consent)? };
    let here = LocalWorkshop { version: build::version(bench::build_signature()?), programs };
    let players = if complete { Directory::at(&path).players() } else { seats(&plan, &here) };
    let circumstances = Circumstances { players, command: arguments::typed() };
    let directory = Directory::create(&path, &plan, &here.version(), &circumstances)?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = args.jobs.unwrap_or(cores).clamp(1, 1024);
    let mut reporter = Reporter { plan: &plan, progress: None, json: args.json, out };
    let end = run::run(&plan, &here, &directory, jobs, &controls()?, &mut reporter)?;
    drop(reporter);
    conclude(&path, &here, args.records, args.json, out)?;
    if end == RunEnd::Interrupted {
        // The terminal may be gone.
        let _ = writeln!(std::io::stderr(), "interrupted; yomi experiment run --resume {} goes on", path.display());
    }
    Ok(())
}

/// Runs the experiment of a file in a directory, or goes on with the one that is there; its summary. The file starts no programs.
pub(crate) fn run_file(
    file: &Path,
    path: &Path,
    jobs: usize,
    out: &mut dyn Write,
) -> anyhow::Result<serde_json::Value> {
    let there = path.join("config.toml").exists();
    let args = RunArgs {
        name: (!there).then(|| file.display().to_string()),
        scale: None,
        jobs: Some(jobs),
        seed: 1,
        out: (!there).then(|| path.to_path_buf()),
        resume: there.then(|| path.to_path_buf()),
        records: false,
        consent: Consent::default(),
        json: false,
    };
    run_one(&args, out)?;
    let (directory, plan, manifest) = Directory::open(path)?;
    Ok(Report::new(&plan, &manifest, &directory)?.summary())
}

/// Writes the report of any run again, a match or an experiment. Nothing is played, so no signature is needed.
pub(crate) fn report(path: &Path, records: bool, json: bool, out: &mut dyn Write) -> anyhow::Result<()> {
    match AnyRun::open(path)? {
        AnyRun::Match(directory, plan) => match_::report_again(&directory, &plan, json, out),
        AnyRun::Tuning(tuning) => super::tune::report_again(&tuning, json, out),
        AnyRun::Experiment(..) => conclude(path, &LocalWorkshop::onlooker(build::version(0)), records, json, out),
    }
}

/// Writes the report and says where it is.
fn conclude(path: &Path, here: &LocalWorkshop, records: bool, json: bool, out: &mut dyn Write) -> anyhow::Result<()> {
    Directory::at(path).renew_words()?;
    let (directory, plan, manifest) = Directory::open(path)?;
    if records {
        let games = records::write(&plan, &manifest, &directory, here)?;
        if !json {
            writeln!(
                out,
                "records: {} under {}",
                counted(games as u64, "game", "games"),
                path.join("records").display()
            )?;
        }
    }
    let report = Report::new(&plan, &manifest, &directory)?;
    report.write(&directory, here)?;
    if json {
        writeln!(out, "{}", report.summary())?;
        return Ok(());
    }
    writeln!(out, "{}", report.sentence())?;
    let page = directory.path().join("report.html");
    let page = page.canonicalize().unwrap_or(page);
    writeln!(out, "report: {}", page.display())?;
    Ok(())
}

/// Shows how a run goes.
struct Reporter<'a> {
    plan: &'a ExperimentPlan,
    progress: Option<Progress>,
    json: bool,
    out: &'a mut dyn Write,
}

/// The bar needs room beside the title of the part.
const LONGEST_TITLE: usize = 40;

impl Watcher for Reporter<'_> {
    fn begin(&mut self, missing: usize, all: usize) {
        let mut progress = Progress::new(&self.plan.experiment.name, all as u64);
        progress.skip((all - missing) as u64);
        self.progress = Some(progress);
    }

    fn done(&mut self, job: &Job) {
        if let Some(progress) = &mut self.progress {
            let title = self.plan.experiment.parts.get(job.part).map_or("", |part| part.kind().title());
            let cut = title.chars().nth(LONGEST_TITLE).map_or("", |_| "…");
            progress.say(title.chars().take(LONGEST_TITLE).chain(cut.chars()).collect());
            progress.step();
        }
        if self.json {
            let line = json!({ "type": "job", "part": job.part, "index": job.index });
            // A closed output does not stop the run.
            let _ = writeln!(self.out, "{line}");
        }
    }
}
