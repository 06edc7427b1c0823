//! Which build this is: what manifests and reports say about the program.

use yomi_lab::experiment::workshop::Version;

/// The program, the commit where the build knew it, and the compiler.
pub(crate) fn text() -> String {
    let commit = option_env!("YOMI_COMMIT").map_or(String::new(), |commit| format!(", commit {commit}"));
    format!("yomi {}{commit}, {}", env!("CARGO_PKG_VERSION"), env!("YOMI_COMPILER"))
}

/// The program as experiments name it; `signature` is what `yomi bench` prints.
pub(crate) fn version(signature: u64) -> Version {
    Version { program: format!("yomi {}", env!("CARGO_PKG_VERSION")), bench: signature, build: text() }
}
