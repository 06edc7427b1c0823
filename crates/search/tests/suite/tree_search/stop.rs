//! Searches ask their watch often, and answer at once when stopped: counted in evaluations, not in seconds.

use std::cell::Cell;

use super::common::{Hashed, METHODS, with};
use yomi_core::policy::Step;
use yomi_core::question::Flight;
use yomi_core::toy::{Column, ConnectFour};
use yomi_core::{Answer, Evaluator, Line, Outcome, Policy, Position, Question, Rng, Simulate, Tactical, Uniform};
use yomi_eval::{Material, Rollout};
use yomi_games::blokus::BlokusDuo;
use yomi_games::go::{Go9, Go19, Rules};
use yomi_games::shogi::{Minishogi, Shogi9};
use yomi_search::{
    AlphaBeta, AlphaBetaOptions, Flat, FlatOptions, Greedy, Limits, MateFirst, Method, Quiet, QuietOptions, Search,
    TreeSearch, Watch,
};

thread_local! {
    /// Evaluations and playouts of this thread.
    static WORK: Cell<u64> = const { Cell::new(0) };
}

fn work() {
    WORK.with(|work| work.set(work.get() + 1));
}

/// The evaluator inside, its answers counted as work of the thread that asked.
#[derive(Clone, Copy)]
struct Counted<E>(E);

impl<P: Position, E: Evaluator<P>> Evaluator<P> for Counted<E> {
    type Scratch = E::Scratch;
    fn scratch(&self, seed: u64) -> E::Scratch {
        self.0.scratch(seed)
    }
    fn win(&self) -> f32 {
        self.0.win()
    }
    fn judge(&self, question: &Question<'_, P>, answer: &mut Answer<P::Move>, scratch: &mut E::Scratch) {
        work();
        self.0.judge(question, answer, scratch);
    }
}

/// Random moves, each playout counted as work.
#[derive(Clone, Copy)]
struct CountedPlayouts;

impl<P: Simulate> Policy<P> for CountedPlayouts {
    type Scratch = P::Sampler;
    fn scratch(&self) -> P::Sampler {
        P::Sampler::default()
    }
    fn begin(&self, position: &P, node: u32, scratch: &mut P::Sampler) {
        work();
        Uniform.begin(position, node, scratch);
    }
    fn choose(&self, position: &P, rng: &mut Rng, scratch: &mut P::Sampler) -> Step<P::Move> {
        Uniform.choose(position, rng, scratch)
    }
    fn finished(&self, outcome: Outcome, scratch: &mut P::Sampler) {
        Policy::<P>::finished(&Uniform, outcome, scratch);
    }
}

/// Says stop when it has been asked often enough, and remembers how much the thread worked between two questions.
struct Impatient {
    questions: Cell<u32>,
    before: Cell<u64>,
    most: Cell<u64>,
}

impl Impatient {
    fn new() -> Impatient {
        Impatient { questions: Cell::new(0), before: Cell::new(WORK.with(Cell::get)), most: Cell::new(0) }
    }

    /// The end of the search, as if it had asked once more, and the most work without a question.
    fn finish(self) -> u64 {
        Watch::<()>::should_stop(&self);
        self.most.get()
    }
}

impl<M> Watch<M> for Impatient {
    fn should_stop(&self) -> bool {
        let now = WORK.with(Cell::get);
        let done = now - self.before.replace(now);
        self.most.set(self.most.get().max(done));
        self.questions.set(self.questions.get() + 1);
        self.questions.get() > 30
    }
}

/// A sample of the tree family, or a playout.
const SAMPLE: u64 = 2;
/// Nodes of an alpha-beta search.
const NODES: u64 = 4096;

/// A search that nothing ends but its watch never does more than `most` evaluations without asking, nor before it answers when stopped.
fn is_prompt<P: Position>(name: &str, most: u64, search: &mut dyn Search<P>, line: &Line<P>) {
    let mut watch = Impatient::new();
    let verdict = search.search(line, &Limits::infinite(), &mut watch);
    assert!(verdict.best.is_some() && verdict.ended.is_some(), "{name} on {}", P::NAME);
    let done = watch.finish();
    assert!(done <= most, "{name} on {}: {done} evaluations without a question", P::NAME);
}

/// The tree family on one thread and on two, with `evaluator` where a sample judges a whole family, and with playouts.
fn family_is_prompt<P: Simulate, E: Evaluator<P> + Copy>(line: &Line<P>, evaluator: E) {
    for method in METHODS {
        for threads in [1, 2] {
            let method: Method = with(method, &format!("threads={threads},hash=64,solver=off"));
            let name = method.to_string();
            is_prompt(&name, SAMPLE, &mut TreeSearch::new(method.clone(), Rollout::new(CountedPlayouts)), line);
            if method.recipe.expand.judges_siblings() {
                is_prompt(&name, SAMPLE, &mut TreeSearch::new(method, Counted(evaluator)), line);
            }
        }
    }
}

/// A hundred playouts per answer, half a second for all moves of 19x19: the token is looked at between two playouts.
#[test]
fn slow_answers_are_broken_off() {
    let line = Line::new(Go19::new(19, Rules::default()).unwrap());
    let slow = Rollout::averaging(CountedPlayouts, 100);
    for method in ["mcss", "ubfm", "puct", "uct"] {
        for threads in [1, 2] {
            let search = &mut TreeSearch::new(with(method, &format!("threads={threads},hash=64")), slow);
            is_prompt(method, SAMPLE, search, &line);
        }
    }
    is_prompt("greedy", SAMPLE, &mut Greedy::new(slow), &line);
}

/// Answers in batches as a network does: once it is cancelled it abandons what it has not judged yet. Every position is worth the same to the side
/// that moved first, so that an answer too many or too few shows.
#[derive(Clone, Copy)]
struct Batches;

impl Evaluator<ConnectFour> for Batches {
    type Scratch = ();
    fn scratch(&self, _seed: u64) {}
    fn win(&self) -> f32 {
        1.0
    }
    fn judge(&self, question: &Question<'_, ConnectFour>, answer: &mut Answer<Column>, (): &mut ()) {
        work();
        let first = ConnectFour::default().turn();
        answer.by_value(question, 1.0, |question| if question.position.turn() == first { 0.5 } else { -0.5 });
    }
    fn judge_all(&self, flights: &mut [Flight<'_, ConnectFour>], (): &mut ()) {
        for (i, Flight { question, answer }) in flights.iter_mut().enumerate() {
            if i > 0 && question.cancel.is_cancelled() {
                answer.abandoned = true;
            } else {
                self.judge(question, answer, &mut ());
            }
        }
    }
    fn batch(&self) -> usize {
        16
    }
}

/// Samples that wait for a batch which is broken off are taken back: no visit and no value of theirs stays.
#[test]
fn batches_are_broken_off() {
    let line = Line::new(ConnectFour::default());
    for method in ["puct", "uct", "gumbel", "mcss"] {
        let method: Method = with(method, "flights=16,hash=64,solver=off");
        let search = &mut TreeSearch::new(method.clone(), Batches);
        is_prompt(&method.to_string(), SAMPLE, search, &line);
        let before = WORK.with(Cell::get);
        let verdict =
            TreeSearch::new(method.clone(), Batches).search(&line, &Limits::infinite(), &mut Impatient::new());
        let judged = WORK.with(Cell::get) - before;
        if !method.recipe.expand.judges_siblings() {
            assert_eq!((verdict.evaluations, verdict.simulations), (judged, judged), "{method}");
            let visits: u64 = verdict.moves.iter().map(|row| row.visits).sum();
            // The first batch is judged before the root has moves.
            assert!(visits <= judged && visits + 16 >= judged, "{method}: {visits} visits of {judged} answers");
        }
        assert!((verdict.value - 0.5).abs() < 1e-6, "{method}: {}", verdict.value);
    }
}

/// What stands beside the tree family.
fn others_are_prompt<P: Simulate, E: Evaluator<P> + Copy>(line: &Line<P>, quick: E) {
    for threads in [1, 2] {
        is_prompt("flat", NODES, &mut Flat::new(CountedPlayouts, FlatOptions { playouts: u64::MAX, threads }), line);
        is_prompt("alpha-beta", NODES, &mut AlphaBeta::new(Counted(quick), alpha_beta(threads)), line);
    }
    is_prompt("greedy", SAMPLE, &mut Greedy::new(Counted(quick)), line);
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
        let search = &mut AlphaBeta::tactical(Counted(Material), alpha_beta(threads));
        is_prompt("alpha-beta with tactics", NODES, search, line);
    }
    let inner = Box::new(AlphaBeta::tactical(Counted(Material), alpha_beta(1)));
    is_prompt("df-pn", NODES, &mut MateFirst::new(inner, u64::MAX, 30_000.0), line);
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
