//! `yomi convert`: game records from one format to another.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Context;
use serde_json::json;
use yomi_core::Spec;
use yomi_games::shogi::records::Encoding;

use crate::files;
use crate::records::{self, Format};

/// Convert game records between formats
///
/// The endings of the files tell the formats: kif, kifu, ki2, ki2u, csa, csa3 and usi for shogi and minishogi, sgf for Go, blksgf for
/// Blokus Duo. Reading finds out the encoding by itself; kif and ki2 are written in Shift_JIS, the others in UTF-8.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  yomi convert game.kif game.csa\n  yomi convert game.csa game.kif --encoding utf-8\n  \
    yomi convert game.ki2 - --to usi\n  echo 'startpos moves 5e5d' | \\
    yomi convert - game.kifu --from usi --game minishogi"
)]
pub(crate) struct Args {
    /// The record to read (- for standard input)
    input: PathBuf,
    /// The file to write (- for standard output)
    output: PathBuf,
    /// The format of the input, if its ending does not tell
    #[arg(long, value_name = "FORMAT")]
    from: Option<Format>,
    /// The format of the output, if its ending does not tell
    #[arg(long, value_name = "FORMAT")]
    to: Option<Format>,
    /// The encoding of the output
    #[arg(long, value_enum, value_name = "NAME")]
    encoding: Option<Encodings>,
    /// The game, where the record does not tell (a USI line from the start position)
    #[arg(long)]
    game: Option<Spec>,
    /// Tell on standard error what was converted, as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Encodings {
    #[value(name = "utf-8")]
    Utf8,
    #[value(name = "shift-jis")]
    ShiftJis,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    let from = args.from.map_or_else(|| Format::of(&args.input), Ok).context("the input")?;
    let to = args.to.map_or_else(|| Format::of(&args.output), Ok).context("the output")?;
    let bytes = files::read(&args.input)?;
    let input = || args.input.display().to_string();
    let record = records::read(&bytes, from, args.game.as_ref()).with_context(input)?;
    let encoding = args.encoding.map(|name| match name {
        Encodings::Utf8 => Encoding::Utf8,
        Encodings::ShiftJis => Encoding::ShiftJis,
    });
    let written = records::write(&record, to, encoding).with_context(input)?;
    files::write(&args.output, &written, out)?;
    if args.json {
        eprintln!(
            "{}",
            json!({ "type": "convert", "game": record.game(), "plies": record.plies(), "bytes": written.len() })
        );
    }
    Ok(())
}
