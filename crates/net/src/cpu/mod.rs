//! The backend that is always there.
//!
//! [`reference`](mod@reference) is the definition. The fast kernels: the first layer adds up ones (`stem.rs`), the tower goes by Winograd
//! (`winograd.rs`), everything is matrix products in panels (`gemm.rs`); `tower.rs` puts them together and `dispatch.rs` chooses the vector
//! unit.

mod dispatch;
mod gemm;
pub mod reference;
mod stem;
mod tower;
mod winograd;

pub use dispatch::Unit;

use std::thread;

use yomi_core::Cancel;

use crate::evaluation::Evaluations;
use crate::fold::Folded;
use crate::input::{Changes, PackedPosition, Planes};
use crate::network::Network;

use gemm::Lanes;
use tower::{Answers, Memory, Question, Tower};

/// A network on the CPU. Shared by all threads; what changes lives in a [`Workspace`].
#[derive(Clone, Debug)]
pub struct Cpu {
    tower: Tower,
    unit: Unit,
}

/// Working memory, to be used again.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    threads: Vec<Memory>,
    planes: Planes,
    bordered: Vec<Lanes>,
    parent: Vec<Lanes>,
}

impl Cpu {
    /// Prepares a network for the widest vector unit of this machine.
    pub fn new(network: &Network) -> Cpu {
        Cpu::with_unit(network, Unit::best())
    }

    /// Prepares a network for a vector unit.
    pub fn with_unit(network: &Network, unit: Unit) -> Cpu {
        Cpu::from_folded(Folded::new(network), unit)
    }

    /// Prepares layers that are ready for use.
    pub fn from_folded(folded: Folded, unit: Unit) -> Cpu {
        Cpu { tower: Tower::new(folded), unit }
    }

    /// The layers of the network.
    pub fn folded(&self) -> &Folded {
        &self.tower.folded
    }

    /// The vector unit in use.
    pub fn unit(&self) -> Unit {
        self.unit
    }

    /// How many positions are evaluated together; batches of a multiple of this for each thread waste nothing.
    pub fn preferred_batch(&self) -> usize {
        self.tower.group()
    }

    /// Evaluates positions with up to `threads` threads. The answers do not depend on how many there are.
    pub fn evaluate(
        &self,
        positions: &[PackedPosition],
        threads: usize,
        work: &mut Workspace,
        answers: &mut Evaluations,
    ) {
        self.evaluate_while_wanted(positions, threads, Cancel::NEVER, work, answers);
    }

    /// The same, until it is cancelled: the answers are then those to the first positions, one at least.
    pub fn evaluate_while_wanted(
        &self,
        positions: &[PackedPosition],
        threads: usize,
        cancel: Cancel<'_>,
        work: &mut Workspace,
        answers: &mut Evaluations,
    ) {
        self.answer(Question::Positions(positions), threads, cancel, &mut work.threads, answers);
    }

    /// Evaluates inputs that are planes already.
    pub fn evaluate_planes(&self, inputs: &[Planes], threads: usize, work: &mut Workspace, answers: &mut Evaluations) {
        self.answer(Question::Planes(inputs), threads, Cancel::NEVER, &mut work.threads, answers);
    }

    /// Evaluates the children of a position (S4.2): `parent` is packed for the children's side to move, and `changes` are those of
    /// [`crate::input::Encode::changes`] for each child. The first layer is computed from the parent's (S4.4).
    pub fn evaluate_children(
        &self,
        parent: &PackedPosition,
        changes: &[Changes],
        threads: usize,
        work: &mut Workspace,
        answers: &mut Evaluations,
    ) {
        self.tower.stem_sums(parent, &mut work.planes, &mut work.bordered, &mut work.parent);
        let question = Question::Children(&work.parent, changes);
        self.answer(question, threads, Cancel::NEVER, &mut work.threads, answers);
    }

    fn answer(
        &self,
        question: Question<'_>,
        threads: usize,
        cancel: Cancel<'_>,
        memories: &mut Vec<Memory>,
        all: &mut Evaluations,
    ) {
        let folded = &self.tower.folded;
        let (labels, squares) = (folded.labels.count(), folded.layout.squares());
        let resize = |all: &mut Evaluations, positions: usize| {
            all.resize(positions, labels, squares, folded.score.is_some(), folded.ownership.is_some());
        };
        resize(all, question.len());
        // Whole groups for each thread, so that a position is computed in the same company whatever their number.
        let groups = question.len().div_ceil(self.tower.group());
        let threads = threads.clamp(1, groups.max(1));
        if memories.len() < threads {
            memories.resize_with(threads, Memory::default);
        }
        let Evaluations { policy, value, score, ownership, .. } = &mut *all;
        let (mut question, mut answers) = (question, Answers { policy, value, score, ownership });
        let (last, others) = memories[..threads].split_last_mut().expect("there is a thread at least");
        // A scope allocates.
        if others.is_empty() {
            let answered = dispatch::evaluate(self.unit, &self.tower, question, cancel, answers, last);
            return resize(all, answered);
        }
        let answered = thread::scope(|scope| {
            let mut shares = Vec::with_capacity(others.len());
            for (i, memory) in others.iter_mut().enumerate() {
                let share = (groups * (i + 1) / threads - groups * i / threads) * self.tower.group();
                let (now, later) = question.split_at(share.min(question.len()));
                let (here, rest) = answers.split_at(now.len());
                (question, answers) = (later, rest);
                let evaluate = move || dispatch::evaluate(self.unit, &self.tower, now, cancel, here, memory);
                shares.push((now.len(), scope.spawn(evaluate)));
            }
            let own = (question.len(), dispatch::evaluate(self.unit, &self.tower, question, cancel, answers, last));
            let joined = |(asked, thread): (usize, thread::ScopedJoinHandle<'_, usize>)| {
                (asked, thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            };
            unbroken(shares.into_iter().map(joined).chain([own]))
        });
        resize(all, answered);
    }
}

/// How many positions are answered from the first on, given how many were asked and answered in each share: behind the first share that was cut
/// short there may be more, which do not count.
fn unbroken(shares: impl Iterator<Item = (usize, usize)>) -> usize {
    let (mut answered, mut whole) = (0, true);
    // All shares are taken: they are threads to be waited for.
    for (asked, done) in shares {
        answered += if whole { done } else { 0 };
        whole &= done == asked;
    }
    answered
}

#[cfg(test)]
mod tests {
    use super::unbroken;

    #[test]
    fn answers_behind_a_gap_do_not_count() {
        assert_eq!(unbroken([(8, 8), (8, 8), (3, 3)].into_iter()), 19);
        assert_eq!(unbroken([(8, 8), (8, 4), (3, 3)].into_iter()), 12);
        assert_eq!(unbroken([(8, 4), (8, 8), (3, 1)].into_iter()), 4);
    }
}
