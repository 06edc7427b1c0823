//! Numbers and names as tables show them.

use yomi_core::text::counted;

use crate::statistics::{Estimate, Interval};

/// A p-value for people.
pub fn p_text(p: f64) -> String {
    if p < 0.001 { "<0.001".to_string() } else { format!("{p:.3}") }
}

/// A share with its interval, in percent; the head of the column says so. Shares lie between 0 and 100 whatever an approximation gives.
pub fn percent_text(share: Option<f64>, interval: Interval) -> String {
    let Some(share) = share else { return "no games".to_string() };
    let Interval { low, high } = interval.within_unit();
    format!("{:.1} [{:.1}, {:.1}]", 100.0 * share, 100.0 * low, 100.0 * high)
}

/// A number with its interval.
pub fn number_text(value: f64, interval: Interval) -> String {
    if interval.low.is_finite() && interval.high.is_finite() {
        format!("{} [{}, {}]", short(value), short(interval.low), short(interval.high))
    } else {
        short(value)
    }
}

/// A difference with its sign and its interval: Elo. `–` if there is none.
pub fn signed_text(estimate: Option<Estimate>) -> String {
    let one = |value: f64| match value {
        value if value.is_nan() => "?".to_string(),
        f64::INFINITY => "+∞".to_string(),
        f64::NEG_INFINITY => "−∞".to_string(),
        // A minus as wide as a plus, and no "-0".
        value => format!("{:+.0}", value.round() + 0.0).replace('-', "−"),
    };
    estimate.map_or("–".to_string(), |Estimate { value, interval }| {
        format!("{} [{}, {}]", one(value), one(interval.low), one(interval.high))
    })
}

/// `1 game`, `20 games`.
pub fn games_text(games: u64) -> String {
    counted(games, "game", "games")
}

/// Wins, draws and losses.
pub fn record_text(wins: u64, draws: u64, losses: u64) -> String {
    format!("{wins}-{draws}-{losses}")
}

/// A number with about four digits.
pub fn short(value: f64) -> String {
    match value.abs() {
        x if !x.is_finite() => "?".to_string(),
        x if x >= 1000.0 || x == 0.0 => format!("{value:.0}"),
        x if x >= 100.0 => format!("{value:.1}"),
        x if x >= 1.0 => format!("{value:.2}"),
        _ => format!("{value:.4}"),
    }
}

/// CPU microseconds per simulation; of a search that makes none, per node or else per evaluated position, and then it says so.
pub fn step_time_text(cpu_ms: f64, [sims, nodes, evals]: [u64; 3]) -> String {
    let steps = [("", sims), (" per node", nodes), (" per evaluation", evals)];
    match steps.into_iter().find(|&(_, count)| count > 0) {
        Some((what, count)) if cpu_ms > 0.0 => format!("{}{what}", short(1000.0 * cpu_ms / count as f64)),
        _ => "–".to_string(),
    }
}

/// A word for file names: letters, digits and dashes only.
pub fn slug(text: &str) -> String {
    let mut slug = String::new();
    for c in text.chars().flat_map(char::to_lowercase) {
        if c.is_ascii_alphanumeric() {
            slug.push(c);
        } else if !slug.ends_with('-') && !slug.is_empty() {
            slug.push('-');
        }
    }
    slug.trim_end_matches('-').chars().take(60).collect()
}

/// No short name is longer.
const LONGEST: usize = 36;

/// Names that fit into a table: of each full name as little as tells it from the others.
pub fn short_names(full: &[&str]) -> Vec<String> {
    let levels: [fn(&str) -> String; 4] =
        [|name| head(name), |name| search(name), |name| cut(name), |name| name.to_string()];
    let mut names = Vec::new();
    for level in levels {
        names = full.iter().map(|name| level(name)).collect::<Vec<String>>();
        let distinct: std::collections::BTreeSet<&String> = names.iter().collect();
        let many: std::collections::BTreeSet<&&str> = full.iter().collect();
        if distinct.len() == many.len() {
            break;
        }
    }
    names
}

/// The first word: the search without its parameters, or the foreign program.
fn head(name: &str) -> String {
    let word = name.split_whitespace().next().unwrap_or(name);
    let foreign =
        ["usi:", "gtp:", "xboard:", "usi(", "gtp(", "xboard("].iter().find_map(|start| word.strip_prefix(start));
    let word = match foreign {
        // The program's name without its place.
        Some(rest) => rest.split([',', ')']).next().unwrap_or(rest).rsplit('/').next().unwrap_or(rest),
        None => word.split('(').next().unwrap_or(word),
    };
    cut(if word.is_empty() { name } else { word })
}

/// The search with its parameters, without evaluation and budget.
fn search(name: &str) -> String {
    let mut depth = 0;
    let end = name.char_indices().find(|&(_, c)| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth == 0 && c.is_whitespace()
    });
    cut(end.map_or(name, |(end, _)| &name[..end]))
}

fn cut(name: &str) -> String {
    if name.chars().count() <= LONGEST {
        return name.to_string();
    }
    name.chars().take(LONGEST - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_for_people() {
        assert_eq!(p_text(0.0004), "<0.001");
        assert_eq!(short(1234.5), "1234");
        assert_eq!(short(0.2625), "0.2625");
        assert_eq!(number_text(2.0, Interval { low: f64::NEG_INFINITY, high: 3.0 }), "2.00");
        assert_eq!(slug("S0.6, Table 1: T = 80"), "s0-6-table-1-t-80");
        let elo = Estimate { value: -0.2, interval: Interval { low: -108.8, high: f64::INFINITY } };
        assert_eq!(signed_text(Some(elo)), "+0 [−109, +∞]");
    }

    #[test]
    fn names_are_as_short_as_they_can_be() {
        let gnu = "gtp:/usr/games/gnugo --mode gtp --chinese-rules --capture-all-dead --level 10";
        assert_eq!(short_names(&["prior-rave(after=1) + go sims=2000", gnu]), ["prior-rave", "gnugo"]);
        assert_eq!(short_names(&["mcss(t=60) + linear", "mcss(t=80) + linear"]), ["mcss(t=60)", "mcss(t=80)"]);
        assert_eq!(short_names(&["uct sims=10", "uct sims=20"]), ["uct sims=10", "uct sims=20"]);
        assert_eq!(short_names(&["usi(fairy-stockfish) nodes=500", "mcss"]), ["fairy-stockfish", "mcss"]);
        let long = format!("uct({}", "x".repeat(60));
        assert_eq!(short_names(&[&format!("{long}1)"), &format!("{long}2)")])[0], format!("{long}1)"));
    }

    proptest! {
        /// Whatever players are called, different ones stay different.
        #[test]
        fn short_names_tell_players_apart(names in proptest::collection::btree_set("[a-c(:,) =+/]{1,12}", 1..6)) {
            let full: Vec<&str> = names.iter().map(String::as_str).collect();
            let short: std::collections::BTreeSet<String> = short_names(&full).into_iter().collect();
            prop_assert_eq!(short.len(), full.len());
        }

        /// No share is printed outside 0 to 100.
        #[test]
        fn shares_stay_between_nothing_and_everything(share in 0.0f64..=1.0, low in -2.0f64..2.0, high in -2.0f64..3.0) {
            let text = percent_text(Some(share), Interval { low, high });
            let numbers = text.split(['[', ']', ',', ' ']).filter(|part| !part.is_empty());
            for number in numbers {
                prop_assert!((0.0..=100.0).contains(&number.parse::<f64>().unwrap()), "{}", text);
            }
        }
    }
}
