//! Where a run stands, in a file.
//!
//! ```text
//! {"type":"blokus-learning","version":1,"settings":{…},"updates":1200,"cpu_seconds":[…]}
//! yomi-blokus-weights 1
//! …
//! file 0123456789abcdef      FNV-1a of all before this line
//! ```

use serde::{Deserialize, Serialize};
use yomi_core::TextError;
use yomi_core::rng::fnv1a;
use yomi_eval::blokus::Weights;

use super::settings::Settings;

const TYPE: &str = "blokus-learning";
const VERSION: u32 = 1;

/// All that passes from one update to the next.
#[derive(Clone, PartialEq, Debug)]
pub struct Checkpoint {
    /// The settings of the run.
    pub settings: Settings,
    /// Updates done.
    pub updates: u64,
    /// CPU seconds so far: in all, and in simulated games.
    pub cpu_seconds: [f64; 2],
    /// The weights.
    pub weights: Weights,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    r#type: String,
    version: u32,
    settings: Settings,
    updates: u64,
    cpu_seconds: [f64; 2],
}

impl Checkpoint {
    /// The beginning of a run.
    pub fn start(settings: Settings) -> Checkpoint {
        Checkpoint { settings, updates: 0, cpu_seconds: [0.0; 2], weights: Weights::default() }
    }

    /// The file.
    pub fn write(&self) -> Result<String, TextError> {
        let Checkpoint { settings, updates, cpu_seconds, weights } = self;
        let header = Header {
            r#type: TYPE.to_string(),
            version: VERSION,
            settings: *settings,
            updates: *updates,
            cpu_seconds: *cpu_seconds,
        };
        let header = serde_json::to_string(&header).map_err(|e| TextError::new(format!("a checkpoint: {e}")))?;
        let text = format!("{header}\n{}", weights.write());
        let check = fnv1a(text.as_bytes());
        Ok(format!("{text}file {check:016x}\n"))
    }

    /// Reads the file. What is not whole is refused.
    pub fn read(text: &str) -> Result<Checkpoint, TextError> {
        let damaged = |what: &str| TextError::new(format!("this checkpoint {what}"));
        let body = text.rfind("file ").map(|at| &text[..at]).ok_or_else(|| damaged("has no checksum"))?;
        if text[body.len()..] != format!("file {:016x}\n", fnv1a(body.as_bytes())) {
            return Err(damaged("is damaged: its checksum is wrong"));
        }
        let (header, weights) = body.split_once('\n').ok_or_else(|| damaged("has no weights"))?;
        let header: Header =
            serde_json::from_str(header).map_err(|e| damaged(&format!("has a bad first line: {e}")))?;
        if header.r#type != TYPE || header.version != VERSION {
            return Err(damaged(&format!("is of {} {}, not {TYPE} {VERSION}", header.r#type, header.version)));
        }
        header.settings.check()?;
        let Header { settings, updates, cpu_seconds, .. } = header;
        Ok(Checkpoint { settings, updates, cpu_seconds, weights: Weights::read(weights)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_damage_is_seen() {
        let mut checkpoint = Checkpoint::start(Settings { lambda: 0.3, ..Settings::default() });
        checkpoint.updates = 77;
        checkpoint.weights.all_mut()[5] = 1.0 / 3.0;
        let text = checkpoint.write().unwrap();
        assert_eq!(Checkpoint::read(&text), Ok(checkpoint));
        let refused = |text: &str| Checkpoint::read(text).unwrap_err().to_string();
        assert!(refused(&text[..text.len() - 1]).contains("checksum"));
        assert!(refused(&text.replace("77", "78")).contains("checksum"));
        assert!(refused("").contains("no checksum"));
        let resealed = |text: &str| {
            let body = &text[..text.rfind("file ").unwrap()];
            format!("{body}file {:016x}\n", fnv1a(body.as_bytes()))
        };
        assert!(refused(&resealed(&text.replace("\"version\":1", "\"version\":9"))).contains("blokus-learning 9"));
        assert!(refused(&resealed(&text.replace("\"lambda\":0.3", "\"lambda\":7"))).contains("lambda"));
    }
}
