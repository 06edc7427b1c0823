//! Reading files whose names came from somewhere else: regular files only, and no more bytes than expected.

use std::fs::{self, File};
use std::io::Read;

use crate::TextError;

/// The bytes of the file `name`, or why not: it cannot be read, it is a directory, a device or a pipe (which might never end), or it is
/// larger than `most` bytes.
pub fn read_file(name: &str, most: u64) -> Result<Vec<u8>, TextError> {
    let error = |why: String| TextError::new(format!("{name:.200}: {why}"));
    let failed = |fault: std::io::Error| error(fault.to_string());
    let too_large = || error(format!("the file is larger than {}", size_text(most)));
    let about = fs::metadata(name).map_err(failed)?;
    if !about.is_file() {
        return Err(error("this is not a regular file".to_string()));
    }
    if about.len() > most {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    // A file may grow while it is read, and some of the system's own files say that they are empty.
    File::open(name).and_then(|file| file.take(most.saturating_add(1)).read_to_end(&mut bytes)).map_err(failed)?;
    if bytes.len() as u64 > most { Err(too_large()) } else { Ok(bytes) }
}

/// The same for text.
pub fn read_text_file(name: &str, most: u64) -> Result<String, TextError> {
    let bytes = read_file(name, most)?;
    String::from_utf8(bytes).map_err(|fault| {
        let at = fault.utf8_error().valid_up_to();
        TextError::new(format!("{name:.200}: the file is not UTF-8 text: byte {} is wrong", at + 1))
    })
}

/// `64 MiB`, or `100 bytes` where that is no whole number of mebibytes.
fn size_text(bytes: u64) -> String {
    if bytes > 0 && bytes.is_multiple_of(1 << 20) { format!("{} MiB", bytes >> 20) } else { format!("{bytes} bytes") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_limited_and_the_limit_is_named() {
        let path = std::env::temp_dir().join(format!("yomi-file-{}", std::process::id()));
        let name = path.to_str().unwrap();
        fs::write(&path, b"12345").unwrap();
        assert_eq!(read_file(name, 5).unwrap(), b"12345");
        assert_eq!(read_text_file(name, 5).unwrap(), "12345");
        assert_eq!(read_file(name, 4).unwrap_err().message, format!("{name}: the file is larger than 4 bytes"));
        fs::write(&path, b"ab\xff").unwrap();
        assert!(read_text_file(name, 9).unwrap_err().message.ends_with("byte 3 is wrong"));
        // A sparse file costs nothing, and is refused before anything is read.
        File::create(&path).and_then(|file| file.set_len(3 << 30)).unwrap();
        assert!(read_file(name, 64 << 20).unwrap_err().message.ends_with("the file is larger than 64 MiB"));
        fs::remove_file(&path).unwrap();
        assert!(read_file(name, 5).is_err());
    }

    #[test]
    #[cfg(unix)]
    fn what_may_never_end_is_not_read() {
        for name in ["/dev/zero", "/"] {
            assert!(read_file(name, 10).unwrap_err().message.ends_with("not a regular file"), "{name}");
        }
    }
}
