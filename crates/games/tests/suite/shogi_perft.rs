//! The counts of `tests/perft/`: all rows up to a number of nodes that takes a moment.
//!
//! To go deeper: `YOMI_PERFT_NODES=1000000000 cargo test --release -p yomi-games --test suite shogi_perft`.

use yomi_core::perft::perft;
use yomi_games::shogi::{Five, Nine, Shogi, Variant};

/// What is counted without being asked for more.
const NODES: u64 = 20_000_000;

/// Checks every row of a file and gives how many counts were checked.
fn check<V: Variant>(file: &str) -> usize {
    let path = format!("{}/../../tests/perft/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let most = std::env::var("YOMI_PERFT_NODES").map_or(NODES, |n| n.parse().expect("YOMI_PERFT_NODES is a number"));
    let mut checked = 0;
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let [name, sfen, counts] = line.split('|').map(str::trim).collect::<Vec<_>>()[..] else {
            panic!("{file}: a row is name | SFEN | depth:count ...: {line}");
        };
        let position = Shogi::<V>::from_sfen(sfen).unwrap_or_else(|error| panic!("{file}: {name}: {error}"));
        for pair in counts.split_whitespace() {
            let (depth, count) = pair.split_once(':').expect("depth:count");
            let (depth, count): (u32, u64) = (depth.parse().expect("depth"), count.parse().expect("count"));
            if count <= most {
                assert_eq!(perft(&position, depth), count, "{file}: {name} at depth {depth}");
                checked += 1;
            }
        }
    }
    checked
}

#[test]
fn shogi() {
    assert!(check::<Nine>("shogi.perft") >= 40);
}

#[test]
fn minishogi() {
    assert!(check::<Five>("minishogi.perft") >= 10);
}
