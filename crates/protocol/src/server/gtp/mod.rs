//! Our engine as a GTP program: Go, and Blokus Duo in Pentobi's dialect.
//!
//! One command at a time, each with one answer, in the order they came. A controller may send the next lines early; they wait, except that
//! `# interrupt` ends the search before it and any line ends a live analysis. `quit` and the end of the input end every search before
//! them within a moment, and each is answered with the best move so far. The size of the board is chosen at run time, although each range of sizes is a type: the
//! game lies on a `Table`, and another size means another table.

mod analysis;
mod blokus;
mod clock;
mod desk;
mod go;
mod maps;
mod players;
mod seki;

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use yomi_core::file::read_file;
use yomi_core::{Position, Seed, Spec, TextError};
use yomi_games::blokus::BlokusDuo;
use yomi_games::go::{Go9, Go13, Go19, size_of_name};
use yomi_search::{Limits, Search};

use self::clock::Clocks;
pub use self::players::Players;
use super::console::{Console, Heard};
use super::forecast::Forecaster;
use crate::gtp::{Command, Response};

/// A search ready to think, and what the conversation must know of it.
pub struct Engine<P: Position> {
    /// The search.
    pub search: Box<dyn Search<P>>,
    /// What a won game is worth to it.
    pub win: f32,
    /// The player's own limits per move, whatever the clocks say.
    pub limits: Limits,
    /// Forecasts the final score, in games that are counted.
    pub forecaster: Option<Arc<dyn Forecaster<P>>>,
}

/// Makes engines for the boards that are asked for.
pub trait Builder {
    /// A player on small boards.
    fn go9(&self) -> Result<Engine<Go9>, TextError>;
    /// A player on middling boards.
    fn go13(&self) -> Result<Engine<Go13>, TextError>;
    /// A player on large boards.
    fn go19(&self) -> Result<Engine<Go19>, TextError>;
    /// A player of Blokus Duo.
    fn blokus(&self) -> Result<Engine<BlokusDuo>, TextError>;

    /// From now on engines have this strength, where there are levels of strength.
    fn set_level(&self, level: u8) -> Result<(), TextError> {
        let _ = level;
        Err(TextError::new("this engine has no levels"))
    }
}

/// How to behave in a game.
pub struct GtpOptions {
    /// The seed of all random numbers.
    pub seed: Seed,
    /// Give up when the chance of winning is smaller; 0 for never.
    pub resign_below: f32,
    /// Raised by `gogui-sigint`: from then on an interrupt signal is to end a thought ([`Console::interrupter`]) and not the program.
    pub interruptible: Arc<AtomicBool>,
    clocks: Clocks,
}

impl GtpOptions {
    /// The defaults.
    pub fn new(seed: Seed, resign_below: f32) -> GtpOptions {
        GtpOptions { seed, resign_below, interruptible: Arc::default(), clocks: Clocks::default() }
    }

    /// The same with moves that lose at most so much time between the controller and us.
    pub fn with_delay(self, delay: Option<Duration>) -> GtpOptions {
        GtpOptions { clocks: Clocks::new(delay), ..self }
    }
}

/// What comes of a command.
enum Answer {
    /// An answer to be printed.
    Text(Result<String, TextError>),
    /// Everything was printed as it came.
    Printed,
    /// There is no such command.
    Unknown,
}

impl From<Result<String, TextError>> for Answer {
    fn from(result: Result<String, TextError>) -> Answer {
        Answer::Text(result)
    }
}

/// A game of any type.
trait Table<W> {
    /// The commands it understands.
    fn commands(&self) -> &'static [&'static str];
    /// Does what is asked.
    fn obey(&mut self, command: &Command, console: &mut Console<W>, options: &mut GtpOptions) -> io::Result<Answer>;
    /// Takes a game of `text` up to before move `until`.
    fn load(&mut self, text: &[u8], until: Option<usize>) -> Result<(), TextError>;
    /// The same game with another engine, as the builder makes it now.
    fn reseat(&mut self, builder: &dyn Builder) -> Result<(), TextError>;
    /// The rules in force, for a board of another size.
    fn rules(&self) -> Option<yomi_games::go::Rules>;
}

/// Understood whatever the game is.
const COMMANDS: &[&str] = &[
    "protocol_version",
    "name",
    "version",
    "known_command",
    "list_commands",
    "quit",
    "echo",
    "cputime",
    "level",
    "loadsgf",
    "set_random_seed",
    "time_settings",
    "kgs-time_settings",
    "kata-time_settings",
    "kata-list_time_settings",
    "time_left",
    "kgs-chat",
    "kgs-game_over",
    "cgos-gameover",
    "cgos-opponent_name",
    "cgos-opponent_rating",
    "gogui-interrupt",
    "gogui-sigint",
    "gogui-title",
    "gogui-version",
    "clear_cache",
];

/// Understood where the board may have another size.
const SIZES: &[&str] = &["boardsize", "rectangular_boardsize"];

/// No record is larger.
const LARGEST_FILE: u64 = 64 << 20;

/// Talks about `game` until `quit` or the end of the input.
///
/// ```
/// use yomi_core::Seed;
/// use yomi_protocol::server::Console;
/// use yomi_protocol::server::gtp::{GtpOptions, Players, serve};
///
/// let players = Players {
///     player: Some("prior-rave sims=20".parse()?),
///     level: None,
///     budget: Default::default(),
///     level_in_force: Default::default(),
/// };
/// let (input, mut out) = ("1 play black c3\n2 genmove white\n3 quit\n", Vec::new());
/// let console = Console::new(input.as_bytes(), &mut out);
/// serve(console, &"go5".parse()?, &players, GtpOptions::new(Seed::new(1), 0.0))??;
/// let answers = String::from_utf8(out)?;
/// assert!(answers.starts_with("=1") && answers.contains("\n=2 ") && answers.contains("\n=3"), "{answers}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn serve<B: Builder, W: Write>(
    console: Console<W>,
    game: &Spec,
    builder: &B,
    options: GtpOptions,
) -> Result<io::Result<()>, TextError> {
    let table: Box<dyn Table<W>> = if game.name == BlokusDuo::NAME {
        Box::new(blokus::BlokusTable::new(game, builder.blokus()?)?)
    } else {
        let size = size_of_name(&game.name);
        go::open_game(builder, size.ok_or_else(|| game.error("GTP is spoken about Go and Blokus Duo"))?, game)?
    };
    let mut server = Server { console, builder, table, options };
    Ok(server.talk())
}

struct Server<'b, B, W> {
    console: Console<W>,
    builder: &'b B,
    table: Box<dyn Table<W>>,
    options: GtpOptions,
}

impl<B: Builder, W: Write> Server<'_, B, W> {
    fn talk(&mut self) -> io::Result<()> {
        loop {
            let line = match self.console.hear() {
                Heard::Line(line) => line,
                Heard::TooLong => {
                    self.answer(None, Err(TextError::new("this line is too long")))?;
                    continue;
                }
                Heard::End => return Ok(()),
            };
            match Command::parse(&line) {
                Ok(None) => {}
                Ok(Some(command)) => {
                    match self.obey(&command)? {
                        Answer::Text(result) => self.answer(command.id, result)?,
                        Answer::Printed => {}
                        Answer::Unknown => self.answer(command.id, Err(TextError::new("unknown command")))?,
                    }
                    if command.name == "quit" {
                        return Ok(());
                    }
                }
                Err(error) => self.answer(None, Err(error))?,
            }
        }
    }

    fn answer(&mut self, id: Option<u32>, result: Result<String, TextError>) -> io::Result<()> {
        let result = result.map_err(|error| error.message.split_whitespace().collect::<Vec<_>>().join(" "));
        self.console.print(Response { id, result })
    }

    fn known(&self) -> Vec<&'static str> {
        let sizes: &[&str] = if self.table.rules().is_some() { SIZES } else { &[] };
        let mut names: Vec<&str> = [COMMANDS, sizes, self.table.commands()].concat();
        names.sort_unstable();
        names.dedup();
        names
    }

    fn obey(&mut self, command: &Command) -> io::Result<Answer> {
        let said = |text: &str| Answer::Text(Ok(text.to_string()));
        let done = |result: Result<(), TextError>| Answer::Text(result.map(|()| String::new()));
        Ok(match command.name.as_str() {
            "protocol_version" => said("2"),
            "name" => said("Yomi"),
            "version" => said(env!("CARGO_PKG_VERSION")),
            "known_command" => {
                let known = command.args.first().is_some_and(|name| self.known().contains(&name.as_str()));
                said(if known { "true" } else { "false" })
            }
            "list_commands" => said(&format!("\n{}", self.known().join("\n"))),
            "echo" => said(&command.args.join(" ")),
            "cputime" => {
                let time = yomi_core::clock::process_cpu();
                let time = time.ok_or_else(|| TextError::new("this system does not report it"));
                Answer::Text(time.map(|time| format!("{:.2}", time.as_secs_f64())))
            }
            "set_random_seed" => {
                let seed = command
                    .arg(0, "a number")
                    .and_then(|word| word.parse().map_err(|_| TextError::at(word, 0, "a seed is a whole number")));
                done(seed.map(|seed| self.options.seed = Seed::new(seed)))
            }
            "level" => done(self.set_level(command)),
            "time_settings" => done(self.options.clocks.time_settings(command)),
            "kgs-time_settings" | "kata-time_settings" => done(self.options.clocks.named_settings(command)),
            "kata-list_time_settings" => said("none absolute byoyomi canadian fischer"),
            "time_left" => done(self.options.clocks.time_left(command)),
            "gogui-sigint" => {
                // Relaxed: a flag that carries no data.
                self.options.interruptible.store(true, Ordering::Relaxed);
                said(&std::process::id().to_string())
            }
            "gogui-title" => said("Yomi"),
            "gogui-version" => said("1.4.12"),
            "quit"
            | "kgs-game_over"
            | "cgos-gameover"
            | "cgos-opponent_name"
            | "cgos-opponent_rating"
            | "gogui-interrupt"
            | "clear_cache" => said(""),
            "kgs-chat" => said("I only think"),
            "boardsize" | "rectangular_boardsize" => match self.table.rules() {
                Some(rules) => done(self.resize(command, rules)),
                None => Answer::Unknown,
            },
            "loadsgf" => done(self.load(command)),
            _ => self.table.obey(command, &mut self.console, &mut self.options)?,
        })
    }

    fn resize(&mut self, command: &Command, rules: yomi_games::go::Rules) -> Result<(), TextError> {
        let sizes: Vec<Option<usize>> = command.args.iter().map(|word| word.parse().ok()).collect();
        let size = match sizes[..] {
            [Some(size)] => size,
            [Some(width), Some(height)] if width == height => width,
            [] => return Err(TextError::new("boardsize expects a number")),
            _ => return Err(TextError::new("unacceptable size")),
        };
        self.table = go::open(self.builder, size, rules).map_err(|_| TextError::new("unacceptable size"))?;
        Ok(())
    }

    /// `level N`, as GNU Go has it: the strength of the engine from the next move on.
    fn set_level(&mut self, command: &Command) -> Result<(), TextError> {
        let word = command.arg(0, "a level")?;
        let level = word.parse().map_err(|_| TextError::at(word, 0, "a level is a whole number"))?;
        self.builder.set_level(level)?;
        self.table.reseat(self.builder)
    }

    /// `loadsgf FILE [MOVE]`: the game up to before that move.
    fn load(&mut self, command: &Command) -> Result<(), TextError> {
        let name = command.arg(0, "a file")?;
        let until = command.args.get(1).map(|word| word.parse::<usize>());
        let until = until.transpose().map_err(|_| TextError::new("the number of a move was expected"))?;
        let bytes = read_file(name, LARGEST_FILE).map_err(|error| error.context("cannot load file"))?;
        if let Some(rules) = self.table.rules() {
            let size = go::size_of_record(&bytes)?;
            let mut table = go::open(self.builder, size, rules)?;
            table.load(&bytes, until)?;
            self.table = table;
            return Ok(());
        }
        self.table.load(&bytes, until)
    }
}
