//! Alpha-beta in shogi and minishogi: minimax, mates, repetition, limits.

use yomi_core::{Evaluator, Line, Notation, Outcome, Position, Question, Seed, Tactical};
use yomi_eval::Material;
use yomi_games::shogi::{Minishogi, Shogi9, ShogiMove};
use yomi_search::alpha_beta::{AlphaBeta, AlphaBetaOptions, Repetition};
use yomi_search::greedy::Greedy;
use yomi_search::quiescence::{Quiet, QuietOptions};
use yomi_search::{Ended, Limits, Proof, Search};

/// Plain minimax with distances: lost games count -100,000 and one less bad a ply, others their material.
fn minimax<P: Position>(line: &Line<P>, depth: u32, ply: u32) -> f32
where
    Material: Evaluator<P, Scratch = ()>,
{
    let mut moves = Vec::new();
    match line.generate(&mut moves) {
        Some(Outcome::Draw) => 0.0,
        Some(Outcome::Win(side)) => {
            (if side == line.position().turn() { 1.0 } else { -1.0 }) * (100_000.0 - ply as f32)
        }
        None if depth == 0 => Material.value(&Question::of(line.position(), &[]), &mut ()),
        None => moves.iter().fold(f32::NEG_INFINITY, |best, &mv| {
            let mut child = line.clone();
            child.play(mv);
            best.max(-minimax(&child, depth - 1, ply + 1))
        }),
    }
}

fn random_line<P: Position>(start: &P, game: u64, longest: usize) -> Line<P> {
    let mut rng = Seed::new(31).branch("alpha-beta", game).rng();
    let mut line = Line::new(start.clone());
    let mut moves = Vec::new();
    for _ in 0..rng.below(longest) {
        if line.generate(&mut moves).is_some() {
            break;
        }
        line.play(moves[rng.below(moves.len())]);
    }
    line
}

fn agrees_with_minimax<P: Tactical>(line: &Line<P>, depth: u32, options: AlphaBetaOptions)
where
    Material: Evaluator<P, Scratch = ()>,
{
    let expected = minimax(line, depth, 0);
    let verdict = AlphaBeta::tactical(Material, options).search(line, &Limits::depth(depth), &mut ());
    let found = match verdict.proof {
        Some(Proof::Win(n)) => 100_000.0 - n as f32,
        Some(Proof::Loss(n)) => n as f32 - 100_000.0,
        _ => verdict.value,
    };
    assert!((found - expected).abs() < 0.01, "{found} {expected} depth {depth} {options}\n{}", line.position());
}

#[test]
fn finds_the_minimax_value() {
    for bits in 0..16u64 {
        let on = |bit: u32| bits >> bit & 1 == 1;
        let options = AlphaBetaOptions {
            scout: on(0),
            killers: on(1),
            history: on(1),
            table: on(2),
            aspiration: if on(3) { 20 } else { 0 },
            hash: 1,
            ..AlphaBetaOptions::full_width()
        };
        for game in 0..4 {
            agrees_with_minimax(&random_line(&Minishogi::default(), 4 * bits + game, 60), 3, options);
            agrees_with_minimax(&random_line(&Shogi9::default(), 4 * bits + game, 100), 2, options);
        }
    }
}

/// Problems of YaneuraOu's published sets; alpha-beta must find them with all its prunings on.
const MATES: [(&str, u32); 6] = [
    ("ln1gkg1nl/6+P2/2sppps1p/2p3p2/p8/P1P1P3P/2NP1PP2/3s1KSR1/L1+b2G1NL w R2Pbgp 42", 3),
    ("l3kgsnl/9/p1pS+Bp3/7pp/6PP1/9/PPPPPPn1P/1B1GG2+r1/LNS1K3L w RG3Psnp 54", 3),
    ("l3k2nl/4g1gb1/1+S1pspp+P1/p1p6/3n4p/2PPR1P2/P2bPP2P/5GS2/LN1K4L w R2Pgsn2p 50", 3),
    ("lns+R4l/1p1p5/p1pkppB1p/6p2/1R7/6P1P/P1PPnPS2/2+b1G1g2/L3K1sNL b 2GS3Pnp 51", 3),
    ("1+P1gkg2l/2s3s+P1/3ppp2p/P1p2npp1/l2N1+b3/3KP1P2/N2P1PS1P/2+p1G2R1/L1+r3sNL w Pbgp 58", 3),
    ("l2gkg2l/2s3s2/p1nppp1pp/2p3p2/P4P1P1/4n3P/1PPPG1N2/1BKS2+s2/LN3+r3 w RBgl3p 72", 5),
];

#[test]
fn finds_published_mates() {
    for threads in [1, 2] {
        let mut search =
            AlphaBeta::tactical(Material, AlphaBetaOptions { hash: 4, threads, ..AlphaBetaOptions::default() });
        for (sfen, plies) in MATES {
            let line = Line::new(Shogi9::from_sfen(sfen).unwrap());
            search.new_game();
            let verdict = search.search(&line, &Limits::nodes(2_000_000), &mut ());
            assert_eq!((verdict.proof, verdict.ended), (Some(Proof::Win(plies)), Some(Ended::Solved)), "{sfen}");
            assert_eq!(verdict.pv.len() as u32, plies, "{:?}", verdict.pv);
            let mut end = line.clone();
            verdict.pv.iter().for_each(|&mv| end.play(mv));
            assert!(end.generate(&mut Vec::new()).is_some());
        }
    }
}

/// A win that is claimed with all prunings on is a win that the full width of the tree has, too.
#[test]
fn claims_no_false_wins() {
    let (mut wins, mut losses) = (0, 0);
    for game in 0..200 {
        let line = random_line(&Minishogi::default(), 1000 + game, 70);
        // Every second position with the switches that are off by default.
        let usual = AlphaBetaOptions { hash: 1, ..AlphaBetaOptions::default() };
        let more = AlphaBetaOptions { leaf_table: true, futile: 5, margin: 130, ..usual };
        let options = if game % 2 == 0 { usual } else { more };
        let verdict = AlphaBeta::tactical(Material, options).search(&line, &Limits::nodes(5_000), &mut ());
        let Some(Proof::Win(plies) | Proof::Loss(plies)) = verdict.proof else { continue };
        if !(1..=4).contains(&plies) {
            continue;
        }
        let options = AlphaBetaOptions { hash: 1, ..AlphaBetaOptions::full_width() };
        let full = AlphaBeta::tactical(Material, options).search(&line, &Limits::depth(plies), &mut ());
        match (verdict.proof, full.proof) {
            (Some(Proof::Win(n)), Some(Proof::Win(m))) => assert!(m <= n),
            (Some(Proof::Loss(_)), Some(Proof::Loss(_))) => losses += 1,
            other => panic!("{other:?}\n{}", line.position()),
        }
        wins += 1;
    }
    assert!(wins >= 25 && losses > 3, "{wins} {losses}");
}

/// Quiescence searches that are kept in the table are not made again.
#[test]
fn the_table_saves_leaves() {
    let mut judged = [0; 2];
    for game in 0..12 {
        let line = random_line(&Minishogi::default(), 3000 + game, 30);
        for (leaf_table, judged) in [false, true].into_iter().zip(&mut judged) {
            let options = AlphaBetaOptions { hash: 4, leaf_table, ..AlphaBetaOptions::default() };
            let verdict = AlphaBeta::tactical(Material, options).search(&line, &Limits::depth(6), &mut ());
            *judged += verdict.evaluations;
        }
    }
    assert!(20 * judged[1] < 19 * judged[0], "{judged:?}");
}

/// The values of all moves at depth 1.
fn move_values(line: &Line<Minishogi>, repetition: Repetition) -> Vec<(ShogiMove, f32)> {
    let options = AlphaBetaOptions { hash: 0, multipv: usize::MAX, repetition, ..AlphaBetaOptions::default() };
    let verdict = AlphaBeta::tactical(Material, options).search(line, &Limits::depth(1), &mut ());
    verdict.moves.iter().map(|found| (found.mv, found.value)).collect()
}

#[test]
fn the_first_repetition_is_judged_as_the_last() {
    // In the first cycle neither side is in check all the way; in the second one side does nothing but give check, and loses.
    for (sfen, circle, perpetual) in [
        ("S2k1/S2g1/GR3/B1Kpp/B4 b R 53", "4c4a 2a1b 4a4c 1b2a", false),
        ("2kpg/4p/1KSbR/2GR1/2SB1 b - 23", "3c4b 3a2b 4b3c 2b3a", true),
    ] {
        let mut line = Line::new(Minishogi::from_sfen(sfen).unwrap());
        let moves: Vec<&str> = circle.split(' ').collect();
        for text in &moves[..3] {
            let mv = line.position().parse_move(text).unwrap();
            line.play(mv);
        }
        let back = line.position().parse_move(moves[3]).unwrap();
        let value = |repetition| move_values(&line, repetition).iter().find(|found| found.0 == back).unwrap().1;
        let first = value(Repetition::First);
        if perpetual {
            assert!(first > 30_000.0, "{first}");
        } else {
            assert_eq!(first, 0.0);
        }
        assert!(value(Repetition::Rule) < 0.0, "without the rule the side that circles is lost");
    }
}

#[test]
fn one_thread_does_the_same_every_time() {
    let run = || {
        let mut search = AlphaBeta::tactical(Material, AlphaBetaOptions { hash: 2, ..AlphaBetaOptions::default() });
        let mut line = Line::new(Shogi9::default());
        let mut trace = Vec::new();
        for _ in 0..6 {
            let verdict = search.search(&line, &Limits::nodes(5_000), &mut ());
            trace.push((verdict.best, verdict.value.to_bits(), verdict.nodes, verdict.evaluations, verdict.pv.clone()));
            line.play(verdict.best.unwrap());
            search.played(verdict.best.unwrap());
        }
        trace
    };
    assert_eq!(run(), run());
}

#[test]
fn answers_in_every_position_with_every_budget() {
    let widest = "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1";
    let checked = "4k4/9/9/9/9/4r4/9/9/3PKP3 b R 1";
    let one_move = "8k/8P/7G1/9/9/9/9/9/4K4 w - 1";
    for sfen in [widest, checked, one_move] {
        let line = Line::new(Shogi9::from_sfen(sfen).unwrap());
        for threads in [1, 2] {
            for nodes in [0, 1, 2, 3, 10, 1000] {
                let mut search =
                    AlphaBeta::tactical(Material, AlphaBetaOptions { threads, hash: 0, ..AlphaBetaOptions::default() });
                let verdict = search.search(&line, &Limits::nodes(nodes), &mut ());
                assert!(line.is_legal(verdict.best.unwrap()), "{sfen} {nodes}");
                assert!(verdict.value.is_finite());
            }
        }
    }
    let mated = Line::new(Shogi9::from_sfen("4k4/4G4/4G4/9/9/9/9/9/4K4 w - 1").unwrap());
    let verdict = AlphaBeta::tactical(Material, AlphaBetaOptions { hash: 0, ..AlphaBetaOptions::default() }).search(
        &mated,
        &Limits::nodes(10),
        &mut (),
    );
    assert_eq!((verdict.best, verdict.proof, verdict.ended), (None, Some(Proof::Loss(0)), Some(Ended::GameOver)));
}

/// A few games: looking further ahead pays.
#[test]
fn beats_a_player_that_looks_one_ply_ahead() {
    let mut score = 0;
    for game in 0..6 {
        let mut line = random_line(&Minishogi::default(), game, 4);
        let mut deep = AlphaBeta::tactical(Material, AlphaBetaOptions { hash: 1, ..AlphaBetaOptions::default() });
        let mut greedy = Greedy::new(Quiet::new(Material, QuietOptions::default()));
        let deep_is_black = game % 2 == 0;
        let outcome = loop {
            if let Some(outcome) = line.generate(&mut Vec::new()) {
                break outcome;
            }
            if line.len() > 200 {
                break Outcome::Draw;
            }
            let mine = (line.position().turn() == yomi_core::Color::Black) == deep_is_black;
            let verdict = if mine {
                deep.search(&line, &Limits::nodes(2_000), &mut ())
            } else {
                greedy.search(&line, &Limits::infinite(), &mut ())
            };
            line.play(verdict.best.unwrap());
        };
        score += match outcome {
            Outcome::Draw => 0,
            Outcome::Win(side) => {
                if (side == yomi_core::Color::Black) == deep_is_black {
                    1
                } else {
                    -1
                }
            }
        };
    }
    assert_eq!(score, 6);
}
