//! Files in and out: bounded, and never half written.

use std::fs;
use std::io::{Read, Write};
use std::path::Path;

use anyhow::{Context, ensure};
use yomi_protocol::client::process::is_running;
use yomi_session::RecordFormat;

/// No record or weights file of ours is larger; a larger one is a mistake.
const LARGEST: u64 = 256 << 20;

/// The format of records that a file's ending stands for.
pub(crate) fn format_of(path: &Path) -> anyhow::Result<RecordFormat> {
    let ending = path.extension().and_then(|ending| ending.to_str());
    Ok(ending.with_context(|| format!("{} has no ending that names its format", path.display()))?.parse()?)
}

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
    clean(path, &name.to_string_lossy());
    let written = fs::File::create(&beside).and_then(|mut file| {
        let result = fill(&mut file)?;
        file.sync_all()?;
        fs::rename(&beside, path)?;
        Ok(result)
    });
    if written.is_err() {
        // The rest of a failed attempt; that it may not be removable changes nothing.
        let _ = fs::remove_file(&beside);
    }
    Ok(written?)
}

/// Removes what a writer of this file that was killed left half written.
fn clean(path: &Path, name: &str) {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let found = entry.file_name();
        let writer = found.to_str().and_then(|found| found.strip_prefix('.')?.strip_prefix(name)?.strip_prefix('.'));
        let writer = writer.and_then(|rest| rest.strip_suffix(".part")?.parse().ok());
        if writer.is_some_and(|id: u32| !is_running(id)) {
            // That it may not be removable changes nothing.
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_writer_left_is_removed() {
        let directory = std::env::temp_dir().join(format!("yomi-files-{}", std::process::id()));
        fs::create_dir_all(&directory).unwrap();
        // No process has so high a number; and one that surely runs.
        let (left, busy) = (directory.join(".a.tree.4000000000.part"), directory.join(".a.tree.1.part"));
        let other = directory.join(".b.tree.4000000000.part");
        [&left, &busy, &other].iter().for_each(|path| fs::write(path, "half").unwrap());
        write(&directory.join("a.tree"), b"whole", &mut Vec::new()).unwrap();
        assert!(!left.exists() && busy.exists() && other.exists() && directory.join("a.tree").exists());
        fs::remove_dir_all(&directory).unwrap();
    }
}
