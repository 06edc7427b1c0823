//! Clocks.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use yomi_core::TextError;

/// The arguments of `time_settings`: main time, then a number of stones per period, over and over (Canadian byo-yomi).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeSettings {
    /// The time for all moves until overtime.
    pub main: Duration,
    /// A period of overtime. With none, the game is lost when the main time is over.
    pub overtime: Duration,
    /// Stones to play in each period. None at all with some overtime means that there is no limit.
    pub stones: u32,
}

impl TimeSettings {
    /// No limit.
    pub const NONE: TimeSettings = TimeSettings { main: Duration::ZERO, overtime: Duration::from_secs(1), stones: 0 };

    /// Whether there is no limit.
    pub fn is_unlimited(&self) -> bool {
        self.stones == 0 && !self.overtime.is_zero()
    }
}

impl FromStr for TimeSettings {
    type Err = TextError;

    fn from_str(text: &str) -> Result<TimeSettings, TextError> {
        let wrong = || TextError::at(text, 0, "time_settings is followed by main time, overtime (seconds) and stones");
        let words: Vec<&str> = text.split_whitespace().collect();
        let [main, overtime, stones] = words[..] else { return Err(wrong()) };
        let seconds = |word: &str| word.parse().map(Duration::from_secs).map_err(|_| wrong());
        Ok(TimeSettings {
            main: seconds(main)?,
            overtime: seconds(overtime)?,
            stones: stones.parse().map_err(|_| wrong())?,
        })
    }
}

impl fmt::Display for TimeSettings {
    /// Whole seconds, rounded down: an engine must not believe it has more than it has.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.main.as_secs(), self.overtime.as_secs(), self.stones)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_as_it_reads() {
        for text in ["300 0 0", "0 30 25", "0 1 0"] {
            assert_eq!(text.parse::<TimeSettings>().unwrap().to_string(), text);
        }
        assert!(TimeSettings::NONE.is_unlimited());
        for text in ["", "1 2", "1 2 3 4", "a b c", "-1 0 0"] {
            assert!(text.parse::<TimeSettings>().is_err(), "{text}");
        }
    }
}
