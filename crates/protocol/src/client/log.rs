//! The dialogue with a program, written down.

use std::io::Write;

use yomi_core::clock::Stopwatch;

use crate::harmless::harmless;

/// What a log may take; a program that floods it is cut short.
const MAX_LENGTH: usize = 16 << 20;

/// Writes lines with the seconds since the start and a mark: `>` to the program, `<` from it, `!` its errors, `#` notes of ours.
pub(super) struct Log {
    writer: Option<Box<dyn Write + Send>>,
    clock: Stopwatch,
    left: usize,
}

impl Log {
    pub(super) fn new(writer: Option<Box<dyn Write + Send>>) -> Log {
        Log { writer, clock: Stopwatch::start(), left: MAX_LENGTH }
    }

    /// Writes a line. A log that cannot be written is no reason to stop a game: it ends there.
    pub(super) fn line(&mut self, mark: char, text: &str) {
        let Some(writer) = &mut self.writer else { return };
        let line = format!("{:9.3} {mark} {}\n", self.clock.elapsed().as_secs_f64(), harmless(text, usize::MAX));
        if line.len() > self.left {
            let _ = writer.write_all(b"# the log is full\n").and_then(|()| writer.flush());
            self.writer = None;
            return;
        }
        self.left -= line.len();
        if writer.write_all(line.as_bytes()).is_err() || (mark != '<' && writer.flush().is_err()) {
            self.writer = None;
        }
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        if let Some(writer) = &mut self.writer {
            let _ = writer.flush();
        }
    }
}
