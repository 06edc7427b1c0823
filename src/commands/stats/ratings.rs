//! `yomi stats ratings`: a rating list from a file of results.

use std::fs::File;
use std::io::{Read, Write};
use std::path::PathBuf;

use anyhow::{Context, ensure};
use serde_json::json;
use yomi_lab::plots::{Axis, Chart, Point, Series};
use yomi_lab::statistics::Level;
use yomi_lab::statistics::ratings::{Options, Pool, Ratings, fit, read_games};

use super::{Form, draw, elo_text, estimate_json};

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  yomi stats ratings games.pgn\n  yomi stats ratings results.txt --advantage 0 --draw 0\n  \
    grep -v '\"void\"' games.jsonl | yomi stats ratings - --json\n\n\
    The file is in one of three forms, recognised by its first character:\n  \
    [  PGN: the tags White, Black and Result are read, nothing else;\n     White counts as the player who moved first\n  \
    {  JSON Lines: objects with \"first\", \"second\" (or \"white\", \"black\") and\n     \"result\"; other members are ignored\n     \
    otherwise lines of three words: first second result; # begins a comment\n\
    A result is 1-0 (the first player won), 0-1, 1/2-1/2, or *, which is left out.\n\n\
    The model is Rao and Kupper's, as in BayesElo, with a prior of two virtual draws per player.\n\
    Without draws it is Bradley and Terry's. Ratings are relative to the mean of the pool."
)]
pub(crate) struct Args {
    /// The file of results; - is standard input
    #[arg(value_name = "FILE")]
    file: String,
    #[command(flatten)]
    fitting: Fitting,
}

/// How ratings are made and shown.
#[derive(clap::Args)]
pub(super) struct Fitting {
    /// Virtual draws of each player
    #[arg(long, default_value_t = 2.0, value_name = "DRAWS")]
    prior: f64,
    /// The advantage of moving first in Elo; estimated if left out
    #[arg(long, allow_negative_numbers = true, value_name = "ELO")]
    advantage: Option<f64>,
    /// The draw parameter in Elo, 0 to count draws as half; estimated from the draws if left out
    #[arg(long, value_name = "ELO")]
    draw: Option<f64>,
    /// Draw the ratings with their intervals
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    #[command(flatten)]
    form: Form,
}

/// Larger files are refused.
const MAX_BYTES: u64 = 1 << 30;

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    let text = read(&args.file)?;
    let pool = read_games(&text).with_context(|| args.file.clone())?;
    rate(&pool, &args.fitting, out).with_context(|| args.file.clone())
}

/// Rates a pool and prints the list.
pub(super) fn rate(pool: &Pool, args: &Fitting, out: &mut dyn Write) -> anyhow::Result<()> {
    let options = Options { prior: args.prior, advantage: args.advantage, draw: args.draw, level: args.form.level };
    let ratings = fit(pool, &options)?;
    draw(args.svg.as_deref(), || chart(&ratings, args.form.level))?;
    if args.form.json {
        print_json(&ratings, pool.unfinished(), out)
    } else {
        print(&ratings, pool.unfinished(), args, out)
    }
}

/// The text of a file. Names in old PGN files may not be UTF-8; what is not is marked, not refused.
fn read(file: &str) -> anyhow::Result<String> {
    let source: Box<dyn Read> = match file {
        "-" => Box::new(std::io::stdin().lock()),
        file => Box::new(File::open(file).with_context(|| file.to_string())?),
    };
    let mut bytes = Vec::new();
    source.take(MAX_BYTES + 1).read_to_end(&mut bytes).with_context(|| file.to_string())?;
    ensure!(bytes.len() as u64 <= MAX_BYTES, "{file}: more than {MAX_BYTES} bytes");
    Ok(String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

fn print_json(ratings: &Ratings, unfinished: u64, out: &mut dyn Write) -> anyhow::Result<()> {
    for (i, player) in ratings.players.iter().enumerate() {
        let row = json!({ "type": "stats-rating", "name": player.name, "pool": player.pool, "elo": estimate_json(Some(player.rating)),
            "games": player.games(), "wins": player.wins, "draws": player.draws, "losses": player.losses, "score": player.score(),
            "opponents": player.opponents, "superior_to_next": ratings.superiority(i, i + 1) });
        writeln!(out, "{row}")?;
    }
    let row = json!({ "type": "stats-ratings", "players": ratings.players.len(), "pools": ratings.pools, "unfinished": unfinished,
        "advantage": estimate_json(Some(ratings.advantage)), "draw": estimate_json(Some(ratings.draw)), "draw_rate": ratings.draw_rate() });
    writeln!(out, "{row}")?;
    Ok(())
}

fn print(ratings: &Ratings, unfinished: u64, args: &Fitting, out: &mut dyn Write) -> anyhow::Result<()> {
    let width = ratings.players.iter().map(|p| p.name.chars().count()).max().unwrap_or(0).max(6);
    for pool in 0..ratings.pools {
        if ratings.pools > 1 {
            writeln!(out, "pool {}", pool + 1)?;
        }
        writeln!(
            out,
            "{:>4}  {:<width$}  {:>8}  {:>7}  {:>7}  {:>7}  {:>7}  {:>9}  {:>7}",
            "rank", "player", "Elo", "±", "games", "score", "draws", "opponents", "LOS"
        )?;
        let lines = ratings.players.iter().enumerate().filter(|(_, player)| player.pool == pool);
        for (rank, (i, player)) in lines.enumerate() {
            let superiority = ratings.superiority(i, i + 1).map_or(String::new(), |p| format!("{:.1} %", p * 100.0));
            writeln!(
                out,
                "{:>4}  {:<width$}  {:>+8.1}  {:>7.1}  {:>7}  {:>5.1} %  {:>5.1} %  {:>+9.1}  {superiority:>7}",
                rank + 1,
                printable(&player.name),
                player.rating.value,
                player.rating.interval.radius(),
                player.games(),
                player.score() * 100.0,
                player.draws as f64 / player.games() as f64 * 100.0,
                player.opponents,
            )?;
        }
    }
    writeln!(out, "advantage of moving first: {}", given_or(args.advantage, elo_text(Some(ratings.advantage))))?;
    if ratings.draw.value > 0.0 {
        let draw = given_or(args.draw, elo_text(Some(ratings.draw)));
        writeln!(
            out,
            "draw parameter: {draw}: equal players draw {:.1} % of their games",
            ratings.draw_rate() * 100.0
        )?;
    } else {
        writeln!(out, "draws, if any, count as half a win and half a loss")?;
    }
    writeln!(out, "intervals: {}; LOS: the probability of being stronger than the next", args.form.level)?;
    if ratings.pools > 1 {
        writeln!(out, "players of different pools never met, directly or through others, and cannot be compared")?;
    }
    if unfinished > 0 {
        writeln!(out, "games without result, left out: {unfinished}")?;
    }
    Ok(())
}

fn chart(ratings: &Ratings, level: Level) -> Chart {
    let points = ratings.players.iter().enumerate().map(|(i, player)| Point::estimate(i as f64, player.rating));
    Chart {
        title: format!("ratings with {level} intervals"),
        x: Axis { names: ratings.players.iter().map(|player| player.name.clone()).collect(), ..Axis::default() },
        y: Axis::labelled("Elo"),
        series: vec![Series { points: points.collect(), ..Series::default() }],
        marks: vec![0.0],
        ..Chart::default()
    }
}

fn given_or(given: Option<f64>, estimated: String) -> String {
    given.map_or(estimated, |elo| format!("{elo:+.2} (given)"))
}

/// Names come from files: control characters must not reach a terminal.
fn printable(name: &str) -> String {
    name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
