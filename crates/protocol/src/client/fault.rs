//! What can go wrong with a foreign program.

use std::fmt;
use std::time::Duration;

use crate::harmless::{MESSAGE, NAME, harmless};

/// Why a program cannot go on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// What was being done.
    pub phase: Phase,
    /// What happened.
    pub reason: Reason,
    /// The last words of the program on its error output.
    pub stderr: String,
}

/// What was being done.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Phase {
    /// The program is started and introduces itself.
    Start,
    /// It loads, and takes its options.
    Ready,
    /// A game is set up.
    Setup,
    /// It receives the opponent's move or thinks about its own.
    Move,
    /// It is asked to exit.
    Quit,
}

/// What happened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// It cannot be started, or not as it was asked for: no such program, no such option, no such game.
    Start(String),
    /// It did not answer in this time.
    Timeout(Duration),
    /// It ended, or closed its output.
    Crash(Exit),
    /// It said something that is no answer.
    Nonsense {
        /// What it said.
        said: String,
        /// What it was asked for.
        expected: String,
    },
    /// We broke off.
    Stopped,
}

/// How a program ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exit {
    /// By itself, with this status.
    Status(i32),
    /// By this signal.
    Signal(i32),
    /// It closed its output and lives on.
    Silent,
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Phase::Start => "starting",
            Phase::Ready => "getting ready",
            Phase::Setup => "setting up the game",
            Phase::Move => "its move",
            Phase::Quit => "leaving",
        })
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Exit::Status(status) => write!(f, "ended with status {status}"),
            Exit::Signal(signal) => write!(f, "was ended by signal {signal}"),
            Exit::Silent => write!(f, "closed its output but did not end"),
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Start(why) => write!(f, "{}", harmless(why, MESSAGE)),
            Reason::Timeout(limit) => write!(f, "no answer within {:.1} s", limit.as_secs_f64()),
            Reason::Crash(exit) => write!(f, "the program {exit}"),
            Reason::Nonsense { said, expected } => {
                write!(f, "{} was expected, not \"{}\"", harmless(expected, NAME), harmless(said, NAME))
            }
            Reason::Stopped => write!(f, "broken off"),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.phase, self.reason)?;
        let last = self.stderr.lines().rev().find(|line| !line.trim().is_empty());
        last.map_or(Ok(()), |line| write!(f, " (its last words: {})", harmless(line, NAME)))
    }
}

impl std::error::Error for Fault {}
