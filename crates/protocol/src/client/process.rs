//! A child process that nothing it does can hang us with.
//!
//! A wait for a line is a wait for all pipes at once, so that a child that floods its error output, does not
//! read its input, holds back half a line or leaves a grandchild with the pipes open costs bounded time and bounded memory. While
//! no one waits, a talkative child is held up by its full pipe. The child and its own children are
//! killed and the child reaped when the [`Process`] is dropped. With a [`Guard`] it is killed too when we are.
//! How pipes are awaited and processes are killed depends on the operating system: see `system`.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::fault::{Exit, Reason};
use super::guard::Guard;
use super::lines::Lines;
use super::log::Log;
use super::patience::Wait;
use super::system::{self, Errors, Input, Output, Pipes};

pub use super::system::is_running;

/// How long a wait goes on before it checks that the child lives and that the wait was not cancelled.
const SLICE: Duration = Duration::from_millis(20);
/// How long a child that closed its output is given to end by itself, so that its status is known.
const LAST_BREATH: Duration = Duration::from_millis(500);
/// How long the system is given to bury a killed child.
const BURIAL: Duration = Duration::from_secs(2);
/// How much of the error output is kept.
const STDERR_LINES: usize = 20;
/// What may wait to be read by the child. It has stopped listening when there is more.
const MAX_OUTBOX: usize = 1 << 20;

/// A running program.
pub struct Process {
    child: Child,
    stdin: Option<Input>,
    stdout: Option<Output>,
    stderr: Option<Errors>,
    outbox: VecDeque<u8>,
    lines: Lines,
    errors: Lines,
    stderr_tail: VecDeque<String>,
    log: Log,
}

/// How a program is started.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CommandLine {
    /// The program: a name looked up in the search path, or a path.
    pub program: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Where it is started.
    pub directory: Option<PathBuf>,
    /// The guard that ends it if we cannot.
    pub guard: Option<Guard>,
}

/// Where Debian keeps games; few search paths name it.
const GAMES: &[&str] = &["/usr/games", "/usr/local/games"];

impl CommandLine {
    /// The file that would be started: a bare name is looked for in the search path, then among the games. Nothing is started.
    pub fn locate(&self) -> io::Result<PathBuf> {
        let found = if self.program.contains(std::path::is_separator) {
            let place = self.directory.as_ref().map_or_else(PathBuf::new, Clone::clone).join(&self.program);
            system::program(&place).map(|_| PathBuf::from(&self.program))
        } else {
            let path = std::env::var_os("PATH").unwrap_or_default();
            let places = std::env::split_paths(&path).chain(GAMES.iter().map(PathBuf::from));
            places.map(|place| place.join(&self.program)).find_map(|file| system::program(&file))
        };
        found.ok_or_else(|| io::Error::new(ErrorKind::NotFound, "there is no such program"))
    }

    /// The words as a person would type them.
    pub fn text(&self) -> String {
        let quoted = |word: &String| match word.contains(|c: char| c.is_whitespace() || "'\"\\".contains(c))
            || word.is_empty()
        {
            true => format!("{word:?}"),
            false => word.clone(),
        };
        let words: Vec<String> = std::iter::once(&self.program).chain(&self.args).map(quoted).collect();
        let directory = self.directory.as_ref().map(|path| format!(" (in {})", path.display()));
        words.join(" ") + &directory.unwrap_or_default()
    }

    fn spawn(&self) -> io::Result<Child> {
        let program = self.locate()?;
        let mut command = self.guard.as_ref().map_or_else(|| Command::new(&program), |guard| guard.command(&program));
        command.args(&self.args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        system::lead_group(&mut command);
        if let Some(directory) = &self.directory {
            command.current_dir(directory);
        }
        command.spawn()
    }
}

impl Process {
    /// Starts a program; what is said is written to `log`.
    pub fn start(command: &CommandLine, log: Option<Box<dyn Write + Send>>) -> Result<Process, Reason> {
        let failed = |error: io::Error| Reason::Start(format!("{} cannot be started: {error}", command.program));
        let mut child = command.spawn().map_err(failed)?;
        let Pipes { stdin, stdout, stderr } = system::pipes(&mut child).map_err(failed)?;
        let mut process = Process {
            child,
            stdin,
            stdout,
            stderr,
            outbox: VecDeque::new(),
            lines: Lines::default(),
            errors: Lines::default(),
            stderr_tail: VecDeque::new(),
            log: Log::new(log),
        };
        process.log.line('#', &command.text());
        Ok(process)
    }

    /// The number of the process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Says a line. It is on its way when this returns, not necessarily read.
    pub fn send(&mut self, line: &str) {
        self.log.line('>', line);
        if self.outbox.len() + line.len() >= MAX_OUTBOX {
            // It does not read. To go on without this line would be to talk of something else.
            self.log.line('#', "too much is waiting to be read: its input is closed");
            self.outbox.clear();
            self.stdin = None;
            return;
        }
        // A line is one line, whatever a name contains.
        self.outbox.extend(line.bytes().map(|byte| if byte == b'\n' || byte == b'\r' { b' ' } else { byte }));
        self.outbox.push_back(b'\n');
        self.write();
    }

    /// Waits for the next line.
    pub fn receive(&mut self, wait: &Wait<'_>) -> Result<String, Reason> {
        loop {
            if let Some(line) = self.lines.next() {
                self.log.line('<', &line);
                return Ok(line);
            }
            if self.stdout.is_none() {
                return Err(Reason::Crash(self.last_breath()));
            }
            if wait.is_stopped() {
                return Err(Reason::Stopped);
            }
            if wait.left().is_zero() {
                self.log.line('#', "no answer in time");
                return Err(Reason::Timeout(wait.limit));
            }
            self.exchange(wait.left().min(SLICE));
        }
    }

    /// The next line that has arrived already, without waiting.
    pub fn receive_now(&mut self) -> Option<String> {
        self.exchange(Duration::ZERO);
        let line = self.lines.next()?;
        self.log.line('<', &line);
        Some(line)
    }

    /// The next line, if one comes within this time.
    pub fn receive_within(&mut self, limit: Duration) -> Option<String> {
        let wait = Wait::new(limit);
        loop {
            if let Some(line) = self.lines.next() {
                self.log.line('<', &line);
                return Some(line);
            }
            if self.stdout.is_none() || wait.left().is_zero() {
                return None;
            }
            self.exchange(wait.left().min(SLICE));
        }
    }

    /// The last words on the error output.
    pub fn last_words(&self) -> String {
        self.stderr_tail.iter().map(String::as_str).collect::<Vec<_>>().join("\n")
    }

    /// A note in the log.
    pub fn note(&mut self, text: &str) {
        self.log.line('#', text);
    }

    /// Closes the input once everything is sent and gives the program time to leave. What is still there then is killed when the
    /// process is dropped.
    pub fn leave(&mut self, wait: &Wait<'_>) -> Result<(), Reason> {
        loop {
            if self.outbox.is_empty() {
                self.stdin = None;
            }
            match self.exit() {
                Some(Exit::Status(0)) => return Ok(()),
                Some(exit) => return Err(Reason::Crash(exit)),
                None if wait.left().is_zero() => return Err(Reason::Timeout(wait.limit)),
                None => self.exchange(wait.left().min(SLICE / 4)),
            }
            while let Some(line) = self.lines.next() {
                self.log.line('<', &line);
            }
        }
    }

    /// Lets bytes flow both ways, waiting at most so long for any of them, and notices when the child has ended.
    fn exchange(&mut self, limit: Duration) {
        let gone = self.exit().is_some();
        let limit = if gone { Duration::ZERO } else { limit };
        let stdin = self.stdin.as_mut().filter(|_| !self.outbox.is_empty());
        system::wait(stdin, self.stdout.as_mut(), self.stderr.as_mut(), limit);
        self.write();
        self.read_errors();
        let more = self.read();
        // A grandchild may hold the pipe open: what a dead child wrote has been read when nothing more is there.
        if gone && !more {
            self.close();
        }
    }

    fn write(&mut self) {
        while let Some(stdin) = self.stdin.as_mut().filter(|_| !self.outbox.is_empty()) {
            match stdin.write(self.outbox.as_slices().0) {
                Ok(count) => drop(self.outbox.drain(..count)),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                // It listens no more. Whether it lives is seen when it is waited for.
                Err(_) => {
                    self.stdin = None;
                    self.outbox.clear();
                }
            }
        }
    }

    /// Reads once. False when nothing was there.
    fn read(&mut self) -> bool {
        let Some(stdout) = &mut self.stdout else { return false };
        let mut bytes = [0; 1 << 14];
        match stdout.read(&mut bytes) {
            Ok(count) if count > 0 => {
                self.lines.push(&bytes[..count]);
                true
            }
            Err(error) if matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock) => false,
            _ => {
                self.close();
                false
            }
        }
    }

    /// Nothing more will be read. Half a line is no line.
    fn close(&mut self) {
        self.stdout = None;
        self.lines.end();
    }

    /// Reads once. False when nothing was there.
    fn read_errors(&mut self) -> bool {
        let Some(stderr) = &mut self.stderr else { return false };
        let mut bytes = [0; 1 << 14];
        match stderr.read(&mut bytes) {
            Ok(count) if count > 0 => self.errors.push(&bytes[..count]),
            Err(error) if matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock) => return false,
            _ => {
                self.stderr = None;
                self.errors.push(b"\n");
            }
        }
        while let Some(line) = self.errors.next() {
            if line.trim().is_empty() {
                continue;
            }
            self.log.line('!', &line);
            self.stderr_tail.push_back(line.chars().take(400).collect());
            if self.stderr_tail.len() > STDERR_LINES {
                self.stderr_tail.pop_front();
            }
        }
        true
    }

    /// The output is closed: waits a little for the end, to know how it came.
    fn last_breath(&mut self) -> Exit {
        let wait = Wait::new(LAST_BREATH);
        while self.exit().is_none() && !wait.left().is_zero() {
            self.exchange(SLICE / 4);
        }
        // Its last words; a grandchild may go on talking for ever.
        let _ = (0..100).all(|_| self.read_errors());
        let exit = self.exit().unwrap_or(Exit::Silent);
        self.log.line('#', &exit.to_string());
        exit
    }

    /// How the child ended, if it has.
    fn exit(&mut self) -> Option<Exit> {
        system::exit(&mut self.child)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        system::kill(&mut self.child);
        let wait = Wait::new(BURIAL);
        loop {
            match self.child.try_wait() {
                Ok(None) if !wait.left().is_zero() => system::wait(None, None, None, SLICE / 10),
                _ => return,
            }
        }
    }
}
