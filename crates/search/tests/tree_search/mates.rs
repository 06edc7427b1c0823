//! Mates in shogi and minishogi, and positions of real games at the limits of what a move list can be.

use crate::common::{simulations, with};
use yomi_core::{Line, Notation, Position, Seed, Uniform};
use yomi_eval::{Material, Rollout};
use yomi_games::shogi::{Minishogi, Shogi9};
use yomi_search::mate::{Mate, MateOptions, MateSearch};
use yomi_search::{
    AlphaBeta, AlphaBetaOptions, Flat, FlatOptions, Greedy, Limits, Proof, RandomPlayer, Search, TreeSearch,
};

/// Every method, with parameters for material: a pawn is worth 87.
const METHODS: &[&str] = &[
    "mcss(t=80)",
    "mcss(t=by-depth(200,decay=0.8))",
    "mcss(t=target(0.7))",
    "mcss-puct(ts=80,tb=40,c=100)",
    "uct(c=0.005)",
    "uct-h(c=200)",
    "uct-max-h(c=200)",
    "puct(c=10000)",
    "rbfm(sigma=300)",
    "softmax-best-first(t=80)",
    "ubfm",
    "ments(t=80,e=0.1)",
    "rents(t=80,e=0.1)",
    "tents(t=80,e=0.1)",
    "bts(t=200,e=0.1,decay=0.2)",
    "dents(t=80,e=0.1)",
];

/// Problems of YaneuraOu's published set of mates in three, with their first moves.
const SHOGI: [(&str, &str); 2] = [
    ("ln1gkg1nl/6+P2/2sppps1p/2p3p2/p8/P1P1P3P/2NP1PP2/3s1KSR1/L1+b2G1NL w R2Pbgp 42", "B*5g"),
    ("lns+R4l/1p1p5/p1pkppB1p/6p2/1R7/6P1P/P1PPnPS2/2+b1G1g2/L3K1sNL b 2GS3Pnp 51", "S*5b"),
];

#[test]
fn shogi_mates_are_proven() {
    for method in METHODS {
        for threads in [1, 2] {
            for (sfen, first) in SHOGI {
                let line = Line::new(Shogi9::from_sfen(sfen).unwrap());
                let method = with(method, &format!("threads={threads},hash=64"));
                let name = method.to_string();
                let verdict = TreeSearch::new(method, Material).search(&line, &simulations(8_000, 3), &mut ());
                assert!(matches!(verdict.proof, Some(Proof::Win(3..))), "{name}: {:?} in {sfen}", verdict.proof);
                assert_eq!(line.position().move_text(verdict.best.unwrap()), first, "{name}");
            }
        }
    }
}

/// Positions of random games in which checks mate in three, by the mate solver.
fn minishogi_mates(wanted: usize) -> Vec<(Line<Minishogi>, Vec<<Minishogi as Position>::Move>)> {
    let mut found = Vec::new();
    let mut moves = Vec::new();
    for game in 0..2000 {
        let mut rng = Seed::new(game).rng();
        let mut line = Line::new(Minishogi::default());
        while line.generate(&mut moves).is_none() && line.len() < 40 {
            line.play(moves[rng.below(moves.len())]);
        }
        if line.generate(&mut moves).is_some() || moves.len() < 12 {
            continue;
        }
        let mut solver = MateSearch::new(MateOptions { hash: 1, shortest: true });
        if let Mate::Found { line: mate, shortest: true } = solver.solve(&line, &Limits::nodes(20_000), &mut ()).mate
            && mate.len() == 3
        {
            found.push((line, mate));
            if found.len() == wanted {
                break;
            }
        }
    }
    found
}

#[test]
fn minishogi_mates_are_proven() {
    let mates = minishogi_mates(3);
    assert_eq!(mates.len(), 3);
    for (line, mate) in &mates {
        for threads in [1, 2] {
            let prove = |name: String, search: &mut dyn Search<Minishogi>, limits: Limits| {
                let verdict = search.search(line, &limits, &mut ());
                let proven = matches!(verdict.proof, Some(Proof::Win(3..)));
                assert!(
                    proven,
                    "{name}: {:?} instead of {mate:?} in {}",
                    verdict.proof,
                    line.position().position_text()
                );
            };
            for method in METHODS {
                let method = with(method, &format!("threads={threads},hash=64"));
                prove(method.to_string(), &mut TreeSearch::new(method, Material), simulations(8_000, 3));
            }
            for method in ["uct(c=0.7)", "rave(c=0.3)"] {
                let method = with(method, &format!("threads={threads},hash=64"));
                prove(method.to_string(), &mut TreeSearch::new(method, Rollout::new(Uniform)), simulations(20_000, 3));
            }
            let options = AlphaBetaOptions { threads, hash: 1, ..AlphaBetaOptions::default() };
            prove(options.to_string(), &mut AlphaBeta::tactical(Material, options), Limits::nodes(200_000));
        }
    }
}

/// The widest position of shogi, 593 moves, and one with a single move, for every search, with next to nothing to spend.
#[test]
fn the_widest_and_the_narrowest_position_have_answers() {
    let wide = "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1";
    // The king in the corner is checked by a lance and can only take it.
    let narrow = "k8/L8/9/9/9/9/9/9/8K w 2r2b4g4s4n3l18p 1";
    for (sfen, legal) in [(wide, 593), (narrow, 1)] {
        let line = Line::new(Shogi9::from_sfen(sfen).unwrap());
        let check = |name: &str, search: &mut dyn Search<Shogi9>, limits: &Limits| {
            let verdict = search.search(&line, limits, &mut ());
            assert!(verdict.best.is_some_and(|mv| line.is_legal(mv)), "{name} in {sfen} with {limits:?}");
            assert!(verdict.value.is_finite(), "{name} in {sfen}");
            verdict.moves.len()
        };
        assert_eq!(
            check("flat", &mut Flat::new(Uniform, FlatOptions { playouts: 1, threads: 2 }), &Limits::depth(1)),
            legal
        );
        for limits in [Limits::simulations(0), Limits::nodes(0), Limits::evaluations(3), Limits::simulations(3)] {
            for method in METHODS {
                let search = &mut TreeSearch::new(with(method, "threads=2,hash=64"), Material);
                assert_eq!(check(method, search, &limits), legal, "{method}");
            }
            let nodes = Limits { nodes: Some(5_000), ..limits };
            check(
                "alpha-beta",
                &mut AlphaBeta::tactical(Material, AlphaBetaOptions { hash: 1, ..Default::default() }),
                &nodes,
            );
            check("greedy", &mut Greedy::new(Material), &nodes);
            check("random", &mut RandomPlayer, &nodes);
        }
    }
}
