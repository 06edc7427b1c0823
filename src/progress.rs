//! Progress of long work, on standard error: a bar for people, a line now and then for logs.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use yomi_core::clock::Stopwatch;

/// How often a log gets a line.
const LOG_EVERY: Duration = Duration::from_secs(10);

/// Progress over a known number of steps. Quick work shows nothing.
pub(crate) struct Progress {
    bar: ProgressBar,
    log: Option<(Stopwatch, Duration)>,
}

impl Progress {
    /// Begins work of `steps` steps.
    pub(crate) fn new(what: &str, steps: u64) -> Progress {
        let terminal = std::io::stderr().is_terminal();
        let target = if terminal { ProgressDrawTarget::stderr_with_hz(4) } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(steps), target);
        // '#' and '-' have one width in every terminal; block characters do not.
        let style = ProgressStyle::with_template("{msg} [{bar:30}] {pos}/{len} {eta} left");
        bar.set_style(style.expect("a template of known fields").progress_chars("#>-"));
        bar.set_message(what.to_string());
        Progress { bar, log: (!terminal).then(|| (Stopwatch::start(), LOG_EVERY)) }
    }

    /// Counts steps that are done already.
    pub(crate) fn skip(&mut self, steps: u64) {
        self.bar.set_position(steps);
    }

    /// What to say in front of the bar from now on.
    pub(crate) fn say(&mut self, what: String) {
        self.bar.set_message(what);
    }

    /// A line that stays, above the bar.
    pub(crate) fn line(&mut self, text: &str) {
        if self.log.is_some() { eprintln!("{text}") } else { self.bar.println(text) }
    }

    /// One step is done.
    pub(crate) fn step(&mut self) {
        self.bar.inc(1);
        if let Some((watch, next)) = &mut self.log
            && watch.elapsed() >= *next
        {
            *next = watch.elapsed() + LOG_EVERY;
            let (done, all) = (self.bar.position(), self.bar.length().unwrap_or(0));
            eprintln!("{}: {done}/{all} after {} s", self.bar.message(), watch.elapsed().as_secs());
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
