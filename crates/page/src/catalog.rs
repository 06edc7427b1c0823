//! What there is to choose from.

use serde_json::{Value, json};
use yomi_search::METHODS;
use yomi_session::player::defaults::defaults;
use yomi_session::{FAMILIES, OTHER_SEARCHES};

use crate::admit::Limits;

/// The games with their rules and levels, the methods with their parameters, and what a search may take.
pub fn catalog(limits: &Limits) -> Value {
    let games: Vec<Value> = FAMILIES
        .iter()
        .flat_map(|family| family.names.iter().map(move |name| (family, *name)))
        .map(|(family, name)| {
            let rules: Vec<Value> = family.rules.iter().map(|rule| {
                json!({ "key": rule.key, "values": rule.values, "default": rule.default, "meaning": rule.meaning })
            }).collect();
            let table = defaults(name);
            let levels: Vec<Value> = table.into_iter().flat_map(|table| table.measured().zip(1..).map(|(level, n)| {
                json!({ "level": n, "player": table.level(n), "elo": level.elo })
            })).collect();
            json!({ "name": name, "family": family.names[0], "summary": family.summary, "rules": rules, "levels": levels,
                "player": table.map(|table| table.player) })
        })
        .collect();
    let parameters = |list: &[yomi_search::parameters::Parameter]| -> Vec<Value> {
        list.iter()
            .map(|p| json!({ "key": p.key, "unit": p.unit, "default": p.default, "meaning": p.meaning }))
            .collect()
    };
    let methods = METHODS.iter().map(|method| {
        json!({ "name": method.name, "about": method.about, "paper": method.paper, "tree": true,
            "parameters": parameters(method.parameters) })
    });
    let others = OTHER_SEARCHES
        .iter()
        .map(|(name, about)| json!({ "name": name, "about": about, "paper": "", "tree": false, "parameters": [] }));
    json!({ "type": "catalog", "games": games, "methods": methods.chain(others).collect::<Vec<Value>>(),
        "limits": { "simulations": limits.simulations, "seconds": limits.seconds, "threads": limits.threads,
            "hash": limits.hash, "searches": limits.searches } })
}
