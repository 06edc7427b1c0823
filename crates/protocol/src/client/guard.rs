//! A guard beside every program: when we are gone, whatever ended us, the program goes too.
//!
//! `kill -9` leaves us no chance to end the programs we started. So a small process, the guard, starts the program in its own process
//! group and watches the pipe of the error output. We alone hold the other end of it: the pipe breaks when we end, and the guard kills
//! the group, children of the program included. On Linux the program also asks the kernel to be killed when the guard ends, so that
//! killing all of our processes at once leaves nothing either.
//!
//! Otherwise the guard is invisible: the program has our pipes as its input and outputs, and the guard ends as the program ends.
//!
//! The guard is any program that hands its arguments to [`run`]; [`Guard`] says how it is called.

use std::ffi::{OsStr, OsString};
use std::fs::OpenOptions;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{
    Resource, Rlimit, Signal, getpgrp, getpid, getppid, kill_current_process_group, kill_process, setrlimit,
};
use rustix::stdio::{dup2_stdin, dup2_stdout};

/// How a guard is called: with these arguments, behind which come those for [`run`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Guard {
    /// The program.
    pub program: PathBuf,
    /// Its first arguments.
    pub args: Vec<OsString>,
}

/// Starts a program and watches over it.
const WATCH: &str = "watch";
/// Becomes the program, to be killed with the guard of this process number.
const BECOME: &str = "become";

impl Guard {
    /// This very program, called with `word`. Nothing if the system does not say which program this is.
    pub fn here(word: &str) -> Option<Guard> {
        // The link works even after the file was replaced, as by a new build.
        let link = Path::new("/proc/self/exe");
        let program = if link.exists() { link.to_path_buf() } else { std::env::current_exe().ok()? };
        Some(Guard { program, args: vec![word.into()] })
    }

    /// The command that starts `program` under guard. It should lead a process group of its own.
    pub(super) fn command(&self, program: &Path) -> Command {
        let mut command = self.call(WATCH);
        command.arg(program);
        command
    }

    fn call(&self, what: &str) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.args).arg(what);
        command
    }
}

/// What a guard does, called as `guard` says with these arguments behind: starts the program they name, watches over it, and gives the
/// status it ended with. A program that was ended by a signal ends the guard by the same one.
pub fn run(guard: &Guard, args: &[OsString]) -> io::Result<i32> {
    let wrong = || io::Error::other("a guard is called by the program that it guards");
    match args {
        [what, program, args @ ..] if what == WATCH => watch(guard, program, args),
        [what, parent, program, args @ ..] if what == BECOME => Err(turn_into(parent, program, args)),
        _ => Err(wrong()),
    }
}

fn watch(guard: &Guard, program: &OsStr, args: &[OsString]) -> io::Result<i32> {
    if getpgrp() != getpid() {
        return Err(io::Error::other("a guard leads a process group of its own, which it ends"));
    }
    let mut command = if cfg!(target_os = "linux") {
        let mut command = guard.call(BECOME);
        command.arg(getpid().to_string()).arg(program);
        command
    } else {
        Command::new(program)
    };
    // On this thread, which lives as long as the guard: the kernel looks at the thread that started the program, not at its process.
    let mut child = command.args(args).spawn()?;
    // Whoever reads the output must see its end when the program closes it.
    let nothing = OpenOptions::new().read(true).write(true).open("/dev/null")?;
    dup2_stdin(&nothing)?;
    dup2_stdout(&nothing)?;
    std::thread::spawn(|| {
        wait_for_break();
        // The guard goes with its group.
        let _ = kill_current_process_group(Signal::KILL);
    });
    end_as(child.wait()?)
}

/// Waits until nobody can read our error output any more.
fn wait_for_break() {
    let stderr = io::stderr();
    loop {
        let pipe = stderr.as_fd();
        let mut fds = [PollFd::new(&pipe, PollFlags::empty())];
        let waited = poll(&mut fds, None);
        if waited.is_ok() && fds[0].revents().intersects(PollFlags::ERR | PollFlags::HUP | PollFlags::NVAL) {
            return;
        }
    }
}

/// Ends by the signal that ended the program, or says the status.
fn end_as(status: ExitStatus) -> io::Result<i32> {
    let Some(number) = status.signal() else { return Ok(status.code().unwrap_or(1)) };
    // One core file is enough.
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
    if let Some(signal) = Signal::from_named_raw(number) {
        // Some signals are caught once by the run-time system.
        for _ in 0..2 {
            let _ = kill_process(getpid(), signal);
        }
    }
    Ok(128 + number)
}

/// Becomes the program, which is killed when its parent, the guard, ends. Comes back only if that fails.
fn turn_into(parent: &OsStr, program: &OsStr, args: &[OsString]) -> io::Error {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::set_parent_process_death_signal(Some(Signal::KILL)) {
        return error.into();
    }
    // It may have ended before the kernel knew what we want.
    if getppid().map(|pid| pid.to_string()).as_deref().map(OsStr::new) != Some(parent) {
        return io::Error::other("the guard has ended");
    }
    let error = Command::new(program).args(args).exec();
    io::Error::new(error.kind(), format!("{} cannot be started: {error}", Path::new(program).display()))
}
