//! What a search of Blokus Duo says about one that is two plies deeper: the numbers of ProbCut.

use yomi_core::Color;
use yomi_games::blokus::BlokusDuo;
use yomi_search::ordering::{Forecast, Guide};

/// Alpha-beta with the learned evaluation in its own unit.
pub(super) struct Foresight;

/// Slope, offset and deviation by phase of the game, six pieces on the board each, for depth 3 and for greater ones. Measured on
/// 343 positions of our own games with the weights of n = 1, seed 1:
///
/// ```sh
/// cargo run --release -p yomi-learn --features measure --example blokus_probcut -- 20 results/s1-learning/n1-s1/weights.txt 5
/// ```
const MEASURED: [[(f32, f32, f32); 5]; 2] = [
    [(0.969, 4.28, 3.75), (0.971, 2.42, 5.93), (0.990, 0.78, 6.34), (1.093, -1.46, 13.37), (1.087, -6.14, 20.05)],
    [(1.005, 3.26, 3.28), (1.008, 5.97, 8.04), (1.027, 4.24, 9.47), (1.083, 5.39, 15.65), (1.124, -2.01, 19.13)],
];

impl Guide<BlokusDuo> for Foresight {
    fn forecast(&self, position: &BlokusDuo, depth: i32) -> Option<Forecast> {
        let row = match depth {
            ..=2 => return None,
            3 => &MEASURED[0],
            _ => &MEASURED[1],
        };
        let placed: u32 = Color::BOTH.iter().map(|&color| 21 - position.remaining(color).len()).sum();
        let (slope, offset, deviation) = row[(placed as usize / 6).min(row.len() - 1)];
        Some(Forecast { less: 2, slope, offset, deviation })
    }
}
