//! How much more several threads do than one, by the clock on the wall.

use std::time::Duration;

use yomi_core::toy::ConnectFour;
use yomi_core::{Evaluator, Line, Position, Seed, Uniform};
use yomi_eval::{Linear, Material, Rollout};
use yomi_games::go::{Go9, Go19, Rules};
use yomi_games::shogi::Shogi9;
use yomi_search::alpha_beta::{AlphaBeta, AlphaBetaOptions};
use yomi_search::{Limits, Quiet, QuietOptions, Search, TreeSearch, Verdict};

use crate::fan::{Fan, Hashed};
use crate::with;

/// So long one thread searches; all others then do the same work, since samples of a larger tree take longer.
const EACH: Duration = Duration::from_millis(300);
/// Other work on the machine comes and goes: every round measures all numbers of threads one right after the other, and the round in the
/// middle is reported.
pub(crate) const ROUNDS: usize = 11;

/// The rounds of a table: fewer if the command line says so, for a machine that is lent for minutes.
fn rounds_of_table() -> usize {
    std::env::args().nth(3).and_then(|rounds| rounds.parse().ok()).unwrap_or(ROUNDS)
}

/// Prints the table.
pub(crate) fn run() {
    println!(
        "{} processors here; simulations (alpha-beta: nodes) per second of one thread, how often that many threads do, and as many searches",
        processors()
    );
    println!(
        "that share nothing at the same time, which is what the machine has to give, and the part of it that the threads make use of:"
    );
    println!(
        "medians of {} rounds; last, the fastest round of the threads by the fastest of one, since other work only slows\n",
        rounds_of_table()
    );
    print!("{:24}{:>9}", "threads", 1);
    threads().for_each(|threads| print!("{threads:>9}{:>9}{:>9}{:>9}", "apart", "part", "fastest"));
    println!();
    family("mcss(t=20)", "fan", Hashed, Fan::default());
    family("mcss(t=80)", "shogi", Quiet::new(Material, QuietOptions::default()), Shogi9::default());
    family("mcss(t=80)", "linear", Quiet::new(Linear::embedded(), QuietOptions::default()), Shogi9::default());
    family("uct", "connect four", Rollout::new(Uniform), ConnectFour::default());
    family("uct", "go9", Rollout::new(Uniform), Go9::new(9, Rules::default()).expect("a board"));
    family("rave", "go9", Rollout::new(Uniform), Go9::new(9, Rules::default()).expect("a board"));
    family("uct", "go19", Rollout::new(Uniform), Go19::new(19, Rules::default()).expect("a board"));
    row(
        "alpha-beta shogi",
        &middle_game(),
        |verdict| verdict.nodes,
        Limits::nodes,
        |threads| {
            let options = AlphaBetaOptions { threads, hash: 1024, ..AlphaBetaOptions::default() };
            AlphaBeta::tactical(Material, options)
        },
    );
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Numbers of threads worth measuring here beside one.
fn threads() -> impl Iterator<Item = usize> {
    [2, 4, 8, 16, 32, 64].into_iter().take_while(|&threads| threads <= 2.max(processors()))
}

/// A position of the middle game, where depth is hard to come by.
fn middle_game() -> Shogi9 {
    Shogi9::from_sfen("l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1").expect("a position")
}

fn family<P: Position, E: Evaluator<P> + Clone>(method: &str, game: &str, evaluator: E, start: P) {
    row(
        &format!("{method} {game}"),
        &start,
        |verdict| verdict.simulations,
        Limits::simulations,
        |threads| {
            let method = with(method, &format!("threads={threads},hash=2048"));
            TreeSearch::new(method.parse().expect("a method"), evaluator.clone())
        },
    );
}

/// One line of the table, in a unit of work: how much of it was done, and a limit of so much.
fn row<P: Position, S: Search<P>>(
    name: &str,
    start: &P,
    done: impl Fn(&Verdict<P::Move>) -> u64 + Sync,
    limit: impl Fn(u64) -> Limits + Sync,
    search: impl Fn(usize) -> S + Sync,
) {
    if std::env::args().nth(2).is_some_and(|only| !name.starts_with(&only)) {
        return;
    }
    let line = Line::new(start.clone());
    let work = done(&twice(&mut search(1), &line, &Limits::time(EACH)));
    let rate = |threads| {
        let verdict = twice(&mut search(threads), &line, &limit(work));
        done(&verdict) as f64 / verdict.elapsed.as_secs_f64()
    };
    let apart = |searches: usize| -> f64 {
        std::thread::scope(|scope| {
            let others: Vec<_> = (1..searches).map(|_| scope.spawn(|| rate(1))).collect();
            rate(1) + others.into_iter().map(|other| other.join().expect("a rate")).sum::<f64>()
        })
    };
    let rounds: Vec<(f64, Vec<[f64; 2]>)> = (0..rounds_of_table())
        .map(|_| (rate(1), threads().map(|threads| [rate(threads), apart(threads)]).collect()))
        .collect();
    print!("{name:24}{:>9.0}", median(rounds.iter().map(|round| round.0)));
    for i in 0..threads().count() {
        for together in 0..2 {
            print!("{:>8.2}x", median(rounds.iter().map(|(one, more)| more[i][together] / one)));
        }
        print!("{:>7.0} %", 100.0 * median(rounds.iter().map(|(_, more)| more[i][0] / more[i][1])));
        let fastest = |rates: &mut dyn Iterator<Item = f64>| rates.fold(0.0, f64::max);
        let one = fastest(&mut rounds.iter().map(|round| round.0));
        print!("{:>8.2}x", fastest(&mut rounds.iter().map(|(_, more)| more[i][0])) / one);
    }
    println!();
}

/// Searches once to touch the memory, as in the middle of a game, and once to be measured.
fn twice<P: Position>(search: &mut impl Search<P>, line: &Line<P>, limits: &Limits) -> Verdict<P::Move> {
    let limits = limits.clone().seeded(Seed::new(1));
    search.search(line, &limits, &mut ());
    search.new_game();
    search.search(line, &limits, &mut ())
}

pub(crate) fn median(numbers: impl Iterator<Item = f64>) -> f64 {
    let mut numbers: Vec<f64> = numbers.collect();
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}
