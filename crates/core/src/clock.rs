//! The only place that reads a clock.
#![allow(clippy::disallowed_methods, reason = "this is the one file that may")]

use std::time::{Duration, Instant, SystemTime};

/// Measures how long something takes.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch {
    wall: Instant,
    cpu: Option<Duration>,
}

impl Stopwatch {
    /// Starts now.
    pub fn start() -> Stopwatch {
        Stopwatch { wall: Instant::now(), cpu: thread_cpu() }
    }

    /// Wall-clock time since the start.
    pub fn elapsed(&self) -> Duration {
        self.wall.elapsed()
    }

    /// Time this thread was running since the start; wall-clock time where the system does not tell. On a shared machine this
    /// is the honest number for a speed.
    pub fn busy(&self) -> Duration {
        match (self.cpu, thread_cpu()) {
            (Some(then), Some(now)) => now.saturating_sub(then),
            _ => self.elapsed(),
        }
    }
}

/// Seconds since the beginning of 1970, UTC: the date of something that has just happened.
pub fn unix_seconds() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs())
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
