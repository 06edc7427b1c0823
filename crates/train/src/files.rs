//! Files of a run: there whole or not at all.

use std::fs;
use std::io::Write;
use std::path::Path;

use yomi_core::TextError;

/// The error of a file.
pub fn trouble(path: &Path, error: impl std::fmt::Display) -> TextError {
    TextError::new(format!("{}: {error}", path.display()))
}

/// Writes a file so that it is there whole or not at all.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), TextError> {
    let beside = path.with_extension("part");
    let write = || {
        let mut file = fs::File::create(&beside)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&beside, path)
    };
    write().map_err(|error| trouble(path, error))
}
