//! One game of each kind, with everything that can be asked of each position: a change of behaviour shows as a difference of text.
//!
//! `YOMI_UPDATE=1 cargo test --test suite playthroughs` writes the files anew; read the difference before you commit it.

use std::fmt::Write;
use std::path::Path;

use yomi_core::toy::ConnectFour;
use yomi_core::{Line, Move, Notation, Seed, Simulate, Spec};
use yomi_games::blokus::BlokusDuo;
use yomi_games::go::{Go9, Go19};
use yomi_games::shogi::{Minishogi, Shogi9};

/// Everything a game says along one random game, as text.
fn playthrough<P: Notation + Simulate>(spec: &str, seed: u64) -> String {
    let start = P::start(&Spec::parse(spec).expect("a spec")).expect("a game");
    let mut text = format!("game {}\nseed {seed}\n", start.rules());
    let mut rng = Seed::new(seed).branch("playthrough", 0).rng();
    let mut line = Line::new(start);
    let mut moves = Vec::new();
    loop {
        let outcome = line.generate(&mut moves);
        let position = line.position();
        let ply = position.ply();
        writeln!(text, "\nply {}\nposition {}\n{position}", line.len(), position.position_text()).unwrap();
        writeln!(text, "key {:016x} repetition key {:016x} check {}", position.key(), ply.key, ply.check).unwrap();
        if let Some(outcome) = outcome {
            writeln!(text, "over {outcome:?}").unwrap();
            return text;
        }
        let words: Vec<String> = moves.iter().map(|&mv| position.move_text(mv)).collect();
        let bits = moves.iter().fold(0u64, |sum, mv| sum.wrapping_mul(31).wrapping_add(u64::from(mv.to_bits())));
        writeln!(text, "{:?} to move, {} moves ({bits:016x}): {}", position.turn(), moves.len(), shown(&words))
            .unwrap();
        if line.len() == 120 {
            return text;
        }
        let mv = moves[rng.below(moves.len())];
        writeln!(text, "plays {}", position.move_text(mv)).unwrap();
        line.play(mv);
    }
}

/// Long lists by their ends; the sum of bits stands for the rest.
fn shown(words: &[String]) -> String {
    match words {
        [a, b, c, .., x, y, z] if words.len() > 12 => format!("{a} {b} {c} ... {x} {y} {z}"),
        _ => words.join(" "),
    }
}

fn check<P: Notation + Simulate>(name: &str, spec: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/playthroughs").join(name).with_extension("txt");
    let now = playthrough::<P>(spec, 1);
    if std::env::var_os("YOMI_UPDATE").is_some() {
        std::fs::write(&path, &now).expect("the file is written");
        return;
    }
    let then = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    if let Some((i, (a, b))) = then.lines().zip(now.lines()).enumerate().find(|(_, (a, b))| a != b) {
        panic!("{} line {}:\n  was {a}\n  is  {b}", path.display(), i + 1);
    }
    assert_eq!(then.lines().count(), now.lines().count(), "{} has another length", path.display());
}

#[test]
fn connect_four() {
    check::<ConnectFour>("connect-four", "connect-four");
}

#[test]
fn shogi() {
    check::<Shogi9>("shogi", "shogi");
    check::<Shogi9>("shogi-handicap", "shogi(handicap=two-piece,declaration=csa27)");
}

#[test]
fn minishogi() {
    check::<Minishogi>("minishogi", "minishogi(repetition=first-loses)");
}

#[test]
fn go() {
    check::<Go9>("go5", "go5(ko=positional)");
    check::<Go9>("go9", "go9(komi=6.5,ko=simple,suicide=true)");
    check::<Go19>("go19", "go19(scoring=territory)");
}

#[test]
fn blokus_duo() {
    check::<BlokusDuo>("blokus-duo", "blokus-duo");
}
