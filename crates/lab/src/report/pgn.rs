//! Results as PGN without moves: what Ordo and BayesElo read. White is the player who moved first.

use crate::plan::MatchPlan;
use crate::row::GameRow;

/// All games that count, in the order of the schedule.
pub fn headers_only(plan: &MatchPlan, rows: &[GameRow]) -> String {
    let mut rows: Vec<&GameRow> = rows.iter().filter(|row| row.counts()).collect();
    rows.sort_by_key(|row| row.job);
    let mut out = String::new();
    for row in rows {
        let (word, round) = (row.result.word(), (row.round + 1).to_string());
        let tags = [
            ("Event", plan.config.name.as_str()),
            ("Site", plan.config.game.as_str()),
            ("Round", round.as_str()),
            ("White", row.first.as_str()),
            ("Black", row.second.as_str()),
            ("Result", word),
            ("Termination", row.reason.word()),
        ];
        for (tag, value) in tags {
            out += &format!("[{tag} \"{}\"]\n", quoted(value));
        }
        out += &format!("\n{word}\n\n");
    }
    out
}

/// A backslash protects quotes and itself.
fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
