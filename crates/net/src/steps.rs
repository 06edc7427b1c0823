//! A network as an evaluation whose steps are timed (S4.5, table 1), with the inputs that the paper compares.
//!
//! The answers are those of [`crate::NetEvaluator`]. What takes the time is counted in nanoseconds: playing the moves to the
//! children, building the input, sending it, evaluating, bringing the answers back. What a search takes beside these is selection and backup.
//! Each step is done for all positions of a question before the next, so that the clock is read five times per question, not five times per
//! position.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use yomi_core::clock::Stopwatch;
use yomi_core::{Answer, Evaluator, Flight, Question, TextError, Want};

use crate::backend::{Answers, Input, Request, StepTimes};
use crate::evaluator::{AnswerReader, NetEvaluator, WIN, asks_about_itself};
use crate::input::{Changes, Encode, PackedPosition, Planes};

/// How positions are given to the backend.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Features {
    /// Packed; what evaluates them makes planes of them.
    Packed,
    /// As planes, a number for every square, each position from nothing (the paper's MCSS and PUCT).
    Planes,
    /// As planes, those of children from their parent's (S4.4).
    Difference,
}

/// What is counted, by the names that [`Want::COUNTERS`] gives: nanoseconds, then positions.
pub const STEPS: [&str; 5] = ["moves", "features", "to device", "evaluation", "back"];

/// An evaluator that counts where its time goes.
pub struct TimedNet {
    net: NetEvaluator,
    features: Features,
    nanoseconds: [AtomicU64; STEPS.len()],
}

/// The number of a question and the move from its position to a child.
type Origin<M> = (usize, M);

/// Working memory of one thread.
#[derive(Debug)]
pub struct Scratch<P: Encode> {
    /// Positions to judge, and where those that are children come from.
    positions: Vec<(P, Option<Origin<P::Move>>)>,
    labels: Vec<u16>,
    ends: Vec<u32>,
    moves: Vec<P::Move>,
    packed: Vec<PackedPosition>,
    dense: Vec<f32>,
    planes: Planes,
    parent: Vec<f32>,
    changes: Changes,
    answers: Answers,
}

impl TimedNet {
    /// The same network with its steps timed.
    pub fn new(net: NetEvaluator, features: Features) -> TimedNet {
        TimedNet { net, features, nanoseconds: Default::default() }
    }

    /// Nanoseconds of each of the [`STEPS`].
    pub fn nanoseconds(&self) -> [u64; STEPS.len()] {
        // Relaxed: counts for reports.
        std::array::from_fn(|i| self.nanoseconds[i].load(Ordering::Relaxed))
    }

    /// Why positions were answered by an even value and even priors, if any were.
    pub fn failure(&self) -> Option<&TextError> {
        self.net.failure()
    }

    fn count(&self, steps: [Duration; STEPS.len()]) {
        for (sum, step) in self.nanoseconds.iter().zip(steps) {
            sum.fetch_add(step.as_nanos() as u64, Ordering::Relaxed);
        }
    }

    /// The input of all positions.
    fn build<P: Encode>(&self, flights: &[Flight<'_, P>], scratch: &mut Scratch<P>) {
        let layout = self.net.backend().layout();
        let (squares, size) = (layout.squares(), layout.planes() * layout.squares());
        let Scratch { positions, packed, dense, planes, parent, changes, .. } = scratch;
        packed.clear();
        dense.clear();
        if self.features == Features::Packed {
            packed.extend(positions.iter().map(|(position, _)| position.pack(position.turn())));
            return;
        }
        let mut parent_of = None;
        for (position, origin) in positions {
            match (*origin, self.features) {
                (Some((question, mv)), Features::Difference) => {
                    let above = flights[question].question.position;
                    if parent_of.replace(question) != Some(question) {
                        layout.expand(&above.pack(!above.turn()), planes);
                        parent.clear();
                        parent.resize(size, 0.0);
                        planes.write_dense(squares, parent);
                    }
                    above.changes(layout, mv, changes);
                    let at = dense.len();
                    dense.extend_from_slice(parent);
                    changes.apply_dense(squares, &mut dense[at..]);
                }
                _ => {
                    layout.expand(&position.pack(position.turn()), planes);
                    let at = dense.len();
                    dense.resize(at + size, 0.0);
                    planes.write_dense(squares, &mut dense[at..]);
                }
            }
        }
    }

    fn ask<P: Encode>(&self, scratch: &mut Scratch<P>) -> StepTimes {
        let Scratch { packed, dense, labels, ends, answers, .. } = scratch;
        let ends = if labels.is_empty() { &[][..] } else { ends };
        let input = if self.features == Features::Packed { Input::Packed(packed) } else { Input::Planes(dense) };
        let request = Request { labels, ends, ..Request::default() };
        match self.net.backend().evaluate_in_steps(input, request, answers) {
            Ok(times) => times,
            Err(error) => {
                self.net.fail(error);
                answers.clear();
                StepTimes::default()
            }
        }
    }
}

/// Plays the moves to everything that a question asks about.
fn gather<P: Encode>(index: usize, question: &Question<'_, P>, answer: &mut Answer<P::Move>, scratch: &mut Scratch<P>) {
    let Question { position, moves, want, .. } = *question;
    if asks_about_itself(question) {
        if want.has(Want::PRIORS) {
            scratch.labels.extend(moves.iter().map(|&mv| position.label(mv) as u16));
        }
        scratch.positions.push((position.clone(), None));
        scratch.ends.push(scratch.labels.len() as u32);
    }
    if !want.has(Want::CHILDREN) {
        return;
    }
    for &mv in moves {
        let mut child = position.clone();
        child.play(mv);
        let outcome = child.repetition(question.plies).or_else(|| child.ended(&mut scratch.moves));
        if outcome.is_none() {
            scratch.positions.push((child, Some((index, mv))));
            scratch.ends.push(scratch.labels.len() as u32);
        }
        answer.push_child(outcome.map_or(0.0, |outcome| outcome.value_for(position.turn(), WIN)), outcome);
    }
}

impl<P: Encode> Evaluator<P> for TimedNet {
    type Scratch = Scratch<P>;

    fn scratch(&self, _seed: u64) -> Scratch<P> {
        Scratch {
            positions: Vec::new(),
            labels: Vec::new(),
            ends: Vec::new(),
            moves: Vec::new(),
            packed: Vec::new(),
            dense: Vec::new(),
            planes: Planes::default(),
            parent: Vec::new(),
            changes: Changes::default(),
            answers: Answers::default(),
        }
    }

    fn win(&self) -> f32 {
        WIN
    }

    fn judge(&self, question: &Question<'_, P>, answer: &mut Answer<P::Move>, scratch: &mut Scratch<P>) {
        self.judge_all(&mut [Flight { question: *question, answer }], scratch);
    }

    fn judge_all(&self, flights: &mut [Flight<'_, P>], scratch: &mut Scratch<P>) {
        let fits = flights.first().is_some_and(|flight| self.net.fits(flight.question.position.layout()));
        scratch.positions.clear();
        scratch.labels.clear();
        scratch.ends.clear();
        scratch.answers.clear();
        let watch = Stopwatch::start();
        for (index, Flight { question, answer }) in flights.iter_mut().enumerate() {
            if fits {
                gather(index, question, answer, scratch);
            } else {
                answer.by_value(question, WIN, |_| 0.0);
            }
        }
        let moves = watch.elapsed();
        if !scratch.positions.is_empty() {
            self.build(flights, scratch);
            let features = watch.elapsed() - moves;
            let StepTimes { to_device, evaluation, back } = self.ask(scratch);
            self.count([moves, features, to_device, evaluation, back]);
            let mut reader = AnswerReader::new(&scratch.answers);
            flights.iter_mut().for_each(|Flight { question, answer }| reader.scatter(question, answer));
        }
        for Flight { question, answer } in flights {
            if question.want.has(Want::COUNTERS) {
                STEPS.into_iter().zip(self.nanoseconds()).for_each(|(name, sum)| answer.count(name, sum));
            }
        }
    }

    fn batch(&self) -> usize {
        Evaluator::<P>::batch(&self.net)
    }
}
