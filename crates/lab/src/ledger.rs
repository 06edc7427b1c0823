//! The ledger of a match: one line a game, only ever appended to. It alone decides what has been played.
//!
//! After kill -9 the last line may be torn: it is cut off and its game is played again. A row is handed to the system as one write as
//! soon as its game is over, so that nothing but the machine itself can lose it, and to the disk once a second and at the end.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use yomi_core::TextError;
use yomi_core::clock::Stopwatch;

use crate::error::{LabError, Result};

/// How long rows may wait for the disk.
const SYNC_EVERY: Duration = Duration::from_secs(1);

/// A ledger open for writing. Nobody else can open it meanwhile.
#[derive(Debug)]
pub struct Ledger {
    file: File,
    path: PathBuf,
    /// The length of what is known to be whole.
    length: u64,
    synced: Option<Stopwatch>,
}

impl Ledger {
    /// Opens the ledger at `path`, which need not exist yet, and reads what was played so far. A torn last line is cut off.
    pub fn open<R: DeserializeOwned>(path: &Path) -> Result<(Ledger, Vec<R>)> {
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create(true).truncate(false).open(path);
        let mut file = file.map_err(LabError::file("cannot open", path))?;
        let regular = file.metadata().is_ok_and(|metadata| metadata.is_file());
        if !regular {
            return Err(LabError::Conflict(format!("{} is no file that can be kept", path.display())));
        }
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(LabError::Locked(path.to_path_buf())),
            Err(TryLockError::Error(error)) => return Err(LabError::file("cannot lock", path)(error)),
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(LabError::file("cannot read", path))?;
        let (rows, length) = parse(&bytes).map_err(|error| LabError::Text(error.context(path.display())))?;
        if length < bytes.len() as u64 {
            file.set_len(length).map_err(LabError::file("cannot shorten", path))?;
        }
        file.seek(SeekFrom::Start(length)).map_err(LabError::file("cannot read", path))?;
        Ok((Ledger { file, path: path.to_path_buf(), length, synced: None }, rows))
    }

    /// Writes a row down. If that fails nothing of it stays behind.
    pub fn append(&mut self, row: &impl Serialize) -> Result<()> {
        let mut line = serde_json::to_string(row)
            .map_err(|cause| LabError::file("cannot write a row of", &self.path)(std::io::Error::other(cause)))?;
        line.push('\n');
        if let Err(cause) = self.file.write_all(line.as_bytes()) {
            // Half a line would be cut off when the ledger is opened again; better now. If that fails too, it is cut off then.
            let _ = self.file.set_len(self.length);
            let _ = self.file.seek(SeekFrom::Start(self.length));
            return Err(LabError::file("cannot write to", &self.path)(cause));
        }
        self.length += line.len() as u64;
        if self.synced.is_none_or(|watch| watch.elapsed() >= SYNC_EVERY) {
            // The row is written; a disk that fails is told by the last sync.
            let _ = self.sync();
        }
        Ok(())
    }

    /// Waits until everything is on the disk.
    pub fn sync(&mut self) -> Result<()> {
        self.synced = Some(Stopwatch::start());
        self.file.sync_data().map_err(LabError::file("cannot write to", &self.path))
    }
}

/// Reads a ledger that somebody else may be writing to; a torn last line is left out.
pub fn read<R: DeserializeOwned>(path: &Path) -> Result<Vec<R>> {
    let bytes = std::fs::read(path).map_err(LabError::file("cannot read", path))?;
    let (rows, _) = parse(&bytes).map_err(|error| LabError::Text(error.context(path.display())))?;
    Ok(rows)
}

/// The rows of a ledger, and the length of what is whole. Only the last line may be torn; any other that is no row is an error.
fn parse<R: DeserializeOwned>(bytes: &[u8]) -> std::result::Result<(Vec<R>, u64), TextError> {
    let mut rows = Vec::new();
    let mut whole = 0;
    for (i, line) in bytes.split_inclusive(|&byte| byte == b'\n').enumerate() {
        let last = whole + line.len() == bytes.len();
        if line.ends_with(b"\n") {
            match serde_json::from_slice(line) {
                Ok(row) => rows.push(row),
                // A crash of the machine can leave a last line of the right length with the wrong bytes.
                Err(_) if last => break,
                Err(error) => {
                    let text = String::from_utf8_lossy(line);
                    return Err(TextError::in_line(i + 1, &text, format!("this is no row of this ledger: {error}")));
                }
            }
            whole += line.len();
        }
    }
    Ok((rows, whole as u64))
}
