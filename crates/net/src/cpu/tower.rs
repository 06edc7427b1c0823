//! A network laid out for fast evaluation, and the evaluation of a few positions by one thread.

use yomi_core::Cancel;

use crate::fold::{Folded, Linear};
use crate::input::{Changes, PackedPosition, Planes};

use super::gemm::{LANES, Lanes, Panels, padded};
use super::stem::Stem;
use super::winograd::{Scratch, Winograd, activated, tiles_along};

/// A network whose weights lie in the order in which they are used.
#[derive(Clone, Debug)]
pub(super) struct Tower {
    /// What the layers are, and the small ones as they are.
    pub(super) folded: Folded,
    stem: Stem,
    blocks: Vec<[Winograd; 2]>,
    /// All layers that are applied to each square: policy, value, ownership.
    heads: Panels,
    heads_bias: Vec<f32>,
    fc1: Panels,
}

/// What is asked about.
#[derive(Clone, Copy)]
pub(super) enum Question<'a> {
    /// Positions.
    Positions(&'a [PackedPosition]),
    /// Inputs that are planes already.
    Planes(&'a [Planes]),
    /// The children of a position: the sums of the parent, and what the move to each child changes.
    Children(&'a [Lanes], &'a [Changes]),
}

impl<'a> Question<'a> {
    pub(super) fn len(self) -> usize {
        match self {
            Question::Positions(positions) => positions.len(),
            Question::Planes(inputs) => inputs.len(),
            Question::Children(_, changes) => changes.len(),
        }
    }

    pub(super) fn split_at(self, at: usize) -> (Question<'a>, Question<'a>) {
        match self {
            Question::Positions(positions) => {
                let (head, tail) = positions.split_at(at);
                (Question::Positions(head), Question::Positions(tail))
            }
            Question::Planes(inputs) => {
                let (head, tail) = inputs.split_at(at);
                (Question::Planes(head), Question::Planes(tail))
            }
            Question::Children(sums, changes) => {
                let (head, tail) = changes.split_at(at);
                (Question::Children(sums, head), Question::Children(sums, tail))
            }
        }
    }
}

/// Where the answers go: parts of [`crate::Evaluations`].
pub(super) struct Answers<'a> {
    pub(super) policy: &'a mut [f32],
    pub(super) value: &'a mut [[f32; 3]],
    pub(super) score: &'a mut [f32],
    pub(super) ownership: &'a mut [f32],
}

impl<'a> Answers<'a> {
    /// The answers to `n` positions from `first` on.
    fn part(&mut self, first: usize, n: usize) -> Answers<'_> {
        fn part<T>(all: &mut [T], positions: usize, first: usize, n: usize) -> &mut [T] {
            let each = all.len() / positions.max(1);
            &mut all[first * each..][..n * each]
        }
        let positions = self.value.len();
        Answers {
            policy: part(self.policy, positions, first, n),
            value: part(self.value, positions, first, n),
            score: part(self.score, positions, first, n),
            ownership: part(self.ownership, positions, first, n),
        }
    }

    /// The answers to the first `n` of all positions, and the rest.
    pub(super) fn split_at(self, n: usize) -> (Answers<'a>, Answers<'a>) {
        let all = self.value.len().max(1);
        let part = |len: usize| len / all * n;
        let (policy, policy2) = {
            let at = part(self.policy.len());
            self.policy.split_at_mut(at)
        };
        let (score, score2) = {
            let at = part(self.score.len());
            self.score.split_at_mut(at)
        };
        let (ownership, ownership2) = {
            let at = part(self.ownership.len());
            self.ownership.split_at_mut(at)
        };
        let (value, value2) = self.value.split_at_mut(n);
        (
            Answers { policy, value, score, ownership },
            Answers { policy: policy2, value: value2, score: score2, ownership: ownership2 },
        )
    }
}

/// Memory of a thread; it grows to what is needed and is used again.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    planes: Planes,
    /// Sums of one panel, with a border around the board.
    bordered: Vec<Lanes>,
    sums: Vec<Lanes>,
    trunk: Vec<f32>,
    middle: Vec<f32>,
    next: Vec<f32>,
    heads: Vec<f32>,
    reduced: Vec<f32>,
    hidden: Vec<f32>,
    scratch: Scratch,
}

impl Tower {
    pub(super) fn new(folded: Folded) -> Tower {
        let mut heads = vec![&folded.policy, &folded.value_conv];
        heads.extend(&folded.ownership);
        let joined = Linear {
            inputs: folded.channels(),
            outputs: heads.iter().map(|layer| layer.outputs).sum(),
            weight: heads.iter().flat_map(|layer| layer.weight.iter().copied()).collect(),
            bias: heads.iter().flat_map(|layer| layer.bias.iter().copied()).collect(),
        };
        let channels = padded(joined.inputs);
        let (squares, reduced) = (folded.layout.squares(), folded.value_conv.outputs);
        // The trunk has its channels side by side, so the hidden layer reads square by square.
        let fc1 = Panels::new(folded.fc1.outputs, folded.fc1.inputs, |output, input| {
            folded.fc1.weight[output * folded.fc1.inputs + input % reduced * squares + input / reduced]
        });
        Tower {
            stem: Stem::new(&folded.stem, folded.layout.board()),
            blocks: folded.blocks.iter().map(|block| [Winograd::new(&block[0]), Winograd::new(&block[1])]).collect(),
            heads: Panels::new(joined.outputs, joined.inputs, |output, input| {
                joined.weight[output * joined.inputs + input]
            })
            .with_stride(channels),
            heads_bias: joined.bias,
            fc1,
            folded,
        }
    }

    /// How many positions are evaluated together: enough to use each weight often, few enough for what lies between to stay in the
    /// second-level cache.
    pub(super) fn group(&self) -> usize {
        const TILES: usize = 72;
        let along = tiles_along(self.folded.layout.board());
        (TILES / (along * along)).max(1)
    }

    /// The sums of the first layer for a position.
    #[inline(always)]
    pub(super) fn stem_sums(
        &self,
        packed: &PackedPosition,
        planes: &mut Planes,
        bordered: &mut Vec<Lanes>,
        sums: &mut Vec<Lanes>,
    ) {
        self.folded.layout.expand(packed, planes);
        sums.resize(self.stem.len(), Lanes::ZERO);
        self.stem.sums(planes, bordered, sums);
    }

    /// Evaluates all of a question, group by group; the hidden layers of several groups together, for they have most of the weights of a
    /// narrow network and read each once for a product. Returns how many positions are answered: all, or those of the groups before it was
    /// cancelled, and of one group at least.
    #[inline(always)]
    pub(super) fn evaluate<const FMA: bool, const WIDE: bool>(
        &self,
        mut question: Question<'_>,
        cancel: Cancel<'_>,
        mut answers: Answers<'_>,
        memory: &mut Memory,
    ) -> usize {
        const TOGETHER: usize = 24;
        let (mut answered, mut cancelled) = (0, false);
        while question.len() > 0 && !cancelled {
            let most = TOGETHER.next_multiple_of(self.group());
            let (mut now, later) = question.split_at(question.len().min(most));
            let (mut here, rest) = answers.split_at(now.len());
            memory.reduced.clear();
            let mut done = 0;
            while now.len() > 0 {
                cancelled = answered + done > 0 && cancel.is_cancelled();
                if cancelled {
                    break;
                }
                let (group, others) = now.split_at(now.len().min(self.group()));
                self.evaluate_group::<FMA, WIDE>(group, here.part(done, group.len()), memory);
                done += group.len();
                now = others;
            }
            self.value::<FMA, WIDE>(&mut here.part(0, done), memory);
            answered += done;
            (question, answers) = (later, rest);
        }
        answered
    }

    #[inline(always)]
    fn evaluate_group<const FMA: bool, const WIDE: bool>(
        &self,
        question: Question<'_>,
        mut answers: Answers<'_>,
        memory: &mut Memory,
    ) {
        let board = self.folded.layout.board();
        let activation = self.folded.activation;
        let size = question.len() * self.stem.len() * LANES;
        for buffer in [&mut memory.trunk, &mut memory.middle, &mut memory.next] {
            buffer.resize(size, 0.0);
        }
        for i in 0..question.len() {
            self.first_layer(question, i, memory);
        }
        let Memory { trunk, middle, next, scratch, .. } = memory;
        for [first, second] in &self.blocks {
            first.convolve::<FMA, WIDE>(board, trunk, None, activation, middle, scratch);
            second.convolve::<FMA, WIDE>(board, middle, Some(trunk), activation, next, scratch);
            std::mem::swap(trunk, next);
        }
        memory.heads.resize(question.len() * self.folded.layout.squares() * self.heads.outputs(), 0.0);
        self.heads.multiply::<FMA, WIDE>(&memory.trunk, &mut memory.heads);
        self.policy(&mut answers, memory);
        self.reduce(memory);
    }

    /// The trunk of one position after the first layer.
    #[inline(always)]
    fn first_layer(&self, question: Question<'_>, i: usize, memory: &mut Memory) {
        match question {
            Question::Positions(positions) => {
                self.stem_sums(&positions[i], &mut memory.planes, &mut memory.bordered, &mut memory.sums);
            }
            Question::Planes(inputs) => {
                memory.sums.resize(self.stem.len(), Lanes::ZERO);
                self.stem.sums(&inputs[i], &mut memory.bordered, &mut memory.sums);
            }
            Question::Children(parent, changes) => {
                memory.sums.clear();
                memory.sums.extend_from_slice(parent);
                self.stem.change(&changes[i], &mut memory.sums);
            }
        }
        let trunk = memory.trunk[i * self.stem.len() * LANES..].chunks_exact_mut(LANES);
        for (to, &sum) in trunk.zip(&memory.sums) {
            activated(self.folded.activation, sum).store(to);
        }
    }

    /// Policy and ownership of each position, from the heads of each square.
    #[inline(always)]
    fn policy(&self, answers: &mut Answers<'_>, memory: &Memory) {
        let folded = &self.folded;
        let (squares, width, planes) = (folded.layout.squares(), self.heads.outputs(), folded.labels.planes);
        let labels = folded.labels.count();
        for (i, policy) in answers.policy.chunks_exact_mut(labels).enumerate() {
            let heads = &memory.heads[i * squares * width..][..squares * width];
            for (square, row) in heads.chunks_exact(width).enumerate() {
                for plane in 0..planes {
                    policy[plane * squares + square] = row[plane] + self.heads_bias[plane];
                }
            }
            if let Some(pass) = &folded.pass {
                policy[labels - 1] = pass.bias[0] + self.mean_product(&pass.weight, i, memory);
            }
            policy.iter_mut().zip(&folded.label_bias).for_each(|(logit, bias)| *logit += bias);
            if folded.ownership.is_some() {
                let column = planes + folded.value_conv.outputs;
                let owned = &mut answers.ownership[i * squares..][..squares];
                for (to, row) in owned.iter_mut().zip(heads.chunks_exact(width)) {
                    *to = (row[column] + self.heads_bias[column]).tanh();
                }
            }
        }
    }

    /// The product of weights with the mean of a position's trunk over the board.
    #[inline(always)]
    fn mean_product(&self, weights: &[f32], i: usize, memory: &Memory) -> f32 {
        let (squares, channels) = (self.folded.layout.squares(), padded(self.heads.inputs));
        let trunk = &memory.trunk[i * squares * channels..][..squares * channels];
        let sum: f32 = trunk.chunks_exact(channels).map(|row| dot(row, weights)).sum();
        sum / squares as f32
    }

    /// What the hidden layer reads of the positions of a group, after that of the groups before.
    #[inline(always)]
    fn reduce(&self, memory: &mut Memory) {
        let folded = &self.folded;
        let (width, first, reduced) = (self.heads.outputs(), folded.labels.planes, folded.value_conv.outputs);
        for row in memory.heads.chunks_exact(width) {
            let columns = row[first..].iter().zip(&self.heads_bias[first..]).take(reduced);
            memory.reduced.extend(columns.map(|(x, bias)| folded.activation.apply(x + bias)));
        }
    }

    /// Value and score of each position.
    #[inline(always)]
    fn value<const FMA: bool, const WIDE: bool>(&self, answers: &mut Answers<'_>, memory: &mut Memory) {
        let folded = &self.folded;
        let hidden = self.fc1.outputs();
        memory.hidden.resize(answers.value.len() * hidden, 0.0);
        self.fc1.multiply::<FMA, WIDE>(&memory.reduced, &mut memory.hidden);
        for (i, row) in memory.hidden.chunks_exact_mut(hidden).enumerate() {
            for (x, bias) in row.iter_mut().zip(&folded.fc1.bias) {
                *x = folded.activation.apply(*x + bias);
            }
            let output = |layer: &Linear, at: usize| {
                layer.bias[at] + dot(&row[..layer.inputs], &layer.weight[at * layer.inputs..][..layer.inputs])
            };
            let logits: [f32; 3] =
                std::array::from_fn(|at| if at < folded.fc2.outputs { output(&folded.fc2, at) } else { 0.0 });
            answers.value[i] = folded.value.probabilities(&logits[..folded.fc2.outputs]);
            if let Some(score) = &folded.score {
                answers.score[i] = output(score, 0);
            }
        }
    }
}

/// The sum of products over the shorter of two lists, in sixteen partial sums.
#[inline(always)]
fn dot(x: &[f32], y: &[f32]) -> f32 {
    let n = x.len().min(y.len());
    let (heads, tail) = x[..n].as_chunks::<LANES>();
    let (other, other_tail) = y[..n].as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for (a, b) in heads.iter().zip(other) {
        for i in 0..LANES {
            sums[i] += a[i] * b[i];
        }
    }
    sums.iter().sum::<f32>() + tail.iter().zip(other_tail).map(|(a, b)| a * b).sum::<f32>()
}
