//! `yomi convert`: game records from one format to another.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde_json::json;
use yomi_core::Spec;
use yomi_session::RecordFormat;
use yomi_session::records::{self, Encoding};

use crate::files;

/// Convert game records between formats
///
/// The endings of the files name the formats: kif, kifu, ki2, ki2u, csa, csa3 and usi for shogi and minishogi, sgf for Go, blksgf for
/// Blokus Duo. Reading finds out the encoding by itself; kif and ki2 are written in Shift_JIS, the others in UTF-8.
///
/// A file of several games (CSA with / between them, SGF collections, USI lines) becomes one file of several games where the output
/// format has such files; KIF and KI2 hold one game, so game.kif becomes game-1.kif, game-2.kif and so on.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  yomi convert game.kif game.csa\n  yomi convert game.csa game.kif --encoding utf-8\n  \
    yomi convert game.ki2 - --to usi\n  yomi convert floodgate.csa game.kifu\n  echo 'startpos moves 5d5c' | \\
    yomi convert - game.kifu --from usi --game minishogi"
)]
pub(crate) struct Args {
    /// The record to read (- for standard input)
    input: PathBuf,
    /// The file to write (- for standard output)
    output: PathBuf,
    /// The format of the input, if its ending does not name it
    #[arg(long, value_name = "FORMAT")]
    from: Option<RecordFormat>,
    /// The format of the output, if its ending does not name it
    #[arg(long, value_name = "FORMAT")]
    to: Option<RecordFormat>,
    /// The encoding of the output
    #[arg(long, value_enum, value_name = "NAME")]
    encoding: Option<Encodings>,
    /// The game, where the record does not name it (a USI line from the start position)
    #[arg(long)]
    game: Option<Spec>,
    /// Report on standard error what was converted, as JSON
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
    let from = args.from.map_or_else(|| files::format_of(&args.input), Ok).context("the input")?;
    let to = args.to.map_or_else(|| files::format_of(&args.output), Ok).context("the output")?;
    let bytes = files::read(&args.input)?;
    let input = || args.input.display().to_string();
    let records = records::read_all(&bytes, from, args.game.as_ref()).with_context(input)?;
    let encoding = args.encoding.map(|name| match name {
        Encodings::Utf8 => Encoding::Utf8,
        Encodings::ShiftJis => Encoding::ShiftJis,
    });
    // All games are converted before the first file is written: an error leaves nothing half done.
    let mut games = Vec::with_capacity(records.len());
    for (i, record) in records.iter().enumerate() {
        let which = || if records.len() > 1 { format!("{}, game {}", input(), i + 1) } else { input() };
        games.push(record.write(to, encoding).with_context(which)?);
    }
    for (path, bytes) in outputs(&args.output, to, &games)? {
        files::write(&path, &bytes, out)?;
    }
    if args.json {
        for (record, bytes) in records.iter().zip(&games) {
            let (game, plies) = (record.game(), record.plies());
            eprintln!("{}", json!({ "type": "convert", "game": game, "plies": plies, "bytes": bytes.len() }));
        }
    }
    Ok(())
}

/// The files to write: one with all games, or one per game where the format has no files of several.
fn outputs(path: &Path, format: RecordFormat, games: &[Vec<u8>]) -> anyhow::Result<Vec<(PathBuf, Vec<u8>)>> {
    match (games, format.separator()) {
        ([game], _) => Ok(vec![(path.to_path_buf(), game.clone())]),
        (_, Some(separator)) => Ok(vec![(path.to_path_buf(), games.join(separator.as_bytes()))]),
        (_, None) => {
            let count = games.len();
            let stem = path.file_stem().and_then(|stem| stem.to_str()).filter(|stem| *stem != "-");
            let stem = stem.with_context(|| {
                format!("the input holds {count} games and this format one per file: name a file, not standard output")
            })?;
            let ending = path.extension().and_then(|ending| ending.to_str()).map_or(String::new(), |e| format!(".{e}"));
            let name = |n: usize| path.with_file_name(format!("{stem}-{n}{ending}"));
            Ok(games.iter().enumerate().map(|(i, game)| (name(i + 1), game.clone())).collect())
        }
    }
}
