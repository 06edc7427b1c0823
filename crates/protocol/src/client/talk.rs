//! A conversation: a process, the phase it is in, and how long that may take.

use std::io::Write;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::fault::{Fault, Phase, Reason};
use super::patience::Wait;
use super::process::{CommandLine, Process};

/// A process being spoken to. Faults carry the phase and the last words of the program.
pub(super) struct Talk {
    process: Process,
    phase: Phase,
}

impl Talk {
    /// Starts a program.
    pub(super) fn start(command: &CommandLine, log: Option<Box<dyn Write + Send>>) -> Result<Talk, Fault> {
        let process = Process::start(command, log);
        let process = process.map_err(|reason| Fault { phase: Phase::Start, reason, stderr: String::new() })?;
        Ok(Talk { process, phase: Phase::Start })
    }

    /// From now on this is being done.
    pub(super) fn enter(&mut self, phase: Phase) {
        self.phase = phase;
    }

    /// What is being done.
    pub(super) fn phase(&self) -> Phase {
        self.phase
    }

    /// Says a line.
    pub(super) fn say(&mut self, line: impl std::fmt::Display) {
        self.process.send(&line.to_string());
    }

    /// Waits for a line that `wanted` makes something of; others are passed over.
    pub(super) fn hear<T>(
        &mut self,
        wait: &Wait<'_>,
        mut wanted: impl FnMut(&str) -> Option<Result<T, Reason>>,
    ) -> Result<T, Fault> {
        loop {
            let line = self.process.receive(wait).map_err(|reason| self.fault(reason))?;
            if let Some(answer) = wanted(&line) {
                return answer.map_err(|reason| self.fault(reason));
            }
        }
    }

    /// Waits at most `limit` for a line that `wanted` makes something of.
    pub(super) fn hear_within<T>(&mut self, limit: Duration, wanted: impl Fn(&str) -> Option<T>) -> Option<T> {
        let wait = Wait::new(limit);
        loop {
            let line = self.process.receive_within(wait.left())?;
            if let Some(answer) = wanted(&line) {
                return Some(answer);
            }
        }
    }

    /// Reads away what was said without being asked, so that it is not taken for the next answer.
    pub(super) fn forget(&mut self) {
        self.forget_lines(|_| ());
    }

    /// The same, with a look at what is forgotten.
    pub(super) fn forget_lines(&mut self, mut look: impl FnMut(&str)) {
        // A program that never falls silent is heard out in the next wait, which ends.
        for _ in 0..1000 {
            match self.process.receive_now() {
                Some(line) => look(&line),
                None => return,
            }
        }
    }

    /// A note in the log.
    pub(super) fn note(&mut self, text: &str) {
        self.process.note(text);
    }

    /// A fault in the present phase.
    pub(super) fn fault(&mut self, reason: Reason) -> Fault {
        self.process.note(&format!("{}: {reason}", self.phase));
        Fault { phase: self.phase, reason, stderr: self.process.last_words() }
    }

    /// Waits for the program to exit after it was asked to.
    pub(super) fn leave(&mut self, patience: Duration) -> Result<(), Fault> {
        let wait = Wait::new(patience);
        self.process.leave(&wait).map_err(|reason| self.fault(reason))
    }
}

/// A wait that cannot be cancelled.
pub(super) fn calm(limit: Duration) -> Wait<'static> {
    Wait::new(limit)
}

/// A wait that can be cancelled.
pub(super) fn wait(limit: Duration, stop: &AtomicBool) -> Wait<'_> {
    Wait::new(limit).unless(stop)
}

/// What was said instead of an answer.
pub(super) fn nonsense(said: &str, expected: impl Into<String>) -> Reason {
    Reason::Nonsense { said: said.chars().take(400).collect(), expected: expected.into() }
}
