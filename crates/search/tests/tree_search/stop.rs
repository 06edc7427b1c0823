//! Ten milliseconds from the wish to stop to the answer, for every search, on every game.

use std::cell::Cell;
use std::time::Duration;

use crate::common::{Hashed, METHODS, with};
use yomi_core::clock::Stopwatch;
use yomi_core::toy::ConnectFour;
use yomi_core::{Evaluator, Line, Position, Simulate, Tactical, Uniform};
use yomi_eval::{Material, Rollout};
use yomi_games::blokus::BlokusDuo;
use yomi_games::go::{Go9, Go19, Rules};
use yomi_games::shogi::{Minishogi, Shogi9};
use yomi_search::{
    AlphaBeta, AlphaBetaOptions, Flat, FlatOptions, Greedy, Limits, MateFirst, Method, Quiet, QuietOptions, Search,
    TreeSearch, Watch,
};

const LIMIT: Duration = Duration::from_millis(10);

/// Says stop when it has been asked often enough, and remembers how long the thread was busy between two questions. Time that the machine
/// gave to others does not count.
struct Impatient {
    clock: Stopwatch,
    questions: Cell<u32>,
    asked: Cell<Duration>,
    longest: Cell<Duration>,
}

impl Impatient {
    fn new() -> Impatient {
        let zero = || Cell::new(Duration::ZERO);
        Impatient { clock: Stopwatch::start(), questions: Cell::new(0), asked: zero(), longest: zero() }
    }

    /// The end of the search, as if it had asked once more, and the longest time without a question.
    fn finish(self) -> Duration {
        Watch::<()>::should_stop(&self);
        self.longest.get()
    }
}

impl<M> Watch<M> for Impatient {
    fn should_stop(&self) -> bool {
        let now = self.clock.busy();
        let gap = now.saturating_sub(self.asked.replace(now));
        self.longest.set(self.longest.get().max(gap));
        self.questions.set(self.questions.get() + 1);
        self.questions.get() > 30
    }
}

/// A search that nothing ends but its watch is never busy for long without asking, nor with its answer when told. Of several tries one must
/// do: a cache that others have emptied is slow.
fn is_prompt<P: Position>(name: &str, search: &mut dyn Search<P>, line: &Line<P>) {
    let mut gaps = Vec::new();
    let prompt = (0..5).any(|_| {
        search.new_game();
        let mut watch = Impatient::new();
        let verdict = search.search(line, &Limits::infinite(), &mut watch);
        assert!(verdict.best.is_some() && verdict.ended.is_some(), "{name} on {}", P::NAME);
        gaps.push(watch.finish());
        gaps.last().is_some_and(|gap| *gap < LIMIT)
    });
    assert!(prompt, "{name} on {}: {gaps:?}", P::NAME);
}

/// The tree family on one thread and on two, with `evaluator` where a sample judges a whole family, and with playouts.
fn family_is_prompt<P: Simulate, E: Evaluator<P> + Copy>(line: &Line<P>, evaluator: E) {
    for method in METHODS {
        for threads in [1, 2] {
            let method: Method = with(method, &format!("threads={threads},hash=64,solver=off"));
            let name = method.to_string();
            is_prompt(&name, &mut TreeSearch::new(method.clone(), Rollout::new(Uniform)), line);
            if method.recipe.expand.judges_siblings() {
                is_prompt(&name, &mut TreeSearch::new(method, evaluator), line);
            }
        }
    }
}

/// A hundred playouts an answer, half a second for all moves of 19x19: nothing is so slow that it cannot be stopped.
#[test]
fn slow_answers_are_broken_off() {
    let line = Line::new(Go19::new(19, Rules::default()).unwrap());
    let slow = Rollout::averaging(Uniform, 100);
    for method in ["mcss", "ubfm", "puct", "uct"] {
        for threads in [1, 2] {
            is_prompt(method, &mut TreeSearch::new(with(method, &format!("threads={threads},hash=64")), slow), &line);
        }
    }
    is_prompt("greedy", &mut Greedy::new(slow), &line);
}

/// What stands beside the tree family.
fn others_are_prompt<P: Simulate, E: Evaluator<P> + Copy>(line: &Line<P>, quick: E) {
    for threads in [1, 2] {
        is_prompt("flat", &mut Flat::new(Uniform, FlatOptions { playouts: u64::MAX, threads }), line);
        is_prompt("alpha-beta", &mut AlphaBeta::new(quick, alpha_beta(threads)), line);
    }
    is_prompt("greedy", &mut Greedy::new(quick), line);
}

/// What only games with captures and checks have.
fn tactics_are_prompt<P: Tactical + Simulate>(line: &Line<P>)
where
    Material: Evaluator<P>,
{
    let quiet = Quiet::new(Material, QuietOptions::default());
    family_is_prompt(line, quiet);
    others_are_prompt(line, quiet);
    for threads in [1, 2] {
        is_prompt("alpha-beta with tactics", &mut AlphaBeta::tactical(Material, alpha_beta(threads)), line);
    }
    let inner = Box::new(AlphaBeta::tactical(Material, alpha_beta(1)));
    is_prompt("df-pn", &mut MateFirst::new(inner, u64::MAX, 30_000.0), line);
}

fn alpha_beta(threads: usize) -> AlphaBetaOptions {
    AlphaBetaOptions { threads, hash: 16, ..AlphaBetaOptions::default() }
}

#[test]
fn connect_four_is_prompt() {
    let line = Line::new(ConnectFour::default());
    family_is_prompt(&line, Rollout::new(Uniform));
    others_are_prompt(&line, Rollout::new(Uniform));
}

/// In the middle game, where a position has a hundred moves and the opponent's king is attacked.
#[test]
fn shogi_is_prompt() {
    let sfen = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1";
    tactics_are_prompt(&Line::new(Shogi9::from_sfen(sfen).unwrap()));
}

#[test]
fn minishogi_is_prompt() {
    tactics_are_prompt(&Line::new(Minishogi::default()));
}

#[test]
fn go_is_prompt() {
    let small = Line::new(Go9::new(9, Rules::default()).unwrap());
    family_is_prompt(&small, Rollout::new(Uniform));
    others_are_prompt(&small, Rollout::new(Uniform));
    let large = Line::new(Go19::new(19, Rules::default()).unwrap());
    family_is_prompt(&large, Rollout::new(Uniform));
    others_are_prompt(&large, Rollout::new(Uniform));
}

#[test]
fn blokus_duo_is_prompt() {
    let line = Line::new(BlokusDuo::default());
    family_is_prompt(&line, Hashed);
    others_are_prompt(&line, Rollout::new(Uniform));
}
