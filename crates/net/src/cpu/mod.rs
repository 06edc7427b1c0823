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
        self.answer(Question::Positions(positions), threads, &mut work.threads, answers);
    }

    /// Evaluates inputs that are planes already.
    pub fn evaluate_planes(&self, inputs: &[Planes], threads: usize, work: &mut Workspace, answers: &mut Evaluations) {
        self.answer(Question::Planes(inputs), threads, &mut work.threads, answers);
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
        self.answer(Question::Children(&work.parent, changes), threads, &mut work.threads, answers);
    }

    fn answer(&self, question: Question<'_>, threads: usize, memories: &mut Vec<Memory>, answers: &mut Evaluations) {
        let folded = &self.tower.folded;
        let (labels, squares) = (folded.labels.count(), folded.layout.squares());
        answers.resize(question.len(), labels, squares, folded.score.is_some(), folded.ownership.is_some());
        // Whole groups for each thread, so that a position is computed in the same company whatever their number.
        let groups = question.len().div_ceil(self.tower.group());
        let threads = threads.clamp(1, groups.max(1));
        if memories.len() < threads {
            memories.resize_with(threads, Memory::default);
        }
        let Evaluations { policy, value, score, ownership, .. } = answers;
        let (mut question, mut answers) = (question, Answers { policy, value, score, ownership });
        let (last, others) = memories[..threads].split_last_mut().expect("there is a thread at least");
        // A scope allocates.
        if others.is_empty() {
            return dispatch::evaluate(self.unit, &self.tower, question, answers, last);
        }
        thread::scope(|scope| {
            for (i, memory) in others.iter_mut().enumerate() {
                let share = (groups * (i + 1) / threads - groups * i / threads) * self.tower.group();
                let (now, later) = question.split_at(share.min(question.len()));
                let (here, rest) = answers.split_at(now.len());
                (question, answers) = (later, rest);
                scope.spawn(move || dispatch::evaluate(self.unit, &self.tower, now, here, memory));
            }
            dispatch::evaluate(self.unit, &self.tower, question, answers, last);
        });
    }
}
