//! How long to think about a move, from what the clocks show.
//!
//! Pure arithmetic: times come in as numbers, no clock is read here. [`move_time`] shares out the time of a game; [`Paced`] ends a search at
//! its soft limit, or later if it is still changing its mind. The hard limit belongs into the search's own limits, too: they are
//! looked at more often.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use yomi_core::clock::Stopwatch;

use crate::search::{Verdict, Watch};
use crate::tree::Explorer;

/// The clock of the side to move, as the game's referee counts it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct GameClock {
    /// What may be spent before byoyomi begins. Referees that hand out the increment before the move (USI) count it in here.
    pub left: Duration,
    /// Once nothing is left, every move gets this long; what is not used of it is lost.
    pub byoyomi: Duration,
    /// What each further move adds to what is left.
    pub increment: Duration,
}

impl GameClock {
    /// What to keep back of a move's time where nothing else was set: a quarter of a second, and no more than a quarter of what the clock allows at
    /// all. On a busy machine moves were up to a sixth of a second late.
    pub fn default_delay(&self) -> Duration {
        const MOST: Duration = Duration::from_millis(250);
        MOST.min(self.left.saturating_add(self.byoyomi) / 4)
    }
}

/// How a player deals with its time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeOptions {
    /// What a move loses on its way to the referee. It is never counted as thinking time.
    pub network_delay: Duration,
    /// Think at least so long where the clock allows it.
    pub minimum: Duration,
    /// Referees that count whole seconds charge 1.9 s as 1 s: thinking times are rounded up to a multiple of this, less the delay.
    pub round_up_to: Duration,
    /// For how many more moves the time must last at the beginning of a game.
    pub moves_ahead: u32,
}

impl Default for TimeOptions {
    fn default() -> Self {
        TimeOptions {
            network_delay: Duration::from_millis(100),
            minimum: Duration::ZERO,
            round_up_to: Duration::ZERO,
            moves_ahead: 40,
        }
    }
}

impl TimeOptions {
    /// For games that last as long as the board is large: a third of its points is what one side plays of a game of Go after the opening
    /// (120 moves on 19x19, 27 on 9x9).
    pub fn on_board_of(self, places: usize) -> TimeOptions {
        TimeOptions { moves_ahead: (places / 3).clamp(1, 10_000) as u32, ..self }
    }
}

/// How long a move may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MoveTime {
    /// When to stop if nothing speaks against it.
    pub soft: Duration,
    /// When to stop whatever happens; never more than the clock allows.
    pub hard: Duration,
}

/// However far a game has gone, it may last this many moves more.
const AT_LEAST_AHEAD: u32 = 15;
/// The hard limit as a multiple of the soft one.
const HARD: u32 = 4;

/// The time for a move at `ply` (0 is the first of the game).
///
/// The time left is shared among the moves still to come, fewer and fewer as the game goes on; increment and byoyomi are income,
/// spent as they come. A difficult move may take four shares, but never so much that less than half of the time left remains
/// beyond its own share, and never more than the referee would allow.
pub fn move_time(clock: &GameClock, ply: u32, options: &TimeOptions) -> MoveTime {
    let available = clock.left.saturating_add(clock.byoyomi).saturating_sub(options.network_delay);
    let income = clock.byoyomi.saturating_add(clock.increment).saturating_sub(options.network_delay);
    let ahead = options.moves_ahead.saturating_sub(ply / 2).max(AT_LEAST_AHEAD);
    let share = clock.left / ahead;
    let soft = share.saturating_add(income).max(options.minimum).min(available);
    let hard = soft.saturating_mul(HARD).min(soft.max((clock.left / 2).saturating_add(clock.byoyomi))).min(available);
    let soft = round_up(soft, options).min(hard);
    MoveTime { soft, hard: round_up(hard, options).min(available).max(soft) }
}

/// The next multiple of the referee's unit, less the delay; never below `time`.
fn round_up(time: Duration, options: &TimeOptions) -> Duration {
    let unit = options.round_up_to.as_nanos();
    if unit == 0 {
        return time;
    }
    let charged = (time.saturating_add(options.network_delay)).as_nanos().div_ceil(unit).saturating_mul(unit);
    let nanos = u64::try_from(charged).unwrap_or(u64::MAX);
    Duration::from_nanos(nanos).saturating_sub(options.network_delay).max(time)
}

/// How often a search is looked at while it has a soft limit.
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// Starts the clock of a pondering search from any thread, when the expected move was played.
#[derive(Clone, Default, Debug)]
pub struct PonderHit(Arc<OnceLock<MoveTime>>);

impl PonderHit {
    /// The move was played; the move to find may take this long from now on. Only the first word counts.
    pub fn start(&self, time: MoveTime) {
        let _ = self.0.set(time);
    }
}

/// A watch that stops a search at its soft limit. A best move that is younger than a quarter of the thinking time gets more of it,
/// up to the hard limit.
pub struct Paced<'a, M> {
    inner: &'a mut dyn Watch<M>,
    /// None while pondering.
    time: Option<MoveTime>,
    hit: PonderHit,
    /// When the time began.
    since: Duration,
    best: Option<M>,
    best_since: Duration,
    reported: Duration,
    enough: bool,
}

impl<'a, M> Paced<'a, M> {
    /// Ends a search after this time; everything else is passed on to `inner`.
    pub fn new(time: MoveTime, inner: &'a mut dyn Watch<M>) -> Paced<'a, M> {
        let enough = time.soft.is_zero();
        Paced { time: Some(time), enough, ..Paced::pondering(PonderHit::default(), inner) }
    }

    /// Watches a search in the opponent's time: without an end until `hit` starts its clock.
    pub fn pondering(hit: PonderHit, inner: &'a mut dyn Watch<M>) -> Paced<'a, M> {
        let zero = Duration::ZERO;
        Paced { inner, time: None, hit, since: zero, best: None, best_since: zero, reported: zero, enough: false }
    }
}

impl<M: Copy + PartialEq + Send> Watch<M> for Paced<'_, M> {
    fn should_stop(&self) -> bool {
        self.enough || self.inner.should_stop()
    }

    fn clock(&self) -> Stopwatch {
        self.inner.clock()
    }

    fn interval(&self) -> Option<Duration> {
        Some(self.inner.interval().map_or(LOOK_EVERY, |interval| interval.min(LOOK_EVERY)))
    }

    fn progress(&mut self, so_far: &Verdict<M>) {
        let now = so_far.elapsed;
        if so_far.best != self.best {
            self.best = so_far.best;
            self.best_since = now;
        }
        if self.time.is_none() {
            self.time = self.hit.0.get().copied();
            self.since = now;
        }
        if let Some(MoveTime { soft, hard }) = self.time {
            let (spent, settled) = (now.saturating_sub(self.since), now.saturating_sub(self.best_since) >= now / 4);
            self.enough |= spent >= hard || spent >= soft && settled;
        }
        if self.inner.interval().is_some_and(|interval| now.saturating_sub(self.reported) >= interval) {
            self.reported = now;
            self.inner.progress(so_far);
        }
    }

    fn wants_tree(&self) -> bool {
        self.inner.wants_tree()
    }

    fn explore(&mut self, tree: &mut dyn Explorer) {
        self.inner.explore(tree);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    fn clock(left: u64, byoyomi: u64, increment: u64) -> GameClock {
        GameClock { left: ms(left), byoyomi: ms(byoyomi), increment: ms(increment) }
    }

    const DELAY: TimeOptions = TimeOptions { network_delay: Duration::from_millis(100), ..EAGER };
    const EAGER: TimeOptions = TimeOptions {
        network_delay: Duration::ZERO,
        minimum: Duration::ZERO,
        round_up_to: Duration::ZERO,
        moves_ahead: 40,
    };

    #[test]
    fn byoyomi_alone_is_used_up_but_for_the_delay() {
        assert_eq!(move_time(&clock(0, 10_000, 0), 50, &DELAY), MoveTime { soft: ms(9_900), hard: ms(9_900) });
        assert_eq!(move_time(&clock(0, 50, 0), 50, &DELAY), MoveTime { soft: ms(0), hard: ms(0) });
    }

    #[test]
    fn main_time_is_shared() {
        let first = move_time(&clock(600_000, 0, 0), 0, &DELAY);
        assert_eq!(first, MoveTime { soft: ms(15_000), hard: ms(60_000) });
        let late = move_time(&clock(60_000, 0, 0), 100, &DELAY);
        assert_eq!(late, MoveTime { soft: ms(4_000), hard: ms(16_000) });
        let fischer = move_time(&clock(60_000, 0, 5_000), 100, &DELAY);
        assert_eq!(fischer, MoveTime { soft: ms(8_900), hard: ms(30_000) });
    }

    /// Half an hour on 19x19: fifteen seconds per move at first, and 200 moves later there is still time.
    #[test]
    fn large_boards_last_longer() {
        let options = EAGER.on_board_of(361);
        assert_eq!(move_time(&clock(1_800_000, 0, 0), 0, &options).soft, ms(15_000));
        let mut clock = clock(1_800_000, 0, 0);
        for ply in (0..400).step_by(2) {
            let soft = move_time(&clock, ply, &options).soft;
            clock.left -= soft;
            assert!(ply > 200 || soft >= ms(5_000), "{soft:?} at ply {ply}");
        }
        assert!(!clock.left.is_zero());
    }

    #[test]
    fn whole_seconds_are_used_to_the_end() {
        let options = TimeOptions { round_up_to: ms(1_000), ..DELAY };
        assert_eq!(move_time(&clock(600_000, 0, 0), 0, &options).soft, ms(15_900));
        assert_eq!(move_time(&clock(0, 10_000, 0), 0, &options).soft, ms(9_900));
        assert_eq!(move_time(&clock(0, 9_500, 0), 0, &options).hard, ms(9_400));
    }

    #[test]
    fn minimum_does_not_break_the_clock() {
        let options = TimeOptions { minimum: ms(2_000), ..EAGER };
        assert_eq!(move_time(&clock(600_000, 0, 0), 0, &options).soft, ms(15_000));
        assert_eq!(move_time(&clock(40_000, 0, 0), 0, &options).soft, ms(2_000));
        assert_eq!(move_time(&clock(500, 0, 0), 0, &options), MoveTime { soft: ms(500), hard: ms(500) });
    }

    /// A search reports its best move now and then; when is it stopped?
    fn stopped_at(soft: u64, changes: &[u64]) -> u64 {
        let mut unwatched = ();
        let mut paced = Paced::new(MoveTime { soft: ms(soft), hard: ms(10_000) }, &mut unwatched);
        for now in (0..10_000).step_by(10) {
            if paced.should_stop() {
                return now;
            }
            let best = changes.iter().filter(|&&change| change <= now).count();
            paced.progress(&Verdict { best: Some(best), elapsed: ms(now), ..Verdict::empty() });
        }
        10_000
    }

    #[test]
    fn a_changing_mind_gets_more_time() {
        assert_eq!(stopped_at(0, &[]), 0);
        assert_eq!(stopped_at(1000, &[]), 1010);
        assert_eq!(stopped_at(1000, &[500]), 1010, "settled for half of the time");
        assert_eq!(stopped_at(1000, &[900]), 1210, "a quarter of 1200 ms since 900");
        assert_eq!(stopped_at(1000, &[900, 1100, 1300, 1600]), 2150);
    }

    #[test]
    fn pondering_ends_when_its_budget_does() {
        let stopped_at = |hit_at: u64, changes: &[u64]| {
            let (mut unwatched, hit) = ((), PonderHit::default());
            let mut paced = Paced::pondering(hit.clone(), &mut unwatched);
            for now in (0..20_000).step_by(10) {
                if paced.should_stop() {
                    return now;
                }
                if now == hit_at {
                    hit.start(MoveTime { soft: ms(1000), hard: ms(3000) });
                    hit.start(MoveTime { soft: ms(0), hard: ms(0) });
                }
                let best = changes.iter().filter(|&&change| change <= now).count();
                paced.progress(&Verdict { best: Some(best), elapsed: ms(now), ..Verdict::empty() });
            }
            20_000
        };
        assert_eq!(stopped_at(30_000, &[]), 20_000, "without a hit there is no end");
        assert_eq!(stopped_at(5000, &[]), 6010);
        assert_eq!(stopped_at(5000, &[5500]), 7350, "a quarter of 7340 ms since 5500");
        let restless: Vec<u64> = (0..20_000).step_by(100).collect();
        assert_eq!(stopped_at(5000, &restless), 8010, "the hard limit");
    }

    #[test]
    fn the_other_watch_is_asked_and_informed() {
        struct Other(Vec<u64>);
        impl Watch<u8> for Other {
            fn should_stop(&self) -> bool {
                self.0.len() >= 3
            }
            fn interval(&self) -> Option<Duration> {
                Some(ms(100))
            }
            fn progress(&mut self, so_far: &Verdict<u8>) {
                self.0.push(so_far.elapsed.as_millis() as u64);
            }
        }
        let mut other = Other(Vec::new());
        let mut paced = Paced::new(MoveTime { soft: ms(5_000), hard: ms(5_000) }, &mut other);
        assert_eq!(paced.interval(), Some(LOOK_EVERY));
        for now in (0..1000).step_by(30) {
            if paced.should_stop() {
                break;
            }
            paced.progress(&Verdict { elapsed: ms(now), ..Verdict::empty() });
        }
        assert_eq!(other.0, [120, 240, 360]);
    }

    proptest! {
        /// The law: soft <= hard <= what the referee allows, less the delay, whatever the numbers.
        #[test]
        fn never_more_than_there_is(
            left in 0..u64::MAX, byoyomi in 0..u64::MAX, increment in 0..u64::MAX, shift in 0..64u32,
            ply: u32, delay in 0..100_000u64, minimum in 0..100_000u64, round in 0..2000u64, ahead: u32,
        ) {
            let options = TimeOptions {
                network_delay: ms(delay), minimum: ms(minimum), round_up_to: ms(round), moves_ahead: ahead,
            };
            let clock = clock(left >> shift, byoyomi >> shift, increment >> shift);
            let time = move_time(&clock, ply, &options);
            prop_assert!(time.soft <= time.hard);
            prop_assert!(time.hard <= clock.left.saturating_add(clock.byoyomi).saturating_sub(options.network_delay));
        }

        /// A whole game of moves that take their soft (or their hard) limit and the delay never runs out of time.
        #[test]
        fn no_game_is_lost_on_time(
            left in 0..3_600_000u64, byoyomi in 0..60_000u64, increment in 0..30_000u64, hard: bool,
        ) {
            prop_assume!(byoyomi >= 200 || left + increment >= 1_000 && increment >= 200);
            let mut clock = clock(left + increment, byoyomi, increment);
            for ply in (0..400).step_by(2) {
                let time = move_time(&clock, ply, &DELAY);
                let spent = if hard { time.hard } else { time.soft } + DELAY.network_delay;
                prop_assert!(spent <= clock.left + clock.byoyomi, "{spent:?} of {clock:?} at ply {ply}");
                clock.left = clock.left.saturating_sub(spent) + clock.increment;
            }
        }
    }
}
