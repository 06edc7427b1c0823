//! Work dealt out to threads, its results in order.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// `work(memory of the thread, index)` for every index below `count`, by any number of threads, in the order of the indices.
pub(super) fn in_order<T: Send, S>(
    count: usize,
    threads: usize,
    memory: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, usize) -> T + Sync,
) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let slots: Vec<Mutex<Option<T>>> = (0..count).map(|_| Mutex::new(None)).collect();
    let worker = || {
        let mut memory = memory();
        loop {
            // Relaxed: the number alone decides who does what.
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(slot) = slots.get(index) else { return };
            let done = work(&mut memory, index);
            *slot.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(done);
        }
    };
    std::thread::scope(|scope| {
        (1..threads.clamp(1, count.max(1))).for_each(|_| drop(scope.spawn(worker)));
        worker();
    });
    let take = |slot: Mutex<Option<T>>| slot.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    slots.into_iter().filter_map(take).collect()
}
