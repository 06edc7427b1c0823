//! What a search believes of the moves of a position, in the terms that Leela Zero and KataGo made common.

use yomi_core::Notation;
use yomi_search::{RootMove, Verdict};
use yomi_session::variation;

use super::forecast::{Forecast, Outlook};

/// A move that was looked at. Everything is for the side that plays it.
pub(super) struct Candidate<'a> {
    pub(super) mv: String,
    pub(super) visits: u64,
    /// The chance of winning.
    pub(super) winrate: f32,
    /// The chance is hardly smaller.
    pub(super) lcb: f32,
    pub(super) prior: f32,
    /// What follows, the move first.
    pub(super) pv: Vec<String>,
    /// Visits of each move of it.
    pub(super) pv_visits: Vec<u64>,
    /// How the game will end, if that is known.
    pub(super) outlook: Option<&'a Outlook>,
}

impl Candidate<'_> {
    /// From -1, lost, to 1, won.
    pub(super) fn utility(&self) -> f32 {
        2.0 * self.winrate - 1.0
    }
}

/// The moves that were visited, best first, and at least `least` of those there are; `win` is what a won game is worth to the search.
pub(super) fn candidates<'a, P: Notation>(
    position: &P,
    verdict: &Verdict<P::Move>,
    win: f32,
    least: usize,
    forecast: Option<&'a Forecast<P::Move>>,
) -> Vec<Candidate<'a>> {
    let seen = verdict.moves.iter().filter(|row| row.visits > 0).count();
    let candidate = |row: &RootMove<P::Move>| {
        let pv = variation(position, &row.pv);
        let winrate = chance(row.value, win);
        let (visits, prior, lcb) = (row.visits, row.prior, lower_bound(winrate, row.visits));
        let outlook = forecast.map(|forecast| forecast.of(&row.mv));
        // Searches without a tree know the visits of the first move alone.
        let mut pv_visits = if row.pv_visits.is_empty() { vec![visits] } else { row.pv_visits.clone() };
        pv_visits.resize(pv.len(), 0);
        Candidate { mv: position.move_text(row.mv), visits, winrate, lcb, prior, pv, pv_visits, outlook }
    };
    verdict.moves.iter().take(seen.max(least).max(1)).map(candidate).collect()
}

/// All visits of the moves.
pub(super) fn visits<M>(verdict: &Verdict<M>) -> u64 {
    verdict.moves.iter().map(|row| row.visits).sum()
}

/// The chance of winning that a value stands for.
pub(super) fn chance(value: f32, win: f32) -> f32 {
    let chance = (value / win).midpoint(1.0);
    if chance.is_nan() { 0.5 } else { chance.clamp(0.0, 1.0) }
}

/// The chance is hardly smaller than this: two standard errors below.
pub(super) fn lower_bound(chance: f32, visits: u64) -> f32 {
    let error = (chance * (1.0 - chance) / visits.max(1) as f32).sqrt();
    (chance - 2.0 * error).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_are_between_nothing_and_all() {
        assert_eq!([-1.0, 0.0, 1.0, 5.0, f32::NAN].map(|value| chance(value, 1.0)), [0.0, 0.5, 1.0, 1.0, 0.5]);
        assert_eq!(chance(50.0, 100.0), 0.75);
        assert!(lower_bound(0.5, 100) < 0.5 && lower_bound(0.01, 1) == 0.0);
    }
}
