//! Nothing is allocated inside a sample once a search is warm: every evaluation and every playout policy that can be typed, networks included.

use allocation_counter::measure;
use yomi_core::{Cancel, Line, Seed, Spec};
use yomi_games::blokus::BlokusDuo;
use yomi_games::go::{Go9, Rules};
use yomi_games::shogi::Minishogi;
use yomi_players::{POLICIES, Playable};
use yomi_search::{Limits, Pool, TreeSearch};

/// Rounds before anything is counted: buffers reach their sizes.
const WARM: u32 = 2000;
/// Rounds that are counted. The seed is fixed, so the count is always the same.
const COUNTED: u32 = 100;

/// The allocations of some rounds of a search with this evaluation, behind the erased type as the program runs it.
fn allocations<P: Playable>(start: P, method: &str, evaluation: &str) -> u64 {
    let method = Spec::parse(method).expect("a search");
    let spec = Spec::parse(evaluation).expect("an evaluation");
    let evaluator = P::evaluator(&method, Some(&spec)).unwrap_or_else(|error| panic!("{evaluation}: {error}"));
    let search = TreeSearch::new(method.to_string().parse().expect("a recipe"), evaluator);
    let mut pool = Pool::new([search]);
    pool.begin(0, &Line::new(start), &Limits::infinite().seeded(Seed::new(3)));
    let mut advance =
        |rounds: u32| (0..rounds).for_each(|_| assert_eq!(pool.advance(Cancel::NEVER), 1, "{evaluation}"));
    advance(WARM);
    measure(|| advance(COUNTED)).count_total
}

fn go() -> Go9 {
    Go9::new(9, Rules::default()).expect("a board")
}

/// An evaluation as it is typed, for its entry in the list of a game.
fn typed(game: &str, entry: &str) -> String {
    let file = |path: String| format!("{}/../../{path}", env!("CARGO_MANIFEST_DIR"));
    let linear = file(format!("crates/eval/weights/{game}.linear"));
    let policy = file("crates/eval/weights/minishogi.policy".to_string());
    let learned = file("crates/eval/weights/blokus-duo.txt".to_string());
    let nnue = file(format!("weights/{game}.nnue"));
    match entry {
        "linear(file=…)" => format!("linear(file=\"{linear}\")"),
        "learned(file=…)" => format!("learned(file=\"{learned}\")"),
        "nnue(file=…)" => format!("nnue(file=\"{nnue}\")"),
        "quiet(…)" => "quiet(material)".to_string(),
        "win-in-one(…)" => "win-in-one(quiet(effect))".to_string(),
        "guided(…,file=…)" if game == "minishogi" => format!("guided(quiet(linear),file=\"{policy}\")"),
        "guided(…,file=…)" if game == "go" => "guided(rollout)".to_string(),
        "guided(…,file=…)" => "guided(learned,policy=even)".to_string(),
        "net(file=…)" => "net(random=1x8,device=cpu)".to_string(),
        "cached(net(…))" => "cached(net(random=1x8,device=cpu),mb=4)".to_string(),
        _ => {
            assert!(!entry.contains('…'), "{entry} is a new entry: say above how it is typed");
            entry.to_string()
        }
    }
}

/// Where lines still become longer a buffer may grow now and then; an evaluation that allocates in its samples does so at least once in each.
fn evaluations_allocate_nothing<P: Playable>(start: &P, methods: &[&str]) {
    let mut wrong = Vec::new();
    for entry in P::EVALUATORS {
        let evaluation = typed(P::NAME, entry);
        // A cache takes memory for an answer when it first keeps one there, as a tree does for a node: a few samples share a round.
        let most = if entry.starts_with("cached") { 4 * u64::from(COUNTED) } else { 5 };
        for method in methods {
            let counted = allocations(start.clone(), method, &evaluation);
            if counted > most {
                wrong.push(format!("{} by {method} + {evaluation}: {counted} allocations", P::NAME));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A leaf at a time, with its priors.
const PUCT: &str = "puct(hash=64,solver=off)";

#[test]
fn shogi_evaluations_allocate_nothing() {
    evaluations_allocate_nothing(&Minishogi::default(), &[PUCT, "mcss(t=80,hash=64,flights=4,solver=off)"]);
}

#[test]
fn go_evaluations_allocate_nothing() {
    evaluations_allocate_nothing(&go(), &[PUCT]);
}

#[test]
fn blokus_evaluations_allocate_nothing() {
    evaluations_allocate_nothing(&BlokusDuo::default(), &[PUCT]);
}

#[test]
fn playout_policies_allocate_nothing() {
    let mut wrong = Vec::new();
    for (entry, _) in POLICIES {
        let policy = entry
            .replace("(L,M,policy)", "(8,3)")
            .replace("(policy)", "(uniform)")
            .replace("(n,evaluation)", "(2,rollout)")
            .replace("(T,evaluation)", "(0.5,rollout,n=2)")
            .replace("(D,evaluation)", "(0.5,rollout,n=2)")
            .replace("(W:policy,…)", "(3:patterns,1:uniform)");
        // The lists of a leaf are made when it has its first playout: one for each of its plies, and the leaf's own.
        let most = if policy.starts_with("tabu") { 4 * u64::from(COUNTED) } else { 5 };
        let counted = allocations(go(), "uct(c=0.7,hash=64,solver=off)", &format!("rollout({policy})"));
        if counted > most {
            wrong.push(format!("{policy}: {counted} allocations"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
