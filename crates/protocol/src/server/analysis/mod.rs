//! Our engine as KataGo's analysis engine: questions about positions of Go, one JSON object per line, and answers likewise.
//!
//! One position is thought about at a time, the most urgent first and otherwise in the order they came. What comes meanwhile is understood
//! at once: more questions wait, `terminate` ends a thought. The end of the input ends the program when everything is answered, as KataGo
//! has it, so that a file of questions can be its input; a thought that is reported on while it lasts (`reportDuringSearchEvery`) ends with
//! the input, and with [`AnalysisOptions::quit_without_waiting`] every thought does.

mod answer;
mod board;
mod query;

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Map, Value, json};
use yomi_core::{Cancel, Line, Seed, Spec, TextError};
use yomi_games::go::{Go, Go9, Go13, Go19, Rules, rules_of, size_of_name};
use yomi_search::Verdict;
use yomi_session::{Clock, Control, at_most_every, think as run};

use self::answer::Subject;
pub use self::query::View;
use self::query::{Action, Defaults, Fault, Query, Request, read};
use super::console::{Console, Fate, Heard, Reporter};
use super::forecast::Playouts;
use super::gtp::{Builder, Engine};

/// Without any limit a position gets as many visits as in KataGo's example.
const DEFAULT_VISITS: u64 = 500;

/// How the program answers.
pub struct AnalysisOptions {
    /// The seed of all random numbers.
    pub seed: Seed,
    /// Whose chances are reported unless a question says otherwise.
    pub view: View,
    /// What the player is called.
    pub player: String,
    /// Whether the end of the input ends every thought at once, and what waits is not answered.
    pub quit_without_waiting: bool,
}

/// Answers questions about boards of any size; what they leave open, `game` says.
pub fn serve<B: Builder, W: Write>(
    console: Console<W>,
    game: &Spec,
    builder: &B,
    options: AnalysisOptions,
) -> Result<io::Result<()>, TextError> {
    let size = size_of_name(&game.name).ok_or_else(|| game.error("only Go is analysed this way"))?;
    let rules = rules_of(game)?;
    let engines = Engines { go9: None, go13: None, go19: None };
    let desk =
        Desk { defaults: Defaults { size, rules, view: options.view }, jobs: Vec::new(), current: None, ended: false };
    let mut server = Server { console, builder, engines, desk, options };
    // A slip on the command line is reported before the first question.
    server.engines.prepare(builder, size)?;
    Ok(server.talk())
}

/// A position that waits to be thought about.
struct Job {
    query: Arc<Query>,
    turn: usize,
    priority: i64,
}

struct Engines {
    go9: Option<Engine<Go9>>,
    go13: Option<Engine<Go13>>,
    go19: Option<Engine<Go19>>,
}

impl Engines {
    /// Makes the engine for boards of this size, unless there is one.
    fn prepare<B: Builder>(&mut self, builder: &B, size: usize) -> Result<(), TextError> {
        match size {
            0..=9 if self.go9.is_none() => self.go9 = Some(ready(builder.go9()?, size)?),
            10..=13 if self.go13.is_none() => self.go13 = Some(ready(builder.go13()?, size)?),
            14.. if self.go19.is_none() => self.go19 = Some(ready(builder.go19()?, size)?),
            _ => {}
        }
        Ok(())
    }
}

/// The engine with everything done that its first search would lose time with.
fn ready<const LEN: usize>(mut engine: Engine<Go<LEN>>, size: usize) -> Result<Engine<Go<LEN>>, TextError> {
    engine.search.prepare(&Line::new(Go::new(size, Rules::default())?), &AtomicBool::new(false));
    Ok(engine)
}

/// What waits, and what is being thought about.
struct Desk {
    defaults: Defaults,
    jobs: Vec<Job>,
    current: Option<(Arc<Query>, usize)>,
    /// Nothing more will come.
    ended: bool,
}

struct Server<'b, B, W> {
    console: Console<W>,
    builder: &'b B,
    engines: Engines,
    desk: Desk,
    options: AnalysisOptions,
}

impl<B: Builder, W: Write> Server<'_, B, W> {
    fn talk(&mut self) -> io::Result<()> {
        loop {
            // What has come already may be more urgent than what waits.
            while let Some(heard) = self.next_line() {
                self.desk.take(&mut self.console, heard, &self.options.player, &|| ())?;
            }
            match self.desk.most_urgent() {
                Some(_) if self.desk.ended && self.options.quit_without_waiting => return Ok(()),
                Some(job) => self.work(&job)?,
                None if self.desk.ended => return Ok(()),
                None => {}
            }
        }
    }

    /// The next line; where something waits to be thought about, only one that is there.
    fn next_line(&mut self) -> Option<Heard> {
        match (self.desk.ended, self.desk.jobs.is_empty()) {
            (true, _) => None,
            (_, true) => Some(self.console.hear()),
            _ => self.console.hear_within(Duration::ZERO),
        }
    }

    fn work(&mut self, job: &Job) -> io::Result<()> {
        if let Err(error) = self.engines.prepare(self.builder, job.query.size) {
            return self.console.say(answer::error(&job.query.fault("boardXSize", error)));
        }
        let Server { console, engines, desk, options, .. } = self;
        desk.current = Some((job.query.clone(), job.turn));
        match (job.query.size, engines) {
            (0..=9, Engines { go9: Some(engine), .. }) => think(console, engine, desk, job, options)?,
            (10..=13, Engines { go13: Some(engine), .. }) => think(console, engine, desk, job, options)?,
            (_, Engines { go19: Some(engine), .. }) => think(console, engine, desk, job, options)?,
            _ => {}
        }
        desk.current = None;
        Ok(())
    }
}

/// Thinks about one position and answers.
fn think<const LEN: usize, W: Write>(
    console: &mut Console<W>,
    engine: &mut Engine<Go<LEN>>,
    desk: &mut Desk,
    job: &Job,
    options: &AnalysisOptions,
) -> io::Result<()> {
    let Job { query, turn, .. } = job;
    let line = match query.line::<LEN>(*turn) {
        Ok(line) => line,
        Err(fault) => return console.say(answer::error(&fault)),
    };
    let position = line.position();
    let seed = options.seed.branch("analysis", *turn as u64);
    let mut limits = engine.limits.clone().seeded(seed);
    limits.simulations = query.visits.or(limits.simulations);
    limits.time = query.time.or(limits.time);
    if !limits.is_bounded() {
        limits.simulations = Some(DEFAULT_VISITS);
    }
    // An answer depends on its question alone.
    engine.search.new_game();
    let control = Control::default();
    let Engine { search, win, forecaster, .. } = engine;
    let subject = Subject { query, turn: *turn, position, win: *win };
    let forecaster = forecaster.get_or_insert_with(|| Arc::new(Playouts::default()));
    let answer = |verdict: &Verdict<_>, during: bool, cancel: Cancel<'_>| {
        let forecast = forecaster.forecast(&line, verdict, seed.branch("forecast", 0), cancel);
        subject.answer(verdict, &forecast, during)
    };
    // Whether the last moment of the conversation is over. Relaxed: it carries no data.
    let over = AtomicBool::new(false);
    let (is_over, is_stopped) = (|| over.load(Ordering::Relaxed), || control.is_stopped());
    let work = |reporter: Reporter| -> Option<Value> {
        let print = |so_far: &Verdict<_>| {
            let answer = answer(so_far, true, Cancel::when(&is_stopped));
            // The last answer follows.
            if !control.is_stopped() {
                reporter.print(answer.to_string());
            }
        };
        forecaster.begin(&line);
        let report = &mut at_most_every(query.every.unwrap_or(Duration::MAX), print);
        let verdict = run(search.as_mut(), &line, &limits, Clock::Off, &control, query.every, report);
        forecaster.end();
        let nothing = verdict.simulations == 0 && verdict.nodes == 0;
        (!nothing).then(|| answer(&verdict, false, Cancel::when(&is_over)))
    };
    let live = query.every.is_some() || options.quit_without_waiting;
    let heed = |console: &mut Console<W>, heard: &Heard| {
        desk.take(console, heard.clone(), &options.player, &|| control.stop())?;
        if *heard == Heard::End && live {
            control.stop();
            return Ok(Fate::Leaving);
        }
        Ok(Fate::Taken)
    };
    let end = || {
        over.store(true, Ordering::Relaxed);
        control.stop();
    };
    let answer = console.think(work, heed, end)?;
    console.say(answer.unwrap_or_else(|| answer::no_results(query, *turn)))
}

impl Desk {
    /// Takes out what is to be thought about next.
    fn most_urgent(&mut self) -> Option<Job> {
        let highest = self.jobs.iter().map(|job| job.priority).max()?;
        let first = self.jobs.iter().position(|job| job.priority == highest)?;
        Some(self.jobs.remove(first))
    }

    /// Understands a line; `stop` ends the thought that is under way.
    fn take<W: Write>(
        &mut self,
        console: &mut Console<W>,
        heard: Heard,
        player: &str,
        stop: &dyn Fn(),
    ) -> io::Result<()> {
        let line = match heard {
            Heard::Line(line) if line.trim().is_empty() => return Ok(()),
            Heard::Line(line) => line,
            Heard::TooLong => {
                let message = "This line is too long".to_string();
                return console.say(answer::error(&Fault { id: None, field: None, message }));
            }
            Heard::End => {
                self.ended = true;
                return Ok(());
            }
        };
        match read(&line, &self.defaults) {
            Err(fault) => console.say(answer::error(&fault)),
            Ok(Request::Analyze(query)) => self.ask(console, *query),
            Ok(Request::Action(action, echo)) => self.act(console, action, echo, player, stop),
        }
    }

    /// Puts the positions of a query in line, if all of it can be understood.
    fn ask<W: Write>(&mut self, console: &mut Console<W>, query: Query) -> io::Result<()> {
        let check = |turn: usize| match query.size {
            0..=9 => query.game::<128>(turn).map(drop),
            10..=13 => query.game::<256>(turn).map(drop),
            _ => query.game::<512>(turn).map(drop),
        };
        // The whole game must be legal; the moves asked for may be so at one turn and not at another.
        if let Err(fault) = check(query.moves.len()) {
            return console.say(answer::error(&fault));
        }
        for (field, message) in &query.warnings {
            console.say(answer::warning(&query, field, message))?;
        }
        let query = Arc::new(query);
        let job = |&(turn, priority): &(usize, i64)| Job { query: query.clone(), turn, priority };
        self.jobs.extend(query.turns.iter().map(job));
        Ok(())
    }

    fn act<W: Write>(
        &mut self,
        console: &mut Console<W>,
        action: Action,
        mut echo: Map<String, Value>,
        player: &str,
        stop: &dyn Fn(),
    ) -> io::Result<()> {
        match &action {
            Action::QueryVersion => {
                echo.insert("version".to_string(), json!(env!("CARGO_PKG_VERSION")));
                echo.insert("git_hash".to_string(), json!("<omitted>"));
            }
            Action::QueryModels => {
                let model =
                    json!({ "name": player, "internalName": "Yomi", "maxBatchSize": 1, "usesHumanSLProfile": false });
                echo.insert("models".to_string(), json!([model]));
            }
            // Nothing is kept from one answer to the next.
            Action::ClearCache | Action::Terminate(..) | Action::TerminateAll(_) => {}
        }
        console.say(Value::Object(echo))?;
        let (of, turns) = match action {
            Action::Terminate(of, turns) => (Some(of), turns),
            Action::TerminateAll(turns) => (None, turns),
            _ => return Ok(()),
        };
        let is_meant = |query: &Query, turn: usize| {
            of.as_ref().is_none_or(|id| *id == query.id) && turns.as_ref().is_none_or(|turns| turns.contains(&turn))
        };
        if self.current.as_ref().is_some_and(|(query, turn)| is_meant(query, *turn)) {
            stop();
        }
        let (over, left): (Vec<Job>, Vec<Job>) =
            std::mem::take(&mut self.jobs).into_iter().partition(|job| is_meant(&job.query, job.turn));
        self.jobs = left;
        over.iter().try_for_each(|job| console.say(answer::no_results(&job.query, job.turn)))
    }
}
