//! `yomi learn patterns`: which moves are played in Go, from games.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Mutex;

use anyhow::{Context, ensure};
use serde_json::json;
use yomi_core::{Position, Record};
use yomi_eval::go::learn::{Census, Examples, Fit, Learner, fit};
use yomi_eval::go::model::{Book, Model};
use yomi_games::go::{Go, Go9, Go13, Go19, GoMove, records};
use yomi_games::sgf;

use crate::files;
use crate::progress::Progress;

/// Learn the move probabilities of Go from games: shapes, large patterns and tactics, by a Bradley-Terry model
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  scripts/gnugo_games.py --size 19 --games 40 --level 1 >gnugo19.sgf\n  \
    yomi learn patterns gnugo19.sgf gnugo9.sgf --to weights/go.txt\n\n\
    The same games in the same order give the same weights, whatever the number of threads.")]
pub(crate) struct Args {
    /// SGF files, each with any number of games
    #[arg(required = true)]
    games: Vec<PathBuf>,
    /// Where the weights go; - for standard output
    #[arg(long, default_value = "-", value_name = "FILE")]
    to: PathBuf,
    /// Random moves at the beginning of each game, not to learn from; 2 up to 13x13 and 4 beyond if left out, as gnugo_games.py begins games
    #[arg(long, value_name = "PLIES")]
    skip: Option<usize>,
    /// How often a pattern must have been played to be worth knowing
    #[arg(long, default_value_t = 10, value_name = "TIMES")]
    least: u32,
    /// Rounds of learning
    #[arg(long, default_value_t = 10)]
    rounds: u32,
    /// One game in this many is held out and predicted
    #[arg(long, default_value_t = 10, value_name = "GAMES")]
    hold: usize,
    /// Threads that look for features; the learning itself has one
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
    /// The random moves at its beginning, unless given.
    fn opening(&self) -> usize {
        match self {
            Game::Nine(..) | Game::Thirteen(..) => 2,
            Game::Nineteen(..) => 4,
        }
    }

    /// The largest board of its type.
    fn size(&self) -> usize {
        match self {
            Game::Nine(..) => 9,
            Game::Thirteen(..) => 13,
            Game::Nineteen(..) => 19,
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
    ensure!(args.hold >= 2, "of every two games at least one is learned from: --hold is 2 or more");
    let mut games = Vec::new();
    for path in &args.games {
        read_games(&files::read(path)?, &mut games).with_context(|| format!("{}", path.display()))?;
    }
    let (held, learned): (Vec<_>, Vec<_>) = games.iter().enumerate().partition(|(i, _)| (i + 1) % args.hold == 0);
    let (held, learned) = (held.into_iter().map(|(_, game)| game), learned.into_iter().map(|(_, game)| game));
    let (held, learned): (Vec<&Game>, Vec<&Game>) = (held.collect(), learned.collect());
    let mut census = Census::default();
    learned.iter().for_each(|game| each_move!(game, args.skip, |go, mv| census.observe(go, mv)));
    let mut learner = Learner::new(&census, census.books(args.least));
    let blank = learner.model();
    let examine = |games: &[&Game]| examine(games, args.skip, &blank, args.threads);
    let (learned_from, predicted) = (examine(&learned), examine(&held));
    let positions: usize = learned_from.iter().map(Examples::len).sum();
    ensure!(positions > 0, "there is no move to learn from");
    let quiet = args.to.as_os_str() == "-";
    let patterns: Vec<usize> = blank.books.iter().map(Book::len).collect();
    for round in 1..=args.rounds {
        learner.improve(&learned_from.iter().collect::<Vec<_>>());
        if !quiet {
            let held = fit_json(fit(&learner.model(), &predicted));
            writeln!(out, "{}", json!({ "type": "round", "round": round, "patterns": patterns, "held": held }))?;
        }
    }
    let model = learner.model();
    let mut remarks = String::new();
    for size in [9, 13, 19] {
        let of_size = predicted.iter().zip(&held).filter(|(_, game)| game.size() == size).map(|(examples, _)| examples);
        let fit = fit(&model, of_size);
        if fit.positions > 0 {
            let Fit { positions, log_likelihood, first, first_five } = fit;
            let (first, five) = (100.0 * first, 100.0 * first_five);
            remarks += &format!(
                "# Of {positions} moves held back on boards up to {size}x{size} {first:.1} % were the most probable, {five:.1} % \
                 among the five most probable; mean log-likelihood {log_likelihood:.3}.\n"
            );
            if !quiet {
                writeln!(out, "{}", json!({ "type": "foretold", "size": size, "held": fit_json(fit) }))?;
            }
        }
    }
    let text = format!(
        "# Which moves are played in Go: strengths of features, see crates/eval/src/go/model.rs.\n\
         # Learned by `yomi learn patterns --least {} --rounds {}` from {positions} moves of {} games.\n{remarks}{model}",
        args.least,
        args.rounds,
        learned.len(),
    );
    files::write(&args.to, text.as_bytes(), out)
}

/// The features of every move of every position, game by game. Threads take games in turns, so that each gets as many.
fn examine(games: &[&Game], skip: Option<usize>, model: &Model, threads: usize) -> Vec<Examples> {
    let threads = threads.clamp(1, games.len().max(1));
    let progress = Mutex::new(Progress::new("games", games.len() as u64));
    let share = |thread: usize| -> Vec<Examples> {
        let examined = games.iter().skip(thread).step_by(threads).map(|game| {
            let mut examples = Examples::default();
            each_move!(game, skip, |go, mv| examples.observe(go, mv, model));
            if let Ok(mut progress) = progress.lock() {
                progress.step();
            }
            examples
        });
        examined.collect()
    };
    let share = &share;
    let mut shares: Vec<_> = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|thread| scope.spawn(move || share(thread))).collect();
        let mut shares = vec![share(0).into_iter()];
        for other in others {
            shares.push(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)).into_iter());
        }
        shares
    });
    (0..games.len()).filter_map(|i| shares[i % threads].next()).collect()
}

fn fit_json(fit: Fit) -> serde_json::Value {
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
