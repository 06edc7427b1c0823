//! A foreign program as a player of any game that has a notation.
//!
//! The program speaks text; moves become text and text becomes moves here, and every fault of the program becomes what the referee
//! makes of it. A program that has never answered since it was started and then breaks is taken for unavailable (a wrong command, a
//! wrong game), so that a match stops instead of counting losses.
//!
//! This is the border: whatever text of the program gets further, to ledgers, reports and terminals, is made
//! [`harmless`] here.

use std::io::Write;

use yomi_core::{Notation, Outcome, Spec};
use yomi_protocol::client::{
    Action as Act, Answer as Said, Clock, Engine, Fault as Trouble, Launch, Phase, Question, Reason, Report as Words,
    Setup,
};
use yomi_protocol::harmless::{MESSAGE, NAME, harmless};
use yomi_search::Proof;

use crate::clock::Clocks;
use crate::ending::{Finish, Reason as Ended};
use crate::expected;
use crate::player::{Action, Answer, Fault, NewGame, Player, Report, Turn};

/// A foreign program.
pub struct Foreign {
    name: String,
    id: String,
    /// The program; nothing once it has failed.
    engine: Option<Box<dyn Engine>>,
    answered: bool,
    /// What it says about the count of the last game, if that differs from the referee's.
    remark: Option<String>,
}

/// What a claimed mate is worth in hundredths of a pawn: more than any material.
const MATE: f32 = 32_000.0;

impl Foreign {
    /// Starts a program. What is said is written to `log`.
    pub fn start(name: &str, launch: &Launch, log: Option<Box<dyn Write + Send>>) -> Result<Foreign, Fault> {
        let engine = launch.start(log);
        engine
            .map(|engine| Foreign::new(name, engine))
            .map_err(|trouble| Fault::Unavailable { why: harmless(&trouble.to_string(), MESSAGE) })
    }

    /// A program that runs already.
    pub fn new(name: &str, engine: Box<dyn Engine>) -> Foreign {
        let id = harmless(engine.name(), NAME);
        Foreign { name: name.to_string(), id, engine: Some(engine), answered: false, remark: None }
    }

    /// Asks the program; one that fails is dropped, which kills it.
    pub(super) fn ask<T>(&mut self, question: impl FnOnce(&mut dyn Engine) -> Result<T, Trouble>) -> Result<T, Fault> {
        let Some(engine) = &mut self.engine else {
            return Err(Fault::Unavailable { why: "the program has failed before".to_string() });
        };
        let answer = question(engine.as_mut());
        answer.map_err(|trouble| {
            self.engine = None;
            self.judge(&trouble)
        })
    }

    /// It has said something of use: if it breaks from now on, that is its own fault.
    pub(super) fn has_answered(&mut self) {
        self.answered = true;
    }

    /// What a fault of the program means for the game.
    fn judge(&self, trouble: &Trouble) -> Fault {
        let why = harmless(&trouble.to_string(), MESSAGE);
        match trouble.reason {
            Reason::Stopped => Fault::Stopped,
            _ if trouble.phase != Phase::Move => Fault::Unavailable { why },
            Reason::Start(_) => Fault::Unavailable { why },
            Reason::Timeout(_) => Fault::Timeout { waiting_for: why },
            Reason::Crash(_) | Reason::Nonsense { .. } if self.answered => Fault::Crash { why },
            Reason::Crash(_) | Reason::Nonsense { .. } => Fault::Unavailable { why },
        }
    }
}

/// A game in the words of programs.
fn setup<P: Notation>(game: &NewGame<'_, P>) -> Setup {
    let start = game.start;
    let text = start.rules();
    let spec = Spec::parse(&text).unwrap_or_else(|_| Spec::named(&text));
    let position = start.position_text();
    let standard = P::start(&Spec::named(&spec.name)).is_ok_and(|start| start.position_text() == position);
    Setup {
        family: P::NAME.to_string(),
        game: spec.name.clone(),
        rules: text,
        position,
        standard,
        first: start.turn(),
        color: game.color,
        seed: game.seed.number(),
    }
}

/// A move in the words of a program.
pub(super) fn understood<P: Notation>(position: &P, text: String) -> Result<P::Move, Fault> {
    position
        .parse_move(&text)
        .map_err(|error| Fault::Illegal { text: harmless(&text, NAME), why: harmless(&error.message, MESSAGE) })
}

/// A turn in the words of programs, with the moves as text.
pub(super) fn question<'a, P: Notation>(turn: &Turn<'a, P>, moves: &'a [String]) -> Question<'a> {
    let limits = turn.limits;
    Question {
        moves,
        turn: turn.line.position().turn(),
        // What we count in simulations or evaluations, programs count in nodes.
        nodes: [limits.nodes, limits.simulations, limits.evaluations].into_iter().flatten().min(),
        depth: limits.depth,
        time: limits.time,
        clocks: turn.clocks.as_ref().map(both),
        grace: turn.clocks.map(|clocks| clocks.grace).unwrap_or_default(),
        stop: turn.stop,
    }
}

/// The moves of a game as text.
pub(super) fn texts<P: Notation>(start: &P, moves: &[P::Move]) -> Vec<String> {
    let mut position = start.clone();
    let mut texts = Vec::with_capacity(moves.len());
    for &mv in moves {
        texts.push(position.move_text(mv));
        position.play(mv);
    }
    texts
}

fn both(clocks: &Clocks) -> [Clock; 2] {
    clocks.sides.map(|clock| Clock { left: clock.left, byoyomi: clock.byoyomi, increment: clock.increment })
}

/// What the program says about its move. Of the line it names only moves that are legal get through, in our own words.
fn report<P: Notation>(position: &P, played: Option<P::Move>, words: &Words) -> Report {
    let sign = |wins: bool| if wins { 1.0 } else { -1.0 };
    let proof = |(wins, plies): (bool, Option<u32>)| plies.map(if wins { Proof::Win } else { Proof::Loss });
    Report {
        value: words.mate.map(|(wins, _)| sign(wins) * MATE).or(words.centipawns.map(|cp| cp as f32)),
        line: played.map_or(String::new(), |mv| {
            expected::after(position, mv, &expected::legal(position, words.line.iter().map(String::as_str)))
        }),
        proof: words.mate.and_then(proof),
        simulations: None,
        nodes: words.nodes,
        evaluations: None,
        depth: words.depth,
        time: words.time,
        cpu: None,
    }
}

impl<P: Notation> Player<P> for Foreign {
    fn name(&self) -> &str {
        &self.name
    }

    fn id(&self) -> String {
        self.id.clone()
    }

    fn new_game(&mut self, game: &NewGame<'_, P>) -> Result<(), Fault> {
        let setup = setup(game);
        self.remark = None;
        self.ask(|engine| engine.new_game(&setup))
    }

    fn choose(&mut self, turn: &Turn<'_, P>) -> Result<Answer<P::Move>, Fault> {
        let moves = texts(turn.start, turn.moves);
        let Said { action, report: words } = self.ask(|engine| engine.think(&question(turn, &moves)))?;
        let action = match action {
            Act::Resign => Action::Resign,
            Act::Win => Action::DeclareWin,
            Act::Move(text) => Action::Move(understood(turn.line.position(), text)?),
        };
        self.has_answered();
        let played = if let Action::Move(mv) = action { Some(mv) } else { None };
        Ok(Answer { report: report(turn.line.position(), played, &words), action })
    }

    fn game_over(&mut self, finish: &Finish) {
        let winner = match finish.outcome {
            Some(Outcome::Win(color)) => Some(color),
            _ => None,
        };
        // A program that breaks now is found broken when the next game begins.
        let _ = self.ask(|engine| engine.game_over(winner));
        if finish.reason == Ended::Normal
            && let Some(engine) = &mut self.engine
        {
            self.remark = engine.count_difference(&finish.detail);
        }
    }

    fn remark(&mut self) -> Option<String> {
        self.remark.take()
    }
}

impl Drop for Foreign {
    /// Lets the program leave by itself before it is killed.
    fn drop(&mut self) {
        if let Some(engine) = &mut self.engine {
            let _ = engine.quit();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;
    use std::time::Duration;
    use yomi_core::toy::TicTacToe;
    use yomi_core::{Color, Line, Position, Seed};
    use yomi_protocol::client::fault::Exit;
    use yomi_search::Limits;

    /// Gives the answers it was made with, and this line with each of them.
    struct Script(Vec<Result<Act, Trouble>>, Vec<String>);

    impl Engine for Script {
        fn name(&self) -> &str {
            "script 1.0"
        }

        fn new_game(&mut self, setup: &Setup) -> Result<(), Trouble> {
            assert!(setup.standard && setup.family == "tic-tac-toe" && setup.first == Color::Black);
            Ok(())
        }

        fn think(&mut self, question: &Question<'_>) -> Result<Said, Trouble> {
            assert_eq!((question.nodes, question.moves.len()), (Some(7), 2));
            let report = Words { mate: Some((true, Some(3))), line: self.1.clone(), ..Words::default() };
            self.0.remove(0).map(|action| Said { action, report })
        }

        fn game_over(&mut self, _winner: Option<Color>) -> Result<(), Trouble> {
            Ok(())
        }

        fn quit(&mut self) -> Result<(), Trouble> {
            Ok(())
        }
    }

    fn trouble(reason: Reason) -> Result<Act, Trouble> {
        Err(Trouble { phase: Phase::Move, reason, stderr: String::new() })
    }

    /// What becomes of these answers, asked for after two moves.
    fn judged(script: Vec<Result<Act, Trouble>>) -> Vec<Result<Answer<<TicTacToe as Position>::Move>, Fault>> {
        judged_with(script, &[])
    }

    fn judged_with(
        script: Vec<Result<Act, Trouble>>,
        said: &[&str],
    ) -> Vec<Result<Answer<<TicTacToe as Position>::Move>, Fault>> {
        let start = TicTacToe::start(&Spec::named("tic-tac-toe")).unwrap();
        let mut line = Line::new(start.clone());
        let mut moves = Vec::new();
        for _ in 0..2 {
            let mut legal = Vec::new();
            assert!(line.generate(&mut legal).is_none());
            moves.push(legal[0]);
            line.play(legal[0]);
        }
        let count = script.len();
        let mut player =
            Foreign::new("peer", Box::new(Script(script, said.iter().map(|word| (*word).to_string()).collect())));
        assert_eq!(
            (Player::<TicTacToe>::name(&player), Player::<TicTacToe>::id(&player).as_str()),
            ("peer", "script 1.0")
        );
        let seed = Seed::new(1);
        player.new_game(&NewGame { start: &start, opening: &moves, color: Color::Black, time: None, seed }).unwrap();
        let stop = Arc::new(AtomicBool::new(false));
        let limits = Limits { nodes: Some(7), ..Limits::infinite() };
        let turn = Turn { start: &start, moves: &moves, line: &line, clocks: None, limits: &limits, stop: &stop };
        (0..count).map(|_| player.choose(&turn)).collect()
    }

    fn legal_text() -> String {
        let start = TicTacToe::start(&Spec::named("tic-tac-toe")).unwrap();
        let mut legal = Vec::new();
        start.generate(&mut legal);
        start.move_text(legal[5])
    }

    #[test]
    fn text_becomes_moves() {
        let answers = judged(vec![Ok(Act::Move(legal_text())), Ok(Act::Resign), Ok(Act::Win)]);
        let answer = answers[0].clone().unwrap();
        assert!(matches!(answer.action, Action::Move(_)));
        assert_eq!((answer.report.proof, answer.report.value), (Some(Proof::Win(3)), Some(MATE)));
        assert_eq!(answers[1].clone().unwrap().action, Action::Resign);
        assert_eq!(answers[2].clone().unwrap().action, Action::DeclareWin);
    }

    /// Of the moves a program expects, those behind its own get through as far as they are legal.
    #[test]
    fn lines_are_kept_as_far_as_they_are_legal() {
        let start = TicTacToe::start(&Spec::named("tic-tac-toe")).unwrap();
        let mut legal = Vec::new();
        start.generate(&mut legal);
        // The first two are taken.
        let words: Vec<String> = legal.iter().skip(2).map(|&mv| start.move_text(mv)).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let line = |said: &[&str]| {
            let answer = judged_with(vec![Ok(Act::Move(words[0].to_string()))], said).remove(0).unwrap();
            answer.report.line
        };
        assert_eq!(line(&[]), "");
        assert_eq!(line(&words[..4]), words[1..4].join(" "));
        assert_eq!(line(&words[1..4]), "", "another move than the one it plays");
        assert_eq!(line(&[words[0], words[1], "\u{1b}[2J", words[2]]), words[1]);
        assert_eq!(line(&[words[0], words[1], words[0]]), words[1]);
        let endless = [words.as_slice(), &["pass"; 64_000]].concat();
        assert!(line(&endless).len() < 100);
    }

    #[test]
    fn what_is_no_move_is_illegal() {
        match &judged(vec![Ok(Act::Move("resing".to_string()))])[0] {
            Err(Fault::Illegal { text, .. }) => assert_eq!(text, "resing"),
            other => panic!("{other:?}"),
        }
    }

    /// Whatever a program calls itself, plays or complains about is shortened and stripped of characters that a terminal obeys.
    #[test]
    fn text_of_programs_is_harmless_beyond_this_point() {
        let hostile = format!("\u{1b}[2J{}", "x".repeat(64_000));
        let is_harmless = |text: &str| text.len() < 1500 && !text.contains(char::is_control);
        struct Named(String);
        impl Engine for Named {
            fn name(&self) -> &str {
                &self.0
            }
            fn new_game(&mut self, _: &Setup) -> Result<(), Trouble> {
                Ok(())
            }
            fn think(&mut self, _: &Question<'_>) -> Result<Said, Trouble> {
                Ok(Said { action: Act::Resign, report: Words::default() })
            }
            fn game_over(&mut self, _: Option<Color>) -> Result<(), Trouble> {
                Ok(())
            }
            fn quit(&mut self) -> Result<(), Trouble> {
                Ok(())
            }
        }
        let player = Foreign::new("peer", Box::new(Named(hostile.clone())));
        assert!(is_harmless(&Player::<TicTacToe>::id(&player)));
        let reasons = [
            Reason::Start(hostile.clone()),
            Reason::Nonsense { said: hostile.clone(), expected: hostile.clone() },
            Reason::Crash(Exit::Silent),
        ];
        for reason in reasons {
            let answer: Result<Act, Trouble> = Err(Trouble { phase: Phase::Move, reason, stderr: hostile.clone() });
            let fault = judged(vec![answer]).remove(0).unwrap_err();
            assert!(is_harmless(&fault.to_string()), "{fault}");
        }
        let fault = judged(vec![Ok(Act::Move(hostile))]).remove(0).unwrap_err();
        assert!(matches!(fault, Fault::Illegal { .. }) && is_harmless(&fault.to_string()), "{fault}");
    }

    #[test]
    fn faults_mean_what_the_referee_makes_of_them() {
        let crash = || trouble(Reason::Crash(Exit::Status(3)));
        assert!(matches!(judged(vec![crash()])[0], Err(Fault::Unavailable { .. })), "it never answered");
        let good = || Ok(Act::Move(legal_text()));
        assert!(matches!(judged(vec![good(), crash()])[1], Err(Fault::Crash { .. })));
        let nonsense = trouble(Reason::Nonsense { said: "hello".to_string(), expected: "a move".to_string() });
        assert!(matches!(judged(vec![good(), nonsense])[1], Err(Fault::Crash { .. })));
        let timeout = trouble(Reason::Timeout(Duration::from_secs(1)));
        assert!(matches!(judged(vec![timeout])[0], Err(Fault::Timeout { .. })));
        assert_eq!(judged(vec![trouble(Reason::Stopped)])[0], Err(Fault::Stopped));
        let start = trouble(Reason::Start("no such game".to_string()));
        assert!(matches!(judged(vec![good(), start])[1], Err(Fault::Unavailable { .. })));
        assert!(matches!(judged(vec![crash(), good()])[1], Err(Fault::Unavailable { .. })), "it is gone");
    }
}
