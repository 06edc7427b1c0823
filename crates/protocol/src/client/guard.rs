//! A guard beside every program: when we are gone, whatever ended us, the program goes too.
//!
//! `kill -9` leaves us no chance to end the programs we started. So a small process, the guard, starts the program in its own process
//! group and watches the pipe of the error output. We alone hold the other end of it: the pipe breaks when we end, and the guard kills
//! the group, children of the program included. On Linux the program also asks the kernel to be killed when the guard ends, so that
//! killing all of our processes at once leaves nothing either.
//!
//! Otherwise the guard is invisible: the program has our pipes as its input and outputs, and the guard ends as the program ends.
//!
//! The guard is any program that hands its arguments to [`run`]; [`Guard`] says how it is called. Where there are no process groups, as on
//! Windows, programs start without a guard, and learn that we are gone from the end of their input.

#[cfg(unix)]
mod watch;

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

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
#[cfg(unix)]
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
        if cfg!(not(unix)) {
            return Command::new(program);
        }
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
    #[cfg(unix)]
    match args {
        [what, program, args @ ..] if what == WATCH => watch::watch(guard, program, args),
        [what, parent, program, args @ ..] if what == BECOME => Err(watch::turn_into(parent, program, args)),
        _ => Err(wrong()),
    }
    #[cfg(not(unix))]
    {
        let _ = (guard, args);
        Err(wrong())
    }
}
