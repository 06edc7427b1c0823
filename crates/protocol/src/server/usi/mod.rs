//! Our engine as a USI program.
//!
//! Every `go` is answered by exactly one `bestmove` (or `checkmate`): at once where nothing can be thought about, after `stop` or
//! `ponderhit` where the interface asked to wait for it. What cannot be understood is told in an `info string` and otherwise ignored;
//! a position that cannot be read makes the next `go` resign instead of playing a move of another game.

mod book;
mod report;
mod settings;
mod thinking;

use std::io::{self, Write};
use std::time::Duration;

use yomi_core::{Line, TextError};
use yomi_games::shogi::{Shogi, ShogiMove, Variant};
use yomi_search::book::Book;
use yomi_search::mate::MateSearch;
use yomi_search::{Limits, Search};

use super::console::{Console, Heard};
use crate::usi::{Command, Info, PositionText, Reply};
pub use report::Scale;
use settings::Effect;
pub use settings::Settings;

/// How often somebody who waits for a long preparation gets a sign of life, an empty line as YaneuraOu's: interfaces give up on engines
/// that are silent for long.
const KEEP_ALIVE: Duration = Duration::from_secs(5);

/// A search ready to think, and what the conversation must know of it.
pub struct Engine<V: Variant> {
    /// The search.
    pub search: Box<dyn Search<Shogi<V>>>,
    /// How its values are told.
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
    /// None if there is none, or it is not wanted, or not yet.
    book: Option<Book<ShogiMove>>,
    mate: Option<MateSearch<Shogi<V>>>,
    /// The position as it was told.
    told: PositionText,
    /// The position as it was understood, or why it was not.
    line: Result<Line<Shogi<V>>, String>,
    quit: bool,
}

/// Talks until `quit` or the end of the input.
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
        told: PositionText::default(),
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
            Command::Position(told) => {
                self.told = told;
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
        match self.settings.set::<V>(name, value) {
            Ok(Effect::None) => Ok(()),
            Ok(Effect::Rules) => {
                self.read_position();
                Ok(())
            }
            Ok(Effect::Search) => {
                self.engine = None;
                Ok(())
            }
            Err(objection) => self.complain(objection),
        }
    }

    /// Makes the engine that is asked for, unless there is one. What cannot be made is told; the next `go` then resigns.
    fn prepare(&mut self) -> io::Result<()> {
        if self.engine.is_some() {
            return Ok(());
        }
        let Server { console, builder, settings, .. } = self;
        let Settings { own_book, book_file, .. } = &*settings;
        let wanted = *own_book && !book_file.is_empty() && book_file != "no_book";
        let prepare = || (builder.build(settings), wanted.then(|| book::load::<V>(book_file)).transpose());
        let (engine, book) = console.work(prepare, KEEP_ALIVE)?;
        match engine {
            Ok(engine) => self.engine = Some(engine),
            Err(error) => self.complain(error.to_string())?,
        }
        match book {
            Ok(book) => self.book = book,
            Err(error) => {
                self.book = None;
                self.complain(error.to_string())?;
            }
        }
        Ok(())
    }

    fn read_position(&mut self) {
        self.line = self.line_of(self.told.moves.len()).map_err(|error| error.message);
    }

    /// The line of the first `plies` moves of the position that was told.
    fn line_of(&self, plies: usize) -> Result<Line<Shogi<V>>, TextError> {
        let plies = plies.min(self.told.moves.len());
        let text = PositionText { sfen: self.told.sfen.clone(), moves: self.told.moves[..plies].to_vec() };
        let start = Shogi::<V>::from_sfen_with("startpos", self.settings.rules)?;
        start.parse_line(&text.to_string())
    }

    /// Tells in one line what is wrong.
    fn complain(&mut self, message: impl Into<String>) -> io::Result<()> {
        let message: String = message.into();
        let words: Vec<&str> = message.split_whitespace().take(60).collect();
        self.console.say(Reply::Info(Box::new(Info::words(format!("error: {}", words.join(" "))))))
    }
}
