//! Long work with the interpreter released: other Python threads go on, and Ctrl-C ends it in good order.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// How often signals are looked for.
const TICK: Duration = Duration::from_millis(50);

/// Deep searches recurse: as much stack as the main thread of a program usually has.
const STACK: usize = 16 << 20;

/// Says something to the Python side while the work goes on.
pub(crate) type Tell = mpsc::Sender<String>;

/// Does the work on another thread. A signal raises `stop` and, once the work has ended, its exception; so does an exception of `hear`,
/// which gets what the work says. A panic becomes a `RuntimeError`.
pub(crate) fn interruptible<T: Send>(
    py: Python<'_>,
    stop: &AtomicBool,
    hear: Option<&Py<PyAny>>,
    work: impl FnOnce(&Tell) -> T + Send,
) -> PyResult<T> {
    let done = py.detach(|| {
        std::thread::scope(|scope| {
            let (sender, receiver) = mpsc::channel();
            let run = move || catch_unwind(AssertUnwindSafe(|| work(&sender)));
            let thread = std::thread::Builder::new().name("yomi".into()).stack_size(STACK).spawn_scoped(scope, run)?;
            let mut exception = None;
            loop {
                // The sender goes with the work: a closed channel means that it has ended.
                let said = match receiver.recv_timeout(TICK) {
                    Ok(said) => Some(said),
                    Err(mpsc::RecvTimeoutError::Timeout) => None,
                    Err(mpsc::RecvTimeoutError::Disconnected) => break,
                };
                if exception.is_some() {
                    continue;
                }
                let heard = Python::attach(|py| {
                    if let (Some(said), Some(hear)) = (said, hear) {
                        hear.call1(py, (said,))?;
                    }
                    py.check_signals()
                });
                if let Err(error) = heard {
                    stop.store(true, Ordering::Relaxed);
                    exception = Some(error);
                }
            }
            let result = thread.join().unwrap_or_else(Err);
            match exception {
                Some(exception) => Err(exception),
                None => result.map_err(|panic| PyRuntimeError::new_err(format!("internal error: {}", words(&*panic)))),
            }
        })
    });
    let result = done?;
    py.check_signals()?;
    Ok(result)
}

fn words(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}
