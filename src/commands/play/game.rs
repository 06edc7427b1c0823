//! A game in progress: whose turn it is, what was played, what a typed line does.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, bail};
use yomi_core::clock::Stopwatch;
use yomi_core::record::ROOT;
use yomi_core::{Color, Ending, Line, Outcome, Record, Seed};
use yomi_games::draw::{Marks, TextOptions, terminal};
use yomi_lab::arena::Staged;
use yomi_lab::clock::{Clocks, TimeControl};
use yomi_search::time::{Paced, TimeOptions, budget};

use super::clock::shown;
use super::speech::Speech;
use super::spinner::Spinner;
use super::thinker::{Thinker, Thought};
use super::words::{COMMANDS, columns, wrapped};
use crate::commands::show::outcome_text;
use crate::files;
use crate::players::{Budget, HIGHEST_LEVEL, Playable, Player};

/// Who sits where, and what was agreed.
pub(super) struct Seat {
    /// The opponent, or whoever gives hints.
    pub(super) player: Player,
    /// Its level, if it was chosen by one.
    pub(super) level: Option<u8>,
    /// What it may spend where it says nothing itself.
    pub(super) budget: Budget,
    pub(super) seed: u64,
    /// The side of the person; none if people play both.
    pub(super) person: Option<Color>,
    pub(super) ascii: bool,
}

impl Seat {
    fn is_person(&self, color: Color) -> bool {
        self.person.is_none_or(|person| person == color)
    }

    /// What the opponent is called.
    fn name(&self) -> String {
        self.level.map_or_else(|| self.player.without_budget(), |level| format!("level {level}"))
    }
}

/// A game in progress.
pub(super) struct Game<P: Playable + Staged + Speech> {
    /// The name of the game.
    game: String,
    seat: Seat,
    start: P,
    line: Line<P>,
    moves: Vec<P::Move>,
    opponent: Thinker<P>,
    /// Gives hints: built when the first is asked for.
    adviser: Option<Thinker<P>>,
    clocks: Option<Clocks>,
    /// Since when the side to move has been thinking.
    since: Stopwatch,
    /// How it ended, if somebody ended it.
    ended: Option<Ending>,
    /// How many moves the last saved version has.
    saved: usize,
    interrupted: Arc<AtomicBool>,
}

/// How many moves a hint names.
const HINTS: usize = 3;
/// The level that gives hints to whoever plays against a lower one.
const ADVISER: u8 = 8;
/// Where the terminal does not tell, lists are this wide.
const WIDTH: usize = 100;

impl<P: Playable + Staged + Speech> Game<P> {
    pub(super) fn new(
        game: String,
        seat: Seat,
        start: P,
        line: Line<P>,
        moves: Vec<P::Move>,
        clock: Option<&TimeControl>,
        interrupted: &Arc<AtomicBool>,
    ) -> anyhow::Result<Game<P>> {
        let opponent = Thinker::new(&seat.player, &seat.budget, clock.is_some())?;
        Ok(Game {
            game,
            start,
            line,
            opponent,
            adviser: None,
            clocks: clock.map(Clocks::start),
            since: Stopwatch::start(),
            ended: None,
            saved: moves.len(),
            moves,
            seat,
            interrupted: Arc::clone(interrupted),
        })
    }

    /// Who plays whom, and what may be typed.
    pub(super) fn greet(&self, out: &mut dyn Write) -> anyhow::Result<()> {
        let (name, seed) = (self.seat.name(), self.seat.seed);
        match self.seat.person {
            Some(color) => writeln!(out, "{}: you play {color:?} against {name} (--seed {seed}).", self.game)?,
            None => writeln!(out, "{}: you play both sides; hints come from {name} (--seed {seed}).", self.game)?,
        }
        writeln!(out, "Moves: {}. help lists the commands.\n", P::EXAMPLES)?;
        Ok(())
    }

    /// How the game has ended, by the rules or by somebody's will.
    fn outcome(&self) -> Option<Outcome> {
        let by_will = self.ended.and_then(|ending| ending.outcome(self.line.position().turn()));
        by_will.or_else(|| self.line.generate(&mut Vec::new()))
    }

    fn turn(&self) -> Color {
        self.line.position().turn()
    }

    /// Makes the next move if no person has to be asked for it; false if one has.
    pub(super) fn advance(&mut self, out: &mut dyn Write) -> anyhow::Result<bool> {
        if self.outcome().is_some() || self.interrupted.load(Ordering::Relaxed) {
            return Ok(false);
        }
        if let Some(pass) = self.forced_pass().filter(|_| self.seat.is_person(self.turn())) {
            writeln!(out, "{:?} has nothing to play and passes.", self.turn())?;
            self.play(pass, out)?;
            return Ok(true);
        }
        if self.seat.is_person(self.turn()) {
            return Ok(false);
        }
        self.answer(out)?;
        Ok(true)
    }

    /// The pass, where it is the only legal move.
    fn forced_pass(&self) -> Option<P::Move> {
        let mut legal = Vec::new();
        self.line.generate(&mut legal);
        legal.first().copied().filter(|&mv| legal.len() == 1 && P::is_pass(mv))
    }

    /// The opponent moves.
    fn answer(&mut self, out: &mut dyn Write) -> anyhow::Result<()> {
        let turn = self.turn();
        if self.line.position().declared() == Some(Outcome::Win(turn)) {
            writeln!(out, "{turn:?} declares a win.")?;
            self.ended = Some(Ending::Declaration);
            return self.draw(out);
        }
        out.flush()?;
        let thought = self.think();
        if self.interrupted.load(Ordering::Relaxed) {
            return Ok(());
        }
        let verdict = &thought.verdict;
        let mv = verdict.best.context("the search found no move")?;
        let spoken = self.line.position().spoken(mv, self.moves.last().copied());
        let judgement = thought.judgement(&mv, verdict.value, verdict.proof);
        writeln!(out, "{turn:?} plays {spoken} and expects: {judgement}")?;
        self.play(mv, out)
    }

    /// The opponent's search, within its budget and its clock.
    fn think(&mut self) -> Thought<P> {
        let seed = Seed::new(self.seat.seed).branch("move", self.moves.len() as u64);
        let mut limits = self.opponent.limits.clone().seeded(seed);
        let mut spinner = Spinner::new(&self.interrupted);
        let Some(clocks) = &self.clocks else { return self.opponent.think(&self.line, &limits, &mut spinner) };
        let options = TimeOptions::default().on_board_of(self.line.position().places());
        let ply = u32::try_from(self.line.len()).unwrap_or(u32::MAX);
        let share = budget(clocks.of(self.line.position().turn()), ply, &options);
        limits.time = Some(limits.time.map_or(share.hard, |time| time.min(share.hard)));
        self.opponent.think(&self.line, &limits, &mut Paced::new(share, &mut spinner))
    }

    /// Plays a move for the side to move, on its clock.
    fn play(&mut self, mv: P::Move, out: &mut dyn Write) -> anyhow::Result<()> {
        let turn = self.turn();
        if let Some(clocks) = &mut self.clocks
            && !clocks.spend(turn, self.since.elapsed())
        {
            writeln!(out, "{turn:?} has run out of time.")?;
            self.ended = Some(Ending::TimeUp);
            return self.draw(out);
        }
        self.line.play(mv);
        self.moves.push(mv);
        self.opponent.search.played(mv);
        self.since = Stopwatch::start();
        self.draw(out)?;
        if P::is_pass(mv) {
            writeln!(out, "{}", self.line.position().pass_note())?;
        }
        Ok(())
    }

    /// The board, whose turn it is, and the clocks.
    pub(super) fn draw(&self, out: &mut dyn Write) -> anyhow::Result<()> {
        self.draw_with(&Marks::new(), out)
    }

    fn draw_with(&self, marks: &Marks<P::Move>, out: &mut dyn Write) -> anyhow::Result<()> {
        let position = self.line.position();
        let marks = Marks { last: self.moves.last().copied(), ..marks.clone() };
        let picture = position.picture(&marks);
        let picture = if self.seat.person == Some(Color::White) { picture.turned() } else { picture };
        let color = std::io::stdout().is_terminal();
        let wide = TextOptions { ascii: self.seat.ascii, ..TextOptions::default() };
        let narrow = TextOptions { ascii: true, ..wide.clone() };
        let bare = TextOptions { coordinates: false, ..narrow.clone() };
        let board_only = TextOptions { trays: true, captions: false, ..bare.clone() };
        // The first that fits; colours take no room.
        let fits = |options: &TextOptions| terminal(&picture, options).lines().all(|line| columns(line) <= width());
        let options = [wide, narrow, bare].into_iter().find(fits).unwrap_or(board_only);
        writeln!(out, "{}", terminal(&picture, &TextOptions { color, ..options }).trim_end())?;
        if let Some(clocks) = &self.clocks {
            writeln!(out, "Clocks: {}", shown(clocks))?;
        }
        match self.outcome() {
            // Most boards say so themselves.
            None if picture.captions.iter().any(|caption| caption.contains("to move")) => {}
            None => writeln!(out, "{:?} to move", position.turn())?,
            Some(outcome) => {
                let score = position.score_text().map_or(String::new(), |score| format!(" ({score})"));
                writeln!(out, "game over: {}{score}; undo, new, save FILE or quit", outcome_text(outcome))?;
            }
        }
        Ok(())
    }

    /// Does what a typed line says; false means leave.
    pub(super) fn obey(&mut self, text: &str, out: &mut dyn Write) -> anyhow::Result<bool> {
        let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let rest = rest.trim();
        match word {
            "" => {}
            "quit" | "exit" => return Ok(false),
            "board" => self.draw(out)?,
            "undo" => self.undo(if rest.is_empty() { 1 } else { count(rest)? }, out)?,
            "new" => self.go_back_to(0, out)?,
            "save" if rest.is_empty() => bail!("save needs a file: save game.{}", self.endings()?[0].0),
            "save" => self.save(Path::new(rest), out)?,
            "level" => self.set_level(rest, out)?,
            "help" | "?" => writeln!(out, "Moves: {}\n{COMMANDS}", P::EXAMPLES)?,
            _ if self.outcome().is_some() => bail!("the game is over: undo, new, save FILE or quit"),
            "hint" => self.hint(out)?,
            "moves" => {
                let mut legal = Vec::new();
                self.line.generate(&mut legal);
                let words: Vec<String> = legal.iter().map(|&mv| self.line.position().move_text(mv)).collect();
                writeln!(out, "{}", wrapped(&words, width()))?;
            }
            "resign" => {
                self.ended = Some(Ending::Resign);
                self.draw(out)?;
            }
            "declare" => {
                self.ended = Some(match self.line.position().declared() {
                    Some(Outcome::Draw) => Ending::Impasse,
                    Some(Outcome::Win(_)) => Ending::Declaration,
                    None => bail!("there is nothing to declare here"),
                });
                self.draw(out)?;
            }
            _ => {
                let mv = self.line.position().understand(text, self.moves.last().copied())?;
                if !self.line.is_legal(mv) {
                    bail!("{text} is forbidden by what was played before (repetition or superko)");
                }
                self.play(mv, out)?;
            }
        }
        Ok(true)
    }

    /// What a strong player would do, with arrows on the board.
    fn hint(&mut self, out: &mut dyn Write) -> anyhow::Result<()> {
        let turn = self.turn();
        if self.adviser.is_none() {
            let player = match self.seat.level {
                Some(level) if level < ADVISER => Player::of_level(ADVISER, &self.game)?,
                _ => self.seat.player.clone(),
            };
            self.adviser = Some(Thinker::new(&player.granted(1, 64, HINTS), &self.seat.budget, false)?);
        }
        let Some(adviser) = &mut self.adviser else { return Ok(()) };
        let seed = Seed::new(self.seat.seed).branch("hint", self.moves.len() as u64);
        out.flush()?;
        let limits = adviser.limits.clone().seeded(seed);
        let thought = adviser.think(&self.line, &limits, &mut Spinner::new(&self.interrupted));
        let best: Vec<_> = thought.verdict.moves.iter().take(HINTS).collect();
        let most = best.iter().map(|row| row.visits).max().unwrap_or(1).max(1) as f32;
        let marks = best.iter().fold(Marks::new(), |marks, row| marks.arrow(row.mv, row.visits as f32 / most, ""));
        self.draw_with(&marks, out)?;
        for row in best {
            let spoken = self.line.position().spoken(row.mv, self.moves.last().copied());
            writeln!(out, "hint: {spoken}: {} for {turn:?}", thought.judgement(&row.mv, row.value, row.proof))?;
        }
        Ok(())
    }

    /// Back to the person's last turn, `times` times.
    fn undo(&mut self, times: usize, out: &mut dyn Write) -> anyhow::Result<()> {
        let taken_back = usize::from(self.ended.take().is_some());
        let mut keep = self.moves.len();
        for _ in taken_back..times {
            keep = (0..keep).rev().find(|&ply| self.has_choice(ply)).context("there is nothing to take back")?;
        }
        self.go_back_to(keep, out)
    }

    /// Whether a person had a choice after so many moves.
    fn has_choice(&self, plies: usize) -> bool {
        let line = self.line_of(plies);
        let mut legal = Vec::new();
        line.generate(&mut legal);
        let free = legal.len() > 1 || legal.first().is_some_and(|&mv| !P::is_pass(mv));
        free && self.seat.is_person(line.position().turn())
    }

    /// The line of the first moves.
    fn line_of(&self, plies: usize) -> Line<P> {
        let mut line = Line::new(self.start.clone());
        self.moves[..plies].iter().for_each(|&mv| line.play(mv));
        line
    }

    fn go_back_to(&mut self, plies: usize, out: &mut dyn Write) -> anyhow::Result<()> {
        self.line = self.line_of(plies);
        self.moves.truncate(plies);
        self.saved = self.saved.min(plies);
        self.ended = None;
        self.opponent.search.new_game();
        self.since = Stopwatch::start();
        self.draw(out)
    }

    /// Another opponent from now on.
    fn set_level(&mut self, text: &str, out: &mut dyn Write) -> anyhow::Result<()> {
        let level = count(text).ok().and_then(|level| u8::try_from(level).ok()).unwrap_or(0);
        let player = Player::of_level(level, &self.game)
            .with_context(|| format!("level needs a number from 1 to {HIGHEST_LEVEL}"))?;
        self.opponent = Thinker::new(&player, &self.seat.budget, self.clocks.is_some())?;
        self.seat = Seat { player, level: Some(level), budget: self.seat.budget.clone(), ..self.seat };
        self.adviser = None;
        writeln!(out, "The opponent is {} now.", self.seat.name())?;
        Ok(())
    }

    /// Whether there are moves that no file has.
    pub(super) fn is_unsaved(&self) -> bool {
        self.moves.len() > self.saved
    }

    /// The endings of the game's record files, and their contents.
    fn endings(&self) -> anyhow::Result<Vec<(&'static str, Vec<u8>)>> {
        let mut record = Record::new(self.start.clone());
        let name = |color| if self.seat.is_person(color) { "you".to_string() } else { self.seat.name() };
        let names = P::PLAYER_KEYS.into_iter().zip(Color::BOTH);
        record.headers = names.map(|(key, color)| (key.to_string(), name(color))).collect();
        let node = self.moves.iter().fold(ROOT, |node, &mv| record.add(node, Some(mv)));
        let by_rule = self.line.generate(&mut Vec::new()).map(|outcome| P::ending(&self.line, outcome));
        if let Some(ending) = self.ended.or(by_rule) {
            let end = record.add(node, None);
            record.nodes[end].ending = Some(ending);
        }
        Ok(P::write_record(&record)?)
    }

    /// A name in this directory that no file has yet: `yomi-shogi-1.kifu`.
    pub(super) fn free_name(&self) -> anyhow::Result<PathBuf> {
        let ending = self.endings()?[0].0;
        let name = |number: u32| PathBuf::from(format!("yomi-{}-{number}.{ending}", self.game));
        Ok((1..).map(name).find(|path| !path.exists()).unwrap_or_else(|| name(0)))
    }

    pub(super) fn save(&mut self, path: &Path, out: &mut dyn Write) -> anyhow::Result<()> {
        let files = self.endings()?;
        let asked = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        let Some((_, bytes)) = files.iter().find(|(ending, _)| *ending == asked) else {
            let endings: Vec<&str> = files.iter().map(|(ending, _)| *ending).collect();
            bail!("{} cannot be saved: the file ends in one of {}", path.display(), endings.join(", "));
        };
        files::write(path, bytes, out)?;
        self.saved = self.moves.len();
        writeln!(out, "saved {}", path.display())?;
        Ok(())
    }
}

/// How many columns there are.
fn width() -> usize {
    terminal_size::terminal_size().map_or(WIDTH, |(columns, _)| usize::from(columns.0))
}

fn count(text: &str) -> anyhow::Result<usize> {
    text.parse().ok().filter(|&count| count > 0).with_context(|| format!("{text} is not a number from 1 up"))
}
