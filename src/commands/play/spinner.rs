//! A sign that somebody is thinking: at a terminal only, so that pipes stay clean.

use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use yomi_search::{Verdict, Watch};

/// Turns while a search thinks, and stops it when Ctrl-C comes.
pub(super) struct Spinner {
    shown: bool,
    steps: usize,
    interrupted: Arc<AtomicBool>,
}

/// How often it turns.
const EVERY: Duration = Duration::from_millis(150);
const SIGNS: [char; 4] = ['|', '/', '-', '\\'];

impl Spinner {
    pub(super) fn new(interrupted: &Arc<AtomicBool>) -> Spinner {
        let spinner =
            Spinner { shown: std::io::stderr().is_terminal(), steps: 0, interrupted: Arc::clone(interrupted) };
        spinner.show("thinking");
        spinner
    }

    fn show(&self, text: &str) {
        if self.shown {
            eprint!("\r{text:<30}\r");
            // It is only a sign.
            let _ = std::io::stderr().flush();
        }
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        self.show("");
    }
}

impl<M> Watch<M> for Spinner {
    fn should_stop(&self) -> bool {
        // Relaxed: the flag carries no data.
        self.interrupted.load(Ordering::Relaxed)
    }

    fn interval(&self) -> Option<Duration> {
        self.shown.then_some(EVERY)
    }

    fn progress(&mut self, so_far: &Verdict<M>) {
        self.steps += 1;
        let seconds = so_far.elapsed.as_secs();
        self.show(&format!("{} thinking, {seconds} s", SIGNS[self.steps % SIGNS.len()]));
    }
}
