//! A sample on its way, and its two halves: gather (descend to a leaf, write the question) and apply (expand, back up).
//!
//! With one flight per thread a sample is gathered, judged and applied at once. With more, a thread gathers several samples before the
//! evaluator is asked, so that it can answer them together ([`Evaluator::judge_all`]); samples on their way stand in the tree as those of
//! other threads do, by visits and virtual loss.

use yomi_core::question::{Flight as Batched, recycle};
use yomi_core::{Answer, Cancel, Evaluator, Line, Move, Position, Question, Want};

use super::leaf::End;
use super::sample::{Fate, Sampler, State};
use crate::tree::NodeId;

/// A sample on its way, with its buffers.
pub(super) struct Flight<P: Position> {
    /// The position the sample has reached.
    pub(super) line: Line<P>,
    /// The nodes from the root to there.
    pub(super) path: Vec<PathNode>,
    /// Product of the probabilities along the path, for growth control (S3.2).
    pub(super) cumulative: f64,
    /// The legal moves there.
    pub(super) moves: Vec<P::Move>,
    /// What it waits for.
    pub(super) asked: Option<Asked>,
    /// What the evaluator answered.
    pub(super) answer: Answer<P::Move>,
}

/// A node of the path.
#[derive(Clone, Copy, Debug)]
pub(super) struct PathNode {
    pub(super) node: NodeId,
    /// What stands in the node's mean for this sample until its result is there.
    pub(super) pending: Option<f32>,
    /// Whether the update of the node is deferred.
    pub(super) deferred: bool,
}

/// What a sample asks at its leaf.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    pub(super) node: NodeId,
    /// Plies below the root.
    pub(super) depth: u32,
    pub(super) want: Want,
    /// Visits of the leaf when the sample came.
    pub(super) visits: u32,
    /// Whether the leaf is claimed and gets children.
    pub(super) grows: bool,
    /// Whether the legal moves are listed.
    pub(super) listed: bool,
    /// The bits of the move that led to the leaf, if it is not the root.
    pub(super) last: Option<u16>,
}

/// What the end of a sample found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Finding {
    /// Worth of the leaf for the side to move there.
    pub(super) value: f32,
    /// Whether something was judged or grown.
    pub(super) fruitful: bool,
    /// Whether it may settle something: the game ends here or one ply further, or nothing can grow.
    pub(super) settles: bool,
    /// Whether the evaluator judged the leaf itself, so that it may have playouts to show.
    pub(super) judged: bool,
}

impl Asked {
    #[inline]
    fn question<'a, P: Position>(self, line: &'a Line<P>, moves: &'a [P::Move], cancel: Cancel<'a>) -> Question<'a, P> {
        let moves = if self.listed { moves } else { &[] };
        let last = self.last.map(P::Move::from_bits);
        Question { last, node: self.node.0, depth: self.depth, want: self.want, cancel, ..Question::at(line, moves) }
    }
}

impl<P: Position> Flight<P> {
    pub(super) fn new(root: &Line<P>) -> Flight<P> {
        Flight {
            line: root.clone(),
            path: Vec::new(),
            cumulative: 1.0,
            moves: Vec::new(),
            asked: None,
            answer: Answer::default(),
        }
    }

    /// The question of this flight and the place for the answer.
    fn batched<'a>(&'a mut self, cancel: Cancel<'a>) -> Option<Batched<'a, P>> {
        self.answer.clear();
        self.submitted(cancel)
    }

    /// The same with what has been answered already.
    fn submitted<'a>(&'a mut self, cancel: Cancel<'a>) -> Option<Batched<'a, P>> {
        let Flight { line, moves, asked, answer, .. } = self;
        Some(Batched { question: (*asked)?.question(line, moves, cancel), answer })
    }
}

impl<P: Position, E: Evaluator<P>> State<P, E> {
    /// Asks the evaluator about the sample at hand.
    #[inline]
    fn judge(&mut self, evaluator: &E, asked: Asked, cancel: Cancel<'_>) {
        let Flight { line, moves, answer, .. } = &mut self.flight;
        answer.clear();
        evaluator.judge(&asked.question(line, moves, cancel), answer, &mut self.scratch);
    }

    /// The questions of all samples gathered, and the scratch.
    pub(super) fn questions<'a>(
        &'a mut self,
        cancel: Cancel<'a>,
    ) -> (impl Iterator<Item = Batched<'a, P>>, &'a mut E::Scratch) {
        let gathered = self.gathered;
        (self.parked[..gathered].iter_mut().filter_map(move |flight| flight.batched(cancel)), &mut self.scratch)
    }

    /// The questions of all samples gathered that were submitted before, with what has been answered already.
    pub(super) fn submitted<'a>(&'a mut self, cancel: Cancel<'a>) -> impl Iterator<Item = Batched<'a, P>> {
        let gathered = self.gathered;
        self.parked[..gathered].iter_mut().filter_map(move |flight| flight.submitted(cancel))
    }

    /// Asks the evaluator about all samples gathered.
    pub(super) fn judge_gathered(&mut self, evaluator: &E, cancel: Cancel<'_>) {
        let mut batch = recycle(std::mem::take(&mut self.batch));
        let (questions, scratch) = self.questions(cancel);
        if evaluator.batch() > 1 {
            batch.extend(questions);
            evaluator.judge_all(&mut batch, scratch);
        } else {
            questions.for_each(|Batched { question, answer }| evaluator.judge(&question, answer, scratch));
        }
        self.batch = recycle(batch);
    }
}

impl<P: Position, E: Evaluator<P>> Sampler<'_, P, E> {
    /// One sample of the tree (S0.1), which may be cancelled where judging takes long.
    #[inline]
    pub(super) fn sample(&mut self, cancel: Cancel<'_>) -> Fate {
        let finding = match self.gather() {
            End::Asks(asked) => {
                self.state.judge(self.task.evaluator, asked, cancel);
                self.receive(asked, cancel)
            }
            End::Found(finding) => Some(finding),
            End::Collision => None,
        };
        self.land(finding)
    }

    /// Gathers one sample more. It waits for its answer if nothing is returned.
    pub(super) fn gather_one(&mut self) -> Option<Fate> {
        let slot = self.state.gathered;
        if self.state.parked.len() == slot {
            self.state.parked.push(Flight::new(self.task.root));
        }
        self.state.unpark(slot);
        let end = self.gather();
        let fate = match end {
            End::Asks(asked) => {
                self.state.flight.asked = Some(asked);
                self.state.gathered += 1;
                None
            }
            End::Found(finding) => Some(self.land(Some(finding))),
            End::Collision => Some(self.give_up()),
        };
        self.state.unpark(slot);
        fate
    }

    /// Applies the answer that the `slot`-th sample gathered has got.
    pub(super) fn apply_gathered(&mut self, slot: usize, cancel: Cancel<'_>) -> Fate {
        self.state.unpark(slot);
        let fate = match self.state.flight.asked.take() {
            Some(asked) => self.apply(asked, cancel),
            None => Fate::TakenBack,
        };
        self.state.unpark(slot);
        fate
    }

    fn apply(&mut self, asked: Asked, cancel: Cancel<'_>) -> Fate {
        let finding = self.receive(asked, cancel);
        self.land(finding)
    }

    /// The end of a sample that found something, or of one that is taken back. One function for all flights: what it calls is inlined there.
    #[inline(never)]
    fn land(&mut self, finding: Option<Finding>) -> Fate {
        match finding {
            Some(finding) => self.arrive(finding),
            None => self.give_up(),
        }
    }

    /// Step 4: brings the value back along the path.
    #[inline]
    fn arrive(&mut self, finding: Finding) -> Fate {
        self.back_up(finding);
        if finding.fruitful { Fate::Fruitful } else { Fate::Barren }
    }

    #[cold]
    fn give_up(&mut self) -> Fate {
        self.take_back();
        Fate::TakenBack
    }
}

impl<P: Position, E: Evaluator<P>> State<P, E> {
    /// Exchanges the sample at hand with one that is parked.
    fn unpark(&mut self, slot: usize) {
        std::mem::swap(&mut self.flight, &mut self.parked[slot]);
    }
}
