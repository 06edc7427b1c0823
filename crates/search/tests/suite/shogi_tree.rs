//! What a tree search sees of shogi: repetition, perpetual check, mates, declarations.

use yomi_core::{Line, Notation, Position, Spec};
use yomi_eval::{Material, WinInOne};
use yomi_games::shogi::{Shogi9, ShogiMove};
use yomi_search::{Limits, MateFirst, Proof, Quiet, QuietOptions, Search, TreeSearch, Verdict};

fn line(start: &Shogi9, moves: &[&str]) -> Line<Shogi9> {
    let mut line = Line::new(*start);
    for text in moves {
        let mv = line.position().parse_move(text).expect("a legal move");
        line.play(mv);
    }
    line
}

fn search(line: &Line<Shogi9>, simulations: u64) -> Verdict<ShogiMove> {
    let quiet = Quiet::new(Material, QuietOptions::default());
    // So hot that every move is looked at.
    let mut search = TreeSearch::new("mcss(t=100000,hash=32)".parse().expect("a method"), quiet);
    search.search(line, &Limits::simulations(simulations), &mut ())
}

fn proof_of(verdict: &Verdict<ShogiMove>, position: &Shogi9, text: &str) -> Option<Proof> {
    let mv = position.parse_move(text).expect("a legal move");
    verdict.moves.iter().find(|row| row.mv == mv).expect("every move has a row").proof
}

#[test]
fn the_fourth_occurrence_is_a_proven_draw() {
    let dance = ["2h3h", "8b7b", "3h2h", "7b8b"].repeat(3);
    let line = line(&Shogi9::default(), &dance[..11]);
    let verdict = search(&line, 20);
    assert_eq!(proof_of(&verdict, line.position(), "7b8b"), Some(Proof::Draw));
    assert_eq!(proof_of(&verdict, line.position(), "7b6b"), None);
}

/// Black has chased the king round and round. The next step of the king makes the fourth occurrence, and the checker loses; and one ply
/// earlier, the check that lets it happen is seen to lose.
#[test]
fn perpetual_check_is_seen_to_lose() {
    let start = Shogi9::from_sfen("4k4/R8/9/9/9/9/9/9/4K4 b - 1").expect("sfen");
    let chase = ["9b9a", "5a5b", "9a9b", "5b5a"].repeat(3);
    let fleeing = line(&start, &chase[..11]);
    let verdict = search(&fleeing, 20);
    assert_eq!(proof_of(&verdict, fleeing.position(), "5b5a"), Some(Proof::Win(1)));
    assert_eq!(verdict.best, fleeing.position().parse_move("5b5a").ok());
    let checking = line(&start, &chase[..10]);
    let verdict = search(&checking, 2000);
    assert_eq!(proof_of(&verdict, checking.position(), "9a9b"), Some(Proof::Loss(2)));
    assert_ne!(verdict.best, checking.position().parse_move("9a9b").ok());
}

/// With a glance at the leaves a mate in three is proven by the replies that allow a mate in one; without it, it takes a ply more.
#[test]
fn a_glance_at_the_leaves_sees_mates_a_ply_earlier() {
    let mate_in_three = Shogi9::from_sfen("4k4/9/4P4/9/9/9/9/9/4K4 b 2G 1").expect("sfen");
    let line = Line::new(mate_in_three);
    let evaluator = WinInOne::new(Quiet::new(Material, QuietOptions::default()));
    let mut search = TreeSearch::new("mcss(t=80,hash=32)".parse().expect("a method"), evaluator);
    let verdict = search.search(&line, &Limits::simulations(2000), &mut ());
    assert!(matches!(verdict.proof, Some(Proof::Win(_))), "{:?}", verdict.proof);
}

/// Under the rule, a position in which the opponent can declare is lost: moves that stop it are found.
#[test]
fn declarations_count_in_the_tree() {
    let start = Shogi9::start(&Spec::parse("shogi(declaration=csa27)").expect("spec")).expect("start");
    let position = start.parse_position("+R+R2K4/PPPPPPPP1/9/9/9/9/9/l8/4k4 w 2B 1").expect("sfen");
    let line = Line::new(position);
    let evaluator = WinInOne::new(Quiet::new(Material, QuietOptions::default()));
    let mut search = TreeSearch::new("mcss(t=80,hash=32)".parse().expect("a method"), evaluator);
    let verdict = search.search(&line, &Limits::simulations(1), &mut ());
    let mut lost = 0;
    for row in &verdict.moves {
        let mut child = position;
        child.play(row.mv);
        let declared = child.declaration().is_some() || child.mate_in_one().is_some();
        assert_eq!(row.proof == Some(Proof::Loss(1)), declared, "{:?}", row.mv);
        lost += usize::from(declared);
    }
    assert!(lost > 0, "the threat is there");
}

#[test]
fn a_mate_is_looked_for_first() {
    let mate = Shogi9::from_sfen("4k4/9/4P4/9/9/9/9/9/4K4 b G 1").expect("sfen");
    let inner = || Box::new(yomi_search::RandomPlayer);
    let mut search = MateFirst::new(inner(), 10_000, 32_768.0);
    let verdict = search.search(&Line::new(mate), &Limits::nodes(100), &mut ());
    assert_eq!((verdict.best, verdict.proof), (mate.parse_move("G*5b").ok(), Some(Proof::Win(1))));
    let quiet = search.search(&Line::new(Shogi9::default()), &Limits::nodes(100), &mut ());
    assert!(quiet.best.is_some() && quiet.proof.is_none());
}
