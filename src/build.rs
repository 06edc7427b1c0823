//! Which build this is: what manifests and reports say about the program.

/// The program, the commit where the build knew it, and the compiler.
pub(crate) fn text() -> String {
    let commit = option_env!("YOMI_COMMIT").map_or(String::new(), |commit| format!(", commit {commit}"));
    format!("yomi {}{commit}, {}", env!("CARGO_PKG_VERSION"), env!("YOMI_COMPILER"))
}
