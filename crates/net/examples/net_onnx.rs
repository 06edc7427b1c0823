//! What `scripts/net_onnx_check.py` compares with ONNX Runtime.
//!
//! `net_onnx export LAYOUT BOARD BLOCKS CHANNELS ACTIVATION COUNT FOLDER` writes a random network as `model.onnx`; `net_onnx import FILE COUNT FOLDER`
//! reads one of dlshogi. Both write the planes of positions of random games and this program's answers beside it, as raw f32 numbers:
//! `planes`, `policy`, `value`, `score`, `ownership`; and print the processor time of one evaluation of all positions by one thread.
#![allow(clippy::print_stdout, reason = "a program")]

use std::error::Error;
use std::fs;
use std::path::Path;

use yomi_core::clock::Stopwatch;
use yomi_core::{Notation, Seed, Spec};
use yomi_games::blokus::BlokusDuo;
use yomi_games::go::{Go9, Go13, Go19};
use yomi_games::shogi::{Minishogi, Shogi9};
use yomi_net::architecture::Activation;
use yomi_net::cpu::{Cpu, Workspace};
use yomi_net::input::{Encode, Layout, PackedPosition, Planes};
use yomi_net::{Architecture, Evaluations, Network, onnx};

/// Positions of random games.
fn packed<P: Encode + Notation>(game: &str, count: usize) -> Result<Vec<PackedPosition>, Box<dyn Error>> {
    let start = P::start(&Spec::parse(game)?)?;
    let mut rng = Seed::new(9).rng();
    let (mut position, mut moves, mut list) = (start.clone(), Vec::new(), Vec::new());
    while list.len() < count {
        if position.generate(&mut moves).is_some() {
            position = start.clone();
            continue;
        }
        list.push(position.pack(position.turn()));
        position.play(moves[rng.below(moves.len())]);
    }
    Ok(list)
}

fn positions(layout: Layout, count: usize) -> Result<Vec<PackedPosition>, Box<dyn Error>> {
    let game = layout.game();
    match layout {
        Layout::Shogi | Layout::Dlshogi => packed::<Shogi9>(&game, count),
        Layout::Minishogi => packed::<Minishogi>(&game, count),
        Layout::Go(2..=9) => packed::<Go9>(&game, count),
        Layout::Go(10..=13) => packed::<Go13>(&game, count),
        Layout::Go(_) => packed::<Go19>(&game, count),
        Layout::BlokusDuo => packed::<BlokusDuo>(&game, count),
    }
}

/// Writes planes and answers, and prints how long these took.
fn write(network: &Network, count: usize, folder: &Path) -> Result<(), Box<dyn Error>> {
    let (layout, _) = network.architecture().check()?;
    let positions = positions(layout, count)?;
    let mut dense = Vec::new();
    let mut planes = Planes::default();
    for packed in &positions {
        layout.expand(packed, &mut planes);
        dense.extend(planes.dense(layout.planes(), layout.squares()));
    }
    let cpu = Cpu::new(network);
    let (mut work, mut answers) = (Workspace::default(), Evaluations::default());
    let mut best = f64::MAX;
    for _ in 0..7 {
        let watch = Stopwatch::start();
        cpu.evaluate(&positions, 1, &mut work, &mut answers);
        best = best.min(watch.busy().as_secs_f64());
    }
    let value: Vec<f32> = answers.value.iter().flatten().copied().collect();
    let parts = [
        ("planes", &dense),
        ("policy", &answers.policy),
        ("value", &value),
        ("score", &answers.score),
        ("ownership", &answers.ownership),
    ];
    for (name, numbers) in parts {
        let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
        fs::write(folder.join(name), bytes)?;
    }
    println!("{best}");
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["export", layout, board, blocks, channels, activation, count, folder] => {
            let layout = Layout::from_id(layout, board.parse()?).ok_or("no such layout")?;
            let activation = if activation == "swish" { Activation::Swish } else { Activation::Relu };
            let architecture =
                Architecture { activation, ..Architecture::new(layout, blocks.parse()?, channels.parse()?) };
            let network = Network::random(architecture, Seed::new(1))?;
            fs::write(Path::new(folder).join("model.onnx"), onnx::export(&network))?;
            write(&network, count.parse()?, Path::new(folder))
        }
        ["import", file, count, folder] => {
            let network = onnx::import(&fs::read(file)?)?;
            write(&network, count.parse()?, Path::new(folder))
        }
        _ => Err("export LAYOUT BOARD BLOCKS CHANNELS ACTIVATION COUNT FOLDER, or import FILE COUNT FOLDER".into()),
    }
}
