//! The curves of a run for TensorBoard: the lines of its log as an event file.

use std::io::Write;
use std::path::Path;

use yomi_core::TextError;
use yomi_learn::run::events::{header, scalars};

use super::Generation;
use crate::files::{replace, trouble};

/// The file in the folder of a run.
const NAME: &str = "events.out.tfevents.yomi";

/// Brings the event file up to date. Steps are games, and the time is that of the run's work, from 0. What is there already is only added to, so that a
/// reader can follow it; a file that does not begin as it should, as a killed run may leave it, is written again.
pub(super) fn write(folder: &Path, history: &[Generation]) -> Result<(), TextError> {
    let mut bytes = header(0.0);
    history.iter().for_each(|line| bytes.extend(record(line)));
    let path = folder.join(NAME);
    let there = std::fs::read(&path).unwrap_or_default();
    match bytes.strip_prefix(&there[..]).filter(|_| !there.is_empty()) {
        Some(more) => {
            let append = || std::fs::OpenOptions::new().append(true).open(&path)?.write_all(more);
            append().map_err(|error| trouble(&path, error))
        }
        None => replace(&path, &bytes),
    }
}

/// What TensorBoard shows of a generation.
fn record(line: &Generation) -> Vec<u8> {
    let losses: Vec<(String, f64)> =
        line.training.losses.iter().map(|(name, &loss)| (format!("losses/{name}"), loss)).collect();
    let mut values = vec![
        ("surprise", line.surprise),
        ("plies", line.plies),
        ("resigned", line.resigned),
        ("rate", line.rate),
        ("evaluations_per_second", line.evaluations_per_second),
        ("samples_per_second", line.samples_per_second),
        ("training_share", line.training_share),
        ("training/positions_per_second", line.training.positions_per_second),
    ];
    values.extend(line.device_share.map(|share| ("device_share", share)));
    values.extend(losses.iter().map(|(name, loss)| (name.as_str(), *loss)));
    scalars(line.seconds, line.games, &values)
}
