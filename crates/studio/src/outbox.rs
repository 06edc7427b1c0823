//! What waits to be sent to a page. A page that reads slowly hears the latest of each search, never a backlog.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use tokio::sync::Notify;

/// Answers that wait: a page that leaves more of them unread is cut off.
const MOST_WAITING: usize = 256;

/// Bytes of answers that wait, of all pages together.
const MOST_BYTES: usize = 128 << 20;

/// The room that all pages share: answers that no page fetches do not fill the memory.
#[derive(Default)]
pub(crate) struct Room {
    taken: AtomicUsize,
}

impl Room {
    /// Takes room for an answer; false if there is none left.
    fn take(&self, bytes: usize) -> bool {
        // Relaxed: a count, which orders nothing else.
        let fits = |taken: usize| taken.checked_add(bytes).filter(|sum| *sum <= MOST_BYTES);
        self.taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits).is_ok()
    }

    fn give_back(&self, bytes: usize) {
        self.taken.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// The messages for one page.
pub(crate) struct Outbox {
    waiting: Mutex<Waiting>,
    changed: Notify,
    room: Arc<Room>,
}

#[derive(Default)]
struct Waiting {
    answers: VecDeque<String>,
    /// The latest report and the latest part of the tree of each search that runs.
    live: BTreeMap<(u64, String), String>,
    overflown: bool,
}

impl Waiting {
    /// Appends an answer, or notes that the page has left too much unread.
    fn put(&mut self, answer: String, room: &Room) {
        if self.answers.len() < MOST_WAITING && room.take(answer.len()) {
            self.answers.push_back(answer);
        } else {
            self.overflown = true;
        }
    }
}

impl Outbox {
    pub(crate) fn new(room: Arc<Room>) -> Outbox {
        Outbox { waiting: Mutex::default(), changed: Notify::new(), room }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An answer that must arrive.
    pub(crate) fn push(&self, answer: &Value) {
        self.lock().put(answer.to_string(), &self.room);
        self.changed.notify_one();
    }

    /// A report that the next of its kind replaces.
    pub(crate) fn replace(&self, search: u64, report: &Value) {
        let kind = report["type"].as_str().unwrap_or_default().to_string();
        self.lock().live.insert((search, kind), report.to_string());
        self.changed.notify_one();
    }

    /// The last word of a search: nothing of it comes after.
    pub(crate) fn conclude(&self, search: u64, answer: &Value) {
        let mut waiting = self.lock();
        let tree = waiting.live.remove(&(search, "tree".to_string()));
        waiting.live.retain(|(other, _), _| *other != search);
        if let Some(tree) = tree {
            waiting.put(tree, &self.room);
        }
        drop(waiting);
        self.push(answer);
    }

    /// The next message, answers first; none if the page was cut off.
    pub(crate) async fn next(&self) -> Option<String> {
        loop {
            {
                let mut waiting = self.lock();
                if waiting.overflown {
                    return None;
                }
                if let Some(answer) = waiting.answers.pop_front() {
                    self.room.give_back(answer.len());
                    return Some(answer);
                }
                if let Some((_, report)) = waiting.live.pop_first() {
                    return Some(report);
                }
            }
            self.changed.notified().await;
        }
    }
}

impl Drop for Outbox {
    fn drop(&mut self) {
        let waiting = self.lock();
        self.room.give_back(waiting.answers.iter().map(String::len).sum());
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_slow_reader_hears_the_latest() {
        let outbox = Outbox::new(Arc::default());
        for n in 0..10_000 {
            outbox.replace(1, &json!({ "type": "analysis", "n": n }));
            outbox.replace(1, &json!({ "type": "tree", "n": n }));
        }
        outbox.conclude(1, &json!({ "type": "analysis", "final": true }));
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let heard: Vec<String> = (0..2).map(|_| runtime.block_on(outbox.next()).unwrap()).collect();
        assert!(heard[0].contains("9999") && heard[0].contains("tree") && heard[1].contains("final"), "{heard:?}");
        assert!(outbox.lock().answers.is_empty() && outbox.lock().live.is_empty());
        (0..=MOST_WAITING).for_each(|_| outbox.push(&json!({})));
        assert_eq!(runtime.block_on(outbox.next()), None);
    }
    #[test]
    fn answers_that_are_not_read_share_one_room() {
        let room = Arc::new(Room::default());
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let answer = json!("x".repeat(10 << 20));
        let pages: Vec<Outbox> = (0..6).map(|_| Outbox::new(Arc::clone(&room))).collect();
        pages.iter().flat_map(|page| [page; 4]).for_each(|page| page.push(&answer));
        assert!(room.taken.load(Ordering::Relaxed) <= MOST_BYTES);
        let mut heard = pages.iter().map(|page| runtime.block_on(page.next()).is_some());
        // Twelve answers fit: the first three pages keep theirs, the others are cut off.
        assert!(heard.by_ref().take(3).all(|heard| heard) && !heard.any(|heard| heard));
        drop(pages);
        assert_eq!(room.taken.load(Ordering::Relaxed), 0, "the room of pages that left is free again");
    }
}
