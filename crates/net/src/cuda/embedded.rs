//! Kernels that were compiled when the program was built (`YOMI_PTX`, see `build.rs`), found by their source.
//!
//! An archive is text: for each kernel a line `//@ NAME LENGTH`, then as many bytes of PTX. The name is a number made of the virtual
//! architecture and the whole source, so that a kernel that has changed since is not found, and compiled.

use yomi_core::rng::fnv1a;

static ARCHIVE: &str = include_str!(concat!(env!("OUT_DIR"), "/kernels.ptx"));

/// The PTX of a source, if the program has it.
pub(super) fn find(source: &str, architecture: &str) -> Option<&'static str> {
    entries(ARCHIVE).find(|(known, _)| *known == name(source, architecture)).map(|(_, ptx)| ptx)
}

/// How many kernels the program has.
pub(super) fn count() -> usize {
    entries(ARCHIVE).count()
}

/// An entry of an archive.
pub(super) fn entry(source: &str, architecture: &str, ptx: &str) -> String {
    format!("//@ {} {}\n{ptx}", name(source, architecture), ptx.len())
}

fn name(source: &str, architecture: &str) -> String {
    format!("{:016x}", fnv1a(format!("{architecture}\n{source}").as_bytes()))
}

/// Names and texts; what is damaged ends the list.
fn entries(mut archive: &str) -> impl Iterator<Item = (&str, &str)> {
    std::iter::from_fn(move || {
        let (head, rest) = archive.strip_prefix("//@ ")?.split_once('\n')?;
        let (name, length) = head.split_once(' ')?;
        let (ptx, rest) = rest.split_at_checked(length.parse().ok()?)?;
        archive = rest;
        Some((name, ptx))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn archives_are_read_as_written() {
        let archive = entry("a", "compute_80", "first\n//@ no head\n") + &entry("b", "compute_90a", "second");
        let read: Vec<(&str, &str)> = entries(&archive).collect();
        assert_eq!(
            read,
            [(name("a", "compute_80").as_str(), "first\n//@ no head\n"), (name("b", "compute_90a").as_str(), "second")]
        );
        assert_ne!(name("a", "compute_80"), name("a", "compute_90a"));
        // A file that was cut off keeps what is whole.
        assert_eq!(entries(&archive[..archive.len() - 1]).count(), 1);
        assert_eq!(entries("").count(), 0);
    }
}
