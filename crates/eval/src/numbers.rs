//! Many small numbers in few bytes: zigzag varints, and a zero is followed by a varint that says how many more zeros there are.

use yomi_core::TextError;

/// Adds numbers to a file.
pub(crate) fn write_numbers(bytes: &mut Vec<u8>, numbers: impl IntoIterator<Item = i32>) {
    let mut numbers = numbers.into_iter().peekable();
    while let Some(number) = numbers.next() {
        write_varint(bytes, zigzag(number));
        if number == 0 {
            let mut more = 0;
            while numbers.next_if_eq(&0).is_some() {
                more += 1;
            }
            write_varint(bytes, more);
        }
    }
}

fn zigzag(number: i32) -> u32 {
    ((number << 1) ^ (number >> 31)) as u32
}

fn unzigzag(code: u32) -> i32 {
    (code >> 1) as i32 ^ -((code & 1) as i32)
}

fn write_varint(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// The bytes of a file that are still to be read.
pub(crate) struct Input<'a> {
    bytes: &'a [u8],
}

impl<'a> Input<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Input<'a> {
        Input { bytes }
    }

    pub(crate) fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        self.bytes.split_off(..count)
    }

    pub(crate) fn word(&mut self) -> Option<u32> {
        self.take(4).and_then(|bytes| bytes.try_into().ok()).map(u32::from_le_bytes)
    }

    fn varint(&mut self) -> Option<u32> {
        let mut number = 0u32;
        for shift in (0..32).step_by(7) {
            let byte = self.take(1)?[0];
            number |= u32::from(byte & 0x7f).checked_shl(shift)?;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    /// The next `count` numbers, each of which must fit its type.
    pub(crate) fn numbers<T: TryFrom<i32> + Clone + Default>(&mut self, count: usize) -> Result<Vec<T>, TextError> {
        let mut numbers: Vec<T> = Vec::with_capacity(count);
        while numbers.len() < count {
            let Some(code) = self.varint() else { return Err(senseless(numbers.len())) };
            let Ok(number) = T::try_from(unzigzag(code)) else { return Err(senseless(numbers.len())) };
            numbers.push(number);
            if code == 0 {
                let more = self.varint().map_or(usize::MAX, |n| n as usize);
                if more > count - numbers.len() {
                    return Err(TextError::new("a run of zeros goes beyond the last weight"));
                }
                numbers.resize(numbers.len() + more, T::default());
            }
        }
        Ok(numbers)
    }

    /// Nothing may be left.
    pub(crate) fn finish(self) -> Result<(), TextError> {
        if self.bytes.is_empty() { Ok(()) } else { Err(TextError::new("the file goes on after the last weight")) }
    }
}

fn senseless(after: usize) -> TextError {
    TextError::new(format!("the weights end or make no sense after {after} numbers"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let numbers = [0, 0, 0, 1, -1, 63, -64, 64, 0, i32::MAX, i32::MIN, 12_345, 0];
        let mut bytes = Vec::new();
        write_numbers(&mut bytes, numbers);
        let mut input = Input::new(&bytes);
        assert_eq!(input.numbers::<i32>(numbers.len()).unwrap(), numbers);
        assert!(input.finish().is_ok());
        let refused = |bytes: &[u8], count| Input::new(bytes).numbers::<i16>(count).unwrap_err().to_string();
        assert!(refused(&bytes, numbers.len()).contains("after 9 numbers"), "too large for sixteen bits");
        assert!(refused(&bytes[..4], 9).contains("after 5 numbers"));
        assert!(refused(&bytes, 2).contains("zeros"));
    }
}
