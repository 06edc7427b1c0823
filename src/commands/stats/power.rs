//! `yomi stats power`: before the match.

use std::io::Write;

use anyhow::{Context, ensure};
use serde_json::json;
use yomi_core::text::counted;
use yomi_lab::statistics::elo::{elo_of_score, score_of_elo};
use yomi_lab::statistics::power::{PowerPlan, detectable_score};
use yomi_lab::statistics::tally::MAX_GAMES;

use super::line;

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  yomi stats power                             # a small table\n  \
    yomi stats power --score 0.54                # games that show 54 %\n  \
    yomi stats power --elo 20 --draws 0.3 --power 0.9\n  yomi stats power --score 0.54 --games 1000   # what 1000 games are good for\n  \
    yomi stats power --games 300                 # what 300 games can show\n\n\
    For a two-sided test against even chances. A match that may stop early needs fewer games:\nsee yomi stats sprt.")]
pub(crate) struct Args {
    /// The true score you hope for, a draw being half a win
    #[arg(long, conflicts_with = "elo")]
    score: Option<f64>,
    /// The same as a difference in Elo
    #[arg(long, allow_negative_numbers = true)]
    elo: Option<f64>,
    /// How many games will be played
    #[arg(long)]
    games: Option<u64>,
    /// The share of games that are drawn
    #[arg(long, default_value_t = 0.0, value_name = "SHARE")]
    draws: f64,
    /// The significance of the test
    #[arg(long, default_value_t = 0.05)]
    alpha: f64,
    /// The probability with which the difference is to be seen
    #[arg(long, default_value_t = 0.8)]
    power: f64,
    /// JSON instead of text
    #[arg(long)]
    json: bool,
}

/// The scores of the small table.
const DEFAULT_SCORES: [f64; 7] = [0.51, 0.52, 0.53, 0.54, 0.55, 0.60, 0.65];

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    ensure!(
        args.games.is_none_or(|games| games <= MAX_GAMES),
        "--games: more than {MAX_GAMES} are taken for a mistake"
    );
    match (args.score.or(args.elo.map(score_of_elo)), args.games) {
        (Some(score), games) => one(args, score, games, out),
        (None, Some(games)) => detectable(args, games, out),
        (None, None) => {
            if !args.json {
                writeln!(out, "{:>7}  {:>8}  {:>10}", "score", "Elo", "games")?;
            }
            DEFAULT_SCORES.iter().try_for_each(|&score| row(args, score, out))
        }
    }
}

fn row(args: &Args, score: f64, out: &mut dyn Write) -> anyhow::Result<()> {
    if args.json {
        return one(args, score, None, out);
    }
    let games = PowerPlan::new(score, args.draws, args.alpha)?.games_needed(args.power)?;
    writeln!(out, "{score:>7.3}  {:>+8.1}  {games:>10}", elo_of_score(score))?;
    Ok(())
}

fn one(args: &Args, score: f64, games: Option<u64>, out: &mut dyn Write) -> anyhow::Result<()> {
    let plan = PowerPlan::new(score, args.draws, args.alpha)?;
    let needed = plan.games_needed(args.power)?;
    let power = games.map(|games| plan.exact_power(games).unwrap_or_else(|| plan.power(games)));
    if args.json {
        let answer = json!({ "type": "stats-power", "score": score, "elo": elo_of_score(score), "draws": args.draws, "alpha": args.alpha,
            "power": args.power, "games_needed": needed, "games": games, "power_of_games": power });
        writeln!(out, "{answer}")?;
        return Ok(());
    }
    writeln!(
        out,
        "true score {score:.4} ({:+.1} Elo), draws {:.0} %, alpha {}",
        elo_of_score(score),
        args.draws * 100.0,
        args.alpha
    )?;
    line(out, &format!("games for a power of {}", args.power), &needed.to_string())?;
    if let (Some(games), Some(power)) = (games, power) {
        let how = if args.draws > 0.0 { "normal approximation" } else { "exact test" };
        line(out, &format!("power of {}", counted(games, "game", "games")), &format!("{power:.3} ({how})"))?;
    }
    Ok(())
}

fn detectable(args: &Args, games: u64, out: &mut dyn Write) -> anyhow::Result<()> {
    // Any possible difference will do to check the other numbers.
    PowerPlan::new(0.5 + (1.0 - args.draws) / 4.0, args.draws, args.alpha)?.games_needed(args.power)?;
    let score = detectable_score(games, args.draws, args.alpha, args.power);
    if args.json {
        let answer = json!({ "type": "stats-power", "games": games, "draws": args.draws, "alpha": args.alpha, "power": args.power,
            "detectable_score": score, "detectable_elo": score.map(elo_of_score) });
        writeln!(out, "{answer}")?;
        return Ok(());
    }
    let score = score.with_context(|| format!("{games} games show no difference with a power of {}", args.power))?;
    writeln!(out, "{}, draws {:.0} %, alpha {}", counted(games, "game", "games"), args.draws * 100.0, args.alpha)?;
    let text = format!("score {score:.4} ({:+.1} Elo)", elo_of_score(score));
    line(out, &format!("shown with a power of {}", args.power), &text)?;
    Ok(())
}
