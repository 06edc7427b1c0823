//! What is known of a move that was played is kept.

use super::common::{Hashed, METHODS, Wide, simulations, with};
use yomi_core::toy::{Branch, Column, ConnectFour};
use yomi_core::{Line, Position};
use yomi_search::tree::ROOT;
use yomi_search::{Limits, Search, TreeSearch};

/// The subtree of the move played is the tree of the next search: visits, values and moves.
#[test]
fn the_subtree_is_kept() {
    for method in METHODS {
        let mut searcher = TreeSearch::new(with(method, "hash=8,solver=off"), Hashed);
        let mut line = Line::new(Wide::new(6, 50));
        let verdict = searcher.search(&line, &simulations(600, 1), &mut ());
        let best = &verdict.moves[0];
        searcher.played(best.mv);
        line.play(best.mv);
        let nodes = searcher.tree().len();
        assert_eq!(u64::from(searcher.tree().visits(ROOT)), best.visits, "{method}");
        let (expected, value) = (best.pv[1..].to_vec(), best.value);
        // A search without simulations shows what was kept.
        let kept = searcher.search(&line, &Limits::simulations(0), &mut ());
        assert_eq!((kept.nodes, kept.value), (nodes as u64, 0.0 - value), "{method}");
        if !expected.is_empty() {
            assert_eq!(kept.pv, expected, "{method}");
        }
        // And it grows on.
        let more = searcher.search(&line, &simulations(100, 2), &mut ());
        assert!(more.nodes >= kept.nodes, "{method}");
        assert_eq!(more.nodes_per_depth.iter().sum::<u64>(), more.nodes, "{method}");
    }
}

/// No call is needed: a line that continues the last one is followed.
#[test]
fn a_longer_line_is_followed() {
    for announced in [true, false] {
        let mut searcher = TreeSearch::new("mcss(t=0.3,hash=8)".parse().unwrap(), Hashed);
        let mut line = Line::new(ConnectFour::default());
        let verdict = searcher.search(&line, &simulations(500, 1), &mut ());
        for &mv in &verdict.pv[..2] {
            line.play(mv);
            if announced {
                searcher.played(mv);
            }
        }
        let kept = searcher.search(&line, &Limits::simulations(0), &mut ());
        assert!(kept.nodes > 8, "{announced}: {}", kept.nodes);
        assert_eq!(kept.pv, verdict.pv[2..], "{announced}");
    }
}

#[test]
fn another_game_starts_anew() {
    let mut searcher = TreeSearch::new("mcss(t=0.3,hash=8)".parse().unwrap(), Hashed);
    let start = Line::new(ConnectFour::default());
    let nothing = Limits::simulations(0);
    let nodes = |searcher: &mut TreeSearch<ConnectFour, Hashed>, line: &Line<ConnectFour>| {
        searcher.search(line, &nothing, &mut ()).nodes
    };
    searcher.search(&start, &simulations(500, 1), &mut ());
    assert!(nodes(&mut searcher, &start) > 1);
    assert_eq!(
        nodes(&mut searcher, &Line::new(ConnectFour::after("12").unwrap())),
        1,
        "the same moves, but another beginning"
    );
    searcher.search(&start, &simulations(500, 1), &mut ());
    searcher.played(Column(200));
    assert_eq!(nodes(&mut searcher, &start), 1, "an illegal move ends all certainty");
    searcher.search(&start, &simulations(500, 1), &mut ());
    searcher.new_game();
    assert_eq!(nodes(&mut searcher, &start), 1);
    let mut forgetful = TreeSearch::new("mcss(t=0.3,hash=8,reuse=off)".parse().unwrap(), Hashed);
    forgetful.search(&start, &simulations(500, 1), &mut ());
    assert_eq!(forgetful.search(&start, &nothing, &mut ()).nodes, 1);
}

/// A leaf that was too deep, or for which there was no room, may grow when the root has moved on.
#[test]
fn limits_of_the_last_search_do_not_bind_the_next() {
    let line = Line::new(Wide::new(5, 40));
    let mut searcher = TreeSearch::new("mcss(t=0.3,hash=8)".parse().unwrap(), Hashed);
    let shallow = searcher.search(&line, &Limits::depth(2), &mut ());
    assert_eq!(shallow.nodes_per_depth, [1, 5, 25]);
    let deeper = searcher.search(&line, &Limits::depth(3), &mut ());
    assert_eq!(deeper.nodes_per_depth, [1, 5, 25, 125]);

    let wide = Wide::new(100, 100);
    let mut searcher = TreeSearch::new("mcss(t=0.3,hash=1)".parse().unwrap(), Hashed);
    let full = searcher.search(&Line::new(wide.clone()), &simulations(1000, 1), &mut ());
    assert!(full.tree_full);
    let mut line = Line::new(wide);
    line.play(full.best.unwrap());
    let next = searcher.search(&line, &simulations(50, 1), &mut ());
    assert!(!next.tree_full && next.nodes > 50 * 100, "{}", next.nodes);
    let mut position = line.position().clone();
    position.play(Branch(0));
    assert_eq!(position.plies, 98);
}

/// The same moves with and without a kept tree are equally legal, game after game, with threads.
#[test]
fn whole_games_are_played() {
    for options in ["threads=2", "trees=2,threads=2", "reuse=off"] {
        let mut searcher = TreeSearch::new(with("mcss(t=0.3)", &format!("hash=4,{options}")), Hashed);
        for game in 0..3 {
            searcher.new_game();
            let mut line = Line::new(ConnectFour::default());
            loop {
                let verdict = searcher.search(&line, &simulations(60, game), &mut ());
                let Some(mv) = verdict.best else { break };
                assert!(line.is_legal(mv), "{options}: {mv:?} in\n{}", line.position());
                line.play(mv);
                searcher.played(mv);
            }
            assert!(line.len() >= 7, "{options}");
        }
    }
}
