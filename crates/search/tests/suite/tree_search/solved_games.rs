//! Every method finds what is known: Nim, tic-tac-toe, connect four, with one thread and with two.

use super::common::{simulations, with};
use yomi_core::toy::{Column, ConnectFour, Nim, Take, TicTacToe};
use yomi_core::{Evaluator, Position, Seed, Uniform};
use yomi_eval::{Constant, Rollout};
use yomi_search::{Ended, Method, Proof, Verdict};

/// Methods that judge positions by an evaluation, with parameters for values from -1 to 1.
const HEURISTIC: &[&str] = &[
    "mcss(t=0.3)",
    "mcss(t=by-depth(0.5,decay=0.8))",
    "mcss(t=target(0.7))",
    "mcss-puct(ts=0.3,tb=0.1)",
    "uct-h(c=1)",
    "uct-max-h(c=1)",
    "puct(c=2)",
    "puct(c=1.25,base=19652,fpu=parent(0.1))",
    "rbfm(sigma=0.5)",
    "softmax-best-first(t=0.3)",
    "ubfm",
    "ments(t=0.3,e=0.1)",
    "rents(t=0.3,e=0.1)",
    "tents(t=0.3,e=0.1)",
    "bts(t=0.3,e=0.1)",
    "bts(t=1,e=0.1,decay=0.5)",
    "dents(t=0.3,e=0.1)",
    "tree(select=ucb1(c=0.5),expand=leaf,backup=implicit-minimax(alpha=0.4))",
    "tree(select=ucb1(c=0.5),expand=leaf,backup=power-mean(p=4))",
    "tree(select=boltzmann(t=0.3),expand=siblings,backup=mellowmax(t=0.1))",
    "tree(select=puct(c=2),expand=widening(c=2,power=0.5),backup=mean)",
    "tree(select=boltzmann(t=0.5),expand=leaf(after=1),backup=softmax(t=0.1))",
];

/// Methods made for playouts.
const PLAYOUTS: &[&str] =
    &["uct(c=0.7)", "uct(c=1.5,after=3)", "rave(c=0.3,beta=hand(50))", "rave(c=0.3,beta=least-squares(0.1))"];

fn search<P: Position, E: Evaluator<P>>(method: Method, evaluator: E, start: P, n: u64, seed: u64) -> Verdict<P::Move> {
    super::common::search(method, evaluator, start, &simulations(n, seed))
}

/// Takes what leaves a multiple of four; where none does, the game is lost. The solver proves it.
#[test]
fn nim_is_proven() {
    for method in HEURISTIC {
        for threads in [1, 2] {
            for pile in [4u16, 5, 7, 10, 13] {
                let method = with(method, &format!("threads={threads},hash=16"));
                let name = format!("{method} pile {pile}");
                let verdict = search(method, Constant::default(), Nim::new(pile), 60_000, 7);
                assert_eq!(verdict.ended, Some(Ended::Solved), "{name}: {verdict:?}");
                match pile % 4 {
                    0 => assert!(matches!(verdict.proof, Some(Proof::Loss(_))) && verdict.value == -1.0, "{name}"),
                    take => {
                        assert!(matches!(verdict.proof, Some(Proof::Win(_))) && verdict.value == 1.0, "{name}");
                        assert_eq!(verdict.best, Some(Take(take)), "{name}");
                    }
                }
            }
        }
    }
}

#[test]
fn nim_is_proven_by_playouts() {
    for method in PLAYOUTS {
        for threads in [1, 2] {
            for pile in [4u16, 7, 10, 13] {
                let method = with(method, &format!("threads={threads},hash=16"));
                let name = format!("{method} pile {pile}");
                let verdict = search(method, Rollout::new(Uniform), Nim::new(pile), 60_000, 7);
                assert_eq!(verdict.ended, Some(Ended::Solved), "{name}: {verdict:?}");
                assert!(pile % 4 == 0 || verdict.best == Some(Take(pile % 4)), "{name}");
            }
        }
    }
}

/// Whether values are computed from children. Means go on counting drawn games and prove draws late.
fn recomputes(method: &Method) -> bool {
    method.recipe.backup.recomputes()
}

/// Neither side wins. Where nothing is sampled twice the solver proves it soon.
#[test]
fn tic_tac_toe_is_a_draw() {
    for method in HEURISTIC.iter().chain(PLAYOUTS) {
        for threads in [1, 2] {
            let method = with(method, &format!("threads={threads},hash=64"));
            let (name, exact) = (method.to_string(), recomputes(&method));
            let n = if exact { 2_000_000 } else { 30_000 };
            let verdict = search(method, Constant::default(), TicTacToe::default(), n, 3);
            if exact {
                assert_eq!(verdict.proof, Some(Proof::Draw), "{name}: {} after {}", verdict.value, verdict.simulations);
                assert_eq!(verdict.value, 0.0, "{name}");
            } else {
                assert!(verdict.value.abs() < 0.1, "{name}: {}", verdict.value);
                assert!(!matches!(verdict.moves[0].proof, Some(Proof::Loss(_))), "{name}");
                assert_eq!((verdict.simulations, verdict.ended), (n, Some(Ended::Simulations)), "{name}");
            }
        }
    }
}

/// The result of a connect four position for the side to move, by trying everything.
fn negamax(position: &ConnectFour) -> i32 {
    let mut moves = Vec::new();
    if let Some(outcome) = position.generate(&mut moves) {
        return outcome.value_for(position.turn(), 1.0) as i32;
    }
    let mut best = -1;
    for mv in moves {
        let mut child = position.clone();
        child.play(mv);
        best = best.max(-negamax(&child));
        if best == 1 {
            break;
        }
    }
    best
}

/// A position that brute force can solve, its result, and the moves that keep it.
struct Endgame {
    position: ConnectFour,
    result: i32,
    right: Vec<Column>,
}

/// Random positions where one side wins and not every move will do.
fn endgames(plies: usize, count: usize) -> Vec<Endgame> {
    let mut rng = Seed::new(11).rng();
    let mut found = Vec::new();
    while found.len() < count {
        let mut position = ConnectFour::default();
        let mut moves = Vec::new();
        for _ in 0..plies {
            if position.generate(&mut moves).is_none() {
                position.play(moves[rng.below(moves.len())]);
            }
        }
        position.generate(&mut moves);
        let value = |&mv: &Column| {
            let mut child = position.clone();
            child.play(mv);
            -negamax(&child)
        };
        let result = moves.iter().map(value).max().unwrap_or(0);
        let right: Vec<Column> = moves.iter().copied().filter(|mv| value(mv) == result).collect();
        if result != 0 && (right.len() < moves.len() || result < 0) {
            found.push(Endgame { position, result, right });
        }
    }
    found
}

#[test]
fn connect_four_endgames_are_solved() {
    let endgames = endgames(28, 4);
    assert!(endgames.iter().any(|e| e.result > 0) && endgames.iter().any(|e| e.result < 0));
    for method in HEURISTIC.iter().chain(PLAYOUTS) {
        for threads in [1, 2] {
            for Endgame { position, result, right } in &endgames {
                let method = with(method, &format!("threads={threads},hash=64"));
                let name = method.to_string();
                let verdict = search(method, Rollout::new(Uniform), position.clone(), 20_000, 5);
                assert!(right.contains(&verdict.best.unwrap()), "{name} plays {:?} in\n{position}", verdict.best);
                if verdict.proof.is_some() {
                    assert_eq!(verdict.value, *result as f32, "{name} in\n{position}");
                }
            }
        }
    }
}

/// The win at once, the only defence, and the double threat, for every method and any number of threads. Methods that judge siblings
/// once get steady playouts: with single ones they may well stay with a lucky line.
#[test]
fn connect_four_tactics_are_found() {
    for method in HEURISTIC.iter().chain(PLAYOUTS) {
        let judges_siblings = method.parse::<Method>().unwrap().recipe.expand.judges_siblings();
        let (averaged, n) = if judges_siblings { (32, 600) } else { (2, 6_000) };
        for (moves, best) in [("112233", vec![4]), ("41424", vec![4]), ("4455", vec![3, 6])] {
            for threads in [1, 3] {
                let method = with(method, &format!("threads={threads},hash=64"));
                let name = method.to_string();
                let position = ConnectFour::after(moves).unwrap();
                let verdict = search(method, Rollout::averaging(Uniform, averaged), position, n, 5);
                let played = verdict.best.unwrap().0 + 1;
                assert!(best.contains(&played), "{name} after {moves} plays {played}: {:?}", verdict.moves);
            }
        }
    }
}
