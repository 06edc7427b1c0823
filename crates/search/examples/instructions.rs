//! A search of a given number of simulations and nothing else, for counting instructions: the difference between two counts is the price of a sample.
//!
//! `valgrind --tool=callgrind target/release/examples/instructions (puct | mcss | linear | uct | go | alpha-beta) SIMULATIONS`
//!
//! Valgrind knows no AVX-512, and rustix reads the clock in a way that it refuses: build with `RUSTFLAGS="-C target-cpu=x86-64-v3 --cfg rustix_use_libc"`
//! and `cargo build --release -p yomi-search --features measure --example instructions`.
#![allow(clippy::print_stdout, reason = "this program prints")]

use yomi_core::toy::ConnectFour;
use yomi_core::{Line, Notation, Uniform};
use yomi_eval::{Linear, Material, Rollout};
use yomi_games::go::Go9;
use yomi_games::shogi::Minishogi;
use yomi_search::{AlphaBeta, AlphaBetaOptions, Limits, Quiet, QuietOptions, Search, TreeSearch};

/// The explicit parameters keep the trees equal where the defaults of two versions differ.
fn main() {
    let [what, simulations] = std::array::from_fn(|i| std::env::args().nth(i + 1).unwrap_or_default());
    let limits = Limits::simulations(simulations.parse().expect("how many simulations"));
    let minishogi = || Line::new(Minishogi::start(&"minishogi".parse().expect("a name")).expect("a game"));
    let method = |text: &str| text.parse().expect("a method");
    let verdict = match what.as_str() {
        "puct" => {
            let evaluator = Quiet::new(Material, QuietOptions::default());
            let found =
                TreeSearch::new(method("puct(c=100,hash=64)"), evaluator).search(&minishogi(), &limits, &mut ());
            (found.value, found.nodes, found.evaluations)
        }
        "mcss" => {
            let evaluator = Quiet::new(Linear::embedded(), QuietOptions::default());
            let found = TreeSearch::new(method("mcss(t=60,hash=64)"), evaluator).search(&minishogi(), &limits, &mut ());
            (found.value, found.nodes, found.evaluations)
        }
        // Siblings judged without quiescence: without this row the compiler would find one user of the linear sums less than in the program.
        "linear" => {
            let mut search = TreeSearch::new(method("mcss(t=60,hash=64)"), Linear::embedded());
            let found = search.search(&minishogi(), &limits, &mut ());
            (found.value, found.nodes, found.evaluations)
        }
        "uct" => {
            let mut search = TreeSearch::new(method("uct(c=1,hash=64)"), Rollout::new(Uniform));
            let found = search.search(&Line::new(ConnectFour::default()), &limits, &mut ());
            (found.value, found.nodes, found.evaluations)
        }
        "go" => {
            let mut search = TreeSearch::new(method("uct(c=1,hash=64)"), Rollout::new(Uniform));
            let line = Line::new(Go9::start(&"go9".parse().expect("a name")).expect("a game"));
            let found = search.search(&line, &limits, &mut ());
            (found.value, found.nodes, found.evaluations)
        }
        "alpha-beta" => {
            let mut search = AlphaBeta::tactical(Linear::embedded(), AlphaBetaOptions::default());
            let nodes = limits.simulations.unwrap_or(0);
            let found = search.search(&minishogi(), &Limits::nodes(nodes), &mut ());
            (found.value, found.nodes, found.evaluations)
        }
        _ => panic!("puct, mcss, linear, uct, go or alpha-beta"),
    };
    println!("{what}: value {}, {} nodes, {} evaluations", verdict.0, verdict.1, verdict.2);
}
