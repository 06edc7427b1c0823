//! `yomi train samples`: sample files from records of games.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use serde_json::json;
use yomi_core::text::counted;
use yomi_core::{Spec, TextError};
use yomi_session::RecordFormat;
use yomi_train::dispatch;
use yomi_train::records::{Event, HELD_OUT, Order, Selection, Summary, TRAINING};

use crate::files;
use crate::progress::Progress;

/// Make sample files of game records, to learn from games that others played
#[derive(clap::Args)]
#[command(after_help = "Examples:
  yomi train samples --game shogi --out floodgate 2024/ 2025/ \\
    --min-rating 3000 --min-plies 40
  yomi train samples --game go9 --out go9 games.sgf --evaluations
  yomi train samples --game minishogi --out mini runs/*/records/*.csa \\
    --skip-first 4 --held-out 0.1
  yomi train fit mini --tower 3x32 --out mini/fit

Reads KIF, KI2, CSA, USI (sfen), SGF and Blokus SGF, files of several games too; of a folder, all that is below it. Writes
training.samples and held-out.samples (docs/samples.md) and records.json. Games with the same moves are taken once, in Go and Blokus
also if they are turned about, and which are held out follows from their moves and the seed: the same command goes on where it was
stopped, and new records may be added to a folder. What cannot be read is named, with file and line, and left out; the command then
ends with an error.")]
pub(super) struct Args {
    /// Files and folders of records
    #[arg(value_name = "RECORDS", required = true)]
    records: Vec<PathBuf>,
    /// The game: minishogi, shogi, go9, go13, go19, blokus-duo
    #[arg(long, short, value_name = "GAME")]
    game: Spec,
    /// The folder of the sample files
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// The format of files whose ending names none
    #[arg(long, value_name = "FORMAT")]
    from: Option<RecordFormat>,
    /// Plies at the beginning of each game that are not learned
    #[arg(long, default_value_t = 0, value_name = "PLIES")]
    skip_first: usize,
    /// Plies at the end of each game that are not learned
    #[arg(long, default_value_t = 0, value_name = "PLIES")]
    skip_last: usize,
    /// Leave out shorter games
    #[arg(long, default_value_t = 1, value_name = "PLIES")]
    min_plies: usize,
    /// Leave out games in which a player is rated lower, or not rated (floodgate's black_rate, SGF's BR)
    #[arg(long, value_name = "RATING")]
    min_rating: Option<f64>,
    /// Take games that were lost on time, too
    #[arg(long)]
    keep_time_up: bool,
    /// Take games that were lost by an illegal move, too
    #[arg(long)]
    keep_illegal: bool,
    /// How much of the policy is spread over all legal moves, not on the one that was played
    #[arg(long, default_value_t = 0.0, value_name = "FRACTION")]
    smoothing: f32,
    /// Values are the evaluations in the records, where there are some, not results
    #[arg(long)]
    evaluations: bool,
    /// The share of games that is held out
    #[arg(long, default_value_t = 0.05, value_name = "FRACTION")]
    held_out: f64,
    /// Decides which games are held out
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// JSON instead of lines to read
    #[arg(long)]
    json: bool,
}

impl Args {
    fn selection(&self) -> Result<Selection, TextError> {
        let selection = Selection {
            skip_first: self.skip_first,
            skip_last: self.skip_last,
            least_plies: self.min_plies,
            least_rating: self.min_rating,
            time_up: self.keep_time_up,
            illegal: self.keep_illegal,
            smoothing: self.smoothing,
            evaluations: self.evaluations,
            held_out: self.held_out,
            seed: self.seed,
        };
        selection.check().map(|()| selection)
    }
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    let selection = args.selection()?;
    dispatch::layout(&args.game)?;
    let mut found = Vec::new();
    args.records.iter().try_for_each(|path| find(path, args.from, true, &mut found))?;
    ensure!(!found.is_empty(), "there are no records in {}", args.records[0].display());
    let stop = crate::signals::controls()?.drain;
    let mut progress = Progress::new("records", found.len() as u64);
    let mut tell = |event: Event<'_>| match event {
        Event::File => progress.step(),
        Event::Fault(error) => progress.line(&error.to_string()),
    };
    let order = Order { files: &found, selection: &selection, out: &args.out };
    let summary = dispatch::samples_of_records(&args.game, &order, &stop, &mut tell)?;
    drop(progress);
    if args.json {
        let mut line = json!(summary);
        line["type"] = json!("samples");
        line["game"] = json!(args.game.to_string());
        writeln!(out, "{line}")?;
    } else {
        tell_people(&summary, &args.out, out)?;
    }
    if summary.unreadable > 0 {
        bail!(
            "{} could not be read; the rest is there",
            counted(summary.unreadable, "file or game", "files and games")
        );
    }
    Ok(())
}

/// The records below a path, in an order that does not depend on the system. In folders other files and links to
/// folders are passed over.
fn find(
    path: &Path,
    from: Option<RecordFormat>,
    named: bool,
    found: &mut Vec<(PathBuf, RecordFormat)>,
) -> anyhow::Result<()> {
    let shown = || path.display().to_string();
    if path.is_dir() {
        // A link inside of a folder may lead back to it.
        if !named && path.is_symlink() {
            return Ok(());
        }
        let entries = std::fs::read_dir(path).with_context(shown)?;
        let mut below: Vec<PathBuf> =
            entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>().with_context(shown)?;
        below.sort();
        return below.iter().try_for_each(|path| find(path, from, false, found));
    }
    match (files::format_of(path), from) {
        (Ok(format), _) => found.push((path.to_path_buf(), format)),
        (Err(_), Some(format)) if named => found.push((path.to_path_buf(), format)),
        (Err(error), _) if named => return Err(error).context("--from names the format of such files"),
        _ => {}
    }
    Ok(())
}

fn tell_people(summary: &Summary, folder: &Path, out: &mut dyn Write) -> anyhow::Result<()> {
    let games = |n: u64| counted(n, "game", "games");
    let samples = |n: u64| counted(n, "sample", "samples");
    writeln!(out, "{} in {}", games(summary.games), counted(summary.files, "file", "files"))?;
    for (name, written) in [(TRAINING, summary.training), (HELD_OUT, summary.held_out)] {
        writeln!(out, "{}: {}, {}", folder.join(name).display(), games(written.games), samples(written.samples))?;
    }
    if summary.evaluated > 0 {
        writeln!(out, "values from the record: {}", samples(summary.evaluated))?;
    }
    for (reason, &count) in &summary.left_out {
        writeln!(out, "left out, {}: {}", reason.text(), games(count))?;
    }
    Ok(())
}
