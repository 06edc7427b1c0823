//! Mates in shogi and minishogi: published problems, brute force, random positions.

use std::time::Duration;

use yomi_core::{Line, Notation, Position, Seed, Tactical};
use yomi_games::shogi::{Minishogi, Shogi9};
use yomi_search::mate::{Mate, MateOptions, MateReport, MateSearch};
use yomi_search::{Ended, Limits};

const SMALL: MateOptions = MateOptions { hash: 1, shortest: true };

/// The slow twin: whether checks mate within a number of plies, by trying everything.
fn mates_within<P: Tactical>(line: &Line<P>, plies: usize) -> bool {
    let mut moves = Vec::new();
    if plies == 0 || line.generate(&mut moves).is_some() {
        return false;
    }
    moves.iter().any(|&mv| {
        let mut child = line.clone();
        child.play(mv);
        child.position().in_check() && is_mated_within(&child, plies - 1)
    })
}

fn is_mated_within<P: Tactical>(line: &Line<P>, plies: usize) -> bool {
    let mut moves = Vec::new();
    match line.generate(&mut moves) {
        Some(outcome) => outcome == yomi_core::Outcome::Win(!line.position().turn()) && line.position().in_check(),
        None => {
            plies > 0
                && moves.iter().all(|&mv| {
                    let mut child = line.clone();
                    child.play(mv);
                    mates_within(&child, plies - 1)
                })
        }
    }
}

/// A line is legal, all its checks are checks, and at its end there is mate.
fn check_line<P: Tactical + Notation>(line: &Line<P>, moves: &[P::Move]) {
    let mut end = line.clone();
    assert_eq!(moves.len() % 2, 1);
    for (i, &mv) in moves.iter().enumerate() {
        assert!(end.is_legal(mv), "{}", end.position());
        end.play(mv);
        assert!(i % 2 == 1 || end.position().in_check());
    }
    assert!(is_mated_within(&end, 0), "{}", end.position());
}

fn solve<P: Tactical>(line: &Line<P>, limits: Limits) -> MateReport<P::Move> {
    MateSearch::new(SMALL).solve(line, &limits, &mut ())
}

fn shogi(sfen: &str) -> Line<Shogi9> {
    Line::new(Shogi9::from_sfen(sfen).unwrap())
}

/// Mates with the number of plies their publishers state: the sets of YaneuraOu (2020) and the tests of tsumeshogi-check.
const PUBLISHED: &[(&str, usize)] = &[
    ("k8/9/PK7/9/9/9/9/9/9 b 2r2b4g4s4n4l17p 1", 1),
    ("3k5/9/3S5/9/9/9/9/9/9 b S2r2b4g2s4n4l18p 1", 1),
    ("4k4/9/4G4/9/9/9/9/9/4K4 b G 1", 1),
    ("ln1gkg1nl/6+P2/2sppps1p/2p3p2/p8/P1P1P3P/2NP1PP2/3s1KSR1/L1+b2G1NL w R2Pbgp 42", 3),
    ("l3kgsnl/9/p1pS+Bp3/7pp/6PP1/9/PPPPPPn1P/1B1GG2+r1/LNS1K3L w RG3Psnp 54", 3),
    ("l3k2nl/4g1gb1/1+S1pspp+P1/p1p6/3n4p/2PPR1P2/P2bPP2P/5GS2/LN1K4L w R2Pgsn2p 50", 3),
    ("lns+R4l/1p1p5/p1pkppB1p/6p2/1R7/6P1P/P1PPnPS2/2+b1G1g2/L3K1sNL b 2GS3Pnp 51", 3),
    ("1+P1gkg2l/2s3s+P1/3ppp2p/P1p2npp1/l2N1+b3/3KP1P2/N2P1PS1P/2+p1G2R1/L1+r3sNL w Pbgp 58", 3),
    ("lnsG5/4g4/prpp1p1pp/1p4p2/4+B3k/2P1P4/P+b1PSP1LP/4K2SL/2G2G1r1 b SP3nl3p 71", 3),
    ("l5+R1l/4kS3/p4pnpp/2Pppb3/6p1P/P2s5/NP2+nPPR1/2+bS2GK1/L6NL b 3GSP4p 93", 3),
    ("lR5nl/5k1b1/2gp3p1/2s1p1P2/p4N2p/P3PpR2/1PPP1P2P/2G1K2s1/LN6L b GSN2Pbgs2p 83", 3),
    ("l1+R5l/2pS5/p2pp+P1pp/2k3p2/2N4P1/PP2R1P1P/2+pPP1N2/2GSG1bs1/LN1K4L b 2GSNPbp 73", 3),
    ("lnsg4l/1r1b5/p1pp1+N1+R1/4p3p/9/P3SSk2/NpPPPPg1P/2GK5/L1S4NL b 2Pbg4p 91", 3),
    ("9/9/5k3/9/4G4/4P4/9/9/9 b 3G2r2b4s4n4l17p 1", 5),
    ("6knl/6s2/5Pppp/9/9/9/9/9/9 b G2S2r2b3gs3n3l14p 1", 5),
    ("7nl/7k1/6ppp/9/9/9/9/9/5R3 b Sr2b4g3s3n3l15p 1", 5),
    ("7nl/5+R1gk/6Ppp/9/9/9/9/9/9 b Gr2b2g4s3n3l15p 1", 5),
    ("4R2nl/6sk1/6pp1/8p/9/9/9/9/9 b BGLrb3g3s3n2l15p 1", 5),
    ("l2gkg2l/2s3s2/p1nppp1pp/2p3p2/P4P1P1/4n3P/1PPPG1N2/1BKS2+s2/LN3+r3 w RBgl3p 72", 5),
    ("ln7/1k1+P5/1pp1S4/p8/9/2P6/9/9/9 b BGN2rbg2s2n3l13p 1", 9),
    ("ln1p5/2k1p4/1pgP+P4/p8/1P7/P8/9/9/9 b RG2Sr2b2g2s3n3l10p 1", 9),
    ("ln7/1k2s4/1pp6/p8/9/3L5/9/9/9 b RBGNrb3g3s2n2l15p 1", 9),
    ("l4kb1+R/4gs1+P1/2+Pp2p1n/p3pS2p/9/P1pP2PbP/4PPN2/2+pS1K1s1/L+r3G1NL b GL2Pgnp 59", 9),
    ("ln2gs2l/2k1g2P1/2p4p1/P2pS1p1p/9/5pP1P/3PP4/1+r1S1S2B/L+rPKG3L w BPg3n4p 74", 9),
    ("ln1gk3l/5p3/p2pp2+R1/2p2+Bp1p/9/P3P4/N+rPP2P1P/2gSKS3/L1+s2G1NL b GNbs5p 65", 9),
    ("+P2+Rb1gnl/7k1/n1p1+Bp1pp/p5p2/1p1pP2P1/2+s6/PsNGSPP1P/3KG4/L5RNL b SL3Pg 83", 11),
    ("l3+Rpknl/9/4G1pg1/pP+B2Ssp1/1npnP4/4KP2P/P2P4L/2GS4G/LR7 b SN6Pbp 151", 11),
    ("l4rg2/2+B1g1sl1/p2n1kn2/2p1Ppp2/3+R5/1PPP2P2/P1S2PN1P/3GGS3/+p3K3L b SN3Pbl2p 89", 11),
    ("ln1g1k1nl/1r2Pgg2/p2p+Bs1pp/2p3n2/7P1/2P1pb2P/PP1P5/1K4Pr1/LN1+p4L w GSP2s2p 114", 11),
    ("lnS1B2nl/4G1kn1/pr2pg1p1/6P1p/1Pp1P4/P3+bpG1P/1GS+r5/1KP2P3/LN6L w S4Psp 132", 11),
];

/// Here the problem's five plies do not count an interposition that only delays; the rules do.
const DELAYED: &str = "7nl/7k1/6ppp/9/9/9/9/9/5R3 b Sr2b4g3s3n3l15p 1";

#[test]
fn published_mates_have_their_published_lengths() {
    let mut search = MateSearch::new(MateOptions { hash: 4, shortest: true });
    for &(sfen, plies) in PUBLISHED {
        let line = shogi(sfen);
        let report = search.solve(&line, &Limits::nodes(300_000), &mut ());
        let Mate::Found { line: moves, shortest: true } = report.mate else { panic!("{sfen}: {report:?}") };
        assert_eq!(moves.len(), plies + if sfen == DELAYED { 2 } else { 0 }, "{sfen}");
        check_line(&line, &moves);
    }
    assert!(!mates_within(&shogi(DELAYED), 5));
}

/// Random positions: what the solver says about short mates is what brute force says.
fn compare_with_brute_force<P: Tactical + Notation>(start: &P, games: u64, longest: usize) -> [u32; 8] {
    let mut search = MateSearch::new(SMALL);
    let mut found = [0; 8];
    for game in 0..games {
        let mut rng = Seed::new(11).branch("mate", game).rng();
        let mut line = Line::new(start.clone());
        let mut moves = Vec::new();
        for _ in 0..rng.below(80) {
            if line.generate(&mut moves).is_some() {
                break;
            }
            line.play(moves[rng.below(moves.len())]);
        }
        let brute = (1..=longest).step_by(2).find(|&plies| mates_within(&line, plies));
        let bounded = search.solve(&line, &Limits { depth: Some(longest as u32), ..Limits::infinite() }, &mut ());
        match (&bounded.mate, brute) {
            (Mate::Found { line: moves, shortest: true }, Some(plies)) => {
                assert_eq!(moves.len(), plies, "{}", line.position());
                check_line(&line, moves);
            }
            (Mate::None, None) => {}
            other => panic!("{other:?} in\n{}", line.position()),
        }
        let free = search.solve(&line, &Limits::nodes(20_000), &mut ());
        match (&free.mate, brute) {
            (Mate::Found { line: moves, shortest }, _) => {
                check_line(&line, moves);
                assert!(!shortest || brute.is_none_or(|plies| plies == moves.len()), "{}", line.position());
            }
            (_, Some(_)) => panic!("missed a mate in\n{}", line.position()),
            (Mate::None | Mate::Unknown, None) => {}
        }
        found[brute.unwrap_or(0)] += 1;
    }
    found
}

#[test]
fn agrees_with_brute_force() {
    let found = compare_with_brute_force(&Minishogi::default(), 400, 5);
    assert!(found[1] > 20 && found[3] > 5 && found[5] > 0, "{found:?}");
    let found = compare_with_brute_force(&Shogi9::default(), 100, 3);
    assert!(found[0] > 50, "{found:?}");
}

#[test]
fn small_tables_and_short_budgets() {
    for &(sfen, plies) in PUBLISHED.iter().filter(|&&(_, plies)| plies <= 5) {
        let line = shogi(sfen);
        for hash in [0, 1] {
            let mut search = MateSearch::new(MateOptions { hash, shortest: false });
            match search.solve(&line, &Limits::nodes(100_000), &mut ()).mate {
                Mate::Found { line: moves, shortest: false } => check_line(&line, &moves),
                other => assert!(hash == 0 && other == Mate::Unknown, "{other:?} {sfen}"),
            }
            for nodes in [0, 1, 2, 5] {
                let report = search.solve(&line, &Limits::nodes(nodes), &mut ());
                assert!(report.nodes <= nodes);
                match report.mate {
                    Mate::Found { line: moves, .. } => check_line(&line, &moves),
                    Mate::Unknown => assert_eq!(report.ended, Some(Ended::Nodes)),
                    Mate::None => panic!("{sfen} at {nodes} nodes"),
                }
            }
        }
        let report = solve(&line, Limits { depth: Some(plies as u32 - 1), ..Limits::infinite() });
        assert!(plies == 5 || report.mate == Mate::None, "{sfen}");
    }
    let report = solve(&shogi(PUBLISHED[25].0), Limits::time(Duration::ZERO));
    assert_eq!((report.mate, report.nodes, report.ended), (Mate::Unknown, 0, Some(Ended::Time)));
}

#[test]
fn no_mate_is_said_only_where_there_is_none() {
    // No check at all; a check that leads nowhere; a finished game; only a dropped pawn would mate.
    for sfen in [
        "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
        "4k4/9/9/9/9/9/9/9/4K4 b G 1",
        "4k4/4G4/4G4/9/9/9/9/9/4K4 w - 1",
        "8k/9/7+RG/9/9/9/9/9/4K4 b P 1",
    ] {
        let report = solve(&shogi(sfen), Limits::nodes(200_000));
        let brute = mates_within(&shogi(sfen), 5);
        match report.mate {
            Mate::None => assert!(!brute, "{sfen}"),
            Mate::Found { line, .. } => check_line(&shogi(sfen), &line),
            Mate::Unknown => panic!("{sfen}: {report:?}"),
        }
    }
}

/// A check that mates in three, but not when the position after it has been on the board three times: the fourth time ends the game, and
/// who gave the checks loses if there were no other moves.
#[test]
fn the_past_of_the_game_counts() {
    for (sfen, circle) in [
        ("2kpg/4p/1KSbR/2GR1/2SB1 b - 23", "3c4b 3a2b 4b3c 2b3a"),
        ("S2k1/S2g1/GR3/B1Kpp/B4 b R 53", "4c4a 2a1b 4a4c 1b2a"),
    ] {
        let root = Minishogi::from_sfen(sfen).unwrap();
        let mut position = root;
        let mut moves = Vec::new();
        for text in circle.split(' ') {
            let mv = position.parse_move(text).unwrap();
            position.play(mv);
            moves.push(mv);
        }
        assert_eq!(position.key(), root.key());
        let fresh = solve(&Line::new(root), Limits::nodes(50_000));
        let Mate::Found { line, .. } = fresh.mate else { panic!("{fresh:?}") };
        assert_eq!(line[0], moves[0]);

        let mut after = root;
        after.play(moves[0]);
        let mut line = Line::new(after);
        for i in 1..12 {
            line.play(moves[i % 4]);
        }
        assert_eq!(line.position().key(), root.key());
        for depth in [None, Some(3), Some(7)] {
            let report = solve(&line, Limits { depth, ..Limits::nodes(50_000) });
            if let Mate::Found { line: found, .. } = report.mate {
                assert_ne!(found[0], moves[0]);
                check_line(&line, &found);
            }
        }
    }
}
