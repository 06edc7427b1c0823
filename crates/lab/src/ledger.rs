//! The ledger of a match: one line per game, only ever appended to. It alone decides what has been played.
//!
//! After kill -9 the last line may be torn: it is cut off and its game is played again. A row is handed to the system as one write as
//! soon as its game is over, so that nothing but the machine itself can lose it, and to the disk once a second and at the end.
//!
//! The last member of every row, `check`, is the FNV-1a hash of the bytes before it: a single changed byte always changes the hash. Rows
//! of older versions have none; they are read as long as no row with one stands before them.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use yomi_core::TextError;
use yomi_core::clock::Stopwatch;
use yomi_core::rng::fnv1a;
use yomi_protocol::harmless::{MESSAGE, harmless};

use crate::error::{LabError, Result};

/// How long rows may wait for the disk.
const SYNC_EVERY: Duration = Duration::from_secs(1);

/// A ledger open for writing. It is locked: no other process can open it meanwhile.
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
        let mut line = line(row)
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
            // The row is written; the last sync reports a disk that fails.
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

/// Reads a ledger that another process may be writing to; a torn last line is left out.
pub fn read<R: DeserializeOwned>(path: &Path) -> Result<Vec<R>> {
    let bytes = std::fs::read(path).map_err(LabError::file("cannot read", path))?;
    let (rows, _) = parse(&bytes).map_err(|error| LabError::Text(error.context(path.display())))?;
    Ok(rows)
}

/// What stands between a row and its checksum.
const SEAL: &str = ",\"check\":\"";
/// The length of what a checksum adds to a row: the member with its sixteen digits, the closing quote and the closing brace.
const SEAL_LENGTH: usize = SEAL.len() + 16 + 2;

/// A row as a line of a ledger, with its checksum.
pub fn line(row: &impl Serialize) -> serde_json::Result<String> {
    let mut line = serde_json::to_string(row)?;
    if line.pop() != Some('}') {
        return Err(serde::ser::Error::custom("a row is an object"));
    }
    let check = fnv1a(line.as_bytes());
    line += &format!("{SEAL}{check:016x}\"}}");
    Ok(line)
}

/// The row of a line, and whether it has a checksum.
pub fn row<R: DeserializeOwned>(line: &[u8]) -> std::result::Result<(R, bool), String> {
    let line = line.trim_ascii_end();
    let refused = |error: serde_json::Error| format!("this is no row of this ledger: {error}");
    let place = line.len().saturating_sub(SEAL_LENGTH);
    let (row, seal) = line.split_at(place);
    let Some(check) = seal.strip_prefix(SEAL.as_bytes()) else {
        return Ok((serde_json::from_slice(line).map_err(refused)?, false));
    };
    if check != format!("{:016x}\"}}", fnv1a(row)).as_bytes() {
        return Err("this row is damaged: its checksum does not fit".to_string());
    }
    let row = serde_json::from_slice(&[row, b"}"].concat()).map_err(refused)?;
    Ok((row, true))
}

/// What can be done about a row that cannot be read.
const ADVICE: &str =
    "restore the file from a copy, or delete this line: what it holds is then done again when the run goes on";

/// Whether the last line was never written to its end. A write that was cut short has no end; after a crash of the machine, blocks that
/// never reached the disk are zeros. One wrong byte is neither: it leaves a zero alone, or another end behind a row that is whole.
fn is_torn(line: &[u8]) -> bool {
    let zeros = line.iter().filter(|&&byte| byte == 0).count();
    match line.split_last() {
        Some((b'\n', _)) => zeros > 1,
        Some((0, _)) | None => true,
        Some((_, before)) => !row::<IgnoredAny>(before).is_ok_and(|(_, has_check)| has_check),
    }
}

/// The rows of a ledger, and the length of what is whole. Only the last line may be torn; any other that is no row is an error.
fn parse<R: DeserializeOwned>(bytes: &[u8]) -> std::result::Result<(Vec<R>, u64), TextError> {
    let mut rows = Vec::new();
    let mut whole = 0;
    let mut checked = false;
    for (i, line) in bytes.split_inclusive(|&byte| byte == b'\n').enumerate() {
        if whole + line.len() == bytes.len() && is_torn(line) {
            break;
        }
        let read = row(line).and_then(|(row, has_check)| match has_check || !checked {
            true => Ok((row, has_check)),
            false => Err("this row is damaged: it has no checksum, unlike those before it".to_string()),
        });
        match read {
            Ok((row, has_check)) => {
                rows.push(row);
                checked = has_check;
            }
            Err(message) => {
                let text = String::from_utf8_lossy(line);
                return Err(TextError::in_line(i + 1, &harmless(&text, MESSAGE), format!("{message}; {ADVICE}")));
            }
        }
        whole += line.len();
    }
    Ok((rows, whole as u64))
}
