//! Samples as a file of flat records, for a trainer that knows nothing of shogi.
//!
//! ```text
//! YOMI-ROW  version u32  name of the game, 20 bytes, zeros behind it  buckets u32  features u32  slots u32  records begin at u32
//! FNV-1a of the 48 bytes before u64                                                                              (56 bytes)
//! worth f32 x features: what each feature is worth by material, in logits: where a new network begins
//! records, each: rows u16 x 2 x slots  target f32  searched f32  result f32
//! ```
//! All is little-endian. A record is a position: the rows that the side to move sees, those that the other side sees, and [`NO_ROW`] in
//! slots that are left. A row is `bucket·features + feature`. The target and the result are probabilities that the side to move wins, the
//! searched value is in logits. As many records are there as fit behind the header: a file that was cut off ends with its last whole
//! record.

use std::io::{self, Write};

use yomi_core::TextError;
use yomi_core::rng::fnv1a;
use yomi_eval::nnue::{Shape, material};
use yomi_games::shogi::Variant;

use super::samples::Samples;

const MAGIC: &[u8; 8] = b"YOMI-ROW";
const VERSION: u32 = 1;
const NAME: usize = 20;
/// Bytes of the header before the worths.
const FIXED: usize = 56;
/// No row: what fills the slots that are left.
pub const NO_ROW: u16 = u16::MAX;

/// Slots of a side: all pieces of a game.
pub fn slots<V: Variant>() -> usize {
    V::SET.iter().map(|&count| usize::from(count)).sum::<usize>()
}

/// The header with the worths.
pub fn header<V: Variant>() -> Vec<u8> {
    let shape = Shape::of::<V>();
    let mut bytes = MAGIC.to_vec();
    bytes.extend(VERSION.to_le_bytes());
    let mut name = [0; NAME];
    name[..V::NAME.len()].copy_from_slice(V::NAME.as_bytes());
    bytes.extend(name);
    let begin = FIXED + 4 * shape.features();
    for number in [shape.buckets, shape.features(), slots::<V>(), begin] {
        bytes.extend((number as u32).to_le_bytes());
    }
    bytes.extend(fnv1a(&bytes).to_le_bytes());
    material::<V>()[..shape.features()].iter().for_each(|worth| bytes.extend(worth.to_le_bytes()));
    bytes
}

/// Samples as records.
pub fn write_records<V: Variant>(samples: &Samples, out: &mut dyn Write) -> io::Result<()> {
    let slots = slots::<V>();
    let mut record = Vec::with_capacity(4 * slots + 12);
    for index in 0..samples.len() {
        record.clear();
        for rows in samples.rows(index) {
            let padded = rows.iter().copied().chain(std::iter::repeat(NO_ROW)).take(slots);
            padded.for_each(|row| record.extend(row.to_le_bytes()));
        }
        for number in [samples.targets[index], samples.searched[index], samples.results[index]] {
            record.extend(number.to_le_bytes());
        }
        out.write_all(&record)?;
    }
    Ok(())
}

/// Reads a file of a game; bytes behind the last whole record are left out.
pub fn read<V: Variant>(file: &[u8]) -> Result<Samples, TextError> {
    let wanted = header::<V>();
    if !file.starts_with(&wanted) {
        let what =
            if file.starts_with(MAGIC) { "are of another game or version" } else { "do not begin with YOMI-ROW" };
        return Err(TextError::new(format!("these samples {what}")));
    }
    let (slots, rows) = (slots::<V>(), Shape::of::<V>().rows());
    let mut samples = Samples::default();
    for (number, record) in file[wanted.len()..].chunks_exact(4 * slots + 12).enumerate() {
        let (indices, numbers) = record.split_at(4 * slots);
        let mut sides = indices.chunks_exact(2 * slots).map(|side| {
            let all = side.as_chunks::<2>().0.iter().map(|&row| u16::from_le_bytes(row));
            all.filter(|&row| row != NO_ROW).collect::<Vec<u16>>()
        });
        let sides = [(); 2].map(|()| sides.next().unwrap_or_default());
        let mut numbers = numbers.as_chunks::<4>().0.iter().map(|&number| f32::from_le_bytes(number));
        let [target, searched, result] = [(); 3].map(|()| numbers.next().unwrap_or(f32::NAN));
        let sensible = sides.iter().flatten().all(|&row| usize::from(row) < rows);
        if !sensible || ![target, result].iter().all(|p| (0.0..=1.0).contains(p)) || !searched.is_finite() {
            return Err(TextError::new(format!("record {} of these samples makes no sense", number + 1)));
        }
        samples.push(&sides, [target, searched, result]);
    }
    Ok(samples)
}
