//! A whole game looked at: the chance of winning along it, its mistakes, and what would have been better.

use serde::Serialize;
use yomi_core::{Color, Outcome, TextError};
use yomi_session::board::side_word;
use yomi_session::records::{AnyRecord, Note};
use yomi_session::report::Analysis;
use yomi_session::{Budget, Control, Player, SearchRequest};

/// How bad a move is: by how much it lowers the chance of the side that plays it. The page has the same numbers (`web/src/moves.tsx`).
pub const THRESHOLDS: [(f64, &str, &str); 3] =
    [(0.30, "??", "blunder"), (0.15, "?", "mistake"), (0.08, "?!", "doubtful")];

/// A move of a game that was looked at.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ReviewedMove {
    /// Its number, from 1.
    pub number: usize,
    /// Who played it: `black`, `white`.
    pub side: &'static str,
    /// The move.
    #[serde(rename = "move")]
    pub text: String,
    /// The move in the forms that people know.
    pub spoken: String,
    /// The position before it.
    pub position: String,
    /// Black's chance before it.
    pub before: f64,
    /// Black's chance after it.
    pub after: f64,
    /// By how much it lowered the chance of its side; below 0 if it did better than was thought.
    pub loss: f64,
    /// `??`, `?`, `?!`, or nothing.
    pub mark: &'static str,
    /// What the search would have played, if it is another move.
    pub better: Option<String>,
    /// The line it saw, that move first.
    pub line: String,
}

/// A reviewed game.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Review {
    /// The game and its rules.
    pub game: String,
    /// Who looked at it.
    pub player: String,
    /// Black's chance at each position, the first one included.
    pub chances: Vec<f64>,
    /// The moves.
    pub moves: Vec<ReviewedMove>,
}

/// Looks at every position of a record's main line. `progress` hears how many positions are done, of how many.
pub fn review(
    record: &dyn AnyRecord,
    player: &Player,
    budget: &Budget,
    seed: u64,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Review, TextError> {
    let mut session = record.open();
    let moves = session.moves();
    session.undo(moves.len())?;
    session.prepare(player, false)?;
    let limits = player.ending_limits(budget, seed)?;
    let mut seen: Vec<Seen> = Vec::with_capacity(moves.len() + 1);
    let mut spoken = Vec::new();
    for ply in 0..=moves.len() {
        progress(ply, moves.len() + 1);
        let turn = session.turn();
        let (chance, analysis) = match session.outcome() {
            Some(Outcome::Win(side)) => (if side == Color::Black { 1.0 } else { 0.0 }, None),
            Some(Outcome::Draw) => (0.5, None),
            None => {
                let analysis =
                    session.search(&SearchRequest::new(player, limits.clone()), &Control::default(), &mut |_| {})?;
                let chance = if turn == Color::Black { analysis.chance } else { 1.0 - analysis.chance };
                (chance, Some(analysis))
            }
        };
        seen.push(Seen { turn, chance, analysis, position: session.position().position });
        if let Some(mv) = moves.get(ply) {
            spoken.push(session.spoken(mv)?);
            session.play_line(mv)?;
        }
    }
    progress(moves.len() + 1, moves.len() + 1);
    let judged = moves.iter().zip(spoken).enumerate().map(|(ply, (mv, spoken))| judge(ply, mv, spoken, &seen));
    Ok(Review {
        game: record.game(),
        player: player.to_string(),
        chances: seen.iter().map(|seen| seen.chance).collect(),
        moves: judged.collect(),
    })
}

/// What a search saw at a position.
struct Seen {
    turn: Color,
    /// Black's.
    chance: f64,
    analysis: Option<Analysis>,
    position: String,
}

fn judge(ply: usize, mv: &str, spoken: String, seen: &[Seen]) -> ReviewedMove {
    let (before, after) = (&seen[ply], &seen[ply + 1]);
    let sign = if before.turn == Color::Black { 1.0 } else { -1.0 };
    let other = before.analysis.as_ref().filter(|analysis| analysis.best.as_deref().is_some_and(|best| best != mv));
    // A search that would have played the same cannot call it a mistake, whatever it sees a move later.
    let loss = sign * (before.chance - after.chance);
    let mark = THRESHOLDS.iter().find(|(least, ..)| loss >= *least && other.is_some()).map_or("", |&(_, mark, _)| mark);
    ReviewedMove {
        number: ply + 1,
        side: side_word(before.turn),
        text: mv.to_string(),
        spoken,
        position: before.position.clone(),
        before: before.chance,
        after: after.chance,
        loss,
        mark,
        better: other.and_then(|analysis| analysis.best.clone()),
        line: other.map(|analysis| analysis.pv.clone()).unwrap_or_default(),
    }
}

/// How much of a better line becomes a variation.
const LONGEST_LINE: usize = 12;

impl Review {
    /// The mistakes, the worst first.
    pub fn mistakes(&self) -> Vec<&ReviewedMove> {
        let mut found: Vec<&ReviewedMove> = self.moves.iter().filter(|mv| !mv.mark.is_empty()).collect();
        found.sort_by(|a, b| b.loss.total_cmp(&a.loss));
        found
    }

    /// Writes what was found into the record.
    pub fn annotate(&self, record: &mut dyn AnyRecord) -> Result<(), TextError> {
        for mv in &self.moves {
            let percent = |chance: f64| format!("{:.1} %", 100.0 * chance);
            let mistake = !mv.mark.is_empty();
            let better = mv.line.split_whitespace().take(LONGEST_LINE).collect::<Vec<_>>().join(" ");
            let comment = match mistake {
                true => format!("{} Black {} → {}; better: {better}", mv.mark, percent(mv.before), percent(mv.after)),
                false => String::new(),
            };
            let better = if mistake { better } else { String::new() };
            record.annotate(mv.number - 1, &Note { chance: Some(mv.after as f32), comment, better })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use yomi_session::records::read_all;

    /// White leaves a rook where it is taken for nothing: the search says so, and a record says it to others.
    #[test]
    fn a_blunder_is_found_and_written_down() {
        let text = "sfen rbsgk/4p/5/P4/KGSBR b - 1 moves 3e4d 5a5c 4d5c 4a3b";
        let mut records = read_all(text.as_bytes(), "usi".parse().unwrap(), None).unwrap();
        let player: Player = "alpha-beta depth=3".parse().unwrap();
        let mut heard = Vec::new();
        let found = review(&*records[0], &player, &Budget::default(), 1, &mut |n, all| heard.push((n, all))).unwrap();
        assert_eq!((found.chances.len(), heard.last()), (5, Some(&(5, 5))));
        let worst = found.mistakes()[0];
        assert_eq!((worst.number, worst.side, worst.mark), (2, "white", "??"), "{found:?}");
        assert!(worst.better.is_some() && worst.loss > 0.3);
        found.annotate(&mut *records[0]).unwrap();
        let kif = String::from_utf8(records[0].write("kifu".parse().unwrap(), None).unwrap()).unwrap();
        assert!(kif.contains("?? Black") && kif.contains("変化：2手"), "{kif}");
        // What was written is read back with the same moves.
        let again = read_all(kif.as_bytes(), "kifu".parse().unwrap(), None).unwrap();
        assert_eq!(again[0].open().moves(), records[0].open().moves());
    }
}
