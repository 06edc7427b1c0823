//! A search for a page.

use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;
use yomi_core::TextError;
use yomi_search::Limits as SearchLimits;
use yomi_search::time::{self, GameClock, TimeOptions};
use yomi_session::{Budget, Clock, Control, Event, Player, SearchRequest, Session};

use crate::admit::{Limits, Offer, admit, game_name};
use crate::error_json;
use crate::request::{Place, TreeOrder};

/// A search that a page wants.
#[derive(Clone, Debug, Deserialize)]
pub struct SearchOrder {
    /// Where.
    #[serde(flatten)]
    pub place: Place,
    /// Who: `mcss(t=80) sims=1000`, `level(3)`.
    pub player: String,
    /// What it may spend beside its own budget.
    #[serde(default)]
    pub budget: Budget,
    /// How many moves reports have.
    #[serde(default = "rows")]
    pub rows: usize,
    /// The seed.
    #[serde(default = "seed")]
    pub seed: u64,
    /// Reports while it runs.
    #[serde(default)]
    pub live: bool,
    /// The clock of the game, if it has one.
    #[serde(default)]
    pub clock: Option<ClockOrder>,
    /// A part of the tree to send with each report.
    #[serde(default)]
    pub tree: Option<TreeOrder>,
    /// Says by how many points a side leads, where games are counted.
    #[serde(default)]
    pub leads: bool,
}

/// Seconds on the clock of the side to move.
#[derive(Clone, Copy, PartialEq, Debug, Deserialize)]
pub struct ClockOrder {
    /// Left for the game.
    pub left: f64,
    /// For every move once nothing is left.
    #[serde(default)]
    pub byoyomi: f64,
    /// That every move adds.
    #[serde(default)]
    pub increment: f64,
}

fn rows() -> usize {
    8
}

fn seed() -> u64 {
    1
}

/// How often reports come. A search looks at the clock now and then only: what is due every 90 ms comes ten times a second.
const EVERY: Duration = Duration::from_millis(90);

impl SearchOrder {
    /// The player as it will think.
    pub fn player(&self, limits: &Limits, offers: &[Offer]) -> Result<Player, TextError> {
        let player: Player = self.player.parse()?;
        admit(&player, &game_name(&self.place.game)?, limits, offers)
    }

    /// Searches in a session that stands at the order's place, as the player that was admitted. Every answer is passed on: analyses while it runs, parts of the tree, and the last
    /// analysis, which is returned as well.
    pub fn run(
        &self,
        session: &mut dyn Session,
        player: &Player,
        limits: &Limits,
        control: &Control,
        tell: &mut (dyn FnMut(Value) + Send),
    ) -> Result<Value, TextError> {
        session.prepare(player, self.leads)?;
        let (bounds, clock) = self.bounds(player, session.plies(), limits)?;
        let rows = self.rows.min(400);
        let request = SearchRequest {
            clock,
            report_every: Some(EVERY),
            report_rows: rows,
            leads: self.leads,
            ..SearchRequest::new(player, bounds)
        };
        // As the page called it: files by their names.
        let text = self.player.trim();
        let look = |control: &Control| self.tree.iter().for_each(|tree| control.explore(tree.query()));
        look(control);
        let mut heard = 0.0;
        let analysis = session.search(&request, control, &mut |event| match event {
            // Searches that deepen report every iteration as well.
            Event::Progress(so_far) if self.live && so_far.seconds - heard >= 0.9 * EVERY.as_secs_f64() => {
                heard = so_far.seconds;
                look(control);
                tell(so_far.json(rows));
            }
            Event::Progress(_) => {}
            Event::Tree(Ok(tree)) => tell(tree.json(text)),
            Event::Tree(Err(error)) => tell(error_json(&error)),
        })?;
        if let Some(tree) = &self.tree
            && let Some(tree) = session.explore(player, &tree.query())?
        {
            tell(tree.json(text));
        }
        let mut last = analysis.json(rows);
        last["player"] = text.into();
        // Whatever ended it, this is the last word.
        last["final"] = true.into();
        Ok(last)
    }

    /// When the search ends: by its own budget, by the clock, and in any case by the limits of pages.
    fn bounds(&self, player: &Player, plies: usize, limits: &Limits) -> Result<(SearchLimits, Clock), TextError> {
        let mut bounds = player.limits(&self.budget, self.seed)?;
        let most = |asked: Option<u64>| asked.map(|asked| asked.min(limits.simulations));
        bounds.simulations = most(bounds.simulations);
        bounds.evaluations = most(bounds.evaluations);
        bounds.nodes = most(bounds.nodes);
        let longest = Duration::from_secs_f64(limits.seconds);
        bounds.time = Some(bounds.time.map_or(longest, |time| time.min(longest)));
        let Some(clock) = self.clock else { return Ok((bounds, Clock::Off)) };
        let span = |seconds: f64| {
            let wrong = |error| TextError::new(format!("{seconds} is no time in seconds: {error}"));
            Duration::try_from_secs_f64(seconds).map_err(wrong)
        };
        let (left, byoyomi, increment) = (span(clock.left)?, span(clock.byoyomi)?, span(clock.increment)?);
        let options = TimeOptions { network_delay: Duration::from_millis(50), ..TimeOptions::default() };
        let ply = u32::try_from(plies).unwrap_or(u32::MAX);
        let share = time::move_time(&GameClock { left, byoyomi, increment }, ply, &options);
        bounds.time = bounds.time.map(|time| time.min(share.hard));
        Ok((bounds, Clock::Running(share)))
    }
}
