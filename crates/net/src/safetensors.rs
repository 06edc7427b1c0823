//! The safetensors container: eight bytes for the length of a JSON header, the header, the numbers.
//!
//! Only what networks need: f32 and f16 tensors are read, f32 are written. A file is refused with what is wrong and where before any of its
//! numbers is used.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use yomi_core::TextError;

/// A tensor: a shape and its numbers, the last index fastest.
#[derive(Clone, PartialEq, Debug)]
pub struct Tensor {
    /// How many there are in each dimension.
    pub shape: Vec<usize>,
    /// The numbers.
    pub data: Vec<f32>,
}

/// A file's contents.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Container {
    /// The `__metadata__` of the header: text by name.
    pub metadata: BTreeMap<String, String>,
    /// The tensors by name.
    pub tensors: BTreeMap<String, Tensor>,
}

/// Longer headers are damaged files.
const LONGEST_HEADER: usize = 100 << 20;

fn fault<T>(what: impl Into<String>) -> Result<T, TextError> {
    Err(TextError::new(what))
}

/// Reads a file.
pub fn read(bytes: &[u8]) -> Result<Container, TextError> {
    let Some((length, rest)) = bytes.split_first_chunk::<8>() else {
        return fault(format!("{} bytes are too few for a safetensors file", bytes.len()));
    };
    let length = u64::from_le_bytes(*length);
    let Some(length) = usize::try_from(length).ok().filter(|&length| length <= LONGEST_HEADER) else {
        return fault(format!("this is no safetensors file: its header would have {length} bytes"));
    };
    if rest.len() < length {
        return fault(format!("truncated: the header has {length} bytes, the file ends after {}", rest.len()));
    }
    let (header, data) = rest.split_at(length);
    let header =
        std::str::from_utf8(header).or_else(|_| fault("this is no safetensors file: its header is no text"))?;
    let header: Map<String, Value> =
        serde_json::from_str(header).or_else(|error| fault(format!("the header is no JSON object: {error}")))?;
    let mut container = Container::default();
    let mut spans = Vec::new();
    for (name, entry) in &header {
        if name == "__metadata__" {
            container.metadata = serde_json::from_value(entry.clone())
                .or_else(|error| fault(format!("__metadata__ of the header: {error}")))?;
            continue;
        }
        let (span, tensor) = tensor(entry, data).map_err(|error| error.context(format!("tensor {name}")))?;
        spans.push((span, name));
        container.tensors.insert(name.clone(), tensor);
    }
    spans.sort();
    let mut end = 0;
    for (span, name) in spans {
        if span.0 != end {
            return fault(format!("tensor {name} begins at byte {} of the data, expected {end}", span.0));
        }
        end = span.1;
    }
    if end != data.len() {
        return fault(format!("{} bytes follow the last tensor", data.len() - end));
    }
    Ok(container)
}

/// One entry of the header, with the numbers it points at.
fn tensor(entry: &Value, data: &[u8]) -> Result<((usize, usize), Tensor), TextError> {
    let numbers = |key: &str| -> Result<Vec<usize>, TextError> {
        let list = entry.get(key).cloned().unwrap_or(Value::Null);
        serde_json::from_value(list).or_else(|error| fault(format!("{key}: {error}")))
    };
    let shape = numbers("shape")?;
    let [start, end] = numbers("data_offsets")?[..] else { return fault("data_offsets: expected two numbers") };
    let dtype = entry.get("dtype").and_then(Value::as_str).unwrap_or_default();
    let width = match dtype {
        "F32" => 4,
        "F16" => 2,
        other => return fault(format!("numbers of type `{other}`; F32 and F16 can be read")),
    };
    let count = shape.iter().try_fold(width, |all: usize, &n| all.checked_mul(n));
    if count != end.checked_sub(start) {
        return fault(format!("shape {shape:?} of {dtype} does not fill bytes {start} to {end}"));
    }
    let Some(bytes) = data.get(start..end) else {
        return fault(format!("truncated: its numbers end at byte {end}, the data at {}", data.len()));
    };
    let data: Vec<f32> = match width {
        4 => bytes.as_chunks::<4>().0.iter().map(|&b| f32::from_le_bytes(b)).collect(),
        _ => bytes.as_chunks::<2>().0.iter().map(|&b| half_to_f32(u16::from_le_bytes(b))).collect(),
    };
    Ok(((start, end), Tensor { shape, data }))
}

/// Writes a file. Equal contents give equal bytes.
pub fn write(container: &Container) -> Vec<u8> {
    let mut header = Map::new();
    header.insert("__metadata__".into(), json!(container.metadata));
    let mut end = 0;
    for (name, tensor) in &container.tensors {
        let start = end;
        end += 4 * tensor.data.len();
        header.insert(name.clone(), json!({"dtype": "F32", "shape": tensor.shape, "data_offsets": [start, end]}));
    }
    let mut header = Value::Object(header).to_string();
    // The numbers begin at a multiple of eight bytes.
    while !header.len().is_multiple_of(8) {
        header.push(' ');
    }
    let mut bytes = Vec::with_capacity(8 + header.len() + end);
    bytes.extend((header.len() as u64).to_le_bytes());
    bytes.extend(header.as_bytes());
    for tensor in container.tensors.values() {
        tensor.data.iter().for_each(|x| bytes.extend(x.to_le_bytes()));
    }
    bytes
}

/// A half-precision number.
pub fn half_to_f32(bits: u16) -> f32 {
    let sign = if bits >> 15 == 0 { 1.0 } else { -1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f32::from(bits & 1023));
    match exponent {
        0 => sign * fraction * 2f32.powi(-24),
        31 if fraction == 0.0 => sign * f32::INFINITY,
        31 => f32::NAN,
        _ => sign * (1024.0 + fraction) * 2f32.powi(exponent - 25),
    }
}

/// The nearest half-precision number, ties to even; too large ones become infinite.
pub fn half_from_f32(x: f32) -> u16 {
    let bits = x.to_bits();
    let sign = (bits >> 16) as u16 & 0x8000;
    let magnitude = bits & 0x7fff_ffff;
    let rounded = |value: u32, shift: u32| {
        let (kept, rest, half) = (value >> shift, value & ((1 << shift) - 1), 1 << (shift - 1));
        kept + u32::from(rest > half || (rest == half && kept & 1 == 1))
    };
    let half = match magnitude {
        0x7f80_0001.. => 0x7e00,
        0x477f_f000.. => 0x7c00,
        // Normal: rebias the exponent, then drop thirteen bits of the fraction; a carry runs into the exponent as it should.
        0x3880_0000.. => rounded(magnitude - (112 << 23), 13),
        // Subnormal, or nothing.
        0x3300_0000.. => rounded(magnitude & 0x7f_ffff | 0x80_0000, 126 - (magnitude >> 23)),
        _ => 0,
    };
    sign | half as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Container {
        let tensor = |shape: &[usize]| Tensor {
            shape: shape.to_vec(),
            data: (0..shape.iter().product()).map(|i| i as f32 - 1.5).collect(),
        };
        Container {
            metadata: [("a".to_string(), "x \"y\"".to_string())].into(),
            tensors: [
                ("p".to_string(), tensor(&[2, 3])),
                ("q".to_string(), tensor(&[])),
                ("r".to_string(), tensor(&[4])),
            ]
            .into(),
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let bytes = write(&sample());
        assert_eq!(read(&bytes), Ok(sample()));
    }

    /// Every truncation, every damaged byte of the header: refused or read, never a panic.
    #[test]
    fn damaged_files_are_refused() {
        let bytes = write(&sample());
        for length in 0..bytes.len() {
            assert!(read(&bytes[..length]).is_err(), "{length}");
        }
        let mut long = bytes.clone();
        long.push(0);
        assert!(read(&long).unwrap_err().message.contains("1 bytes follow"));
        for at in 0..bytes.len() {
            for flip in [1, 4, 32, 255] {
                let mut bad = bytes.clone();
                bad[at] ^= flip;
                let _ = read(&bad);
            }
        }
        let said = |bytes: &[u8]| read(bytes).unwrap_err().message;
        assert!(
            said(&bytes[..bytes.len() - 1]).starts_with("tensor r: truncated"),
            "{}",
            said(&bytes[..bytes.len() - 1])
        );
        assert!(said(b"PK\x03\x04........").contains("no safetensors file"));
    }

    /// All halves survive the way through f32, and rounding is to nearest, ties to even.
    #[test]
    fn halves() {
        for bits in 0..=u16::MAX {
            let x = half_to_f32(bits);
            assert!(x.is_nan() && half_to_f32(half_from_f32(x)).is_nan() || half_from_f32(x) == bits, "{bits:#x} {x}");
        }
        for bits in 0..0x7bff_u16 {
            let (low, high) = (half_to_f32(bits), half_to_f32(bits + 1));
            let middle = (low + high) / 2.0;
            assert_eq!(half_from_f32(middle), bits + (bits & 1), "{bits:#x}");
            assert_eq!(half_from_f32(middle.next_up()), bits + 1);
            assert_eq!(half_from_f32(middle.next_down()), bits);
        }
        assert_eq!((half_from_f32(65519.9), half_from_f32(65520.0)), (0x7bff, 0x7c00));
    }
}
