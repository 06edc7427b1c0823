//! How much of the time a GPU is at work, as the tool of its driver samples it: games, trainer and everything else on it together.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

/// The sum of the samples, in percent, and how many they are.
type Samples = Arc<Mutex<(f64, u64)>>;

/// Looks at a device until it is dropped.
pub(crate) struct Utilisation {
    tool: Child,
    samples: Samples,
}

impl Utilisation {
    /// Begins to look at the CUDA device of this number; none if there is no such tool.
    pub(crate) fn of_cuda(device: usize) -> Option<Utilisation> {
        let visible = std::env::var("CUDA_VISIBLE_DEVICES").ok();
        let mut tool = Command::new("nvidia-smi")
            .args(["--query-gpu=utilization.gpu", "--format=csv,noheader,nounits", "--loop-ms=500", "--id"])
            .arg(name(visible.as_deref(), device))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let output = BufReader::new(tool.stdout.take()?);
        let samples = Samples::default();
        let counted = samples.clone();
        std::thread::spawn(move || count(output, &counted));
        Some(Utilisation { tool, samples })
    }

    /// The share of the time since the last call in which a kernel was at work; none if there was no sample.
    pub(crate) fn take(&self) -> Option<f64> {
        let (sum, count) = std::mem::take(&mut *self.samples.lock().unwrap_or_else(PoisonError::into_inner));
        (count > 0).then(|| sum / count as f64 / 100.0)
    }
}

impl Drop for Utilisation {
    fn drop(&mut self) {
        let _ = self.tool.kill();
        let _ = self.tool.wait();
    }
}

/// What the tool calls a device: programs number those that `CUDA_VISIBLE_DEVICES` leaves them, the tool numbers all.
fn name(visible: Option<&str>, device: usize) -> String {
    let listed = visible.and_then(|list| list.split(',').nth(device)).map(str::trim).filter(|name| !name.is_empty());
    listed.map_or(device.to_string(), str::to_string)
}

/// Adds the numbers that come, a line each.
fn count(lines: impl BufRead, samples: &Samples) {
    for line in lines.lines().map_while(Result::ok) {
        let Some(percent) = line.trim().parse::<f64>().ok().filter(|percent| (0.0..=100.0).contains(percent)) else {
            continue;
        };
        let mut samples = samples.lock().unwrap_or_else(PoisonError::into_inner);
        samples.0 += percent;
        samples.1 += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_tool_are_counted() {
        let samples = Samples::default();
        count("97\n 100 \n[N/A]\n\n40\n".as_bytes(), &samples);
        assert_eq!(*samples.lock().unwrap(), (237.0, 3));
    }

    #[test]
    fn devices_have_the_tools_names() {
        assert_eq!(
            (name(None, 1), name(Some("2, GPU-ab"), 1), name(Some("3"), 0)),
            ("1".into(), "GPU-ab".into(), "3".into())
        );
        assert_eq!((name(Some(""), 0), name(Some("3"), 1)), ("0".into(), "1".into()));
    }
}
