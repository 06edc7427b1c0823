//! Plays a few searches and condenses what they answer into one byte, the exit status: the same in WebAssembly as on any other machine.
//! `scripts/wasm_smoke` runs it both ways.

use std::process::ExitCode;
use std::time::Duration;

use yomi_core::{Line, Move, Notation, Seed, Spec};
use yomi_games::blokus::BlokusDuo;
use yomi_games::go::Go9;
use yomi_games::shogi::{Minishogi, Shogi9};
use yomi_players::Playable;
use yomi_search::{Ended, Limits};

/// Plays three moves of a game and folds them, the visits and the reasons to stop into a number.
fn play<P: Playable + Notation>(game: &str, player: &str, limits: Limits) -> u64 {
    let spec = |text: &str| Spec::parse(text).expect("this text is right");
    let mut line = Line::new(P::start(&spec(game)).expect("the game starts"));
    let mut search = P::build(&spec(player), None).expect("the player is known");
    let mut sum = 0_u64;
    for ply in 0..3 {
        let limits = limits.clone().seeded(Seed::new(7).branch("ply", ply));
        let verdict = search.search(&line, &limits, &mut ());
        let mv = verdict.best.expect("there is a move");
        assert!(line.is_legal(mv), "{game}, {player}: an illegal move");
        let (bits, most) = (u64::from(mv.to_bits()), verdict.moves.first().map_or(0, |row| row.visits));
        sum = (sum ^ bits).wrapping_mul(0x0100_0000_01b3) ^ most ^ verdict.nodes;
        assert!(verdict.ended.is_some_and(|reason| limits.time.is_none() || reason == Ended::Time));
        line.play(mv);
        search.played(mv);
    }
    sum
}

/// WebAssembly without a system interface has no clock of its own: one that advances a millisecond with every look.
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
fn install_clock() {
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
    static LOOKS: AtomicU64 = AtomicU64::new(0);
    yomi_core::clock::install(|| Duration::from_millis(LOOKS.fetch_add(1, Relaxed)));
}

#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
fn install_clock() {}

fn main() -> ExitCode {
    install_clock();
    let sums = [
        play::<Minishogi>("minishogi", "mcss(t=80)", Limits::evaluations(20_000)),
        play::<Minishogi>("minishogi", "alpha-beta", Limits::nodes(20_000)),
        play::<Go9>("go9", "prior-rave", Limits::simulations(300)),
        play::<Go9>("go9", "flat(n=2)", Limits::infinite()),
        play::<Shogi9>("shogi", "mate-first(uct)", Limits::simulations(100)),
        play::<BlokusDuo>("blokus-duo", "uct", Limits::simulations(50)),
    ];
    // A search by the clock ends, whatever clock that is; its moves depend on the clock.
    play::<Go9>("go9", "uct", Limits::time(Duration::from_millis(20)));
    // Threads are refused where there are none, and taken elsewhere.
    let threads = Go9::build(&Spec::parse("uct(threads=2)").expect("this text is right"), None);
    assert_eq!(threads.is_err(), cfg!(target_family = "wasm"));
    let sum = sums.iter().fold(0_u64, |all, sum| all.rotate_left(9) ^ sum);
    // Apart from what failures exit with: 1 in Node, 101 after a panic.
    ExitCode::from((sum % 140) as u8 + 110)
}
