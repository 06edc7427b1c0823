//! What waits to be sent to a page. A page that reads slowly hears the latest of each search, never a backlog.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use tokio::sync::Notify;

/// Answers that wait: a page that leaves more of them unread is cut off.
const MOST_WAITING: usize = 256;

/// The messages for one page.
#[derive(Default)]
pub(crate) struct Outbox {
    waiting: Mutex<Waiting>,
    changed: Notify,
}

#[derive(Default)]
struct Waiting {
    answers: VecDeque<String>,
    /// The latest report and the latest part of the tree of each search that runs.
    live: BTreeMap<(u64, String), String>,
    overflown: bool,
}

impl Outbox {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An answer that must arrive.
    pub(crate) fn push(&self, answer: &Value) {
        let mut waiting = self.lock();
        if waiting.answers.len() >= MOST_WAITING {
            waiting.overflown = true;
        } else {
            waiting.answers.push_back(answer.to_string());
        }
        drop(waiting);
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
        let tree = self.lock().live.remove(&(search, "tree".to_string()));
        self.lock().live.retain(|(other, _), _| *other != search);
        if let Some(tree) = tree {
            self.lock().answers.push_back(tree);
        }
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
                let next = waiting.answers.pop_front().or_else(|| waiting.live.pop_first().map(|(_, report)| report));
                if next.is_some() {
                    return next;
                }
            }
            self.changed.notified().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_slow_reader_hears_the_latest() {
        let outbox = Outbox::default();
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
}
