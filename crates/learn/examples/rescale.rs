//! Brings weights of the linear evaluation to the unit of the papers, a pawn is 87, by least squares against material over positions of games:
//! `cargo run --release -p yomi-learn --features measure --example rescale -- minishogi FROM.linear TO.linear GAMES.games...`

#![allow(clippy::print_stdout, reason = "this program prints")]

use std::error::Error;

use yomi_core::TextError;
use yomi_eval::linear::Weights;
use yomi_games::shogi::{Five, Nine, Shogi, Variant};
use yomi_learn::{games, scale};

/// Every third position of the games.
const STEP: usize = 3;

fn rescale<V: Variant>(from: &str, to: &str, files: &[String]) -> Result<f32, Box<dyn Error>> {
    let mut parameters = Weights::read::<V>(&std::fs::read(from)?)?.parameters();
    let mut all = Vec::new();
    for file in files {
        all.extend(games::read::<Shogi<V>>(&std::fs::read(file)?)?);
    }
    let factor = scale::factor::<V>(&parameters, &all, STEP);
    scale::rescale(&mut parameters, factor);
    std::fs::write(to, Weights::round::<V>(&parameters)?.write())?;
    factor.ok_or_else(|| TextError::new("these weights have nothing in common with material").into())
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [game, from, to, files @ ..] = &words[..] else { return Err("GAME FROM TO GAMES...".into()) };
    let factor = match game.as_str() {
        "shogi" => rescale::<Nine>(from, to, files)?,
        _ => rescale::<Five>(from, to, files)?,
    };
    println!("{to}: {factor} times {from}");
    Ok(())
}
