//! The `yomi` program: glue only. It knows the games, the searches and the protocols; they do not know each other.
#![allow(clippy::print_stderr, reason = "this is the program that speaks to people")]

mod arena;
mod commands;
mod files;
mod games;
mod players;
mod progress;
mod records;

use std::process::ExitCode;

use clap::Parser;

/// Yomi: a search-and-learning engine and laboratory for shogi, minishogi, Go and Blokus Duo.
#[derive(Parser)]
#[command(version, max_term_width = 110, after_help = "Every command has examples: yomi perft --help")]
#[allow(clippy::large_enum_variant, reason = "there is one of it")]
enum Command {
    /// List the games, their rules and the options of the rules
    Games(commands::games::Args),
    /// Draw a position, in the terminal or as SVG, and tell what can be played
    Show(commands::show::Args),
    /// Think about a position and tell everything the search knows
    Analyze(commands::analyze::Args),
    /// Look around in a saved tree: the root, or any node, and the best below it
    Tree(commands::tree::Args),
    /// List the searches, their parameters and the papers they come from
    Methods(commands::methods::Args),
    /// Count the leaves of the game tree: the standard proof of a move generator
    Perft(commands::perft::Args),
    /// Play random games and print every position with its legal moves, one JSON object a line
    Sample(commands::sample::Args),
    /// Convert game records between formats
    Convert(commands::convert::Args),
    /// Measure the speed of every game and search and print the signature of this build
    Bench(commands::bench::Args),
    /// Play matches between players, with statistics, records and a report
    Match(commands::match_::Args),
    /// Conclude from games: tests, intervals, Elo, sequential tests, tables, ratings, power
    Stats(commands::stats::Args),
    /// Learn the move probabilities of Go from games
    LearnGo(commands::learn_go::Args),
    /// Speak USI on standard input and output: the engine for ShogiHome, Shogidokoro, ShogiGUI
    Usi(commands::usi::Args),
}

fn main() -> ExitCode {
    let out = &mut std::io::stdout().lock();
    let result = match Command::parse() {
        Command::Games(args) => commands::games::run(&args, out),
        Command::Show(args) => commands::show::run(&args, out),
        Command::Analyze(args) => commands::analyze::run(&args, out),
        Command::Tree(args) => commands::tree::run(&args, out),
        Command::Methods(args) => commands::methods::run(&args, out),
        Command::Perft(args) => commands::perft::run(&args, out),
        Command::Sample(args) => commands::sample::run(&args, out),
        Command::Convert(args) => commands::convert::run(&args, out),
        Command::Bench(args) => commands::bench::run(&args, out),
        Command::Match(args) => commands::match_::run(&args, out),
        Command::Stats(args) => commands::stats::run(&args, out),
        Command::LearnGo(args) => commands::learn_go::run(&args, out),
        Command::Usi(args) => commands::usi::run(&args, out),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("yomi: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Whoever reads our output has seen enough (`yomi … | head`): no reason to complain.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let io = error.chain().find_map(|cause| cause.downcast_ref::<std::io::Error>());
    io.is_some_and(|io| io.kind() == std::io::ErrorKind::BrokenPipe)
}
