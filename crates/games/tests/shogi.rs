//! The laws of games and known facts, for shogi and minishogi.

use yomi_core::conformance::{Effort, check};
use yomi_core::perft::perft;
use yomi_games::shogi::{Minishogi, Shogi9};

#[test]
fn perft_of_the_start() {
    let counts: Vec<u64> = (1..=4).map(|d| perft(&Shogi9::default(), d)).collect();
    assert_eq!(counts, [30, 900, 25_470, 719_731]);
    let counts: Vec<u64> = (1..=5).map(|d| perft(&Minishogi::default(), d)).collect();
    assert_eq!(counts, [14, 181, 2512, 35_401, 533_203]);
}

#[test]
fn obeys_the_laws() {
    let effort = Effort { games: 20, max_plies: 300, ends: false, brute_force_every: 20 };
    check(&Shogi9::default(), effort, 1);
    check(&Minishogi::default(), effort, 1);
}
