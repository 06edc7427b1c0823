//! Programs that speak USI: shogi and minishogi.
//!
//! **Unexpected answers.** USI does not number its answers, and some programs answer `go` twice: a timer and a search that both say
//! `bestmove`. The second one must not be played as the answer to the next `go`. What has come before `go` is dropped. After it,
//! a move that the program has just played cannot be an answer, because a side never has the same move twice in a row; and an answer
//! without a word about the search, from a program that talks while it thinks, is doubted: if a word about the search or another answer
//! follows within [`Patience::doubt`] and a share of the time that is left, the search goes on, and the later answer counts. Moves of a
//! book and forced moves come without a word, too, so each doubt that was needless makes the next one shorter. A program that was caught
//! is doubted in full from then on, and asked `isready` before every `go`. All others are spared that: to many, `isready` means to
//! forget everything. A program that never says a word about its searches cannot be doubted in this way.

use std::io::Write;
use std::time::Duration;

use yomi_core::Color;

use super::engine::{Action, Answer, Engine, Question, Report, Setup};
use super::fault::{Fault, Phase, Reason};
use super::launch::{Launch, Timing};
use super::patience::{Patience, Wait};
use super::talk::{Talk, calm, nonsense, wait};
use crate::usi::{Choice, Command, EngineOption, GameResult, Go, Info, OptionKind, PositionText, Reply, Score};

/// A program that speaks USI.
pub struct Usi {
    talk: Talk,
    name: String,
    options: Vec<EngineOption>,
    patience: Patience,
    timing: Timing,
    /// The game that was set, where it plays several.
    variant: Option<String>,
    /// The start of the game being played; nothing, if it is the standard one.
    start: Option<String>,
    color: Color,
    /// It says something (`info`) before it answers.
    informs: bool,
    /// It has said `bestmove` unasked.
    answers_unasked: bool,
    /// How long its next answer without a word is doubted at most.
    doubt: Duration,
}

/// What matters of what a program says while it thinks.
enum Said {
    Info(Box<Info>),
    Best(Choice),
}

impl Said {
    /// An answer, or a word that only a search says: remarks for people may follow an answer.
    fn is_of_a_search(&self) -> bool {
        match self {
            Said::Best(_) => true,
            Said::Info(info) => info.depth.is_some() || info.nodes.is_some() || info.score.is_some(),
        }
    }
}

/// However often doubt was needless, answers are doubted so long.
const LEAST_DOUBT: Duration = Duration::from_millis(20);
/// What a needless doubt leaves of the next one: a program with a large book costs little more than one doubt in all.
const LESS_DOUBT: u32 = 4;
/// The share of the time left that a doubt may cost: an answer in time does not become one that is too late.
const SHARE_OF_DOUBT: u32 = 4;

/// Options that every USI program takes, announced or not.
const IMPLIED: &[&str] = &["USI_Hash", "USI_Ponder"];
/// The names that programs of many games have for choosing one.
const VARIANT: &[&str] = &["USI_Variant", "UCI_Variant"];

impl Usi {
    /// Starts the program, hears its introduction and sets its options.
    pub fn start(launch: &Launch, log: Option<Box<dyn Write + Send>>) -> Result<Usi, Fault> {
        let mut talk = Talk::start(&launch.command, log)?;
        talk.say(Command::Usi);
        let (mut name, mut options) = (launch.command.program.clone(), Vec::new());
        talk.hear(&calm(launch.patience.start), |line| match line.parse() {
            Ok(Reply::Name(own)) => {
                name = own;
                None
            }
            Ok(Reply::Option(option)) => {
                options.push(option);
                None
            }
            Ok(Reply::UsiOk) => Some(Ok(())),
            _ => None,
        })?;
        let mut usi = Usi {
            talk,
            name,
            options,
            patience: launch.patience,
            timing: launch.timing,
            variant: None,
            start: None,
            color: Color::Black,
            informs: false,
            answers_unasked: false,
            doubt: launch.patience.doubt,
        };
        usi.talk.enter(Phase::Ready);
        // We never ponder; a program that expects it would manage its time differently.
        if usi.find("USI_Ponder").is_some() && !launch.options.iter().any(|(name, _)| name == "USI_Ponder") {
            usi.set("USI_Ponder", Some("false"))?;
        }
        for (name, value) in &launch.options {
            usi.set(name, value.as_deref())?;
        }
        Ok(usi)
    }

    fn find(&self, name: &str) -> Option<&EngineOption> {
        let exact = self.options.iter().find(|option| option.name == name);
        let variant = || self.options.iter().find(|o| VARIANT.contains(&name) && VARIANT.contains(&o.name.as_str()));
        exact.or_else(variant)
    }

    /// Sets an option if the program has it and takes the value.
    fn set(&mut self, name: &str, value: Option<&str>) -> Result<(), Fault> {
        let (name, objection) = match self.find(name) {
            Some(option) => (option.name.clone(), option.objection(value)),
            None if IMPLIED.contains(&name) => (name.to_string(), None),
            None => {
                let names: Vec<&str> = self.options.iter().map(|option| option.name.as_str()).collect();
                let why = format!("{} has no option called {name}; it has {}", self.name, names.join(", "));
                return Err(self.talk.fault(Reason::Start(why)));
            }
        };
        if let Some(why) = objection {
            return Err(self.talk.fault(Reason::Start(why)));
        }
        if VARIANT.contains(&name.as_str()) {
            self.variant = value.map(str::to_string);
        }
        self.talk.say(Command::SetOption { name, value: value.map(str::to_string) });
        Ok(())
    }

    /// Sets the game of a program that plays several.
    fn choose_game(&mut self, setup: &Setup) -> Result<(), Fault> {
        if !matches!(setup.family.as_str(), "shogi" | "minishogi") {
            let why = format!("USI is spoken for shogi and minishogi, not for {}", setup.game);
            return Err(self.talk.fault(Reason::Start(why)));
        }
        let offers = match self.find(VARIANT[0]).map(|option| &option.kind) {
            Some(OptionKind::Combo(_, words)) => words.contains(&setup.family),
            _ => return Ok(()),
        };
        match &self.variant {
            Some(chosen) if *chosen == setup.family => Ok(()),
            _ if offers => self.set(VARIANT[0], Some(&setup.family)),
            _ => {
                let why = format!("{} does not play {}", self.name, setup.family);
                Err(self.talk.fault(Reason::Start(why)))
            }
        }
    }

    /// The limits of a move in the words of the program.
    fn go(&self, question: &Question<'_>) -> Go {
        let ms = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let mut go = Go { nodes: question.nodes, depth: question.depth, ..Go::default() };
        if let Some([black, white]) = question.clocks {
            (go.btime, go.wtime) = (Some(ms(black.left)), Some(ms(white.left)));
            let own = [black, white][question.turn.index()];
            if black.increment.is_zero() && white.increment.is_zero() {
                go.byoyomi = Some(ms(own.byoyomi));
            } else {
                (go.binc, go.winc) = (Some(ms(black.increment)), Some(ms(white.increment)));
            }
        }
        match (question.time, self.timing) {
            (Some(time), Timing::Movetime) => go.movetime = Some(ms(time)),
            (Some(time), Timing::Byoyomi) if question.clocks.is_none() => go.set_byoyomi(ms(time)),
            // With clocks and a limit a move, the clock shows no more than the limit.
            (Some(time), Timing::Byoyomi) => {
                let own = if question.turn == Color::Black { &mut go.btime } else { &mut go.wtime };
                *own = own.map(|left| left.min(ms(time)));
                go.byoyomi = go.byoyomi.map(|byoyomi| byoyomi.min(ms(time)));
            }
            (None, _) => {}
        }
        // No limit of ours: the program has one of its own, and gets the longest time that we wait.
        if go == Go::default() {
            go.set_byoyomi(ms(self.patience.think / 2));
        }
        go
    }
}

impl Usi {
    /// Drops what was said without being asked. Where that was an answer, everything is waited for that may still come.
    fn synchronise(&mut self) -> Result<(), Fault> {
        let unasked = &mut self.answers_unasked;
        self.talk.forget_lines(|line| *unasked |= line.trim_start().starts_with("bestmove"));
        if self.answers_unasked {
            self.talk.say(Command::IsReady);
            self.talk.hear(&calm(self.patience.ready), ready)?;
        }
        Ok(())
    }

    /// Waits for the answer to `go`.
    fn answer(&mut self, question: &Question<'_>, wait: &Wait<'_>) -> Result<(Choice, Report), Fault> {
        let just_played = question.moves.len().checked_sub(2).map(|i| question.moves[i].as_str());
        let allowed = question.allowance().map(Wait::new);
        let mut report = Report::default();
        let (mut informed, mut next) = (false, None);
        // What took the place of a doubted answer is doubted only a little: the later answer counts.
        let mut doubt = self.doubt;
        loop {
            let said = match next.take() {
                Some(said) => said,
                None => self.talk.hear(wait, |line| interpret(line).transpose())?,
            };
            let choice = match said {
                Said::Info(info) => {
                    informed = true;
                    listen(&mut report, *info);
                    continue;
                }
                Said::Best(choice) => choice,
            };
            let repeated = matches!(&choice, Choice::Move(mv) if Some(mv.as_str()) == just_played);
            if !repeated && self.informs && !informed {
                next = self.contradicted(doubt, allowed.as_ref());
            }
            if !repeated && next.is_none() {
                self.informs |= informed;
                return Ok((choice, report));
            }
            self.talk.note("an answer without a question");
            (self.answers_unasked, self.doubt) = (true, self.patience.doubt);
            doubt = LEAST_DOUBT.min(doubt);
        }
    }

    /// What shows that the search goes on although its answer came, if anything does soon enough.
    fn contradicted(&mut self, doubt: Duration, allowed: Option<&Wait<'_>>) -> Option<Said> {
        let doubt = allowed.map_or(doubt, |allowed| doubt.min(allowed.left() / SHARE_OF_DOUBT));
        let said = self.talk.hear_within(doubt, |line| interpret(line).ok().flatten().filter(Said::is_of_a_search));
        if said.is_none() && !self.answers_unasked {
            self.doubt = (self.doubt / LESS_DOUBT).max(LEAST_DOUBT.min(self.patience.doubt));
        }
        said
    }
}

impl Engine for Usi {
    fn name(&self) -> &str {
        &self.name
    }

    fn new_game(&mut self, setup: &Setup) -> Result<(), Fault> {
        self.talk.enter(Phase::Ready);
        self.choose_game(setup)?;
        self.start = if setup.standard { None } else { Some(setup.position.clone()) };
        self.color = setup.color;
        self.talk.forget();
        self.talk.say(Command::IsReady);
        self.talk.hear(&calm(self.patience.ready), ready)?;
        self.talk.enter(Phase::Setup);
        self.talk.say(Command::NewGame);
        Ok(())
    }

    fn think(&mut self, question: &Question<'_>) -> Result<Answer, Fault> {
        self.talk.enter(Phase::Move);
        self.synchronise()?;
        let moves = question.moves.to_vec();
        self.talk.say(Command::Position(PositionText { sfen: self.start.clone(), moves }));
        self.talk.say(Command::Go(self.go(question)));
        let patience =
            question.allowance().map_or(self.patience.think, |time| time.saturating_add(self.patience.grace));
        let (choice, report) = self.answer(question, &wait(patience, question.stop))?;
        let action = match choice {
            Choice::Move(mv) => Action::Move(mv),
            Choice::Resign => Action::Resign,
            Choice::Win => Action::Win,
        };
        Ok(Answer { action, report })
    }

    fn game_over(&mut self, winner: Option<Color>) -> Result<(), Fault> {
        let result = match winner {
            None => GameResult::Draw,
            Some(color) if color == self.color => GameResult::Win,
            Some(_) => GameResult::Lose,
        };
        self.talk.say(Command::GameOver(result));
        Ok(())
    }

    fn quit(&mut self) -> Result<(), Fault> {
        self.talk.enter(Phase::Quit);
        self.talk.say(Command::Quit);
        self.talk.leave(self.patience.quit)
    }
}

/// What a line says about the search or its end; nothing, if it is about something else.
fn interpret(line: &str) -> Result<Option<Said>, Reason> {
    match line.parse() {
        Ok(Reply::Info(info)) => Ok(Some(Said::Info(info))),
        Ok(Reply::Best(best)) => Ok(Some(Said::Best(best.choice))),
        Err(_) if line.trim_start().starts_with("bestmove") => Err(nonsense(line, "a best move")),
        _ => Ok(None),
    }
}

fn ready(line: &str) -> Option<Result<(), Reason>> {
    (line.trim() == "readyok").then_some(Ok(()))
}

/// Keeps what is said about the best line; the last word counts.
fn listen(report: &mut Report, info: Info) {
    report.nodes = info.nodes.or(report.nodes);
    report.time = info.time.map(Duration::from_millis).or(report.time);
    if info.multipv.unwrap_or(1) != 1 {
        return;
    }
    report.depth = info.depth.or(report.depth);
    match info.score {
        Some(Score::Cp(cp, _)) => (report.centipawns, report.mate) = (Some(cp), None),
        Some(Score::Mate(wins, plies)) => (report.centipawns, report.mate) = (None, Some((wins, plies))),
        None => {}
    }
    if !info.pv.is_empty() {
        report.line = info.pv;
    }
}
