//! `yomi worker`: plays the games it is sent, line by line.

use std::cell::RefCell;
use std::io::{BufReader, Write};

use yomi_lab::arena;
use yomi_lab::experiment::LocalWorkshop;
use yomi_lab::experiment::worker::{answer, is_order};
use yomi_lab::players::build::Programs;
use yomi_lab::worker::serve;

use crate::build;
use crate::commands::bench::build_signature;

/// Do jobs that come as JSON Lines on standard input, and answer each with its row of the ledger
#[derive(clap::Args)]
#[command(after_help = "Examples:
  yomi match --game go9 'uct + rollout' 'flat(n=20)' --sims 200 \\
    --plan | yomi worker >> games.jsonl
  yomi match --game go9 'uct' 'flat(n=20)' --sims 200 --plan > plan.jsonl
  parallel --pipe -N 100 yomi worker < plan.jsonl > rows.jsonl
  yomi experiment plan s0-fig3 | yomi worker >> runs/mine/ledger.jsonl

Every line is answered by one line: the game, the row of an experiment, the games that a learner
asked for (yomi-ray learn), or an object with the member \"error\". A line that cannot be read, or that was planned by a
build of another signature (yomi bench), is refused and the next one is read. So are jobs whose players are programs, unless
--allow-programs says that you trust the sender of the lines.")]
pub(crate) struct Args {
    /// Start the programs that the jobs name
    #[arg(long)]
    allow_programs: bool,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    let signature = build_signature()?;
    let programs = if args.allow_programs { Programs::Allowed } else { Programs::Refused };
    let open = |game: &str| arena::open(&game.parse()?, programs);
    let workshop = LocalWorkshop { version: build::version(signature), programs };
    let lessons = RefCell::new(yomi_learn::run::worker::Worker::default());
    let networks = RefCell::new(yomi_train::worker::Worker::default());
    let other = |line: &[u8]| {
        let lesson = || lessons.borrow_mut().answer(line, signature);
        let self_play = || networks.borrow_mut().answer(line, signature);
        is_order(line).then(|| answer(line, &workshop)).or_else(lesson).or_else(self_play)
    };
    serve(&mut BufReader::new(std::io::stdin().lock()), out, signature, &open, &other)?;
    Ok(())
}
