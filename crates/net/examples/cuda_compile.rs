//! Compiles the kernels of the usual networks to PTX, without a device: `cargo run -p yomi-net --example cuda_compile DIRECTORY [WORD]`,
//! with a word only those whose names contain it.
//!
//! `… cuda_compile --quick DIRECTORY` compiles one of each kind: every kernel and form of it once, and the planes of every game.
//!
//! `… cuda_compile --archive FILE` writes those of the house networks to one file that a build can embed (`scripts/cuda_embed`).
//!
//! Needs NVIDIA's run-time compiler where the system finds libraries; `scripts/cuda_compile_check` brings it along.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program")]

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;

use yomi_core::Seed;
use yomi_net::architecture::Activation;
use yomi_net::input::Layout;
use yomi_net::{Architecture, Network, cuda};

/// Shared memory of a block on H100 and H200.
const HOPPER_SHARED: usize = 232_448;

const NETWORKS: [(Layout, usize, Activation); 18] = [
    (Layout::Shogi, 192, Activation::Relu),
    (Layout::Shogi, 128, Activation::Relu),
    (Layout::Shogi, 64, Activation::Relu),
    (Layout::Shogi, 256, Activation::Relu),
    (Layout::Dlshogi, 192, Activation::Relu),
    (Layout::Dlshogi, 192, Activation::Swish),
    (Layout::Minishogi, 32, Activation::Relu),
    (Layout::Minishogi, 64, Activation::Relu),
    (Layout::Minishogi, 128, Activation::Relu),
    (Layout::Go(9), 64, Activation::Relu),
    (Layout::Go(9), 96, Activation::Relu),
    // Squares as columns with stages of weights of one step.
    (Layout::Go(9), 128, Activation::Relu),
    (Layout::Go(9), 192, Activation::Relu),
    (Layout::Go(13), 128, Activation::Relu),
    (Layout::Go(19), 64, Activation::Relu),
    (Layout::Go(19), 128, Activation::Relu),
    (Layout::Go(19), 192, Activation::Relu),
    (Layout::BlokusDuo, 64, Activation::Relu),
];

/// Networks whose kernels released programs have: those of `weights/nets`, and the usual sizes of shogi.
const HOUSE: [(Layout, usize); 11] = [
    (Layout::Shogi, 192),
    (Layout::Shogi, 128),
    (Layout::Shogi, 64),
    (Layout::Dlshogi, 192),
    (Layout::Minishogi, 64),
    (Layout::Minishogi, 128),
    (Layout::Go(9), 64),
    (Layout::Go(9), 96),
    (Layout::Go(19), 64),
    (Layout::Go(19), 128),
    (Layout::BlokusDuo, 64),
];

fn archive(file: &str) -> Result<(), String> {
    let mut text = String::new();
    for (layout, channels) in HOUSE {
        let network =
            Network::random(Architecture::new(layout, 0, channels), Seed::new(1)).map_err(|e| e.to_string())?;
        text += &cuda::archive(&network, HOPPER_SHARED).map_err(|e| e.to_string())?;
    }
    println!("{file}: {} KiB", text.len() >> 10);
    std::fs::write(file, text).map_err(|error| format!("{file}: {error}"))
}

/// What a kernel has in common with others of which one is enough: its name without the numbers of its form, and where planes are written, the game.
fn kind(layout: Layout, name: &str) -> String {
    let words = name.split('-').filter(|word| !word.starts_with(|c: char| c.is_ascii_digit()));
    let words: Vec<&str> = words.map(|word| if word.starts_with("cluster") { "cluster" } else { word }).collect();
    format!("{} {}", words.join("-"), if name == "portable" { layout.id() } else { "" })
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [word, file] = &arguments[..]
        && word == "--archive"
    {
        return match archive(file) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("{error}");
                ExitCode::FAILURE
            }
        };
    }
    let quick = arguments.first().is_some_and(|word| word == "--quick");
    let mut rest = arguments.iter().skip(usize::from(quick));
    let Some(directory) = rest.next().map(PathBuf::from) else {
        eprintln!(
            "usage: cuda_compile DIRECTORY [WORD], cuda_compile --quick DIRECTORY, or cuda_compile --archive FILE"
        );
        return ExitCode::from(2);
    };
    let word = rest.next().map_or("", String::as_str);
    let (mut failed, mut kinds) = (false, BTreeSet::new());
    for (layout, channels, activation) in NETWORKS {
        let architecture = Architecture { activation, ..Architecture::new(layout, 0, channels) };
        let network = Network::random(architecture, Seed::new(1)).expect("a known layout");
        for source in cuda::sources(&network, HOPPER_SHARED) {
            let swish = if activation == Activation::Swish { "-swish" } else { "" };
            let name =
                format!("{}-{}-{channels}{swish}-{}.{}", layout.id(), layout.board(), source.name, source.architecture);
            if !name.contains(word) || quick && !kinds.insert(kind(layout, &source.name)) {
                continue;
            }
            let done = cuda::compile(&source)
                .map_err(|error| error.to_string())
                .and_then(|ptx| std::fs::write(directory.join(format!("{name}.ptx")), ptx).map_err(|e| e.to_string()));
            if let Err(error) = done {
                eprintln!("{name}: {error}");
                failed = true;
            }
        }
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
