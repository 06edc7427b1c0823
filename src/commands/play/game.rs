//! A game in progress: whose turn it is, what was played, what a typed line does.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, bail};
use yomi_core::clock::Stopwatch;
use yomi_core::{Color, Ending, Outcome, Seed};
use yomi_games::draw::{TextOptions, terminal};
use yomi_lab::clock::{Clocks, TimeControl};
use yomi_search::time::{TimeOptions, move_time};
use yomi_search::{Limits, Proof};
use yomi_session::player::HIGHEST_LEVEL;
use yomi_session::report::{Analysis, outcome_text};
use yomi_session::{Budget, Clock, Control, MarkedMoves, Player, SearchRequest, Session};

use super::clock::shown;
use super::spinner::Spinner;
use super::words::{COMMANDS, columns, judgement, wrapped};
use crate::files;

/// Who sits where, and what was agreed.
pub(super) struct Seat {
    /// The opponent, or the player that gives hints.
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
pub(super) struct Game {
    session: Box<dyn Session>,
    /// The name of the game.
    game: String,
    seat: Seat,
    limits: Limits,
    clocks: Option<Clocks>,
    /// Since when the side to move has been thinking.
    since: Stopwatch,
    /// How many moves the last saved version has.
    saved: usize,
    interrupted: Arc<AtomicBool>,
}

/// Without any budget and clock a move gets this long.
const DEFAULT_TIME: Duration = Duration::from_secs(2);
/// How many moves a hint names.
const HINTS: usize = 3;
/// The level that gives hints in games against a lower one.
const ADVISER: u8 = 8;
/// The width of lists where the terminal does not report its own.
const WIDTH: usize = 100;

impl Game {
    pub(super) fn new(
        mut session: Box<dyn Session>,
        seat: Seat,
        clock: Option<&TimeControl>,
        interrupted: &Arc<AtomicBool>,
    ) -> anyhow::Result<Game> {
        let limits = limits(&seat.player, &seat.budget, clock.is_some())?;
        session.prepare(&seat.player, true)?;
        Ok(Game {
            game: session.game(),
            limits,
            clocks: clock.map(Clocks::start),
            since: Stopwatch::start(),
            saved: session.plies(),
            session,
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
        writeln!(out, "Moves: {}. help lists the commands.\n", self.session.move_examples())?;
        Ok(())
    }

    fn turn(&self) -> Color {
        self.session.turn()
    }

    /// Makes the next move if no person has to be asked for it; false if one has.
    pub(super) fn advance(&mut self, out: &mut dyn Write) -> anyhow::Result<bool> {
        if self.session.outcome().is_some() || self.interrupted.load(Ordering::Relaxed) {
            return Ok(false);
        }
        if let Some(pass) = self.session.forced_pass().filter(|_| self.seat.is_person(self.turn())) {
            writeln!(out, "{:?} has nothing to play and passes.", self.turn())?;
            self.play(&pass, out)?;
            return Ok(true);
        }
        if self.seat.is_person(self.turn()) {
            return Ok(false);
        }
        self.answer(out)?;
        Ok(true)
    }

    /// The opponent moves.
    fn answer(&mut self, out: &mut dyn Write) -> anyhow::Result<()> {
        let turn = self.turn();
        if self.session.declared() == Some(Outcome::Win(turn)) {
            writeln!(out, "{turn:?} declares a win.")?;
            self.session.end(Ending::Declaration);
            return self.draw(out);
        }
        out.flush()?;
        let analysis = self.think()?;
        if self.interrupted.load(Ordering::Relaxed) {
            return Ok(());
        }
        let best = analysis.best.clone().context("the search found no move")?;
        let spoken = self.session.spoken(&best)?;
        let lead = analysis.moves.iter().find(|row| row.mv == best).map_or(analysis.lead, |row| row.lead);
        let judgement = in_words(analysis.value, &analysis, analysis.proof, lead);
        writeln!(out, "{turn:?} plays {spoken} and expects: {judgement}")?;
        self.play(&best, out)
    }

    /// The opponent's search, within its budget and its clock.
    fn think(&mut self) -> anyhow::Result<Analysis> {
        let plies = self.session.plies();
        let seed = Seed::new(self.seat.seed).branch("move", plies as u64);
        let mut request = SearchRequest::new(&self.seat.player, self.limits.clone().seeded(seed));
        if let Some(clocks) = &self.clocks {
            let options = TimeOptions::default().on_board_of(self.session.places());
            let share = move_time(clocks.of(self.turn()), u32::try_from(plies).unwrap_or(u32::MAX), &options);
            request.limits.time = Some(request.limits.time.map_or(share.hard, |time| time.min(share.hard)));
            request.clock = Clock::Running(share);
        }
        self.search(request)
    }

    /// A search with a spinner; Ctrl-C stops it.
    fn search(&mut self, request: SearchRequest) -> anyhow::Result<Analysis> {
        let mut spinner = Spinner::new();
        let request = SearchRequest { report_every: spinner.interval(), report_rows: 0, leads: true, ..request };
        let control = Control::stopped_by(&self.interrupted);
        Ok(self.session.search(&request, &control, &mut |event| spinner.turn(&event))?)
    }

    /// Plays a move for the side to move, on its clock.
    fn play(&mut self, text: &str, out: &mut dyn Write) -> anyhow::Result<()> {
        let turn = self.turn();
        let played = self.session.play(text)?;
        if let Some(clocks) = &mut self.clocks
            && !clocks.spend(turn, self.since.elapsed())
        {
            writeln!(out, "{turn:?} has run out of time.")?;
            // The move came too late.
            self.session.undo(1)?;
            self.session.end(Ending::TimeUp);
            return self.draw(out);
        }
        self.since = Stopwatch::start();
        self.draw(out)?;
        if let Some(note) = played.note {
            writeln!(out, "{note}")?;
        }
        Ok(())
    }

    /// The board, whose turn it is, and the clocks.
    pub(super) fn draw(&self, out: &mut dyn Write) -> anyhow::Result<()> {
        self.draw_with(&MarkedMoves::default(), out)
    }

    fn draw_with(&self, marks: &MarkedMoves, out: &mut dyn Write) -> anyhow::Result<()> {
        let picture = self.session.picture(marks)?;
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
        match self.session.outcome() {
            // Most boards say so themselves.
            None if picture.captions.iter().any(|caption| caption.contains("to move")) => {}
            None => writeln!(out, "{:?} to move", self.turn())?,
            Some(outcome) => {
                let score = self.session.score().map_or(String::new(), |score| format!(" ({score})"));
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
            "help" | "?" => writeln!(out, "Moves: {}\n{COMMANDS}", self.session.move_examples())?,
            _ if self.session.outcome().is_some() => bail!("the game is over: undo, new, save FILE or quit"),
            "hint" => self.hint(out)?,
            "moves" => {
                writeln!(out, "{}", wrapped(&self.session.legal_moves(), width()))?;
            }
            "resign" => {
                self.session.end(Ending::Resign);
                self.draw(out)?;
            }
            "declare" => {
                self.session.end(match self.session.declared() {
                    Some(Outcome::Draw) => Ending::Impasse,
                    Some(Outcome::Win(_)) => Ending::Declaration,
                    None => bail!("there is nothing to declare here"),
                });
                self.draw(out)?;
            }
            _ => self.play(text, out)?,
        }
        Ok(true)
    }

    /// What a strong player would do, with arrows on the board.
    fn hint(&mut self, out: &mut dyn Write) -> anyhow::Result<()> {
        let turn = self.turn();
        let player = match self.seat.level {
            Some(level) if level < ADVISER => Player::of_level(ADVISER, &self.game)?,
            _ => self.seat.player.clone(),
        };
        let player = player.granted(1, 64, HINTS);
        let seed = Seed::new(self.seat.seed).branch("hint", self.session.plies() as u64);
        let limits = limits(&player, &self.seat.budget, false)?.seeded(seed);
        out.flush()?;
        let analysis = self.search(SearchRequest::new(&player, limits))?;
        let best: Vec<_> = analysis.moves.iter().take(HINTS).collect();
        let most = best.iter().map(|row| row.visits).max().unwrap_or(1).max(1) as f32;
        let arrows = best.iter().map(|row| (row.mv.clone(), row.visits as f32 / most)).collect();
        self.draw_with(&MarkedMoves { arrows, ..MarkedMoves::default() }, out)?;
        for row in best {
            let spoken = self.session.spoken(&row.mv)?;
            writeln!(out, "hint: {spoken}: {} for {turn:?}", in_words(row.value, &analysis, row.proof, row.lead))?;
        }
        Ok(())
    }

    /// Back to the person's last turn, `times` times.
    fn undo(&mut self, times: usize, out: &mut dyn Write) -> anyhow::Result<()> {
        let taken_back = usize::from(self.session.ending().is_some());
        let mut keep = self.session.plies();
        for back in taken_back..times {
            let earlier = (0..keep).rev().find(|&ply| self.has_choice(ply));
            keep = earlier.with_context(|| match back - taken_back {
                0 => "there is nothing to take back".to_string(),
                1 => "there is one move to take back".to_string(),
                moves => format!("there are {moves} moves to take back"),
            })?;
        }
        self.go_back_to(keep, out)
    }

    /// Whether a person had a choice after this many moves.
    fn has_choice(&self, plies: usize) -> bool {
        let (turn, free) = self.session.choice_at(plies);
        free && self.seat.is_person(turn)
    }

    fn go_back_to(&mut self, plies: usize, out: &mut dyn Write) -> anyhow::Result<()> {
        self.session.undo(self.session.plies().saturating_sub(plies))?;
        self.saved = self.saved.min(plies);
        self.since = Stopwatch::start();
        self.draw(out)
    }

    /// Another opponent from now on.
    fn set_level(&mut self, text: &str, out: &mut dyn Write) -> anyhow::Result<()> {
        let level = count(text).ok().and_then(|level| u8::try_from(level).ok()).unwrap_or(0);
        let player = Player::of_level(level, &self.game)
            .with_context(|| format!("level needs a number from 1 to {HIGHEST_LEVEL}"))?;
        self.limits = limits(&player, &self.seat.budget, self.clocks.is_some())?;
        self.session.prepare(&player, true)?;
        self.seat = Seat { player, level: Some(level), ..self.seat };
        writeln!(out, "The opponent is {} now.", self.seat.name())?;
        Ok(())
    }

    /// Whether there are moves that no file has.
    pub(super) fn is_unsaved(&self) -> bool {
        self.session.plies() > self.saved
    }

    /// The endings of the game's record files, and their contents.
    fn endings(&self) -> anyhow::Result<Vec<(&'static str, Vec<u8>)>> {
        let name = |color| if self.seat.is_person(color) { "you".to_string() } else { self.seat.name() };
        let [black, white] = Color::BOTH.map(name);
        Ok(self.session.record([&black, &white])?)
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
        self.saved = self.session.plies();
        writeln!(out, "saved {}", path.display())?;
        Ok(())
    }
}

/// The limits of a player at the board; without any, and without a clock, a move gets two seconds.
fn limits(player: &Player, budget: &Budget, clock: bool) -> anyhow::Result<Limits> {
    let mut limits = player.limits(budget, 0)?;
    if !limits.is_bounded() && !clock {
        limits.time = Some(DEFAULT_TIME);
    }
    Ok(limits)
}

/// A value of an analysis in words.
fn in_words(value: f64, analysis: &Analysis, proof: Option<Proof>, lead: Option<f64>) -> String {
    judgement(value as f32, analysis.win as f32, proof, lead.map(|points| points as f32))
}

/// How many columns there are.
fn width() -> usize {
    terminal_size::terminal_size().map_or(WIDTH, |(columns, _)| usize::from(columns.0))
}

fn count(text: &str) -> anyhow::Result<usize> {
    text.parse().ok().filter(|&count| count > 0).with_context(|| format!("{text} is not a number from 1 up"))
}
