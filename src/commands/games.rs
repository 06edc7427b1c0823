//! `yomi games`: what can be played, and by which rules.

use std::io::Write;

use serde_json::json;

use yomi_session::FAMILIES;

/// List the games, their rules and the options of the rules
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  yomi games\n  yomi games --json\n\n\
    Options of the rules are written behind the name, as in --game 'go9(komi=6.5,ko=simple)'.")]
pub(crate) struct Args {
    /// One JSON object per game
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    for family in FAMILIES {
        if args.json {
            let rules: Vec<_> = family
                .rules
                .iter()
                .map(|r| json!({ "key": r.key, "values": r.values, "default": r.default, "meaning": r.meaning }))
                .collect();
            let (names, summary) = (family.names, family.summary);
            writeln!(out, "{}", json!({ "type": "game", "names": names, "summary": summary, "rules": rules }))?;
            continue;
        }
        writeln!(out, "{}\n    {}", family.names.join(", "), family.summary)?;
        for rule in family.rules {
            writeln!(out, "      {:<14} {} [{}]", format!("{}=", rule.key), rule.meaning, rule.default)?;
            writeln!(out, "      {:<14}   {}", "", rule.values)?;
        }
    }
    Ok(())
}
