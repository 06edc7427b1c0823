//! Writes samples, parameters of a network, and what the native trainer makes of them, for `scripts/nnue_check.py` to compare.
//!
//! `cargo run --release -p yomi-learn --features measure --example nnue_gradient -- GAME FOLDER`

use std::error::Error;
use std::fs;
use std::path::Path;

use yomi_core::Seed;
use yomi_eval::Material;
use yomi_games::shogi::{Five, Nine, Variant};
use yomi_learn::lessons::Targets;
use yomi_learn::nnue::export::{header, write_records};
use yomi_learn::nnue::play::{Play, play};
use yomi_learn::nnue::samples::Samples;
use yomi_learn::nnue::train::{Fit, Trainer};

fn write<V: Variant>(folder: &Path) -> Result<(), Box<dyn Error>> {
    let how = Play { nodes: 60, random: 6, plies: 120, resign: 3000.0 };
    let games: Vec<_> = (0..12).map(|game| play::<V, _>(&Material, &how, Seed::new(game))).collect();
    let samples = Samples::of::<V>(&Targets { k: 600.0, lambda: 0.8 }, &games);
    let mut file = header::<V>();
    write_records::<V>(&samples, &mut file)?;
    fs::write(folder.join("samples.rows"), file)?;
    let mut trainer = Trainer::new::<V>(&mut Seed::new(1).rng());
    let all: Vec<u32> = (0..samples.len() as u32).collect();
    let fit = Fit { epochs: 1, batch: 64, rate: 2e-3, decay: 0.2, threads: 1 };
    for batch in all.chunks(fit.batch) {
        trainer.step(&samples, batch, &fit);
    }
    let numbers = |numbers: &[f32]| numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>();
    fs::write(folder.join("parameters.f32"), numbers(&trainer.parameters::<V>()))?;
    let (loss, gradient) = trainer.gradient::<V>(&samples, &all);
    fs::write(folder.join("gradient.f32"), numbers(&gradient))?;
    fs::write(folder.join("loss.txt"), loss.to_string())?;
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(game), Some(folder)) = (arguments.next(), arguments.next()) else {
        return Err("which game, and where to?".into());
    };
    match game.as_str() {
        "shogi" => write::<Nine>(Path::new(&folder)),
        "minishogi" => write::<Five>(Path::new(&folder)),
        _ => Err("shogi or minishogi".into()),
    }
}
