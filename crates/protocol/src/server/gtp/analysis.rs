//! Live analysis in the format of Leela Zero and KataGo.

use std::time::Duration;

use serde_json::{Value, json};
use yomi_core::{Color, Line, Notation, TextError};
use yomi_search::Verdict;

use crate::gtp::{Command, parse_color};
use crate::server::candidates::{Candidate, candidates, chance, visits};
use crate::server::forecast::{Forecast, Outlook};

/// Whose words are used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Dialect {
    /// Whole numbers up to 10000.
    Leela,
    /// Fractions, and more of them.
    Kata,
    /// A JSON object, as the Computer Go Server stores it with the move.
    Cgos,
}

/// What was asked for.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Request {
    pub(super) dialect: Dialect,
    /// Whose turn it is to be.
    pub(super) color: Option<Color>,
    /// Time between two reports.
    pub(super) interval: Duration,
    min_moves: usize,
    max_moves: usize,
    ownership: bool,
    moves_ownership: bool,
    pv_visits: bool,
    root_info: bool,
    /// Moves not to look at, and the only ones to look at.
    avoid: Vec<(Color, Vec<String>)>,
    allow: Vec<(Color, Vec<String>)>,
}

impl Request {
    /// Reads `[COLOR] [INTERVAL] [KEY VALUE]…`; intervals are hundredths of a second.
    pub(super) fn parse(command: &Command) -> Result<Request, TextError> {
        let dialect = match command.name.split('-').next() {
            Some("lz") => Dialect::Leela,
            Some("cgos") => Dialect::Cgos,
            _ => Dialect::Kata,
        };
        let mut request = Request {
            dialect,
            color: None,
            interval: Duration::from_secs(1),
            min_moves: 0,
            max_moves: usize::MAX,
            ownership: false,
            moves_ownership: false,
            pv_visits: false,
            root_info: false,
            avoid: Vec::new(),
            allow: Vec::new(),
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
                    "movesOwnership" => request.moves_ownership = value == "true",
                    "pvVisits" => request.pv_visits = value == "true",
                    "rootInfo" => request.root_info = value == "true",
                    // Said by controllers, and without a counterpart here.
                    "pvEdgeVisits" | "ownershipStdev" | "movesOwnershipStdev" => {}
                    // COLOR MOVES PLIES: here it is the next move, however many plies are meant.
                    "avoid" | "allow" => {
                        let color = parse_color(value)?;
                        let moves = words.next().ok_or_else(wrong)?.split(',').map(str::to_string).collect();
                        words.next().and_then(|plies| plies.parse::<u32>().ok()).ok_or_else(wrong)?;
                        let list = if word == "avoid" { &mut request.avoid } else { &mut request.allow };
                        list.push((color, moves));
                    }
                    _ => return Err(wrong()),
                }
            }
        }
        Ok(request)
    }

    /// Lets only those moves be looked at that are asked for; all, if that would leave none.
    pub(super) fn limit<P: Notation>(&self, line: &mut Line<P>) {
        let turn = line.position().turn();
        let named = |lists: &[(Color, Vec<String>)]| -> Vec<String> {
            let ours = lists.iter().filter(|(color, _)| *color == turn).flat_map(|(_, moves)| moves);
            ours.map(|word| word.to_ascii_lowercase()).collect()
        };
        let (avoid, allow) = (named(&self.avoid), named(&self.allow));
        if avoid.is_empty() && allow.is_empty() {
            return;
        }
        let mut moves = Vec::new();
        line.generate(&mut moves);
        moves.retain(|&mv| {
            let word = line.position().move_text(mv).to_ascii_lowercase();
            !avoid.contains(&word) && (allow.is_empty() || allow.contains(&word))
        });
        line.limit_to(&moves);
    }

    /// Whether leads in points are part of the answer.
    pub(super) fn reports_leads(&self) -> bool {
        self.dialect != Dialect::Leela
    }

    /// One line of what the search believes; `win` is what a won game is worth to it.
    pub(super) fn line<P: Notation>(
        &self,
        position: &P,
        verdict: &Verdict<P::Move>,
        win: f32,
        forecast: Option<&Forecast<P::Move>>,
    ) -> String {
        let mut rows = candidates(position, verdict, win, self.min_moves, forecast);
        rows.truncate(self.max_moves);
        let root = forecast.map(|forecast| &forecast.root);
        let (visits, winrate) = (visits(verdict), chance(verdict.value, win));
        if self.dialect == Dialect::Cgos {
            return cgos(&rows, visits, winrate, root);
        }
        let mut parts: Vec<String> = rows.iter().enumerate().map(|(i, row)| self.row(i, row)).collect();
        if self.root_info && self.dialect == Dialect::Kata {
            let lead = root.map_or(String::new(), |root| format!(" scoreLead {:.2}", root.lead));
            parts.push(format!("rootInfo visits {visits} winrate {winrate:.6}{lead}"));
        }
        if let Some(root) = root.filter(|_| self.ownership) {
            parts.push(format!("ownership {}", points_text(root)));
        }
        parts.join(" ")
    }

    fn row(&self, order: usize, row: &Candidate<'_>) -> String {
        let Candidate { mv, visits, winrate, lcb, prior, pv, .. } = row;
        let pv = pv.join(" ");
        if self.dialect == Dialect::Leela {
            let scaled = |p: f32| (p * 10_000.0).round() as i32;
            return format!(
                "info move {mv} visits {visits} winrate {} prior {} lcb {} order {order} pv {pv}",
                scaled(*winrate),
                scaled(*prior),
                scaled(*lcb)
            );
        }
        let lead = row.outlook.map_or(String::new(), |outlook| {
            let Outlook { lead, spread, .. } = outlook;
            format!("scoreMean {lead:.2} scoreStdev {spread:.2} scoreLead {lead:.2} ")
        });
        let mut text = format!(
            "info move {mv} visits {visits} utility {:.6} winrate {winrate:.6} {lead}prior {prior:.6} \
             lcb {lcb:.6} order {order} pv {pv}",
            row.utility()
        );
        if self.pv_visits {
            let counts: Vec<String> = row.pv_visits.iter().map(u64::to_string).collect();
            text += &format!(" pvVisits {}", counts.join(" "));
        }
        if let Some(outlook) = row.outlook.filter(|_| self.moves_ownership) {
            text += &format!(" movesOwnership {}", points_text(outlook));
        }
        text
    }
}

fn points_text(outlook: &Outlook) -> String {
    let points: Vec<String> = outlook.points.iter().map(|p| format!("{p:.3}")).collect();
    points.join(" ")
}

/// What the server's client sends along with the move: numbers for the side to move, and in each line what follows the move.
fn cgos(rows: &[Candidate<'_>], visits: u64, winrate: f32, root: Option<&Outlook>) -> String {
    let short = |x: f32| json!((f64::from(x) * 1e4).round() / 1e4);
    let score = |outlook: Option<&Outlook>| outlook.map_or(Value::Null, |outlook| short(outlook.lead));
    let row = |row: &Candidate<'_>| {
        json!({ "move": row.mv, "visits": row.visits, "winrate": short(row.winrate), "score": score(row.outlook),
            "prior": short(row.prior), "pv": row.pv[1.min(row.pv.len())..].join(" ") })
    };
    let moves: Vec<Value> = rows.iter().map(row).collect();
    let ownership: String = root.iter().flat_map(|root| root.points.iter().map(|&p| letter(p))).collect();
    json!({ "winrate": short(winrate), "score": score(root), "visits": visits, "moves": moves, "ownership": ownership })
        .to_string()
}

/// One of 63 letters for an owner from -1, the other side, to 1, the side to move.
fn letter(owner: f32) -> char {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let index = (owner.clamp(-1.0, 1.0).midpoint(1.0) * 62.0).round() as usize;
    char::from(LETTERS[index.min(62)])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(line: &str) -> Result<Request, TextError> {
        Request::parse(&Command::parse(line).unwrap().unwrap())
    }

    #[test]
    fn owners_are_letters() {
        assert_eq!([-1.0, 0.0, 1.0, 7.0, f32::NAN].map(letter), ['A', 'f', '+', '+', 'A']);
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
        assert_eq!((many.min_moves, many.max_moves, many.root_info, many.pv_visits), (2, 4, true, true));
        let cgos = request("cgos-genmove_analyze b 100").unwrap();
        assert_eq!((cgos.dialect, cgos.color, cgos.interval.as_millis()), (Dialect::Cgos, Some(Color::Black), 1000));
        assert_eq!(many.avoid, [(Color::Black, vec!["A1".to_string(), "A2".to_string()])]);
        for wrong in [
            "lz-analyze often",
            "kata-analyze interval",
            "kata-analyze maxmoves x",
            "kata-analyze -5",
            "kata-analyze allow b A1",
        ] {
            assert!(request(wrong).is_err(), "{wrong}");
        }
    }
}
