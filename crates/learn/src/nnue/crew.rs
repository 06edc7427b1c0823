//! Threads that work without waiting for each other, and one consumer that gets what they made in order.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use yomi_core::TextError;

/// What has come before its turn.
struct Waiting<T, D> {
    items: BTreeMap<usize, T>,
    next: usize,
    deliver: D,
    failed: Option<TextError>,
}

/// Makes the items of a range with some threads and delivers them in order; none is begun once `go_on` says no. A thread never waits for
/// another, so that what is made out of turn waits instead: at most what the others make while one is at work.
pub fn in_order<T: Send>(
    range: Range<usize>,
    threads: usize,
    go_on: impl Fn() -> bool + Sync,
    make: impl Fn(usize) -> T + Sync,
    deliver: impl FnMut(T) -> Result<(), TextError> + Send,
) -> Result<(), TextError> {
    let next = AtomicUsize::new(range.start);
    let broken = AtomicBool::new(false);
    let waiting = Mutex::new(Waiting { items: BTreeMap::new(), next: range.start, deliver, failed: None });
    let work = || {
        // Relaxed: the number alone decides who makes what, and a failure a little late costs one item.
        while go_on() && !broken.load(Ordering::Relaxed) {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= range.end {
                return;
            }
            let item = make(index);
            let mut waiting = waiting.lock().unwrap_or_else(PoisonError::into_inner);
            waiting.items.insert(index, item);
            waiting.hand_over();
            broken.fetch_or(waiting.failed.is_some(), Ordering::Relaxed);
        }
    };
    std::thread::scope(|scope| {
        (1..threads.max(1)).for_each(|_| drop(scope.spawn(work)));
        work();
    });
    waiting.into_inner().unwrap_or_else(PoisonError::into_inner).failed.map_or(Ok(()), Err)
}

impl<T, D: FnMut(T) -> Result<(), TextError>> Waiting<T, D> {
    /// Delivers all whose turn it is, until the first failure.
    fn hand_over(&mut self) {
        while self.failed.is_none()
            && let Some(item) = self.items.remove(&self.next)
        {
            self.next += 1;
            self.failed = (self.deliver)(item).err();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_come_in_order_from_any_number_of_threads() {
        for threads in [1, 3] {
            let mut got = Vec::new();
            let made = in_order(
                5..200,
                threads,
                || true,
                |i| i * i,
                |item| {
                    got.push(item);
                    Ok(())
                },
            );
            assert_eq!(made, Ok(()));
            assert!(got.into_iter().eq((5..200).map(|i| i * i)));
        }
    }

    #[test]
    fn what_was_begun_is_delivered_and_a_failure_ends_the_work() {
        let begun = AtomicUsize::new(0);
        let mut got = Vec::new();
        let go_on = || begun.load(Ordering::Relaxed) < 10;
        let make = |i| {
            begun.fetch_add(1, Ordering::Relaxed);
            i
        };
        let made = in_order(0..1000, 4, go_on, make, |item| {
            got.push(item);
            Ok(())
        });
        assert_eq!(made, Ok(()));
        assert!(got.len() >= 10 && got.len() < 20 && got.iter().copied().eq(0..got.len()), "{got:?}");

        let mut got = 0;
        let made = in_order(
            0..1000,
            2,
            || true,
            |i| i,
            |item| {
                got += 1;
                if item == 7 { Err(TextError::new("full")) } else { Ok(()) }
            },
        );
        assert_eq!(made, Err(TextError::new("full")));
        assert_eq!(got, 8);
    }
}
