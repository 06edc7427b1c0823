//! A learning run of S1.3 without the rest of the program: small enough to be carried to another machine.
//!
//!     cargo run --release -p yomi-learn --features measure --example blokus_learn -- FOLDER n seed threads [updates] [simulations]
//!
//! Begins a run, or goes on with the one in the folder. A checkpoint is written every twenty seconds.
#![allow(clippy::print_stdout, reason = "an example prints its measurements")]

use std::path::Path;
use std::time::Duration;

use yomi_learn::blokus::{Run, Selection, Settings};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |i: usize, default: u64| args.get(i).map_or(default, |word| word.parse().expect("a number"));
    let folder = Path::new(args.first().expect("a folder"));
    let mut run = if folder.join("checkpoint.txt").exists() {
        Run::resume(folder)
    } else {
        let selection = Selection::best_of(number(1, 8) as usize);
        let [updates, simulations] = [number(4, 10_000), number(5, 100)];
        let seed = number(2, 1);
        Run::begin(
            folder,
            Settings { selection, seed, updates, simulations: simulations as u32, ..Settings::default() },
        )
    }
    .expect("a run");
    run.go(number(3, 1) as usize, Duration::from_secs(20), &mut |_, _| true).expect("the run goes on");
    println!("{} updates: {}", run.updates(), folder.display());
}
