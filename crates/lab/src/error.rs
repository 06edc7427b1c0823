//! What can go wrong with a match outside its games.

use std::fmt;
use std::path::{Path, PathBuf};

use yomi_core::TextError;
use yomi_core::text::counted;

use crate::row::GameRow;

/// Why a match cannot be run, read or gone on with.
#[derive(Debug)]
pub enum LabError {
    /// A file or directory: full disk, no permission, not there.
    File {
        /// What was tried: `cannot write`.
        what: &'static str,
        /// Where.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// Another process writes to this ledger.
    Locked(PathBuf),
    /// Something typed or stored cannot be understood.
    Text(TextError),
    /// Something stored contradicts itself or what was asked for.
    Conflict(String),
    /// Finished games that could not be written down. They are here.
    Unsaved {
        /// Why not.
        cause: Box<LabError>,
        /// The games.
        rows: Vec<GameRow>,
    },
}

/// The result of what may go wrong in the laboratory.
pub type Result<T> = std::result::Result<T, LabError>;

impl LabError {
    /// Puts the path into an error of the system.
    pub fn file(what: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> LabError {
        let path = path.to_path_buf();
        move |source| LabError::File { what, path, source }
    }
}

impl fmt::Display for LabError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LabError::File { what, path, source } => write!(f, "{what} {}: {source}", path.display()),
            LabError::Locked(path) => {
                write!(f, "another program is writing to {}; two would spoil it", path.display())
            }
            LabError::Text(error) => write!(f, "{error}"),
            LabError::Conflict(message) => f.write_str(message),
            LabError::Unsaved { cause, rows } => {
                let games = counted(rows.len() as u64, "finished game", "finished games");
                write!(f, "{cause}; {games} could not be written down")
            }
        }
    }
}

impl std::error::Error for LabError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            LabError::File { source, .. } => Some(source),
            LabError::Unsaved { cause, .. } => Some(cause),
            _ => None,
        }
    }
}

impl From<TextError> for LabError {
    fn from(error: TextError) -> LabError {
        LabError::Text(error)
    }
}
