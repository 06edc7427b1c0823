//! What is remembered of one leaf.

use std::collections::{BTreeMap, VecDeque};

/// A queue of fixed length that is full of NIL at first (S2.3). Only what is not NIL takes memory: an entry carries the number of the
/// push that brought it, and has left the queue when as many pushes came after it as the queue is long.
#[derive(Clone, Debug, Default)]
pub(super) struct Queue {
    pushes: u64,
    entries: VecDeque<(u64, u64)>,
}

impl Queue {
    /// Whether `key` stands in the queue, which is `length` long.
    #[inline]
    pub(super) fn contains(&self, key: u64, length: u32) -> bool {
        let oldest = (self.pushes + 1).saturating_sub(u64::from(length));
        self.entries.iter().any(|&(push, entry)| entry == key && push >= oldest)
    }

    /// Enqueues a key; the front leaves.
    #[inline]
    pub(super) fn push(&mut self, key: u64, length: u32) {
        self.push_nil();
        let oldest = (self.pushes + 1).saturating_sub(u64::from(length));
        while self.entries.front().is_some_and(|&(push, _)| push < oldest) {
            self.entries.pop_front();
        }
        self.entries.push_back((self.pushes, key));
    }

    /// Enqueues NIL; the front leaves.
    #[inline]
    pub(super) fn push_nil(&mut self) {
        self.pushes += 1;
    }
}

/// The queues of all leaves that had playouts, found by the tree's name of the leaf and the position there: siblings that are judged
/// together share their parent's name. Other nodes cost nothing.
#[derive(Clone, Debug, Default)]
pub(super) struct Leaves {
    found: BTreeMap<(u32, u64), usize>,
    queues: Vec<Queue>,
    /// How many queues a leaf has.
    depth: usize,
}

impl Leaves {
    pub(super) fn new(depth: usize) -> Leaves {
        Leaves { depth, ..Leaves::default() }
    }

    /// Where the queues of this leaf begin.
    pub(super) fn find(&mut self, node: u32, key: u64) -> usize {
        let Leaves { found, queues, depth } = self;
        *found.entry((node, key)).or_insert_with(|| {
            let first = queues.len();
            queues.resize(first + *depth, Queue::default());
            first
        })
    }

    /// A queue by its place.
    #[inline]
    pub(super) fn queue(&mut self, at: usize) -> &mut Queue {
        &mut self.queues[at]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The queue in the paper's words: always `length` entries, at first all NIL.
    struct Plain(VecDeque<Option<u64>>);

    impl Plain {
        fn push(&mut self, entry: Option<u64>) {
            self.0.push_back(entry);
            self.0.pop_front();
        }
    }

    /// By hand, length 3: a key is tabu for three pushes, NIL or not, and then comes back.
    #[test]
    fn a_key_stays_for_as_many_pushes_as_the_queue_is_long() {
        let mut queue = Queue::default();
        assert!(!queue.contains(7, 3));
        queue.push(7, 3);
        assert!(queue.contains(7, 3) && !queue.contains(8, 3));
        queue.push_nil();
        queue.push(8, 3);
        assert!(queue.contains(7, 3) && queue.contains(8, 3));
        queue.push_nil();
        assert!(!queue.contains(7, 3) && queue.contains(8, 3));
        queue.push_nil();
        queue.push_nil();
        assert!(!queue.contains(8, 3), "three NILs in a row empty it");
    }

    #[test]
    fn a_queue_of_no_length_forbids_nothing() {
        let mut queue = Queue::default();
        queue.push(7, 0);
        assert!(!queue.contains(7, 0));
        assert!(queue.entries.len() <= 1);
    }

    #[test]
    fn leaves_are_kept_apart() {
        let mut leaves = Leaves::new(2);
        let [a, b, c] = [(1, 10), (2, 10), (1, 11)].map(|(node, key)| leaves.find(node, key));
        assert_eq!((a, b, c), (0, 2, 4));
        assert_eq!(leaves.find(2, 10), b);
        leaves.queue(b + 1).push(5, 9);
        assert!(leaves.queue(3).contains(5, 9) && !leaves.queue(1).contains(5, 9));
    }

    proptest! {
        /// Any pushes of a few keys and NILs: both queues always hold the same.
        #[test]
        fn the_short_queue_equals_the_plain_one(
            length in 1..6u32,
            pushes in proptest::collection::vec(proptest::option::of(0..4u64), 0..60),
        ) {
            let mut plain = Plain(VecDeque::from(vec![None; length as usize]));
            let mut queue = Queue::default();
            for entry in pushes {
                plain.push(entry);
                match entry {
                    Some(key) => queue.push(key, length),
                    None => queue.push_nil(),
                }
                for key in 0..4 {
                    prop_assert_eq!(queue.contains(key, length), plain.0.contains(&Some(key)));
                }
                prop_assert!(queue.entries.len() <= length as usize);
            }
        }
    }
}
