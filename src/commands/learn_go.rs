//! `yomi learn-go`: which moves are played in Go, from games.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, ensure};
use serde_json::json;
use yomi_core::{Position, Record};
use yomi_eval::go::Model;
use yomi_eval::go::learn::{Census, Examples, Fit, fit, improve};
use yomi_games::go::{Go, Go9, Go13, Go19, GoMove, records};
use yomi_games::sgf;

use crate::files;
use crate::progress::Progress;

/// Learn the move probabilities of Go from games: shapes, large patterns and tactics, by a Bradley-Terry model
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  scripts/gnugo_games.py --size 19 --games 40 --level 1 >gnugo19.sgf\n  \
    yomi learn-go gnugo19.sgf gnugo9.sgf --to weights/go.txt\n\n\
    The same games in the same order give the same weights, whatever the number of threads.")]
pub(crate) struct Args {
    /// SGF files, each with any number of games
    #[arg(required = true)]
    games: Vec<PathBuf>,
    /// Where the weights go; - for standard output
    #[arg(long, default_value = "-", value_name = "FILE")]
    to: PathBuf,
    /// Moves at the beginning of each game that nobody chose; 2 up to 13x13 and 4 beyond if left out, as gnugo_games.py begins games
    #[arg(long, value_name = "PLIES")]
    skip: Option<usize>,
    /// How often a large pattern must have been played to be worth knowing
    #[arg(long, default_value_t = 6, value_name = "TIMES")]
    least: u32,
    /// Rounds of learning
    #[arg(long, default_value_t = 20)]
    rounds: u32,
    /// Every so many games one is not learnt from but foretold
    #[arg(long, default_value_t = 10, value_name = "GAMES")]
    hold: usize,
    #[arg(long, default_value_t = 1)]
    threads: usize,
}

/// A game of any size: where it began and what was played.
enum Game {
    Nine(Box<Go9>, Vec<GoMove>),
    Thirteen(Box<Go13>, Vec<GoMove>),
    Nineteen(Box<Go19>, Vec<GoMove>),
}

impl Game {
    /// The moves at its beginning that nobody chose, unless somebody says.
    fn opening(&self) -> usize {
        match self {
            Game::Nine(..) | Game::Thirteen(..) => 2,
            Game::Nineteen(..) => 4,
        }
    }
}

/// Does something with every position of a game and the move played there, whatever the size.
macro_rules! each_move {
    ($game:expr, $skip:expr, |$go:ident, $mv:ident| $body:expr) => {{
        let skip = $skip.unwrap_or_else(|| $game.opening());
        match $game {
            Game::Nine(start, moves) => replay(start, moves, skip, |$go, $mv| $body),
            Game::Thirteen(start, moves) => replay(start, moves, skip, |$go, $mv| $body),
            Game::Nineteen(start, moves) => replay(start, moves, skip, |$go, $mv| $body),
        }
    }};
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    ensure!(args.hold >= 2, "of every two games at least one is learnt from: --hold is 2 or more");
    let mut games = Vec::new();
    for path in &args.games {
        read_games(&files::read(path)?, &mut games).with_context(|| format!("{}", path.display()))?;
    }
    let mut census = Census::default();
    games.iter().for_each(|game| each_move!(game, args.skip, |go, mv| census.observe(go, mv)));
    let mut model = Model::indifferent(census.book(args.least));
    let (mut learnt, mut held) = (Examples::default(), Examples::default());
    let mut progress = Progress::new("games", games.len() as u64);
    for (i, game) in games.iter().enumerate() {
        let examples = if (i + 1) % args.hold == 0 { &mut held } else { &mut learnt };
        each_move!(game, args.skip, |go, mv| examples.observe(go, mv, &model));
        progress.step();
    }
    drop(progress);
    ensure!(!learnt.is_empty(), "there is no move to learn from");
    let quiet = args.to.as_os_str() == "-";
    for round in 1..=args.rounds {
        improve(&mut model, &learnt, args.threads);
        if !quiet && (round % 5 == 0 || round == args.rounds) {
            let line = json!({ "type": "round", "round": round, "patterns": model.book.len(),
                "learnt": told(fit(&model, &learnt)), "held": told(fit(&model, &held)) });
            writeln!(out, "{line}")?;
        }
    }
    let Fit { positions, log_likelihood, first, .. } = fit(&model, &held);
    let text = format!(
        "# Which moves are played in Go: strengths of features, see crates/eval/src/go/model.rs.\n\
         # Learnt by `yomi learn-go --least {} --rounds {}` from {} moves of {} games;\n\
         # of {positions} moves held back {:.1} % were the most probable, mean log-likelihood {log_likelihood:.3}.\n{model}",
        args.least,
        args.rounds,
        learnt.len(),
        games.len(),
        100.0 * first
    );
    files::write(&args.to, text.as_bytes(), out)
}

fn told(fit: Fit) -> serde_json::Value {
    json!({ "positions": fit.positions, "log_likelihood": fit.log_likelihood, "first": fit.first, "first_five": fit.first_five })
}

fn read_games(bytes: &[u8], games: &mut Vec<Game>) -> anyhow::Result<()> {
    let text = sgf::decode(bytes);
    for tree in sgf::trees(&text) {
        let tree = tree?;
        games.push(match records::size(&tree)? {
            2..=9 => main_line(records::read(&tree)?, Game::Nine),
            10..=13 => main_line(records::read(&tree)?, Game::Thirteen),
            _ => main_line(records::read(&tree)?, Game::Nineteen),
        });
    }
    Ok(())
}

/// The moves of the main line, up to the first node that sets stones up.
fn main_line<P: Position>(record: Record<P>, game: impl Fn(Box<P>, Vec<P::Move>) -> Game) -> Game {
    let mut moves = Vec::new();
    let mut node = 0;
    while let Some(&next) = record.nodes[node].children.first() {
        node = next;
        match record.nodes[node].mv {
            Some(mv) => moves.push(mv),
            None => break,
        }
    }
    game(Box::new(record.start), moves)
}

/// Plays a game again; what is not legal ends it.
fn replay<const LEN: usize>(start: &Go<LEN>, moves: &[GoMove], skip: usize, mut observe: impl FnMut(&Go<LEN>, GoMove)) {
    let mut go = start.clone();
    for (ply, &mv) in moves.iter().enumerate() {
        if !go.is_legal(mv) {
            return;
        }
        if ply >= skip {
            observe(&go, mv);
        }
        go.play(mv);
    }
}
