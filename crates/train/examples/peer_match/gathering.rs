//! One batch for all games: what many threads ask at about the same time goes to the device together.
//!
//! A game has a few positions on their way at a time, and a device answers a few hardly faster than hundreds. While one batch is
//! computed, the questions of all other threads become the next.

use std::ops::Range;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use yomi_core::TextError;
use yomi_net::backend::{Answers, Backend, Request, Ticket};
use yomi_net::input::{Layout, PackedPosition};

/// A backend whose batches are made of the requests of many threads. A request waits for its answers.
pub(crate) struct Gathering(Arc<Shared>);

struct Shared {
    inner: Box<dyn Backend>,
    open: Mutex<Arc<Batch>>,
    /// There is something in the open batch.
    filled: Condvar,
}

/// Requests that are answered together.
#[derive(Default)]
struct Batch {
    state: Mutex<State>,
    answered: Condvar,
}

#[derive(Default)]
struct State {
    positions: Vec<PackedPosition>,
    labels: Vec<u16>,
    ends: Vec<u32>,
    answers: Option<Result<Answers, TextError>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Gathering {
    /// Gathers for `inner`. A thread that lives as long as the program hands batches on.
    pub(crate) fn new(inner: Box<dyn Backend>) -> Gathering {
        let shared = Arc::new(Shared { inner, open: Mutex::default(), filled: Condvar::new() });
        let server = shared.clone();
        std::thread::spawn(move || {
            loop {
                server.serve();
            }
        });
        Gathering(shared)
    }
}

impl Shared {
    /// Answers the next batch.
    fn serve(&self) {
        let mut open = lock(&self.open);
        while lock(&open.state).positions.is_empty() {
            open = self.filled.wait(open).unwrap_or_else(PoisonError::into_inner);
        }
        let batch = std::mem::take(&mut *open);
        drop(open);
        let mut state = lock(&batch.state);
        let mut answers = Answers::default();
        let request = Request {
            positions: &state.positions,
            labels: &state.labels,
            ends: if state.labels.is_empty() { &[] } else { &state.ends },
            ..Request::default()
        };
        let result = self.inner.evaluate(request, &mut answers).map(|()| answers);
        state.answers = Some(result);
        batch.answered.notify_all();
    }

    /// Puts a request into the open batch: the batch, where its positions lie there, and where its labels.
    fn enter(&self, request: Request<'_>) -> (Arc<Batch>, Range<usize>, Range<usize>) {
        let open = lock(&self.open);
        let mut state = lock(&open.state);
        let (position, label) = (state.positions.len(), state.labels.len());
        state.positions.extend_from_slice(request.positions);
        state.labels.extend_from_slice(request.labels);
        let end = |at: usize| label as u32 + request.ends.get(at).copied().unwrap_or(0);
        state.ends.extend((0..request.positions.len()).map(end));
        let places = (position..state.positions.len(), label..state.labels.len());
        drop(state);
        self.filled.notify_one();
        (open.clone(), places.0, places.1)
    }
}

impl Backend for Gathering {
    fn name(&self) -> String {
        format!("gathering for {}", self.0.inner.name())
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
        usize::MAX
    }

    fn submit(&self, request: Request<'_>) -> Result<Ticket, TextError> {
        let (batch, positions, labels) = self.0.enter(request);
        let mut state = lock(&batch.state);
        loop {
            match &state.answers {
                Some(Err(error)) => return Err(error.clone()),
                Some(Ok(all)) => {
                    let score = all.score.get(positions.clone()).unwrap_or_default().to_vec();
                    let (value, policy) = (all.value[positions].to_vec(), all.policy[labels].to_vec());
                    return Ok(Answers { value, score, policy, ownership: Vec::new() }.into());
                }
                None => state = batch.answered.wait(state).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }
}
