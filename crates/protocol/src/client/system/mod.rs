//! What an operating system does for a child process: pipes that are read without waiting, the child's end, and its death.
//!
//! Unix waits for all pipes at once. Elsewhere a thread waits for each of them; that way is also tested on Unix.

#[cfg(not(unix))]
mod other;
#[cfg(any(not(unix), test))]
mod threads;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
pub(super) use other::{Errors, Input, Output, exit, kill, lead_group, pipes, program, wait};
#[cfg(unix)]
pub(super) use unix::{Errors, Input, Output, exit, kill, lead_group, pipes, program, wait};

#[cfg(not(unix))]
pub use other::is_running;
#[cfg(unix)]
pub use unix::is_running;

/// The pipes of a child. Reading what is not there yet gives `WouldBlock`.
pub(super) struct Pipes {
    pub(super) stdin: Option<Input>,
    pub(super) stdout: Option<Output>,
    pub(super) stderr: Option<Errors>,
}
