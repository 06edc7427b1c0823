//! How networks are asked, whatever computes the answers.
//!
//! A batch goes in as packed positions with the labels of the moves whose logits are wanted; out come values and those logits.
//! [`Backend::submit`] starts a batch and [`Backend::collect`] waits for it, so that several can be in flight; [`Backend::evaluate`] does
//! both.

use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use yomi_core::clock::Stopwatch;
use yomi_core::{Cancel, TextError};

use crate::cpu::{Cpu, Workspace};
use crate::evaluation::Evaluations;
use crate::input::{Layout, PackedPosition, Planes};
use crate::label::Labels;
use crate::network::Network;

/// What is asked about a batch of positions.
#[derive(Clone, Copy, Debug, Default)]
pub struct Request<'a> {
    /// The positions, each packed for its side to move.
    pub positions: &'a [PackedPosition],
    /// Labels of moves whose logits are wanted, position after position.
    pub labels: &'a [u16],
    /// Where the labels of each position end in `labels`; empty if none are wanted.
    pub ends: &'a [u32],
    /// Whether the owner of each point is wanted as well.
    pub ownership: bool,
    /// Whether the answers are wanted at all. A backend that computes where it is asked looks every few positions and ends early; one that has a
    /// device does not look.
    pub cancel: Cancel<'a>,
}

impl Request<'_> {
    /// Checks that the labels belong to positions and to moves.
    pub fn check(&self, labels: Labels) -> Result<(), TextError> {
        let fault = |what: String| Err(TextError::new(what));
        if !self.ends.is_empty() && self.ends.len() != self.positions.len() {
            return fault(format!("labels for {} of {} positions", self.ends.len(), self.positions.len()));
        }
        if self.ends.last().map_or(0, |&end| end as usize) != self.labels.len() || !self.ends.is_sorted() {
            return fault(format!("the ends of {} labels do not divide them", self.labels.len()));
        }
        match self.labels.iter().find(|&&label| usize::from(label) >= labels.count()) {
            Some(label) => fault(format!("label {label} is not below {}", labels.count())),
            None => Ok(()),
        }
    }
}

/// Positions as [`Backend::evaluate_in_steps`] is given them.
#[derive(Clone, Copy, Debug)]
pub enum Input<'a> {
    /// Packed, as everywhere else.
    Packed(&'a [PackedPosition]),
    /// As planes that were written out (S4.5): position after position, plane after plane, a number for each square.
    Planes(&'a [f32]),
}

impl Input<'_> {
    /// How many positions these are; an error if they and the labels of the request do not belong together.
    pub fn check(&self, request: &Request<'_>, layout: Layout) -> Result<usize, TextError> {
        let count = match self {
            Input::Packed(positions) => positions.len(),
            Input::Planes(numbers) => numbers.len() / (layout.planes() * layout.squares()),
        };
        if !request.ends.is_empty() && request.ends.len() != count {
            return Err(TextError::new(format!("labels for {} of {count} positions", request.ends.len())));
        }
        // Only the labels are left to check.
        let empty = vec![PackedPosition::EMPTY; request.ends.len()];
        Request { positions: &empty, ..*request }.check(Labels::of(layout))?;
        Ok(count)
    }
}

/// How long the steps of a batch took (S4.5).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct StepTimes {
    /// The input on its way to the device.
    pub to_device: Duration,
    /// The evaluation.
    pub evaluation: Duration,
    /// The answers on their way back.
    pub back: Duration,
}

/// The answers to a batch: to all of its positions, or, if it was cancelled meanwhile, to the first ones.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Answers {
    /// Probabilities of win, draw and loss of the side to move.
    pub value: Vec<[f32; 3]>,
    /// The final score for the side to move; empty if the network has no such head.
    pub score: Vec<f32>,
    /// The logits of the labels that were asked for, in their order.
    pub policy: Vec<f32>,
    /// Who will own each point, position after position; empty unless asked for and known.
    pub ownership: Vec<f32>,
}

impl Answers {
    /// Forgets everything, keeping the memory.
    pub fn clear(&mut self) {
        self.value.clear();
        self.score.clear();
        self.policy.clear();
        self.ownership.clear();
    }

    fn append(&mut self, other: &Answers) {
        self.value.extend(&other.value);
        self.score.extend(&other.score);
        self.policy.extend(&other.policy);
        self.ownership.extend(&other.ownership);
    }

    /// The first position whose value is not a number, if there is one.
    pub fn not_finite(&self) -> Option<usize> {
        self.value.iter().position(|value| !value.iter().all(|x| x.is_finite()))
    }
}

/// Answers that are not in use, to be filled again: no batch allocates once there are enough of them.
#[derive(Default)]
pub(crate) struct SpareAnswers(Mutex<Vec<Answers>>);

impl SpareAnswers {
    /// Empty answers, with memory if some were given back.
    pub(crate) fn take(&self) -> Answers {
        let mut answers = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
        answers.clear();
        answers
    }

    /// Gives back answers that were read.
    pub(crate) fn give(&self, answers: Answers) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(answers);
    }

    /// Replaces `answers` by those of a ticket and keeps the memory of the old ones.
    pub(crate) fn collect(&self, ticket: Ticket, answers: &mut Answers) -> Result<(), TextError> {
        match ticket.0 {
            Pending::Done(done) => self.give(std::mem::replace(answers, done)),
            Pending::Flight(flight) => flight.land(answers)?,
        }
        Ok(())
    }
}

/// A batch in flight. One that is dropped is waited for and forgotten.
pub struct Ticket(pub(crate) Pending);

impl From<Answers> for Ticket {
    /// The ticket of a batch whose answers are there already.
    fn from(answers: Answers) -> Ticket {
        Ticket(Pending::Done(answers))
    }
}

impl std::fmt::Debug for Ticket {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self.0 {
            Pending::Done(_) => "Ticket(done)",
            Pending::Flight(_) => "Ticket(in flight)",
        })
    }
}

/// What a ticket stands for.
pub(crate) enum Pending {
    /// The answers are there.
    Done(Answers),
    /// Something that knows how to wait.
    Flight(Box<dyn Flight>),
}

/// A batch that something else computes.
pub(crate) trait Flight: Send {
    /// Waits, and replaces `answers`.
    fn land(self: Box<Self>, answers: &mut Answers) -> Result<(), TextError>;
}

/// Something that evaluates positions with one network.
pub trait Backend: Send + Sync {
    /// What it is, in a few words: `cpu, avx2, 2 threads`.
    fn name(&self) -> String;

    /// The planes of the network.
    fn layout(&self) -> Layout;

    /// Batch sizes that waste nothing, ascending; multiples of the last do not either.
    fn preferred_batches(&self) -> Vec<usize>;

    /// The largest batch that can be submitted; [`Backend::evaluate`] takes any.
    fn largest_batch(&self) -> usize;

    /// How many batches can be in flight; [`Backend::submit`] waits for one to be collected when there are that many.
    fn flights(&self) -> usize;

    /// Starts a batch.
    fn submit(&self, request: Request<'_>) -> Result<Ticket, TextError>;

    /// Waits for a batch and replaces `answers` by its answers.
    fn collect(&self, ticket: Ticket, answers: &mut Answers) -> Result<(), TextError> {
        match ticket.0 {
            Pending::Done(done) => *answers = done,
            Pending::Flight(flight) => flight.land(answers)?,
        }
        Ok(())
    }

    /// What it has counted since it was made, by name: a cache its hits.
    fn counters(&self) -> Vec<(&'static str, u64)> {
        Vec::new()
    }

    /// Evaluates one batch step by step and measures how long each step took: for comparisons (S4.5), not for searches in a hurry. The positions
    /// of `request` are left out of account, those of `input` count.
    fn evaluate_in_steps(
        &self,
        input: Input<'_>,
        request: Request<'_>,
        answers: &mut Answers,
    ) -> Result<StepTimes, TextError> {
        let Input::Packed(positions) = input else {
            return Err(TextError::new(format!("{} takes packed positions only", self.name())));
        };
        let watch = Stopwatch::start();
        self.evaluate(Request { positions, ..request }, answers)?;
        Ok(StepTimes { evaluation: watch.elapsed(), ..StepTimes::default() })
    }

    /// Replaces `answers` by the answers to a batch of any size.
    fn evaluate(&self, request: Request<'_>, answers: &mut Answers) -> Result<(), TextError> {
        let most = self.largest_batch().max(1);
        if request.positions.len() <= most {
            return self.collect(self.submit(request)?, answers);
        }
        request.check(Labels::of(self.layout()))?;
        answers.clear();
        let mut part = Answers::default();
        let mut start = 0;
        for (i, positions) in request.positions.chunks(most).enumerate() {
            let ends = request.ends.get(i * most..).unwrap_or_default();
            let ends = &ends[..ends.len().min(positions.len())];
            let end = ends.last().copied().unwrap_or(start);
            let labels = &request.labels[start as usize..end as usize];
            // Ends are counted from the first label of the part.
            let ends: Vec<u32> = ends.iter().map(|end| end - start).collect();
            self.collect(self.submit(Request { positions, labels, ends: &ends, ..request })?, &mut part)?;
            answers.append(&part);
            if part.value.len() < positions.len() || request.cancel.is_cancelled() {
                break;
            }
            start = end;
        }
        Ok(())
    }
}

/// The CPU as a backend. Batches are computed when they are submitted.
pub struct CpuBackend {
    cpu: Cpu,
    threads: usize,
    work: Mutex<Vec<(Workspace, Evaluations)>>,
    spare: SpareAnswers,
}

impl CpuBackend {
    /// A network with up to `threads` threads for each batch.
    pub fn new(network: &Network, threads: usize) -> CpuBackend {
        CpuBackend {
            cpu: Cpu::new(network),
            threads: threads.max(1),
            work: Mutex::default(),
            spare: SpareAnswers::default(),
        }
    }

    /// As many threads as the machine has processors.
    pub fn with_all_threads(network: &Network) -> CpuBackend {
        CpuBackend::new(network, thread::available_parallelism().map_or(1, std::num::NonZero::get))
    }
}

impl Backend for CpuBackend {
    fn name(&self) -> String {
        format!("cpu, {}, threads {}", self.cpu.unit().name(), self.threads)
    }

    fn layout(&self) -> Layout {
        self.cpu.folded().layout
    }

    fn preferred_batches(&self) -> Vec<usize> {
        vec![self.cpu.preferred_batch() * self.threads]
    }

    fn largest_batch(&self) -> usize {
        4096
    }

    fn flights(&self) -> usize {
        usize::MAX
    }

    fn submit(&self, request: Request<'_>) -> Result<Ticket, TextError> {
        request.check(self.cpu.folded().labels)?;
        let answers = self.answer(&request, |work, all| {
            self.cpu.evaluate_while_wanted(request.positions, self.threads, request.cancel, work, all);
        });
        Ok(answers.into())
    }

    fn collect(&self, ticket: Ticket, answers: &mut Answers) -> Result<(), TextError> {
        self.spare.collect(ticket, answers)
    }

    /// There is no device to send anything to: the planes are read where they are.
    fn evaluate_in_steps(
        &self,
        input: Input<'_>,
        request: Request<'_>,
        answers: &mut Answers,
    ) -> Result<StepTimes, TextError> {
        let layout = self.layout();
        input.check(&request, layout)?;
        let watch = Stopwatch::start();
        let done = self.answer(&request, |work, all| match input {
            Input::Packed(positions) => self.cpu.evaluate(positions, self.threads, work, all),
            Input::Planes(numbers) => {
                let (planes, squares) = (layout.planes(), layout.squares());
                let sparse: Vec<Planes> =
                    numbers.chunks_exact(planes * squares).map(|dense| Planes::from_dense(dense, squares)).collect();
                self.cpu.evaluate_planes(&sparse, self.threads, work, all);
            }
        });
        self.spare.give(std::mem::replace(answers, done));
        Ok(StepTimes { evaluation: watch.elapsed(), ..StepTimes::default() })
    }
}

impl CpuBackend {
    /// The answers to a request whose positions `evaluate` evaluates.
    fn answer(&self, request: &Request<'_>, evaluate: impl FnOnce(&mut Workspace, &mut Evaluations)) -> Answers {
        let free = || self.work.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut work, mut all) = free().pop().unwrap_or_default();
        evaluate(&mut work, &mut all);
        let mut answers = self.spare.take();
        answers.value.extend_from_slice(&all.value);
        answers.score.extend_from_slice(&all.score);
        let mut start = 0;
        for (i, &end) in request.ends.iter().enumerate().take(all.len()) {
            let logits = all.policy_of(i);
            let wanted = &request.labels[start..end as usize];
            answers.policy.extend(wanted.iter().map(|&label| logits[usize::from(label)]));
            start = end as usize;
        }
        if request.ownership {
            answers.ownership.clone_from(&all.ownership);
        }
        free().push((work, all));
        answers
    }
}
