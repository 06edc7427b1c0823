//! `yomi stats elo`: how strong, from the counts of one match.

use std::io::Write;

use anyhow::Context;
use serde_json::json;
use yomi_core::text::counted;
use yomi_lab::statistics::elo::{elo, likelihood_of_superiority, normalized_elo};
use yomi_lab::statistics::score::{decisive, score};

use super::{Counts, Form, elo_text, estimate_json, interval_json, line, p_text};

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  yomi stats elo 162 9 129\n  yomi stats elo --pairs 34,54,63,64,75 --json\n\n\
    Below 100 games (or pairs) error bars use Student's distribution.\n\
    Games that share an opening in pairs are not independent: with the counts of pairs the error\nbars are right.")]
pub(crate) struct Args {
    #[command(flatten)]
    counts: Counts,
    #[command(flatten)]
    form: Form,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    let tally = args.counts.tally()?.context("three counts (wins draws losses) or --pairs with five are needed")?;
    let level = args.form.level;
    let (score, elo, normalized) = (score(&tally, level), elo(&tally, level), normalized_elo(&tally, level));
    let superiority = likelihood_of_superiority(&tally);
    let decisive = decisive(&tally);
    if args.form.json {
        let dropped = decisive.map(|d| {
            json!({ "wins": d.successes(), "games": d.trials(), "rate": d.rate(), "p": d.exact_test(0.5),
                    "clopper_pearson": interval_json(d.clopper_pearson(level)), "wilson": interval_json(d.wilson(level)) })
        });
        let answer = json!({ "type": "stats-elo", "counts": tally.counts(), "games": tally.len(), "level": level.confidence(),
            "score": estimate_json(score), "draws_dropped": dropped, "elo": estimate_json(elo),
            "normalized_elo": estimate_json(normalized), "superiority": superiority });
        writeln!(out, "{answer}")?;
        return Ok(());
    }
    writeln!(out, "{tally}: {}", counted(tally.len(), "game", "games"))?;
    let text = score.map_or("unknown: no games".to_string(), |s| format!("{:.4}  {}", s.value, s.interval));
    line(out, "score, draws as half", &text)?;
    if let Some(decisive) = decisive {
        let rate = decisive.rate().map_or("none".to_string(), |rate| format!("{rate:.4}"));
        line(out, "win rate, draws dropped (Wilson)", &format!("{rate}  {}", decisive.wilson(level)))?;
        line(out, "exact test of even chances", &format!("p = {}", p_text(decisive.exact_test(0.5))))?;
    }
    line(out, "Elo", &elo_text(elo))?;
    line(out, "normalized Elo", &elo_text(normalized))?;
    line(out, "likelihood of superiority", &format!("{:.2} %", superiority * 100.0))?;
    writeln!(out, "intervals: {level}")?;
    Ok(())
}
