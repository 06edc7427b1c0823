//! Our engine as a USI program.
//!
//! Every `go` is answered by exactly one `bestmove` (or `checkmate`), in the order they came: at once where nothing can be thought about,
//! after `stop` or `ponderhit` where the interface asked to wait for it. `quit` and the end of the input end every search before them
//! within a moment; each is answered with the best move so far, except that a `go infinite` or `go ponder` that `quit` ends is not
//! answered. What cannot be understood is reported in an `info string` and otherwise ignored; a position that cannot be read makes
//! the next `go` resign instead of playing a move of another game.
//!
//! `isready` prepares for a new game, as in YaneuraOu: what earlier searches found is forgotten, memory is mapped, files are read. After
//! `readyok` the first `go` costs no more time than any other. `quit` and the end of the input break the mapping of memory off; clearing the
//! table of the game before, making a player and reading files are finished first, as what comes between `isready` and `quit` needs them.

mod book;
mod players;
mod report;
mod settings;
mod thinking;

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use yomi_core::{Line, TextError};
use yomi_games::shogi::{Shogi, ShogiMove, Variant};
use yomi_search::book::Book;
use yomi_search::mate::MateSearch;
use yomi_search::{Limits, Search};

use super::console::{Console, Heard};
use crate::usi::{Command, Info, PositionText, Reply};
pub use players::Players;
pub use report::Scale;
use settings::Effect;
pub use settings::Settings;

/// The interval of signs of life during a long preparation, an empty line as YaneuraOu's: interfaces give up on engines
/// that are silent for long.
const KEEP_ALIVE: Duration = Duration::from_secs(5);

/// A search ready to think, and what the conversation must know of it.
pub struct Engine<V: Variant> {
    /// The search.
    pub search: Box<dyn Search<Shogi<V>>>,
    /// How its values are printed.
    pub scale: Scale,
    /// What the player allows itself for a move, whatever the interface says.
    pub limits: Limits,
    /// Words for `info string`: the temperature of a search that has one. Empty, or ends in a space.
    pub note: String,
}

/// Makes engines as they are asked for, on a thread of its own.
pub trait Builder<V: Variant>: Sync {
    /// The engine that the settings describe.
    fn build(&self, settings: &Settings) -> Result<Engine<V>, TextError>;
}

/// One conversation.
pub(super) struct Server<'b, V: Variant, W> {
    console: Console<W>,
    builder: &'b dyn Builder<V>,
    settings: Settings,
    /// None until it is needed, and after a setting that changes it.
    engine: Option<Engine<V>>,
    /// The book and the name of its file, if one is wanted and was asked for; without the book if it cannot be read.
    book: Option<(String, Option<Book<ShogiMove>>)>,
    mate: Option<MateSearch<Shogi<V>>>,
    /// The position as it was sent.
    position: PositionText,
    /// The position as it was understood, or why it was not.
    line: Result<Line<Shogi<V>>, String>,
    quit: bool,
}

/// Talks until `quit` or the end of the input.
///
/// ```
/// use yomi_games::shogi::{Five, Rules};
/// use yomi_protocol::server::Console;
/// use yomi_protocol::server::usi::{Players, Settings, serve};
///
/// let settings = Settings { extra: Players::options(9), ..Settings::new::<Five>("alpha-beta(hash=1)", Rules::default()) };
/// let (input, mut out) = ("usi\nisready\nquit\n", Vec::new());
/// serve::<Five, _>(Console::new(input.as_bytes(), &mut out), settings, &Players)?;
/// let answers = String::from_utf8(out)?;
/// assert!(answers.contains("usiok") && answers.ends_with("readyok\n"), "{answers}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn serve<V: Variant, W: Write>(
    console: Console<W>,
    settings: Settings,
    builder: &dyn Builder<V>,
) -> io::Result<()> {
    let mut server = Server {
        console,
        builder,
        settings,
        engine: None,
        book: None,
        mate: None,
        position: PositionText::default(),
        line: Err(String::new()),
        quit: false,
    };
    server.read_position();
    while !server.quit {
        match server.console.hear() {
            Heard::Line(line) if line.trim().is_empty() => {}
            Heard::Line(line) => match line.parse::<Command>() {
                Ok(command) => server.obey(command)?,
                Err(error) => server.complain(error.message)?,
            },
            Heard::TooLong => server.complain("a line was too long and is ignored")?,
            Heard::End => return Ok(()),
        }
    }
    Ok(())
}

impl<V: Variant, W: Write> Server<'_, V, W> {
    fn obey(&mut self, command: Command) -> io::Result<()> {
        match command {
            Command::Usi => self.introduce(),
            Command::IsReady => {
                self.prepare()?;
                self.console.say(Reply::ReadyOk)
            }
            Command::SetOption { name, value } => self.set(&name, value.as_deref()),
            Command::NewGame => {
                if let Some(engine) = &mut self.engine {
                    engine.search.new_game();
                }
                Ok(())
            }
            Command::Position(position) => {
                self.position = position;
                self.read_position();
                match &self.line {
                    Ok(_) => Ok(()),
                    Err(error) => self.complain(error.clone()),
                }
            }
            Command::Go(go) => self.go(&go),
            // Nothing is being thought about, so there is nothing to answer.
            Command::Stop | Command::PonderHit(_) | Command::GameOver(_) => Ok(()),
            Command::Quit => {
                self.quit = true;
                Ok(())
            }
        }
    }

    fn introduce(&mut self) -> io::Result<()> {
        self.console.say(Reply::Name(format!("Yomi {}", env!("CARGO_PKG_VERSION"))))?;
        self.console.say(Reply::Author("the Yomi authors".to_string()))?;
        for option in self.settings.options::<V>() {
            self.console.say(Reply::Option(option))?;
        }
        self.console.say(Reply::UsiOk)
    }

    fn set(&mut self, name: &str, value: Option<&str>) -> io::Result<()> {
        let (value, remark) = self.settings.possible(name, value);
        if let Some(remark) = remark {
            self.remark(remark)?;
        }
        let before = self.settings.clone();
        match self.settings.set::<V>(name, value.as_deref()) {
            Ok(Effect::None) => Ok(()),
            Ok(Effect::Rules) => {
                self.read_position();
                Ok(())
            }
            Ok(Effect::Search) => {
                self.engine = None;
                Ok(())
            }
            Ok(Effect::Player) if self.settings == before => Ok(()),
            Ok(Effect::Player) => self.set_player(name, before),
            Err(objection) => self.complain(objection),
        }
    }

    /// Makes the player that the settings ask for now. If that fails, the settings `before` come back.
    fn set_player(&mut self, name: &str, before: Settings) -> io::Result<()> {
        let Server { console, builder, settings, .. } = self;
        let error = match console.work(|| builder.build(settings), KEEP_ALIVE, || ())? {
            Ok(engine) => {
                self.engine = Some(engine);
                return Ok(());
            }
            Err(error) => error,
        };
        self.settings = before;
        // Where in the player it is wrong helps a person who typed one; the line and the caret below that make no sense here.
        let where_too = error.to_string();
        let typed = name.eq_ignore_ascii_case("Player");
        let why = if typed { where_too.lines().next().unwrap_or_default() } else { error.message.as_str() };
        self.complain(format!("{name} is not changed, and the player is still {}: {why}", self.settings.player))
    }

    /// Makes everything ready for a new game.
    fn prepare(&mut self) -> io::Result<()> {
        self.build()?;
        let Server { console, engine, line, .. } = self;
        let Some(engine) = engine else { return Ok(()) };
        let start = line.clone().unwrap_or_else(|_| Line::new(Shogi::default()));
        let stop = AtomicBool::new(false);
        let prepare = || {
            engine.search.new_game();
            engine.search.prepare(&start, &stop);
        };
        // Relaxed: the flag carries no data.
        console.work(prepare, KEEP_ALIVE, || stop.store(true, Ordering::Relaxed))
    }

    /// Makes the engine that is asked for, unless there is one, and reads the book. What cannot be made is reported; the next `go` then resigns.
    fn build(&mut self) -> io::Result<()> {
        if self.engine.is_none() {
            let Server { console, builder, settings, .. } = self;
            match console.work(|| builder.build(settings), KEEP_ALIVE, || ())? {
                Ok(engine) => self.engine = Some(engine),
                Err(error) => self.complain(error.to_string())?,
            }
        }
        let wanted = self.settings.book().map(str::to_string);
        if self.book.as_ref().map(|(name, _)| name) == wanted.as_ref() {
            return Ok(());
        }
        let Some(name) = wanted else {
            self.book = None;
            return Ok(());
        };
        let book = match self.console.work(|| book::load::<V>(&name), KEEP_ALIVE, || ())? {
            Ok(book) => Some(book),
            Err(error) => {
                self.complain(error.to_string())?;
                None
            }
        };
        // A book that cannot be read is not tried again before every move.
        self.book = Some((name, book));
        Ok(())
    }

    fn read_position(&mut self) {
        self.line = self.line_of(self.position.moves.len()).map_err(|error| error.message);
    }

    /// The line of the first `plies` moves of the position that was sent.
    fn line_of(&self, plies: usize) -> Result<Line<Shogi<V>>, TextError> {
        let plies = plies.min(self.position.moves.len());
        let text = PositionText { sfen: self.position.sfen.clone(), moves: self.position.moves[..plies].to_vec() };
        let start = Shogi::<V>::from_sfen_with("startpos", self.settings.rules)?;
        start.parse_line(&text.to_string())
    }

    /// Reports in one line what is wrong.
    fn complain(&mut self, message: impl Into<String>) -> io::Result<()> {
        let message: String = message.into();
        self.remark(format!("error: {message}"))
    }

    /// Prints a remark for people, in one line.
    fn remark(&mut self, message: String) -> io::Result<()> {
        let words: Vec<&str> = message.split_whitespace().take(60).collect();
        self.console.say(Reply::Info(Box::new(Info::words(words.join(" ")))))
    }
}
