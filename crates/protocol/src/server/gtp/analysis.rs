//! Live analysis as Leela Zero and KataGo tell it.

use std::time::Duration;

use yomi_core::{Color, Notation, TextError};
use yomi_search::{RootMove, Verdict};

use crate::gtp::{Command, parse_color};

/// Whose words are used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Dialect {
    /// Whole numbers up to 10000.
    Leela,
    /// Fractions, and more of them.
    Kata,
}

/// What somebody wants to see.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Request {
    pub(super) dialect: Dialect,
    /// Whose turn it is to be.
    pub(super) color: Option<Color>,
    /// Time between two reports.
    pub(super) interval: Duration,
    min_moves: usize,
    max_moves: usize,
    pub(super) ownership: bool,
    root_info: bool,
}

/// Who owns the points in the end, for the side to move, in reading order, and by how much it leads.
pub(super) struct Outlook {
    pub(super) points: Vec<f32>,
    pub(super) lead: f32,
}

impl Request {
    /// Reads `[COLOR] [INTERVAL] [KEY VALUE]…`; intervals are hundredths of a second.
    pub(super) fn parse(command: &Command) -> Result<Request, TextError> {
        let dialect = if command.name.starts_with("lz-") { Dialect::Leela } else { Dialect::Kata };
        let mut request = Request {
            dialect,
            color: None,
            interval: Duration::from_secs(1),
            min_moves: 0,
            max_moves: usize::MAX,
            ownership: false,
            root_info: false,
        };
        let hundredths = |word: &str| word.parse().map(|n: u32| Duration::from_millis(10) * n.max(1)).ok();
        let mut words = command.args.iter().map(String::as_str);
        while let Some(word) = words.next() {
            let wrong = || TextError::at(word, 0, format!("{} does not understand this", command.name));
            if let Ok(color) = parse_color(word) {
                request.color = Some(color);
            } else if let Some(interval) = hundredths(word) {
                request.interval = interval;
            } else {
                let value = words.next().ok_or_else(wrong)?;
                match word {
                    "interval" => request.interval = hundredths(value).ok_or_else(wrong)?,
                    "minmoves" => request.min_moves = value.parse().map_err(|_| wrong())?,
                    "maxmoves" => request.max_moves = value.parse().map_err(|_| wrong())?,
                    "ownership" => request.ownership = value == "true",
                    "rootInfo" => request.root_info = value == "true",
                    // Said by controllers, and without a counterpart here.
                    "pvVisits" | "pvEdgeVisits" | "movesOwnership" | "ownershipStdev" | "movesOwnershipStdev" => {}
                    // COLOR MOVES PLIES: all moves are looked at.
                    "avoid" | "allow" => drop((words.next(), words.next())),
                    _ => return Err(wrong()),
                }
            }
        }
        Ok(request)
    }

    /// One line of what the search believes; `win` is what a won game is worth to it.
    pub(super) fn line<P: Notation>(
        &self,
        position: &P,
        verdict: &Verdict<P::Move>,
        win: f32,
        outlook: Option<&Outlook>,
    ) -> String {
        let seen = verdict.moves.iter().filter(|row| row.visits > 0).count();
        let rows = seen.max(self.min_moves).max(1).min(self.max_moves);
        let moves = verdict.moves.iter().take(rows).enumerate();
        let mut parts: Vec<String> = moves.map(|(i, row)| self.row(position, i, row, win, outlook)).collect();
        if self.root_info && self.dialect == Dialect::Kata {
            let visits: u64 = verdict.moves.iter().map(|row| row.visits).sum();
            parts.push(format!("rootInfo visits {visits} winrate {:.6}", chance(verdict.value, win)));
        }
        if let Some(outlook) = outlook.filter(|_| self.ownership) {
            let points: Vec<String> = outlook.points.iter().map(|p| format!("{p:.3}")).collect();
            parts.push(format!("ownership {}", points.join(" ")));
        }
        parts.join(" ")
    }

    fn row<P: Notation>(
        &self,
        position: &P,
        order: usize,
        row: &RootMove<P::Move>,
        win: f32,
        outlook: Option<&Outlook>,
    ) -> String {
        let mut at = position.clone();
        let mut pv = Vec::new();
        for &mv in &row.pv {
            pv.push(at.move_text(mv));
            at.play(mv);
        }
        let (mv, pv, visits) = (position.move_text(row.mv), pv.join(" "), row.visits);
        let winrate = chance(row.value, win);
        let lcb = lower_bound(winrate, visits);
        match self.dialect {
            Dialect::Leela => {
                let scaled = |p: f32| (p * 10_000.0).round() as i32;
                format!(
                    "info move {mv} visits {visits} winrate {} prior {} lcb {} order {order} pv {pv}",
                    scaled(winrate),
                    scaled(row.prior),
                    scaled(lcb)
                )
            }
            Dialect::Kata => {
                let lead = outlook.map_or(String::new(), |o| format!("scoreMean {0:.2} scoreLead {0:.2} ", o.lead));
                format!(
                    "info move {mv} visits {visits} utility {:.6} winrate {winrate:.6} {lead}prior {:.6} lcb {lcb:.6} \
                     order {order} pv {pv}",
                    2.0 * winrate - 1.0,
                    row.prior
                )
            }
        }
    }
}

/// The chance of winning that a value stands for.
pub(super) fn chance(value: f32, win: f32) -> f32 {
    let chance = (value / win).midpoint(1.0);
    if chance.is_nan() { 0.5 } else { chance.clamp(0.0, 1.0) }
}

/// The chance is hardly smaller than this: two standard errors below.
fn lower_bound(chance: f32, visits: u64) -> f32 {
    let error = (chance * (1.0 - chance) / visits.max(1) as f32).sqrt();
    (chance - 2.0 * error).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(line: &str) -> Result<Request, TextError> {
        Request::parse(&Command::parse(line).unwrap().unwrap())
    }

    #[test]
    fn all_forms_in_use_are_read() {
        let plain = request("lz-analyze 50").unwrap();
        assert_eq!((plain.dialect, plain.color, plain.interval.as_millis()), (Dialect::Leela, None, 500));
        let sabaki = request("lz-genmove_analyze B 20").unwrap();
        assert_eq!((sabaki.color, sabaki.interval.as_millis()), (Some(Color::Black), 200));
        let lizzie = request("kata-analyze interval 10 ownership true").unwrap();
        assert_eq!((lizzie.dialect, lizzie.ownership, lizzie.interval.as_millis()), (Dialect::Kata, true, 100));
        let many =
            request("kata-analyze w 5 minmoves 2 maxmoves 4 rootInfo true avoid b A1,A2 5 pvVisits true").unwrap();
        assert_eq!((many.min_moves, many.max_moves, many.root_info), (2, 4, true));
        for wrong in ["lz-analyze often", "kata-analyze interval", "kata-analyze maxmoves x", "kata-analyze -5"] {
            assert!(request(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn chances_are_between_nothing_and_all() {
        assert_eq!([-1.0, 0.0, 1.0, 5.0, f32::NAN].map(|value| chance(value, 1.0)), [0.0, 0.5, 1.0, 1.0, 0.5]);
        assert_eq!(chance(50.0, 100.0), 0.75);
        assert!(lower_bound(0.5, 100) < 0.5 && lower_bound(0.01, 1) == 0.0);
    }
}
