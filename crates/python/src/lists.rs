//! What there is: games and searches; and which build this is.

use std::sync::OnceLock;

use pyo3::prelude::*;
use serde_json::{Value, json};
use yomi_lab::experiment::workshop::Version;
use yomi_search::METHODS;
use yomi_session::{FAMILIES, OTHER_SEARCHES, WRAPPERS};

use crate::error::OrRaise;

/// The games with their rules, as `yomi games --json` lists them.
#[pyfunction]
pub(crate) fn games() -> String {
    let rule =
        |r: &yomi_core::Rule| json!({ "key": r.key, "values": r.values, "default": r.default, "meaning": r.meaning });
    let family = |family: &yomi_session::Family| json!({ "names": family.names, "summary": family.summary, "rules": family.rules.iter().map(rule).collect::<Vec<_>>() });
    Value::Array(FAMILIES.iter().map(family).collect()).to_string()
}

/// The searches, with a few words about each.
#[pyfunction]
pub(crate) fn methods() -> String {
    let family = METHODS.iter().map(|entry| (entry.name, entry.about, entry.paper));
    let others = OTHER_SEARCHES.iter().chain(WRAPPERS).map(|&(name, about)| (name, about, ""));
    let row = |(name, about, paper): (&str, &str, &str)| json!({ "name": name, "about": about, "paper": paper });
    Value::Array(family.chain(others).map(row).collect()).to_string()
}

/// The signature of this build, as `yomi bench` prints it: a second or two of work the first time.
#[pyfunction]
pub(crate) fn signature(py: Python<'_>) -> PyResult<u64> {
    // Once per process: a build does not change while it runs.
    static FOUND: OnceLock<u64> = OnceLock::new();
    if let Some(&found) = FOUND.get() {
        return Ok(found);
    }
    let signature = py.detach(yomi_session::signature::build_signature).or_raise()?;
    Ok(*FOUND.get_or_init(|| signature))
}

/// The program as experiments name it.
pub(crate) fn version(signature: u64) -> Version {
    let program = format!("yomi {}", env!("CARGO_PKG_VERSION"));
    Version { build: format!("{program}, Python package"), program, bench: signature }
}
