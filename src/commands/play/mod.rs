//! `yomi play`: a game at the terminal, against a player or between two people.

mod clock;
mod game;
mod input;
mod spinner;
mod words;

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, bail};
use yomi_core::{Color, Seed, Spec};
use yomi_lab::clock::TimeControl;
use yomi_session::player::HIGHEST_LEVEL;
use yomi_session::{FAMILIES, Player, Session, records};

use crate::arguments::{BudgetArgs, PlayerArgs, PositionArgs};
use crate::files;
use game::{Game, Seat};
use input::{Heard, Input};

/// Play a game at the terminal
#[derive(clap::Args)]
#[command(after_help = "Examples:
  yomi play
  yomi play --game minishogi --level 3
  yomi play --game go9 --side white --clock 10m+5s
  yomi play --game shogi --player 'mcss(t=80)' --time 3
  yomi play --game blokus-duo --side both --save game.blksgf
  yomi play --load game.kif

Moves are typed as people write them: 7g7f, P-7f or 76歩 in shogi, D4 in Go; help
lists the commands (hint, undo, resign, save and more). The opponent is the
strongest player of the game unless --level or --player says otherwise; yomi
levels lists the levels with their Elo, yomi methods the searches of the papers.")]
pub(crate) struct Args {
    /// The game and its rules: shogi, minishogi, go9, go13, go19 (goN), blokus-duo; see `yomi games`. Asked for if left out
    #[arg(long, short, value_name = "GAME")]
    game: Option<Spec>,
    /// The position in the game's own text (SFEN for shogi); the start position if left out
    #[arg(long, short, value_name = "TEXT", requires = "game")]
    position: Option<String>,
    /// Moves to play from there, separated by spaces
    #[arg(long, short, value_name = "MOVES", requires = "game")]
    moves: Option<String>,
    /// Go on from the end of a game record: KIF, KI2, CSA, USI or SFEN, SGF, blksgf, by the file's ending
    #[arg(long, value_name = "FILE", conflicts_with_all = ["position", "moves"])]
    load: Option<PathBuf>,
    #[command(flatten)]
    player: PlayerArgs,
    #[command(flatten)]
    budget: BudgetArgs,
    /// Clocks for both sides: 10m+5s (increment), 5m/30s (byoyomi); without one the opponent takes two seconds per move
    #[arg(long, value_name = "CLOCK", value_parser = clock::parse)]
    clock: Option<TimeControl>,
    /// The side you play
    #[arg(long, value_enum, default_value_t = Side::Black)]
    side: Side,
    /// Seed of all random choices; another one for each game if left out
    #[arg(long)]
    seed: Option<u64>,
    /// Save the game here when it is over or left: .kifu, .csa, .sgf, .blksgf, .txt
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Letters instead of kanji, and nothing but ASCII
    #[arg(long)]
    ascii: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Side {
    Black,
    White,
    /// Either, by chance
    Random,
    /// Two people at one terminal; the player only gives hints
    Both,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    let input = &mut Input::open()?;
    if let Some(path) = &args.load {
        return load(args, path, input, out);
    }
    let (game, level) = match &args.game {
        Some(game) => (game.clone(), args.player.level),
        None => ask(args, input, out)?,
    };
    let from = PositionArgs { game, position: args.position.clone(), moves: args.moves.clone() };
    play(args, from.open()?, level, input, out)
}

/// Goes on where a record ends.
fn load(args: &Args, path: &std::path::Path, input: &mut Input, out: &mut dyn Write) -> anyhow::Result<()> {
    let name = || path.display().to_string();
    let format = files::format_of(path)?;
    let mut records = records::read_all(&files::read(path)?, format, args.game.as_ref()).with_context(name)?;
    // Of several games in one file, the last is the one to go on with.
    let record = records.pop().with_context(name).context("there is no game in the file")?;
    if let Some(game) = &args.game {
        let found = Spec::parse(&record.game())?.name;
        anyhow::ensure!(found == game.name, "{} is a record of {found}, not of {}", path.display(), game.name);
    }
    play(args, record.open(), args.player.level, input, out)
}

/// The level offered by default.
const MIDDLE_LEVEL: u8 = 4;

/// Asks for the game, and for a level unless the opponent is known.
fn ask(args: &Args, input: &mut Input, out: &mut dyn Write) -> anyhow::Result<(Spec, Option<u8>)> {
    writeln!(out, "Which game?")?;
    for (number, family) in FAMILIES.iter().enumerate() {
        writeln!(out, "  {} {:<13} {}", number + 1, family.names[0], family.summary)?;
    }
    let mut answer = |prompt: &str, out: &mut dyn Write| -> anyhow::Result<String> {
        match input.read(prompt, out)? {
            Heard::Line(line) => Ok(line),
            Heard::End | Heard::Interrupt => bail!("no game was chosen; see yomi play --help"),
        }
    };
    let game = loop {
        let line = answer("number or name [1]: ", out)?;
        let number = if line.is_empty() { Some(1) } else { line.parse::<usize>().ok() };
        let name =
            number.and_then(|number| FAMILIES.get(number.checked_sub(1)?)).map_or(&*line, |family| family.names[0]);
        match Spec::parse(name) {
            Ok(spec) if FAMILIES.iter().any(|family| family.names.contains(&spec.name.as_str())) => break spec,
            _ => writeln!(out, "there is no game called {line}")?,
        }
    };
    if args.player.player.is_some() || args.player.level.is_some() {
        return Ok((game, args.player.level));
    }
    loop {
        let line = answer(&format!("level of the opponent, 1 (weakest) to 9 [{MIDDLE_LEVEL}]: "), out)?;
        let level = if line.is_empty() { Ok(MIDDLE_LEVEL) } else { line.parse() };
        match level {
            Ok(level @ 1..=HIGHEST_LEVEL) => return Ok((game, Some(level))),
            _ => writeln!(out, "a number from 1 to {HIGHEST_LEVEL} was expected")?,
        }
    }
}

/// Plays the game on from where the session stands.
fn play(
    args: &Args,
    session: Box<dyn Session>,
    level: Option<u8>,
    input: &mut Input,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    // A different game every time, which can still be repeated by its seed.
    let seed = args.seed.unwrap_or_else(|| u64::from(std::process::id()));
    let person = match args.side {
        Side::Black => Some(Color::Black),
        Side::White => Some(Color::White),
        Side::Random => Some(Color::from_index(Seed::new(seed).branch("side", 0).rng().below(2))),
        Side::Both => None,
    };
    let name = session.game();
    let player = match level {
        Some(level) => Player::of_level(level, &name)?,
        None => args.player.in_game(&name)?,
    };
    let seat = Seat { player, level, budget: args.budget.into(), seed, person, ascii: args.ascii };
    let mut game = Game::new(session, seat, args.clock.as_ref(), &input.interrupted)?;
    game.greet(out)?;
    let interrupted = converse(&mut game, input, out)?;
    if let Some(path) = &args.save {
        game.save(path, out)?;
    } else if (interrupted || Input::is_terminal()) && game.is_unsaved() {
        // A long game is not lost by a key.
        let path = game.free_name()?;
        game.save(&path, out)?;
    }
    Ok(())
}

/// The conversation; true if Ctrl-C ended it.
fn converse(game: &mut Game, input: &mut Input, out: &mut dyn Write) -> anyhow::Result<bool> {
    game.draw(out)?;
    loop {
        if game.advance(out)? {
            continue;
        }
        match input.read("> ", out)? {
            Heard::Interrupt => return Ok(true),
            Heard::End => return Ok(false),
            Heard::Line(line) => match game.obey(&line, out) {
                Ok(true) => {}
                Ok(false) => return Ok(false),
                // What a person mistypes is no reason to end.
                Err(error) => writeln!(out, "{error:#}")?,
            },
        }
    }
}
