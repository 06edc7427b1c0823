//! The clocks of a game, kept by the referee. Pure arithmetic: times come in as numbers.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use yomi_core::{Color, TextError};
use yomi_search::time::GameClock;

/// How the time of a game is counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TimeControl {
    /// What a side may spend in the whole game.
    pub main: Duration,
    /// Once that is used up, every move gets this long.
    pub byoyomi: Duration,
    /// What each move adds to the main time (Fischer).
    pub increment: Duration,
    /// How much a move may exceed its time unpunished: what pipes and schedulers cost.
    pub grace: Duration,
}

/// Both clocks, as the side to move sees them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clocks {
    /// The clock of each side.
    pub sides: [GameClock; 2],
    /// How much an answer may be late.
    pub grace: Duration,
}

impl Clocks {
    /// Both clocks before the first move. The increment of the first move is on them, as USI and FIDE count.
    pub fn start(control: &TimeControl) -> Clocks {
        let clock = GameClock {
            left: control.main.saturating_add(control.increment),
            byoyomi: control.byoyomi,
            increment: control.increment,
        };
        Clocks { sides: [clock; 2], grace: control.grace }
    }

    /// The clock of a side.
    pub fn of(&self, side: Color) -> &GameClock {
        &self.sides[side.index()]
    }

    /// How long `side` may think before it loses on time, the grace included.
    pub fn allowance(&self, side: Color) -> Duration {
        let clock = self.of(side);
        clock.left.saturating_add(clock.byoyomi).saturating_add(self.grace)
    }

    /// A move of `side` took this long. False if that was too long.
    pub fn spend(&mut self, side: Color, spent: Duration) -> bool {
        let in_time = spent <= self.allowance(side);
        let clock = &mut self.sides[side.index()];
        clock.left = clock.left.saturating_sub(spent).saturating_add(clock.increment);
        in_time
    }
}

/// Durations are written in seconds: `10`, `0.5`.
fn seconds(text: &str) -> Option<Duration> {
    text.parse().ok().and_then(|s| Duration::try_from_secs_f64(s).ok())
}

/// `300`, `300+5` (Fischer), `300/10` (byoyomi), `0/0.5`, each with `~0.1` for the grace.
impl FromStr for TimeControl {
    type Err = TextError;

    fn from_str(text: &str) -> Result<TimeControl, TextError> {
        let error =
            || TextError::new(format!("{text} is no time control: 300, 300+5, 300/10, 300+5/10~0.1 in seconds"));
        let (rest, grace) = text.split_once('~').unwrap_or((text, "0"));
        let (rest, byoyomi) = rest.split_once('/').unwrap_or((rest, "0"));
        let (main, increment) = rest.split_once('+').unwrap_or((rest, "0"));
        let read = |part: &str| seconds(part.trim()).ok_or_else(error);
        let control = TimeControl {
            main: read(main)?,
            byoyomi: read(byoyomi)?,
            increment: read(increment)?,
            grace: read(grace)?,
        };
        if [control.main, control.byoyomi, control.increment].iter().all(Duration::is_zero) {
            return Err(TextError::new(format!("{text} leaves no time at all")));
        }
        Ok(control)
    }
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.main.as_secs_f64())?;
        for (sign, part) in [('+', self.increment), ('/', self.byoyomi), ('~', self.grace)] {
            if !part.is_zero() {
                write!(f, "{sign}{}", part.as_secs_f64())?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    #[test]
    fn controls_are_read_as_they_are_written() {
        for text in ["300", "300+5", "0/10", "300+5/10~0.1", "0.5/0.25"] {
            assert_eq!(text.parse::<TimeControl>().unwrap().to_string(), text);
        }
        for text in ["", "0", "x", "1+", "1/2/3", "-1", "inf", "1e300", "0~5", "5~x"] {
            assert!(text.parse::<TimeControl>().is_err(), "{text}");
        }
    }

    #[test]
    fn main_time_then_byoyomi() {
        let mut clocks = Clocks::start(&"10/3~0.5".parse().unwrap());
        assert!(clocks.spend(Color::Black, ms(9_000)));
        assert_eq!((clocks.of(Color::Black).left, clocks.of(Color::White).left), (ms(1_000), ms(10_000)));
        assert!(clocks.spend(Color::Black, ms(4_000)), "one second of main time and three of byoyomi");
        assert_eq!(clocks.of(Color::Black).left, ms(0));
        assert!(clocks.spend(Color::Black, ms(3_500)), "the grace");
        assert!(!clocks.spend(Color::Black, ms(3_501)));
    }

    #[test]
    fn fischer_adds_after_every_move() {
        let mut clocks = Clocks::start(&"10+2".parse().unwrap());
        assert_eq!(clocks.of(Color::Black).left, ms(12_000));
        assert!(clocks.spend(Color::Black, ms(1_000)));
        assert_eq!(clocks.of(Color::Black).left, ms(13_000));
        assert!(!clocks.spend(Color::Black, ms(13_001)));
    }
}
