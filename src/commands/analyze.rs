//! `yomi analyze`: what a player thinks of a position.

mod table;

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, ensure};
use serde_json::json;
use yomi_core::text::counted;
use yomi_lab::plots::{Axis, Chart, Point, Series};
use yomi_search::time::{self, GameClock, TimeOptions};
use yomi_session::report::Analysis;
use yomi_session::{self as session, Control, Event, NetworkInUse, Player, SearchRequest, Session, networks_in_use};

use crate::arguments::{BudgetArgs, PlayerArgs, PositionArgs};
use crate::files;
use table::print;

/// Search a position and show everything the search knows
#[derive(clap::Args)]
#[command(after_help = "Examples:
  yomi analyze --game shogi --time 5
  yomi analyze --game minishogi --player 'mcss(t=80)' --sims 10000
  yomi analyze --game go9 --player 'uct(c=1.5,after=30) + rollout' \\
    --sims 8000 --multipv 5
  yomi analyze --game shogi --player alpha-beta --depth 6 --moves '7g7f 3c3d'
  yomi analyze --game connect-four --player 'ments + rollout(n=4)' \\
    --time 2 --threads 2 --json
  yomi analyze --game shogi --player mcss --left 600 --byoyomi 10
  yomi analyze --game minishogi --player 'mcss(t=40)' --sims 50000 \\
    --tree m.tree --depth-profile depths.svg

yomi methods lists the searches and their parameters, yomi tree looks around in a saved tree.")]
pub(crate) struct Args {
    #[command(flatten)]
    position: PositionArgs,
    #[command(flatten)]
    player: PlayerArgs,
    #[command(flatten)]
    budget: BudgetArgs,
    #[command(flatten)]
    clock: Clock,
    /// Threads, whatever the player says
    #[arg(long, value_name = "K")]
    threads: Option<usize>,
    /// Seed of all random choices
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many moves to show
    #[arg(long, default_value_t = 8, value_name = "MOVES")]
    multipv: usize,
    /// JSON Lines: reports on standard error, the final one on standard output
    #[arg(long)]
    json: bool,
    /// Save the tree, for yomi tree; several (trees=N) are laid over each other
    #[arg(long, value_name = "FILE")]
    tree: Option<PathBuf>,
    /// Draw how many nodes of the tree lie at each depth, as SVG
    #[arg(long, value_name = "FILE")]
    depth_profile: Option<PathBuf>,
}

/// A game's clock, from which the time for this move is shared out.
#[derive(clap::Args)]
struct Clock {
    /// Seconds left for the game
    #[arg(long, value_name = "SECONDS")]
    left: Option<f64>,
    /// Seconds for every move once nothing is left
    #[arg(long, value_name = "SECONDS")]
    byoyomi: Option<f64>,
    /// Seconds that every move adds
    #[arg(long, value_name = "SECONDS")]
    increment: Option<f64>,
}

impl Clock {
    /// The time for a move at `ply`, if there is a clock. Nothing is lost on the way here: there is no referee.
    fn move_time(&self, ply: usize) -> anyhow::Result<Option<time::MoveTime>> {
        if [self.left, self.byoyomi, self.increment].iter().all(Option::is_none) {
            return Ok(None);
        }
        let span = |seconds: Option<f64>| {
            let seconds = seconds.unwrap_or(0.0);
            Duration::try_from_secs_f64(seconds).with_context(|| format!("{seconds} is no time in seconds"))
        };
        let (left, byoyomi, increment) = (span(self.left)?, span(self.byoyomi)?, span(self.increment)?);
        let options = TimeOptions { network_delay: Duration::ZERO, ..TimeOptions::default() };
        let ply = u32::try_from(ply).unwrap_or(u32::MAX);
        Ok(Some(time::move_time(&GameClock { left, byoyomi, increment }, ply, &options)))
    }
}

/// Without any budget a search gets this long.
const DEFAULT_TIME: Duration = Duration::from_secs(2);
/// How often people and programs hear of a search.
const REPORT_EVERY: Duration = Duration::from_millis(500);
/// How often a log does.
const LOG_EVERY: Duration = Duration::from_secs(10);

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    let mut session = args.position.open()?;
    let player = args.player.in_game(&args.position.game.name)?;
    let player = args.threads.map_or_else(|| player.clone(), |threads| player.with_threads(threads));
    session.prepare(&player, false)?;
    let mut limits = player.limits(&args.budget.into(), args.seed)?;
    let mut clock = session::Clock::Off;
    if let Some(time) = args.clock.move_time(session.plies())? {
        limits.time = Some(limits.time.map_or(time.hard, |limit| limit.min(time.hard)));
        clock = session::Clock::Running(time);
    } else if !limits.is_bounded() {
        limits.time = Some(DEFAULT_TIME);
    }
    let mut progress = Progress { args, terminal: std::io::stderr().is_terminal(), logged: 0.0 };
    let request = SearchRequest {
        clock,
        report_every: Some(progress.interval()),
        report_rows: args.multipv,
        ..SearchRequest::new(&player, limits)
    };
    let analysis = session.search(&request, &Control::default(), &mut |event| progress.show(&event))?;
    if progress.terminal && !args.json {
        // Wipe the line of progress.
        eprint!("\r{:78}\r", "");
    }
    if let Some(path) = &args.tree {
        if let Some(announcement) = announcement(path, analysis.memory).filter(|_| !args.json) {
            eprintln!("{announcement}");
        }
        save(&*session, &player, path)?;
        let bytes = std::fs::metadata(path).map_or(0, |file| file.len());
        if args.json {
            eprintln!("{}", json!({ "type": "tree-file", "file": path, "nodes": analysis.nodes, "bytes": bytes }));
        } else {
            eprintln!("{}: {}, {}", path.display(), counted(analysis.nodes, "node", "nodes"), megabytes(bytes));
        }
    }
    if let Some(path) = &args.depth_profile {
        let title = format!("{player}, {}", counted(analysis.simulations, "simulation", "simulations"));
        files::write(path, depth_profile(&title, &analysis.nodes_per_depth)?.as_bytes(), out)?;
    }
    if args.json {
        writeln!(out, "{}", analysis.json(args.multipv))?;
    } else {
        print(&analysis, args.multipv, out)?;
    }
    networks_in_use().iter().for_each(|network| eprintln!("{}", network_text(network, args.json)));
    Ok(())
}

/// What a network was asked during the search, and what its cache knew.
fn network_text(network: &NetworkInUse, as_json: bool) -> String {
    let NetworkInUse { name, backend, positions, batches, cache, failure } = network;
    if as_json {
        let (lookups, hits) = cache.unzip();
        let failure = failure.as_ref().map(|error| &error.message);
        return json!({ "type": "network", "name": name, "backend": backend, "positions": positions,
            "batches": batches, "cache_lookups": lookups, "cache_hits": hits, "failure": failure })
        .to_string();
    }
    let mean = *positions as f64 / (*batches).max(1) as f64;
    let mut text = format!("network {name} on {backend}: {positions} positions, {mean:.1} per batch");
    if let Some((lookups, hits)) = cache {
        text += &format!(", {:.1} % of them from the cache", 100.0 * *hits as f64 / (*lookups).max(1) as f64);
    }
    if let Some(error) = failure {
        text += &format!("\nnetwork {name}: {}: positions counted as even", error.message);
    }
    text
}

/// A saved tree is as large as the search's memory of it: from this size on it is announced before it is written.
const LARGE_TREE: u64 = 50_000_000;

fn announcement(path: &Path, bytes: u64) -> Option<String> {
    let hint = "fewer simulations or a smaller hash= make it smaller";
    let text = || format!("writing a tree of {} to {} ({hint})", megabytes(bytes), path.display());
    (bytes >= LARGE_TREE).then(text)
}

/// The size of a file, as file managers show it.
fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

fn save(session: &dyn Session, player: &Player, path: &Path) -> anyhow::Result<()> {
    let none = || std::io::Error::other("this search keeps no tree; those of the tree family do (yomi methods)");
    let saved = files::write_with(path, |file| session.save_tree(player, file)?.then_some(()).ok_or_else(none));
    saved.with_context(|| format!("--tree: cannot write {}", path.display()))
}

/// Nodes at each depth (S0.6, figures 2 and 3).
fn depth_profile(title: &str, nodes: &[u64]) -> anyhow::Result<String> {
    ensure!(!nodes.is_empty(), "--depth-profile: this search keeps no tree whose nodes could be counted");
    let points = nodes.iter().enumerate().map(|(depth, &n)| Point::plain(depth as f64, n as f64)).collect();
    let chart = Chart {
        title: title.to_string(),
        x: Axis::labelled("depth in plies"),
        y: Axis { logarithmic: true, ..Axis::labelled("nodes") },
        series: vec![Series { name: "nodes".to_string(), points, joined: true, ..Series::default() }],
        ..Chart::default()
    };
    Ok(chart.svg())
}

/// Shows a line of progress to people, a line now and then to logs, and every report to programs.
struct Progress<'a> {
    args: &'a Args,
    terminal: bool,
    /// When a log was written to last, in seconds of the search.
    logged: f64,
}

impl Progress<'_> {
    fn interval(&self) -> Duration {
        if self.terminal || self.args.json { REPORT_EVERY } else { LOG_EVERY }
    }

    fn show(&mut self, event: &Event) {
        let Event::Progress(so_far) = event else { return };
        if self.args.json {
            eprintln!("{}", so_far.json(self.args.multipv));
            return;
        }
        let pv: String = so_far.pv.chars().take(40).collect();
        let Analysis { simulations, nodes, value, seconds, .. } = **so_far;
        let report = format!("{simulations:>8} simulations {nodes:>9} nodes  {value:+.3}  {pv:<40}");
        if self.terminal {
            eprint!("\r{report}");
        } else if seconds - self.logged >= LOG_EVERY.as_secs_f64() {
            // Some searches report more often than asked: after every iteration.
            self.logged = seconds;
            eprintln!("{}", report.trim_end());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_trees_are_announced() {
        let announced = announcement(Path::new("m.tree"), 193_000_000).unwrap();
        assert!(announced.starts_with("writing a tree of 193.0 MB to m.tree"), "{announced}");
        assert_eq!(announcement(Path::new("m.tree"), LARGE_TREE - 1), None);
    }
}
