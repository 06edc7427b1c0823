//! One game on a server, from login to result.

use std::io::{self, Write};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use yomi_core::record::ROOT;
use yomi_core::{Color, Ending, Line, Outcome, Position, Record, Seed};
use yomi_games::shogi::records::{csa_move_text, parse_csa_move};
use yomi_games::shogi::{Declaration, Nine, Rules, Shogi9, ShogiMove};
use yomi_search::time::{GameClock, MoveTime, TimeOptions, move_time};
use yomi_search::{Proof, Verdict};
use yomi_session::{Clock, Control, at_most_every, think};

use super::summary::{Summary, TimeRule};
use crate::server::console::{Console, Fate, Heard, Reporter};
use crate::server::usi::Engine;

/// Who we are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Login {
    /// The name on the server.
    pub user: String,
    /// The password; floodgate wants the name of the game and a trip in it: `floodgate-300-10F,secret`.
    pub password: String,
}

/// How to behave.
#[derive(Clone, PartialEq, Debug)]
pub struct Options {
    /// What a move may lose on its way to the server.
    pub margin: Duration,
    /// Give up when the score, in hundredths of a pawn, is worse than minus this.
    pub resign_value: i64,
    /// Send score and line with each move, as floodgate shows them, and leave without a word.
    pub floodgate: bool,
    /// After so long without a word the server is reminded of us. The protocol allows no less than thirty seconds.
    pub keep_alive: Duration,
    /// The seed of all random numbers.
    pub seed: Seed,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            margin: Duration::from_millis(500),
            resign_value: 99_999,
            floodgate: false,
            keep_alive: Duration::from_secs(40),
            seed: Seed::new(1),
        }
    }
}

/// What a game came to, for us.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Result {
    /// `#WIN`.
    Win,
    /// `#LOSE`.
    Lose,
    /// `#DRAW`.
    Draw,
    /// `#CENSORED`: the server does not count it.
    Censored,
    /// `#CHUDAN`: broken off.
    Aborted,
}

/// A game that was played.
#[derive(Clone, Debug)]
pub struct Played {
    /// The conditions.
    pub summary: Summary,
    /// The moves, their times and the end.
    pub record: Record<Shogi9>,
    /// What it came to.
    pub result: Result,
    /// Why, in the server's word: `#RESIGN`.
    pub reason: String,
}

/// Logs in, waits for a game, plays it.
///
/// An error means that the connection broke or that the server does not want us; its text says so.
pub fn play<W: Write>(
    console: &mut Console<W>,
    login: &Login,
    engine: &mut Engine<Nine>,
    options: &Options,
) -> io::Result<Played> {
    // The clock runs as soon as both sides have agreed: whatever takes long comes before.
    engine.search.new_game();
    engine.search.prepare(&Line::new(Shogi9::default()), &AtomicBool::new(false));
    console.say(format!("LOGIN {} {}", login.user, login.password))?;
    let mut session = Session { console, options };
    let answer = session.line()?;
    if !answer.starts_with("LOGIN:") || !answer.ends_with(" OK") {
        return Err(io::Error::other(format!("the server answers {answer:.100}")));
    }
    let summary = session.agree()?;
    let mut game = Game::new(summary);
    let (result, reason) = session.game(&mut game, engine)?;
    if !options.floodgate {
        // A server that has hung up already has heard all it wanted.
        let _ = session.console.say("LOGOUT");
    }
    game.end(&reason, result);
    Ok(Played { summary: game.summary, record: game.record, result, reason })
}

struct Session<'c, W> {
    console: &'c mut Console<W>,
    options: &'c Options,
}

/// The game as far as it has come.
struct Game {
    summary: Summary,
    record: Record<Shogi9>,
    node: usize,
    line: Line<Shogi9>,
    left: [Duration; 2],
}

impl Game {
    fn new(summary: Summary) -> Game {
        let mut record = Record::new(summary.start.start);
        let [black, white] = &summary.names;
        for (key, value) in [("先手", black), ("後手", white), ("棋戦", &summary.id)] {
            record.headers.push((key.to_string(), value.clone()));
        }
        let left = summary.time.map(|rule| rule.total);
        let line = Line::new(record.start);
        let mut game = Game { record, node: ROOT, line, left, summary };
        let earlier: Vec<(Option<ShogiMove>, Option<Duration>)> = game
            .summary
            .start
            .main_line()
            .map(|node| &game.summary.start.nodes[node])
            .map(|n| (n.mv, n.time))
            .collect();
        for (mv, time) in earlier {
            mv.into_iter().for_each(|mv| game.played(mv, time.unwrap_or_default()));
        }
        game
    }

    /// A move was made, and the server has charged this much for it.
    fn played(&mut self, mv: ShogiMove, charged: Duration) {
        let mover = self.line.position().turn().index();
        let TimeRule { increment, least, .. } = self.summary.time[mover];
        let left = &mut self.left[mover];
        *left = left.saturating_add(increment).saturating_sub(charged.max(least));
        self.node = self.record.add(self.node, Some(mv));
        self.record.nodes[self.node].time = Some(charged);
        self.line.play(mv);
    }

    fn ours(&self) -> bool {
        self.line.position().turn() == self.summary.you
    }

    /// How long our next move may take.
    fn time(&self, margin: Duration) -> MoveTime {
        let you = self.summary.you.index();
        let TimeRule { byoyomi, increment, .. } = self.summary.time[you];
        let left = self.left[you].saturating_add(increment);
        let clock = GameClock { left, byoyomi, increment };
        let ply = self.line.position().number().saturating_sub(1);
        move_time(&clock, ply, &TimeOptions { network_delay: margin, ..TimeOptions::default() })
    }

    /// Records the end as the server reported it.
    fn end(&mut self, reason: &str, result: Result) {
        let to_move = self.line.position().turn();
        let winner = match result {
            Result::Win => Some(self.summary.you),
            Result::Lose => Some(!self.summary.you),
            _ => None,
        };
        let mover_lost = winner == Some(!to_move);
        let ending = match (reason, result) {
            (_, Result::Aborted | Result::Censored) if reason != "#MAX_MOVES" => Ending::Aborted,
            ("#RESIGN", _) => Ending::Resign,
            ("#TIME_UP", _) => Ending::TimeUp,
            ("#SENNICHITE", _) => Ending::Repetition,
            ("#OUTE_SENNICHITE", _) if !mover_lost => Ending::PerpetualCheck,
            ("#JISHOGI", _) => Ending::Declaration,
            ("#MAX_MOVES", _) => Ending::MoveLimit,
            ("#ILLEGAL_MOVE" | "#ILLEGAL_ACTION", _) if mover_lost => Ending::IllegalAction,
            ("#ILLEGAL_MOVE" | "#ILLEGAL_ACTION", _) => Ending::IllegalMove,
            _ if mover_lost => Ending::Mate,
            _ => Ending::Aborted,
        };
        let node = self.record.add(self.node, None);
        self.record.nodes[node].ending = Some(ending);
    }
}

impl<W: Write> Session<'_, W> {
    /// The next line that says something. Blank ones keep the connection alive, in both directions.
    fn line(&mut self) -> io::Result<String> {
        loop {
            match self.console.hear_within(self.options.keep_alive) {
                Some(Heard::Line(line)) if line.trim().is_empty() => {}
                Some(Heard::Line(line)) => return Ok(line.trim_end().to_string()),
                Some(Heard::TooLong) => {}
                Some(Heard::End) => return Err(io::Error::from(io::ErrorKind::ConnectionAborted)),
                None => self.console.say("")?,
            }
        }
    }

    /// Waits for a summary and agrees, until both have.
    fn agree(&mut self) -> io::Result<Summary> {
        let summary = loop {
            if self.line()? == "BEGIN Game_Summary" {
                break self.summary()?;
            }
        };
        self.console.say(format!("AGREE {}", summary.id).trim_end())?;
        loop {
            let answer = self.line()?;
            if answer.starts_with("START:") {
                return Ok(summary);
            }
            if answer.starts_with("REJECT:") {
                return Err(io::Error::other(format!("the game was called off: {answer:.100}")));
            }
        }
    }

    fn summary(&mut self) -> io::Result<Summary> {
        let mut lines = Vec::new();
        loop {
            let line = self.line()?;
            if line == "END Game_Summary" {
                return Summary::parse(&lines).map_err(io::Error::other);
            }
            lines.push(line);
            if lines.len() > 10_000 {
                return Err(io::Error::other("the summary of the game does not end"));
            }
        }
    }

    /// Plays until the server sends the result; returns it and the reason.
    fn game(&mut self, game: &mut Game, engine: &mut Engine<Nine>) -> io::Result<(Result, String)> {
        let mut reason = String::new();
        // What the server has not confirmed yet.
        let mut sent = false;
        loop {
            if game.ours() && !sent {
                self.move_or_end(game, engine)?;
                sent = true;
                continue;
            }
            let line = self.line()?;
            match line.as_str() {
                "#WIN" => return Ok((Result::Win, reason)),
                "#LOSE" => return Ok((Result::Lose, reason)),
                "#DRAW" => return Ok((Result::Draw, reason)),
                "#CENSORED" => return Ok((Result::Censored, reason)),
                "#CHUDAN" => return Ok((Result::Aborted, if reason.is_empty() { line } else { reason })),
                _ if line.starts_with('#') => reason = line,
                _ if line.starts_with(['+', '-']) => {
                    let (text, time) = line.split_once(",T").unwrap_or((&line, "0"));
                    let text = text.split(',').next().unwrap_or_default();
                    let seconds = time.split(',').next().unwrap_or_default().parse().unwrap_or(0);
                    // A move that breaks the rules ends the game; the server will say so.
                    if let Ok(mv) = parse_csa_move(game.line.position(), text) {
                        sent = false;
                        game.played(mv, Duration::from_secs(seconds));
                        engine.search.played(mv);
                    }
                }
                _ => {}
            }
        }
    }

    /// Thinks, and sends what comes of it.
    fn move_or_end(&mut self, game: &mut Game, engine: &mut Engine<Nine>) -> io::Result<()> {
        let position = *game.line.position();
        if position.declaration() == Some(Declaration::Win) {
            return self.console.say("%KACHI");
        }
        let mated = matches!(position.generate(&mut Vec::new()), Some(Outcome::Win(_)));
        if mated {
            return self.console.say("%TORYO");
        }
        // Where we would stop (repetition, the agreed number of moves) the server may play on: from here, without the past.
        let over = game.line.generate(&mut Vec::new()).is_some();
        let line = if over { Line::new(without_end(&position)) } else { game.line.clone() };
        let Some(verdict) = self.think(&line, game.time(self.options.margin), engine)? else { return Ok(()) };
        let score = engine.scale.centipawns(verdict.value);
        let lost = matches!(verdict.proof, Some(Proof::Loss(_))) && self.options.resign_value < 30_000;
        let Some(best) = verdict.best.filter(|_| !lost && score >= -self.options.resign_value) else {
            return self.console.say("%TORYO");
        };
        let text = csa_move_text(&position, best);
        if !self.options.floodgate {
            return self.console.say(text);
        }
        // Floodgate shows scores as Black sees them.
        let black = if position.turn() == Color::Black { score } else { -score };
        let mut at = position;
        let mut words = vec![format!("{text},'* {black}")];
        for (i, &mv) in verdict.pv.iter().enumerate().take(12) {
            if i > 0 {
                words.push(csa_move_text(&at, mv));
            }
            at.play(mv);
        }
        self.console.say(words.join(" "))
    }

    /// What the search finds; none if the game ended meanwhile.
    fn think(
        &mut self,
        line: &Line<Shogi9>,
        time: MoveTime,
        engine: &mut Engine<Nine>,
    ) -> io::Result<Option<Verdict<ShogiMove>>> {
        let control = Control::default();
        let limits = engine.limits.clone().seeded(self.options.seed.branch("move", line.len() as u64));
        let search = &mut engine.search;
        let every = self.options.keep_alive;
        let work = |reporter: Reporter| {
            let keep_alive = &mut at_most_every(every, |_| reporter.print(String::new()));
            think(search.as_mut(), line, &limits, Clock::Running(time), &control, Some(every), keep_alive)
        };
        let mut ended = false;
        let heed = |_: &mut Console<W>, heard: &Heard| {
            // Whatever a server says now but a blank line is about the end.
            let blank = matches!(heard, Heard::Line(line) if line.trim().is_empty());
            if !blank && *heard != Heard::TooLong {
                ended = true;
                control.stop();
            }
            Ok(if blank { Fate::Taken } else { Fate::Kept })
        };
        let verdict = self.console.think(work, heed, || control.stop())?;
        Ok((!ended).then_some(verdict))
    }
}

/// The same position in a game that may last for ever.
fn without_end(position: &Shogi9) -> Shogi9 {
    let rules = Rules { max_moves: 0, ..position.choices() };
    Shogi9::from_sfen_with(&position.sfen(), rules).unwrap_or(*position)
}
