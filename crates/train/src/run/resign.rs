//! When sides may resign: where that was seldom wrong in games that were played on.

use yomi_core::{Color, Outcome};

/// Sides may resign where that was wrong in at most this share of the games played on.
const WRONG_RESIGNATIONS: f64 = 0.05;

/// Of games played on: in how many a side would have resigned below `value`, and in how many of these wrongly.
pub(super) fn resignations(played_on: &[([f32; 2], Outcome)], value: f32) -> [u64; 2] {
    let mut counts = [0; 2];
    for (lowest, outcome) in played_on {
        let low = |color: Color| lowest[color.index()] < value;
        let wrong = Color::BOTH.into_iter().any(|color| low(color) && *outcome != Outcome::Win(!color));
        if Color::BOTH.into_iter().any(low) {
            counts[0] += 1;
            counts[1] += u64::from(wrong);
        }
    }
    counts
}

/// The highest value below which resigning was seldom wrong; -1, which no value is below, if there is none or too little is known.
pub(super) fn calibrated(played_on: &[([f32; 2], Outcome)]) -> f32 {
    let fine = |value: &f32| {
        let [would, wrong] = resignations(played_on, *value);
        would >= 20 && wrong as f64 <= WRONG_RESIGNATIONS * would as f64
    };
    [-0.8, -0.85, -0.9, -0.95, -0.98].into_iter().find(fine).unwrap_or(-1.0)
}
