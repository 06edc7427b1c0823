//! Mates in shogi and minishogi, and positions of real games at the limits of what a move list can be.

use super::common::{simulations, with};
use yomi_core::{Evaluator, Line, Notation, Position, Tactical, Uniform};
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
    "rave(c=0.02)",
    "uct-h(c=1000)",
    "uct-max-h(c=1000)",
    "puct(c=10000)",
    "rbfm(sigma=1000)",
    "softmax-best-first(t=300)",
    "ubfm",
    "ments(t=300,e=0.1)",
    "rents(t=300,e=0.1)",
    "tents(t=300,e=0.1)",
    // Their exploration has no factor of the number of moves: 8 is 0.1 of 80 moves.
    "bts(t=300,e=8,decay=0.2)",
    "dents(t=300,e=8)",
];

/// Mates in one and in three that YaneuraOu and tsumeshogi-check published. In the order of how hard they are to find: the first six take
/// no sacrifice, or an obvious one.
const SHOGI: [&str; 13] = [
    "k8/9/PK7/9/9/9/9/9/9 b 2r2b4g4s4n4l17p 1",
    "3k5/9/3S5/9/9/9/9/9/9 b S2r2b4g2s4n4l18p 1",
    "4k4/9/4G4/9/9/9/9/9/4K4 b G 1",
    "ln1gkg1nl/6+P2/2sppps1p/2p3p2/p8/P1P1P3P/2NP1PP2/3s1KSR1/L1+b2G1NL w R2Pbgp 42",
    "lnsG5/4g4/prpp1p1pp/1p4p2/4+B3k/2P1P4/P+b1PSP1LP/4K2SL/2G2G1r1 b SP3nl3p 71",
    "lnsg4l/1r1b5/p1pp1+N1+R1/4p3p/9/P3SSk2/NpPPPPg1P/2GK5/L1S4NL b 2Pbg4p 91",
    "l3kgsnl/9/p1pS+Bp3/7pp/6PP1/9/PPPPPPn1P/1B1GG2+r1/LNS1K3L w RG3Psnp 54",
    "lns+R4l/1p1p5/p1pkppB1p/6p2/1R7/6P1P/P1PPnPS2/2+b1G1g2/L3K1sNL b 2GS3Pnp 51",
    "l3k2nl/4g1gb1/1+S1pspp+P1/p1p6/3n4p/2PPR1P2/P2bPP2P/5GS2/LN1K4L w R2Pgsn2p 50",
    "1+P1gkg2l/2s3s+P1/3ppp2p/P1p2npp1/l2N1+b3/3KP1P2/N2P1PS1P/2+p1G2R1/L1+r3sNL w Pbgp 58",
    "l5+R1l/4kS3/p4pnpp/2Pppb3/6p1P/P2s5/NP2+nPPR1/2+bS2GK1/L6NL b 3GSP4p 93",
    "lR5nl/5k1b1/2gp3p1/2s1p1P2/p4N2p/P3PpR2/1PPP1P2P/2G1K2s1/LN6L b GSN2Pbgs2p 83",
    "l1+R5l/2pS5/p2pp+P1pp/2k3p2/2N4P1/PP2R1P1P/2+pPP1N2/2GSG1bs1/LN1K4L b 2GSNPbp 73",
];

/// Four mates in one and ten in three out of random games; the last four begin with a sacrifice.
const MINISHOGI: [&str; 14] = [
    "1bs1k/r3p/2pg1/2GS1/1K2R w b 16",
    "1b2k/2rg1/K1s1p/Pr1S1/GB3 w - 22",
    "r3k/P2R1/g1K2/2s1P/2S2 b BGb 43",
    "3k1/1sgBR/PR2S/K4/1g2+B b P 41",
    "rbsk1/2p1p/1K1g1/2G1B/1+s1R1 w - 22",
    "rbs1k/1Sr1p/1b1g1/P1G2/1K3 w - 22",
    "+P2k1/1rb2/S1B2/R4/gPK2 w Sg 40",
    "2rgk/P2g1/1s1P1/1S1bb/1K3 w r 42",
    "2s1k/GR2p/p4/2Bg1/1KS1R b B 13",
    "1s2K/G+Bb1P/3Sk/2p2/2R2 b Rg 357",
    "r1G1k/bg3/P3p/K1+bSR/5 w S 26",
    "4r/2Bkp/GK3/P1GSR/3B1 b S 17",
    "1+P1Sk/1g1r1/2s1g/r4/1K3 w Bbp 38",
    "b4/k1+r1G/2G2/1P1KR/1sSP1 w B 44",
];

/// How many of the problems, from the first on, a method solves in shogi and in minishogi. Where leaves are judged one at a time and values
/// are means, a defence of one move among a hundred takes long to see; without a policy PUCT takes even longer to try all of a hundred moves;
/// best-first minimax tries no sacrifice while something looks better, however long it thinks.
fn solved_by(method: &str) -> (usize, usize) {
    match method.split('(').next() {
        Some("ubfm") => (6, 10),
        Some("puct") => (6, 14),
        Some("uct" | "rave" | "uct-h") => (8, 14),
        _ => (13, 14),
    }
}

/// A mate, and its first moves that were checked already.
struct Problem<P: Position> {
    position: P,
    mating: Vec<P::Move>,
}

impl<P: Tactical + Notation> Problem<P>
where
    Material: Evaluator<P>,
{
    fn new(position: P) -> Self {
        Problem { position, mating: Vec::new() }
    }

    /// The search says that it wins, and its move does.
    fn is_proven_by(&mut self, name: &str, threads: usize, search: &mut dyn Search<P>, limits: &Limits) {
        let line = Line::new(self.position.clone());
        let text = self.position.position_text();
        let verdict = search.search(&line, limits, &mut ());
        assert!(matches!(verdict.proof, Some(Proof::Win(_))), "{name} on {threads}: {:?} in {text}", verdict.proof);
        let best = verdict.best.unwrap();
        if !self.mating.contains(&best) {
            let mut after = line.clone();
            after.play(best);
            assert!(is_lost(&after), "{name} on {threads}: {best:?} does not win in {text}");
            self.mating.push(best);
        }
    }
}

/// Whether the side to move is lost: every move can be mated, says the mate solver, or alpha-beta has a proof, because wins that take a quiet
/// move are wins, too.
fn is_lost<P: Tactical>(line: &Line<P>) -> bool
where
    Material: Evaluator<P>,
{
    let mut answers = Vec::new();
    if line.generate(&mut answers).is_some() {
        return true;
    }
    let mut solver = MateSearch::new(MateOptions { hash: 1, shortest: false });
    let all_mated = answers.into_iter().all(|answer| {
        let mut answered = line.clone();
        answered.play(answer);
        matches!(solver.solve(&answered, &Limits::nodes(100_000), &mut ()).mate, Mate::Found { .. })
    });
    let mut alpha_beta = AlphaBeta::tactical(Material, AlphaBetaOptions { hash: 4, ..AlphaBetaOptions::default() });
    all_mated || matches!(alpha_beta.search(line, &Limits::nodes(1_000_000), &mut ()).proof, Some(Proof::Loss(_)))
}

/// A budget; a proof ends the search earlier. Two threads may need more: one that the machine puts to sleep keeps the leaf that it was expanding to
/// itself meanwhile, and that may be the one that matters.
fn samples(n: u64, threads: usize) -> Limits {
    simulations(if threads == 1 { n } else { 4 * n }, 3)
}

/// Every method with material, on one thread and on two, proves the problems that it should.
fn material_proves<P: Tactical + Notation>(problems: &mut [Problem<P>], solved_by: impl Fn(&str) -> usize)
where
    Material: Evaluator<P>,
{
    for (i, problem) in problems.iter_mut().enumerate() {
        for method in METHODS.iter().filter(|method| i < solved_by(method)) {
            for threads in [1, 2] {
                let search = &mut TreeSearch::new(with(method, &format!("threads={threads},hash=64")), Material);
                problem.is_proven_by(method, threads, search, &samples(15_000, threads));
            }
        }
    }
}

#[test]
fn shogi_mates_are_proven() {
    let mut problems = SHOGI.map(|sfen| Problem::new(Shogi9::from_sfen(sfen).unwrap()));
    material_proves(&mut problems, |method| solved_by(method).0);
}

#[test]
fn minishogi_mates_are_proven() {
    let mut problems = MINISHOGI.map(|sfen| Problem::new(Minishogi::from_sfen(sfen).unwrap()));
    material_proves(&mut problems, |method| solved_by(method).1);
    for problem in &mut problems {
        for playouts in ["uct(c=0.7)", "rave(c=0.5,beta=least-squares(0.3))"] {
            for threads in [1, 2] {
                let method = with(playouts, &format!("threads={threads},hash=64"));
                let search = &mut TreeSearch::new(method, Rollout::new(Uniform));
                problem.is_proven_by(playouts, threads, search, &samples(20_000, threads));
            }
        }
    }
}

/// What stands beside the tree family finds them, too.
#[test]
fn alpha_beta_finds_the_mates() {
    fn check<P: Tactical + Notation>(problems: impl IntoIterator<Item = P>)
    where
        Material: Evaluator<P>,
    {
        for mut problem in problems.into_iter().map(Problem::new) {
            for threads in [1, 2] {
                let options = AlphaBetaOptions { threads, hash: 1, ..AlphaBetaOptions::default() };
                let search = &mut AlphaBeta::tactical(Material, options);
                problem.is_proven_by("alpha-beta", threads, search, &Limits::nodes(400_000));
            }
        }
    }
    check(SHOGI.map(|sfen| Shogi9::from_sfen(sfen).unwrap()));
    check(MINISHOGI.map(|sfen| Minishogi::from_sfen(sfen).unwrap()));
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
