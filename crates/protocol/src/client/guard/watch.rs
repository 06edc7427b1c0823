//! What a guard does on Unix.

use std::ffi::{OsStr, OsString};
use std::fs::OpenOptions;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, ExitStatus};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{
    Resource, Rlimit, Signal, getpgrp, getpid, getppid, kill_current_process_group, kill_process, setrlimit,
};
use rustix::stdio::{dup2_stdin, dup2_stdout};

use super::{BECOME, Guard};

pub(super) fn watch(guard: &Guard, program: &OsStr, args: &[OsString]) -> io::Result<i32> {
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
    // A reader of the output must see its end when the program closes it.
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

/// Waits until our error output has no reader any more.
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
pub(super) fn turn_into(parent: &OsStr, program: &OsStr, args: &[OsString]) -> io::Error {
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
