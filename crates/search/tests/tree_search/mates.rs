//! Mates in shogi and minishogi, and positions of real games at the limits of what a move list can be.

use crate::common::{simulations, with};
use yomi_core::{Evaluator, Line, Notation, Tactical, Uniform};
use yomi_eval::{Material, Rollout};
use yomi_games::shogi::{Minishogi, Shogi9};
use yomi_search::mate::{Mate, MateOptions, MateSearch};
use yomi_search::{
    AlphaBeta, AlphaBetaOptions, Flat, FlatOptions, Greedy, Limits, Proof, RandomPlayer, Search, TreeSearch,
};

/// Every method, with parameters for material that leave room to try a sacrifice: a pawn is worth 87.
const METHODS: &[&str] = &[
    "mcss(t=300)",
    "mcss(t=by-depth(400,decay=0.8))",
    "mcss(t=target(0.7))",
    "mcss-puct(ts=300,tb=100,c=300)",
    "uct(c=0.02)",
    "uct-h(c=1000)",
    "uct-max-h(c=1000)",
    "rbfm(sigma=1000)",
    "softmax-best-first(t=300)",
    "ments(t=300,e=0.1)",
    "rents(t=300,e=0.1)",
    "tents(t=300,e=0.1)",
    "bts(t=300,e=0.1,decay=0.2)",
    "dents(t=300,e=0.1)",
];

/// Best-first minimax tries no sacrifice while something looks better, and without a policy PUCT takes long to try all of a hundred
/// moves: they get problems without.
const NARROW: &[&str] = &["ubfm", "puct(c=10000)"];

/// Two of YaneuraOu's published mates in three; the mating side gives nothing up in the first.
const SHOGI: [&str; 2] = [
    "ln1gkg1nl/6+P2/2sppps1p/2p3p2/p8/P1P1P3P/2NP1PP2/3s1KSR1/L1+b2G1NL w R2Pbgp 42",
    "lns+R4l/1p1p5/p1pkppB1p/6p2/1R7/6P1P/P1PPnPS2/2+b1G1g2/L3K1sNL b 2GS3Pnp 51",
];

/// Mates in three out of random games.
const MINISHOGI: [&str; 2] = ["1s2K/G+Bb1P/3Sk/2p2/2R2 b Rg 357", "b4/k1+r1G/2G2/1P1KR/1sSP1 w B 44"];

/// The search says that it wins, and its move does: the mate solver finds that every answer to it is mated, too.
fn proves<P: Tactical + Notation>(name: &str, search: &mut dyn Search<P>, position: &P, limits: &Limits) {
    let line = Line::new(position.clone());
    let verdict = search.search(&line, limits, &mut ());
    let text = position.position_text();
    assert!(matches!(verdict.proof, Some(Proof::Win(_))), "{name}: {:?} in {text}", verdict.proof);
    let mut after = line.clone();
    after.play(verdict.best.unwrap());
    let mut answers = Vec::new();
    if after.generate(&mut answers).is_some() {
        return;
    }
    for answer in answers {
        let mut answered = after.clone();
        answered.play(answer);
        let report = MateSearch::new(MateOptions { hash: 1, shortest: false }).solve(
            &answered,
            &Limits::nodes(100_000),
            &mut (),
        );
        assert!(matches!(report.mate, Mate::Found { .. }), "{name}: {answer:?} escapes in {text}");
    }
}

fn material_proves<P: Tactical + Notation>(method: &str, position: &P)
where
    Material: Evaluator<P>,
{
    for threads in [1, 2] {
        let method = with(method, &format!("threads={threads},hash=64"));
        proves(&method.to_string(), &mut TreeSearch::new(method, Material), position, &simulations(15_000, 3));
    }
}

#[test]
fn shogi_mates_are_proven() {
    let [first, second] = SHOGI.map(|sfen| Shogi9::from_sfen(sfen).unwrap());
    METHODS.iter().chain(NARROW).for_each(|method| material_proves(method, &first));
    METHODS.iter().for_each(|method| material_proves(method, &second));
}

#[test]
fn minishogi_mates_are_proven() {
    let [first, second] = MINISHOGI.map(|sfen| Minishogi::from_sfen(sfen).unwrap());
    METHODS.iter().chain(NARROW).for_each(|method| material_proves(method, &first));
    METHODS.iter().for_each(|method| material_proves(method, &second));
    for threads in [1, 2] {
        let playouts = with("uct(c=0.7)", &format!("threads={threads},hash=64"));
        let search = &mut TreeSearch::new(playouts.clone(), Rollout::new(Uniform));
        proves(&playouts.to_string(), search, &first, &simulations(20_000, 3));
        for position in [&first, &second] {
            let options = AlphaBetaOptions { threads, hash: 1, ..AlphaBetaOptions::default() };
            let search = &mut AlphaBeta::tactical(Material, options);
            proves(&options.to_string(), search, position, &Limits::nodes(200_000));
        }
    }
}

/// The widest position of shogi, 593 moves, and one with a single move, for every search, with next to nothing to spend.
#[test]
fn the_widest_and_the_narrowest_position_have_answers() {
    let wide = "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1";
    // The king in the corner is checked by a lance and can only take it.
    let narrow = "k8/L1G6/9/9/9/9/9/9/8K w 2r2b3g4s4n3l18p 1";
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
