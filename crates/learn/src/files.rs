//! Files of a run: there whole or not at all.

use std::fs;
use std::io::Write;
use std::path::Path;

use yomi_core::TextError;

/// The error of a file.
pub(crate) fn trouble(path: &Path, error: &std::io::Error) -> TextError {
    TextError::new(format!("{}: {error}", path.display()))
}

/// The contents of a file, or nothing if there is none.
pub(crate) fn read_if_there(path: &Path) -> Result<Option<Vec<u8>>, TextError> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(trouble(path, &error)),
    }
}

/// Writes a file so that it is there whole or not at all.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> Result<(), TextError> {
    let beside = path.with_extension("part");
    let write = || {
        let mut file = fs::File::create(&beside)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&beside, path)
    };
    write().map_err(|error| trouble(path, &error))
}
