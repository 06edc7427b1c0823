//! Balanced openings: random ones that a search finds even.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use yomi_core::{Line, Seed, TextError};
use yomi_games::Game;

use crate::config::PlayerConfig;
use crate::opening::{self, Drawn, Opening};
use crate::player::{Action, NewGame, Player, Turn};

/// How many random openings are judged before the condition is taken for a mistake.
const TRIES: u64 = 500;

/// A random opening that `judge` finds worth at most `within` to either side, in its own unit.
pub(crate) fn draw<P: Game>(
    start: &P,
    plies: u32,
    within: f32,
    judge: (&PlayerConfig, &mut dyn Player<P>),
    seed: Seed,
) -> Result<Opening, TextError> {
    let (config, judge) = judge;
    for attempt in 0..TRIES {
        let chance = seed.branch("balanced", attempt);
        let opening = opening::random(start, plies, Drawn::Moves, chance)?;
        let (from, moves, line) = opening::replay(start, &opening)?;
        let worth = judged(&from, &moves, &line, config, judge, chance)?;
        if worth.is_some_and(|worth| worth.abs() <= within) {
            return Ok(opening);
        }
    }
    Err(TextError::new(format!(
        "none of {TRIES} openings of {plies} random moves is within {within} as {} sees it",
        config.name
    )))
}

/// What the judge says the position is worth to the side to move; nothing where it proved a result or has no opinion.
fn judged<P: Game>(
    start: &P,
    moves: &[P::Move],
    line: &Line<P>,
    config: &PlayerConfig,
    judge: &mut dyn Player<P>,
    seed: Seed,
) -> Result<Option<f32>, TextError> {
    let wrong = |fault| TextError::new(format!("{}: {fault}", config.name));
    let color = line.position().turn();
    judge.new_game(&NewGame { start, opening: moves, color, time: None, seed }).map_err(wrong)?;
    let limits = config.budget.limits(seed);
    let stop = Arc::new(AtomicBool::new(false));
    let turn = Turn { start, moves, line, clocks: None, limits: &limits, stop: &stop };
    let answer = judge.choose(&turn).map_err(wrong)?;
    let proven = answer.report.proof.is_some() || !matches!(answer.action, Action::Move(_));
    Ok(answer.report.value.filter(|_| !proven))
}
