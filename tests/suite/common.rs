//! What several of these tests need: to wait for another process.
#![allow(clippy::disallowed_methods, reason = "another process says nothing when it is there")]

use std::time::Duration;

/// How often it is asked: for a minute at least, which no process needs.
const LOOKS: usize = 60_000;

/// Asks every now and then until it is so. Time decides nothing but that a test that hangs fails.
pub(crate) fn until(what: &str, mut done: impl FnMut() -> bool) {
    for _ in 0..LOOKS {
        if done() {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    panic!("{what} did not happen");
}
