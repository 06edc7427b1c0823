//! CPU time for the same work, best of three interleaved rounds.

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
const LONG_ENOUGH: f64 = 0.25;

pub fn table(depth: u32) {
    header("perft, leaves counted in bulk", "nodes", &["haitaka", "rsshogi"]);
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
    compare("minishogi start depth 6", [&mut || perft(&mini, 6)]);

    header("listing all legal moves", "moves", &["haitaka", "rsshogi"]);
    let opening = positions_of_games(1000, 40);
    let game = positions_of_games(1000, 400);
    let one = |sfen: &str| vec![sfen.to_string()];
    for (name, sfens, times) in [
        ("start", one(START), 1000),
        ("matsuri", one(MATSURI), 1000),
        ("max593", one(MAX593), 1000),
        ("1000 random openings", opening, 10),
        ("1000 positions of random games", game, 10),
    ] {
        listing(name, &sfens, times);
    }

    header("looking for a mate in one", "positions", &["rsshogi"]);
    mates("1000 positions of random games", &positions_of_games(1000, 400));

    header("random games, one thread", "plies", &[]);
    compare("shogi", [&mut || playouts(&Shogi9::default(), 1000)]);
    compare("minishogi", [&mut || playouts(&Minishogi::default(), 10_000)]);
}

/// The head of a table of millions a CPU second, ours first, then each peer's with how many times as fast ours is.
fn header(what: &str, unit: &str, peers: &[&str]) {
    print!("\n{what:38} {unit:>10} {:>10}", "yomi M/s");
    for peer in peers {
        print!(" {peer:>9}        ");
    }
    println!();
}

/// Lists the legal moves of all positions this many times.
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

/// Looks for mates in one in all positions; both must find as many.
fn mates(name: &str, sfens: &[String]) {
    let ours: Vec<_> = sfens.iter().map(|s| Shogi9::from_sfen(s).expect("sfen")).collect();
    let theirs: Vec<_> = sfens.iter().map(|s| rsshogi::board::position_from_sfen(s).expect("sfen")).collect();
    let found = ours.iter().filter(|p| p.mate_in_one().is_some()).count();
    assert_eq!(found, theirs.iter().filter(|p| rsshogi::mate::solve_mate_in_one(p).is_some()).count());
    compare(
        &format!("{name}, {found} mates"),
        [&mut || repeat(1, &ours, |position| once(position.mate_in_one())), &mut || {
            repeat(1, &theirs, |position| once(rsshogi::mate::solve_mate_in_one(position)))
        }],
    );
}

/// Positions of random games of this many plies, without those where haitaka would list a pawn drop that mates.
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
fn compare<const N: usize>(name: &str, mut work: [&mut dyn FnMut() -> u64; N]) {
    let mut best = [0.0f64; N];
    let mut nodes = None;
    for _ in 0..ROUNDS {
        for (work, best) in work.iter_mut().zip(&mut best) {
            let (watch, mut times) = (Stopwatch::start(), 0);
            // The clock of a thread ticks every few milliseconds only, so short work is repeated.
            let seconds = loop {
                let counted = work();
                times += 1;
                assert_eq!(*nodes.get_or_insert(counted), counted, "the counts of {name} differ");
                let seconds = watch.busy().as_secs_f64();
                if seconds > LONG_ENOUGH {
                    break seconds;
                }
            };
            *best = best.max(nodes.unwrap_or(0) as f64 * f64::from(times) / seconds / 1e6);
        }
    }
    let ours = best[0];
    print!("{name:38} {:>10} {ours:>10.2}", nodes.unwrap_or(0));
    for theirs in &best[1..] {
        print!(" {theirs:>9.2} ({:>4.2}x)", ours / theirs);
    }
    println!();
}

/// Counts one look, whatever it found.
fn once<T>(found: T) -> usize {
    std::hint::black_box(found);
    1
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
pub fn perft_haitaka(board: &haitaka::Board, depth: u32) -> u64 {
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
