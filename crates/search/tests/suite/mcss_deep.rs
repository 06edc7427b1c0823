//! `mcss-deep` in shogi and minishogi: alpha-beta at temperature zero, exact values near the best, bounds elsewhere, mates.

use yomi_core::{Evaluator, Line, Outcome, Position, Question, Seed, Tactical};
use yomi_eval::Material;
use yomi_games::shogi::{Minishogi, Shogi9};
use yomi_search::alpha_beta::{AlphaBeta, AlphaBetaOptions, SoftOptions};
use yomi_search::constant::Constant;
use yomi_search::{Ended, Limits, Proof, Search};

fn random_line<P: Position>(start: &P, game: u64, longest: usize) -> Line<P> {
    let mut rng = Seed::new(37).branch("mcss-deep", game).rng();
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

fn options(text: &str) -> AlphaBetaOptions {
    text.parse().unwrap()
}

/// Only the best has weight, and no reply is in the tree: the same nodes, the same answer.
#[test]
fn at_temperature_zero_it_is_alpha_beta_node_for_node() {
    fn same<P: Tactical>(line: &Line<P>, nodes: u64)
    where
        Material: Evaluator<P, Scratch = ()>,
    {
        let [mut hard, mut soft] = [options("alpha-beta(hash=1)"), options("mcss-deep(t=0,reach=1,late=off,hash=1)")]
            .map(|options| AlphaBeta::tactical(Material, options));
        // Twice, as the second search begins with what the first left in table and history.
        for _ in 0..2 {
            let [hard, soft] = [&mut hard, &mut soft].map(|s| s.search(line, &Limits::nodes(nodes), &mut ()));
            assert_eq!((hard.best, hard.value, hard.proof), (soft.best, soft.value, soft.proof), "{}", line.position());
            assert_eq!((hard.nodes, hard.evaluations, hard.depth), (soft.nodes, soft.evaluations, soft.depth));
            assert_eq!((hard.pv, hard.ended), (soft.pv, soft.ended));
        }
    }
    for game in 0..12 {
        same(&random_line(&Minishogi::default(), game, 40), 3_000 + 500 * game);
        same(&random_line(&Shogi9::default(), game, 100), 3_000 + 500 * game);
    }
}

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

/// Moves within k temperatures of the best have their exact minimax value, and the others an upper bound of it and no weight.
#[test]
fn values_are_exact_near_the_best_and_bounds_elsewhere() {
    let (t, k) = (40.0, 2.5);
    let soft = SoftOptions {
        t: Constant::Fixed(t),
        tb: Constant::Fixed(t),
        k,
        reach: 1.0,
        late: false,
        ..SoftOptions::default()
    };
    let (mut near, mut far) = (0, 0);
    for game in 0..40 {
        let line = random_line(&Minishogi::default(), 100 + game, 40);
        let aspiration = if game % 2 == 0 { 0 } else { 30 };
        let plain = AlphaBetaOptions::full_width();
        let options = AlphaBetaOptions { scout: true, hash: 1, aspiration, soft: Some(soft), ..plain };
        let depth = 2 + (game % 2) as u32;
        let verdict = AlphaBeta::tactical(Material, options).search(&line, &Limits::depth(depth), &mut ());
        let mut moves = Vec::new();
        if line.generate(&mut moves).is_some() {
            continue;
        }
        let truth = |mv| {
            let mut child = line.clone();
            child.play(mv);
            -minimax(&child, depth - 1, 1)
        };
        let values: Vec<(f32, f32)> = verdict.moves.iter().map(|row| (truth(row.mv), row.selection)).collect();
        let best = values.iter().fold(f32::NEG_INFINITY, |best, row| best.max(row.0));
        if best.abs() > 50_000.0 {
            assert!(verdict.proof.is_some(), "{}", line.position());
            continue;
        }
        assert_eq!(verdict.moves.len(), moves.len());
        let total: f32 = values.iter().map(|row| row.1).sum();
        assert!((total - 1.0).abs() < 1e-4, "{total}");
        let z: f32 = values.iter().filter(|row| best - row.0 < k * t).map(|row| ((row.0 - best) / t).exp()).sum();
        for (row, &(truth, p)) in verdict.moves.iter().zip(&values) {
            if best - truth < k * t {
                near += 1;
                assert!((row.value - truth).abs() < 0.01, "{} {truth}", row.value);
                // Moves looked at before the best was found may have a weight, too, though less than exp(-k).
                assert!((p - ((truth - best) / t).exp() / z).abs() < 0.2 && p > 0.0, "{p}");
            } else {
                far += 1;
                assert!(row.value > truth - 0.01 && p <= (-k).exp(), "{} {truth} {p}", row.value);
            }
        }
        assert!(verdict.moves.is_sorted_by(|a, b| a.selection >= b.selection) && verdict.value <= best + 0.01);
    }
    assert!(near > 40 && far > 400, "{near} {far}");
}

/// The root is soft where several moves are good, and the move played is the most probable one.
#[test]
fn the_root_distribution_is_soft() {
    let mut search = AlphaBeta::tactical(Material, options("mcss-deep(t=40,reach=0.01,hash=1)"));
    let verdict = search.search(&Line::new(Shogi9::default()), &Limits::nodes(30_000), &mut ());
    assert!(verdict.entropy > 1.0, "{}", verdict.entropy);
    assert_eq!(verdict.best, Some(verdict.moves[0].mv));
    assert!(verdict.moves.iter().all(|row| row.selection <= verdict.moves[0].selection));
    assert!(verdict.nodes_per_depth.len() > 2 && verdict.effective_depth > 1.0, "{:?}", verdict.nodes_per_depth);
}

#[test]
fn mates_are_proven() {
    let sfen = "ln1gkg1nl/6+P2/2sppps1p/2p3p2/p8/P1P1P3P/2NP1PP2/3s1KSR1/L1+b2G1NL w R2Pbgp 42";
    let line = Line::new(Shogi9::from_sfen(sfen).unwrap());
    for text in ["mcss-deep(hash=1)", "mcss-deep(t=80,reach=0.01,hash=1)", "mcss-deep(backup=logsumexp,hash=1)"] {
        let verdict = AlphaBeta::tactical(Material, options(text)).search(&line, &Limits::nodes(400_000), &mut ());
        assert!(matches!(verdict.proof, Some(Proof::Win(plies)) if plies <= 5), "{text}: {:?}", verdict.proof);
        assert_eq!(verdict.best, verdict.pv.first().copied());
    }
}

/// Whatever the budget, a legal move comes back, the budget is kept, and a repetition does not disturb the tree.
#[test]
fn limits_are_kept() {
    for game in 0..20 {
        let line = random_line(&Minishogi::default(), 200 + game, 60);
        let mut moves = Vec::new();
        let over = line.generate(&mut moves).is_some();
        let mut search = AlphaBeta::tactical(Material, options("mcss-deep(t=60,reach=0.02,leaf=1,hash=1)"));
        for nodes in [0, 1, 2, 10, 100, 1_000, 5_000] {
            let verdict = search.search(&line, &Limits::nodes(nodes), &mut ());
            assert_eq!(verdict.best.is_none(), over);
            assert!(over || moves.contains(&verdict.best.unwrap()) && verdict.nodes <= nodes);
            let total: f32 = verdict.moves.iter().map(|row| row.selection).sum();
            assert!(over || verdict.depth == 0 || verdict.moves.len() == 1 || (total - 1.0).abs() < 1e-3, "{total}");
        }
    }
}

/// A move that has all the weight is played after a part of the budget: what was found is what a search of that depth finds. Elsewhere the
/// budget is used up.
#[test]
fn settled_moves_are_played_early() {
    let (mut early, mut late) = (0, 0);
    for game in 0..40 {
        let line = random_line(&Minishogi::default(), 300 + game, 30);
        let search = |early: &str, limits: Limits| {
            let text = format!("mcss-deep(t=40,reach=1,early={early},hash=1)");
            AlphaBeta::tactical(Material, options(&text)).search(&line, &limits, &mut ())
        };
        let verdict = search("0.2", Limits::nodes(5_000));
        let near = verdict.moves.iter().filter(|row| row.selection > 0.0).count();
        match verdict.ended {
            Some(Ended::Settled) => {
                early += 1;
                assert!(near == 1 && verdict.nodes < 5_000 && (verdict.nodes >= 1_000 || verdict.moves.len() == 1));
                let whole = search("1", Limits::depth(verdict.depth));
                assert_eq!((whole.best, whole.value, whole.nodes), (verdict.best, verdict.value, verdict.nodes));
            }
            Some(Ended::Nodes) => {
                late += 1;
                assert_eq!((verdict.nodes, search("1", Limits::nodes(5_000)).best), (5_000, verdict.best));
            }
            ended => assert!(matches!(ended, Some(Ended::Solved | Ended::GameOver)), "{ended:?}"),
        }
    }
    assert!(early > 5 && late > 5, "{early} {late}");
}
