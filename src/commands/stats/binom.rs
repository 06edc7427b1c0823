//! `yomi stats binom`: successes out of trials.

use std::io::Write;

use anyhow::ensure;
use serde_json::json;
use yomi_lab::statistics::Proportion;

use super::{Form, interval_json, line, p_text};

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  yomi stats binom 540 1000\n  yomi stats binom 3 40 --p 0.2 --level 0.99\n\n\
    The test is the exact two-sided one (R: binom.test): all results at most as likely as this one are summed.")]
pub(crate) struct Args {
    /// How many succeeded
    successes: u64,
    /// Out of how many
    trials: u64,
    /// The rate to test against
    #[arg(long, default_value_t = 0.5, value_name = "RATE")]
    p: f64,
    #[command(flatten)]
    form: Form,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    ensure!((0.0..=1.0).contains(&args.p), "--p: a rate lies between 0 and 1, not at {}", args.p);
    let proportion = Proportion::new(args.successes, args.trials)?;
    let level = args.form.level;
    let p = proportion.exact_test(args.p);
    let (exact, wilson) = (proportion.clopper_pearson(level), proportion.wilson(level));
    if args.form.json {
        let answer = json!({ "type": "stats-binom", "successes": args.successes, "trials": args.trials, "rate": proportion.rate(),
            "null": args.p, "p": p, "level": level.confidence(), "clopper_pearson": interval_json(exact), "wilson": interval_json(wilson) });
        writeln!(out, "{answer}")?;
        return Ok(());
    }
    let rate = proportion.rate().map_or("no trials".to_string(), |rate| format!("{rate:.4}"));
    writeln!(out, "{} of {}: {rate}", args.successes, args.trials)?;
    line(out, &format!("exact two-sided test against {}", args.p), &format!("p = {}", p_text(p)))?;
    line(out, &format!("{level} interval, Clopper-Pearson"), &exact.to_string())?;
    line(out, &format!("{level} interval, Wilson"), &wilson.to_string())?;
    Ok(())
}
