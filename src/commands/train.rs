//! `yomi train`: networks that learn from their own games.

mod dashboard;
mod elo;
mod fit;
mod rate;
mod samples;

use std::io::Write;
use std::path::PathBuf;

use anyhow::ensure;
use serde_json::json;
use yomi_core::Spec;
use yomi_lab::statistics::{Decision, Model, Sprt, Tally};
use yomi_train::dispatch;
use yomi_train::run::{self, Conditions, Config, Folder, Gate, Generation};
use yomi_train::trainer::native::Native;
use yomi_train::trainer::python::Python;
use yomi_train::trainer::{Settings, Symmetries, Trainer};

use super::selfplay::{PlayArgs, tower};
use crate::arguments::NetworkRunArgs;

/// Train networks from their own games, or from the games of others
#[derive(clap::Args)]
#[command(after_help = "Examples:
  yomi train loop --game minishogi --out runs/mini --tower 2x16 \\
    --games 50 --generations 3
  yomi train rate runs/mini --pairs 50
  yomi train check runs/mini
  yomi train samples --game shogi --out floodgate 2025/ --min-rating 3000
  yomi train fit floodgate --tower 5x64 --out floodgate/fit")]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
#[allow(clippy::large_enum_variant, reason = "there is one of it")]
enum Command {
    /// Self-play, training, next generation: a network learns a game from nothing
    Loop(LoopArgs),
    /// Rate the generations of a run by matches between them
    Rate(rate::Args),
    /// Check all sample files of a run
    Check(CheckArgs),
    /// Make sample files of game records, to learn from games that others played
    Samples(samples::Args),
    /// Train a network on sample files, and measure how well it predicts games that are held out
    Fit(fit::Args),
}

/// Self-play, training, next generation: a network learns a game from nothing
#[derive(clap::Args)]
#[command(after_help = "Examples:
  yomi train loop --game minishogi --out runs/mini --tower 2x16 \\
    --games 50 --generations 3
  yomi train loop --game go9 --out runs/go9 --tower 5x64 --overlapped \\
    --trainer 'python3 python/yomi_train' --threads 15 --seats 96 --time 600

The same command goes on with a run that was stopped, however roughly. Step by step (the default) a generation is a fixed
number of games, and with the native trainer on the CPU the result is the same to the last bit. With --overlapped games go on
while the trainer learns, and each new network takes over in the middle of games: for GPUs.
The folder has nets/, samples/, log.jsonl with a line for every generation, and dashboard.html with the curves.")]
struct LoopArgs {
    /// The game: minishogi, shogi, go9, go13, go19, blokus-duo
    #[arg(long, short, value_name = "GAME")]
    game: Spec,
    /// The folder of the run
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// The network: blocks x channels
    #[arg(long, default_value = "3x32", value_name = "BxC")]
    tower: String,
    /// Generations in all, those of earlier parts included
    #[arg(long, default_value_t = 1_000_000, hide_default_value = true)]
    generations: u64,
    /// Positions evaluated in all after which the run is over
    #[arg(long, value_name = "COUNT")]
    evaluations: Option<u64>,
    /// Seconds after which this part of the run ends
    #[arg(long, value_name = "SECONDS")]
    time: Option<f64>,
    /// Seconds that the run will take in all: the learning rate falls over its last part
    #[arg(long, value_name = "SECONDS")]
    planned: Option<f64>,
    /// Games per generation (with --overlapped the least)
    #[arg(long, default_value_t = 200)]
    games: u64,
    #[command(flatten)]
    play: PlayArgs,
    /// Who trains: native (on the CPU), or the command that starts python/yomi_train
    #[arg(long, default_value = "native", value_name = "native | COMMAND")]
    trainer: String,
    /// Positions of a training step
    #[arg(long, default_value_t = 256)]
    batch: usize,
    /// The learning rate
    #[arg(long, default_value_t = 2e-3)]
    rate: f64,
    /// How often a sample is trained on, on the average
    #[arg(long, default_value_t = 4.0, value_name = "TIMES")]
    reuse: f64,
    /// Most generations in the replay window
    #[arg(long, default_value_t = 20, value_name = "GENERATIONS")]
    window: usize,
    /// How much of the value target is what the search thought, not the result
    #[arg(long, default_value_t = 0.3, value_name = "FRACTION")]
    search_share: f32,
    /// How much of a sample's weight is how surprising its policy is
    #[arg(long, default_value_t = 0.5, value_name = "FRACTION")]
    surprise_share: f32,
    /// How much the result and the search's value count beside the policy; 0 leaves values to --gradient-leaves
    #[arg(long, default_value_t = 1.0, value_name = "WEIGHT")]
    value_weight: f32,
    /// How much the policy gradient counts (with --gradient-leaves)
    #[arg(long, default_value_t = 0.1, value_name = "WEIGHT")]
    gradient_weight: f32,
    #[command(flatten)]
    symmetries: SymmetriesArgs,
    /// A new network plays only if it passes a sequential test (0 against 35 Elo) of at most this many pairs of games
    #[arg(long, value_name = "PAIRS")]
    gate: Option<usize>,
    /// Games go on while the trainer learns
    #[arg(long)]
    overlapped: bool,
    #[command(flatten)]
    network: NetworkRunArgs,
}

/// Symmetries of samples.
#[derive(clap::Args)]
struct SymmetriesArgs {
    /// Learn each sample under a random symmetry of its game; if left out, `start` with PyTorch and `none` with the native trainer
    #[arg(long, value_name = "WHICH")]
    symmetries: Option<SymmetriesWord>,
}

/// The words of `--symmetries`.
#[derive(Clone, Copy, clap::ValueEnum)]
enum SymmetriesWord {
    /// As they are
    None,
    /// Those that keep the starting position: Go, Blokus Duo
    Start,
    /// All of the rules: the mirror of shogi and minishogi as well
    Rules,
}

impl SymmetriesArgs {
    fn symmetries(&self) -> Option<Symmetries> {
        self.symmetries.map(|word| match word {
            SymmetriesWord::None => Symmetries::None,
            SymmetriesWord::Start => Symmetries::Start,
            SymmetriesWord::Rules => Symmetries::Rules,
        })
    }
}

/// Check all sample files of a run: checksums, whole games, none twice, the right game
#[derive(clap::Args)]
#[command(after_help = "Examples:
  yomi train check runs/mini")]
struct CheckArgs {
    /// The folder of the run
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    match &args.command {
        Command::Loop(args) => go(args, out),
        Command::Rate(args) => rate::run(args, out),
        Command::Samples(args) => samples::run(args, out),
        Command::Fit(args) => fit::run(args, out),
        Command::Check(args) => {
            let (folder, config) = Folder::existing(&args.folder)?;
            let game = dispatch::layout(&Spec::parse(&config.game)?)?.game();
            let count = run::check(&folder, &game)?;
            writeln!(out, "{count} samples of {game}, all of them whole")?;
            Ok(())
        }
    }
}

fn go(args: &LoopArgs, out: &mut dyn Write) -> anyhow::Result<()> {
    let (blocks, channels) = tower(&args.tower)?;
    ensure!(
        args.batch > 1 && args.games > 0 && args.window > 0,
        "--batch is at least 2, --games and --window at least 1"
    );
    ensure!(args.rate > 0.0 && args.reuse > 0.0, "--rate and --reuse are numbers above 0");
    let config = Config {
        game: args.game.to_string(),
        blocks,
        channels,
        seed: args.network.seed,
        play: args.play.settings()?,
        games: args.games,
        reuse: args.reuse,
        window: args.window,
        rate: args.rate,
        batch: args.batch,
        overlapped: args.overlapped,
        gate: args.gate.map(|pairs| Gate { pairs, simulations: args.play.full() }),
    };
    dispatch::layout(&args.game)?;
    let conditions = Conditions {
        device: args.network.device()?,
        threads: args.network.threads(),
        generations: args.generations,
        evaluations: args.evaluations,
        time: args.time,
        planned: args.planned.or(args.time),
        decide: sprt,
    };
    let settings = Settings {
        batch: args.batch,
        search_share: args.search_share,
        surprise_share: args.surprise_share,
        value_weight: args.value_weight,
        gradient_weight: args.gradient_weight,
        symmetries: args.symmetries.symmetries(),
    };
    let mut trainer = start_trainer(&args.trainer, settings, conditions.threads)?;
    let stop = crate::signals::controls()?.drain;
    let mut failed = None;
    let mut tell = |generation: &Generation| {
        let text = if args.network.json { json!(generation).to_string() } else { line(generation) };
        failed = writeln!(out, "{text}").and_then(|()| out.flush()).err().or(failed.take());
        failed = dashboard::write(&args.out).err().map(std::io::Error::other).or(failed.take());
    };
    dispatch::run(&config, &conditions, &args.out, &mut *trainer, &stop, &mut tell)?;
    failed.map_or(Ok(()), |error| Err(error.into()))
}

/// The trainer that `--trainer` names.
fn start_trainer(name: &str, settings: Settings, threads: usize) -> anyhow::Result<Box<dyn Trainer>> {
    Ok(match name {
        "native" => Box::new(Native::new(settings, threads)),
        command => Box::new(Python::start(command, settings)?),
    })
}

/// Whether pairs decide that the first player is better: a sequential test of 0 against 35 Elo, risks 5 %.
fn sprt(pairs: &[u64; 5]) -> Option<bool> {
    let test = Sprt::new(Model::Logistic, 0.0, 35.0, 0.05, 0.05).ok()?;
    match test.decide(test.log_likelihood_ratio(&Tally::pairs(*pairs).ok()?)) {
        Decision::AcceptH1 => Some(true),
        Decision::AcceptH0 => Some(false),
        Decision::Continue => None,
    }
}

/// A generation in a line for people.
fn line(generation: &Generation) -> String {
    let Generation { generation: number, games, samples, seconds, results: [black, drawn, white], plies, .. } =
        generation;
    let device =
        generation.device_share.map_or(String::new(), |share| format!("; device at work {:.0} %", 100.0 * share));
    let loss = |name: &str| generation.training.losses.get(name).copied().unwrap_or(f64::NAN);
    format!(
        "generation {number}: {seconds:.0} s, {games} games, {samples} samples; {black}-{drawn}-{white}, {plies:.0} plies; \
         policy {:.3}, value {:.3}; {:.0} evaluations/s, {:.0} samples/s, trained on {:.0}/s{device}",
        loss("policy"),
        loss("value"),
        generation.evaluations_per_second,
        generation.samples_per_second,
        generation.training.positions_per_second
    )
}
