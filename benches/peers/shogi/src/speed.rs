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

const ROUNDS: usize = 7;

pub fn table(depth: u32) {
    println!(
        "perft, leaves counted in bulk          nodes        yomi      haitaka        rsshogi  (M nodes per CPU second)"
    );
    for (name, sfen, depth) in [("start", START, depth), ("matsuri", MATSURI, 3), ("max593", MAX593, 3)] {
        let ours = Shogi9::from_sfen(sfen).expect("sfen");
        let haitaka = haitaka::Board::from_sfen(sfen).expect("sfen");
        let rsshogi = rsshogi::board::position_from_sfen(sfen).expect("sfen");
        compare(
            &format!("{name} depth {depth}"),
            [&mut || perft(&ours, depth), &mut || perft_haitaka(&haitaka, depth), &mut || {
                rsshogi::board::perft::perft(&rsshogi, depth as u8).expect("perft").nodes
            }],
        );
    }
    let mini = Minishogi::from_sfen(MINI).expect("sfen");
    alone("minishogi start depth 6", &mut || perft(&mini, 6));

    println!(
        "\nlisting all legal moves                moves        yomi      haitaka        rsshogi  (M moves per CPU second)"
    );
    let opening = positions_of_games(1000, 40);
    let game = positions_of_games(1000, 400);
    let one = |sfen: &str| vec![sfen.to_string()];
    for (name, sfens, times) in [
        ("start", one(START), 200_000),
        ("matsuri", one(MATSURI), 200_000),
        ("max593", one(MAX593), 200_000),
        ("1000 random openings", opening, 400),
        ("1000 positions of random games", game, 200),
    ] {
        listing(name, &sfens, times);
    }

    println!("\nrandom games, one thread (M plies per CPU second)");
    alone("shogi", &mut || playouts(&Shogi9::default(), 3000));
    alone("minishogi", &mut || playouts(&Minishogi::default(), 20_000));
}

/// Lists the legal moves of all positions so many times.
fn listing(name: &str, sfens: &[String], times: usize) {
    let ours: Vec<_> = sfens.iter().map(|s| Shogi9::from_sfen(s).expect("sfen")).collect();
    let haitaka: Vec<_> = sfens.iter().map(|s| haitaka::Board::from_sfen(s).expect("sfen")).collect();
    let rsshogi: Vec<_> = sfens.iter().map(|s| rsshogi::board::position_from_sfen(s).expect("sfen")).collect();
    let (mut moves, mut theirs, mut list) = (Vec::new(), Vec::new(), Move32List::new());
    compare(
        name,
        [
            &mut || {
                repeat(times, &ours, |position| {
                    position.generate(&mut moves);
                    moves.len()
                })
            },
            &mut || {
                repeat(times, &haitaka, |board| {
                    theirs.clear();
                    board.generate_moves(|set| {
                        theirs.extend(set);
                        false
                    });
                    theirs.len()
                })
            },
            &mut || {
                repeat(times, &rsshogi, |position| {
                    list.clear();
                    generate_legal_all_move32(position, &mut list);
                    list.len()
                })
            },
        ],
    );
}

/// Positions of random games of so many plies, without those where haitaka would list a pawn drop that mates.
fn positions_of_games(count: usize, plies: usize) -> Vec<String> {
    let mut rng = Seed::new(3).rng();
    let mut sfens = Vec::new();
    let mut moves = Vec::new();
    while sfens.len() < count {
        let mut position = Shogi9::default();
        for _ in 0..plies {
            if position.generate(&mut moves).is_some() {
                break;
            }
            let sfen = position.sfen();
            let mut theirs = 0;
            haitaka::Board::from_sfen(&sfen).expect("sfen").generate_moves(|set| {
                theirs += set.into_iter().len();
                false
            });
            if theirs == moves.len() && rng.chance(0.1) {
                sfens.push(sfen);
            }
            position.play(moves[rng.below(moves.len())]);
        }
    }
    sfens.truncate(count);
    sfens
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

fn repeat<T>(times: usize, items: &[T], mut work: impl FnMut(&T) -> usize) -> u64 {
    (0..times).map(|_| items.iter().map(|item| work(std::hint::black_box(item)) as u64).sum::<u64>()).sum()
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
