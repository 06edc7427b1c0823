//! What a mate search knows about positions, in a fixed amount of memory.

use bytemuck::allocation::try_zeroed_vec;

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

/// A slot as it lies in memory: a tuple, because the system hands out tuples of zeroes without touching the memory.
type Row = (u64, (u32, u32, u16, bool), u32, u16);

impl Slot {
    #[inline]
    fn read(&(id, (proof, disproof, plies, circular), work, generation): &Row) -> Slot {
        Slot { id, entry: Entry { proof, disproof, plies, circular }, work, generation }
    }

    #[inline]
    fn row(self) -> Row {
        let Slot { id, entry: Entry { proof, disproof, plies, circular }, work, generation } = self;
        (id, (proof, disproof, plies, circular), work, generation)
    }
}

const WAYS: usize = 4;

/// A table of four-way buckets that keeps what has cost most.
pub(super) struct ProofTable {
    /// All zero at first, which is a generation that no search has.
    slots: Vec<Row>,
    /// Slots of other generations are as good as empty.
    generation: u16,
}

impl ProofTable {
    /// The system maps the memory where it is touched first, so that a table of a gigabyte costs a short question nothing and is no hindrance to ending.
    /// Where there is not so much memory, the table is smaller.
    pub(super) fn new(mebibytes: usize) -> ProofTable {
        let buckets = (mebibytes.saturating_mul(1 << 20) / (WAYS * size_of::<Row>())).max(1);
        let mut count = buckets * WAYS;
        let slots = loop {
            match try_zeroed_vec(count) {
                Ok(slots) => break slots,
                Err(()) if count > WAYS => count = (count / 2).next_multiple_of(WAYS),
                Err(()) => break vec![Row::default(); WAYS],
            }
        };
        ProofTable { slots, generation: 1 }
    }

    /// Forgets everything, without touching the memory except once in 65,535 times.
    pub(super) fn clear(&mut self) {
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 {
            self.slots.fill(Row::default());
            self.generation = 1;
        }
    }

    #[inline]
    pub(super) fn get(&self, id: u64) -> Option<Entry> {
        let bucket = self.bucket(id);
        self.slots[bucket..bucket + WAYS]
            .iter()
            .map(Slot::read)
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
        if let Some(way) = ways.iter_mut().min_by_key(|way| rank(&Slot::read(way))) {
            let slot = Slot::read(way);
            let before = if rank(&slot) == (0, 0) { slot.work } else { 0 };
            let work = before.saturating_add(u32::try_from(work).unwrap_or(u32::MAX));
            *way = Slot { id, entry, work, generation }.row();
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
