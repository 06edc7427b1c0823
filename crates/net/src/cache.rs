//! Answers kept for positions that are asked about again: `cached(net(...))`.
//!
//! The key is what the network sees, the packed position, so that whatever a network sees of the past (the last moves in Go) is part of
//! it, and a kept answer is the one that the backend would give.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use yomi_core::TextError;

use crate::backend::{Answers, Backend, Flight, Input, Pending, Request, SpareAnswers, StepTimes, Ticket};
use crate::input::{Layout, PackedPosition};
use crate::label::Labels;

/// Locks of the table: threads rarely meet.
const SHARDS: usize = 256;
/// Places where a position may lie.
const WAYS: usize = 4;
/// What an answer takes, about: the position's logits are most of it.
const BYTES: usize = 512;

/// A backend that remembers its answers. Clones share them.
#[derive(Clone)]
pub struct Cached(Arc<Shared>);

struct Shared {
    inner: Box<dyn Backend>,
    shards: Vec<Mutex<Shard>>,
    lookups: AtomicU64,
    hits: AtomicU64,
    /// Batches and answers that are not in use.
    #[allow(clippy::vec_box, reason = "a batch in flight is a box, and comes back as one")]
    batches: Mutex<Vec<Box<Partly>>>,
    spare: SpareAnswers,
}

/// Sets of [`WAYS`] entries, one after the other, and which of a set is overwritten next.
struct Shard {
    entries: Vec<Option<Entry>>,
    next: u8,
}

#[derive(Clone)]
struct Entry {
    key: u128,
    value: [f32; 3],
    score: Option<f32>,
    /// Which moves the logits belong to; 0 for none.
    labels: u64,
    policy: Vec<f32>,
}

impl Cached {
    /// Keeps the answers of `inner` in about this many MiB.
    pub fn new(inner: Box<dyn Backend>, mebibytes: usize) -> Cached {
        let sets = ((mebibytes << 20) / (BYTES * SHARDS * WAYS)).max(1);
        let shard = || Mutex::new(Shard { entries: vec![None; sets * WAYS], next: 0 });
        let shards = (0..SHARDS).map(|_| shard()).collect();
        Cached(Arc::new(Shared {
            inner,
            shards,
            lookups: AtomicU64::new(0),
            hits: AtomicU64::new(0),
            batches: Mutex::default(),
            spare: SpareAnswers::default(),
        }))
    }

    /// Positions that were asked about, and those of them whose answer was there.
    pub fn counts(&self) -> (u64, u64) {
        // Relaxed: counts for reports.
        (self.0.lookups.load(Ordering::Relaxed), self.0.hits.load(Ordering::Relaxed))
    }
}

impl Shared {
    /// A batch to fill.
    fn take(&self) -> Box<Partly> {
        self.batches.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    /// Gives a batch back that has come back.
    fn give(&self, batch: Box<Partly>) {
        self.batches.lock().unwrap_or_else(PoisonError::into_inner).push(batch);
    }

    /// The shard of a key, and where its set begins there.
    fn shard(&self, key: u128) -> (MutexGuard<'_, Shard>, usize) {
        let shard = &self.shards[(key >> 64) as usize % SHARDS];
        let guard = shard.lock().unwrap_or_else(PoisonError::into_inner);
        let sets = guard.entries.len() / WAYS;
        (guard, (key >> 72) as usize % sets * WAYS)
    }

    /// Calls `found` with the entry of a key that has the logits of these moves; whether there is one.
    fn look(&self, key: u128, labels: u64, found: impl FnOnce(&Entry)) -> bool {
        let (shard, set) = self.shard(key);
        let mut entries = shard.entries[set..set + WAYS].iter().flatten();
        let entry = entries.find(|entry| entry.key == key && (labels == 0 || entry.labels == labels));
        entry.map(found).is_some()
    }

    /// Keeps an answer, in the memory of the one that it replaces if there was one.
    fn keep(&self, asked: &Asked, value: [f32; 3], score: Option<f32>, logits: &[f32]) {
        let (mut shard, set) = self.shard(asked.key);
        let known = shard.entries[set..set + WAYS].iter().position(|old| match old {
            Some(old) => old.key == asked.key,
            None => true,
        });
        let way = known.unwrap_or_else(|| {
            shard.next = shard.next.wrapping_add(1);
            usize::from(shard.next) % WAYS
        });
        let mut policy = shard.entries[set + way].take().map_or_else(Vec::new, |old| old.policy);
        policy.clear();
        policy.extend_from_slice(logits);
        shard.entries[set + way] = Some(Entry { key: asked.key, value, score, labels: asked.labels, policy });
    }
}

/// 128 bits of everything a network sees: two products of each word with odd numbers, folded.
fn key(packed: &PackedPosition) -> u128 {
    let fold = |a: u64, b: u64| {
        let product = u128::from(a) * u128::from(b);
        (product as u64) ^ (product >> 64) as u64
    };
    let (mut low, mut high) = (0x243F_6A88_85A3_08D3u64, 0x1319_8A2E_0370_7344u64);
    for word in packed.0.as_chunks::<8>().0 {
        let word = u64::from_le_bytes(*word);
        low = fold(low ^ word, 0x9E37_79B9_7F4A_7C15).wrapping_add(0xD6E8_FEB8_6659_FD93);
        high = fold(high ^ word ^ low.rotate_left(32), 0xC2B2_AE3D_27D4_EB4F).wrapping_add(0xA076_1D64_78BD_642F);
    }
    (u128::from(fold(high, 0xE703_7ED1_A0B4_28DB)) << 64) | u128::from(fold(low, 0x8EBC_6AF0_9C88_C6E3))
}

/// A number for a list of labels; 0 for none.
fn name(labels: &[u16]) -> u64 {
    labels.iter().fold(labels.len() as u64, |sum, &label| {
        (sum ^ u64::from(label)).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29)
    })
}

/// A position of a request.
#[derive(Clone, Copy)]
struct Asked {
    key: u128,
    labels: u64,
    /// How many logits it gets.
    logits: usize,
    known: bool,
}

/// A batch of which only some positions were sent on. It is used again when it has come back.
#[derive(Default)]
struct Partly {
    shared: Option<Arc<Shared>>,
    ticket: Option<Ticket>,
    asked: Vec<Asked>,
    /// The answers, with gaps for what was sent on.
    answers: Answers,
    /// What was sent on.
    positions: Vec<PackedPosition>,
    labels: Vec<u16>,
    ends: Vec<u32>,
}

impl Partly {
    /// Room for the answers to this many positions and labels.
    fn prepare(&mut self, positions: usize, labels: usize) {
        self.asked.clear();
        self.answers.clear();
        self.answers.value.resize(positions, [0.0; 3]);
        self.answers.score.resize(positions, 0.0);
        self.answers.policy.resize(labels, 0.0);
        self.positions.clear();
        self.labels.clear();
        self.ends.clear();
    }
}

impl Flight for Partly {
    fn land(mut self: Box<Self>, to: &mut Answers) -> Result<(), TextError> {
        let (Some(shared), Some(ticket)) = (self.shared.take(), self.ticket.take()) else {
            return Err(TextError::new("a batch of the cache was not sent"));
        };
        shared.inner.collect(ticket, to)?;
        let Partly { asked, answers, .. } = &mut *self;
        let (mut fresh, mut logit, mut start) = (0, 0, 0);
        for (i, asked) in asked.iter().enumerate() {
            let own = start..start + asked.logits;
            start = own.end;
            if asked.known {
                continue;
            }
            // Cancelled: what comes before the first position that was not evaluated is answered.
            if fresh == to.value.len() {
                answers.value.truncate(i);
                answers.score.truncate(i);
                answers.policy.truncate(own.start);
                break;
            }
            answers.value[i] = to.value[fresh];
            let score = to.score.get(fresh).copied();
            if let Some(score) = score {
                answers.score[i] = score;
            }
            let logits = &to.policy[logit..logit + asked.logits];
            answers.policy[own].copy_from_slice(logits);
            shared.keep(asked, to.value[fresh], score, logits);
            fresh += 1;
            logit += asked.logits;
        }
        // A network has a head for scores or not.
        if to.score.is_empty() && fresh > 0 {
            answers.score.clear();
        }
        std::mem::swap(to, answers);
        shared.give(self);
        Ok(())
    }
}

impl Backend for Cached {
    fn name(&self) -> String {
        format!("{}, cached", self.0.inner.name())
    }

    fn layout(&self) -> Layout {
        self.0.inner.layout()
    }

    fn preferred_batches(&self) -> Vec<usize> {
        self.0.inner.preferred_batches()
    }

    fn largest_batch(&self) -> usize {
        self.0.inner.largest_batch()
    }

    fn flights(&self) -> usize {
        self.0.inner.flights()
    }

    fn counters(&self) -> Vec<(&'static str, u64)> {
        let (lookups, hits) = self.counts();
        let mut counters = self.0.inner.counters();
        counters.extend([("cache lookups", lookups), ("cache hits", hits)]);
        counters
    }

    fn evaluate_in_steps(
        &self,
        input: Input<'_>,
        request: Request<'_>,
        answers: &mut Answers,
    ) -> Result<StepTimes, TextError> {
        self.0.inner.evaluate_in_steps(input, request, answers)
    }

    fn submit(&self, request: Request<'_>) -> Result<Ticket, TextError> {
        // Ownership is asked for by people, not by searches: it is not kept.
        if request.ownership {
            return self.0.inner.submit(request);
        }
        request.check(Labels::of(self.layout()))?;
        let count = request.positions.len();
        let mut partly = self.0.take();
        partly.prepare(count, request.labels.len());
        let Partly { asked, answers, positions, labels, ends, .. } = &mut *partly;
        let (mut start, mut scored) = (0, false);
        for (i, packed) in request.positions.iter().enumerate() {
            let end = request.ends.get(i).map_or(start, |&end| end as usize);
            let own = &request.labels[start..end];
            let (key, name) = (key(packed), name(own));
            let known = self.0.look(key, name, |entry| {
                answers.value[i] = entry.value;
                scored |= entry.score.is_some();
                answers.score[i] = entry.score.unwrap_or(0.0);
                if !own.is_empty() {
                    answers.policy[start..end].copy_from_slice(&entry.policy);
                }
            });
            if !known {
                positions.push(*packed);
                labels.extend_from_slice(own);
                ends.push(labels.len() as u32);
            }
            asked.push(Asked { key, labels: name, logits: own.len(), known });
            start = end;
        }
        self.0.lookups.fetch_add(count as u64, Ordering::Relaxed);
        self.0.hits.fetch_add((count - positions.len()) as u64, Ordering::Relaxed);
        if positions.is_empty() {
            if !scored {
                answers.score.clear();
            }
            let done = std::mem::replace(answers, self.0.spare.take());
            self.0.give(partly);
            return Ok(done.into());
        }
        let ends = if labels.is_empty() { &[][..] } else { &ends[..] };
        partly.ticket = Some(self.0.inner.submit(Request { positions, labels, ends, ownership: false, ..request })?);
        partly.shared = Some(self.0.clone());
        Ok(Ticket(Pending::Flight(partly)))
    }

    fn collect(&self, ticket: Ticket, answers: &mut Answers) -> Result<(), TextError> {
        self.0.spare.collect(ticket, answers)
    }
}
