//! How many positions per second MCSS judges with quiescence, all siblings at once: evaluations of the tree, CPU time and their ratio, and
//! alpha-beta with the same evaluation beside it. An evaluation of the tree is a whole quiescence search; how many positions the evaluator
//! was asked about on the way is counted in a run of its own. Last, the families of that run are judged again without a tree.
//!
//! `cargo run --release -p yomi-search --features measure --example evaluations_per_second [evaluations] [options of quiet] [only lines with this in them]`
#![allow(clippy::print_stdout, reason = "this program prints")]

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use yomi_core::clock::Stopwatch;
use yomi_core::{Answer, Evaluator, Line, Ply, Position, Question, Spec, Tactical, Want};
use yomi_eval::{Linear, Material};
use yomi_games::shogi::{Minishogi, Shogi, Shogi9, Variant};
use yomi_search::{AlphaBeta, AlphaBetaOptions, Limits, Quiet, QuietOptions, Search, TreeSearch};

const SHOGI: [&str; 4] = [
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
    "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
    "ln1g4l/1ks1gr3/1pppp2p1/p4p2p/2P2N3/P3SP2P/1P1PP4/1KGS1G1R1/LN6L b BSPbn2p 1",
    "6n1l/2+S1k4/2lp4p/1np1B2b1/3PP4/1N1S3rP/1P2+pPP+p1/1p1G5/3KG2r1 b GSN2L4Pgs2p 1",
];

const MINISHOGI: [&str; 3] =
    ["rbsgk/4p/5/P4/KGSBR b - 1", "r1sgk/2b1p/P4/2B2/KGS1R w - 1", "2k1r/1g3/2S1p/P1B2/KGR2 b BS 1"];

/// A parent and the plies up to it.
type Family<P> = (P, Vec<Ply>);

/// Counts how often the evaluator inside is asked about a position, and writes down about which families.
#[derive(Clone)]
struct Overheard<P: Position, E> {
    inner: E,
    asked: Arc<AtomicU64>,
    families: Arc<Mutex<Vec<Family<P>>>>,
}

impl<P: Position, E> Overheard<P, E> {
    fn new(inner: E) -> Self {
        Overheard { inner, asked: Arc::default(), families: Arc::default() }
    }
}

impl<P: Position, E: Evaluator<P>> Evaluator<P> for Overheard<P, E> {
    type Scratch = E::Scratch;

    fn scratch(&self, seed: u64) -> E::Scratch {
        self.inner.scratch(seed)
    }

    fn win(&self) -> f32 {
        self.inner.win()
    }

    fn judge(&self, question: &Question<'_, P>, answer: &mut Answer<P::Move>, scratch: &mut E::Scratch) {
        if question.want.has(Want::CHILDREN) {
            let family = (question.position.clone(), question.plies.to_vec());
            self.families.lock().expect("no thread panics").push(family);
        } else {
            self.asked.fetch_add(1, Ordering::Relaxed);
        }
        self.inner.judge(question, answer, scratch);
    }
}

/// Judges families again, without a tree around: siblings, and the seconds it took.
fn judge_again<P: Position>(evaluator: &impl Evaluator<P>, families: &[Family<P>]) -> (usize, f64) {
    let (mut scratch, mut out, mut moves) = (evaluator.scratch(0), Answer::default(), Vec::new());
    let (mut count, clock) = (0, Stopwatch::start());
    for (parent, plies) in families {
        parent.generate(&mut moves);
        let past = &plies[..plies.len().saturating_sub(1)];
        let want = Want::CHILDREN | Want::PRIORS;
        out.clear();
        evaluator.judge(&Question { past, plies, want, ..Question::of(parent, &moves) }, &mut out, &mut scratch);
        count += out.values.len();
    }
    (count, clock.busy().as_secs_f64())
}

/// The seconds it took.
fn measure<P: Tactical>(
    what: &str,
    search: &mut dyn Search<P>,
    lines: &[Line<P>],
    limits: &Limits,
    nodes: bool,
) -> f64 {
    if std::env::args().nth(3).is_some_and(|only| !what.contains(&only)) {
        return 0.0;
    }
    let (mut count, mut busy) = (0, 0.0);
    for line in lines {
        // Emptying the tables of the last search is not part of this one.
        search.new_game();
        let clock = Stopwatch::start();
        let verdict = search.search(line, limits, &mut ());
        busy += clock.busy().as_secs_f64();
        count += if nodes { verdict.nodes } else { verdict.evaluations };
    }
    println!("{what:45} {count:9} {:6.0} ms {:6.3} M/s", busy * 1e3, count as f64 / busy / 1e6);
    busy
}

fn game<V: Variant>(name: &str, lines: &[Line<Shogi<V>>], evaluations: u64, options: QuietOptions) {
    fn one<V: Variant, E: Evaluator<Shogi<V>> + Clone>(
        name: &str,
        evaluator: E,
        lines: &[Line<Shogi<V>>],
        n: u64,
        options: QuietOptions,
    ) {
        let limits = Limits::evaluations(n);
        let method = || "mcss(t=80,hash=512)".parse().expect("a method");
        let mut plain = TreeSearch::new(method(), evaluator.clone());
        measure(&format!("mcss + {name}, evaluations"), &mut plain, lines, &limits, false);
        let mut quiet = TreeSearch::new(method(), Quiet::new(evaluator.clone(), options));
        let busy = measure(&format!("mcss + quiet({name}), evaluations"), &mut quiet, lines, &limits, false);
        if busy > 0.0 {
            let positions = Overheard::new(evaluator.clone());
            let siblings = Overheard::new(Quiet::new(positions.clone(), options));
            let mut counting = TreeSearch::new(method(), siblings.clone());
            for line in lines {
                counting.new_game();
                counting.search(line, &limits, &mut ());
            }
            let asked = positions.asked.load(Ordering::Relaxed) as f64;
            println!("{:45} {asked:9.0}           {:6.3} M/s", "… positions on the way", asked / busy / 1e6);
            let families = siblings.families.lock().expect("no thread panics");
            let (count, busy) = judge_again(&Quiet::new(evaluator.clone(), options), &families);
            let speed = count as f64 / busy / 1e6;
            println!("{:45} {count:9} {:6.0} ms {speed:6.3} M/s", "… without the tree", busy * 1e3);
        }
        let mut alpha_beta = AlphaBeta::tactical(evaluator, AlphaBetaOptions::default());
        measure(&format!("alpha-beta + {name}, nodes"), &mut alpha_beta, lines, &Limits::nodes(n), true);
    }
    one(&format!("material, {name}"), Material, lines, evaluations, options);
    one(&format!("linear, {name}"), Linear::<V>::embedded(), lines, evaluations, options);
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let evaluations = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(500_000);
    let spec = Spec::parse(&arguments.next().unwrap_or("quiet".to_string())).expect("quiet(…)");
    let options = QuietOptions::from_spec(&spec, QuietOptions::default()).expect("options");
    let line = |sfen: &&str| Line::new(Minishogi::from_sfen(sfen).expect("a position"));
    game("minishogi", &MINISHOGI.iter().map(line).collect::<Vec<_>>(), evaluations, options);
    let line = |sfen: &&str| Line::new(Shogi9::from_sfen(sfen).expect("a position"));
    game("shogi", &SHOGI.iter().map(line).collect::<Vec<_>>(), evaluations, options);
}
