//! A sign that the opponent is thinking: at a terminal only, so that pipes stay clean.

use std::io::{IsTerminal, Write};
use std::time::Duration;

use yomi_session::Event;

/// Turns while a search thinks.
pub(super) struct Spinner {
    shown: bool,
    steps: usize,
}

/// How often it turns.
const EVERY: Duration = Duration::from_millis(150);
const SIGNS: [char; 4] = ['|', '/', '-', '\\'];

impl Spinner {
    pub(super) fn new() -> Spinner {
        let spinner = Spinner { shown: std::io::stderr().is_terminal(), steps: 0 };
        spinner.show("thinking");
        spinner
    }

    /// How often it turns; never where it is not seen.
    pub(super) fn interval(&self) -> Option<Duration> {
        self.shown.then_some(EVERY)
    }

    pub(super) fn turn(&mut self, event: &Event) {
        let Event::Progress(so_far) = event else { return };
        self.steps += 1;
        let seconds = so_far.seconds as u64;
        self.show(&format!("{} thinking, {seconds} s", SIGNS[self.steps % SIGNS.len()]));
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
