//! How fast a backend is: for `yomi net bench` and examples.

use std::collections::VecDeque;
use std::time::Duration;

use yomi_core::TextError;
use yomi_core::clock::Stopwatch;

use crate::backend::{Answers, Backend};
use crate::sample::Sample;

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
