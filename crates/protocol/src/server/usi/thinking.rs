//! From `go` to `bestmove`.

use std::io::{self, Write};
use std::sync::mpsc::channel;
use std::time::Duration;

use yomi_core::clock::Stopwatch;
use yomi_core::{Color, Line, Notation, Outcome, Position, Seed};
use yomi_games::shogi::{Declaration, Shogi, ShogiMove, Variant};
use yomi_search::mate::{Mate as Found, MateOptions, MateSearch};
use yomi_search::time::{GameClock, MoveTime, move_time};
use yomi_search::{Limits, Proof, Verdict};
use yomi_session::{Clock, Control, at_most_every, think, variation};

use super::report::report;
use super::{Engine, Server, Settings};
use crate::server::console::{Console, Fate, Heard, Reporter};
use crate::usi::{BestMove, Checkmate, Choice, Command, Go, Info, Mate, Reply};

/// A forced move gets no more time than this.
const FORCED: Duration = Duration::from_millis(50);

/// What the interface has said since `go`.
#[derive(Default)]
struct Orders {
    /// The answer must wait until it is asked for.
    held: bool,
    /// The answer is wanted at once.
    stopped: bool,
    /// The expected move came: with these clocks, if any were sent.
    hit: Option<Go>,
    /// The answer is not wanted any more.
    silent: bool,
    /// The search ends by itself.
    bounded: bool,
    /// The answer is wanted even at the end of the input.
    owed: bool,
    /// A line waits that begins something new. What comes after it is not about this search.
    next: bool,
    /// An option waits to be set. Whether we are ready can be said only afterwards.
    changes: bool,
}

impl Orders {
    /// The answer is wanted now.
    fn end(&mut self) -> Fate {
        (self.held, self.stopped) = (false, true);
        Fate::Kept
    }

    /// The conversation is ending. What may end by itself has a moment to do so; the rest is ended.
    fn leave(&mut self) -> Fate {
        if self.held { self.end() } else { Fate::Leaving }
    }
}

impl<V: Variant, W: Write> Server<'_, V, W> {
    /// Thinks as asked, and answers.
    pub(super) fn go(&mut self, go: &Go) -> io::Result<()> {
        if let Some(mate) = go.mate {
            return self.find_mate(mate);
        }
        self.build()?;
        let mut orders = Orders { held: go.ponder || go.infinite, ..Orders::default() };
        let answer = match (self.line.clone(), self.engine.take()) {
            (Ok(line), Some(mut engine)) => {
                let limits = self.limits(&line, go, &engine);
                orders.bounded = go.is_timed() || limits.is_bounded();
                let answer = self.choose(&line, go, &mut engine, &mut orders);
                // A setting that came meanwhile is put off, so the engine is still the one that is wanted.
                self.engine = Some(engine);
                answer?
            }
            (_, engine) => {
                self.engine = engine;
                self.complain("there is no position or no player to think with")?;
                BestMove { choice: Choice::Resign, ponder: None }
            }
        };
        self.wait_until_asked(&mut orders)?;
        if orders.silent { Ok(()) } else { self.console.say(Reply::Best(answer)) }
    }

    /// The answer to `go`.
    fn choose(
        &mut self,
        line: &Line<Shogi<V>>,
        go: &Go,
        engine: &mut Engine<V>,
        orders: &mut Orders,
    ) -> io::Result<BestMove> {
        let position = line.position();
        let plain = |choice| Ok(BestMove { choice, ponder: None });
        if position.declaration() == Some(Declaration::Win) {
            return plain(Choice::Win);
        }
        let mut moves = Vec::new();
        match position.generate(&mut moves) {
            Some(Outcome::Win(side)) if side == position.turn() => return plain(Choice::Win),
            Some(_) => return plain(Choice::Resign),
            None => {}
        }
        // Where the interface plays on after a repetition, so do we: from here, without the past.
        let over = line.generate(&mut moves).is_some();
        let line = &self.limited(if over { Line::new(*position) } else { line.clone() }, go)?;
        let limits = self.limits(line, go, engine);
        let early = position.number() <= self.settings.book_moves;
        let mut chance = limits.seed.branch("book", 0).rng();
        let book = self.book.as_ref().filter(|_| early).and_then(|(_, book)| book.as_ref());
        let known = book.and_then(|book| book.choose(position.key(), &mut chance));
        if let Some(mv) = known.map(|known| known.mv).filter(|&mv| line.is_legal(mv)) {
            let words = Info::words(format!("book move {}", position.move_text(mv)));
            self.console.say(Reply::Info(Box::new(words)))?;
            return plain(Choice::Move(position.move_text(mv)));
        }
        if go.ponder && self.settings.stochastic_ponder && self.ponder_on_all(engine, orders)? {
            // The tree is kept, so the search goes on where it was.
            let sent = orders.hit.take().filter(Go::is_timed);
            let clocks = Go { ponder: false, ..sent.unwrap_or_else(|| go.clone()) };
            let now = if orders.stopped { Go { movetime: Some(0), ..Go::default() } } else { clocks };
            let verdict = self.think(line, &now, engine, orders)?;
            return self.decide(line, &verdict, engine);
        }
        let verdict = self.think(line, go, engine, orders)?;
        self.decide(line, &verdict, engine)
    }

    /// The line with no other moves to look at than those behind `searchmoves`. What is wrong with them is reported; if none is left, all are
    /// looked at.
    fn limited(&mut self, mut line: Line<Shogi<V>>, go: &Go) -> io::Result<Line<Shogi<V>>> {
        if go.searchmoves.is_empty() {
            return Ok(line);
        }
        let legal = |word: &&String| line.position().parse_move(word).ok().filter(|&mv| line.is_legal(mv));
        let wanted: Vec<ShogiMove> = go.searchmoves.iter().filter_map(|word| legal(&word)).collect();
        let wrong = go.searchmoves.iter().filter(|word| legal(word).is_none()).take(10);
        let wrong: Vec<String> = wrong.map(|word| format!("{word:.10}")).collect();
        if !wrong.is_empty() {
            self.complain(format!("searchmoves: illegal here: {}", wrong.join(" ")))?;
        }
        if !line.limit_to(&wanted) {
            self.complain("searchmoves: no legal move is left, so all are searched")?;
        }
        Ok(line)
    }

    /// Thinks about the position before the expected move until the next order. False if there is no such position.
    fn ponder_on_all(&mut self, engine: &mut Engine<V>, orders: &mut Orders) -> io::Result<bool> {
        let Some(plies) = self.position.moves.len().checked_sub(1) else { return Ok(false) };
        let Ok(before) = self.line_of(plies) else { return Ok(false) };
        if before.generate(&mut Vec::new()).is_some() {
            return Ok(false);
        }
        let control = Control::default();
        let limits = self.limits(&before, &Go::default(), engine);
        // A draw is worth to us what it will be worth when we move.
        let draw = self.draw_worth(!before.position().turn(), engine);
        let limits = Limits { simulations: None, time: None, draw, ..limits };
        let work =
            |_: Reporter| think(engine.search.as_mut(), &before, &limits, Clock::Off, &control, None, &mut |_| ());
        let heed = |console: &mut Console<W>, heard: &Heard| {
            listen(console, heard, orders, || control.stop(), |_| control.stop())
        };
        self.console.think(work, heed, || control.stop())?;
        self.wait_until_asked(orders)?;
        Ok(true)
    }

    /// Searches under the limits of `go` and reports what it believes.
    fn think(
        &mut self,
        line: &Line<Shogi<V>>,
        go: &Go,
        engine: &mut Engine<V>,
        orders: &mut Orders,
    ) -> io::Result<Verdict<<Shogi<V> as Position>::Move>> {
        let limits = self.limits(line, go, engine);
        let control = Control::default();
        let clock = match time_of(&self.settings, line, go) {
            _ if go.ponder => Clock::Pondering,
            Some(time) => Clock::Running(time),
            None => Clock::Off,
        };
        if orders.stopped {
            control.stop();
        }
        let position = line.position();
        let (scale, note) = (engine.scale, engine.note.as_str());
        let (lines, every) = (self.settings.multipv, Duration::from_millis(self.settings.pv_interval));
        let search = &mut engine.search;
        let work = |reporter: Reporter| {
            let print = |so_far: &Verdict<_>| reporter.print(report(position, so_far, scale, lines, note));
            think(search.as_mut(), line, &limits, clock, &control, Some(every), &mut at_most_every(every, print))
        };
        let settings = self.settings.clone();
        // Without any clock or limit it would never stop.
        let bounded = orders.bounded;
        let hit = |clocks: Option<&Go>| match time_of(&settings, line, clocks.unwrap_or(go)) {
            Some(time) if clock == Clock::Pondering => control.start_clock(time),
            // Without a clock to start, the answer that is asked for comes at once.
            Some(_) if clock == Clock::Off => control.stop(),
            None if !bounded => control.stop(),
            _ => {}
        };
        let heed = |console: &mut Console<W>, heard: &Heard| listen(console, heard, orders, || control.stop(), hit);
        let verdict = self.console.think(work, heed, || control.stop())?;
        if !orders.silent {
            self.console.say(report(position, &verdict, scale, lines, note))?;
        }
        Ok(verdict)
    }

    /// What to answer after thinking.
    fn decide(
        &mut self,
        line: &Line<Shogi<V>>,
        verdict: &Verdict<<Shogi<V> as Position>::Move>,
        engine: &Engine<V>,
    ) -> io::Result<BestMove> {
        let hopeless = match verdict.proof {
            Some(Proof::Loss(_)) => self.settings.resign_value < 30_000,
            Some(_) => false,
            None => engine.scale.centipawns(verdict.value) < -self.settings.resign_value,
        };
        let Some(best) = verdict.best.filter(|_| !hopeless) else {
            return Ok(BestMove { choice: Choice::Resign, ponder: None });
        };
        let words = variation(line.position(), if verdict.pv.is_empty() { &[] } else { &verdict.pv });
        let ponder = words.into_iter().nth(1).filter(|_| verdict.pv.first() == Some(&best));
        Ok(BestMove { choice: Choice::Move(line.position().move_text(best)), ponder })
    }

    /// Keeps an answer back until it is asked for.
    fn wait_until_asked(&mut self, orders: &mut Orders) -> io::Result<()> {
        if !orders.held {
            return Ok(());
        }
        // A thought that does nothing but wait, so that lines are heard as in any other.
        let (asked, wait) = channel();
        let release = || {
            // No answer is wanted any more.
            let _ = asked.send(());
        };
        let heed = |console: &mut Console<W>, heard: &Heard| {
            let fate = listen(console, heard, orders, || (), |_| ());
            if !orders.held {
                release();
            }
            fate
        };
        let work = move |_: Reporter| {
            let _ = wait.recv();
        };
        self.console.think(work, heed, release)
    }

    /// The limits that the interface, the settings and the player set together.
    fn limits(&self, line: &Line<Shogi<V>>, go: &Go, engine: &Engine<V>) -> Limits {
        let own = &engine.limits;
        let least = |a: Option<u64>, b: Option<u64>| a.into_iter().chain(b).min();
        let set = |limit: u64| (limit > 0).then_some(limit);
        let nodes = least(least(own.nodes, go.nodes), set(self.settings.nodes_limit));
        let depths = [own.depth, go.depth, set(self.settings.depth_limit.into()).map(|d| d as u32)];
        let depth = depths.into_iter().flatten().min();
        let seed = Seed::new(self.settings.seed).branch("move", line.len() as u64);
        let draw = self.draw_worth(line.position().turn(), engine);
        // The player's own budget is for play; `infinite` asks for more.
        if go.infinite {
            Limits { nodes, depth, seed, draw, ..Limits::infinite() }
        } else {
            Limits { nodes, depth, seed, draw, ..own.clone() }
        }
    }

    /// What a draw is worth to Black, in the unit of the search, when we play `side`.
    fn draw_worth(&self, side: Color, engine: &Engine<V>) -> f32 {
        let ours = engine.scale.value(self.settings.draw_value(side));
        if side == Color::Black { ours } else { 0.0 - ours }
    }

    /// Looks for a mate by checks, and answers.
    fn find_mate(&mut self, mate: Mate) -> io::Result<()> {
        let clock = Stopwatch::start();
        let Ok(line) = self.line.clone() else { return self.console.say(Reply::Checkmate(Checkmate::NoMate)) };
        let time = match mate {
            Mate::Within(ms) => Some(Duration::from_millis(ms).saturating_sub(self.settings.network_delay / 2)),
            Mate::Infinite => None,
        };
        let hash = self.settings.hash.min(1 << 16);
        let solver = self.mate.take();
        let control = Control::default();
        // A question with a short answer: scripts write it down together with `quit`.
        let mut orders = Orders { bounded: time.is_some(), owed: true, ..Orders::default() };
        let work = |_: Reporter| {
            // Only those who look for mates pay for the memory, and its time is part of the answer's.
            let mut solver = solver.unwrap_or_else(|| MateSearch::new(MateOptions { hash, ..MateOptions::default() }));
            let time = time.map(|time| time.saturating_sub(clock.elapsed()));
            let limits = Limits { time, ..Limits::infinite() };
            let found = solver.solve(&line, &limits, &mut control.stop_flag());
            (solver, found)
        };
        let heed =
            |console: &mut Console<W>, heard: &Heard| listen(console, heard, &mut orders, || control.stop(), |_| ());
        let (solver, found) = self.console.think(work, heed, || control.stop())?;
        self.mate = Some(solver);
        if orders.silent {
            return Ok(());
        }
        let time = found.elapsed.as_millis() as u64;
        let info = Info { time: Some(time), nodes: Some(found.nodes), ..Info::default() };
        self.console.say(Reply::Info(Box::new(info)))?;
        self.console.say(Reply::Checkmate(match found.mate {
            Found::Found { line: moves, .. } => Checkmate::Moves(variation(line.position(), &moves)),
            Found::None => Checkmate::NoMate,
            Found::Unknown => Checkmate::Timeout,
        }))
    }
}

/// How long a move may take, if any time is given.
fn time_of<V: Variant>(settings: &Settings, line: &Line<Shogi<V>>, go: &Go) -> Option<MoveTime> {
    let ms = Duration::from_millis;
    if let Some(time) = go.movetime {
        return Some(MoveTime { soft: ms(time), hard: ms(time) });
    }
    if go.infinite || !go.is_timed() {
        return None;
    }
    let black = line.position().turn() == Color::Black;
    let (left, increment) = if black { (go.btime, go.binc) } else { (go.wtime, go.winc) };
    let part = |time: Option<u64>| ms(time.unwrap_or(0));
    let clock = GameClock { left: part(left), byoyomi: part(go.byoyomi), increment: part(increment) };
    let shared = move_time(&clock, line.position().number().saturating_sub(1), &settings.time());
    let last = clock.left.saturating_add(clock.byoyomi).saturating_sub(settings.network_delay2);
    let hard = shared.hard.min(last);
    // A question about one of many moves is a question about its value.
    let soft = if line.only().is_empty() && only_move(line) { shared.soft.min(FORCED) } else { shared.soft };
    Some(MoveTime { soft: soft.min(hard), hard })
}

fn only_move<P: Position>(line: &Line<P>) -> bool {
    let mut moves = Vec::new();
    line.generate(&mut moves);
    moves.len() == 1
}

/// What a line means to a search that it is shown to.
fn listen<W: Write>(
    console: &mut Console<W>,
    heard: &Heard,
    orders: &mut Orders,
    stop: impl Fn(),
    hit: impl Fn(Option<&Go>),
) -> io::Result<Fate> {
    let command = match heard {
        Heard::Line(line) if line.trim().is_empty() => return Ok(Fate::Taken),
        Heard::Line(line) => line.parse::<Command>().ok(),
        Heard::TooLong => None,
        Heard::End => Some(Command::Stop),
    };
    let leaves = *heard == Heard::End || command == Some(Command::Quit);
    let fate = match command {
        Some(Command::Quit) => {
            let owed = orders.owed || orders.bounded || orders.stopped || orders.hit.is_some();
            orders.silent |= orders.held || !owed;
            orders.leave()
        }
        _ if leaves => orders.leave(),
        _ if orders.next => Fate::Kept,
        Some(Command::Stop) => {
            orders.end();
            Fate::Taken
        }
        Some(Command::PonderHit(clocks)) => {
            orders.held = false;
            orders.bounded |= clocks.is_timed();
            hit(Some(&clocks).filter(|clocks| clocks.is_timed()));
            orders.hit = Some(clocks);
            Fate::Taken
        }
        Some(Command::IsReady) if !orders.changes => {
            console.say(Reply::ReadyOk)?;
            Fate::Taken
        }
        Some(Command::Go(_)) => {
            orders.next = true;
            // A thought that ends by itself may end before the next one; others must be ended.
            if orders.bounded && !orders.held { Fate::Kept } else { orders.end() }
        }
        // These ask for something new: the old answer first.
        Some(Command::NewGame | Command::GameOver(_)) => {
            orders.next = true;
            orders.end()
        }
        Some(Command::SetOption { .. }) => {
            orders.changes = true;
            Fate::Kept
        }
        _ => Fate::Kept,
    };
    if orders.stopped {
        stop();
    }
    Ok(fate)
}
