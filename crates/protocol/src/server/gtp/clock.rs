//! Clocks in GTP.

use std::time::Duration;

use yomi_core::{Color, TextError};
use yomi_search::time::{GameClock, MoveTime, TimeOptions, move_time};

use crate::gtp::{Command, TimeSettings, parse_color};

/// The time both sides have.
#[derive(Clone, Debug, Default)]
pub(super) struct Clocks {
    rules: Option<TimeRules>,
    /// What was reported last: time left, and stones to play in it where overtime runs.
    left: [Option<(Duration, u32)>; 2],
    /// What a move may lose between the controller and us, if that was set ([`GameClock::default_delay`] otherwise).
    delay: Option<Duration>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum TimeRules {
    /// Main time, then a number of stones in each period.
    Canadian(TimeSettings),
    /// Main time, then periods of a fixed length per move.
    Byoyomi { main: Duration, period: Duration },
    /// Main time, and more with every move.
    Fischer { main: Duration, increment: Duration },
}

impl Clocks {
    /// No clocks yet, and this for what a move loses on its way.
    pub(super) fn new(delay: Option<Duration>) -> Clocks {
        Clocks { delay, ..Clocks::default() }
    }

    /// `time_settings MAIN OVERTIME STONES`.
    pub(super) fn time_settings(&mut self, command: &Command) -> Result<(), TextError> {
        let settings: TimeSettings = command.args.join(" ").parse()?;
        self.set((!settings.is_unlimited()).then_some(TimeRules::Canadian(settings)));
        Ok(())
    }

    /// `kgs-time_settings none | absolute MAIN | byoyomi MAIN PERIOD PERIODS | canadian MAIN PERIOD STONES`, and KataGo's `fischer MAIN
    /// INCREMENT`.
    pub(super) fn named_settings(&mut self, command: &Command) -> Result<(), TextError> {
        let seconds = |index: usize| seconds(command.arg(index, "a time in seconds")?);
        let rules = match command.arg(0, "none, absolute, byoyomi, canadian or fischer")? {
            "none" => None,
            "absolute" => Some(TimeRules::Byoyomi { main: seconds(1)?, period: Duration::ZERO }),
            "byoyomi" => Some(TimeRules::Byoyomi { main: seconds(1)?, period: seconds(2)? }),
            "canadian" => {
                let stones = command.arg(3, "a number of stones")?;
                let stones = stones.parse().map_err(|_| TextError::at(stones, 0, "a number of stones was expected"))?;
                Some(TimeRules::Canadian(TimeSettings { main: seconds(1)?, overtime: seconds(2)?, stones }))
            }
            "fischer" => Some(TimeRules::Fischer { main: seconds(1)?, increment: seconds(2)? }),
            other => return Err(TextError::at(other, 0, "there are none, absolute, byoyomi, canadian and fischer")),
        };
        self.set(rules);
        Ok(())
    }

    fn set(&mut self, rules: Option<TimeRules>) {
        *self = Clocks { rules, left: [None; 2], delay: self.delay };
    }

    /// `time_left COLOR TIME STONES`.
    pub(super) fn time_left(&mut self, command: &Command) -> Result<(), TextError> {
        let color = parse_color(command.arg(0, "a colour")?)?;
        let time = seconds(command.arg(1, "a time in seconds")?)?;
        let stones = command.args.get(2).map_or(Ok(0), |s| s.parse());
        let stones = stones.map_err(|_| TextError::new("a number of stones was expected"))?;
        self.left[color.index()] = Some((time, stones));
        Ok(())
    }

    /// How long the move of `color` at `ply` may take; none without a limit. A game lasts about `length` moves of one side.
    pub(super) fn time(&self, color: Color, ply: u32, length: u32) -> Option<MoveTime> {
        let rules = self.rules?;
        let last = self.left[color.index()];
        let clock = match (rules, last) {
            (TimeRules::Byoyomi { main, period }, last) => match last {
                // In overtime the periods left are given as stones.
                Some((time, periods)) if periods > 0 => GameClock { byoyomi: time, ..GameClock::default() },
                last => GameClock { left: last.map_or(main, |t| t.0), byoyomi: period, ..GameClock::default() },
            },
            (TimeRules::Canadian(_), Some((time, stones))) if stones > 0 => {
                GameClock { byoyomi: time / stones, ..GameClock::default() }
            }
            (TimeRules::Canadian(settings), last) => {
                let share = settings.overtime.checked_div(settings.stones).unwrap_or_default();
                GameClock { left: last.map_or(settings.main, |t| t.0), byoyomi: share, ..GameClock::default() }
            }
            (TimeRules::Fischer { main, increment }, last) => {
                GameClock { left: last.map_or(main, |t| t.0), increment, ..GameClock::default() }
            }
        };
        let network_delay = self.delay.unwrap_or_else(|| clock.default_delay());
        let options = TimeOptions { network_delay, moves_ahead: length, ..TimeOptions::default() };
        Some(move_time(&clock, ply, &options))
    }
}

/// Seconds, perhaps with a fraction, as controllers write them.
fn seconds(word: &str) -> Result<Duration, TextError> {
    let number = word.parse::<f64>().ok().filter(|seconds| seconds.is_finite());
    let number = number.ok_or_else(|| TextError::at(word, 0, "a time in seconds was expected"))?;
    Ok(Duration::try_from_secs_f64(number.max(0.0)).unwrap_or(Duration::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clocks(lines: &[&str]) -> Clocks {
        let mut clocks = Clocks::default();
        for line in lines {
            let command = Command::parse(line).unwrap().unwrap();
            match command.name.as_str() {
                "time_settings" => clocks.time_settings(&command).unwrap(),
                "time_left" => clocks.time_left(&command).unwrap(),
                _ => clocks.named_settings(&command).unwrap(),
            }
        }
        clocks
    }

    fn soft(lines: &[&str]) -> Option<u128> {
        clocks(lines).time(Color::Black, 0, 40).map(|time| time.soft.as_millis())
    }

    #[test]
    fn every_kind_of_clock() {
        assert_eq!(soft(&["time_settings 0 1 0"]), None);
        assert_eq!(soft(&["kgs-time_settings none"]), None);
        assert_eq!(soft(&["time_settings 400 0 0"]), Some(10_000));
        assert_eq!(soft(&["time_settings 0 30 10"]), Some(2_750));
        assert_eq!(soft(&["time_settings 0 1 1"]), Some(750));
        assert_eq!(soft(&["time_settings 400 0 0", "time_left b 40 0"]), Some(1_000));
        assert_eq!(soft(&["time_settings 0 30 10", "time_left b 20 4"]), Some(4_750));
        assert_eq!(soft(&["kgs-time_settings byoyomi 0 10 5", "time_left b 10 5"]), Some(9_750));
        assert_eq!(soft(&["kgs-time_settings byoyomi 400 10 5"]), Some(19_750));
        assert_eq!(soft(&["kgs-time_settings absolute 400"]), Some(10_000));
        assert_eq!(soft(&["kata-time_settings fischer 400 2"]), Some(11_750));
        assert_eq!(soft(&["time_settings 400 0 0", "time_left b -3 0"]), Some(0));
    }

    #[test]
    fn nonsense_is_refused() {
        let mut clocks = Clocks::default();
        for line in ["time_left", "time_left x 1 1", "time_left b x 1", "time_left b 1 x", "time_left b nan 1"] {
            assert!(clocks.time_left(&Command::parse(line).unwrap().unwrap()).is_err(), "{line}");
        }
        for line in ["kgs-time_settings", "kgs-time_settings sand", "kgs-time_settings canadian 1 2 x"] {
            assert!(clocks.named_settings(&Command::parse(line).unwrap().unwrap()).is_err(), "{line}");
        }
    }
}
