//! `yomi show`: a position for people.

use std::io::{IsTerminal, Write};
use std::path::PathBuf;

use anyhow::Context;
use yomi_core::text::counted;
use yomi_games::draw::{SvgOptions, TextOptions, svg, terminal};
use yomi_session::{MarkedMoves, Session};

use crate::arguments::PositionArgs;
use crate::files;

/// Draw a position, in the terminal or as SVG, with its legal moves
#[derive(clap::Args)]
#[command(after_help = "Examples:
  yomi show --game shogi --moves '7g7f 3c3d 8h2b+'
  yomi show --game go9 --moves 'E5 C3 G6' --svg board.svg
  yomi show --game go9 --heat 'C3=0.6 G7=0.3 E3=0.1'
  yomi show --game minishogi --position 'rbsgk/4p/5/P4/KGSBR b - 1' \\
    --arrows '5d5c=1 3e4d=0.4' --svg -
  yomi show --game shogi --json")]
pub(crate) struct Args {
    #[command(flatten)]
    position: PositionArgs,
    /// Write the picture as SVG to this file (- for standard output)
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    svg: Option<PathBuf>,
    /// Moves to point at, with a weight from 0 to 1: 'MOVE=0.7 MOVE=0.2'
    #[arg(long, value_name = "MOVES")]
    arrows: Option<String>,
    /// Values of moves to show as a heat map on the cells where they end: 'MOVE=0.7 MOVE=0.2'
    #[arg(long, value_name = "MOVES")]
    heat: Option<String>,
    /// Number the moves played
    #[arg(long)]
    numbers: bool,
    /// As White sees the board
    #[arg(long)]
    turned: bool,
    /// Letters instead of kanji, and nothing but ASCII in the terminal
    #[arg(long)]
    ascii: bool,
    /// Colours in the terminal
    #[arg(long, value_enum, default_value_t = When::Auto)]
    color: When,
    /// One JSON object instead of a picture
    #[arg(long)]
    json: bool,
}

/// When to use colours.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum When {
    Auto,
    Always,
    Never,
}

impl When {
    /// Colours are wanted if standard output is a terminal, unless the environment says otherwise (no-color.org, CLICOLOR_FORCE).
    fn wanted(self) -> bool {
        let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty() && value != "0");
        match self {
            When::Always => true,
            When::Never => false,
            When::Auto => !set("NO_COLOR") && (set("CLICOLOR_FORCE") || std::io::stdout().is_terminal()),
        }
    }
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    let session = args.position.open()?;
    let position = session.position();
    if args.json {
        writeln!(out, "{}", position.json())?;
        return Ok(());
    }
    let marks = MarkedMoves {
        arrows: weighted(&*session, args.arrows.as_deref()).context("--arrows")?,
        heat: weighted(&*session, args.heat.as_deref()).context("--heat")?,
        numbers: args.numbers,
    };
    let mut picture = session.picture(&marks)?;
    if args.turned {
        picture = picture.turned();
    }
    if let Some(path) = &args.svg {
        let options = SvgOptions { letters: args.ascii, ..SvgOptions::default() };
        return files::write(path, svg(&picture, &options).as_bytes(), out);
    }
    let options = TextOptions { color: args.color.wanted(), ascii: args.ascii, ..TextOptions::default() };
    writeln!(out, "{}", terminal(&picture, &options).trim_end())?;
    writeln!(out, "\n{}  {}", position.game, position.position)?;
    match position.outcome {
        Some(outcome) => {
            let score = position.score.map_or(String::new(), |score| format!(" ({score})"));
            writeln!(out, "game over: {outcome}{score}")?;
        }
        None => {
            let moves = counted(position.moves.len() as u64, "legal move", "legal moves");
            writeln!(out, "{:?} to move, {moves}", session.turn())?;
        }
    }
    Ok(())
}

/// Moves with numbers behind them, 1 where none stands.
fn weighted(session: &dyn Session, text: Option<&str>) -> anyhow::Result<Vec<(String, f32)>> {
    let mut found = Vec::new();
    for word in text.unwrap_or("").split_whitespace() {
        let (mv, weight) = word.split_once('=').unwrap_or((word, "1"));
        let weight: f32 = weight.parse().with_context(|| format!("{word}: {weight} is no number"))?;
        anyhow::ensure!(weight.is_finite(), "{word}: {weight} is no number that can be drawn");
        // Whether it is a move, which only the game knows.
        session.spoken(mv)?;
        found.push((mv.to_string(), weight));
    }
    Ok(found)
}
