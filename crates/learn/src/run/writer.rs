//! Checkpoints reach the disk while the next games are played.

use std::fs;
use std::path::PathBuf;
use std::thread::JoinHandle;

use yomi_core::TextError;

use crate::files::{replace, trouble};

/// What a checkpoint has to put on the disk, in this order.
#[derive(Default)]
pub(super) struct Saving {
    /// Files that were appended to: the checkpoint counts on their lengths.
    pub(super) appended: Vec<PathBuf>,
    /// Files that are written anew, the checkpoint last.
    pub(super) files: Vec<(PathBuf, Vec<u8>)>,
}

impl Saving {
    fn write(self) -> Result<(), TextError> {
        for path in &self.appended {
            let sync = || fs::OpenOptions::new().write(true).open(path)?.sync_data();
            sync().map_err(|error| trouble(path, &error))?;
        }
        self.files.iter().try_for_each(|(path, bytes)| replace(path, bytes))
    }
}

/// Writes one checkpoint at a time. A run that is killed meanwhile goes on from the one before.
#[derive(Default)]
pub(super) struct Writer(Option<JoinHandle<Result<(), TextError>>>);

impl Writer {
    /// Begins to write, once what was begun before is on the disk.
    pub(super) fn begin(&mut self, saving: Saving) -> Result<(), TextError> {
        self.finish()?;
        self.0 = Some(std::thread::spawn(|| saving.write()));
        Ok(())
    }

    /// Waits for what was begun.
    pub(super) fn finish(&mut self) -> Result<(), TextError> {
        let Some(thread) = self.0.take() else { return Ok(()) };
        thread.join().unwrap_or_else(|_| Err(TextError::new("the thread that writes checkpoints has panicked")))
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        // An error is reported by the checkpoint at the end of a run.
        let _ = self.finish();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_come_in_order_and_errors_come_out() {
        let folder = std::env::temp_dir().join(format!("yomi-writer-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let mut writer = Writer::default();
        for round in 0..3_u8 {
            let files = vec![(folder.join("a"), vec![round]), (folder.join("b"), vec![round, round])];
            writer.begin(Saving { appended: Vec::new(), files }).unwrap();
        }
        writer.finish().unwrap();
        assert_eq!([fs::read(folder.join("a")).unwrap(), fs::read(folder.join("b")).unwrap()], [vec![2], vec![2, 2]]);
        // A file that is not there cannot be waited for: the error is reported, and the checkpoint behind it is not written.
        let files = vec![(folder.join("a"), vec![9])];
        writer.begin(Saving { appended: vec![folder.join("missing")], files }).unwrap();
        assert!(writer.finish().unwrap_err().to_string().contains("missing"));
        assert_eq!(fs::read(folder.join("a")).unwrap(), [2]);
        writer.finish().unwrap();
        drop(writer);
        fs::remove_dir_all(&folder).unwrap();
    }
}
