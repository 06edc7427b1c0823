//! What a search believes of the moves of a position, in the terms that Leela Zero and KataGo made common.

use yomi_core::Notation;
use yomi_search::{RootMove, Verdict};

/// How the game may end, for the side to move.
pub(super) struct Outlook {
    /// Who owns the points in the end, in reading order: 1 for the side to move, -1 for the other.
    pub(super) points: Vec<f32>,
    /// The mean margin of the playouts.
    pub(super) mean: f32,
    /// The standard deviation of the margins.
    pub(super) spread: f32,
}

impl Outlook {
    /// The lead of a move, or of the position: the one that gives its chance of winning where margins spread like this around it (by the logistic curve). Playouts win as often
    /// as their margins are above nothing, so chance and lead tell the same, and a search knows the chance of every move.
    pub(super) fn lead(&self, chance: f32) -> f32 {
        /// No chance is told from a sure thing by a few hundred playouts.
        const SURE: f32 = 0.995;
        let chance = chance.clamp(1.0 - SURE, SURE);
        let scale = self.spread * 3.0f32.sqrt() / std::f32::consts::PI;
        scale * (chance / (1.0 - chance)).ln()
    }
}

/// A move that was looked at. Everything is for the side that plays it.
pub(super) struct Candidate {
    pub(super) mv: String,
    pub(super) visits: u64,
    /// The chance of winning.
    pub(super) winrate: f32,
    /// The chance is hardly smaller.
    pub(super) lcb: f32,
    /// The chance if the move had some visits of the position's own chance on top: few visits say little. For leads.
    pub(super) steady: f32,
    pub(super) prior: f32,
    /// What follows, the move first.
    pub(super) pv: Vec<String>,
}

impl Candidate {
    /// From -1, lost, to 1, won.
    pub(super) fn utility(&self) -> f32 {
        2.0 * self.winrate - 1.0
    }
}

/// The moves that were visited, best first, and at least `least` of those there are; `win` is what a won game is worth to the search.
pub(super) fn candidates<P: Notation>(
    position: &P,
    verdict: &Verdict<P::Move>,
    win: f32,
    least: usize,
) -> Vec<Candidate> {
    let seen = verdict.moves.iter().filter(|row| row.visits > 0).count();
    let root = chance(verdict.value, win);
    let candidate = |row: &RootMove<P::Move>| {
        let mut at = position.clone();
        let mut pv = Vec::new();
        for &mv in &row.pv {
            pv.push(at.move_text(mv));
            at.play(mv);
        }
        let winrate = chance(row.value, win);
        let (visits, prior, lcb) = (row.visits, row.prior, lower_bound(winrate, row.visits));
        let steady = steady(winrate, visits, root);
        Candidate { mv: position.move_text(row.mv), visits, winrate, lcb, steady, prior, pv }
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

/// The chance after some more visits that came out as those of the position did.
fn steady(chance: f32, visits: u64, root: f32) -> f32 {
    const MORE: f32 = 10.0;
    let visits = visits as f32;
    (chance * visits + root * MORE) / (visits + MORE)
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

    #[test]
    fn few_visits_say_little() {
        assert_eq!(steady(0.0, 0, 0.4), 0.4);
        assert!(steady(0.0, 1, 0.4) > 0.36 && steady(0.0, 1000, 0.4) < 0.01);
    }

    #[test]
    fn leads_grow_with_chances() {
        let outlook = Outlook { points: Vec::new(), mean: 0.0, spread: 10.0 };
        assert_eq!(outlook.lead(0.5), 0.0);
        assert!((outlook.lead(0.8) + outlook.lead(0.2)).abs() < 1e-4);
        // The logistic curve of standard deviation 10 has 86 % of itself below 10.
        assert!((outlook.lead(0.86) - 10.0).abs() < 0.1, "{}", outlook.lead(0.86));
        assert!(outlook.lead(1.0).is_finite() && outlook.lead(0.0).is_finite());
        assert_eq!(Outlook { spread: 0.0, ..outlook }.lead(1.0), 0.0);
    }
}
