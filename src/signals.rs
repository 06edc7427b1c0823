//! Signals that end a run in good order.
//!
//! Until [`controls`] is called a signal simply ends the program; the engines' guards see to it that they end too.

use std::io::Write;
use std::sync::atomic::Ordering;

#[cfg(unix)]
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use yomi_lab::runner::Controls;

/// What Ctrl-C counts as where there are no signals.
#[cfg(not(unix))]
const SIGINT: i32 = 2;

/// The first Ctrl-C lets the games being played end, the second breaks them off. SIGTERM and SIGHUP break them off at once: a system that sends
/// those does not wait. One more signal ends the program where it stands. Every way leaves a run that goes on later.
pub(crate) fn controls() -> anyhow::Result<Controls> {
    let controls = Controls::default();
    let raised = controls.clone();
    on_signals(&wanted(), move |signal| obey(signal, &raised))?;
    Ok(controls)
}

/// Calls `act` at every Ctrl-C from now on.
pub(crate) fn on_interrupt(act: impl Fn() + Send + 'static) -> anyhow::Result<()> {
    on_signals(&[SIGINT], move |_| act())
}

#[cfg(unix)]
fn on_signals(signals: &[i32], act: impl Fn(i32) + Send + 'static) -> anyhow::Result<()> {
    let mut signals = signal_hook::iterator::Signals::new(signals)?;
    std::thread::spawn(move || signals.forever().for_each(act));
    Ok(())
}

#[cfg(not(unix))]
fn on_signals(_: &[i32], act: impl Fn(i32) + Send + 'static) -> anyhow::Result<()> {
    Ok(ctrlc::set_handler(move || act(SIGINT))?)
}

/// The signals that end a run.
fn wanted() -> Vec<i32> {
    #[cfg(not(unix))]
    return vec![SIGINT];
    #[cfg(unix)]
    {
        let signals = [SIGINT, SIGTERM, SIGHUP];
        // A run under nohup outlives its terminal.
        signals.into_iter().filter(|&signal| signal != SIGHUP || !is_ignored(signal)).collect()
    }
}

#[allow(clippy::exit, reason = "a third signal asks for an end at once")]
fn obey(signal: i32, controls: &Controls) {
    // Relaxed: the flags carry no data.
    let drains = controls.drain.swap(true, Ordering::Relaxed);
    let stops = controls.stop.load(Ordering::Relaxed);
    if stops {
        std::process::exit(128 + signal);
    }
    let patient = signal == SIGINT && !drains;
    controls.stop.store(!patient, Ordering::Relaxed);
    let next = if patient { "finishing the games being played; once more to stop at once" } else { "stopping" };
    // The terminal may be gone.
    let _ = writeln!(std::io::stderr(), "\n{next}");
}

/// Whether we were started with this signal ignored, as by nohup. Only Linux reports it.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_first_interruption_drains_and_everything_else_stops() {
        let flags =
            |controls: &Controls| (controls.drain.load(Ordering::Relaxed), controls.stop.load(Ordering::Relaxed));
        let controls = Controls::default();
        obey(SIGINT, &controls);
        assert_eq!(flags(&controls), (true, false));
        obey(SIGINT, &controls);
        assert_eq!(flags(&controls), (true, true));
        for signal in [SIGTERM, SIGHUP] {
            let controls = Controls::default();
            obey(signal, &controls);
            assert_eq!(flags(&controls), (true, true));
        }
    }
}
