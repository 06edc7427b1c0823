//! A player at the board: its search, and what it says about the game.

use std::sync::Arc;
use std::time::Duration;

use yomi_core::{Line, Seed};
use yomi_protocol::server::forecast::{Forecast, Forecaster};
use yomi_search::{Limits, Proof, Search, Verdict, Watch};

use super::speech::Speech;
use super::words::judgement;
use crate::players::{Budget, Playable, Player};

/// Without any budget and clock a move gets this long.
const DEFAULT_TIME: Duration = Duration::from_secs(2);

/// Somebody who thinks about moves.
pub(super) struct Thinker<P: Playable + Speech> {
    pub(super) search: Box<dyn Search<P>>,
    pub(super) limits: Limits,
    /// What a won game is worth to the search.
    win: f32,
    /// Who tells by how many points a side leads, in games that are counted.
    forecaster: Option<Arc<dyn Forecaster<P>>>,
}

/// What came of thinking.
pub(super) struct Thought<P: Playable> {
    pub(super) verdict: Verdict<P::Move>,
    forecast: Option<Forecast<P::Move>>,
    win: f32,
}

impl<P: Playable + Speech> Thinker<P> {
    /// This player; where neither it nor `budget` nor a clock ends a search, a search ends after two seconds.
    pub(super) fn new(player: &Player, budget: &Budget, clock: bool) -> anyhow::Result<Thinker<P>> {
        let mut limits = player.limits(budget, 0)?;
        if !limits.is_bounded() && !clock {
            limits.time = Some(DEFAULT_TIME);
        }
        let (search, forecaster) = P::seated(player)?;
        Ok(Thinker { search, limits, win: player.win::<P>()?, forecaster })
    }

    /// Thinks about the position within `limits`.
    pub(super) fn think(&mut self, line: &Line<P>, limits: &Limits, watch: &mut dyn Watch<P::Move>) -> Thought<P> {
        self.forecaster.iter().for_each(|forecaster| forecaster.begin(line));
        let verdict = self.search.search(line, limits, watch);
        self.forecaster.iter().for_each(|forecaster| forecaster.end());
        let seed: Seed = limits.seed.branch("forecast", 0);
        let forecast = self.forecaster.as_ref().map(|forecaster| forecaster.forecast(line, &verdict, seed));
        Thought { verdict, forecast, win: self.win }
    }
}

impl<P: Playable> Thought<P> {
    /// What a move is worth to the side that makes it, in words.
    pub(super) fn judgement(&self, mv: &P::Move, value: f32, proof: Option<Proof>) -> String {
        let lead = self.forecast.as_ref().map(|forecast| forecast.of(mv).lead);
        judgement(value, self.win, proof, lead)
    }
}
