//! Child processes where there is neither `poll` nor a process group: on Windows.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use super::Pipes;
use super::threads::{PipeReader, Waker, Writer};
use crate::client::fault::Exit;

pub(in crate::client) use super::threads::wait;

pub(in crate::client) type Input = Writer;
pub(in crate::client) type Output = PipeReader;
pub(in crate::client) type Errors = PipeReader;

/// The file if it is there, with or without its suffix (`.exe`).
pub(in crate::client) fn program(path: &Path) -> Option<PathBuf> {
    let mut longer = path.as_os_str().to_os_string();
    longer.push(std::env::consts::EXE_SUFFIX);
    [path.to_path_buf(), longer.into()].into_iter().find(|path| path.is_file())
}

/// There are no process groups.
pub(in crate::client) fn lead_group(_: &mut Command) {}

/// The pipes of a child, each with a thread that waits for it.
pub(in crate::client) fn pipes(child: &mut Child) -> io::Result<Pipes> {
    let waker = Waker::default();
    Ok(Pipes {
        stdin: child.stdin.take().map(|pipe| Writer::new(pipe, waker.clone())).transpose()?,
        stdout: child.stdout.take().map(|pipe| PipeReader::new(pipe, waker.clone())).transpose()?,
        stderr: child.stderr.take().map(|pipe| PipeReader::new(pipe, waker)).transpose()?,
    })
}

/// How the child ended, if it has.
pub(in crate::client) fn exit(child: &mut Child) -> Option<Exit> {
    let status = child.try_wait().ok()??;
    Some(status.code().map_or(Exit::Silent, Exit::Status))
}

/// Kills the child, and with the help of the system's own tool its children.
pub(in crate::client) fn kill(child: &mut Child) {
    if cfg!(windows) && matches!(child.try_wait(), Ok(None)) {
        let _ = system_tool("taskkill", &["/T", "/F", "/PID", &child.id().to_string()]);
    }
    let _ = child.kill();
}

/// Whether a process of this number is running; yes, where the system does not say.
pub fn is_running(id: u32) -> bool {
    let list = system_tool("tasklist", &["/NH", "/FO", "CSV", "/FI", &format!("PID eq {id}")]);
    list.map_or(true, |text| text.contains(&format!("\"{id}\"")))
}

/// What a tool of the system prints.
fn system_tool(name: &str, args: &[&str]) -> io::Result<String> {
    let output = Command::new(name).args(args).stdin(Stdio::null()).output()?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
