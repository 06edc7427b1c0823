//! Clocks of a game between a person and a player: `10m+5s`, `5m/30s`.

use std::time::Duration;

use yomi_core::{Color, TextError};
use yomi_lab::clock::{Clocks, TimeControl};

/// Reads main time, increment and byoyomi with units: `10m+5s`, `1h/30s`, `5m`. Without a unit a number is seconds.
pub(super) fn parse(text: &str) -> Result<TimeControl, TextError> {
    let mut plain = String::new();
    for part in text.split_inclusive(['+', '/', '~']) {
        let sign = part.chars().last().filter(|c| "+/~".contains(*c));
        let number = part.trim_end_matches(['+', '/', '~']).trim();
        let (number, unit) = match number.strip_suffix(['h', 'm', 's']) {
            Some(bare) => (bare, &number[bare.len()..]),
            None => (number, "s"),
        };
        let seconds = match unit {
            "h" => 3600.0,
            "m" => 60.0,
            _ => 1.0,
        };
        let wrong = || TextError::new(format!("{text} is no clock: 10m+5s (increment), 5m/30s (byoyomi), 300"));
        plain += &(number.parse::<f64>().map_err(|_| wrong())? * seconds).to_string();
        plain.extend(sign);
    }
    plain.parse()
}

/// Both clocks on one line: `Black 9:55, White 10:00`, with what every move adds or gets.
pub(super) fn shown(clocks: &Clocks) -> String {
    let side = |color: Color| {
        let clock = clocks.of(color);
        let byoyomi =
            if clock.byoyomi.is_zero() { String::new() } else { format!(" + {} per move", time(clock.byoyomi)) };
        format!("{color:?} {}{byoyomi}", time(clock.left))
    };
    format!("{}, {}", side(Color::Black), side(Color::White))
}

/// `1:02:03`, `9:55`, `0:30`.
fn time(time: Duration) -> String {
    let seconds = time.as_secs();
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_have_units() {
        for (text, plain) in
            [("10m+5s", "600+5"), ("1h/30s", "3600/30"), ("300", "300"), ("0.5m", "30"), ("5m / 10", "300/10")]
        {
            assert_eq!(parse(text).unwrap().to_string(), plain, "{text}");
        }
        for wrong in ["", "x", "5d", "m", "10m+", "0s"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn clocks_are_shown_as_clocks() {
        let clocks = Clocks::start(&parse("1h/30s").unwrap());
        assert_eq!(shown(&clocks), "Black 1:00:00 + 0:30 per move, White 1:00:00 + 0:30 per move");
        assert_eq!(shown(&Clocks::start(&parse("9m+5s").unwrap())), "Black 9:05, White 9:05");
    }
}
