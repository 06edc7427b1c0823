//! Protocol buffers: fields with a number, in any order.

use yomi_core::TextError;

/// The contents of a field.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Field<'a> {
    /// An integer or an enumeration.
    Number(u64),
    /// Four bytes: a float.
    Four([u8; 4]),
    /// Eight bytes.
    Eight,
    /// Text, bytes, a message or packed numbers.
    Bytes(&'a [u8]),
}

impl<'a> Field<'a> {
    pub(super) fn number(self) -> u64 {
        if let Field::Number(number) = self { number } else { 0 }
    }

    pub(super) fn bytes(self) -> &'a [u8] {
        if let Field::Bytes(bytes) = self { bytes } else { &[] }
    }

    pub(super) fn text(self) -> String {
        String::from_utf8_lossy(self.bytes()).into_owned()
    }

    /// Integers of a repeated field, which may come one by one or packed.
    pub(super) fn numbers(self, list: &mut Vec<u64>) -> Result<(), TextError> {
        match self {
            Field::Bytes(mut bytes) => {
                while !bytes.is_empty() {
                    list.push(varint(&mut bytes)?);
                }
            }
            other => list.push(other.number()),
        }
        Ok(())
    }
}

fn varint(bytes: &mut &[u8]) -> Result<u64, TextError> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let Some((&byte, rest)) = bytes.split_first() else {
            return Err(TextError::new("truncated: a number ends in the middle"));
        };
        *bytes = rest;
        number |= u64::from(byte & 127) << shift;
        if byte < 128 {
            return Ok(number);
        }
    }
    Err(TextError::new("a number has more than ten bytes"))
}

/// All fields of a message.
pub(super) fn fields(mut bytes: &[u8]) -> Result<Vec<(u32, Field<'_>)>, TextError> {
    let mut list = Vec::new();
    while !bytes.is_empty() {
        let tag = varint(&mut bytes)?;
        let length = match tag & 7 {
            0 => {
                list.push(((tag >> 3) as u32, Field::Number(varint(&mut bytes)?)));
                continue;
            }
            1 => 8,
            2 => varint(&mut bytes)?,
            5 => 4,
            kind => return Err(TextError::new(format!("a field of the unknown kind {kind}"))),
        };
        let Some((head, rest)) = usize::try_from(length).ok().and_then(|length| bytes.split_at_checked(length)) else {
            return Err(TextError::new(format!("truncated: a field has {length} bytes, {} are left", bytes.len())));
        };
        bytes = rest;
        let field = match (tag & 7, head) {
            (5, &[a, b, c, d]) => Field::Four([a, b, c, d]),
            (1, _) => Field::Eight,
            _ => Field::Bytes(head),
        };
        list.push(((tag >> 3) as u32, field));
    }
    Ok(list)
}

/// A message being written.
#[derive(Clone, Default, Debug)]
pub(super) struct Message(pub(super) Vec<u8>);

impl Message {
    fn varint(&mut self, mut number: u64) {
        while number >= 128 {
            self.0.push(number as u8 | 128);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    pub(super) fn number(mut self, field: u32, number: u64) -> Message {
        self.varint(u64::from(field) << 3);
        self.varint(number);
        self
    }

    pub(super) fn bytes(mut self, field: u32, bytes: &[u8]) -> Message {
        self.varint(u64::from(field) << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
        self
    }

    pub(super) fn text(self, field: u32, text: &str) -> Message {
        self.bytes(field, text.as_bytes())
    }

    pub(super) fn message(self, field: u32, message: &Message) -> Message {
        self.bytes(field, &message.0)
    }

    pub(super) fn numbers(self, field: u32, numbers: &[u64]) -> Message {
        numbers.iter().fold(self, |message, &number| message.number(field, number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let inner = Message::default().text(1, "input").number(3, u64::MAX);
        let message = Message::default().number(1, 300).message(2000, &inner).numbers(5, &[1, 128]).bytes(7, &[]);
        let read = fields(&message.0).unwrap();
        assert_eq!(read[0], (1, Field::Number(300)));
        assert_eq!(read[1].0, 2000);
        assert_eq!(fields(read[1].1.bytes()).unwrap(), [(1, Field::Bytes(b"input")), (3, Field::Number(u64::MAX))]);
        assert_eq!(read[2..], [(5, Field::Number(1)), (5, Field::Number(128)), (7, Field::Bytes(b""))]);
        for length in 1..message.0.len() {
            let _ = fields(&message.0[..length]);
        }
        assert!(fields(&[0x0a, 5, 1]).unwrap_err().message.starts_with("truncated"));
        assert!(fields(&[0xff; 11]).is_err() && fields(&[3]).is_err());
    }
}
