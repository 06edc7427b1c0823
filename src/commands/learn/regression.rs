//! `yomi learn regression`: weights for the linear evaluation, from games of the program against itself.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use anyhow::{Context, bail};
use serde_json::json;
use yomi_core::Spec;
use yomi_core::clock::Stopwatch;
use yomi_games::shogi::Variant;
use yomi_games::with_shogi;
use yomi_learn::lessons::Targets;
use yomi_learn::{Generation, Regression, Settings, Start};

use crate::progress::Progress;

/// Learn weights for the linear evaluation from games against itself, starting from piece values or from nothing
#[derive(clap::Args)]
#[command(after_help = "Examples:
  yomi learn regression --game minishogi --out weights-mini --threads 2
  yomi learn regression --game shogi --out weights --time 480 --games 4000
  yomi learn regression --game minishogi --out /tmp/try --scale 0.01

Every generation leaves its games and its weights in the folder; a run that was stopped, however roughly, goes on where it was when
the same command is given again, and ends with the same weights. The newest weights are also in GAME.linear there:
  yomi analyze --game minishogi \\
    --player 'mcss + quiet(linear(file=weights-mini/minishogi.linear))'
Each generation reports how well the results of games that nothing was learned from are explained by the start, by the last generation, and
by this one (nats per position), and the value K that won those with probability 0.73; with --json also the loss of every epoch.")]
pub(crate) struct Args {
    /// shogi or minishogi
    #[arg(long, short, value_name = "GAME")]
    game: Spec,
    /// The folder of the run
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// How many generations, those of earlier runs included
    #[arg(long, default_value_t = 20)]
    generations: usize,
    /// Begin no generation that would probably not end within this time
    #[arg(long, value_name = "SECONDS")]
    time: Option<f64>,
    /// Games per generation
    #[arg(long, default_value_t = 1000)]
    games: usize,
    /// Nodes of alpha-beta per move
    #[arg(long, default_value_t = 250)]
    nodes: u64,
    /// Most random moves at the beginning of a game; at least half as many are played
    #[arg(long, default_value_t = 12, value_name = "PLIES")]
    random: usize,
    /// What is known before the first game: material (what pieces are worth) or nothing
    #[arg(long, default_value = "material", value_parser = start, value_name = "START")]
    from: Start,
    /// How much the evaluations of the players of a generation differ: a standard deviation for every square (a pawn is 87)
    #[arg(long, alias = "whim", default_value_t = 5.0, value_name = "VALUE")]
    perturbation: f32,
    /// How many generations of games to learn from
    #[arg(long, default_value_t = 8, value_name = "GENERATIONS")]
    window: usize,
    /// How often a generation goes through its games
    #[arg(long, default_value_t = 3)]
    epochs: usize,
    /// TD(λ): how much of what a position should be worth lies beyond its own search, in later ones and in the result
    #[arg(long, default_value_t = 0.9, value_name = "FRACTION")]
    lambda: f32,
    /// The value that is taken to win with probability 0.73 (a pawn is 87)
    #[arg(long, default_value_t = 600.0, value_name = "VALUE")]
    k: f32,
    /// How far a weight may move in a step, in parts of the deviation it is expected to have
    #[arg(long, default_value_t = 0.05)]
    rate: f32,
    /// Weight of the prior, under which weights are small: ridge regression
    #[arg(long, alias = "caution", default_value_t = 1.0)]
    regularization: f32,
    /// Threads; the weights do not depend on how many
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// The seed of all random numbers
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Everything smaller or larger by this factor: 0.01 is done in seconds
    #[arg(long, default_value_t = 1.0, value_name = "FACTOR")]
    scale: f64,
    /// One JSON object per generation
    #[arg(long)]
    json: bool,
}

/// Where a run keeps how it was begun, for `yomi learn --resume`.
pub(super) const ARGUMENTS: &str = "arguments.json";

impl Args {
    /// The arguments that say the same; where and with how many threads is said anew every time.
    fn words(&self) -> Vec<String> {
        let from = if self.from == Start::Material { "material" } else { "nothing" };
        let mut words: Vec<String> = [
            ("game", self.game.to_string()),
            ("generations", self.generations.to_string()),
            ("games", self.games.to_string()),
            ("nodes", self.nodes.to_string()),
            ("random", self.random.to_string()),
            ("from", from.to_string()),
            ("perturbation", self.perturbation.to_string()),
            ("window", self.window.to_string()),
            ("epochs", self.epochs.to_string()),
            ("lambda", self.lambda.to_string()),
            ("k", self.k.to_string()),
            ("rate", self.rate.to_string()),
            ("regularization", self.regularization.to_string()),
            ("seed", self.seed.to_string()),
            ("scale", self.scale.to_string()),
        ]
        .into_iter()
        .map(|(key, value)| format!("--{key}={value}"))
        .collect();
        words.extend(self.time.map(|time| format!("--time={time}")));
        words
    }
}

/// Goes on with the run in a folder.
pub(super) fn go_on(folder: &Path, threads: usize, json: bool, out: &mut dyn Write) -> anyhow::Result<()> {
    let args: Args = super::saved(folder, ARGUMENTS)?;
    run(&Args { threads, json, ..args }, out)
}

fn start(text: &str) -> Result<Start, String> {
    match text {
        "material" => Ok(Start::Material),
        "nothing" => Ok(Start::Nothing),
        _ => Err("a run starts from material or from nothing".to_string()),
    }
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    with_shogi!(args.game.name.as_str(), |V| learn::<V>(args, out), other => {
        bail!("{other} has no linear evaluation; shogi and minishogi have")
    })
}

/// The settings of a run. A bad number is refused here, before anything is written.
fn settings(args: &Args) -> anyhow::Result<Settings> {
    if !(0.0..=1.0).contains(&args.lambda) {
        bail!("--lambda is a fraction from 0 to 1, not {}", args.lambda);
    }
    if !(args.scale.is_finite() && args.scale > 0.0 && args.rate.is_finite() && args.rate > 0.0) {
        bail!("--scale and --rate are numbers above 0");
    }
    if !(args.k.is_finite() && args.k >= 1.0) {
        bail!("--k is a value from 1 on");
    }
    if !(args.perturbation.is_finite()
        && args.perturbation >= 0.0
        && args.regularization.is_finite()
        && args.regularization >= 0.0)
    {
        bail!("--perturbation and --regularization are numbers from 0 on");
    }
    if args.games == 0 || args.nodes == 0 || args.epochs == 0 || args.window == 0 || args.threads == 0 {
        bail!("--games, --nodes, --epochs, --window and --threads are at least 1");
    }
    let mut settings =
        Settings { start: args.from, perturbation: args.perturbation, window: args.window, ..Settings::default() };
    settings.games = ((args.games as f64 * args.scale).ceil() as usize).clamp(2, 10_000_000);
    settings.self_play.nodes = args.nodes;
    settings.self_play.random = args.random.min(1000);
    settings.targets = Targets { k: args.k, lambda: args.lambda };
    (settings.plan.epochs, settings.plan.rate) = (args.epochs, args.rate);
    settings.plan.regularization = args.regularization;
    settings.threads = args.threads.min(1024);
    settings.seed = args.seed;
    Ok(settings)
}

fn learn<V: Variant>(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    let settings = settings(args)?;
    let mut run = Regression::<V>::open(&args.out, settings)?;
    let arguments = args.out.join(ARGUMENTS);
    std::fs::write(&arguments, json!(args.words()).to_string()).with_context(|| arguments.display().to_string())?;
    let clock = Stopwatch::start();
    let mut longest: f64 = 0.0;
    while run.generations() < args.generations {
        let begun = clock.elapsed().as_secs_f64();
        if args.time.is_some_and(|time| begun + longest > time) {
            break;
        }
        let what = format!("generation {}", run.generations());
        let progress = Mutex::new(Progress::new(&what, settings.games as u64));
        let step = || progress.lock().unwrap_or_else(std::sync::PoisonError::into_inner).step();
        let generation = run.generation(&step)?;
        longest = longest.max(clock.elapsed().as_secs_f64() - begun);
        if args.json {
            writeln!(out, "{}", generation_json::<V>(&generation))?;
        } else {
            writeln!(out, "{}", line(&generation))?;
        }
        out.flush()?;
        let newest = args.out.join(format!("{}.linear", V::NAME));
        let beside = newest.with_extension("new");
        std::fs::copy(run.weights_file(generation.number), &beside)
            .and_then(|_| std::fs::rename(&beside, &newest))
            .with_context(|| newest.display().to_string())?;
    }
    Ok(())
}

/// A generation in a line for people.
fn line(generation: &Generation) -> String {
    let Generation {
        number, results: [black, drawn, white], lessons, results_held_out: [start, before, after], k, ..
    } = generation;
    let games = format!("generation {number}: Black won {black}, drawn {drawn}, White won {white}");
    if generation.resumed {
        return format!("{games}; its weights were there");
    }
    format!("{games}; {lessons} positions; results explained to {start:.4}, {before:.4}, now {after:.4}; K {k:.0}")
}

fn generation_json<V: Variant>(generation: &Generation) -> serde_json::Value {
    json!({ "type": "generation", "game": V::NAME, "number": generation.number, "resumed": generation.resumed,
        "black": generation.results[0], "drawn": generation.results[1], "white": generation.results[2],
        "plies": generation.plies, "positions": generation.lessons, "losses": generation.losses,
        "held_out": generation.held_out, "results_held_out": generation.results_held_out,
        "k": generation.k, "factor": generation.factor,
        "seconds_playing": generation.seconds[0], "seconds_learning": generation.seconds[1] })
}
