//! `yomi learn compare`: the rivals to equal games and to equal time, reported like an experiment.

mod by_method;
mod experiment_file;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use anyhow::{Context, ensure};
use serde_json::{Value, json};
use yomi_core::clock::process_cpu;
use yomi_core::hint::did_you_mean;
use yomi_games::shogi::{Five, Nine, Variant};
use yomi_learn::run::{self, Config, METHODS};
use yomi_learn::{Regression, Settings, Start};

use super::tree;
use crate::commands::experiment;
use crate::files;
use crate::progress::Progress;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  yomi learn compare --game minishogi --out runs/rivals --games 500 --cpu 120
  yomi learn compare --game minishogi --out runs/rivals --games 500 --seeds 5
  yomi learn compare --game shogi --out runs/shogi --games 200 --cpu 300 \\
    --methods pg-tree,td-leaf,regression --set evaluations=300

Every method learns from the same start with the same settings. Weights are taken when --games are played (equal games) and when --cpu
seconds of CPU time are spent (equal time); then each plays against material and against the embedded weights with the same search. The
folder holds a run for each method, weights/, experiment.toml and report/. The same command goes on after any interruption.
A rate that falls to nothing (--set steps.schedule=linear or cosine) does so over --games, for equal time as well; --set
steps.horizon=GAMES, or METHOD:steps.horizon=GAMES for one method, says otherwise.
With --seeds N every method learns N times, each seed is reported in a folder of its own (report-seed2, …), and methods.md has the mean of
every method over its seeds: the interval there counts a seed as one observation, not a game. More seeds may be asked for later.")]
pub(super) struct Args {
    /// minishogi or shogi
    #[arg(long, short, value_name = "GAME")]
    game: String,
    /// The folder of the comparison
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Which, separated by commas; all that play games themselves if left out
    #[arg(long, value_delimiter = ',', value_name = "METHODS")]
    methods: Vec<String>,
    /// Games of self-play of each: equal games
    #[arg(long, default_value_t = 500)]
    games: u64,
    /// CPU seconds of each: equal time
    #[arg(long, default_value_t = 120.0, value_name = "SECONDS")]
    cpu: f64,
    /// What is known before the first game: nothing or material
    #[arg(long, default_value = "nothing", value_name = "START")]
    from: String,
    /// Records for comparison training: files or folders, see yomi learn comparison --help
    #[arg(long, value_name = "PATH", num_args = 1..)]
    records: Vec<String>,
    /// Any setting of a run's config.toml, for all methods; METHOD:KEY=VALUE for one
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Games of every row of the report
    #[arg(long, default_value_t = 200, value_name = "GAMES")]
    match_games: u64,
    /// Positions that both players of those may judge before a move
    #[arg(long, default_value_t = 1000, value_name = "N")]
    match_evals: u64,
    /// The seed of all random numbers
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How often every method learns: with the seed, the next one, and so on
    #[arg(long, default_value_t = 1, value_name = "N")]
    seeds: u64,
    /// Threads, and jobs of the report at a time
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Learn, and leave the report for later
    #[arg(long)]
    no_report: bool,
    /// The report as JSON
    #[arg(long)]
    json: bool,
}

/// The one that is no method of the harness.
const REGRESSION: &str = "regression";

impl Args {
    fn chosen(&self) -> anyhow::Result<Vec<String>> {
        let all = || METHODS.iter().copied().chain([REGRESSION]);
        if self.methods.is_empty() {
            // Imitation learns no evaluation, comparison needs games of others.
            let own = |name: &&str| **name != *"imitation" && (**name != *"comparison" || !self.records.is_empty());
            return Ok(all().filter(own).map(str::to_string).collect());
        }
        for name in &self.methods {
            let meant = did_you_mean(name, all());
            ensure!(all().any(|known| known == name), "{name} is no method to compare{meant}");
        }
        Ok(self.methods.clone())
    }

    fn config(&self, method: &str, seed: u64) -> anyhow::Result<Config> {
        let mut changes: Vec<(String, String)> = [
            ("method", method.to_string()),
            ("game", self.game.clone()),
            // The run ends when both weights are taken.
            ("games", "1000000000".to_string()),
            ("start", self.from.clone()),
            ("seed", seed.to_string()),
            ("checkpoint", "5".to_string()),
            // Matches in between are not learning.
            ("gate.every", "0".to_string()),
        ]
        .map(|(key, value)| (key.to_string(), value))
        .to_vec();
        if method == "comparison" {
            changes.push(("records".to_string(), json!(self.records).to_string()));
        }
        for text in &self.set {
            let (key, value) = text.split_once('=').with_context(|| format!("--set {text}: KEY=VALUE was expected"))?;
            match key.split_once(':') {
                Some((whose, key)) if whose == method => changes.push((key.to_string(), value.to_string())),
                Some(_) => {}
                None => changes.push((key.to_string(), value.to_string())),
            }
        }
        let mut config = Config::with("", &changes)?;
        // Such a run has no end that a rate could fall to.
        if config.steps.schedule.has_end() && config.steps.horizon == 0 {
            config.steps.horizon = self.games;
        }
        Ok(config)
    }

    /// The seeds, the first one first.
    fn all_seeds(&self) -> impl Iterator<Item = u64> + '_ {
        (0..self.seeds).map(|n| self.seed.wrapping_add(n))
    }

    /// A name for this seed: that of the first is the bare one, so that more seeds can be added to a comparison of one.
    fn name(&self, name: &str, seed: u64) -> String {
        if seed == self.seed { name.to_string() } else { format!("{name}-seed{seed}") }
    }

    /// The folder of a run.
    fn folder(&self, method: &str, seed: u64) -> PathBuf {
        self.out.join("runs").join(self.name(method, seed))
    }

    fn weights(&self, method: &str, seed: u64, when: &str) -> PathBuf {
        self.out.join("weights").join(format!("{}-{when}.linear", self.name(method, seed)))
    }

    fn is_learned(&self, method: &str, seed: u64) -> bool {
        ["games", "time"].iter().all(|when| self.weights(method, seed, when).exists())
    }
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    ensure!((1..=1024).contains(&args.threads), "--threads go from 1 to 1024");
    ensure!((1..=1000).contains(&args.seeds), "--seeds go from 1 to 1000");
    ensure!(args.games > 0 && args.match_games > 1, "--games and --match-games are numbers of games");
    ensure!(args.cpu.is_finite() && args.cpu > 0.0, "--cpu is a number of seconds above 0");
    ensure!(
        ["shogi", "minishogi"].contains(&args.game.as_str()),
        "{} has no linear evaluation; shogi and minishogi have",
        args.game
    );
    let methods = args.chosen()?;
    let configs = methods.iter().filter(|name| *name != REGRESSION).map(|name| args.config(name, args.seed));
    configs.collect::<anyhow::Result<Vec<_>>>()?;
    std::fs::create_dir_all(args.out.join("weights")).with_context(|| args.out.display().to_string())?;
    for (seed, method) in args.all_seeds().flat_map(|seed| methods.iter().map(move |method| (seed, method))) {
        if args.is_learned(method, seed) {
            continue;
        }
        let spent = match (method.as_str(), args.game.as_str()) {
            (REGRESSION, "minishogi") => regression::<Five>(args, seed)?,
            (REGRESSION, _) => regression::<Nine>(args, seed)?,
            _ => rival(method, seed, args, out)?,
        };
        if !args.json {
            writeln!(out, "{}: {spent}", args.name(method, seed))?;
            out.flush()?;
        }
    }
    let mut summaries = Vec::new();
    for seed in args.all_seeds() {
        let file = args.out.join(format!("{}.toml", args.name("experiment", seed)));
        files::write(&file, experiment_file::text(args, &methods, seed)?.as_bytes(), out)?;
        if !args.no_report {
            summaries.push(experiment::run_file(&file, &args.out.join(args.name("report", seed)), args.threads, out)?);
        }
    }
    if args.no_report {
        return Ok(());
    }
    let tables = by_method::collect(&summaries)?;
    if args.seeds > 1 {
        files::write(&args.out.join("methods.md"), by_method::markdown(&tables).as_bytes(), out)?;
    }
    by_method::print(&tables, args.json, out)
}

/// What a run has cost so far, kept beside it: a line per step.
struct Costs {
    file: PathBuf,
    games: u64,
    cpu: f64,
}

impl Costs {
    /// Of the run in this folder, as far as it has come.
    fn open(folder: &Path, games: u64) -> anyhow::Result<Costs> {
        let file = folder.join("costs.jsonl");
        let text = if file.exists() { String::from_utf8(files::read(&file)?)? } else { String::new() };
        let mut rows = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let last = rows.rfind(|row| row["games"].as_u64().is_some_and(|n| n <= games));
        let cpu = last.and_then(|row| row["cpu"].as_f64()).unwrap_or(0.0);
        Ok(Costs { file, games, cpu })
    }

    fn note(&mut self, games: u64, cpu: f64) -> anyhow::Result<()> {
        (self.games, self.cpu) = (games, self.cpu + cpu);
        let mut file = std::fs::OpenOptions::new().create(true).append(true).open(&self.file)?;
        writeln!(file, "{}", json!({ "games": self.games, "cpu": self.cpu }))?;
        Ok(())
    }
}

fn cpu_now() -> f64 {
    process_cpu().unwrap_or_default().as_secs_f64()
}

/// Copies the newest weights of a run, and its simulation policy if there is one.
fn take(folder: &Path, args: &Args, (method, seed): (&str, u64), when: &str) -> anyhow::Result<()> {
    let to = args.weights(method, seed, when);
    for ending in ["linear", "policy"] {
        let from = folder.join(format!("{}.{ending}", args.game));
        if from.exists() {
            let bytes = files::read(&from)?;
            files::write(&to.with_extension(ending), &bytes, &mut std::io::sink())?;
        }
    }
    Ok(())
}

/// Runs a method of the harness until both weights are taken.
fn rival(method: &str, seed: u64, args: &Args, out: &mut dyn Write) -> anyhow::Result<String> {
    let folder = args.folder(method, seed);
    let mut run = run::open(&folder, args.config(method, seed)?)?;
    tree::name_skipped(&*run, args.json, out)?;
    let sprt = tree::sprt(run.config())?;
    let mut costs = Costs::open(&folder, run.games())?;
    let progress = Mutex::new(Progress::new(&args.name(method, seed), args.games));
    let locked = || progress.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    locked().skip(run.games());
    let mut costs_text = [String::new(), String::new()];
    loop {
        for (i, (when, reached)) in
            [("games", run.games() >= args.games), ("time", costs.cpu >= args.cpu)].into_iter().enumerate()
        {
            if reached && !args.weights(method, seed, when).exists() {
                run.checkpoint()?;
                take(&folder, args, (method, seed), when)?;
                costs_text[i] = format!("{} games in {:.0} s of CPU time ({when})", run.games(), costs.cpu);
            }
        }
        if args.is_learned(method, seed) {
            return Ok(costs_text.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("; "));
        }
        let before = cpu_now();
        let row = run.batch(args.threads, &|pairs| tree::decide(&sprt, pairs), &|| locked().step())?;
        costs.note(row.games, cpu_now() - before)?;
        locked().say(format!("{method}: {:.0} s of CPU time, loss {:.3}", costs.cpu, row.loss));
    }
}

/// The same for the regression, which goes by generations.
fn regression<V: Variant>(args: &Args, seed: u64) -> anyhow::Result<String> {
    let folder = args.folder(REGRESSION, seed);
    let settings = Settings {
        start: if args.from == "material" { Start::Material } else { Start::Nothing },
        games: (args.games as usize / 4).max(2),
        threads: args.threads,
        seed,
        ..Settings::default()
    };
    let mut run = Regression::<V>::open(&folder, settings)?;
    let mut costs = Costs::open(&folder, 0)?;
    costs.cpu = 0.0;
    let known: Vec<f64> = {
        let text = if costs.file.exists() { String::from_utf8(files::read(&costs.file)?)? } else { String::new() };
        text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()?["cpu"].as_f64()).collect()
    };
    let mut costs_text = Vec::new();
    loop {
        let before = cpu_now();
        let progress = Mutex::new(Progress::new(REGRESSION, settings.games as u64));
        let step = || progress.lock().unwrap_or_else(std::sync::PoisonError::into_inner).step();
        let generation = run.generation(&step)?;
        let games = (run.generations() * settings.games) as u64;
        match known.get(run.generations() - 1).filter(|_| generation.resumed) {
            Some(&cpu) => (costs.games, costs.cpu) = (games, cpu),
            None => costs.note(games, cpu_now() - before)?,
        }
        let newest = folder.join(format!("{}.linear", args.game));
        std::fs::copy(run.weights_file(generation.number), &newest).with_context(|| newest.display().to_string())?;
        for (when, reached) in [("games", games >= args.games), ("time", costs.cpu >= args.cpu)] {
            if reached && !args.weights(REGRESSION, seed, when).exists() {
                take(&folder, args, (REGRESSION, seed), when)?;
                costs_text.push(format!("{games} games in {:.0} s of CPU time ({when})", costs.cpu));
            }
        }
        if args.is_learned(REGRESSION, seed) {
            return Ok(costs_text.join("; "));
        }
    }
}
