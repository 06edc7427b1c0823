//! What is answered, one JSON object per line.

use serde_json::{Value, json};
use yomi_core::{Color, Position};
use yomi_games::go::{Go, GoMove, Symmetry};
use yomi_search::Verdict;

use super::query::{Fault, Query, View};
use crate::server::candidates::{Candidate, candidates, chance, lower_bound, visits};
use crate::server::forecast::{Forecast, Outlook};

/// What a position is asked about, and what is known of it besides what the search says.
pub(super) struct Subject<'a, const LEN: usize> {
    pub(super) query: &'a Query,
    pub(super) turn: usize,
    pub(super) position: &'a Go<LEN>,
    /// What a won game is worth to the search.
    pub(super) win: f32,
}

impl<const LEN: usize> Subject<'_, LEN> {
    /// What the search believes, while it thinks or in the end.
    pub(super) fn answer(&self, verdict: &Verdict<GoMove>, forecast: &Forecast<GoMove>, during: bool) -> Value {
        let Subject { query, position, .. } = self;
        let root = chance(verdict.value, self.win);
        let infos = candidates(*position, verdict, self.win, 1, Some(forecast));
        let moves: Vec<Value> = infos.iter().enumerate().map(|(order, row)| self.row(row, order)).collect();
        let outlook = &forecast.root;
        let visits = visits(verdict);
        let mut answer = json!({
            "id": query.id,
            "turnNumber": self.turn,
            "isDuringSearch": during,
            "moveInfos": moves,
            "rootInfo": {
                "currentPlayer": if position.turn() == Color::Black { "B" } else { "W" },
                "visits": visits,
                "weight": visits,
                "winrate": self.chance(root),
                "lcb": self.chance(lower_bound(root, visits)),
                "utility": self.points(2.0 * root - 1.0),
                "scoreLead": self.points(outlook.lead),
                "scoreMean": self.points(outlook.lead),
                "scoreSelfplay": self.points(outlook.mean),
                "scoreStdev": short(outlook.spread),
                "thisHash": hash(position.key()),
                "symHash": hash(Symmetry::ALL.iter().map(|&s| position.transformed(s).key()).min().unwrap_or(0)),
            },
        });
        if query.ownership {
            answer["ownership"] = self.ownership(outlook);
        }
        if query.policy {
            answer["policy"] = self.policy(verdict);
        }
        answer
    }

    fn row(&self, row: &Candidate<'_>, order: usize) -> Value {
        let mut info = json!({
            "move": row.mv,
            "visits": row.visits,
            "edgeVisits": row.visits,
            "weight": row.visits,
            "winrate": self.chance(row.winrate),
            "lcb": self.chance(row.lcb),
            "utility": self.points(row.utility()),
            "utilityLcb": self.points(2.0 * row.lcb - 1.0),
            "prior": short(row.prior),
            "order": order,
            "pv": row.pv,
        });
        if let Some(outlook) = row.outlook {
            info["scoreLead"] = self.points(outlook.lead);
            info["scoreMean"] = self.points(outlook.lead);
            info["scoreSelfplay"] = self.points(outlook.mean);
            info["scoreStdev"] = short(outlook.spread);
            if self.query.moves_ownership {
                info["ownership"] = self.ownership(outlook);
            }
        }
        if self.query.pv_visits {
            info["pvVisits"] = json!(row.pv_visits);
            info["pvEdgeVisits"] = json!(row.pv_visits);
        }
        info
    }

    fn ownership(&self, outlook: &Outlook) -> Value {
        outlook.points.iter().map(|&p| self.points(p)).collect()
    }

    /// How likely each move seemed before the search, in reading order and the pass last; -1 where there is no such move.
    fn policy(&self, verdict: &Verdict<GoMove>) -> Value {
        let size = self.position.size();
        let mut policy = vec![-1.0; size * size + 1];
        let total: f32 = verdict.moves.iter().map(|row| row.prior.max(0.0)).sum();
        for row in &verdict.moves {
            let index = match row.mv.vertex() {
                Some(v) => (size - 1 - self.position.row(v)) * size + self.position.column(v),
                None => size * size,
            };
            policy[index] = if total > 0.0 { row.prior.max(0.0) / total } else { 1.0 / verdict.moves.len() as f32 };
        }
        policy.into_iter().map(short).collect()
    }

    /// Whether values are reported for the side to move.
    fn is_own(&self) -> bool {
        match self.query.view {
            View::SideToMove => true,
            View::Of(color) => color == self.position.turn(),
        }
    }

    fn chance(&self, chance: f32) -> Value {
        short(if self.is_own() { chance } else { 1.0 - chance })
    }

    fn points(&self, points: f32) -> Value {
        short(if self.is_own() { points } else { 0.0 - points })
    }
}

/// A number of six decimals.
fn short(x: f32) -> Value {
    json!((f64::from(x) * 1e6).round() / 1e6 + 0.0)
}

fn hash(key: u64) -> String {
    format!("{key:016X}")
}

/// The answer about a position whose search was terminated before it began.
pub(super) fn no_results(query: &Query, turn: usize) -> Value {
    json!({ "id": query.id, "turnNumber": turn, "isDuringSearch": false, "noResults": true })
}

/// What is wrong.
pub(super) fn error(fault: &Fault) -> Value {
    let mut answer = json!({ "error": fault.message });
    fault.field.iter().for_each(|field| answer["field"] = json!(field));
    fault.id.iter().for_each(|id| answer["id"] = json!(id));
    answer
}

/// What is done otherwise than it was meant.
pub(super) fn warning(query: &Query, field: &str, message: &str) -> Value {
    json!({ "warning": message, "field": field, "id": query.id })
}

#[cfg(test)]
mod tests {
    use super::super::query::{Defaults, Request, read};
    use super::*;
    use yomi_core::{Line, Notation};
    use yomi_games::go::{Go9, Rules};
    use yomi_search::RootMove;

    /// White to move has three chances in four, from every view.
    #[test]
    fn values_are_reported_for_the_side_that_was_asked_for() {
        let seen = |view: &str| {
            let defaults = Defaults { size: 5, rules: Rules::default(), view: View::parse(view).unwrap() };
            let question = r#"{"id":"a","moves":[["B","C3"]],"includeOwnership":true,"includePVVisits":true,
                "includeMovesOwnership":true}"#;
            let Ok(Request::Analyze(query)) = read(question, &defaults) else { panic!("a question") };
            let line: Line<Go9> = query.line(1).unwrap();
            let mv = line.position().parse_move("D4").unwrap();
            let row = RootMove { visits: 100, value: 0.5, prior: 0.25, ..RootMove::new(mv) };
            let verdict = Verdict { best: Some(mv), value: 0.5, moves: vec![row], ..Verdict::empty() };
            let root = Outlook { lead: 6.0, mean: 2.0, spread: 10.0, points: vec![0.5; 25] };
            let moves = vec![(mv, Outlook { lead: 4.0, points: vec![0.25; 25], ..root.clone() })];
            let subject = Subject { query: &query, turn: 1, position: line.position(), win: 1.0 };
            let answer = subject.answer(&verdict, &Forecast { root, moves }, true);
            let number = |value: &Value| value.as_f64().unwrap();
            let (root, row) = (&answer["rootInfo"], &answer["moveInfos"][0]);
            assert_eq!(
                (&answer["isDuringSearch"], &root["currentPlayer"], &root["visits"]),
                (&json!(true), &json!("W"), &json!(100))
            );
            assert_eq!(row["prior"], 0.25);
            assert_eq!((&row["pvVisits"], &row["pv"]), (&json!([100]), &json!(["D4"])));
            assert_eq!(number(&row["scoreStdev"]), 10.0);
            let lead = number(&root["scoreLead"]);
            assert_eq!(
                (lead.abs(), number(&row["scoreLead"]).abs(), number(&row["ownership"][3]).abs()),
                (6.0, 4.0, 0.25)
            );
            let lcb = number(&row["lcb"]);
            (
                [&row["winrate"], &root["winrate"], &row["utility"], &answer["ownership"][7]].map(number),
                lead > 0.0,
                lcb > 0.5,
            )
        };
        let own = ([0.75, 0.75, 0.5, 0.5], true, true);
        assert_eq!((seen("white"), seen("SIDETOMOVE")), (own, own));
        assert_eq!(seen("Black"), ([0.25, 0.25, -0.5, -0.5], false, false));
    }
}
