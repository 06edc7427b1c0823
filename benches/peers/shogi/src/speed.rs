//! CPU time for the same work, best of three interleaved rounds.

use std::time::Duration;

use rsshogi::board::{Move32List, generate_legal_all_move32};
use yomi_core::clock::Stopwatch;
use yomi_core::perft::perft;
use yomi_core::policy::{Uniform, play_out};
use yomi_core::{Position, Seed, Simulate};
use yomi_games::shogi::{Minishogi, Shogi9};

const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
const MATSURI: &str = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1";
const MAX593: &str = "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1";
const MINI: &str = "rbsgk/4p/5/P4/KGSBR b - 1";

const ROUNDS: usize = 3;

pub fn table(depth: u32) {
    println!("perft, leaves counted in bulk          nodes        yomi      haitaka        rsshogi  (M nodes per CPU second)");
    for (name, sfen, depth) in [("start", START, depth), ("matsuri", MATSURI, 3), ("max593", MAX593, 3)] {
        let ours = Shogi9::from_sfen(sfen).expect("sfen");
        let haitaka = haitaka::Board::from_sfen(sfen).expect("sfen");
        let rsshogi = rsshogi::board::position_from_sfen(sfen).expect("sfen");
        compare(
            &format!("{name} depth {depth}"),
            [
                &mut || perft(&ours, depth),
                &mut || perft_haitaka(&haitaka, depth),
                &mut || rsshogi::board::perft::perft(&rsshogi, depth as u8).expect("perft").nodes,
            ],
        );
    }
    let mini = Minishogi::from_sfen(MINI).expect("sfen");
    alone("minishogi start depth 6", &mut || perft(&mini, 6));

    println!("\nlisting all legal moves                moves        yomi      haitaka        rsshogi  (M moves per CPU second)");
    for (name, sfen) in [("start", START), ("matsuri", MATSURI), ("max593", MAX593)] {
        let ours = Shogi9::from_sfen(sfen).expect("sfen");
        let haitaka = haitaka::Board::from_sfen(sfen).expect("sfen");
        let rsshogi = rsshogi::board::position_from_sfen(sfen).expect("sfen");
        let (mut moves, mut theirs, mut list) = (Vec::new(), Vec::new(), Move32List::new());
        let times = 200_000;
        compare(
            name,
            [
                &mut || {
                    repeat(times, || {
                        std::hint::black_box(&ours).generate(&mut moves);
                        moves.len()
                    })
                },
                &mut || {
                    repeat(times, || {
                        theirs.clear();
                        std::hint::black_box(&haitaka).generate_moves(|set| {
                            theirs.extend(set);
                            false
                        });
                        theirs.len()
                    })
                },
                &mut || {
                    repeat(times, || {
                        list.clear();
                        generate_legal_all_move32(std::hint::black_box(&rsshogi), &mut list);
                        list.len()
                    })
                },
            ],
        );
    }

    println!("\nrandom games, one thread (M plies per CPU second)");
    alone("shogi", &mut || playouts(&Shogi9::default(), 3000));
    alone("minishogi", &mut || playouts(&Minishogi::default(), 20_000));
}

/// One row: the same number from each, and how fast.
fn compare(name: &str, mut work: [&mut dyn FnMut() -> u64; 3]) {
    let mut best = [Duration::MAX; 3];
    let mut nodes = None;
    for _ in 0..ROUNDS {
        for (work, best) in work.iter_mut().zip(&mut best) {
            let watch = Stopwatch::start();
            let counted = work();
            *best = watch.busy().min(*best);
            assert_eq!(*nodes.get_or_insert(counted), counted, "the counts of {name} differ");
        }
    }
    let nodes = nodes.unwrap_or(0);
    let [ours, haitaka, rsshogi] = best.map(|time| nodes as f64 / time.as_secs_f64() / 1e6);
    println!(
        "{name:30} {nodes:>12} {ours:>11.1} {haitaka:>7.1} ({:.2}x) {rsshogi:>7.1} ({:.2}x)",
        ours / haitaka,
        ours / rsshogi
    );
}

/// One row without a peer.
fn alone(name: &str, work: &mut dyn FnMut() -> u64) {
    let mut best = 0.0f64;
    let mut nodes = 0;
    for _ in 0..ROUNDS {
        let watch = Stopwatch::start();
        nodes = work();
        best = best.max(nodes as f64 / watch.busy().as_secs_f64() / 1e6);
    }
    println!("{name:30} {nodes:>12} {best:>11.2}");
}

fn repeat(times: usize, mut work: impl FnMut() -> usize) -> u64 {
    (0..times).map(|_| work() as u64).sum()
}

fn playouts<P: Simulate>(start: &P, games: u64) -> u64 {
    let mut rng = Seed::new(1).rng();
    let mut sampler = P::Sampler::default();
    (0..games).map(|_| play_out(&mut start.clone(), 0, &Uniform, &mut rng, &mut sampler).1 as u64).sum()
}

/// As in haitaka's own example: leaves are counted a set at a time.
fn perft_haitaka(board: &haitaka::Board, depth: u32) -> u64 {
    let mut nodes = 0;
    board.generate_moves(|moves| {
        if depth == 1 {
            nodes += moves.into_iter().len() as u64;
        } else {
            for mv in moves {
                let mut child = board.clone();
                child.play_unchecked(mv);
                nodes += perft_haitaka(&child, depth - 1);
            }
        }
        false
    });
    nodes
}
