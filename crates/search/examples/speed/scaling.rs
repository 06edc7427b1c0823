//! How much more several threads do than one, by the clock on the wall.

use std::time::Duration;

use yomi_core::toy::ConnectFour;
use yomi_core::{Evaluator, Line, Position, Seed, Uniform};
use yomi_eval::{Material, Rollout};
use yomi_games::go::{Go9, Go19, Rules};
use yomi_games::shogi::Shogi9;
use yomi_search::alpha_beta::{AlphaBeta, AlphaBetaOptions};
use yomi_search::{Limits, Quiet, QuietOptions, Search, TreeSearch};

use crate::fan::{Fan, Hashed};
use crate::with;

/// A search lasts so long: once to touch its memory, once to be measured, as in the middle of a game.
const EACH: Duration = Duration::from_millis(700);
/// Other work on the machine comes and goes: every round measures all numbers of threads one right after the other, and the round in the
/// middle is told.
pub(crate) const ROUNDS: usize = 5;

/// Prints the table. The last row of a game grows a tree for each thread: what the machine can do when nothing is shared.
pub(crate) fn run() {
    println!(
        "{} processors here; simulations (alpha-beta: nodes) a second, and how often the speed of one thread, medians of {ROUNDS}\n",
        processors()
    );
    print!("{:34}", "");
    threads().for_each(|threads| print!("{threads:>9}{:>8}", ""));
    println!();
    family("mcss(t=20)", "", Hashed, Fan::default());
    family("mcss(t=80)", "", Quiet::new(Material, QuietOptions::default()), Shogi9::default());
    family("uct", "", Rollout::new(Uniform), ConnectFour::default());
    family("uct", "trees", Rollout::new(Uniform), ConnectFour::default());
    family("uct", "", Rollout::new(Uniform), Go9::new(9, Rules::default()).expect("a board"));
    family("uct", "", Rollout::new(Uniform), Go19::new(19, Rules::default()).expect("a board"));
    row("alpha-beta shogi", |threads| {
        let options = AlphaBetaOptions { threads, hash: 1024, ..AlphaBetaOptions::default() };
        rate(&mut AlphaBeta::tactical(Material, options), middle_game(), |verdict| verdict.nodes)
    });
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Numbers of threads worth measuring here.
fn threads() -> impl Iterator<Item = usize> {
    [1, 2, 4, 8, 16, 32, 64].into_iter().take_while(|&threads| threads <= 2.max(processors()))
}

/// A position of the middle game, where depth is hard to come by.
fn middle_game() -> Shogi9 {
    Shogi9::from_sfen("l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1").expect("a position")
}

fn family<P: Position, E: Evaluator<P> + Copy>(method: &str, shared: &str, evaluator: E, start: P) {
    row(
        &format!("{} {}", if shared.is_empty() { method.to_string() } else { with(method, "trees=threads") }, P::NAME),
        |threads| {
            let trees = if shared == "trees" { threads } else { 1 };
            let method = with(method, &format!("threads={threads},trees={trees},hash=8192"));
            let mut search = TreeSearch::new(method.parse().expect("a method"), evaluator);
            rate(&mut search, start.clone(), |verdict| verdict.simulations)
        },
    );
}

fn rate<P: Position>(
    search: &mut dyn Search<P>,
    start: P,
    count: impl Fn(&yomi_search::Verdict<P::Move>) -> u64,
) -> f64 {
    let limits = Limits::time(EACH).seeded(Seed::new(1));
    let line = Line::new(start);
    search.search(&line, &limits, &mut ());
    search.new_game();
    let verdict = search.search(&line, &limits, &mut ());
    count(&verdict) as f64 / verdict.elapsed.as_secs_f64()
}

fn row(name: &str, mut rate: impl FnMut(usize) -> f64) {
    print!("{name:34}");
    let rounds: Vec<Vec<f64>> = (0..ROUNDS).map(|_| threads().map(&mut rate).collect()).collect();
    for i in 0..rounds[0].len() {
        let found = median(rounds.iter().map(|round| round[i]));
        let gain = median(rounds.iter().map(|round| round[i] / round[0]));
        print!("{found:>9.0}{gain:>7.2}x");
    }
    println!();
}

pub(crate) fn median(numbers: impl Iterator<Item = f64>) -> f64 {
    let mut numbers: Vec<f64> = numbers.collect();
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}
