//! Child processes on Unix.

use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, test_kill_process, waitid};

use super::Pipes;
use crate::client::fault::Exit;

pub(in crate::client) type Input = ChildStdin;
pub(in crate::client) type Output = ChildStdout;
pub(in crate::client) type Errors = ChildStderr;

/// The file itself if it is a program.
pub(in crate::client) fn program(path: &Path) -> Option<PathBuf> {
    let about = path.metadata().ok()?;
    (about.is_file() && about.permissions().mode() & 0o111 != 0).then(|| path.to_path_buf())
}

/// The child will lead a process group of its own, so that its children can be killed with it.
pub(in crate::client) fn lead_group(command: &mut Command) {
    command.process_group(0);
}

/// The pipes of a child. No read or write waits by itself: all waiting is done by [`wait`].
pub(in crate::client) fn pipes(child: &mut Child) -> io::Result<Pipes> {
    let pipes = Pipes { stdin: child.stdin.take(), stdout: child.stdout.take(), stderr: child.stderr.take() };
    let fds = [
        pipes.stdin.as_ref().map(AsFd::as_fd),
        pipes.stdout.as_ref().map(AsFd::as_fd),
        pipes.stderr.as_ref().map(AsFd::as_fd),
    ];
    fds.into_iter().flatten().try_for_each(|fd| io::Result::Ok(rustix::io::ioctl_fionbio(fd, true)?))?;
    Ok(pipes)
}

/// Waits until one of these pipes can be used, at most this long.
pub(in crate::client) fn wait(
    stdin: Option<&mut Input>,
    stdout: Option<&mut Output>,
    stderr: Option<&mut Errors>,
    limit: Duration,
) {
    let mut fds = Vec::with_capacity(3);
    fds.extend(stdout.as_ref().map(|pipe| PollFd::new(*pipe, PollFlags::IN)));
    fds.extend(stderr.as_ref().map(|pipe| PollFd::new(*pipe, PollFlags::IN)));
    fds.extend(stdin.as_ref().map(|pipe| PollFd::new(*pipe, PollFlags::OUT)));
    let limit = Timespec { tv_sec: limit.as_secs() as i64, tv_nsec: limit.subsec_nanos().into() };
    let _ = poll(&mut fds, Some(&limit));
}

/// How the child ended, if it has. It is not reaped, so that no other process can get the number of its group yet.
pub(in crate::client) fn exit(child: &mut Child) -> Option<Exit> {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
    let status = waitid(WaitId::Pid(Pid::from_child(child)), options).ok()??;
    let signal = status.terminating_signal().map(Exit::Signal);
    signal.or_else(|| status.exit_status().map(Exit::Status))
}

/// Kills the child and everything in its process group.
pub(in crate::client) fn kill(child: &mut Child) {
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
}

/// Whether a process of this number is running. One that is not ours counts.
pub fn is_running(id: u32) -> bool {
    let pid = i32::try_from(id).ok().and_then(Pid::from_raw);
    pid.is_some_and(|pid| test_kill_process(pid) != Err(rustix::io::Errno::SRCH))
}
