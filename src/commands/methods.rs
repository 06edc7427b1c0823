//! `yomi methods`: every search there is.

use std::io::Write;

use serde_json::json;
use yomi_players::OTHER_SEARCHES;
use yomi_search::{METHODS, options};

/// List the searches, their parameters and the papers they come from
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  yomi methods\n  yomi methods mcss\n  yomi methods --json")]
pub(crate) struct Args {
    /// Only this one
    name: Option<String>,
    /// One JSON object a method
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    let wanted = |name: &str| args.name.as_deref().is_none_or(|only| only == name);
    let mut found = false;
    for entry in METHODS.iter().filter(|entry| wanted(entry.name)) {
        found = true;
        if args.json {
            let parameters: Vec<_> = entry
                .parameters
                .iter()
                .map(|p| json!({ "key": p.key, "unit": p.unit, "default": p.default, "meaning": p.meaning }))
                .collect();
            let told = json!({ "type": "method", "name": entry.name, "about": entry.about, "paper": entry.paper, "parameters": parameters });
            writeln!(out, "{told}")?;
            continue;
        }
        writeln!(out, "{}\n    {}", entry.name, entry.about)?;
        if !entry.paper.is_empty() {
            writeln!(out, "    {}", entry.paper)?;
        }
        print_parameters(entry.parameters, out)?;
    }
    for (name, about) in OTHER_SEARCHES.iter().filter(|(name, _)| wanted(name)) {
        found = true;
        if args.json {
            writeln!(out, "{}", json!({ "type": "method", "name": name, "about": about }))?;
        } else {
            writeln!(out, "{name}\n    {about}")?;
        }
    }
    anyhow::ensure!(found, "there is no search called {}", args.name.as_deref().unwrap_or(""));
    if !args.json && args.name.is_none() {
        writeln!(out, "\nwith every method of the tree family")?;
        print_parameters(options::PARAMETERS, out)?;
    }
    Ok(())
}

fn print_parameters(parameters: &[yomi_search::parameters::Parameter], out: &mut dyn Write) -> std::io::Result<()> {
    for p in parameters {
        let default = if p.default.is_empty() { String::new() } else { format!(" [{}]", p.default) };
        writeln!(out, "      {:<14} {} ({}){default}", format!("{}=", p.key), p.meaning, p.unit)?;
    }
    Ok(())
}
