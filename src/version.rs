//! What this program is: version, commit, compiler, target.

/// Commit of the sources and its day, `-dirty` if they were changed; `unknown` where they came without a repository.
pub(crate) const COMMIT: &str = env!("YOMI_COMMIT");

/// One line: `0.1.0 (ae97cd94fb 2026-11-16)`.
pub(crate) const SHORT: &str = concat!(env!("CARGO_PKG_VERSION"), " (", env!("YOMI_COMMIT"), ")");

/// The same with a second line: the compiler and what it built for.
pub(crate) const LONG: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    " (",
    env!("YOMI_COMMIT"),
    ")\n",
    env!("YOMI_COMPILER"),
    "\n",
    env!("YOMI_BUILD")
);
