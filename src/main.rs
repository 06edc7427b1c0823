//! The `yomi` program: glue only. It knows the games, the searches and the protocols; they do not know each other.
#![allow(clippy::print_stderr, reason = "this is the program that speaks to people")]

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
    /// List the searches, their parameters and the papers they come from
    Methods(commands::methods::Args),
    /// Count the leaves of the game tree: the standard proof of a move generator
    Perft(commands::perft::Args),
    /// Play random games and print every position with its legal moves, one JSON object a line
    Sample(commands::sample::Args),
    /// Convert game records between formats
    Convert(commands::convert::Args),
    /// Learn weights for the linear evaluation from games against itself, starting from nothing
    Learn(commands::learn::Args),
    /// Measure the speed of every game and print the signature of this build
    Bench(commands::bench::Args),
    /// Conclude from games: tests, intervals, Elo, sequential tests, tables, ratings, power
    Stats(commands::stats::Args),
}

fn main() -> ExitCode {
    let out = &mut std::io::stdout().lock();
    let result = match Command::parse() {
        Command::Games(args) => commands::games::run(&args, out),
        Command::Show(args) => commands::show::run(&args, out),
        Command::Analyze(args) => commands::analyze::run(&args, out),
        Command::Methods(args) => commands::methods::run(&args, out),
        Command::Perft(args) => commands::perft::run(&args, out),
        Command::Sample(args) => commands::sample::run(&args, out),
        Command::Convert(args) => commands::convert::run(&args, out),
        Command::Learn(args) => commands::learn::run(&args, out),
        Command::Bench(args) => commands::bench::run(&args, out),
        Command::Stats(args) => commands::stats::run(&args, out),
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
