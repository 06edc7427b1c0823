//! One thread, a seed and a budget of simulations give one result, bit for bit; so do several trees with any number of threads.

use std::fmt::Write;
use std::io::Cursor;

use super::common::{Hashed, METHODS, Wide, search, simulations, with};
use yomi_core::toy::ConnectFour;
use yomi_core::{Line, Move, Uniform};
use yomi_eval::Rollout;
use yomi_search::tree::{Explorer, ROOT, TreeFile};
use yomi_search::{Search, TreeSearch, Verdict};

fn without_time<M>(mut verdict: Verdict<M>) -> Verdict<M> {
    verdict.elapsed = std::time::Duration::ZERO;
    verdict
}

#[test]
fn the_same_seed_gives_the_same_tree() {
    for method in METHODS {
        let grow = |seed| {
            let mut searcher = TreeSearch::new(with(method, "hash=8"), Rollout::new(Uniform));
            let verdict = searcher.search(&Line::new(ConnectFour::default()), &simulations(400, seed), &mut ());
            let mut bytes = Vec::new();
            searcher.tree().save("", &mut bytes).unwrap();
            (without_time(verdict), bytes)
        };
        assert!(grow(1) == grow(1), "{method}");
        assert!(grow(1).1 != grow(2).1, "{method}: the seed matters");
    }
}

#[test]
fn several_trees_do_not_care_for_the_number_of_threads() {
    for method in METHODS {
        let grow = |threads: usize| {
            let method = with(method, &format!("hash=16,trees=3,threads={threads}"));
            without_time(search(method, Rollout::new(Uniform), ConnectFour::after("44").unwrap(), &simulations(500, 6)))
        };
        let alone = grow(1);
        assert_eq!(alone.simulations, 500, "{method}");
        for threads in [2, 3, 5] {
            assert_eq!(alone, grow(threads), "{method} with {threads} threads");
        }
    }
}

/// Merging adds up: visits are sums, and a tree alone is not changed by it.
#[test]
fn merged_trees_count_every_sample() {
    let limits = simulations(900, 6);
    let merged =
        search(with("uct(c=0.7)", "trees=3,solver=off"), Rollout::new(Uniform), ConnectFour::default(), &limits);
    // Each tree's first two samples stop at the root.
    assert_eq!(merged.moves.iter().map(|m| m.visits).sum::<u64>(), 900 - 3 * 2);
    let mean: f32 = merged.moves.iter().map(|m| m.value * m.visits as f32).sum::<f32>() / 894.0;
    assert!((mean - merged.value).abs() < 0.02, "{mean} {}", merged.value);
}

/// What is saved of several trees agrees with their verdict.
#[test]
fn merged_trees_are_saved_as_one() {
    for method in METHODS {
        let mut searcher = TreeSearch::new(with(method, "hash=16,trees=3,threads=2"), Rollout::new(Uniform));
        let verdict = searcher.search(&Line::new(ConnectFour::after("44").unwrap()), &simulations(500, 6), &mut ());
        let mut bytes = Vec::new();
        assert!(searcher.save_tree("", &mut bytes).unwrap());
        let mut file = TreeFile::open(Cursor::new(bytes)).unwrap();
        file.verify().unwrap();
        let children = file.children(ROOT).unwrap();
        assert_eq!(children.len(), verdict.moves.len(), "{method}");
        for row in &verdict.moves {
            let child = children.iter().find(|child| child.mv == row.mv.to_bits()).unwrap();
            assert_eq!((u64::from(child.visits), child.proof), (row.visits, row.proof), "{method}");
            let value = child.value.filter(|_| row.proof.is_none()).unwrap_or(row.value);
            assert!((value - row.value).abs() < 1e-6, "{method}: {value} for {}", row.value);
        }
        // The first tree alone has less.
        assert!(file.nodes() > searcher.tree().len() as u64, "{method}");
    }
}

/// The trees that stand in `golden_trees.txt`. A change of behaviour shows here; run with `YOMI_WRITE_GOLDEN=1` to accept it.
#[test]
fn golden_trees() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/suite/tree_search/golden_trees.txt");
    let mut found = String::new();
    for method in METHODS {
        let mut searcher = TreeSearch::new(with(method, "hash=8"), Hashed);
        let verdict = searcher.search(&Line::new(Wide::new(7, 12)), &simulations(500, 3), &mut ());
        let mut bytes = Vec::new();
        searcher.tree().save("", &mut bytes).unwrap();
        let best = verdict.best.map_or(0, |mv| mv.0);
        let (value, nodes, hash) = (verdict.value, verdict.nodes, yomi_core::rng::fnv1a(&bytes));
        writeln!(found, "{method} best={best} value={value} nodes={nodes} tree={hash:016x}").unwrap();
    }
    if std::env::var_os("YOMI_WRITE_GOLDEN").is_some() {
        std::fs::write(path, &found).unwrap();
    }
    let golden = std::fs::read_to_string(path).unwrap();
    for (found, golden) in found.lines().zip(golden.lines()) {
        assert_eq!(found, golden);
    }
    assert_eq!(found.lines().count(), golden.lines().count());
}
