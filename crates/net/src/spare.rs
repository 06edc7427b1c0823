//! A backend with a spare.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use yomi_core::TextError;

use crate::agreement::Tolerance;
use crate::backend::{Answers, Backend, Flight, Input, Pending, Request, StepTimes, Ticket};
use crate::input::{Layout, PackedPosition};
use crate::label::Labels;
use crate::open::Precision;

/// Once in this many batches of the first backend one position is given to the spare as well: nothing else shows that a device computes wrongly
/// now and then.
const BATCHES_OF_A_CHECK: u64 = 1024;

/// A backend with a spare: when the first fails in the middle of work, or is found to answer wrongly, the spare answers, and everything after
/// it.
#[derive(Clone)]
pub struct WithSpare(Arc<Pair>);

struct Pair {
    first: Box<dyn Backend>,
    spare: Box<dyn Backend>,
    failed: OnceLock<TextError>,
    tolerance: Tolerance,
    /// Batches of the first that have landed.
    landed: AtomicU64,
}

/// A flight of the first backend, with what was asked, in case it does not come back.
struct Insured {
    pair: Arc<Pair>,
    ticket: Ticket,
    positions: Vec<PackedPosition>,
    labels: Vec<u16>,
    ends: Vec<u32>,
    ownership: bool,
}

impl WithSpare {
    /// `first`, which computes with this precision, while it works, `spare` afterwards.
    pub fn new(first: Box<dyn Backend>, spare: Box<dyn Backend>, precision: Precision) -> WithSpare {
        let tolerance = Tolerance::of(precision).of_one();
        WithSpare(Arc::new(Pair { first, spare, failed: OnceLock::new(), tolerance, landed: AtomicU64::new(0) }))
    }

    /// Why the spare is in use, if it is.
    pub fn failure(&self) -> Option<&TextError> {
        self.0.failed.get()
    }

    fn current(&self) -> &dyn Backend {
        if self.failure().is_some() { &*self.0.spare } else { &*self.0.first }
    }
}

impl Flight for Insured {
    fn land(self: Box<Self>, answers: &mut Answers) -> Result<(), TextError> {
        let Insured { pair, ticket, positions, labels, ends, ownership } = *self;
        // In the air nothing hears whether it was cancelled.
        let request = Request { positions: &positions, labels: &labels, ends: &ends, ownership, ..Request::default() };
        let landed = pair.first.collect(ticket, answers).and_then(|()| pair.check(request, answers));
        landed.or_else(|error| {
            let _ = pair.failed.set(error);
            pair.spare.evaluate(request, answers)
        })
    }
}

impl Pair {
    /// Compares one position of a batch with the spare when it is time for that: an error if they disagree.
    fn check(&self, request: Request<'_>, answers: &Answers) -> Result<(), TextError> {
        // Relaxed: the counter carries no data.
        let before = self.landed.fetch_add(1, Ordering::Relaxed);
        let count = request.positions.len();
        if before % BATCHES_OF_A_CHECK != BATCHES_OF_A_CHECK - 1 || count == 0 {
            return Ok(());
        }
        // Every place of a batch has its turn.
        let at = (before / BATCHES_OF_A_CHECK) as usize % count;
        let end = |i: usize| request.ends.get(i).map_or(0, |&end| end as usize);
        let labels = at.checked_sub(1).map_or(0, end)..end(at);
        let (own_labels, own_end) = (&request.labels[labels.clone()], [labels.len() as u32]);
        let own = Request {
            positions: &request.positions[at..=at],
            labels: own_labels,
            ends: if request.ends.is_empty() { &[] } else { &own_end },
            ..Request::default()
        };
        let mut expected = Answers::default();
        self.spare.evaluate(own, &mut expected)?;
        let reported = Answers {
            value: answers.value.get(at).copied().into_iter().collect(),
            policy: answers.policy.get(labels).unwrap_or_default().to_vec(),
            ..Answers::default()
        };
        match self.tolerance.fault(&reported, &expected) {
            None => Ok(()),
            Some(fault) => Err(TextError::new(format!(
                "{} answers wrongly: {fault} at position {at} of {count} of batch {}",
                self.first.name(),
                before + 1
            ))),
        }
    }
}

impl Backend for WithSpare {
    fn name(&self) -> String {
        match self.failure() {
            None => self.0.first.name(),
            Some(error) => format!("{} (in place of a device that failed: {})", self.0.spare.name(), error.message),
        }
    }

    fn layout(&self) -> Layout {
        self.0.first.layout()
    }

    fn preferred_batches(&self) -> Vec<usize> {
        self.current().preferred_batches()
    }

    fn largest_batch(&self) -> usize {
        self.0.first.largest_batch().min(self.0.spare.largest_batch())
    }

    fn flights(&self) -> usize {
        self.current().flights()
    }

    fn counters(&self) -> Vec<(&'static str, u64)> {
        self.current().counters()
    }

    fn evaluate_in_steps(
        &self,
        input: Input<'_>,
        request: Request<'_>,
        answers: &mut Answers,
    ) -> Result<StepTimes, TextError> {
        self.current().evaluate_in_steps(input, request, answers)
    }

    fn submit(&self, request: Request<'_>) -> Result<Ticket, TextError> {
        // A request that is wrong says nothing about the backend.
        request.check(Labels::of(self.layout()))?;
        if self.failure().is_some() {
            return self.0.spare.submit(request);
        }
        match self.0.first.submit(request) {
            Ok(Ticket(Pending::Done(answers))) => Ok(Ticket(Pending::Done(answers))),
            Ok(ticket) => Ok(Ticket(Pending::Flight(Box::new(Insured {
                pair: self.0.clone(),
                ticket,
                positions: request.positions.to_vec(),
                labels: request.labels.to_vec(),
                ends: request.ends.to_vec(),
                ownership: request.ownership,
            })))),
            Err(error) => {
                let _ = self.0.failed.set(error);
                self.0.spare.submit(request)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    /// What a backend has of one network: positions by their first byte, even ones won. From a batch on it is wrong about position 1.
    struct Byte {
        wrong_from: u64,
        batches: Mutex<u64>,
    }

    impl Byte {
        fn boxed(wrong_from: u64) -> Box<Byte> {
            Box::new(Byte { wrong_from, batches: Mutex::new(0) })
        }
    }

    struct InTheAir(Answers);

    impl Flight for InTheAir {
        fn land(self: Box<Self>, answers: &mut Answers) -> Result<(), TextError> {
            *answers = self.0;
            Ok(())
        }
    }

    impl Backend for Byte {
        fn name(&self) -> String {
            if self.wrong_from == u64::MAX { "right".into() } else { "fickle".into() }
        }

        fn layout(&self) -> Layout {
            Layout::Minishogi
        }

        fn preferred_batches(&self) -> Vec<usize> {
            vec![3]
        }

        fn largest_batch(&self) -> usize {
            3
        }

        fn flights(&self) -> usize {
            2
        }

        fn submit(&self, request: Request<'_>) -> Result<Ticket, TextError> {
            let mut batches = self.batches.lock().unwrap();
            *batches += 1;
            let mut answers = Answers::default();
            for (i, position) in request.positions.iter().enumerate() {
                let wrong = i == 1 && *batches >= self.wrong_from;
                let win = if (position.0[0] % 2 == 0) != wrong { 1.0 } else { 0.0 };
                answers.value.push([win, 0.0, 1.0 - win]);
            }
            answers.policy.extend(request.labels.iter().map(|&label| f32::from(label)));
            Ok(Ticket(Pending::Flight(Box::new(InTheAir(answers)))))
        }
    }

    fn pair(wrong_from: u64) -> WithSpare {
        WithSpare::new(Byte::boxed(wrong_from), Byte::boxed(u64::MAX), Precision::Half)
    }

    /// Evaluates this many batches of three positions with labels for the last two; returns how many were answered wrongly.
    fn evaluate(backend: &WithSpare, batches: u64) -> usize {
        let mut positions = [PackedPosition::EMPTY; 3];
        positions[1].0[0] = 1;
        let request = Request { positions: &positions, labels: &[3, 4, 5], ends: &[0, 2, 3], ..Request::default() };
        let mut answers = Answers::default();
        let mut wrong = 0;
        for _ in 0..batches {
            backend.evaluate(request, &mut answers).unwrap();
            wrong += usize::from(answers.value[1] != [0.0, 0.0, 1.0]);
            assert_eq!((answers.value[0], &answers.policy[..]), ([1.0, 0.0, 0.0], &[3.0, 4.0, 5.0][..]));
        }
        wrong
    }

    #[test]
    fn what_agrees_stays() {
        let backend = pair(u64::MAX);
        assert_eq!(evaluate(&backend, 5 * BATCHES_OF_A_CHECK), 0);
        assert!(backend.failure().is_none());
    }

    /// The check of the second 1,024 batches looks at position 1: that batch is answered by the spare, as is everything after it.
    #[test]
    fn wrong_answers_are_found() {
        let backend = pair(1);
        let before = 2 * BATCHES_OF_A_CHECK - 1;
        assert_eq!(evaluate(&backend, before), before as usize);
        assert_eq!((backend.failure(), backend.name().as_str()), (None, "fickle"));
        assert_eq!(evaluate(&backend, 100), 0);
        assert_eq!(
            backend.failure().unwrap().message,
            "fickle answers wrongly: values differ by 1.0e0 from the CPU's at position 1 of 3 of batch 2048"
        );
        assert!(backend.name().starts_with("right (in place of a device that failed: fickle answers wrongly"));
    }

    #[test]
    fn requests_without_labels_are_checked_too() {
        let backend = pair(1);
        let positions = [PackedPosition::EMPTY; 2];
        let request = Request { positions: &positions, ..Request::default() };
        for _ in 0..2 * BATCHES_OF_A_CHECK {
            backend.evaluate(request, &mut Answers::default()).unwrap();
        }
        assert!(backend.failure().is_some());
    }
}
