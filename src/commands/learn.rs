//! `yomi learn`: every way of learning, one subcommand each.

mod charts;
mod compare;
mod nnue;
mod nnue_samples;
mod regression;
mod speed;
mod tree;

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use clap::Parser;

use crate::commands::{learn_blokus, learn_go};
use crate::files;

/// Learn an evaluation, the probabilities of moves, or both; compare the ways to do it
#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true, arg_required_else_help = true)]
#[command(after_help = "Examples:
  yomi learn pg-tree --game minishogi --out runs/tree --games 5000 --threads 2
  yomi learn td-leaf --game shogi --out runs/td --set lambda=0.7
  yomi learn regression --game minishogi --out weights-mini --threads 2
  yomi learn patterns gnugo19.sgf --to weights/go.txt
  yomi learn simulations --out runs/n8 --n 8
  yomi learn nnue --game minishogi --out nets --threads 2
  yomi learn --resume runs/tree --threads 2   # goes on, even after kill -9
  yomi learn compare --game minishogi --out runs/rivals --games 500
  yomi learn gradient-speed --game minishogi --out runs/speed")]
pub(crate) struct Args {
    #[command(subcommand)]
    method: Option<Method>,
    /// Go on with the run in this folder, as it was begun
    #[arg(long, value_name = "FOLDER")]
    resume: Option<PathBuf>,
    /// Threads; what is learned does not depend on how many
    #[arg(long, default_value_t = 1, requires = "resume")]
    threads: usize,
    /// One JSON object per step
    #[arg(long, requires = "resume")]
    json: bool,
}

#[derive(clap::Subcommand)]
#[allow(clippy::large_enum_variant, reason = "there is one of it")]
enum Method {
    /// Policy gradient, the exact expectation over a tree of fixed depth (S0.7)
    PgExpectation(tree::Args),
    /// Policy gradient through the whole tree of every search (S0.8, no sampling)
    PgTree(tree::Args),
    /// Policy gradient from sampled paths of the tree (S0.8)
    PgSampling(tree::Args),
    /// Policy gradient at the ends of principal variations (S0.9)
    PgLeaf(tree::Args),
    /// PGLeaf under the policy that the moves are drawn by (S0.6)
    PgLeafImproved(tree::Args),
    /// Search control, deterministic growth: evaluation, simulation policy and temperature together (S3.4)
    S3Deterministic(tree::Args),
    /// Search control, stochastic growth, the mean over several trees (S3.4)
    S3Stochastic(tree::Args),
    /// Search control through the whole tree (S3.3)
    S3Tree(tree::Args),
    /// The simulation policy alone: it learns to predict the moves that the search finds best
    Imitation(tree::Args),
    /// REINFORCE on the raw policy, without search (Williams 1992)
    Reinforce(tree::Args),
    /// TD-leaf(λ): principal leaves move towards later ones (Baxter, Tridgell and Weaver 1998)
    TdLeaf(tree::Args),
    /// RootStrap: the root's static value moves towards its search (Veness et al. 2009)
    RootStrap(tree::Args),
    /// TreeStrap: so does every inner node's (Veness et al. 2009)
    TreeStrap(tree::Args),
    /// TDMC(λ): static values move towards results of random games (Osaki et al. 2008)
    Tdmc(tree::Args),
    /// Comparison training: the move of a record should be worth more than the others (Hoki 2006)
    Comparison(tree::Args),
    /// Ridge regression of the linear evaluation on TD(λ) targets, generation by generation
    Regression(regression::Args),
    /// Move probabilities of Go from records: patterns and tactics, a Bradley-Terry model
    Patterns(Patterns),
    /// The evaluation of Blokus Duo from the results of selective simulations (S1)
    Simulations(Simulations),
    /// The network of the evaluation nnue, from games of alpha-beta against itself (Nasu 2018)
    Nnue(nnue::Args),
    /// Samples for a trainer of that network elsewhere: python/yomi_train
    NnueSamples(nnue_samples::Args),
    /// The network of what such a trainer has learned
    NnueRound(nnue_samples::RoundArgs),
    /// Run the rivals to equal games and to equal time, and report their Elo like an experiment
    Compare(compare::Args),
    /// Measure the accuracy of each gradient against the time it takes (S0.7 to S0.9)
    GradientSpeed(speed::Args),
}

/// Records of Go; boards of every size are learned from together.
#[derive(clap::Args)]
struct Patterns {
    /// The game
    #[arg(long, short, default_value = "go", value_parser = ["go", "go9", "go13", "go19"], hide_possible_values = true)]
    game: String,
    #[command(flatten)]
    rest: learn_go::Args,
}

#[derive(clap::Args)]
struct Simulations {
    /// The game
    #[arg(long, short, default_value = "blokus-duo", value_parser = ["blokus-duo"], hide_possible_values = true)]
    game: String,
    #[command(flatten)]
    rest: learn_blokus::Args,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    let Some(method) = &args.method else {
        let folder = args.resume.as_deref().context("which method? yomi learn --help lists them")?;
        return resume(args, folder, out);
    };
    let (name, args) = match method {
        Method::PgExpectation(args) => ("pg-expectation", args),
        Method::PgTree(args) => ("pg-tree", args),
        Method::PgSampling(args) => ("pg-sampling", args),
        Method::PgLeaf(args) => ("pg-leaf", args),
        Method::PgLeafImproved(args) => ("pg-leaf-improved", args),
        Method::S3Deterministic(args) => ("s3-deterministic", args),
        Method::S3Stochastic(args) => ("s3-stochastic", args),
        Method::S3Tree(args) => ("s3-tree", args),
        Method::Imitation(args) => ("imitation", args),
        Method::Reinforce(args) => ("reinforce", args),
        Method::TdLeaf(args) => ("td-leaf", args),
        Method::RootStrap(args) => ("root-strap", args),
        Method::TreeStrap(args) => ("tree-strap", args),
        Method::Tdmc(args) => ("tdmc", args),
        Method::Comparison(args) => ("comparison", args),
        Method::Regression(args) => return regression::run(args, out),
        Method::Patterns(args) => return learn_go::run(&args.rest, out),
        Method::Simulations(args) => return learn_blokus::run(&args.rest, out),
        Method::Nnue(args) => return nnue::run(args, out),
        Method::NnueSamples(args) => return nnue_samples::run(args, out),
        Method::NnueRound(args) => return nnue_samples::run_round(args, out),
        Method::Compare(args) => return compare::run(args, out),
        Method::GradientSpeed(args) => return speed::run(args, out),
    };
    tree::run(name, args, out)
}

#[derive(clap::Parser)]
struct Alone<A: clap::Args> {
    #[command(flatten)]
    args: A,
}

/// The arguments that a run in this folder was begun with, which a file of it keeps.
fn saved<A: clap::Args>(folder: &Path, file: &str) -> anyhow::Result<A> {
    let path = folder.join(file);
    let bytes = files::read(&path)?;
    let parse = || -> anyhow::Result<A> {
        let mut words: Vec<String> = serde_json::from_slice(&bytes)?;
        words.insert(0, "yomi learn".to_string());
        words.push(format!("--out={}", folder.display()));
        Ok(Alone::try_parse_from(words)?.args)
    };
    parse().with_context(|| path.display().to_string())
}

/// Goes on with whatever the folder holds.
fn resume(args: &Args, folder: &Path, out: &mut dyn Write) -> anyhow::Result<()> {
    ensure!((1..=1024).contains(&args.threads), "--threads go from 1 to 1024");
    if folder.join("config.toml").exists() {
        return tree::resume(folder, args.threads, args.json, out);
    }
    if folder.join("checkpoint.txt").exists() {
        return learn_blokus::go_on(folder, args.threads, args.json, out);
    }
    if folder.join(regression::ARGUMENTS).exists() {
        return regression::go_on(folder, args.threads, args.json, out);
    }
    if folder.join(nnue::ARGUMENTS).exists() {
        return nnue::go_on(folder, args.threads, args.json, out);
    }
    bail!("{}: no run of yomi learn to resume", folder.display())
}
