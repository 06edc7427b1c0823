//! Programs that speak GTP: Go, and Blokus Duo as Pentobi speaks it.

use std::io::Write;
use std::time::Duration;

use yomi_core::Color;
use yomi_games::go::Rules;

use super::count::{self, Counted};
use super::engine::{Action, Answer, Engine, Question, Report, Setup};
use super::fault::{Fault, Phase, Reason};
use super::launch::Launch;
use super::patience::{Patience, Wait};
use super::start::{Stones, board_size};
use super::talk::{Talk, calm, nonsense, wait};
use crate::gtp::{Choice, Command, ResponseReader, TimeSettings, color_text};
use crate::server::go_rules;

/// A program that speaks GTP.
pub struct Gtp {
    talk: Talk,
    name: String,
    /// The commands it says it knows; none, if it does not say.
    commands: Vec<String>,
    patience: Patience,
    next_id: u32,
    setup: Option<Setup>,
    /// The moves it knows of; its own are not repeated to it.
    sent: Vec<KnownMove>,
    /// All moves of the game as of its last turn.
    moves: Vec<String>,
    time: Option<TimeSettings>,
}

/// A move that the program knows.
#[derive(PartialEq, Eq)]
enum KnownMove {
    /// It was sent.
    Said(String),
    /// Because it is its own.
    Own,
}

/// What a program answers to a command: text, or why not.
type Said = Result<String, String>;

impl Gtp {
    /// Starts the program, hears who it is and what it knows, and sets its options.
    pub fn start(launch: &Launch, log: Option<Box<dyn Write + Send>>) -> Result<Gtp, Fault> {
        let mut gtp = Gtp {
            talk: Talk::start(&launch.command, log)?,
            name: launch.command.program.clone(),
            commands: Vec::new(),
            patience: launch.patience,
            next_id: 1,
            setup: None,
            sent: Vec::new(),
            moves: Vec::new(),
            time: None,
        };
        let wait = calm(launch.patience.start);
        gtp.ask(Command::new("protocol_version", [""; 0]), &wait)?.ok();
        if let Ok(name) = gtp.ask(Command::new("name", [""; 0]), &wait)? {
            gtp.name = name.lines().next().unwrap_or_default().to_string();
        }
        if let Ok(version) = gtp.ask(Command::new("version", [""; 0]), &wait)? {
            gtp.name = format!("{} {}", gtp.name, version.lines().next().unwrap_or_default()).trim_end().to_string();
        }
        if let Ok(commands) = gtp.ask(Command::new("list_commands", [""; 0]), &wait)? {
            gtp.commands = commands.split_whitespace().map(str::to_string).collect();
        }
        gtp.talk.enter(Phase::Ready);
        for (name, value) in &launch.options {
            gtp.option(name, value.as_deref())?;
        }
        Ok(gtp)
    }

    /// An option is a command of the program: `level=10` is `level 10`, `"param_tree N_SIMS"=8000` is `param_tree N_SIMS 8000`.
    fn option(&mut self, name: &str, value: Option<&str>) -> Result<(), Fault> {
        let mut words = name.split_whitespace().chain(value.iter().flat_map(|value| value.split_whitespace()));
        let command = words.next().unwrap_or_default().to_string();
        let command = Command::new(&command, words);
        if !self.knows(&command.name) {
            let why = format!("{} has no command called {}", self.name, command.name);
            return Err(self.talk.fault(Reason::Start(why)));
        }
        let text = command.to_string();
        match self.ask(command, &calm(self.patience.ready))? {
            Ok(_) => Ok(()),
            Err(why) => {
                let why = format!("{} refuses {text}: {why}", self.name);
                Err(self.talk.fault(Reason::Start(why)))
            }
        }
    }

    /// Whether the program says that it knows a command. One that does not list its commands knows the standard ones.
    fn knows(&self, command: &str) -> bool {
        self.commands.is_empty() || self.lists(command)
    }

    /// Whether the program lists a command among those it knows: for commands that are not standard.
    fn lists(&self, command: &str) -> bool {
        self.commands.iter().any(|known| known == command)
    }

    /// The answer to a question that the game does not depend on; none if the program does not list the command, refuses or is slow.
    fn inquire(&mut self, command: Command) -> Option<String> {
        if !self.lists(&command.name) {
            return None;
        }
        self.ask(command, &calm(self.patience.ready)).ok()?.ok()
    }

    /// Sends a command and waits for its answer. Answers to earlier questions that came too late are passed over.
    fn ask(&mut self, mut command: Command, wait: &Wait<'_>) -> Result<Said, Fault> {
        let id = self.next_id;
        self.next_id = self.next_id.wrapping_add(1) % 1_000_000;
        command.id = Some(id);
        self.talk.say(command);
        let mut reader = ResponseReader::default();
        self.talk.hear(wait, |line| {
            // Text outside of an answer is a greeting or noise.
            let response = reader.line(line).ok().flatten()?;
            (response.id.is_none() || response.id == Some(id)).then_some(Ok(response.result))
        })
    }

    /// Sends a command that the game needs; a refusal is a fault.
    fn demand(&mut self, command: Command, wait: &Wait<'_>) -> Result<String, Fault> {
        let text = command.to_string();
        match self.ask(command, wait)? {
            Ok(said) => Ok(said),
            Err(said) if self.talk.phase() == Phase::Move => {
                Err(self.talk.fault(nonsense(&format!("? {said}"), format!("consent to `{text}`"))))
            }
            Err(said) => {
                let why = format!("{} refuses {text}: {said}", self.name);
                Err(self.talk.fault(Reason::Start(why)))
            }
        }
    }

    /// Sets up the start position.
    fn set_up(&mut self, setup: &Setup, wait: &Wait<'_>) -> Result<(), Fault> {
        self.sent.clear();
        let refuse = |gtp: &mut Gtp, why: String| Err(gtp.talk.fault(Reason::Start(why)));
        match setup.family.as_str() {
            "go" => {
                let Some(size) = board_size(&setup.game) else {
                    return refuse(self, format!("{} names no board size", setup.game));
                };
                let stones = match Stones::read(&setup.position, size) {
                    Ok(stones) => stones,
                    Err(why) => return refuse(self, why),
                };
                let rules = match count::rules(setup) {
                    Ok(rules) => rules,
                    Err(why) => return refuse(self, why.to_string()),
                };
                self.demand(Command::new("boardsize", [size.to_string()]), wait)?;
                self.demand(Command::new("clear_board", [""; 0]), wait)?;
                self.tell_rules(rules, wait)?;
                self.demand(Command::new("komi", [rules.komi.to_string()]), wait)?;
                self.place(&stones, wait)
            }
            "blokus-duo" => {
                if !setup.standard {
                    return refuse(self, "a game of Blokus Duo over GTP begins on an empty board".to_string());
                }
                if self.knows("set_game") {
                    self.demand(Command::new("set_game", ["Blokus", "Duo"]), wait)?;
                }
                self.demand(Command::new("clear_board", [""; 0]), wait).map(drop)
            }
            _ => refuse(self, format!("GTP is spoken for Go and Blokus Duo, not for {}", setup.game)),
        }
    }

    /// Names the rules to programs that accept them: all of them to KataGo and its kin, by name where KGS has a name for them. Others
    /// have theirs on the command line. A refusal is no fault: the count at the end of the game will show what it meant.
    fn tell_rules(&mut self, rules: Rules, wait: &Wait<'_>) -> Result<(), Fault> {
        if self.lists("kata-set-rules")
            && self.ask(Command::new("kata-set-rules", [go_rules::json(rules)]), wait)?.is_ok()
        {
            return Ok(());
        }
        if let Some(name) = go_rules::kgs_name(rules).filter(|_| self.lists("kgs-rules")) {
            let _ = self.ask(Command::new("kgs-rules", [name]), wait)?;
        }
        Ok(())
    }

    /// Stones that lie on the board before the first move. Handicap stones are named as such: engines count them.
    fn place(&mut self, stones: &Stones, wait: &Wait<'_>) -> Result<(), Fault> {
        if stones.black.len() >= 2 && stones.white.is_empty() && self.knows("set_free_handicap") {
            let command = Command::new("set_free_handicap", stones.black.clone());
            if self.ask(command, wait)?.is_ok() {
                return Ok(());
            }
        }
        for (color, points) in [(Color::Black, &stones.black), (Color::White, &stones.white)] {
            for point in points {
                self.demand(Command::new("play", [color_text(color), point.as_str()]), wait)?;
            }
        }
        Ok(())
    }

    /// Sends the moves that the program does not know yet; from the start again, if those it knows are others.
    fn send_moves(&mut self, setup: &Setup, moves: &[String], wait: &Wait<'_>) -> Result<(), Fault> {
        let same =
            |(known, mv): (&KnownMove, &String)| *known == KnownMove::Own || *known == KnownMove::Said(mv.clone());
        if self.sent.len() > moves.len() || !self.sent.iter().zip(moves).all(same) {
            self.set_up(setup, wait)?;
        }
        let mut color = if self.sent.len().is_multiple_of(2) { setup.first } else { !setup.first };
        for mv in &moves[self.sent.len()..] {
            // Pentobi counts its passes itself and refuses the command.
            if setup.family != "blokus-duo" || !mv.eq_ignore_ascii_case("pass") {
                self.demand(Command::new("play", [color_text(color), mv]), wait)?;
            }
            self.sent.push(KnownMove::Said(mv.clone()));
            color = !color;
        }
        Ok(())
    }

    /// Sends the time for a move: whole seconds are all that GTP knows.
    fn tell_time(&mut self, question: &Question<'_>, wait: &Wait<'_>) -> Result<(), Fault> {
        let clock = question.clocks.map(|clocks| clocks[question.turn.index()]);
        let (settings, left) = match (question.time, clock) {
            (None, None) => return Ok(()),
            (Some(time), clock) if clock.is_none_or(|clock| time < clock.left.saturating_add(clock.byoyomi)) => {
                (TimeSettings { main: Duration::ZERO, overtime: time, stones: 1 }, (time, 1))
            }
            (_, clock) => {
                let clock = clock.unwrap_or_default();
                let left = if clock.left.is_zero() { (clock.byoyomi, 1) } else { (clock.left, 0) };
                // Overtime that rounds to nothing is none.
                let stones = u32::from(clock.byoyomi.as_secs() > 0);
                let settings = TimeSettings { main: clock.left, overtime: clock.byoyomi, stones };
                // The settings are those of the game: sent once.
                (self.time.unwrap_or(settings), left)
            }
        };
        if settings.main.as_secs() == 0 && settings.overtime.as_secs() == 0 {
            let why = "GTP counts in whole seconds: a move needs one at least".to_string();
            return Err(self.talk.fault(Reason::Start(why)));
        }
        if self.time != Some(settings) && self.knows("time_settings") {
            let args = settings.to_string();
            self.demand(Command::new("time_settings", args.split(' ')), wait)?;
            self.time = Some(settings);
        }
        if self.knows("time_left") {
            let (seconds, stones) = (left.0.as_secs().to_string(), left.1.to_string());
            let args = [color_text(question.turn), &seconds, &stones];
            // A program that cannot use it says so; that is its own affair.
            let _ = self.ask(Command::new("time_left", args), wait)?;
        }
        Ok(())
    }
}

impl Engine for Gtp {
    fn name(&self) -> &str {
        &self.name
    }

    fn new_game(&mut self, setup: &Setup) -> Result<(), Fault> {
        self.talk.enter(Phase::Setup);
        let wait = calm(self.patience.ready);
        self.time = None;
        self.moves.clear();
        if self.lists("set_random_seed") {
            let seed = (setup.seed & 0x7fff_ffff).to_string();
            let _ = self.ask(Command::new("set_random_seed", [seed]), &wait)?;
        }
        self.set_up(setup, &wait)?;
        self.setup = Some(setup.clone());
        Ok(())
    }

    fn think(&mut self, question: &Question<'_>) -> Result<Answer, Fault> {
        self.talk.enter(Phase::Move);
        let Some(setup) = self.setup.clone() else {
            return Err(self.talk.fault(Reason::Start("a move was asked for before the game began".to_string())));
        };
        if question.nodes.is_some() || question.depth.is_some() {
            let why = "GTP knows no limit of nodes or plies: set one by the program's own options".to_string();
            return Err(self.talk.fault(Reason::Start(why)));
        }
        let ready = wait(self.patience.ready, question.stop);
        self.send_moves(&setup, question.moves, &ready)?;
        self.tell_time(question, &ready)?;
        let patience =
            question.allowance().map_or(self.patience.think, |time| time.saturating_add(self.patience.grace));
        let command = Command::new("genmove", [color_text(question.turn)]);
        let said = self.demand(command, &wait(patience, question.stop))?;
        let action = match said.parse() {
            Ok(Choice::Move(mv)) => Action::Move(mv),
            Ok(Choice::Pass) => Action::Move("pass".to_string()),
            Ok(Choice::Resign) => Action::Resign,
            Err(_) => return Err(self.talk.fault(nonsense(&said, "a move, pass or resign"))),
        };
        self.sent.push(KnownMove::Own);
        self.moves = question.moves.to_vec();
        if let Action::Move(mv) = &action {
            self.moves.push(mv.clone());
        }
        Ok(Answer { action, report: Report::default() })
    }

    /// `top_moves_black` or `top_moves_white`, commands of GNU Go's: `D4 75.00 Q16 74.01`, nothing if it would pass. (Its `top_moves` only
    /// repeats what the last move it made was chosen from.)
    fn scores(&mut self, question: &Question<'_>) -> Result<Vec<(String, f32)>, Fault> {
        self.talk.enter(Phase::Move);
        let command = match question.turn {
            Color::Black => "top_moves_black",
            Color::White => "top_moves_white",
        };
        let Some(setup) = self.setup.clone().filter(|_| self.knows(command)) else {
            let why = format!("{} does not rate moves: it has no command called {command}", self.name);
            return Err(self.talk.fault(Reason::Start(why)));
        };
        self.send_moves(&setup, question.moves, &wait(self.patience.ready, question.stop))?;
        let said = self.demand(Command::new(command, [""; 0]), &wait(self.patience.think, question.stop))?;
        let words: Vec<&str> = said.split_whitespace().collect();
        let scored = |pair: &[&str]| match *pair {
            [mv, score] => {
                score.parse().ok().filter(|score: &f32| score.is_finite()).map(|score| (mv.to_string(), score))
            }
            _ => None,
        };
        let scores: Option<Vec<(String, f32)>> = words.chunks(2).map(scored).collect();
        scores.ok_or_else(|| self.talk.fault(nonsense(&said, "moves, each with its worth")))
    }

    fn game_over(&mut self, _winner: Option<Color>) -> Result<(), Fault> {
        Ok(())
    }

    /// The program's `final_score` beside the referee's count, with the reason by what it says of its komi and of dead stones.
    fn count_difference(&mut self, referee: &str) -> Option<String> {
        let setup = self.setup.clone().filter(|setup| setup.family == "go")?;
        let referee = count::parse(referee)?;
        let said = self.inquire(Command::new("final_score", [""; 0]))?;
        let program = count::parse(&said).filter(|&program| program != referee)?;
        let komi = self.inquire(Command::new("get_komi", [""; 0])).and_then(|komi| komi.trim().parse().ok());
        let dead = self.inquire(Command::new("final_status_list", ["dead"])).unwrap_or_default();
        let counted = Counted { setup: &setup, moves: &self.moves, referee, program, komi, dead: &dead };
        let reason = counted.reason().unwrap_or_else(|| "why cannot be seen from here".to_string());
        Some(format!("counts {program} where the referee counts {referee}: {reason}"))
    }

    fn quit(&mut self) -> Result<(), Fault> {
        self.talk.enter(Phase::Quit);
        self.talk.say(Command { id: Some(self.next_id), ..Command::new("quit", [""; 0]) });
        self.talk.leave(self.patience.quit)
    }
}
