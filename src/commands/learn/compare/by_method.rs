//! What the seeds of a method say together.

use std::fmt::Write as _;
use std::io::Write;

use serde_json::{Value, json};
use yomi_core::text::counted;
use yomi_lab::statistics::elo::{elo, elo_of_score};
use yomi_lab::statistics::repeats::mean_of_runs;
use yomi_lab::statistics::{Estimate, Level, Tally};

/// The matches of one table: equal games or equal time, against one opponent.
pub(super) struct Table {
    title: String,
    /// The methods, with a result for every seed.
    rows: Vec<(String, Vec<[u64; 3]>)>,
}

/// The tables of the reports, one report per seed.
pub(super) fn collect(summaries: &[Value]) -> anyhow::Result<Vec<Table>> {
    let mut tables: Vec<Table> = Vec::new();
    let parts = summaries.iter().flat_map(|summary| summary["parts"].as_array().into_iter().flatten());
    for part in parts.filter(|part| part["kind"] == "match-table") {
        let title = part["title"].as_str().unwrap_or_default();
        let at = tables.iter().position(|table| table.title == title).unwrap_or_else(|| {
            tables.push(Table { title: title.to_string(), rows: Vec::new() });
            tables.len() - 1
        });
        for row in part["rows"].as_array().into_iter().flatten() {
            let label = row["label"].as_str().unwrap_or_default();
            let counts = ["wins", "draws", "losses"].map(|key| row[key].as_u64().unwrap_or(0));
            let rows = &mut tables[at].rows;
            match rows.iter_mut().find(|(method, _)| method == label) {
                Some((_, seeds)) => seeds.push(counts),
                None => rows.push((label.to_string(), vec![counts])),
            }
        }
    }
    Ok(tables)
}

/// The Elo of a method. Of several seeds the mean score with its interval between seeds; a single one has that of its games.
fn estimate(seeds: &[[u64; 3]]) -> anyhow::Result<Option<Estimate>> {
    let tallies: Vec<Tally> =
        seeds.iter().map(|&[wins, draws, losses]| Tally::games(wins, draws, losses)).collect::<Result<_, _>>()?;
    Ok(match tallies[..] {
        [ref only] => elo(only, Level::P95),
        _ => mean_of_runs(&tallies, Level::P95).map(|score| score.map(elo_of_score)),
    })
}

fn elo_text(elo: &Estimate) -> String {
    format!("{:+.0} [{:+.0}, {:+.0}]", elo.value, elo.interval.low, elo.interval.high)
}

/// `+12 =0 -4`, all seeds together.
fn total(seeds: &[[u64; 3]]) -> [u64; 3] {
    seeds.iter().fold([0; 3], |sum, counts| std::array::from_fn(|i| sum[i] + counts[i]))
}

/// A page with a table for each.
pub(super) fn markdown(tables: &[Table]) -> String {
    let mut text = "# Methods, the mean over seeds\n\nElo with 95 % intervals. A seed is one observation: the interval is Student's for the mean \
                    of the seeds' scores, never narrower than the games alone leave open.\n"
        .to_string();
    for Table { title, rows } in tables {
        let _ = write!(text, "\n## {title}\n\n| method | seeds | W-D-L | Elo | each seed |\n|---|--:|--:|--:|---|\n");
        for (method, seeds) in rows {
            let [wins, draws, losses] = total(seeds);
            let elo = estimate(seeds).ok().flatten().map_or("–".to_string(), |elo| elo_text(&elo));
            let alone = |counts: &[u64; 3]| {
                let elo = estimate(std::slice::from_ref(counts)).ok().flatten();
                elo.map_or("–".to_string(), |elo| format!("{:+.0}", elo.value))
            };
            let each: Vec<String> = seeds.iter().map(alone).collect();
            let _ = writeln!(
                text,
                "| `{method}` | {} | {wins}-{draws}-{losses} | {elo} | {} |",
                seeds.len(),
                each.join(", ")
            );
        }
    }
    text
}

/// Elo with intervals, a line per method.
pub(super) fn print(tables: &[Table], json: bool, out: &mut dyn Write) -> anyhow::Result<()> {
    for Table { title, rows } in tables {
        if !json {
            writeln!(out, "\n{title}")?;
        }
        for (method, seeds) in rows {
            let ([wins, draws, losses], elo) = (total(seeds), estimate(seeds)?);
            if json {
                let interval = elo.map(|elo| [elo.interval.low, elo.interval.high]);
                let line = json!({ "type": "row", "table": title, "method": method, "wins": wins, "draws": draws, "losses": losses,
                    "seeds": seeds.len(), "elo": elo.map(|elo| elo.value), "interval": interval });
                writeln!(out, "{line}")?;
                continue;
            }
            let of = if seeds.len() > 1 {
                format!(" over {}", counted(seeds.len() as u64, "seed", "seeds"))
            } else {
                String::new()
            };
            let text = elo.map_or(String::new(), |elo| format!("Elo {}{of}", elo_text(&elo)));
            writeln!(out, "  {method:<18}+{wins} ={draws} -{losses}  {text}")?;
        }
    }
    Ok(())
}
