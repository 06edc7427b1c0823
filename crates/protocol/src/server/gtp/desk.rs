//! One game: what was played, and thinking about what comes next.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use yomi_core::record::ROOT;
use yomi_core::{Cancel, Color, Line, Notation, Position, Record, Seed, TextError};
use yomi_search::time::MoveTime;
use yomi_search::{Limits, Proof, RootMove, Verdict};
use yomi_session::{Clock, Control, at_most_every, think};

use super::analysis::Request;
use super::{Engine, GtpOptions};
use crate::gtp::{Choice, Command, color_text};
use crate::server::candidates::chance;
use crate::server::console::{Console, Fate, Heard, INTERRUPT, Reporter};

/// What the conversation needs of a game.
pub(super) trait Playable: Notation {
    /// The same board with `color` to move, the game not over.
    fn handed_to(&self, color: Color) -> Result<Self, TextError>;

    /// The move that must be made for the other side before `color` can move, where the rules leave no choice.
    fn forced_pass(&self, color: Color) -> Option<Self::Move>;

    /// Whether passing now ends the game well for the side to move, whatever a search thinks.
    fn should_pass(&self) -> Option<Self::Move>;

    /// Whether stones still stand that must be taken before passing, in a game that is played to the last stone.
    fn has_dead_stones(&self, seed: Seed) -> bool;

    /// About how many moves a side makes in a game.
    fn expected_length(&self) -> u32;
}

/// What happened, so that it can be taken back.
#[derive(Clone, Copy)]
enum HistoryStep<M> {
    Play(M),
    Turn(Color),
}

/// A line after the turn was handed over, and the step that did so, if one was needed.
type Turned<P> = (Line<P>, Option<HistoryStep<<P as Position>::Move>>);

/// A game in progress and its player.
pub(super) struct Desk<P: Playable> {
    start: P,
    steps: Vec<HistoryStep<P::Move>>,
    pub(super) line: Line<P>,
    engine: Engine<P>,
    /// What the last search believed of the position it was asked about, by its key.
    pub(super) last: Option<(u64, Verdict<P::Move>)>,
}

/// How a thought ends.
struct SearchPlan {
    limits: Limits,
    time: Option<MoveTime>,
    /// How often to report; never, if none.
    every: Option<Duration>,
    /// Whether the next line that comes ends it.
    until_input: bool,
}

/// What `genmove` is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Genmove {
    /// A move, played.
    Play,
    /// A move that is not played.
    Suggest,
    /// A move, played; no pass while dead stones stand.
    CleanUp,
}

/// The word for a pass in both games.
const PASS: &str = "pass";

/// Without any limit or clock a move gets this long.
const DEFAULT_TIME: Duration = Duration::from_secs(5);

impl<P: Playable> Desk<P> {
    /// A game from `start`, with the engine made ready: the first `genmove` is on time.
    pub(super) fn new(start: P, mut engine: Engine<P>) -> Desk<P> {
        let line = Line::new(start.clone());
        engine.search.prepare(&line, &AtomicBool::new(false));
        Desk { line, start, steps: Vec::new(), engine, last: None }
    }

    /// The same game with another engine, made ready for what comes next.
    pub(super) fn reseat(&mut self, mut engine: Engine<P>) {
        engine.search.prepare(&self.line, &AtomicBool::new(false));
        (self.engine, self.last) = (engine, None);
    }

    pub(super) fn position(&self) -> &P {
        self.line.position()
    }

    /// Begins again from `start`.
    pub(super) fn reset(&mut self, start: P) {
        self.engine.search.new_game();
        (self.line, self.start, self.last) = (Line::new(start.clone()), start, None);
        self.steps.clear();
    }

    /// Whether nothing was played.
    pub(super) fn is_untouched(&self) -> bool {
        self.steps.is_empty()
    }

    /// The same game from another start: other rules, the same moves. Moves that are illegal there are an error, and nothing changes.
    pub(super) fn restart(&mut self, change: impl FnOnce(&mut P)) -> Result<(), TextError> {
        let mut start = self.start.clone();
        change(&mut start);
        let line = replay(&start, &self.steps)?;
        self.engine.search.new_game();
        (self.start, self.line, self.last) = (start, line, None);
        Ok(())
    }

    /// The line after `color` was given the turn, and the steps that do so.
    fn turned(&self, color: Color) -> Result<Turned<P>, TextError> {
        let over = self.line.generate(&mut Vec::new()).is_some();
        if self.position().turn() == color && !over {
            return Ok((self.line.clone(), None));
        }
        let step = match self.position().forced_pass(color) {
            Some(pass) => HistoryStep::Play(pass),
            None => HistoryStep::Turn(color),
        };
        let mut line = self.line.clone();
        take(&mut line, step)?;
        Ok((line, Some(step)))
    }

    /// Plays a move of `color`.
    pub(super) fn play(&mut self, color: Color, text: &str) -> Result<(), TextError> {
        let (mut line, step) = self.turned(color)?;
        let mv = line.position().parse_move(text)?;
        if !line.is_legal(mv) {
            return Err(TextError::at(text, 0, "it would repeat an earlier position"));
        }
        line.play(mv);
        self.steps.extend(step);
        self.steps.push(HistoryStep::Play(mv));
        self.line = line;
        Ok(())
    }

    /// Takes the last move back.
    pub(super) fn undo(&mut self) -> Result<(), TextError> {
        let Some(last) = self.steps.iter().rposition(|step| matches!(step, HistoryStep::Play(_))) else {
            return Err(TextError::new("cannot undo"));
        };
        self.steps.truncate(last);
        // A turn that was handed over for the move goes with it.
        while matches!(self.steps.last(), Some(HistoryStep::Turn(_))) {
            self.steps.pop();
        }
        self.line = replay(&self.start, &self.steps)?;
        Ok(())
    }

    /// The game as a record.
    pub(super) fn record(&self) -> Record<P> {
        let mut record = Record::new(self.start.clone());
        let mut node = ROOT;
        let mut turn = None;
        for step in &self.steps {
            match *step {
                HistoryStep::Turn(color) => turn = Some(color),
                HistoryStep::Play(mv) => {
                    node = record.add(node, Some(mv));
                    let property = |color| ("PL".to_string(), vec![color_text(color).to_uppercase()]);
                    record.nodes[node].properties.extend(turn.take().map(property));
                }
            }
        }
        record
    }

    /// Chooses a move for `color` and says it; plays it if asked to.
    pub(super) fn genmove<W: Write>(
        &mut self,
        console: &mut Console<W>,
        color: Color,
        options: &GtpOptions,
        kind: Genmove,
        request: Option<&Request>,
    ) -> io::Result<Result<Choice, TextError>> {
        let (mut line, step) = match self.turned(color) {
            Ok(turned) => turned,
            Err(error) => return Ok(Err(error)),
        };
        request.into_iter().for_each(|request| request.limit(&mut line));
        let mut moves = Vec::new();
        if line.generate(&mut moves).is_some() {
            return Ok(Ok(Choice::Pass));
        }
        let ply = line.len() as u32;
        let mut limits = self.engine.limits.clone().seeded(options.seed.branch("move", u64::from(ply)));
        let time = options.clocks.time(color, ply, line.position().expected_length());
        if time.is_none() && !self.engine.limits.is_bounded() {
            limits.time = Some(DEFAULT_TIME);
        }
        let plan = SearchPlan { limits, time, every: request.map(|r| r.interval), until_input: false };
        let verdict = self.think(console, &line, plan, request, options)?;
        let hopeless = match verdict.proof {
            Some(proof) => matches!(proof, Proof::Loss(_)),
            None => chance(verdict.value, self.engine.win) < options.resign_below,
        };
        let pass = line.position().should_pass().filter(|&mv| line.is_legal(mv));
        let pass = pass.filter(|_| kind != Genmove::CleanUp);
        let mut best = pass.or(verdict.best);
        let passes = best.is_some_and(|mv| line.position().move_text(mv) == PASS);
        if kind == Genmove::CleanUp && passes && line.position().has_dead_stones(options.seed) {
            let stone = |row: &&RootMove<P::Move>| line.position().move_text(row.mv) != PASS;
            best = verdict.moves.iter().find(stone).map(|row| row.mv).or(best);
        }
        self.last = Some((line.position().key(), verdict));
        if hopeless && pass.is_none() && options.resign_below > 0.0 {
            return Ok(Ok(Choice::Resign));
        }
        let Some(best) = best else { return Ok(Ok(Choice::Pass)) };
        let text = line.position().move_text(best);
        if kind != Genmove::Suggest {
            self.line = line;
            self.line.play(best);
            self.steps.extend(step);
            self.steps.push(HistoryStep::Play(best));
        }
        Ok(Ok(if text == PASS { Choice::Pass } else { Choice::Move(text) }))
    }

    /// Thinks about the position until the next line comes, and reports what it believes.
    pub(super) fn analyze<W: Write>(
        &mut self,
        console: &mut Console<W>,
        request: &Request,
        options: &GtpOptions,
    ) -> io::Result<Result<(), TextError>> {
        let turned = self.turned(request.color.unwrap_or_else(|| self.position().turn()));
        let mut line = match turned {
            Ok((line, _)) => line,
            Err(error) => return Ok(Err(error)),
        };
        request.limit(&mut line);
        if line.generate(&mut Vec::new()).is_some() {
            return Ok(Ok(()));
        }
        let limits = Limits::infinite().seeded(options.seed.branch("analysis", line.len() as u64));
        let plan = SearchPlan { limits, time: None, every: Some(request.interval), until_input: true };
        let verdict = self.think(console, &line, plan, Some(request), options)?;
        self.last = Some((line.position().key(), verdict));
        Ok(Ok(()))
    }

    /// What the search believes of the position as it stands: what it believed last, or else what it thinks of it now.
    pub(super) fn belief<W: Write>(
        &mut self,
        console: &mut Console<W>,
        options: &GtpOptions,
    ) -> io::Result<Option<&Verdict<P::Move>>> {
        let key = self.position().key();
        if self.last.as_ref().is_none_or(|(of, _)| *of != key) && self.line.generate(&mut Vec::new()).is_none() {
            let line = self.line.clone();
            let mut limits = self.engine.limits.clone().seeded(options.seed.branch("move", line.len() as u64));
            if !limits.is_bounded() {
                limits.time = Some(DEFAULT_TIME);
            }
            let plan = SearchPlan { limits, time: None, every: None, until_input: false };
            let verdict = self.think(console, &line, plan, None, options)?;
            self.last = Some((key, verdict));
        }
        Ok(self.last.as_ref().filter(|(of, _)| *of == key).map(|(_, verdict)| verdict))
    }

    /// What a won game is worth to the search.
    pub(super) fn win(&self) -> f32 {
        self.engine.win
    }

    fn think<W: Write>(
        &mut self,
        console: &mut Console<W>,
        line: &Line<P>,
        plan: SearchPlan,
        request: Option<&Request>,
        options: &GtpOptions,
    ) -> io::Result<Verdict<P::Move>> {
        let control = Control::default();
        let clock = plan.time.map_or(Clock::Off, Clock::Running);
        let Engine { search, win, forecaster, .. } = &mut self.engine;
        let (win, position) = (*win, line.position());
        let seed = options.seed.branch("forecast", line.len() as u64);
        let forecaster = forecaster.as_deref().filter(|_| request.is_some_and(Request::reports_leads));
        let report_of = |so_far: &Verdict<_>, cancel: Cancel<'_>| {
            let forecast = forecaster.map(|forecaster| forecaster.forecast(line, so_far, seed, cancel));
            request.map(|r| r.line(position, so_far, win, forecast.as_ref()))
        };
        // Whether the last moment of a conversation is over. Relaxed: it carries no data.
        let over = AtomicBool::new(false);
        let (is_over, is_stopped) = (|| over.load(Ordering::Relaxed), || control.is_stopped());
        let work = |reporter: Reporter| {
            let print = |so_far: &Verdict<_>| {
                let text = report_of(so_far, Cancel::when(&is_stopped));
                // The last report follows.
                text.filter(|_| !control.is_stopped()).into_iter().for_each(|text| reporter.print(text));
            };
            forecaster.iter().for_each(|forecaster| forecaster.begin(line));
            let report = &mut at_most_every(plan.every.unwrap_or(Duration::MAX), print);
            let verdict = think(search.as_mut(), line, &plan.limits, clock, &control, plan.every, report);
            forecaster.iter().for_each(|forecaster| forecaster.end());
            // Leads take a while as well: meanwhile lines are heard.
            let last = report_of(&verdict, Cancel::when(&is_over));
            (verdict, last)
        };
        // Whether a command waits behind this one: what is said after it is not about this search.
        let (mut interrupted, mut command_waits) = (false, false);
        let heed = |_: &mut Console<W>, heard: &Heard| {
            let sign = matches!(heard, Heard::Line(line) if line.trim() == INTERRUPT);
            if plan.until_input || (sign && !command_waits) {
                interrupted = true;
                control.stop();
            }
            Ok(match heard {
                Heard::End => Fate::Leaving,
                _ if sign && !command_waits => Fate::Taken,
                Heard::Line(line) => match Command::parse(line) {
                    Ok(Some(command)) if command.name == "quit" => Fate::Leaving,
                    parsed => {
                        command_waits |= !matches!(parsed, Ok(None));
                        Fate::Kept
                    }
                },
                Heard::TooLong => {
                    command_waits = true;
                    Fate::Kept
                }
            })
        };
        let end = || {
            over.store(true, Ordering::Relaxed);
            control.stop();
        };
        let (verdict, last) = console.think(work, heed, end)?;
        if let Some(text) = last {
            console.say(text)?;
        }
        if plan.until_input && !interrupted {
            // The search knows all it can know; the person who watches decides when it is enough.
            console.wait_for_line();
        }
        Ok(verdict)
    }
}

fn take<P: Playable>(line: &mut Line<P>, step: HistoryStep<P::Move>) -> Result<(), TextError> {
    match step {
        HistoryStep::Play(mv) if line.is_legal(mv) => line.play(mv),
        HistoryStep::Play(mv) => {
            let text = line.position().move_text(mv);
            return Err(TextError::new(format!("{text}, which was played, would be illegal")));
        }
        HistoryStep::Turn(color) => *line = Line::new(line.position().handed_to(color)?),
    }
    Ok(())
}

fn replay<P: Playable>(start: &P, steps: &[HistoryStep<P::Move>]) -> Result<Line<P>, TextError> {
    let mut line = Line::new(start.clone());
    steps.iter().try_for_each(|&step| take(&mut line, step))?;
    Ok(line)
}
