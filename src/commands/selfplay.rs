//! `yomi selfplay`: games of a network against itself, written as samples to learn from.

use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

use anyhow::{Context, ensure};
use serde_json::json;
use yomi_core::clock::Stopwatch;
use yomi_core::{Seed, Spec};
use yomi_net::{Architecture, Network};
use yomi_train::dispatch::{self, Order};
use yomi_train::self_play::{Gradient, Settings};
use yomi_train::{open, run};

use crate::arguments::NetworkRunArgs;
use crate::progress::Progress;

/// Play games of a network against itself and write samples to learn from
#[derive(clap::Args)]
#[command(after_help = "Examples:
  yomi selfplay --game minishogi --net random --games 20 --out try.samples
  yomi selfplay --game go9 --net net.safetensors --games 1000 \\
    --method 'puct(c=1.5)' --full 200 --out go9.samples --threads 2

Games that are in the file already are not played again: a run that was stopped, however
roughly, goes on when the same command is given again. docs/samples.md describes the file.")]
pub(crate) struct Args {
    /// The game: minishogi, shogi, go9, go13, go19, blokus-duo
    #[arg(long, short, value_name = "GAME")]
    game: Spec,
    /// The network: a file, or `random` for one that has learned nothing
    #[arg(long, value_name = "FILE | random")]
    net: String,
    /// The tower of a random network: blocks x channels
    #[arg(long, default_value = "3x32", value_name = "BxC")]
    tower: String,
    /// The sample file; games are appended
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Games in all, those in the file included
    #[arg(long, default_value_t = 100)]
    games: u64,
    #[command(flatten)]
    play: PlayArgs,
    #[command(flatten)]
    network: NetworkRunArgs,
}

/// How games of self-play are played: shared with `yomi train loop`.
#[derive(clap::Args)]
pub(crate) struct PlayArgs {
    /// The search: gumbel, puct or mcss-puct with their parameters
    #[arg(long, default_value = "gumbel(scale=0.3)", value_name = "METHOD")]
    method: String,
    /// Simulations of the searches that are learned from
    #[arg(long, default_value_t = 64, value_name = "COUNT")]
    full: u64,
    /// Simulations of the other searches, which only carry the game on
    #[arg(long, default_value_t = 16, value_name = "COUNT")]
    fast: u64,
    /// The share of searches that are learned from
    #[arg(long, default_value_t = 0.3, value_name = "FRACTION")]
    full_share: f32,
    /// Most random moves at the beginning of a game; half of the games have none
    #[arg(long, default_value_t = 6, value_name = "PLIES")]
    random: usize,
    /// Moves are drawn from the policy for as many plies (gumbel draws all its moves)
    #[arg(long, default_value_t = 12, value_name = "PLIES")]
    warm: usize,
    /// The temperature of these draws
    #[arg(long, default_value_t = 1.0)]
    temperature: f32,
    /// Resign after two values in a row below this; -1: never
    #[arg(long, default_value_t = -1.0, value_name = "VALUE", allow_hyphen_values = true)]
    resign: f32,
    /// The share of games played to the end, to see how often resigning would be wrong
    #[arg(long, default_value_t = 0.1, value_name = "FRACTION")]
    played_on: f32,
    /// Games at the same time, for each thread
    #[arg(long, default_value_t = 32, value_name = "COUNT")]
    seats: usize,
    /// The share of Dirichlet noise in the priors of roots (gumbel has its own noise)
    #[arg(long, default_value_t = 0.25, value_name = "FRACTION")]
    noise: f32,
    /// Keep as many leaves of each search that is learned from for the policy gradient (S0.8; needs a softmax backup, as mcss-puct has)
    #[arg(long, default_value_t = 0, value_name = "COUNT")]
    gradient_leaves: usize,
    /// The temperature at which the moves of these searches are drawn, T_a
    #[arg(long, default_value_t = 0.1, value_name = "T")]
    gradient_t: f64,
}

impl PlayArgs {
    /// Simulations of the searches that are learned from.
    pub(crate) fn full(&self) -> u64 {
        self.full
    }

    /// The settings; a bad number is refused before anything is written.
    pub(crate) fn settings(&self) -> anyhow::Result<Settings> {
        let method: yomi_search::Method = self.method.parse()?;
        let fraction = |x: f32| (0.0..=1.0).contains(&x);
        ensure!(
            fraction(self.full_share) && fraction(self.noise) && fraction(self.played_on),
            "shares are fractions from 0 to 1"
        );
        ensure!(self.full > 0 && self.fast > 0, "--full and --fast are at least 1");
        ensure!(self.temperature > 0.0 && self.temperature.is_finite(), "--temperature is a number above 0");
        ensure!((1..=4096).contains(&self.seats), "--seats is 1 to 4096");
        let gradient =
            (self.gradient_leaves > 0).then_some(Gradient { t_a: self.gradient_t, leaves: self.gradient_leaves });
        gradient.iter().try_for_each(|gradient| gradient.check(&method))?;
        Ok(Settings {
            method: self.method.clone(),
            full: self.full,
            fast: self.fast,
            full_share: self.full_share,
            random: self.random,
            warm_plies: self.warm,
            temperature: self.temperature,
            resign_below: self.resign,
            never_resign: self.played_on,
            seats: self.seats,
            noise: self.noise,
            gradient,
        })
    }
}

/// Blocks and channels of `5x64`.
pub(crate) fn tower(text: &str) -> anyhow::Result<(usize, usize)> {
    let (blocks, channels) = text.split_once('x').context("a tower is blocks x channels, as 5x64")?;
    Ok((blocks.parse().context("blocks")?, channels.parse().context("channels")?))
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    let settings = args.play.settings()?;
    let layout = dispatch::layout(&args.game)?;
    let network: Network = if args.net == "random" {
        let (blocks, channels) = tower(&args.tower)?;
        run::first_network(Architecture::new(layout, blocks, channels), &Seed::new(args.network.seed))?
    } else {
        open::read(args.net.as_ref())?
    };
    let net = open::open(&network, args.network.device()?, args.network.threads())?;
    let stop = crate::signals::controls()?.drain;
    let order = Order {
        game: &args.game,
        settings: &settings,
        games: 0..args.games,
        seed: args.network.seed,
        threads: args.network.threads(),
        out: &args.out,
    };
    let clock = Stopwatch::start();
    let mut progress = Progress::new("self-play", args.games);
    let mut shown = 0;
    let tally = dispatch::self_play(&order, net.clone(), &network, &stop, &mut |games| {
        (shown..games).for_each(|_| progress.step());
        shown = shown.max(games);
    })?;
    drop(progress);
    if let Some(error) = net.failure() {
        anyhow::bail!("the network did not answer: {error}");
    }
    let seconds = clock.elapsed().as_secs_f64();
    let (positions, batches) = net.counts();
    let [black, drawn, white] = tally.results;
    if args.network.json {
        let line = json!({ "type": "self-play", "game": args.game.to_string(), "games": tally.games, "samples": tally.samples,
            "plies": tally.plies, "black": black, "drawn": drawn, "white": white, "resigned": tally.resigned,
            "evaluations": positions, "batches": batches, "seconds": seconds, "backend": net.backend().name(),
            "stopped": stop.load(Ordering::Relaxed) });
        writeln!(out, "{line}")?;
    } else {
        writeln!(
            out,
            "{} games: Black won {black}, drawn {drawn}, White won {white}; {} samples; {:.0} evaluations/s in batches of {:.0} ({})",
            tally.games,
            tally.samples,
            positions as f64 / seconds,
            positions as f64 / batches.max(1) as f64,
            net.backend().name()
        )?;
    }
    Ok(())
}
