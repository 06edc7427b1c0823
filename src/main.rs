//! The `yomi` program: glue only. It knows the games, the searches and the protocols; they do not know each other.
#![allow(clippy::print_stderr, reason = "this is the program that speaks to people")]

mod arguments;
mod build;
mod commands;
mod files;
#[cfg(test)]
mod help;
mod known;
mod programs;
mod progress;
mod signals;
mod version;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};

/// Yomi: a search-and-learning engine and laboratory for shogi, minishogi, Go and Blokus Duo.
#[derive(Parser)]
#[command(name = "yomi", bin_name = "yomi", version = version::SHORT, long_version = version::LONG)]
#[command(max_term_width = 110, after_help = "Every command has examples: yomi perft --help")]
#[allow(clippy::large_enum_variant, reason = "there is one of it")]
enum Command {
    /// List the games, their rules and the options of the rules
    Games(commands::games::Args),
    /// Draw a position, in the terminal or as SVG, with its legal moves
    Show(commands::show::Args),
    /// Search a position and show everything the search knows
    Analyze(commands::analyze::Args),
    /// Look around in a saved tree: the root, or any node, and the best below it
    Tree(commands::tree::Args),
    /// List the searches, their parameters and the papers they come from
    Methods(commands::methods::Args),
    /// List the levels of each game with their players and their Elo
    Levels(commands::levels::Args),
    /// Count the leaves of the game tree: the standard proof of a move generator
    Perft(commands::perft::Args),
    /// Play random games and print every position with its legal moves, one JSON object per line
    Sample(commands::sample::Args),
    /// Convert game records between formats
    Convert(commands::convert::Args),
    /// Look at a whole game: its evaluation, its mistakes and better lines, as an annotated record and a page
    Review(commands::review::Args),
    /// Look into networks, measure them, check them, convert them
    Net(commands::net::Args),
    /// Show which devices and libraries were found, and why others were not
    Doctor(commands::doctor::Args),
    /// Learn an evaluation, the probabilities of moves, or both; compare the ways to do it
    Learn(commands::learn::Args),
    /// Measure the speed of every game and search and print the signature of this build
    Bench(commands::bench::Args),
    /// Play matches between players, with statistics, records and a report
    Match(commands::match_::Args),
    /// Run the experiments of the papers and your own, and report them beside what was published
    Experiment(commands::experiment::Args),
    /// Find the best numbers of a player by matches
    Tune(commands::tune::Args),
    /// Check the games of runs by the rules, and play some of them again
    Verify(commands::verify::Args),
    /// Do jobs of matches and experiments that come as JSON Lines, and answer each with its row of the ledger
    Worker(commands::worker::Args),
    /// Draw JSON Lines as a chart
    Plot(commands::plot::Args),
    /// Open a page to play, analyse, learn and experiment, served on this machine only
    Studio(commands::studio::Args),
    /// Play a game at the terminal
    Play(commands::play::Args),
    /// Conclude from games: tests, intervals, Elo, sequential tests, tables, ratings, power
    Stats(commands::stats::Args),
    /// The old name of yomi learn patterns
    #[command(hide = true)]
    LearnGo(commands::learn_go::Args),
    /// The old name of yomi learn simulations
    #[command(hide = true)]
    LearnBlokus(commands::learn_blokus::Args),
    /// Play games of a network against itself and write samples to learn from
    Selfplay(commands::selfplay::Args),
    /// Train networks from their own games, or from the games of others
    Train(commands::train::Args),
    /// Speak USI on standard input and output: the engine for ShogiHome, Shogidokoro, ShogiGUI
    Usi(commands::usi::Args),
    /// Speak GTP on standard input and output: the engine for Sabaki, GoGui, Lizzie
    Gtp(commands::gtp::Args),
    /// Answer questions about Go in KataGo's analysis protocol: the engine for KaTrain, Ogatak and scripts
    Analysis(commands::analysis::Args),
    /// Play shogi on a server of the CSA protocol (floodgate, shogi-server)
    Csa(commands::csa::Args),
    /// Print the completion script of a shell
    Completions(commands::completions::Args),
    /// Write the manual pages of all commands
    Man(commands::man::Args),
    #[command(hide = true)]
    Guard(commands::guard::Args),
}

fn main() -> ExitCode {
    let out = &mut std::io::stdout().lock();
    let result = match Command::parse() {
        Command::Games(args) => commands::games::run(&args, out),
        Command::Show(args) => commands::show::run(&args, out),
        Command::Analyze(args) => commands::analyze::run(&args, out),
        Command::Tree(args) => commands::tree::run(&args, out),
        Command::Methods(args) => commands::methods::run(&args, out),
        Command::Levels(args) => commands::levels::run(&args, out),
        Command::Perft(args) => commands::perft::run(&args, out),
        Command::Sample(args) => commands::sample::run(&args, out),
        Command::Convert(args) => commands::convert::run(&args, out),
        Command::Net(args) => commands::net::run(&args, out),
        Command::Doctor(args) => commands::doctor::run(&args, out),
        Command::Review(args) => commands::review::run(&args, out),
        Command::Learn(args) => commands::learn::run(&args, out),
        Command::Bench(args) => commands::bench::run(&args, out),
        Command::Match(args) => commands::match_::run(&args, out),
        Command::Experiment(args) => commands::experiment::run(&args, out),
        Command::Verify(args) => commands::verify::run(&args, out),
        Command::Tune(args) => commands::tune::run(&args, out),
        Command::Worker(args) => commands::worker::run(&args, out),
        Command::Plot(args) => commands::plot::run(&args, out),
        Command::Studio(args) => commands::studio::run(&args, out),
        Command::Play(args) => commands::play::run(&args, out),
        Command::Stats(args) => commands::stats::run(&args, out),
        Command::LearnGo(args) => commands::learn_go::run(&args, out),
        Command::LearnBlokus(args) => commands::learn_blokus::run(&args, out),
        Command::Selfplay(args) => commands::selfplay::run(&args, out),
        Command::Train(args) => commands::train::run(&args, out),
        Command::Usi(args) => commands::usi::run(&args, out),
        Command::Gtp(args) => commands::gtp::run(&args, out),
        Command::Analysis(args) => commands::analysis::run(&args, out),
        Command::Csa(args) => commands::csa::run(&args, out),
        Command::Completions(args) => commands::completions::run(&args, Command::command(), out),
        Command::Man(args) => commands::man::run(&args, Command::command(), out),
        Command::Guard(args) => commands::guard::run(&args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("yomi: {}", error_text(&error));
            ExitCode::FAILURE
        }
    }
}

/// An error with its causes, each once: some errors name their cause themselves.
fn error_text(error: &anyhow::Error) -> String {
    let mut text = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !text.ends_with(&cause) {
            text += &format!(": {cause}");
        }
    }
    text
}

/// The reader of our output has seen enough (`yomi … | head`): no reason to complain.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let io = error.chain().find_map(|cause| cause.downcast_ref::<std::io::Error>());
    io.is_some_and(|io| io.kind() == std::io::ErrorKind::BrokenPipe)
}
