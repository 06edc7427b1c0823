//! GNU Shogi and GNU Minishogi, which speak a dialogue of their own with the board program xshogi.
//!
//! There are no acknowledgements but echoes: a move sent in `force` mode comes back as `3. 2g2f 299900`, a move of the program's own as
//! `3. ... 2g2f 299900`, and a wrong one as `Illegal move (no match) 9z9z`. Prompts have no line end, so they stand before the next
//! line (`depth = 1. 7g7f 300000`). The program keeps no account of whose turn it is: `black` or `white` and `go` say it.

use std::io::Write;
use std::time::Duration;

use yomi_core::Color;

use super::edit::edit_lines;
use super::engine::{Action, Answer, Engine, Question, Report, Setup};
use super::fault::{Fault, Phase, Reason};
use super::launch::Launch;
use super::patience::{Patience, Wait};
use super::talk::{Talk, calm, nonsense, wait};

/// A program of the GNU Shogi family.
pub struct Xboard {
    talk: Talk,
    name: String,
    patience: Patience,
    setup: Option<Setup>,
    /// The moves it knows.
    sent: Vec<String>,
    depth: Option<u32>,
    seconds: Option<u64>,
}

/// The depth that the program itself takes for no limit.
const NO_DEPTH: u32 = 29;

impl Xboard {
    /// Starts the program, hears its name and sends its options.
    pub fn start(launch: &Launch, log: Option<Box<dyn Write + Send>>) -> Result<Xboard, Fault> {
        let mut talk = Talk::start(&launch.command, log)?;
        let name = talk.hear(&calm(launch.patience.start), |line| {
            let line = line.trim();
            (!line.is_empty()).then(|| Ok(line.to_string()))
        })?;
        talk.enter(Phase::Ready);
        for (name, value) in &launch.options {
            talk.say(name);
            value.iter().for_each(|value| talk.say(value));
        }
        let patience = launch.patience;
        Ok(Xboard { talk, name, patience, setup: None, sent: Vec::new(), depth: None, seconds: None })
    }

    /// Begins anew from the start position, the program not thinking.
    fn set_up(&mut self, setup: &Setup) -> Result<(), Fault> {
        self.sent.clear();
        for line in ["new", "force"] {
            self.talk.say(line);
        }
        if !setup.standard {
            match edit_lines(&setup.position) {
                Ok(lines) => lines.iter().for_each(|line| self.talk.say(line)),
                Err(why) => return Err(self.talk.fault(Reason::Start(why))),
            }
        }
        Ok(())
    }

    /// Sends the moves that the program does not know yet; from the start again, if those it knows are others.
    fn send_moves(&mut self, setup: &Setup, moves: &[String], wait: &Wait<'_>) -> Result<(), Fault> {
        self.talk.say("force");
        if !moves.starts_with(&self.sent) {
            self.set_up(setup)?;
        }
        for mv in &moves[self.sent.len()..] {
            self.talk.say(mv);
            self.talk.hear(wait, |line| match Heard::read(line) {
                Some(Heard::Echo(echo)) if echo == mv => Some(Ok(())),
                Some(Heard::Refusal) => Some(Err(nonsense(line, format!("consent to {mv}")))),
                _ => None,
            })?;
            self.sent.push(mv.clone());
        }
        Ok(())
    }

    /// Sends depth and time per move, where they have changed.
    fn tell_limits(&mut self, question: &Question<'_>) {
        let depth = question.depth.unwrap_or(NO_DEPTH).clamp(1, NO_DEPTH);
        if self.depth != Some(depth) && (question.depth.is_some() || self.depth.is_some()) {
            self.talk.say("depth");
            self.talk.say(depth);
            self.depth = Some(depth);
        }
        let clock = question.clocks.map(|clocks| clocks[question.turn.index()]);
        let share = clock.map(|clock| clock.byoyomi.saturating_add(clock.left / 40));
        let seconds = question.time.into_iter().chain(share).min().map(|time: Duration| time.as_secs().max(1));
        if seconds.is_some() && self.seconds != seconds {
            let seconds = seconds.unwrap_or(1);
            self.talk.say(format!("level 1 {}:{:02}", seconds / 60, seconds % 60));
            self.seconds = Some(seconds);
        }
    }
}

/// What the program says.
#[derive(PartialEq, Eq, Debug)]
enum Heard<'a> {
    /// It repeats a move that it was sent.
    Echo(&'a str),
    /// It moves.
    Move(&'a str),
    /// It does not take a move.
    Refusal,
    /// It gives up.
    Resignation,
    /// It takes the game for over.
    End,
}

impl Heard<'_> {
    fn read(line: &str) -> Option<Heard<'_>> {
        let lower = line.to_ascii_lowercase();
        if lower.contains("illegal") {
            return Some(Heard::Refusal);
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        let number = words.iter().position(|word| {
            word.strip_suffix('.')
                .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
        });
        match number.map(|at| &words[at + 1..]) {
            Some(["...", mv, ..]) => Some(Heard::Move(mv)),
            Some([mv, ..]) => Some(Heard::Echo(mv)),
            _ if lower.contains("resign") => Some(Heard::Resignation),
            _ if lower.contains("mates") || lower.contains("draw") || lower.contains("repetition") => Some(Heard::End),
            _ => None,
        }
    }
}

impl Engine for Xboard {
    fn name(&self) -> &str {
        &self.name
    }

    fn new_game(&mut self, setup: &Setup) -> Result<(), Fault> {
        self.talk.enter(Phase::Setup);
        if !matches!(setup.family.as_str(), "shogi" | "minishogi") {
            let why = format!("this dialogue is spoken for shogi and minishogi, not for {}", setup.game);
            return Err(self.talk.fault(Reason::Start(why)));
        }
        self.talk.forget();
        self.set_up(setup)?;
        (self.depth, self.seconds) = (None, None);
        self.setup = Some(setup.clone());
        Ok(())
    }

    fn think(&mut self, question: &Question<'_>) -> Result<Answer, Fault> {
        self.talk.enter(Phase::Move);
        let Some(setup) = self.setup.clone() else {
            return Err(self.talk.fault(Reason::Start("a move was asked for before the game began".to_string())));
        };
        if question.nodes.is_some() {
            let why = "GNU Shogi counts no nodes: limit it by depth or time".to_string();
            return Err(self.talk.fault(Reason::Start(why)));
        }
        self.talk.forget();
        self.send_moves(&setup, question.moves, &wait(self.patience.ready, question.stop))?;
        self.tell_limits(question);
        self.talk.say(if question.turn == Color::Black { "black" } else { "white" });
        self.talk.say("go");
        let patience =
            question.allowance().map_or(self.patience.think, |time| time.saturating_add(self.patience.grace));
        let action = self.talk.hear(&wait(patience, question.stop), |line| match Heard::read(line) {
            Some(Heard::Move(mv)) => Some(Ok(Action::Move(mv.to_string()))),
            Some(Heard::Resignation) => Some(Ok(Action::Resign)),
            Some(Heard::Refusal | Heard::End) => Some(Err(nonsense(line, "a move"))),
            Some(Heard::Echo(_)) | None => None,
        })?;
        if let Action::Move(mv) = &action {
            self.sent.push(mv.clone());
        }
        Ok(Answer { action, report: Report::default() })
    }

    fn game_over(&mut self, _winner: Option<Color>) -> Result<(), Fault> {
        self.talk.say("force");
        Ok(())
    }

    fn quit(&mut self) -> Result<(), Fault> {
        self.talk.enter(Phase::Quit);
        self.talk.say("quit");
        self.talk.leave(self.patience.quit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn understands_what_the_programs_say() {
        for (line, heard) in [
            ("depth = 1. 7g7f 300000", Some(Heard::Echo("7g7f"))),
            ("1. ... 3c3d 300000", Some(Heard::Move("3c3d"))),
            ("68. ... G*4b 299990", Some(Heard::Move("G*4b"))),
            ("Illegal move (no match) 9z9z", Some(Heard::Refusal)),
            ("White mates!", Some(Heard::End)),
            ("Black resigns!", Some(Heard::Resignation)),
            ("GNU Shogi 1.4.2", None),
            ("Clocks: 2000 2000", None),
            ("", None),
            ("1.", None),
        ] {
            assert_eq!(Heard::read(line), heard, "{line}");
        }
    }
}
