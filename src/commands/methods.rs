//! `yomi methods`: every search there is.

use std::io::Write;

use serde_json::{Value, json};
use yomi_core::{Spec, TextError};
use yomi_search::parameters::{Parameter, Word};
use yomi_search::{METHODS, alpha_beta, backup, expand, flat, options, select, weakened};
use yomi_session::{OTHER_SEARCHES, POLICIES, WRAPPERS, search_names};

use crate::known;

/// List the searches, their parameters and the papers they come from
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  yomi methods\n  yomi methods mcss\n  yomi methods tree\n  yomi methods --json")]
pub(crate) struct Args {
    /// Only this one
    #[arg(value_parser = known::search(), hide_possible_values = true)]
    name: Option<String>,
    /// One JSON object a method
    #[arg(long)]
    json: bool,
}

/// What is a player without being a search.
const LEVEL: (&str, &str) = ("level", "a named strength of the game, level(1) to level(9); yomi levels lists them");

/// The parameters of the searches beside the tree family.
fn parameters_of(name: &str) -> &'static [Parameter] {
    match name {
        "alpha-beta" => alpha_beta::PARAMETERS,
        "mcss-deep" => alpha_beta::SOFT_PARAMETERS,
        "flat" => flat::PARAMETERS,
        "weakened" => weakened::PARAMETERS,
        _ => &[],
    }
}

/// The words of the general form `tree(select=…,expand=…,backup=…)`.
const WORDS: [(&str, &[Word]); 3] = [("select", select::WORDS), ("expand", expand::WORDS), ("backup", backup::WORDS)];

/// What is asked for, as it may be copied from a player: `uct(c=1)` is about `uct`, which has a parameter of that name.
fn asked(text: &str) -> Result<Spec, TextError> {
    let spec = Spec::parse(text)?;
    let family = METHODS.iter().find(|entry| entry.name == spec.name);
    let own = family.map_or_else(|| parameters_of(&spec.name), |entry| entry.parameters);
    let common = if family.is_some() { options::PARAMETERS } else { &[] };
    // What is wrapped, and parameters of searches that list none, are the player's to read.
    if own.is_empty() && common.is_empty() {
        return Ok(spec);
    }
    let words = WORDS.iter().map(|&(part, _)| part).filter(|_| spec.name == "tree");
    for key in own.iter().chain(common).map(|parameter| parameter.key).chain(words) {
        let _ = spec.get(key);
    }
    (0..).take_while(|&index| spec.positional(index).is_some()).for_each(drop);
    spec.reject_unused_of(own.iter().chain(common).map(Parameter::line))?;
    Ok(spec)
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    let asked = args.name.as_deref().map(asked).transpose()?;
    let wanted = |name: &str| asked.as_ref().is_none_or(|only| only.name == name);
    let family = METHODS.iter().map(|entry| (entry.name, entry.about, entry.paper, entry.parameters));
    let others = OTHER_SEARCHES
        .iter()
        .chain(WRAPPERS)
        .chain(&[LEVEL])
        .map(|&(name, about)| (name, about, "", parameters_of(name)));
    let mut found = false;
    for (name, about, paper, parameters) in family.chain(others).filter(|&(name, ..)| wanted(name)) {
        found = true;
        if args.json {
            let parameters: Vec<_> = parameters.iter().map(parameter_json).collect();
            let line =
                json!({ "type": "method", "name": name, "about": about, "paper": paper, "parameters": parameters });
            writeln!(out, "{line}")?;
            continue;
        }
        writeln!(out, "{name}\n    {about}")?;
        if !paper.is_empty() {
            writeln!(out, "    {paper}")?;
        }
        print_parameters(parameters, out)?;
    }
    if let Some(asked) = asked.as_ref().filter(|_| !found) {
        return Err(asked.unknown("a search", search_names()).into());
    }
    for (part, words) in WORDS.into_iter().filter(|_| wanted("tree")) {
        if !args.json {
            writeln!(out, "\nwhat tree({part}=…) may be")?;
        }
        for word in words {
            if args.json {
                let parameters: Vec<_> = word.parameters.iter().map(parameter_json).collect();
                let line = json!({ "type": "word", "part": part, "name": word.name, "about": word.about, "parameters": parameters });
                writeln!(out, "{line}")?;
            } else {
                writeln!(out, "  {}\n    {}", word.name, word.about)?;
                print_parameters(word.parameters, out)?;
            }
        }
    }
    if asked.is_none() && !args.json {
        writeln!(out, "\nwith every method of the tree family")?;
        print_parameters(options::PARAMETERS, out)?;
        writeln!(out, "\nplayout policies, for rollout(policy,n=playouts)")?;
        for (name, about) in POLICIES {
            writeln!(out, "{name}\n    {about}")?;
        }
    }
    Ok(())
}

fn parameter_json(p: &Parameter) -> Value {
    let mut object = json!({ "key": p.key, "unit": p.unit, "default": p.default, "meaning": p.meaning });
    // Values read as they are typed: 0.05, not the nearest number of 32 bits.
    if let Some([result, centipawns]) =
        p.by_unit().map(|both| both.map(|x| x.to_string().parse::<f64>().unwrap_or(0.0)))
    {
        object["by_unit"] = json!({ "result": result, "centipawns": centipawns });
    }
    object
}

fn print_parameters(parameters: &[Parameter], out: &mut dyn Write) -> std::io::Result<()> {
    for p in parameters {
        writeln!(out, "      {}", p.line())?;
    }
    Ok(())
}
