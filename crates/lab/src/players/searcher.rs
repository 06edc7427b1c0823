//! A search of our own as a player.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use yomi_core::{Line, Outcome};
use yomi_search::time::{TimeOptions, move_time};
use yomi_search::{Search, Verdict};
use yomi_session::{Clock, Control, think};

use crate::expected;
use crate::player::{Action, Answer, Fault, NewGame, Player, Report, Turn};
use yomi_games::Game;

/// A search with the name it goes by.
pub struct Searcher<P: Game> {
    name: String,
    search: Box<dyn Search<P>>,
    time: TimeOptions,
}

impl<P: Game> Searcher<P> {
    /// A player that asks this search.
    pub fn new(name: impl Into<String>, search: Box<dyn Search<P>>) -> Searcher<P> {
        // Between threads of one process a move loses next to nothing on its way.
        let time = TimeOptions { network_delay: Duration::from_millis(10), ..TimeOptions::default() };
        Searcher { name: name.into(), search, time }
    }

    /// Asks the search, in the time there is.
    pub(super) fn think(&mut self, turn: &Turn<'_, P>) -> Verdict<P::Move> {
        let control = Control::stopped_by(turn.stop);
        let (mut limits, mut pace) = (turn.limits.clone(), Clock::Off);
        if let Some(clocks) = turn.clocks {
            let clock = clocks.of(turn.line.position().turn());
            let time = move_time(clock, turn.moves.len() as u32, &self.time);
            limits.time = Some(limits.time.map_or(time.hard, |limit| limit.min(time.hard)));
            pace = Clock::Running(time);
        }
        think(self.search.as_mut(), turn.line, &limits, pace, &control, None, &mut |_| ())
    }
}

/// What a search says about the move that is played after it, in this position.
pub(super) fn report<P: Game>(position: &P, played: P::Move, verdict: &Verdict<P::Move>) -> Report {
    Report {
        value: Some(verdict.value).filter(|value| value.is_finite()),
        line: expected::after(position, played, &verdict.pv),
        proof: verdict.proof,
        simulations: Some(verdict.simulations),
        nodes: Some(verdict.nodes),
        evaluations: Some(verdict.evaluations),
        depth: Some(verdict.depth),
        time: Some(verdict.elapsed),
        cpu: None,
    }
}

impl<P: Game> Player<P> for Searcher<P> {
    fn name(&self) -> &str {
        &self.name
    }

    fn new_game(&mut self, game: &NewGame<'_, P>) -> Result<(), Fault> {
        self.search.new_game();
        if game.time.is_some() {
            // The clock of the first move must not pay for memory. Where nothing is timed, memory that is never used costs nothing.
            self.search.prepare(&Line::new(game.start.clone()), &AtomicBool::new(false));
        }
        Ok(())
    }

    fn choose(&mut self, turn: &Turn<'_, P>) -> Result<Answer<P::Move>, Fault> {
        let side = turn.line.position().turn();
        if turn.line.position().declared() == Some(Outcome::Win(side)) {
            return Ok(Answer { action: Action::DeclareWin, report: Report::default() });
        }
        let verdict = self.think(turn);
        let best = verdict.best.ok_or_else(|| Fault::Crash { why: "the search found no move".into() })?;
        Ok(Answer { action: Action::Move(best), report: report(turn.line.position(), best, &verdict) })
    }

    fn played(&mut self, mv: P::Move, _line: &Line<P>) -> Result<(), Fault> {
        self.search.played(mv);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};
    use yomi_core::toy::Nim;
    use yomi_core::{Color, Position, Seed};
    use yomi_search::{Limits, Watch};

    use crate::clock::TimeControl;

    /// Counts how often it is prepared.
    struct Prepared(Arc<AtomicU32>);

    impl Search<Nim> for Prepared {
        fn search(
            &mut self,
            _: &Line<Nim>,
            _: &Limits,
            _: &mut dyn Watch<<Nim as Position>::Move>,
        ) -> Verdict<<Nim as Position>::Move> {
            Verdict::empty()
        }

        fn prepare(&mut self, _: &Line<Nim>, _: &AtomicBool) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn searches_are_prepared_for_games_with_clocks() {
        let count = Arc::new(AtomicU32::new(0));
        let mut player = Searcher::new("prepared", Box::new(Prepared(count.clone())));
        let second = Duration::from_secs(1);
        let control = TimeControl { main: second, byoyomi: second, increment: Duration::ZERO, grace: Duration::ZERO };
        for (time, prepared) in [(None, 0), (Some(control), 1), (None, 1)] {
            let start = Nim::new(5);
            let game = NewGame { start: &start, opening: &[], color: Color::Black, time, seed: Seed::new(1) };
            player.new_game(&game).unwrap();
            assert_eq!(count.load(Ordering::Relaxed), prepared);
        }
    }
}
