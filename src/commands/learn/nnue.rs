//! `yomi learn nnue`: the network of the evaluation nnue, from games of the program against itself.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use anyhow::{Context, bail, ensure};
use serde_json::json;
use yomi_core::{Spec, TextError};
use yomi_eval::nnue::Network;
use yomi_eval::{Linear, Nnue};
use yomi_games::shogi::{Shogi, ShogiMove, Variant};
use yomi_games::with_shogi;
use yomi_learn::games::{self, Game};
use yomi_learn::lessons::Targets;
use yomi_learn::nnue::train::Loss;
use yomi_learn::nnue::{Event, Generation, Player, Run, Settings};

use crate::progress::Progress;

/// Where a run keeps how it was begun, for `yomi learn --resume`.
pub(super) const ARGUMENTS: &str = "nnue.json";

/// Learn the network of the evaluation nnue from games against itself, at first played by the linear evaluation
#[derive(clap::Args)]
#[command(after_help = "Examples:
  yomi learn nnue --game minishogi --out nets --threads 2
  yomi learn nnue --game shogi --out nets --threads 16 --seconds 200
  yomi learn nnue --game shogi --out nets --data nets/*.games --games 0

Every generation leaves its games, in files of 500, and its network in the
folder; a run that was stopped, however roughly, goes on where it was when the
same command is given again, or yomi learn --resume FOLDER. Each generation learns a new network from all games
so far. The newest one is also in GAME.nnue there:
  yomi analyze --game minishogi \\
    --player 'alpha-beta + nnue(file=nets/minishogi.nnue)'
Each epoch reports its mean loss, and how well games that nothing was learned
from are explained: the targets, the results (nats per position).")]
pub(super) struct Args {
    /// shogi or minishogi
    #[arg(long, short, value_name = "GAME")]
    game: Spec,
    /// The folder of the run
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Files of games to learn from besides, in every generation
    #[arg(long, value_name = "FILE", num_args = 1..)]
    data: Vec<PathBuf>,
    /// The network that plays the first generation; the linear evaluation if left out
    #[arg(long, value_name = "FILE")]
    network: Option<PathBuf>,
    /// How many generations, those of earlier runs included
    #[arg(long, default_value_t = 1)]
    generations: usize,
    /// Games per generation
    #[arg(long, default_value_t = 2000)]
    games: usize,
    /// Begin no game later than this into a generation, which has fewer games then
    #[arg(long, value_name = "SECONDS")]
    seconds: Option<f64>,
    /// Nodes of alpha-beta per move
    #[arg(long, default_value_t = 1000)]
    nodes: u64,
    /// Most random moves at the beginning of a game; at least half as many are played
    #[arg(long, default_value_t = 8, value_name = "PLIES")]
    random: usize,
    /// TD(λ): how much of what a position should be worth lies beyond its own search, in later ones and in the result
    #[arg(long, default_value_t = 0.8, value_name = "FRACTION")]
    lambda: f32,
    /// A new network first imitates the linear evaluation at this many children of every position
    #[arg(long, default_value_t = 2, value_name = "CHILDREN")]
    imitate: usize,
    /// How often a network goes through the positions
    #[arg(long, default_value_t = 3)]
    epochs: usize,
    /// Positions of a step
    #[arg(long, default_value_t = 4096, value_name = "POSITIONS")]
    batch: usize,
    /// How far a weight moves in the first steps
    #[arg(long, default_value_t = 0.001)]
    rate: f32,
    /// By how much the weights of one bucket of kings shrink in a step, in parts of the rate
    #[arg(long, default_value_t = 0.2)]
    decay: f32,
    /// Threads; the network does not depend on how many
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// The seed of all random numbers
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// One JSON object per epoch and generation
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    with_shogi!(args.game.name.as_str(), |V| learn::<V>(args, out), other => no_evaluation(other))
}

pub(super) fn no_evaluation(game: &str) -> anyhow::Result<()> {
    bail!("{game} has no evaluation nnue; shogi and minishogi have")
}

impl Args {
    /// The arguments that say the same; where and with how many threads is said anew every time.
    fn words(&self) -> Vec<String> {
        let mut words: Vec<String> = [
            ("game", self.game.to_string()),
            ("generations", self.generations.to_string()),
            ("games", self.games.to_string()),
            ("nodes", self.nodes.to_string()),
            ("random", self.random.to_string()),
            ("lambda", self.lambda.to_string()),
            ("imitate", self.imitate.to_string()),
            ("epochs", self.epochs.to_string()),
            ("batch", self.batch.to_string()),
            ("rate", self.rate.to_string()),
            ("decay", self.decay.to_string()),
            ("seed", self.seed.to_string()),
        ]
        .map(|(name, value)| format!("--{name}={value}"))
        .to_vec();
        words.extend(self.seconds.map(|seconds| format!("--seconds={seconds}")));
        words.extend(self.network.iter().map(|file| format!("--network={}", file.display())));
        words.extend(self.data.iter().map(|file| format!("--data={}", file.display())));
        words
    }
}

/// Goes on with the run in a folder.
pub(super) fn go_on(folder: &Path, threads: usize, json: bool, out: &mut dyn Write) -> anyhow::Result<()> {
    let args: Args = super::saved(folder, ARGUMENTS)?;
    run(&Args { threads, json, ..args }, out)
}

/// The settings of a run. A bad number is refused here, before anything is written.
fn settings(args: &Args) -> anyhow::Result<Settings> {
    ensure!((0.0..=1.0).contains(&args.lambda), "--lambda is a fraction from 0 to 1, not {}", args.lambda);
    ensure!(args.rate.is_finite() && args.rate > 0.0, "--rate is a number above 0");
    ensure!((0.0..=100.0).contains(&args.decay), "--decay is a number from 0 to 100");
    let whole = args.nodes == 0 || args.epochs == 0 || args.batch == 0 || args.threads == 0;
    ensure!(!whole, "--nodes, --epochs, --batch and --threads are at least 1");
    ensure!(args.games > 0 || !args.data.is_empty(), "without --games there must be --data to learn from");
    let mut settings = Settings { games: args.games.min(10_000_000), seed: args.seed, ..Settings::default() };
    settings.seconds = args.seconds.unwrap_or(f64::INFINITY);
    settings.play.nodes = args.nodes;
    settings.play.random = args.random.min(1000);
    settings.targets = Targets { lambda: args.lambda, ..settings.targets };
    (settings.fit.epochs, settings.fit.batch, settings.fit.rate) = (args.epochs, args.batch, args.rate);
    settings.imitate = args.imitate.min(100);
    settings.fit.decay = args.decay;
    settings.fit.threads = args.threads.min(1024);
    Ok(settings)
}

fn read_games<V: Variant>(files: &[PathBuf]) -> anyhow::Result<Vec<Game<ShogiMove>>> {
    let mut all = Vec::new();
    for file in files {
        let bytes = std::fs::read(file).with_context(|| file.display().to_string())?;
        all.extend(games::read::<Shogi<V>>(&bytes).map_err(|e| e.context(file.display()))?);
    }
    Ok(all)
}

/// The network of a file, or the linear evaluation.
pub(super) fn player_of<V: Variant>(network: Option<&Path>) -> anyhow::Result<Player<V>> {
    let Some(file) = network else { return Ok(Player::Linear(Linear::embedded())) };
    let bytes = std::fs::read(file).with_context(|| file.display().to_string())?;
    let network = Network::read::<V>(&bytes).map_err(|e: TextError| e.context(file.display()))?;
    Ok(Player::Network(Nnue::new(network, "nnue")))
}

fn learn<V: Variant>(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    let settings = settings(args)?;
    let mut run =
        Run::<V>::open(&args.out, settings, player_of(args.network.as_deref())?, read_games::<V>(&args.data)?)?;
    let arguments = args.out.join(ARGUMENTS);
    std::fs::write(&arguments, json!(args.words()).to_string()).with_context(|| arguments.display().to_string())?;
    while run.generations() < args.generations {
        let number = run.generations();
        let progress = Mutex::new(Progress::new(&format!("generation {number}"), settings.games as u64));
        let tell = |event: Event| {
            let mut progress = progress.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            match event {
                Event::Game(_) => progress.step(),
                Event::Imitated(loss, explained) => progress.line(&stage(number, "imitated linear", loss, explained)),
                Event::Epoch(epoch, loss, explained) => {
                    progress.line(&stage(number, &format!("epoch {epoch}"), loss, explained));
                }
            }
        };
        let generation = run.generation(&tell)?;
        writeln!(out, "{}", if args.json { as_json::<V>(&generation).to_string() } else { line(&generation) })?;
        out.flush()?;
        let newest = args.out.join(format!("{}.nnue", V::NAME));
        let beside = newest.with_extension("new");
        std::fs::copy(run.network_file(number), &beside)
            .and_then(|_| std::fs::rename(&beside, &newest))
            .with_context(|| newest.display().to_string())?;
    }
    Ok(())
}

/// A stage of a fit in a line for people.
fn stage(number: usize, what: &str, loss: f64, explained: Loss) -> String {
    let Loss { targets, results } = explained;
    format!("generation {number}, {what}: loss {loss:.4}; held out: targets {targets:.4}, results {results:.4}")
}

/// A generation in a line for people.
fn line(generation: &Generation) -> String {
    let Generation { number, results: [black, drawn, white], positions, seconds: [playing, learning], .. } = generation;
    let games = format!("generation {number}: Black won {black}, drawn {drawn}, White won {white}");
    match generation.curve.last() {
        Some((loss, held_out)) => format!(
            "{games}; {positions} positions; loss {loss:.4}, held out {:.4}, results {:.4}; {playing:.0} s playing, {learning:.0} s learning",
            held_out.targets, held_out.results
        ),
        None => format!("{games}; its network was there"),
    }
}

fn as_json<V: Variant>(generation: &Generation) -> serde_json::Value {
    let curve: Vec<_> = generation
        .curve
        .iter()
        .map(|(loss, held_out)| json!({ "loss": loss, "held_out": held_out.targets, "results_held_out": held_out.results }))
        .collect();
    json!({ "type": "generation", "game": V::NAME, "number": generation.number, "resumed": generation.resumed,
        "black": generation.results[0], "drawn": generation.results[1], "white": generation.results[2],
        "plies": generation.plies, "positions": generation.positions, "epochs": curve,
        "seconds_playing": generation.seconds[0], "seconds_learning": generation.seconds[1] })
}
