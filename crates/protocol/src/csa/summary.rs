//! What a server says before a game.

use std::time::Duration;

use yomi_core::{Color, Record, TextError};
use yomi_games::shogi::{Entering, Rules, Shogi, Shogi9, records};

/// The time a side has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TimeRule {
    /// Before byoyomi begins.
    pub total: Duration,
    /// For each move when the total is used up.
    pub byoyomi: Duration,
    /// What each move adds.
    pub increment: Duration,
    /// What a move is charged at least.
    pub least: Duration,
}

/// The conditions of a game.
#[derive(Clone, Debug)]
pub struct Summary {
    /// The server's name for the game.
    pub id: String,
    /// The players, Black first.
    pub names: [String; 2],
    /// Which side we play.
    pub you: Color,
    /// The time of both sides.
    pub time: [TimeRule; 2],
    /// The position the game begins at, and the moves played already.
    pub start: Record<Shogi9>,
}

/// No summary is longer.
const MOST_LINES: usize = 2000;

impl Summary {
    /// Reads the lines between `BEGIN Game_Summary` and `END Game_Summary`, which are not among them.
    pub fn parse(lines: &[String]) -> std::result::Result<Summary, TextError> {
        if lines.len() > MOST_LINES {
            return Err(TextError::new("a summary of a game is shorter than this"));
        }
        let mut id = String::new();
        let mut names = [const { String::new() }; 2];
        let (mut you, mut max_moves) = (None, 0);
        let mut time = [TimeRule::default(); 2];
        let mut unit = Duration::from_secs(1);
        let mut position = String::new();
        let mut section = None;
        for line in lines {
            if section == Some("Position") && line != "END Position" {
                position += line;
                position.push('\n');
                continue;
            }
            let (key, value) = line.split_once(':').unwrap_or((line, ""));
            match (key, section) {
                (_, None) if line.starts_with("BEGIN ") => {
                    section = line.strip_prefix("BEGIN ");
                    unit = Duration::from_secs(1);
                }
                (_, Some(name)) if line.strip_prefix("END ") == Some(name) => section = None,
                ("Game_ID", None) => id = value.to_string(),
                ("Name+", None) => names[0] = value.to_string(),
                ("Name-", None) => names[1] = value.to_string(),
                ("Your_Turn", None) => you = Some(side(value)?),
                ("Max_Moves", None) => max_moves = value.parse().unwrap_or(0),
                ("Time_Unit", Some("Time" | "Time+" | "Time-")) => unit = time_unit(value)?,
                (key, Some(name @ ("Time" | "Time+" | "Time-"))) => {
                    let amount = || value.parse::<u32>().map(|n| unit.saturating_mul(n));
                    for (color, rule) in Color::BOTH.into_iter().zip(&mut time) {
                        let meant = name == "Time" || name.ends_with(sign(color));
                        let slot = match key {
                            "Total_Time" => &mut rule.total,
                            "Byoyomi" => &mut rule.byoyomi,
                            "Increment" => &mut rule.increment,
                            "Least_Time_Per_Move" => &mut rule.least,
                            _ => continue,
                        };
                        if meant {
                            *slot = amount().map_err(|_| TextError::at(line, 0, "a number was expected here"))?;
                        }
                    }
                }
                // The rest is about the protocol itself, or new.
                _ => {}
            }
        }
        let you = you.ok_or_else(|| TextError::new("the server does not say whose side is ours"))?;
        Ok(Summary { id, names, you, time, start: start(&position, max_moves)? })
    }
}

/// The record that the position section describes, under the rules of servers: 27 points, and draws after the agreed number of moves.
fn start(text: &str, max_moves: u32) -> std::result::Result<Record<Shogi9>, TextError> {
    let record = records::read(text.as_bytes())?.shogi();
    let mut record = record.ok_or_else(|| TextError::new("the position is not one of shogi"))?;
    let rules = Rules { entering: Entering::Points27, max_moves, ..Rules::default() };
    record.start = Shogi::from_sfen_with(&record.start.sfen(), rules)?;
    Ok(record)
}

fn sign(color: Color) -> char {
    if color == Color::Black { '+' } else { '-' }
}

fn side(text: &str) -> std::result::Result<Color, TextError> {
    match text {
        "+" => Ok(Color::Black),
        "-" => Ok(Color::White),
        _ => Err(TextError::at(text, 0, "a side is + or -")),
    }
}

/// `1sec`, `1min`, `100msec`.
fn time_unit(text: &str) -> std::result::Result<Duration, TextError> {
    let wrong = || TextError::at(text, 0, "a unit of time looks like 1sec, 1min or 1msec");
    let digits = text.find(|c: char| !c.is_ascii_digit()).ok_or_else(wrong)?;
    let number: u32 = if digits == 0 { 1 } else { text[..digits].parse().map_err(|_| wrong())? };
    let unit = match &text[digits..] {
        "msec" => Duration::from_millis(1),
        "sec" => Duration::from_secs(1),
        "min" => Duration::from_secs(60),
        _ => return Err(wrong()),
    };
    Ok(unit.saturating_mul(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "Protocol_Version:1.2\nProtocol_Mode:Server\nFormat:Shogi 1.0\nDeclaration:Jishogi 1.1\n\
        Game_ID:20260101-CSA25-3-5-7\nName+:TANUKI\nName-:KITSUNE\nYour_Turn:-\nRematch_On_Draw:NO\nTo_Move:+\n\
        Max_Moves:256\nBEGIN Time\nTime_Unit:1sec\nTotal_Time:600\nByoyomi:10\nLeast_Time_Per_Move:1\nEND Time\n\
        BEGIN Position\nPI\n+\n+2726FU,T12\nEND Position";

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_string).collect()
    }

    #[test]
    fn a_summary_is_read() {
        let summary = Summary::parse(&lines(TEXT)).unwrap();
        assert_eq!((summary.id.as_str(), summary.you), ("20260101-CSA25-3-5-7", Color::White));
        assert_eq!(summary.names, ["TANUKI", "KITSUNE"]);
        let rule = TimeRule {
            total: Duration::from_secs(600),
            byoyomi: Duration::from_secs(10),
            least: Duration::from_secs(1),
            ..TimeRule::default()
        };
        assert_eq!(summary.time, [rule; 2]);
        assert_eq!(summary.start.moves().len(), 1);
        assert_eq!(summary.start.start.choices().max_moves, 256);
    }

    #[test]
    fn sides_may_have_times_of_their_own() {
        let text = TEXT.replace(
            "BEGIN Time\nTime_Unit:1sec\nTotal_Time:600\nByoyomi:10\nLeast_Time_Per_Move:1\nEND Time",
            "BEGIN Time+\nTime_Unit:1min\nTotal_Time:5\nEND Time+\nBEGIN Time-\nTime_Unit:100msec\nIncrement:50\nEND Time-",
        );
        let summary = Summary::parse(&lines(&text)).unwrap();
        assert_eq!(summary.time[0].total, Duration::from_secs(300));
        assert_eq!(summary.time[1].increment, Duration::from_secs(5));
    }

    #[test]
    fn nonsense_is_refused() {
        for (from, to) in [
            ("Your_Turn:-\n", ""),
            ("Your_Turn:-", "Your_Turn:x"),
            ("+2726FU", "+2725FU"),
            ("Total_Time:600", "Total_Time:much"),
            ("Time_Unit:1sec", "Time_Unit:1day"),
        ] {
            assert!(Summary::parse(&lines(&TEXT.replace(from, to))).is_err(), "{from} -> {to}");
        }
        assert!(Summary::parse(&vec![String::new(); 10_000]).is_err());
        assert!(Summary::parse(&[]).is_err());
    }
}
