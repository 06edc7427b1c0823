//! Solves Go on four by four from the empty board by alpha-beta that knows nothing but the rules: Black gets two points (van der Werf
//! 2003), so he wins with 1.5 points of komi and loses with 2.5.
//!
//! `cargo run --release -p yomi-search --features measure --example four_by_four`, some minutes.
#![allow(clippy::print_stdout, reason = "this program prints")]

use yomi_core::{Line, Notation};
use yomi_eval::constant::Blind;
use yomi_games::go::Go9;
use yomi_search::{AlphaBeta, AlphaBetaOptions, Limits, Search};

/// No game that matters is longer.
const LONGEST: u32 = 60;

fn main() {
    for (threads, game) in
        [1, 2].into_iter().flat_map(|threads| ["go4(komi=1.5)", "go4(komi=2.5)"].map(|game| (threads, game)))
    {
        let line = Line::new(Go9::start(&game.parse().expect("a game")).expect("its start"));
        let options = AlphaBetaOptions { hash: 1024, threads, ..AlphaBetaOptions::default() };
        let verdict = AlphaBeta::new(Blind, options).search(&line, &Limits::depth(LONGEST), &mut ());
        let first = verdict.best.map(|mv| line.position().move_text(mv)).unwrap_or_default();
        println!(
            "{game}, {threads} threads: {:?} {first}, {} nodes, {:.0?}",
            verdict.proof, verdict.nodes, verdict.elapsed
        );
    }
}
