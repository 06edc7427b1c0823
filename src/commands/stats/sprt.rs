//! `yomi stats sprt`: a match that stops when it knows enough.

use std::io::Write;

use clap::ValueEnum;
use serde_json::{Value, json};
use yomi_core::text::counted;
use yomi_lab::statistics::elo::{elo, normalized_elo};
use yomi_lab::statistics::expected::expectation;
use yomi_lab::statistics::{Model, Sprt, Tally};

use super::{Counts, Form, elo_text, estimate_json, line};

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  yomi stats sprt --elo0 0 --elo1 5 --pairs 365,16618,36229,16974,390\n  \
    yomi stats sprt --elo0 0 --elo1 10 --model logistic 520 300 480\n  yomi stats sprt --elo0 0 --elo1 20   # how long will it take?\n\n\
    The decision is for a test that looks after every game or pair and stops at the first bound.")]
pub(crate) struct Args {
    /// The difference under hypothesis 0
    #[arg(long, allow_negative_numbers = true)]
    elo0: f64,
    /// The difference under hypothesis 1
    #[arg(long, allow_negative_numbers = true)]
    elo1: f64,
    /// The risk of accepting hypothesis 1 when 0 is true
    #[arg(long, default_value_t = 0.05)]
    alpha: f64,
    /// The risk of accepting hypothesis 0 when 1 is true
    #[arg(long, default_value_t = 0.05)]
    beta: f64,
    /// What the hypotheses are measured in
    #[arg(long, value_enum, default_value_t = ModelArg::Normalized)]
    model: ModelArg,
    #[command(flatten)]
    counts: Counts,
    #[command(flatten)]
    form: Form,
}

#[derive(Clone, Copy, ValueEnum)]
enum ModelArg {
    /// Normalized Elo: differences in standard deviations of a game
    Normalized,
    /// Logistic Elo
    Logistic,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    let model = match args.model {
        ModelArg::Normalized => Model::Normalized,
        ModelArg::Logistic => Model::Logistic,
    };
    let sprt = Sprt::new(model, args.elo0, args.elo1, args.alpha, args.beta)?;
    let tally = args.counts.tally()?;
    let deviation = tally.as_ref().map_or(0.5, deviation);
    let [lower, upper] = sprt.bounds();
    let truths = [("H0", args.elo0), ("between", (args.elo0 + args.elo1) / 2.0), ("H1", args.elo1)];
    let expected = truths.map(|(name, truth)| (name, truth, expectation(&sprt, truth, deviation)));
    let state = tally.map(|tally| {
        let ratio = sprt.log_likelihood_ratio(&tally);
        (tally, ratio, sprt.decide(ratio))
    });
    let level = args.form.level;
    if args.form.json {
        let expected = expected
            .map(|(name, truth, e)| json!({ "truth": name, "elo": truth, "games": e.games, "accept_h1": e.accept_h1 }));
        let mut answer = json!({ "type": "stats-sprt", "model": model.to_string(), "elo0": args.elo0, "elo1": args.elo1,
            "alpha": args.alpha, "beta": args.beta, "lower": lower, "upper": upper, "expected": expected });
        if let (Some((tally, ratio, decision)), Value::Object(answer)) = (state, &mut answer) {
            answer.insert("counts".into(), json!(tally.counts()));
            answer.insert("games".into(), json!(tally.len()));
            answer.insert("llr".into(), json!(ratio));
            answer.insert("decision".into(), json!(decision.to_string()));
            answer.insert("elo".into(), estimate_json(elo(&tally, level)));
            answer.insert("normalized_elo".into(), estimate_json(normalized_elo(&tally, level)));
        }
        writeln!(out, "{answer}")?;
        return Ok(());
    }
    writeln!(out, "H0 {} against H1 {} ({model} Elo), alpha {}, beta {}", args.elo0, args.elo1, args.alpha, args.beta)?;
    if let Some((tally, ratio, decision)) = state {
        writeln!(out, "{tally}: {}", counted(tally.len(), "game", "games"))?;
        writeln!(out, "LLR {ratio:.2} in ({lower:.2}, {upper:.2}): {decision}")?;
        line(out, "Elo", &elo_text(elo(&tally, level)))?;
        line(out, "normalized Elo", &elo_text(normalized_elo(&tally, level)))?;
    }
    for (name, truth, e) in expected {
        let text = format!("{:.0} games, H1 accepted in {:.1} %", e.games, e.accept_h1 * 100.0);
        line(out, &format!("expected if the truth is {truth} ({name})"), &text)?;
    }
    if matches!(model, Model::Logistic) && state.is_none() {
        writeln!(out, "(reckoned without draws; with the counts of some games it is reckoned from them)")?;
    }
    Ok(())
}

/// The standard deviation of a game, from pairs as if its games were independent.
fn deviation(tally: &Tally) -> f64 {
    (tally.softened().variance() * tally.games_a_sample() as f64).sqrt()
}
