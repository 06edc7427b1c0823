//! `yomi review`: a whole game looked at.

mod page;

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde_json::json;
use yomi_core::Spec;
use yomi_core::text::counted;
use yomi_page::review::{Review, review};
use yomi_session::records::{self, AnyRecord};
use yomi_session::{Budget, RecordFormat};

use crate::arguments::{BudgetArgs, PlayerArgs};
use crate::files;
use crate::progress::Progress;

/// Look at a whole game: its evaluation, its mistakes and better lines, as an annotated record and a page
#[derive(clap::Args)]
#[command(after_help = "Examples:
  yomi review game.kif
  yomi review game.kif --out reviewed.kif --html reviewed.html
  yomi review game.sgf --player 'prior-rave' --sims 2000 --html game.html
  yomi review game.csa --nodes 100000 --json

Every position of the main line is searched. A move is doubtful (?!), a mistake (?) or a blunder (??) if it lowers the
chance of its side by 8, 15 or 30 percent and the search would have played another. The annotated record holds the
evaluations in the way that programs for its format read them, and better lines as variations where the format has them.")]
pub(crate) struct Args {
    /// The record: KIF, KI2, CSA, USI, SGF or Blokus SGF (- for standard input)
    input: PathBuf,
    #[command(flatten)]
    player: PlayerArgs,
    #[command(flatten)]
    budget: BudgetArgs,
    /// The format of the input, if its ending does not say
    #[arg(long, value_name = "FORMAT")]
    from: Option<RecordFormat>,
    /// Which game of the file, from 1
    #[arg(long, default_value_t = 1, value_name = "N")]
    number: usize,
    /// The game, where the record does not say (a USI line from the start position)
    #[arg(long)]
    game: Option<Spec>,
    /// Write the annotated record, in the format of this file's ending
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Write a page with the graph, the moves and the positions of the mistakes
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// The seed of all random numbers
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// One JSON object per move, then the summary
    #[arg(long)]
    json: bool,
}

/// Seconds per position by default.
const DEFAULT_TIME: f64 = 0.5;
/// How many mistakes the terminal shows.
const SHOWN: usize = 10;

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    let from = args.from.map_or_else(|| files::format_of(&args.input), Ok).context("the input")?;
    let bytes = files::read(&args.input)?;
    let shown = || args.input.display().to_string();
    let mut games = records::read_all(&bytes, from, args.game.as_ref()).with_context(shown)?;
    let count = games.len();
    let place = args.number.checked_sub(1).filter(|place| *place < count);
    let record = &mut *games
        [place.with_context(|| format!("--number: the file has {}", counted(count as u64, "game", "games")))?];
    let to = args.out.as_deref().map(files::format_of).transpose().context("--out")?;
    let found = look(args, record)?;
    if let (Some(path), Some(format)) = (&args.out, to) {
        found.annotate(record)?;
        let bytes = record.write(format, None).with_context(|| format!("--out {}", path.display()))?;
        files::write(path, &bytes, out)?;
    }
    if let Some(path) = &args.html {
        let name = args.input.file_name().map_or_else(shown, |name| name.to_string_lossy().into_owned());
        files::write(path, page::html(&found, record, &name)?.as_bytes(), out)?;
    }
    if args.json { print_json(&found, out) } else { print(&found, args, out) }
}

fn look(args: &Args, record: &dyn AnyRecord) -> anyhow::Result<Review> {
    let game: Spec = record.game().parse()?;
    let player = args.player.in_game(&game.name)?;
    let budget = Budget::from(args.budget);
    // A player with a budget of its own keeps it.
    let default = Budget { time: Some(DEFAULT_TIME), ..Budget::default() };
    let budget = if player.budget.is_open() && budget.is_open() { default } else { budget };
    let mut progress: Option<Progress> = None;
    let review = review(record, &player, &budget, args.seed, &mut |done, all| {
        let progress = progress.get_or_insert_with(|| Progress::new("review", all as u64));
        if done > 0 {
            progress.step();
        }
    })?;
    Ok(review)
}

fn print_json(review: &Review, out: &mut dyn Write) -> anyhow::Result<()> {
    for mv in &review.moves {
        let mut line = serde_json::to_value(mv)?;
        line["type"] = json!("reviewed-move");
        writeln!(out, "{line}")?;
    }
    let marks = |mark: &str| review.moves.iter().filter(|mv| mv.mark == mark).count();
    let summary = json!({ "type": "review", "game": review.game, "player": review.player, "plies": review.moves.len(),
        "blunders": marks("??"), "mistakes": marks("?"), "doubtful": marks("?!"), "chances": review.chances });
    writeln!(out, "{summary}")?;
    Ok(())
}

fn print(review: &Review, args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    writeln!(out, "{}, {}, by {}", review.game, counted(review.moves.len() as u64, "move", "moves"), review.player)?;
    let mistakes = review.mistakes();
    if mistakes.is_empty() {
        writeln!(out, "no move lowers the chance of its side by 8 percent or more")?;
    }
    for mv in mistakes.iter().take(SHOWN) {
        let line: Vec<&str> = mv.line.split_whitespace().take(6).collect();
        let (before, after) = (100.0 * mv.before, 100.0 * mv.after);
        let (number, mark, spoken, better) = (mv.number, mv.mark, &mv.spoken, line.join(" "));
        writeln!(out, "{number:>4} {mark:<2} {spoken:<14} Black {before:5.1} % → {after:5.1} %   better {better}")?;
    }
    if mistakes.len() > SHOWN {
        writeln!(out, "     and {} more", mistakes.len() - SHOWN)?;
    }
    let written = |what: &str, path: &Path| format!("{what}: {}", path.display());
    let files = [
        args.out.as_deref().map(|path| written("record", path)),
        args.html.as_deref().map(|path| written("page", path)),
    ];
    for line in files.iter().flatten() {
        writeln!(out, "{line}")?;
    }
    Ok(())
}
