//! A network as an evaluation that searches can ask.
//!
//! All positions that a call asks about go to the backend as one batch: a position for its value and its priors, its children for theirs
//! (S4.2), the questions of many samples and many searches together. Values are expected results, 1 for a win; priors are the softmax over
//! the logits of the legal moves.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use yomi_core::{Answer, Cancel, Evaluator, Flight, Position, Question, TextError, Want};

use crate::backend::{Answers, Backend, Request, Ticket};
use crate::evaluation::softmax;
use crate::input::{Encode, Layout, PackedPosition};

/// Batches above this gain little and keep a search waiting.
const LARGEST_USEFUL_BATCH: usize = 512;

/// An evaluator that asks a [`Backend`]. Clones share it: many searches, one device.
#[derive(Clone)]
pub struct NetEvaluator(Arc<Shared>);

/// An evaluator that lives as long as it is used.
#[derive(Clone)]
pub struct WeakNet(Weak<Shared>);

impl WeakNet {
    /// The evaluator, if it is still used.
    pub fn upgrade(&self) -> Option<NetEvaluator> {
        self.0.upgrade().map(NetEvaluator)
    }
}

struct Shared {
    backend: Box<dyn Backend>,
    batch: usize,
    positions: AtomicU64,
    batches: AtomicU64,
    failure: OnceLock<TextError>,
}

/// Working memory of one thread.
#[derive(Debug)]
pub struct Scratch<M> {
    positions: Vec<PackedPosition>,
    labels: Vec<u16>,
    ends: Vec<u32>,
    answers: Answers,
    /// The batch on its way.
    ticket: Option<Ticket>,
    moves: Vec<M>,
}

impl NetEvaluator {
    /// An evaluator that asks this backend.
    pub fn new(backend: Box<dyn Backend>) -> NetEvaluator {
        let sizes = backend.preferred_batches();
        let useful = sizes.iter().rev().find(|&&size| size <= LARGEST_USEFUL_BATCH);
        let batch = useful.or(sizes.first()).copied().unwrap_or(1).max(1);
        NetEvaluator::with_batch(backend, batch)
    }

    /// The same, with another number of positions that it likes to be asked about at once.
    pub fn with_batch(backend: Box<dyn Backend>, batch: usize) -> NetEvaluator {
        NetEvaluator(Arc::new(Shared {
            backend,
            batch: batch.max(1),
            positions: AtomicU64::new(0),
            batches: AtomicU64::new(0),
            failure: OnceLock::new(),
        }))
    }

    /// A pointer that does not keep the network in memory.
    pub fn downgrade(&self) -> WeakNet {
        WeakNet(Arc::downgrade(&self.0))
    }

    /// What computes the answers.
    pub fn backend(&self) -> &dyn Backend {
        &*self.0.backend
    }

    /// How many positions were evaluated, and in how many batches.
    pub fn counts(&self) -> (u64, u64) {
        // Relaxed: counts for reports.
        (self.0.positions.load(Ordering::Relaxed), self.0.batches.load(Ordering::Relaxed))
    }

    /// Why positions were answered by an even value and even priors, if any were.
    pub fn failure(&self) -> Option<&TextError> {
        self.0.failure.get()
    }

    /// Whether a position can be packed for the network.
    pub(crate) fn fits(&self, layout: Layout) -> bool {
        let network = self.0.backend.layout();
        let fits = (layout.squares(), layout.packed_bytes()) == (network.squares(), network.packed_bytes());
        if !fits {
            self.fail(TextError::new(format!("the network is for {}, not for {}", network.game(), layout.game())));
        }
        fits
    }

    /// Keeps the first reason why positions could not be judged.
    pub(crate) fn fail(&self, error: TextError) {
        let _ = self.0.failure.set(error);
    }

    /// Sends everything that was gathered to the backend; more than it takes at once is evaluated here and now.
    fn submit<M>(&self, scratch: &mut Scratch<M>, cancel: Cancel<'_>) {
        let Scratch { positions, labels, ends, answers, ticket, .. } = scratch;
        answers.clear();
        if positions.is_empty() {
            return;
        }
        self.0.batches.fetch_add(1, Ordering::Relaxed);
        // Without labels there are no ends either.
        let ends = if labels.is_empty() { &[][..] } else { ends };
        let request = Request { positions, labels, ends, ownership: false, cancel };
        let backend = &self.0.backend;
        let sent = match positions.len() <= backend.largest_batch() {
            true => backend.submit(request).map(|sent| *ticket = Some(sent)),
            false => backend.evaluate(request, answers),
        };
        if let Err(error) = sent {
            self.fail(error);
            answers.clear();
        }
    }

    /// Answers how the game will be counted, where that is asked: by the heads for score and owners, if the network has them. A batch of its own,
    /// because only front ends ask, and rarely.
    fn answer_scores<P: Encode>(&self, flights: &mut [Flight<'_, P>]) {
        let asked = |flight: &Flight<'_, P>| {
            let position = flight.question.position;
            flight.question.want.has(Want::SCORE) && self.fits(position.layout())
        };
        let mut asking: Vec<_> = flights.iter_mut().filter(|flight| asked(flight)).collect();
        if asking.is_empty() {
            return;
        }
        let pack = |flight: &&mut Flight<'_, P>| flight.question.position.pack(flight.question.position.turn());
        let positions: Vec<PackedPosition> = asking.iter().map(pack).collect();
        let mut answers = Answers::default();
        let unwanted = || asking.iter().all(|flight| flight.question.cancel.is_cancelled());
        let cancel = Cancel::when(&unwanted);
        let request = Request { positions: &positions, ownership: true, cancel, ..Request::default() };
        if let Err(error) = self.0.backend.evaluate(request, &mut answers) {
            return self.fail(error);
        }
        let squares = self.0.backend.layout().squares();
        for (at, Flight { answer, .. }) in asking.iter_mut().enumerate() {
            answer.score = answers.score.get(at).copied().filter(|score| score.is_finite());
            answer
                .owners
                .extend_from_slice(answers.ownership.get(at * squares..(at + 1) * squares).unwrap_or_default());
        }
    }

    /// Waits for what was sent.
    fn collect<M>(&self, scratch: &mut Scratch<M>) {
        let Scratch { answers, ticket, .. } = scratch;
        if let Some(Err(error)) = ticket.take().map(|ticket| self.0.backend.collect(ticket, answers)) {
            self.fail(error);
            answers.clear();
        }
        self.0.positions.fetch_add(answers.value.len() as u64, Ordering::Relaxed);
    }
}

impl<M> Scratch<M> {
    fn clear(&mut self) {
        self.positions.clear();
        self.labels.clear();
        self.ends.clear();
        // A batch that was not collected is dropped.
        self.ticket = None;
    }

    fn push(&mut self, position: PackedPosition) {
        self.positions.push(position);
        self.ends.push(self.labels.len() as u32);
    }
}

/// Whether a question needs the position itself evaluated.
pub(crate) fn asks_about_itself<P: Position>(question: &Question<'_, P>) -> bool {
    question.want.has(Want::VALUE) || question.want.has(Want::PRIORS) && !question.moves.is_empty()
}

/// Packs what a question asks about. Children that end the game are answered at once; a value that is still to come is 0 until then.
fn gather<P: Encode>(question: &Question<'_, P>, answer: &mut Answer<P::Move>, scratch: &mut Scratch<P::Move>) {
    let Question { position, moves, want, .. } = *question;
    if asks_about_itself(question) {
        if want.has(Want::PRIORS) {
            scratch.labels.extend(moves.iter().map(|&mv| position.label(mv) as u16));
        }
        scratch.push(position.pack(position.turn()));
    }
    if !want.has(Want::CHILDREN) {
        return;
    }
    for &mv in moves {
        if question.cancel.is_cancelled() {
            break;
        }
        let mut child = position.clone();
        child.play(mv);
        let outcome = child.repetition(question.plies).or_else(|| child.ended(&mut scratch.moves));
        if outcome.is_none() {
            scratch.push(child.pack(child.turn()));
        }
        answer.push_child(outcome.map_or(0.0, |outcome| outcome.value_for(position.turn(), WIN)), outcome);
    }
}

/// What a won game is worth.
pub(crate) const WIN: f32 = 1.0;

/// The answers of a batch, taken out in the order in which the questions were gathered.
pub(crate) struct AnswerReader<'a> {
    value: std::slice::Iter<'a, [f32; 3]>,
    policy: &'a [f32],
    /// The backend did not answer.
    silent: bool,
}

impl<'a> AnswerReader<'a> {
    /// From the first answer on.
    pub(crate) fn new(answers: &'a Answers) -> AnswerReader<'a> {
        AnswerReader { value: answers.value.iter(), policy: &answers.policy, silent: answers.value.is_empty() }
    }

    /// The expected result of the next position; an even one if the backend did not answer, or with no number. None if the batch was cancelled
    /// before.
    fn expectation(&mut self) -> Option<f32> {
        if self.silent {
            return Some(0.0);
        }
        let &[win, _, loss] = self.value.next()?;
        let result = win - loss;
        Some(if result.is_finite() { result.clamp(-WIN, WIN) } else { 0.0 })
    }

    fn logits(&mut self, count: usize) -> Option<&[f32]> {
        let (logits, rest) = self.policy.split_at_checked(count)?;
        self.policy = rest;
        Some(logits)
    }

    /// Completes an answer, or shortens it to what was known when the batch was cancelled.
    pub(crate) fn scatter<P: Position>(&mut self, question: &Question<'_, P>, answer: &mut Answer<P::Move>) {
        if asks_about_itself(question) {
            let Some(value) = self.expectation() else {
                answer.values.clear();
                answer.outcomes.clear();
                answer.abandoned = true;
                return;
            };
            answer.value = value;
            if question.want.has(Want::PRIORS) {
                match self.logits(question.moves.len()) {
                    Some(logits) => {
                        answer.priors.extend_from_slice(logits);
                        softmax(&mut answer.priors);
                    }
                    None => answer.uniform_priors(question),
                }
            }
        }
        let mut judged = answer.values.len();
        for (i, (value, outcome)) in answer.values.iter_mut().zip(&answer.outcomes).enumerate() {
            if outcome.is_some() {
                continue;
            }
            match self.expectation() {
                Some(expected) => *value = 0.0 - expected,
                None => {
                    judged = i;
                    break;
                }
            }
        }
        answer.values.truncate(judged);
        answer.outcomes.truncate(judged);
    }
}

impl<P: Encode> Evaluator<P> for NetEvaluator {
    type Scratch = Scratch<P::Move>;

    fn scratch(&self, _seed: u64) -> Scratch<P::Move> {
        Scratch {
            positions: Vec::new(),
            labels: Vec::new(),
            ends: Vec::new(),
            answers: Answers::default(),
            ticket: None,
            moves: Vec::new(),
        }
    }

    fn win(&self) -> f32 {
        WIN
    }

    fn judge(&self, question: &Question<'_, P>, answer: &mut Answer<P::Move>, scratch: &mut Scratch<P::Move>) {
        self.judge_all(&mut [Flight { question: *question, answer }], scratch);
    }

    fn judge_all(&self, flights: &mut [Flight<'_, P>], scratch: &mut Scratch<P::Move>) {
        self.submit_all(flights, scratch);
        self.collect_all(flights, scratch);
    }

    fn submit_all(&self, flights: &mut [Flight<'_, P>], scratch: &mut Scratch<P::Move>) {
        scratch.clear();
        let fits = flights.first().is_some_and(|flight| self.fits(flight.question.position.layout()));
        for Flight { question, answer } in &mut *flights {
            if fits {
                gather(question, answer, scratch);
            } else {
                answer.by_value(question, WIN, |_| 0.0);
            }
        }
        let unwanted = || flights.iter().all(|flight| flight.question.cancel.is_cancelled());
        self.submit(scratch, Cancel::when(&unwanted));
    }

    fn collect_all(&self, flights: &mut [Flight<'_, P>], scratch: &mut Scratch<P::Move>) {
        self.collect(scratch);
        // Nothing was asked where the network is for another game.
        if !scratch.positions.is_empty() {
            let mut reader = AnswerReader::new(&scratch.answers);
            for Flight { question, answer } in &mut *flights {
                reader.scatter(question, answer);
            }
        }
        self.answer_scores(flights);
        for Flight { question, answer } in flights {
            if question.want.has(Want::COUNTERS) {
                let (positions, batches) = self.counts();
                answer.count("network positions", positions);
                answer.count("network batches", batches);
                self.backend().counters().into_iter().for_each(|(name, count)| answer.count(name, count));
            }
        }
    }

    fn batch(&self) -> usize {
        self.0.batch
    }
}
