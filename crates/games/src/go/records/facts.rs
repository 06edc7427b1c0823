//! What the root says about a game: komi, rules, result.

use yomi_core::{Color, Ending, Notation, Outcome, Spec, TextError};

use super::side;
use crate::go::rules::{Compensation, Rules};
use crate::go::{Go, Points, size_of_name};

/// Reads a komi. Servers also write it in stones (3.75) or hundredths of them (375); a point is half a stone.
pub(super) fn read_komi(text: &str) -> Result<Points, TextError> {
    let text = text.replace(',', ".");
    let wrong = || TextError::new(format!("KM[{}]: komi is a number in halves", super::excerpt(&text)));
    let number: f64 = text.split_whitespace().next().and_then(|word| word.parse().ok()).ok_or_else(wrong)?;
    let points = match number {
        n if n >= 200.0 && n % 25.0 == 0.0 => n / 50.0,
        n if n.abs() < 5.0 && (n * 4.0) % 2.0 != 0.0 => n * 2.0,
        n => n,
    };
    points.to_string().parse().map_err(|()| wrong())
}

/// The rules that a name in `RU` stands for, or our own text for rules without a name; the default ones if the name is unknown.
pub(super) fn read_rules(text: &str) -> Rules {
    let own = || Spec::parse(text).ok().filter(|spec| size_of_name(&spec.name).is_some());
    Rules::named(text).or_else(|| Rules::read(&own()?).ok()).unwrap_or_default()
}

/// Rule sets that other programs know, as they write them in `RU`.
const NAMES: [&str; 6] = ["Tromp-Taylor", "Chinese", "Japanese", "AGA", "NZ", "GOE"];

/// What to write in `RU`: a name that others know, or our own text for rules that have none. Our usual rules are the Chinese ones as long as
/// there is no handicap.
pub(super) fn write_rules<const LEN: usize>(position: &Go<LEN>) -> String {
    let rules = position.ruleset();
    let with = |named: Rules| Rules { komi: rules.komi, handicap: rules.handicap, ..named };
    let exact = NAMES.into_iter().find(|name| Rules::named(name).is_some_and(|named| with(named) == rules));
    let default = (rules.handicap == 0 && rules == with(Rules::default())).then_some("Chinese");
    exact.or(default).map_or_else(|| Notation::rules(position), str::to_string)
}

/// Whether two rule sets are the same for this game: without handicap stones there is nothing to compensate.
pub(super) fn same_game(a: Rules, b: Rules) -> bool {
    let idle = |rules: Rules| Rules { compensation: Compensation::None, ..rules };
    a == b || (a.handicap == 0 && idle(a) == idle(b))
}

/// The ending that `RE` gives, if it gives one; `to_move` is the side to move at the end of the main line.
pub(super) fn read_ending(text: &str, to_move: Color) -> Option<Ending> {
    let text = text.trim();
    match text.to_ascii_lowercase().as_str() {
        "0" | "draw" | "jigo" => return Some(Ending::Counted(Outcome::Draw)),
        "void" => return Some(Ending::Aborted),
        _ => {}
    }
    let (winner, how) = text.split_once('+')?;
    let winner = side(winner)?;
    let loser_moves = winner != to_move;
    Some(match how.trim_start().bytes().next().map(|b| b.to_ascii_lowercase()) {
        Some(b'r') if loser_moves => Ending::Resign,
        Some(b't') if loser_moves => Ending::TimeUp,
        Some(b'f') if loser_moves => Ending::IllegalAction,
        Some(b'f') => Ending::IllegalMove,
        // Who resigns while the other is to move has lost all the same.
        _ => Ending::Counted(Outcome::Win(winner)),
    })
}

/// What to write in `RE` for an ending at `last`.
pub(super) fn write_ending<const LEN: usize>(ending: Ending, last: &Go<LEN>) -> String {
    use yomi_core::Position;
    let how = match ending {
        Ending::Resign => "R",
        Ending::TimeUp => "T",
        Ending::IllegalAction | Ending::IllegalMove => "F",
        _ => "",
    };
    match ending.outcome(last.turn()) {
        None => "Void".to_string(),
        Some(_) if ending == Ending::Repetition => "Void".to_string(),
        Some(Outcome::Draw) => "0".to_string(),
        Some(outcome @ Outcome::Win(winner)) => {
            let score = last.score(&[]);
            if how.is_empty() && last.passes() >= 2 && score.outcome() == outcome {
                score.to_string()
            } else {
                format!("{}+{how}", super::move_id(winner))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::Go9;

    #[test]
    fn komi_in_points_and_stones() {
        for (text, points) in [
            ("6.5", "6.5"),
            ("7", "7"),
            (" 5,5 ", "5.5"),
            ("0", "0"),
            ("-3.5", "-3.5"),
            ("6.50 points", "6.5"),
            ("3.75", "7.5"),
            ("375", "7.5"),
            ("2.75", "5.5"),
            ("275", "5.5"),
            ("0.00", "0"),
        ] {
            let read = read_komi(text);
            assert_eq!(read.map(|p| p.to_string()), Ok(points.to_string()), "{text}");
        }
        for wrong in ["", "x", "6.51", "6.25", "1e9", "NaN", "--5"] {
            assert!(read_komi(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn results_name_the_ending() {
        let (black, white) = (Color::Black, Color::White);
        let won = |color| Some(Ending::Counted(Outcome::Win(color)));
        for (text, to_move, ending) in [
            ("B+R", white, Some(Ending::Resign)),
            ("B+R", black, won(black)),
            ("w+resign", black, Some(Ending::Resign)),
            ("W+T", black, Some(Ending::TimeUp)),
            ("W+Forfeit", black, Some(Ending::IllegalAction)),
            ("W+F", white, Some(Ending::IllegalMove)),
            ("B+3.5", white, won(black)),
            ("White+0.5", white, won(white)),
            ("B+", black, won(black)),
            ("0", black, Some(Ending::Counted(Outcome::Draw))),
            ("Jigo", black, Some(Ending::Counted(Outcome::Draw))),
            ("Void", black, Some(Ending::Aborted)),
            ("?", black, None),
            ("", black, None),
            ("黑中盘胜", black, None),
        ] {
            assert_eq!(read_ending(text, to_move), ending, "{text}");
            if let Some(outcome) = ending.and_then(|e| e.outcome(to_move)) {
                let mut last = Go9::new(9, Rules::default()).unwrap();
                last.set_turn(to_move);
                let written = write_ending(ending.unwrap(), &last);
                assert_eq!(read_ending(&written, to_move).and_then(|e| e.outcome(to_move)), Some(outcome), "{text}");
            }
        }
    }

    #[test]
    fn rules_go_by_name_or_by_text() {
        for name in ["Japanese", "Chinese", "AGA", "NZ", "GOE", "Tromp-Taylor", "go9(ko=simple,suicide=true)"] {
            let position = Go9::new(9, read_rules(name)).unwrap();
            assert_eq!(write_rules(&position), name);
        }
        // Our usual rules are the Chinese ones as long as there is no handicap.
        let default = Go9::new(9, Rules::default()).unwrap();
        assert_eq!(write_rules(&default), "Chinese");
        let handicap = Go9::new(9, Rules { handicap: 2, ..Rules::default() }).unwrap();
        let written = write_rules(&handicap);
        assert_eq!(written, "go9(handicap=2)");
        assert_eq!(read_rules(&written), Rules { handicap: 2, ..Rules::default() });
        let compensated = Go9::new(9, Rules { handicap: 2, ..Rules::named("aga").unwrap() }).unwrap();
        assert_eq!(write_rules(&compensated), "AGA");
        assert_eq!(read_rules("french"), Rules::default());
    }
}
