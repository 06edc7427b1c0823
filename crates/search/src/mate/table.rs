//! What a mate search knows about positions, in a fixed amount of memory.

/// Beyond every proof number: what costs this much is impossible.
pub(super) const INFINITE: u32 = 1 << 30;

/// What is known about a position, for the side to move there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Entry {
    /// Proof number: how much it would take to show that the side to move reaches its aim; 0 if it does.
    pub(super) proof: u32,
    /// Disproof number: how much it would take to show that it does not; 0 if it does not.
    pub(super) disproof: u32,
    /// How long the mate lasts, where one is proven.
    pub(super) plies: u16,
    /// The escape was found by running in a circle, and may not hold on another way to the position.
    pub(super) circular: bool,
}

impl Entry {
    /// An unvisited position.
    pub(super) const NEW: Entry = Entry { proof: 1, disproof: 1, plies: 0, circular: false };
    /// The side to move reaches its aim.
    pub(super) const WON: Entry = Entry { proof: 0, disproof: INFINITE, plies: 0, circular: false };
    /// It does not.
    pub(super) const LOST: Entry = Entry { proof: INFINITE, disproof: 0, plies: 0, circular: false };

    pub(super) fn is_decided(&self) -> bool {
        self.proof == 0 || self.disproof == 0
    }
}

#[derive(Clone, Copy)]
struct Slot {
    id: u64,
    entry: Entry,
    /// Nodes spent on it.
    work: u32,
    generation: u16,
}

const EMPTY: Slot = Slot { id: 0, entry: Entry::NEW, work: 0, generation: 0 };
const WAYS: usize = 4;

/// A table of four-way buckets that keeps what has cost most.
pub(super) struct ProofTable {
    slots: Vec<Slot>,
    /// Slots of other generations are as good as empty.
    generation: u16,
}

impl ProofTable {
    pub(super) fn new(mebibytes: usize) -> ProofTable {
        let buckets = (mebibytes.saturating_mul(1 << 20) / (WAYS * size_of::<Slot>())).max(1);
        let mut slots = Vec::new();
        let mut count = buckets * WAYS;
        while count > WAYS && slots.try_reserve_exact(count).is_err() {
            count = (count / 2).next_multiple_of(WAYS);
        }
        slots.resize(count, EMPTY);
        ProofTable { slots, generation: 1 }
    }

    /// Forgets everything, without touching the memory except once in 65,535 times.
    pub(super) fn clear(&mut self) {
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 {
            self.slots.fill(EMPTY);
            self.generation = 1;
        }
    }

    #[inline]
    pub(super) fn get(&self, id: u64) -> Option<Entry> {
        let bucket = self.bucket(id);
        self.slots[bucket..bucket + WAYS]
            .iter()
            .find(|slot| slot.id == id && slot.generation == self.generation)
            .map(|slot| slot.entry)
    }

    pub(super) fn put(&mut self, id: u64, entry: Entry, work: u64) {
        let generation = self.generation;
        let bucket = self.bucket(id);
        let ways = &mut self.slots[bucket..bucket + WAYS];
        // The slot of this position, else one of another generation, else the one that has cost least.
        let rank = |slot: &Slot| match () {
            () if slot.generation == generation && slot.id == id => (0, 0),
            () if slot.generation != generation => (1, 0),
            () => (2, slot.work),
        };
        if let Some(slot) = ways.iter_mut().min_by_key(|slot| rank(slot)) {
            let before = if rank(slot) == (0, 0) { slot.work } else { 0 };
            let work = before.saturating_add(u32::try_from(work).unwrap_or(u32::MAX));
            *slot = Slot { id, entry, work, generation };
        }
    }

    fn bucket(&self, id: u64) -> usize {
        let buckets = self.slots.len() / WAYS;
        ((u128::from(id) * buckets as u128) >> 64) as usize * WAYS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_what_cost_most_and_forgets_at_once() {
        let mut table = ProofTable::new(0);
        for id in 0..5u64 {
            table.put(id, Entry { plies: id as u16, ..Entry::WON }, 10 - id);
        }
        assert_eq!(table.get(3), None, "the cheapest of the first four made room");
        assert_eq!(table.get(4).map(|e| e.plies), Some(4));
        assert_eq!(table.get(0).map(|e| e.plies), Some(0));
        table.put(4, Entry::LOST, 1);
        assert_eq!(table.get(4), Some(Entry::LOST));
        table.clear();
        assert!((0..5).all(|id| table.get(id).is_none()));
        for _ in 0..=u32::from(u16::MAX) {
            table.clear();
        }
        assert!((0..5).all(|id| table.get(id).is_none()), "not even when the generations start over");
    }
}
