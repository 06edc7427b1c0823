//! TensorBoard event files: scalars in protocol buffers, framed as TFRecords.
//!
//! ```text
//! length u64   masked CRC-32C of it u32   event   masked CRC-32C of the event u32        all little-endian
//! Event:   1 wall_time double   2 step int64   3 file_version string   5 summary
//! Summary: 1 value (repeated):  1 tag string   2 simple_value float
//! ```

/// The first record of a file.
pub fn header(wall_time: f64) -> Vec<u8> {
    let mut event = field_double(1, wall_time);
    event.extend(field_bytes(3, b"brain.Event:2"));
    record(&event)
}

/// A record of scalars at a step.
pub fn scalars(wall_time: f64, step: u64, values: &[(&str, f64)]) -> Vec<u8> {
    let mut summary = Vec::new();
    for &(tag, value) in values {
        let mut scalar = field_bytes(1, tag.as_bytes());
        scalar.extend([2 << 3 | 5]);
        scalar.extend((value as f32).to_le_bytes());
        summary.extend(field_bytes(1, &scalar));
    }
    let mut event = field_double(1, wall_time);
    event.push(2 << 3);
    event.extend(varint(step));
    event.extend(field_bytes(5, &summary));
    record(&event)
}

fn record(event: &[u8]) -> Vec<u8> {
    let length = (event.len() as u64).to_le_bytes();
    let mut bytes = length.to_vec();
    bytes.extend(masked_crc(&length).to_le_bytes());
    bytes.extend(event);
    bytes.extend(masked_crc(event).to_le_bytes());
    bytes
}

fn field_double(number: u8, x: f64) -> Vec<u8> {
    let mut bytes = vec![number << 3 | 1];
    bytes.extend(x.to_le_bytes());
    bytes
}

fn field_bytes(number: u8, content: &[u8]) -> Vec<u8> {
    let mut bytes = vec![number << 3 | 2];
    bytes.extend(varint(content.len() as u64));
    bytes.extend(content);
    bytes
}

fn varint(mut x: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while x >= 0x80 {
        bytes.push(x as u8 | 0x80);
        x >>= 7;
    }
    bytes.push(x as u8);
    bytes
}

/// CRC-32C (Castagnoli), bit by bit: a few hundred bytes per step.
fn crc32c(bytes: &[u8]) -> u32 {
    let step = |crc: u32, _| if crc & 1 == 1 { crc >> 1 ^ 0x82f6_3b78 } else { crc >> 1 };
    !bytes.iter().fold(!0u32, |crc, &byte| (0..8).fold(crc ^ u32::from(byte), step))
}

/// As TFRecords keep it, so that checksums of data with checksums are no trap.
fn masked_crc(bytes: &[u8]) -> u32 {
    crc32c(bytes).rotate_right(15).wrapping_add(0xa282_ead8)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 3720, B.4.
    #[test]
    fn checksums_are_those_of_the_standard() {
        assert_eq!(crc32c(&[0; 32]), 0x8a91_36aa);
        assert_eq!(crc32c(&[0xff; 32]), 0x62a8_ab43);
        assert_eq!(crc32c(&(0..32).collect::<Vec<u8>>()), 0x46dd_794e);
        assert_eq!(crc32c(b"123456789"), 0xe306_9283);
    }

    #[test]
    fn records_are_framed() {
        let bytes = scalars(1.5, 300, &[("loss", 0.25)]);
        let length = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
        assert_eq!(bytes.len(), 8 + 4 + length + 4);
        let event = &bytes[12..12 + length];
        // wall_time 1.5; step 300 as a varint; summary with one value.
        assert_eq!(event[..12], [9, 0, 0, 0, 0, 0, 0, 0xf8, 0x3f, 16, 0xac, 2]);
        assert_eq!(event[12..], [42, 13, 10, 11, 10, 4, b'l', b'o', b's', b's', 21, 0, 0, 0x80, 0x3e]);
        assert!(header(0.0).windows(13).any(|window| window == b"brain.Event:2"));
    }
}
