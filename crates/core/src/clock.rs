//! The only place that reads a clock.
//!
//! WebAssembly without a system (WASI has one) has none of its own: there the host program provides one with `install`.
#![allow(clippy::disallowed_methods, reason = "this is the one file that may")]

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
use std::time::{Instant, SystemTime};

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
use host::Instant;
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub use host::install;

/// Measures how long something takes.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch(Source);

#[derive(Clone, Copy, Debug)]
enum Source {
    System { wall: Instant, cpu: Option<Duration> },
    Counted { readings: &'static AtomicU64, before: u64, each: Duration },
}

impl Stopwatch {
    /// Starts now.
    pub fn start() -> Stopwatch {
        Stopwatch(Source::System { wall: Instant::now(), cpu: thread_cpu() })
    }

    /// A stopwatch for tests: no clock is read, every reading is later by `each` than the one before.
    pub fn counted(readings: &'static AtomicU64, each: Duration) -> Stopwatch {
        // Relaxed: the counter carries no data.
        Stopwatch(Source::Counted { readings, before: readings.load(Ordering::Relaxed), each })
    }

    /// Wall-clock time since the start.
    pub fn elapsed(&self) -> Duration {
        match self.0 {
            Source::System { wall, .. } => wall.elapsed(),
            Source::Counted { readings, before, each } => {
                let readings = readings.fetch_add(1, Ordering::Relaxed) + 1 - before;
                each.saturating_mul(u32::try_from(readings).unwrap_or(u32::MAX))
            }
        }
    }

    /// Time this thread was running since the start; wall-clock time where the system does not report it. On a shared machine this
    /// is the honest number for a speed.
    pub fn busy(&self) -> Duration {
        match (self.0, thread_cpu()) {
            (Source::System { cpu: Some(then), .. }, Some(now)) => now.saturating_sub(then),
            _ => self.elapsed(),
        }
    }
}

/// Seconds since the beginning of 1970, UTC: the date of something that has just happened.
pub fn unix_seconds() -> u64 {
    #[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
    return SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs());
    #[cfg(all(target_family = "wasm", target_os = "unknown"))]
    return host::now().as_secs();
}

/// CPU time of the whole program so far, where the system has such a clock.
#[cfg(unix)]
pub fn process_cpu() -> Option<Duration> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Some(Duration::new(time.tv_sec.try_into().ok()?, time.tv_nsec.try_into().ok()?))
}

/// CPU time of the whole program so far, where the system has such a clock.
#[cfg(not(unix))]
pub fn process_cpu() -> Option<Duration> {
    None
}

/// CPU time of the calling thread, where the system has such a clock.
#[cfg(unix)]
fn thread_cpu() -> Option<Duration> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Some(Duration::new(time.tv_sec.try_into().ok()?, time.tv_nsec.try_into().ok()?))
}

#[cfg(not(unix))]
fn thread_cpu() -> Option<Duration> {
    None
}

/// The clock of a host program.
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
mod host {
    use std::sync::OnceLock;
    use std::time::Duration;

    static CLOCK: OnceLock<fn() -> Duration> = OnceLock::new();

    /// Sets the clock: time since the beginning of 1970, which never goes back. Only the first call counts. Without a clock no time ever
    /// passes, so a search must be limited by something else.
    pub fn install(clock: fn() -> Duration) {
        let _ = CLOCK.set(clock);
    }

    pub(super) fn now() -> Duration {
        CLOCK.get().map_or(Duration::ZERO, |clock| clock())
    }

    #[derive(Clone, Copy, Debug)]
    pub(super) struct Instant(Duration);

    impl Instant {
        pub(super) fn now() -> Instant {
            Instant(now())
        }

        pub(super) fn elapsed(&self) -> Duration {
            now().saturating_sub(self.0)
        }
    }
}
