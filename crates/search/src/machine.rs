//! What a search may take from the machine unless its text says otherwise. WebAssembly has one thread, and a browser little memory.

/// Whether this is a build for WebAssembly.
const WASM: bool = cfg!(target_family = "wasm");

/// No search takes more threads than this: beyond it lies a typing error.
pub(crate) const MAX_THREADS: usize = if WASM { 1 } else { 1024 };

/// Default memory of a tree in mebibytes, as a number and as text.
pub(crate) const TREE_MEMORY: (u64, &str) = if WASM { (32, "32") } else { (256, "256") };

/// Default memory of a transposition table in mebibytes, as a number and as text.
pub(crate) const TABLE_MEMORY: (usize, &str) = if WASM { (16, "16") } else { (64, "64") };
