//! What the programs of a run say, written down, but not without end.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What all logs of a run may take together, earlier parts of the run included.
pub const MAX_LENGTH: u64 = 64 << 20;

/// The logs of a run: files in a directory that share what room there is.
#[derive(Clone, Debug)]
pub struct EngineLogs {
    directory: PathBuf,
    left: Arc<AtomicU64>,
}

impl EngineLogs {
    /// Logs in this directory, which need not exist yet, with at most `most` bytes in all.
    pub fn new(directory: &Path, most: u64) -> EngineLogs {
        let files = fs::read_dir(directory).into_iter().flatten().flatten();
        let length: u64 = files.filter_map(|file| file.metadata().ok()).map(|metadata| metadata.len()).sum();
        EngineLogs { directory: directory.to_path_buf(), left: Arc::new(AtomicU64::new(most.saturating_sub(length))) }
    }

    /// The log of this name, to be written on at its end. Nothing once there is no room left.
    pub fn open(&self, name: &Path) -> io::Result<Option<Box<dyn Write + Send>>> {
        // Relaxed, here and below: the number orders nothing but itself.
        if self.left.load(Ordering::Relaxed) == 0 {
            return Ok(None);
        }
        fs::create_dir_all(&self.directory)?;
        let file = OpenOptions::new().create(true).append(true).open(self.directory.join(name))?;
        Ok(Some(Box::new(Capped { file, left: self.left.clone() })))
    }
}

/// A file that shares its room with others.
struct Capped {
    file: File,
    left: Arc<AtomicU64>,
}

impl Write for Capped {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let length = bytes.len() as u64;
        let take = |left: u64| left.checked_sub(length);
        if self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_err() {
            // The others find no room either, so that all logs end together.
            self.left.store(0, Ordering::Relaxed);
            self.file.write_all(b"# the logs of this run are full\n")?;
            return Err(io::Error::new(ErrorKind::StorageFull, "the logs of this run are full"));
        }
        self.file.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
