//! Files in and out: bounded, and never half written.

use std::fs;
use std::io::{Read, Write};
use std::path::Path;

use anyhow::{Context, ensure};

/// No record or weights file of ours is larger; a larger one is a mistake.
const LARGEST: u64 = 256 << 20;

/// The bytes of a file; `-` is standard input.
pub(crate) fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let shown = path.display();
    if path.as_os_str() == "-" {
        std::io::stdin().lock().take(LARGEST + 1).read_to_end(&mut bytes).context("standard input")?;
    } else {
        let file = fs::File::open(path).with_context(|| format!("cannot open {shown}"))?;
        file.take(LARGEST + 1).read_to_end(&mut bytes).with_context(|| format!("cannot read {shown}"))?;
    }
    ensure!(bytes.len() as u64 <= LARGEST, "{shown} is larger than {} MiB", LARGEST >> 20);
    Ok(bytes)
}

/// Writes a file so that it is either the old one or the new one, whatever happens in between; `-` is `out`.
pub(crate) fn write(path: &Path, bytes: &[u8], out: &mut dyn Write) -> anyhow::Result<()> {
    if path.as_os_str() == "-" {
        out.write_all(bytes)?;
        return Ok(());
    }
    write_with(path, |file| file.write_all(bytes)).with_context(|| format!("cannot write {}", path.display()))
}

/// The same for what is too large to be held in memory: `fill` writes it piece by piece.
pub(crate) fn write_with<T>(path: &Path, fill: impl FnOnce(&mut fs::File) -> std::io::Result<T>) -> anyhow::Result<T> {
    let name = path.file_name().with_context(|| format!("{} names no file", path.display()))?;
    let beside = path.with_file_name(format!(".{}.{}.part", name.to_string_lossy(), std::process::id()));
    let written = fs::File::create(&beside).and_then(|mut file| {
        let told = fill(&mut file)?;
        file.sync_all()?;
        fs::rename(&beside, path)?;
        Ok(told)
    });
    if written.is_err() {
        // The rest of a failed attempt; that it may not be removable changes nothing.
        let _ = fs::remove_file(&beside);
    }
    Ok(written?)
}
