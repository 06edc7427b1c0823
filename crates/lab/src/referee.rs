//! The referee: plays one game between two players by our rules, and trusts neither.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use yomi_core::clock::Stopwatch;
use yomi_core::{Color, Ending, Line, Outcome, Seed};

use crate::budget::Budget;
use crate::clock::{Clocks, TimeControl};
use crate::conditions::{Adjudicator, Conditions};
use crate::ending::{Finish, Reason};
use crate::player::{Action, Fault, NewGame, Player, Report, Turn};
use yomi_games::Game;

/// What a game begins with.
pub struct Setup<'a, P: Game> {
    /// The position before the opening.
    pub start: &'a P,
    /// Moves that are played before the players take over; legal ones.
    pub opening: &'a [P::Move],
    /// What holds for all games.
    pub conditions: &'a Conditions,
    /// The clocks of the conditions.
    pub time: Option<TimeControl>,
    /// What Black and White may spend on a move.
    pub budgets: [Budget; 2],
    /// The seed of the game.
    pub seed: Seed,
    /// Raised when the game is wanted no more.
    pub stop: &'a Arc<AtomicBool>,
}

/// A game as it was played.
pub struct Played<M> {
    /// All moves, the opening included.
    pub moves: Vec<M>,
    /// What was said about each move and how long it took; nothing about opening moves.
    pub said: Vec<Option<(Report, Duration)>>,
    /// How it ended.
    pub finish: Finish,
    /// The end as records call it; none for a void game.
    pub ending: Option<Ending>,
    /// Who must be replaced before the next game: a player that crashed or did not answer.
    pub broken: [bool; 2],
    /// What the players say about the game that is over.
    pub remarks: [Option<String>; 2],
}

/// Plays a game. `None` if it was broken off.
pub fn play<P: Game>(setup: &Setup<'_, P>, players: [&mut dyn Player<P>; 2]) -> Option<Played<P::Move>> {
    play_timed(setup, players, Stopwatch::start)
}

/// The same, with moves timed by what `watch` starts. Tests bring a stopwatch that counts its readings.
pub fn play_timed<P: Game>(
    setup: &Setup<'_, P>,
    players: [&mut dyn Player<P>; 2],
    watch: fn() -> Stopwatch,
) -> Option<Played<P::Move>> {
    let mut game = GameInProgress::new(setup, players, watch);
    let (finish, ending) = match game.begin().and_then(|()| game.moves()) {
        Err(End::Stopped) => return None,
        Err(End::Finished(finish, ending)) => (finish, ending),
        Ok(never) => match never {},
    };
    for player in &mut game.players {
        player.game_over(&finish);
    }
    let remarks = game.players.each_mut().map(|player| player.remark());
    Some(Played { moves: game.played, said: game.said, finish, ending, broken: game.broken, remarks })
}

/// Why the loop is left.
enum End {
    Stopped,
    Finished(Finish, Option<Ending>),
}

/// What never happens: the loop of a game is left by an [`End`] only.
enum Never {}

struct GameInProgress<'a, 'p, P: Game> {
    setup: &'a Setup<'a, P>,
    players: [&'p mut dyn Player<P>; 2],
    line: Line<P>,
    played: Vec<P::Move>,
    said: Vec<Option<(Report, Duration)>>,
    clocks: Option<Clocks>,
    watch: fn() -> Stopwatch,
    broken: [bool; 2],
}

impl<'a, 'p, P: Game> GameInProgress<'a, 'p, P> {
    fn new(setup: &'a Setup<'a, P>, players: [&'p mut dyn Player<P>; 2], watch: fn() -> Stopwatch) -> Self {
        let mut line = Line::new(setup.start.clone());
        setup.opening.iter().for_each(|&mv| line.play(mv));
        let clocks = setup.time.as_ref().map(Clocks::start);
        let (played, said) = (setup.opening.to_vec(), vec![None; setup.opening.len()]);
        GameInProgress { setup, players, line, played, said, clocks, watch, broken: [false; 2] }
    }

    fn begin(&mut self) -> Result<(), End> {
        let Setup { start, opening, time, seed, .. } = *self.setup;
        for color in Color::BOTH {
            let game = NewGame { start, opening, color, time, seed: seed.branch("player", color.index() as u64) };
            if let Err(fault) = self.players[color.index()].new_game(&game) {
                self.broken[color.index()] = true;
                return Err(match fault {
                    Fault::Stopped => End::Stopped,
                    fault => End::Finished(Finish::void(format!("{color:?}: {fault}")), None),
                });
            }
        }
        Ok(())
    }

    /// Move after move, until the game is over.
    fn moves(&mut self) -> Result<Never, End> {
        let conditions = self.setup.conditions;
        let mut adjudicator = Adjudicator::new(conditions);
        let mut legal = Vec::new();
        loop {
            if let Some(outcome) = self.line.generate(&mut legal) {
                return Err(self.over_by_rule(outcome));
            }
            let ply = self.played.len() as u32;
            if ply >= conditions.move_limit {
                let detail = format!("{ply} plies");
                return Err(End::Finished(Finish::drawn(Reason::MoveLimit, detail), Some(Ending::MoveLimit)));
            }
            let turn = self.line.position().turn();
            let report = self.one_move(turn, &legal)?;
            if let Some((outcome, detail)) = adjudicator.hear(turn, &report, ply + 1) {
                let finish = Finish { outcome: Some(outcome), reason: Reason::Adjudicated, detail };
                return Err(End::Finished(finish, Some(Ending::Counted(outcome))));
            }
        }
    }

    /// Asks `turn` for a move and plays it.
    fn one_move(&mut self, turn: Color, legal: &[P::Move]) -> Result<Report, End> {
        let seed = self.setup.seed.branch("move", self.played.len() as u64);
        let limits = self.setup.budgets[turn.index()].limits(seed);
        let question = Turn {
            start: self.setup.start,
            moves: &self.played,
            line: &self.line,
            clocks: self.clocks,
            limits: &limits,
            stop: self.setup.stop,
        };
        let watch = (self.watch)();
        let answer = self.players[turn.index()].choose(&question);
        let (spent, busy) = (watch.elapsed(), watch.busy());
        // Relaxed: the flag carries no data.
        if self.setup.stop.load(Ordering::Relaxed) {
            return Err(End::Stopped);
        }
        let mut answer = answer.map_err(|fault| self.lost_by_fault(turn, fault))?;
        answer.report.cpu = Some(busy);
        if !self.clocks.as_mut().is_none_or(|clocks| clocks.spend(turn, spent)) {
            let detail = format!("{turn:?} took {:.3} s", spent.as_secs_f64());
            return Err(End::Finished(Finish::lost_by(turn, Reason::Timeout, detail), Some(Ending::TimeUp)));
        }
        let mv = match answer.action {
            Action::Resign => {
                let finish = Finish::lost_by(turn, Reason::Resign, format!("{turn:?} resigned"));
                return Err(End::Finished(finish, Some(Ending::Resign)));
            }
            Action::DeclareWin => return Err(self.declared(turn)),
            Action::Move(mv) if legal.contains(&mv) => mv,
            Action::Move(mv) => {
                let detail = format!("{turn:?} played {mv:?}, which is no legal move");
                return Err(End::Finished(Finish::lost_by(turn, Reason::Illegal, detail), Some(Ending::IllegalAction)));
            }
        };
        self.line.play(mv);
        self.played.push(mv);
        self.said.push(Some((answer.report.clone(), spent)));
        for color in Color::BOTH {
            if let Err(fault) = self.players[color.index()].played(mv, &self.line) {
                return Err(self.lost_by_fault(color, fault));
            }
        }
        Ok(answer.report)
    }

    /// The end that the rules make.
    fn over_by_rule(&self, outcome: Outcome) -> End {
        let ending = P::ending(&self.line, outcome);
        let position = self.line.position();
        let detail = match ending {
            Ending::Mate => "no move is left".to_string(),
            Ending::Repetition => "repetition".to_string(),
            Ending::PerpetualCheck => "perpetual check".to_string(),
            _ => position.score_text().unwrap_or_else(|| match outcome {
                Outcome::Win(color) => format!("{color:?} has won"),
                Outcome::Draw => "drawn".to_string(),
            }),
        };
        End::Finished(Finish { outcome: Some(outcome), reason: Reason::Normal, detail }, Some(ending))
    }

    fn declared(&self, turn: Color) -> End {
        match self.line.position().declared() {
            Some(outcome) => {
                let ending = if outcome == Outcome::Draw { Ending::Impasse } else { Ending::Declaration };
                let finish = Finish { outcome: Some(outcome), reason: Reason::Normal, detail: "declaration".into() };
                End::Finished(finish, Some(ending))
            }
            None => {
                let finish =
                    Finish::lost_by(turn, Reason::Illegal, format!("{turn:?} declared without having the points"));
                End::Finished(finish, Some(Ending::IllegalAction))
            }
        }
    }

    fn lost_by_fault(&mut self, side: Color, fault: Fault) -> End {
        let to_move = self.line.position().turn();
        let detail = format!("{side:?}: {fault}");
        let counted = Ending::Counted(Outcome::Win(!side));
        let (reason, ending) = match fault {
            Fault::Stopped => return End::Stopped,
            Fault::Unavailable { .. } => {
                self.broken[side.index()] = true;
                return End::Finished(Finish::void(detail), None);
            }
            Fault::Illegal { .. } => (Reason::Illegal, Ending::IllegalAction),
            Fault::Timeout { .. } => (Reason::Timeout, Ending::TimeUp),
            Fault::Crash { .. } => (Reason::Crash, counted),
        };
        self.broken[side.index()] |= reason != Reason::Illegal;
        // Records know these endings for the side to move only.
        let ending = if side == to_move { ending } else { counted };
        End::Finished(Finish::lost_by(side, reason, detail), Some(ending))
    }
}
