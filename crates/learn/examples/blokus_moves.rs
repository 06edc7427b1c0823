//! Learns which moves are played in Blokus Duo from records of games.
//!
//!     yomi match --game blokus-duo 'prior-rave sims=2000' 'prior-rave sims=2000' --openings pentomino --games 1000 --out runs/games
//!     cargo run --release -p yomi-learn --features measure --example blokus_moves -- crates/eval/weights/blokus-moves.txt runs/games/records/*.blksgf
//!
//! Every tenth game is not learned from but predicted. The same records in the same order give the same weights.
#![allow(clippy::print_stdout, reason = "an example prints its measurements")]

use yomi_core::Seed;
use yomi_games::blokus::records;
use yomi_learn::blokus::moves::{Example, Learner, accuracy, examples};

const ROUNDS: u32 = 12;

fn main() {
    let mut args = std::env::args().skip(1);
    let to = args.next().expect("a file for the weights");
    let (mut seen, mut held): (Vec<Example>, Vec<Example>) = (Vec::new(), Vec::new());
    let mut games = 0;
    for file in args {
        let bytes = std::fs::read(&file).expect("a file of records");
        for record in records::read_all(&bytes).expect("records") {
            games += 1;
            let found = examples(&record, 2);
            if games % 10 == 0 { held.extend(found) } else { seen.extend(found) }
        }
    }
    println!("{games} games, {} choices to learn from, {} to predict", seen.len(), held.len());
    let mut learner = Learner::new(0.03);
    let mut rng = Seed::new(1).rng();
    for round in 0..ROUNDS {
        learner.round(&seen, 64, 1.0 - f64::from(round) / f64::from(ROUNDS), &mut rng);
        let fit = accuracy(&learner.model(), &held);
        println!(
            "round {}: log likelihood {:.4}, first {:.1} %, among the first five {:.1} %",
            round + 1,
            fit.log_likelihood,
            100.0 * fit.first,
            100.0 * fit.first_five
        );
    }
    std::fs::write(&to, learner.model().write()).expect("the file of weights can be written");
}
