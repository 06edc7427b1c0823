//! How fast a backend is: for `yomi net bench` and examples.

use std::collections::VecDeque;
use std::time::Duration;

use yomi_core::TextError;
use yomi_core::clock::Stopwatch;

use crate::backend::{Answers, Backend, Pending, Request, Ticket};
use crate::input::{Layout, PackedPosition};
use crate::label::Labels;
use crate::sample::Sample;

/// A backend that computes nothing: positions and labels are answered by numbers made of their bytes. What a search with it costs is what
/// searching costs without the network.
#[derive(Clone, Copy, Debug)]
pub struct Instant(pub Layout);

impl Instant {
    /// A number from -1 to 1 that looks random.
    fn number(seed: u64) -> f32 {
        let mixed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        ((mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 40) as f32 / (1 << 23) as f32 - 1.0
    }

    fn key(position: &PackedPosition) -> u64 {
        position.0.as_chunks::<8>().0.iter().fold(0, |key: u64, &part| {
            (key.rotate_left(23) ^ u64::from_le_bytes(part)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        })
    }
}

impl Backend for Instant {
    fn name(&self) -> String {
        "no network".into()
    }

    fn layout(&self) -> Layout {
        self.0
    }

    fn preferred_batches(&self) -> Vec<usize> {
        vec![64]
    }

    fn largest_batch(&self) -> usize {
        1 << 16
    }

    fn flights(&self) -> usize {
        usize::MAX
    }

    fn submit(&self, request: Request<'_>) -> Result<Ticket, TextError> {
        request.check(Labels::of(self.0))?;
        let mut answers = Answers::default();
        let mut labels = request.labels.iter();
        let mut begin = 0;
        for (i, position) in request.positions.iter().enumerate() {
            let key = Instant::key(position);
            let win = 0.5 + 0.3 * Instant::number(key);
            answers.value.push([win, 0.0, 1.0 - win]);
            let end = request.ends.get(i).map_or(begin, |&end| end as usize);
            answers
                .policy
                .extend(labels.by_ref().take(end - begin).map(|&x| 3.0 * Instant::number(key ^ u64::from(x))));
            begin = end;
        }
        Ok(Ticket(Pending::Done(answers)))
    }
}

/// Fewest batches of a measurement, however long they take.
const FEWEST: usize = 3;

/// Microseconds from asking to answer, one batch at a time: the median of as many as fit into `budget`.
pub fn latency(backend: &dyn Backend, sample: &Sample, budget: Duration) -> Result<f64, TextError> {
    let mut answers = Answers::default();
    backend.evaluate(sample.request(), &mut answers)?;
    let (mut times, watch) = (Vec::new(), Stopwatch::start());
    while times.len() < FEWEST || watch.elapsed() < budget {
        let one = Stopwatch::start();
        backend.evaluate(sample.request(), &mut answers)?;
        times.push(one.elapsed().as_secs_f64() * 1e6);
    }
    times.sort_by(f64::total_cmp);
    Ok(times[times.len() / 2])
}

/// Positions per second with as many batches in flight as there can be, and microseconds for each batch.
pub fn flow(backend: &dyn Backend, sample: &Sample, budget: Duration) -> Result<(f64, f64), TextError> {
    let (mut answers, mut tickets) = (Answers::default(), VecDeque::new());
    // The CPU computes a batch when it is submitted: more than a few in flight only take memory.
    let most = backend.flights().min(4);
    for _ in 0..most {
        tickets.push_back(backend.submit(sample.request())?);
    }
    let (mut batches, watch) = (0, Stopwatch::start());
    while batches < FEWEST || watch.elapsed() < budget {
        if let Some(ticket) = tickets.pop_front() {
            backend.collect(ticket, &mut answers)?;
        }
        tickets.push_back(backend.submit(sample.request())?);
        batches += 1;
    }
    let each = watch.elapsed().as_secs_f64() / batches as f64;
    for ticket in tickets {
        backend.collect(ticket, &mut answers)?;
    }
    Ok((sample.positions.len() as f64 / each, each * 1e6))
}
