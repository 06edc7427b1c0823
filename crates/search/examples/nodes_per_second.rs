//! Nodes per second of alpha-beta in shogi with material: nodes, CPU time and their ratio for a few positions.
//!
//! `cargo run --release -p yomi-search --features measure --example nodes_per_second [nodes] [options]`
#![allow(clippy::print_stdout, reason = "this program prints")]

use yomi_core::clock::Stopwatch;
use yomi_core::perft::perft;
use yomi_core::{Line, Tactical};
use yomi_eval::Material;
use yomi_games::shogi::{Minishogi, Shogi9};
use yomi_search::alpha_beta::{AlphaBeta, AlphaBetaOptions};
use yomi_search::{Limits, Search};

const SHOGI: [&str; 4] = [
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
    "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
    "ln1g4l/1ks1gr3/1pppp2p1/p4p2p/2P2N3/P3SP2P/1P1PP4/1KGS1G1R1/LN6L b BSPbn2p 1",
    "6n1l/2+S1k4/2lp4p/1np1B2b1/3PP4/1N1S3rP/1P2+pPP+p1/1p1G5/3KG2r1 b GSN2L4Pgs2p 1",
];

const MINISHOGI: [&str; 2] = ["rbsgk/4p/5/P4/KGSBR b - 1", "r1sgk/2b1p/P4/2B2/KGS1R w - 1"];

fn measure<P: Tactical>(name: &str, line: &Line<P>, options: AlphaBetaOptions, nodes: u64) -> (u64, f64)
where
    Material: yomi_core::Evaluator<P>,
{
    let mut search = AlphaBeta::tactical(Material, options);
    let clock = Stopwatch::start();
    let verdict = search.search(line, &Limits::nodes(nodes), &mut ());
    let busy = clock.busy().as_secs_f64();
    println!(
        "{name:9} depth {:2}/{:2} value {:7.0} nodes {:9} evaluations {:9} {:6.0} ms {:5.2} M nodes/s",
        verdict.depth,
        verdict.selective_depth,
        verdict.value,
        verdict.nodes,
        verdict.evaluations,
        busy * 1e3,
        verdict.nodes as f64 / busy / 1e6
    );
    (verdict.nodes, busy)
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let nodes = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(2_000_000);
    let options: AlphaBetaOptions =
        arguments.next().map_or(Ok(AlphaBetaOptions::default()), |text| text.parse()).expect("options");
    // How fast the machine is just now: moves counted a second from the start position.
    let clock = Stopwatch::start();
    let counted = perft(&Shogi9::default(), 5);
    println!("perft: {:.1} M moves/s", counted as f64 / clock.busy().as_secs_f64() / 1e6);
    let mut all: Vec<(u64, f64)> = Vec::new();
    for sfen in SHOGI {
        all.push(measure("shogi", &Line::new(Shogi9::from_sfen(sfen).expect("a position")), options, nodes));
    }
    let (nodes_visited, busy) = all.iter().fold((0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    println!("shogi: {:.2} M nodes/s", nodes_visited as f64 / busy / 1e6);
    for sfen in MINISHOGI {
        measure("minishogi", &Line::new(Minishogi::from_sfen(sfen).expect("a position")), options, nodes);
    }
}
