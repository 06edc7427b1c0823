//! What is known about positions met before, shared by all threads without a lock.
//!
//! An entry is two words: the data, and the key XORed with the data. A reader that catches one word of one write and one word of
//! another sees a key that does not fit and takes the entry for absent, so every access may be `Relaxed`: no entry leans on
//! anything written elsewhere.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use crate::pages::{Word, populate};

/// What the stored value says about the true one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    /// It is the true one.
    Exact = 1,
    /// The true one is at least this.
    Lower = 2,
    /// The true one is at most this.
    Upper = 3,
}

/// What is known about a position.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Entry {
    /// The bits of the best move, if one stood out.
    pub mv: Option<u16>,
    /// The value for the side to move.
    pub value: f32,
    /// How many plies were searched below it.
    pub depth: u8,
    /// What the value is worth.
    pub bound: Bound,
}

/// Searches remembered apart before the count starts over.
const GENERATIONS: u8 = 32;

/// The entry in the lower 59 bits: value 0-31, move 32-47, depth 48-55, bound 56-57, whether there is a move 58. The generation
/// follows in 59-63. No entry packs to zero, because no bound is zero.
fn pack(entry: Entry, generation: u8) -> u64 {
    u64::from(entry.value.to_bits())
        | u64::from(entry.mv.unwrap_or(0)) << 32
        | u64::from(entry.depth) << 48
        | (entry.bound as u64) << 56
        | u64::from(entry.mv.is_some()) << 58
        | u64::from(generation) << 59
}

fn unpack(data: u64) -> Entry {
    let bound = match data >> 56 & 3 {
        1 => Bound::Exact,
        2 => Bound::Lower,
        _ => Bound::Upper,
    };
    let mv = (data >> 58 & 1 == 1).then_some((data >> 32) as u16);
    Entry { mv, value: f32::from_bits(data as u32), depth: (data >> 48) as u8, bound }
}

fn depth_of(data: u64) -> i32 {
    i32::from((data >> 48) as u8)
}

fn generation_of(data: u64) -> u8 {
    (data >> 59) as u8
}

/// An entry's place: the key XOR the data, and the data, which is zero while the place is empty.
type Slot = [AtomicU64; 2];

fn load([check, data]: &Slot) -> (u64, u64) {
    let data = data.load(Relaxed);
    (check.load(Relaxed) ^ data, data)
}

/// Words of a bucket: the four places an entry may stand fill one cache line.
const WORDS: usize = 8;

/// Words that are mapped without a look at anything else: 16 MiB.
const PIECE: usize = 1 << 21;

/// The table. Results differ from run to run once two threads write to it; with one thread they do not.
pub struct Table {
    words: <AtomicU64 as Word>::Pages,
    generation: u8,
}

impl Table {
    /// The largest size in MiB that is accepted from text: more is a slip.
    pub const MAX_MEBIBYTES: usize = 1 << 16;

    /// A table of about this many MiB; at least one bucket, and less than asked where the system refuses the memory.
    pub fn new(mebibytes: usize) -> Table {
        let mut buckets = (mebibytes.min(Table::MAX_MEBIBYTES).saturating_mul(1 << 20) / 64).max(1);
        let words = loop {
            match AtomicU64::zeroes(buckets * WORDS) {
                Ok(words) => break words,
                Err(e) => assert!(buckets > 1, "the system has no memory for one bucket: {e}"),
            }
            buckets /= 2;
        };
        Table { words, generation: 0 }
    }

    /// A new search begins: what older ones left may be replaced first.
    pub fn age(&mut self) {
        self.generation = (self.generation + 1) % GENERATIONS;
    }

    /// Has the memory mapped now, so that no search waits for it; gigabytes take seconds, so `stop` ends it between two pieces.
    pub fn populate(&self, stop: &AtomicBool) {
        // Relaxed: the flag carries no data.
        self.words.chunks(PIECE).take_while(|_| !stop.load(Relaxed)).for_each(populate);
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.generation = 0;
        self.words.iter().for_each(|word| word.store(0, Relaxed));
    }

    /// What is known about the position of this key.
    #[inline]
    pub fn get(&self, key: u64) -> Option<Entry> {
        self.bucket(key).iter().map(load).find(|&(k, data)| k == key && data != 0).map(|(_, data)| unpack(data))
    }

    /// Starts fetching the bucket of a position that will be asked about soon. Memory is so slow that the search can do other things
    /// meanwhile; the compiler keeps an atomic load even if its result is not used.
    #[inline]
    pub fn touch(&self, key: u64) {
        let _ = self.bucket(key)[0][0].load(Relaxed);
    }

    /// Notes what was found out. Gives way to a deeper result of the same search about the same position; else takes the place of
    /// the shallowest and oldest of four.
    #[inline]
    pub fn put(&self, key: u64, mut entry: Entry) {
        let slots = self.bucket(key);
        let mut worst = (&slots[0], i32::MAX);
        for slot in slots {
            let (k, data) = load(slot);
            if data == 0 || k == key {
                if data != 0 {
                    let fresh = generation_of(data) == self.generation;
                    if fresh && entry.bound != Bound::Exact && i32::from(entry.depth) + 3 < depth_of(data) {
                        return;
                    }
                    entry.mv = entry.mv.or(unpack(data).mv);
                }
                worst.0 = slot;
                break;
            }
            let age = (self.generation + GENERATIONS - generation_of(data)) % GENERATIONS;
            let worth = depth_of(data) - 8 * i32::from(age);
            if worth < worst.1 {
                worst = (slot, worth);
            }
        }
        let data = pack(entry, self.generation);
        let [check, place] = worst.0;
        place.store(data, Relaxed);
        check.store(key ^ data, Relaxed);
    }

    /// How full the table is with entries of this search, in thousandths, judged by its first buckets.
    pub fn permille(&self) -> u32 {
        let sample = &self.words.as_chunks::<2>().0[..(self.words.len() / 2).min(1000)];
        let fresh = |[_, data]: &&Slot| {
            let data = data.load(Relaxed);
            data != 0 && generation_of(data) == self.generation
        };
        (sample.iter().filter(fresh).count() * 1000 / sample.len()) as u32
    }

    /// Bytes of memory in use.
    pub fn bytes(&self) -> u64 {
        size_of_val(&*self.words) as u64
    }

    #[inline]
    fn bucket(&self, key: u64) -> &[Slot; WORDS / 2] {
        let slots = self.words.as_chunks::<2>().0;
        let buckets = slots.as_chunks::<{ WORDS / 2 }>().0;
        &buckets[((u128::from(key) * buckets.len() as u128) >> 64) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn entry(depth: u8, value: f32) -> Entry {
        Entry { mv: Some(7), value, depth, bound: Bound::Exact }
    }

    proptest! {
        #[test]
        fn packs_every_entry(mv: Option<u16>, bits: u32, depth: u8, b in 0..3usize, generation in 0..GENERATIONS) {
            let bound = [Bound::Exact, Bound::Lower, Bound::Upper][b];
            let before = Entry { mv, value: f32::from_bits(bits), depth, bound };
            let data = pack(before, generation);
            let after = unpack(data);
            prop_assert!(data != 0);
            prop_assert_eq!(generation_of(data), generation);
            prop_assert_eq!((after.mv, after.value.to_bits(), after.depth, after.bound), (mv, bits, depth, bound));
        }
    }

    #[test]
    fn keeps_what_is_deep_and_new() {
        let mut table = Table::new(0);
        assert_eq!(table.get(0), None, "an empty slot is no entry, not even for key 0");
        for key in 0..4 {
            table.put(key, entry(10 + key as u8, 1.0));
        }
        table.put(99, entry(3, 2.0));
        assert_eq!(table.get(0), None, "the shallowest of the bucket went");
        assert_eq!(table.get(99), Some(entry(3, 2.0)));
        assert_eq!(table.get(3), Some(entry(13, 1.0)));
        table.put(3, Entry { mv: None, bound: Bound::Lower, ..entry(2, 5.0) });
        assert_eq!(table.get(3), Some(entry(13, 1.0)), "a shallow bound does not replace a deep result");
        table.age();
        table.put(3, Entry { mv: None, bound: Bound::Lower, ..entry(2, 5.0) });
        assert_eq!(
            table.get(3),
            Some(Entry { bound: Bound::Lower, ..entry(2, 5.0) }),
            "an old one goes, its move stays"
        );
        assert_eq!(table.permille(), 250);
        table.clear();
        assert_eq!(table.get(3), None);
    }

    #[test]
    fn two_writers_never_show_a_mixed_entry() {
        let table = Table::new(0);
        std::thread::scope(|scope| {
            for thread in 0..2u64 {
                let table = &table;
                scope.spawn(move || {
                    for i in 0..50_000u64 {
                        let key = (i * 2 + thread) % 16;
                        table.put(key, Entry { mv: Some(key as u16), ..entry(key as u8, key as f32) });
                        if let Some(found) = table.get(key ^ 1) {
                            assert_eq!(found.mv, Some((key ^ 1) as u16));
                            assert_eq!(found.value, (key ^ 1) as f32);
                        }
                    }
                });
            }
        });
    }
}
