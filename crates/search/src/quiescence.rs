//! Quiescence: a position is judged where the taking and promoting has come to an end.
//!
//! The side to move may stand pat on the static value or try its noisy moves; in check it must try every evasion and may not stand
//! pat. [`Quiet`] makes an evaluator of this for any search (S0.1 asks for it at the leaves of MCSS); alpha-beta calls the same
//! code with its own window.

use std::cmp::Reverse;
use std::fmt;
use std::ops::Range;

use yomi_core::{Answer, Differentiable, Evaluator, Ply, Position, Question, Spec, TextError, Want};

use crate::alpha_beta::levels::Levels;
use crate::alpha_beta::scale::{MAX_PLY, Scale};
use crate::ordering::{Guide, Scored, Tactics, pick};

/// How far a quiescence search goes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct QuietOptions {
    /// No line is longer than this many plies; where it ends in check, the static value has to do.
    pub depth: u32,
    /// Plies in which quiet checks are tried as well.
    pub checks: u32,
    /// No evaluation visits more positions than this; the rest is judged statically.
    pub nodes: u64,
    /// Leave out captures that lose material by the exchanges on their square.
    pub exchange: bool,
    /// Leave out captures that stay below alpha even with this many hundredths of a pawn on top; 0 tries them all.
    pub futility: u32,
    /// Siblings further below the best one than this many hundredths of a pawn need no exact value; 0 asks for every value exactly.
    pub window: u32,
    /// Siblings are judged statically first and settled from the best down, as far as the window reaches; the others keep the static value,
    /// which quiescence could only lower.
    pub lazy: bool,
    /// What a pawn is worth in the evaluator's unit.
    pub pawn: f32,
}

impl Default for QuietOptions {
    fn default() -> Self {
        QuietOptions {
            depth: 3,
            checks: 0,
            nodes: 16,
            exchange: true,
            futility: 100,
            window: 400,
            lazy: false,
            pawn: 87.0,
        }
    }
}

impl QuietOptions {
    /// Reads the parameters of `spec`, whatever its name; what is not given is as in `default`.
    pub fn from_spec(spec: &Spec, default: QuietOptions) -> Result<QuietOptions, TextError> {
        let options = QuietOptions {
            depth: spec.value_or("depth", default.depth)?,
            checks: spec.value_or("checks", default.checks)?,
            nodes: spec.value_or("nodes", default.nodes)?,
            exchange: spec.value_or("exchange", default.exchange)?,
            futility: spec.value_or("futility", default.futility)?,
            window: spec.value_or("window", default.window)?,
            lazy: spec.value_or("lazy", default.lazy)?,
            pawn: spec.value_or("pawn", default.pawn)?,
        };
        if !(options.pawn.is_finite() && options.pawn > 0.0) {
            return Err(spec.error("a pawn is worth more than 0"));
        }
        Ok(options)
    }

    /// The parameters that differ from `default`, as they are typed.
    pub fn parameters(&self, default: &QuietOptions) -> Vec<String> {
        let all = [
            (self.depth != default.depth, format!("depth={}", self.depth)),
            (self.checks != default.checks, format!("checks={}", self.checks)),
            (self.nodes != default.nodes, format!("nodes={}", self.nodes)),
            (self.exchange != default.exchange, format!("exchange={}", self.exchange)),
            (self.futility != default.futility, format!("futility={}", self.futility)),
            (self.window != default.window, format!("window={}", self.window)),
            (self.lazy != default.lazy, format!("lazy={}", self.lazy)),
            (self.pawn != default.pawn, format!("pawn={}", self.pawn)),
        ];
        all.into_iter().filter(|(differs, _)| *differs).map(|(_, text)| text).collect()
    }
}

/// Counts what a search does and says when to stop.
pub(crate) trait Pace {
    /// One more node, `ply` plies below the root. True means stop.
    fn tick(&mut self, ply: usize) -> bool;
    /// One more position judged by the evaluator.
    fn judged(&mut self) {}
}

/// Everything a quiescence search works with.
pub(crate) struct Settling<'a, P: Position, E: Evaluator<P>, G, T> {
    pub(crate) evaluator: &'a E,
    pub(crate) scratch: &'a mut E::Scratch,
    /// The answer about the last position judged.
    pub(crate) answer: &'a mut Answer<P::Move>,
    /// The static value of the first position, where it is known already.
    pub(crate) static_value: Option<f32>,
    pub(crate) guide: &'a G,
    pub(crate) options: &'a QuietOptions,
    pub(crate) scale: Scale,
    pub(crate) levels: &'a mut Levels<P::Move>,
    /// The plies up to the current position.
    pub(crate) plies: &'a mut Vec<Ply>,
    pub(crate) pace: &'a mut T,
}

impl<P: Position, E: Evaluator<P>, G: Guide<P>, T: Pace> Settling<'_, P, E, G, T> {
    /// Value of `position`, `ply` plies below the root and `deep` plies into the quiescence search, for its side to move.
    pub(crate) fn settle(&mut self, position: &P, mut alpha: f32, beta: f32, ply: usize, deep: u32) -> f32 {
        self.levels.cut_pv(ply);
        let in_check = self.guide.in_check(position);
        let end = deep >= self.options.depth || ply >= MAX_PLY;
        let mut best = f32::NEG_INFINITY;
        let mut stand_pat = f32::INFINITY;
        if end || !in_check {
            best = if deep == 0 { self.judge_first(position, ply) } else { self.judge(position, ply) };
            stand_pat = best;
            if end || best >= beta {
                return best;
            }
            alpha = alpha.max(best);
        }

        let mut moves = std::mem::take(&mut self.levels.at(ply).scored);
        let at = Standing { in_check, stand_pat, alpha };
        self.list(position, &at, ply, deep, &mut moves);
        if in_check && moves.is_empty() {
            best = -self.scale.won_in(ply);
        }
        for index in 0..moves.len() {
            let Scored { mv, gain, .. } = pick(&mut moves, index);
            let now = Standing { alpha, ..at };
            if now.is_too_little(gain, self.options) || !in_check && self.loses_exchange(position, mv) {
                continue;
            }
            if self.pace.tick(ply + 1) {
                best = if in_check && best == f32::NEG_INFINITY { self.judge(position, ply) } else { best };
                break;
            }
            let mut child = position.clone();
            child.play(mv);
            self.plies.push(child.ply());
            let value = -self.settle(&child, -beta, -alpha, ply + 1, deep + 1);
            self.plies.pop();
            if value > best {
                best = value;
                if value > alpha {
                    alpha = value;
                    self.levels.extend_pv(ply, mv);
                }
                if value >= beta {
                    break;
                }
            }
        }
        self.levels.at(ply).scored = moves;
        best
    }

    /// The moves to try: noisy ones, in the first plies checks too, in check every evasion. Captures that win too little already now
    /// are left out: alpha only rises.
    fn list(&mut self, position: &P, at: &Standing, ply: usize, deep: u32, scored: &mut Vec<Scored<P::Move>>) {
        let (guide, options) = (self.guide, self.options);
        let rate = |&mv: &P::Move| {
            let gain = guide.gain(position, mv);
            (!at.is_too_little(gain, options)).then_some(Scored { mv, score: gain, gain })
        };
        let moves = &mut self.levels.at(ply).moves;
        guide.noisy(position, moves);
        scored.clear();
        scored.extend(moves.iter().filter_map(rate));
        if !at.in_check && deep < options.checks {
            let noisy = scored.len();
            guide.checks(position, moves);
            for mv in moves.iter() {
                if !scored[..noisy].iter().any(|known| known.mv == *mv) {
                    scored.extend(rate(mv));
                }
            }
        }
    }

    /// Whether a move is not worth a look because it loses the exchange on its square.
    #[inline]
    fn loses_exchange(&self, position: &P, mv: P::Move) -> bool {
        self.options.exchange && self.guide.loses_exchange(position, mv)
    }

    fn judge(&mut self, position: &P, ply: usize) -> f32 {
        self.pace.judged();
        let past = &self.plies[..self.plies.len().saturating_sub(1)];
        let question = Question { past, depth: ply as u32, ..Question::of(position, &[]) };
        self.evaluator.judge(&question, self.answer, self.scratch);
        self.scale.opinion(self.answer.value)
    }

    /// The same at the first position, whose static value may be known.
    #[inline]
    fn judge_first(&mut self, position: &P, ply: usize) -> f32 {
        match self.static_value {
            Some(value) => self.scale.opinion(value),
            None => self.judge(position, ply),
        }
    }
}

/// Where a node of the quiescence search stands.
#[derive(Clone, Copy)]
struct Standing {
    in_check: bool,
    /// The static value; infinite in check, where standing pat is not allowed.
    stand_pat: f32,
    alpha: f32,
}

impl Standing {
    /// Whether a capture wins too little to matter. An evasion never does.
    #[inline]
    fn is_too_little(&self, gain: i32, options: &QuietOptions) -> bool {
        // The infinite value in check is never below alpha.
        if self.stand_pat >= self.alpha || options.futility == 0 || gain <= 0 {
            return false;
        }
        let margin = (gain as f32 + options.futility as f32) * options.pawn / 100.0;
        self.stand_pat + margin <= self.alpha
    }
}

/// An evaluator that judges quiet positions only: the value is the static one at the end of a quiescence search.
#[derive(Clone, Copy, Debug)]
pub struct Quiet<E, G = Tactics> {
    inner: E,
    guide: G,
    options: QuietOptions,
}

impl<E> Quiet<E> {
    /// Judges by `inner` where things have calmed down.
    pub fn new(inner: E, options: QuietOptions) -> Quiet<E> {
        Quiet { inner, guide: Tactics, options }
    }
}

/// What one thread of a [`Quiet`] works with.
pub struct QuietScratch<M, S> {
    inner: S,
    answer: Answer<M>,
    levels: Levels<M>,
    plies: Vec<Ply>,
    moves: Vec<M>,
    /// Siblings in the order in which they are settled: what a move wins, and its place among the moves.
    order: Vec<(i32, usize)>,
}

/// Stops after this many nodes.
struct Countdown(u64);

impl Pace for Countdown {
    #[inline]
    fn tick(&mut self, _: usize) -> bool {
        match self.0.checked_sub(1) {
            Some(left) => {
                self.0 = left;
                false
            }
            None => true,
        }
    }
}

impl<E, G> Quiet<E, G> {
    /// The evaluator inside.
    pub fn inner(&self) -> &E {
        &self.inner
    }

    /// The value of the position, and the line that leads to the quiet position which has this value. The window is open, so the value is
    /// exact.
    fn resolve<P: Position>(
        &self,
        question: &Question<'_, P>,
        static_value: Option<f32>,
        answer: &mut Answer<P::Move>,
        scratch: &mut QuietScratch<P::Move, E::Scratch>,
    ) where
        E: Evaluator<P>,
        G: Guide<P>,
    {
        scratch.plies.clear();
        scratch.plies.extend_from_slice(question.past);
        scratch.plies.push(question.position.ply());
        answer.value = self.settle(question.position, static_value, f32::NEG_INFINITY..f32::INFINITY, 0, scratch);
        answer.line.clear();
        answer.line.extend_from_slice(scratch.levels.pv(0));
    }

    /// The order in which siblings are settled: those that win material first, by how much, then the others as they come.
    fn order<P: Position>(&self, parent: &P, moves: &[P::Move], order: &mut Vec<(i32, usize)>)
    where
        G: Guide<P>,
    {
        let wins = |mv: P::Move| {
            let gain = self.guide.gain(parent, mv);
            if gain > 0 && !self.guide.loses_exchange(parent, mv) { gain } else { 0 }
        };
        order.clear();
        order.extend(moves.iter().enumerate().map(|(index, &mv)| (wins(mv), index)));
        // Unstable, as a stable sort allocates; the place makes the order the same.
        order.sort_unstable_by_key(|&(gain, index)| (Reverse(gain), index));
    }

    /// Settles a position, `ply` plies below the one asked about, whose plies stand in the scratch.
    #[inline]
    fn settle<P: Position>(
        &self,
        position: &P,
        static_value: Option<f32>,
        window: Range<f32>,
        ply: usize,
        scratch: &mut QuietScratch<P::Move, E::Scratch>,
    ) -> f32
    where
        E: Evaluator<P>,
        G: Guide<P>,
    {
        let mut settling = Settling {
            evaluator: &self.inner,
            scratch: &mut scratch.inner,
            answer: &mut scratch.answer,
            static_value,
            guide: &self.guide,
            options: &self.options,
            scale: Scale::new(self.inner.win()),
            levels: &mut scratch.levels,
            plies: &mut scratch.plies,
            pace: &mut Countdown(self.options.nodes),
        };
        settling.settle(position, window.start, window.end, ply, 0)
    }
}

impl<P: Position, E: Evaluator<P>, G: Guide<P>> Evaluator<P> for Quiet<E, G> {
    type Scratch = QuietScratch<P::Move, E::Scratch>;

    fn scratch(&self, seed: u64) -> Self::Scratch {
        QuietScratch {
            inner: self.inner.scratch(seed),
            answer: Answer::default(),
            levels: Levels::new(),
            plies: Vec::new(),
            moves: Vec::new(),
            order: Vec::new(),
        }
    }

    fn win(&self) -> f32 {
        self.inner.win()
    }

    fn judge(&self, question: &Question<'_, P>, answer: &mut Answer<P::Move>, scratch: &mut Self::Scratch) {
        let (want, own) = (question.want, Want::VALUE | Want::CHILDREN | Want::EXACT);
        let mut static_value = None;
        if want - own != Want::default() || want.has(Want::CHILDREN) {
            // What the evaluator inside knows of the position itself. Its static value is needed as well: for a quiescence search, or
            // because an evaluation by difference has the parent's sums at hand for each child then.
            let inside = Question { depth: 0, want: (want - own) | Want::VALUE, ..*question };
            self.inner.judge(&inside, answer, &mut scratch.inner);
            static_value = Some(answer.value);
        }
        if want.has(Want::VALUE) {
            self.resolve(question, static_value, answer, scratch);
        }
        if want.has(Want::CHILDREN) {
            if self.options.lazy && self.options.window > 0 && !want.has(Want::EXACT) {
                self.judge_children_lazily(question, answer, scratch);
            } else {
                self.judge_children(question, answer, scratch);
            }
        }
    }
}

impl<E, G> Quiet<E, G> {
    /// All children are judged statically, and then settled from the best down until the rest lies below the window. Out of check the side
    /// to move may stand pat, so its opponent's value of the child only falls when it is settled: what lies below the window before lies there
    /// afterwards. A child in check has no such bound and is always settled.
    fn judge_children_lazily<P: Position>(
        &self,
        question: &Question<'_, P>,
        answer: &mut Answer<P::Move>,
        scratch: &mut QuietScratch<P::Move, E::Scratch>,
    ) where
        E: Evaluator<P>,
        G: Guide<P>,
    {
        let Question { position: parent, plies, moves, .. } = *question;
        answer.values.clear();
        answer.outcomes.clear();
        let value = answer.value;
        self.inner.judge(&Question { depth: 0, want: Want::CHILDREN, ..*question }, answer, &mut scratch.inner);
        answer.value = value;
        scratch.plies.clear();
        scratch.plies.extend_from_slice(plies);
        let mut order = std::mem::take(&mut scratch.order);
        order.clear();
        // Bits of a float, turned so that they are in the order of the numbers.
        let rank = |value: f32| (value.to_bits() as i32) ^ (((value.to_bits() as i32) >> 31) as u32 >> 1) as i32;
        order.extend(answer.values.iter().enumerate().map(|(index, &value)| (rank(value), index)));
        order.sort_unstable_by_key(|&(rank, index)| (Reverse(rank), index));
        let window = self.options.window as f32 * self.options.pawn / 100.0;
        let mut best = f32::NEG_INFINITY;
        for &(_, index) in &order {
            let known = answer.values[index];
            let ended = answer.outcomes.get(index).is_some_and(Option::is_some);
            if !ended && (known > best - window || self.guide.gives_check(parent, moves[index])) {
                let mut child = parent.clone();
                child.play(moves[index]);
                scratch.plies.push(child.ply());
                answer.values[index] = -self.settle(&child, Some(-known), f32::NEG_INFINITY..window - best, 1, scratch);
                scratch.plies.pop();
            }
            best = best.max(answer.values[index]);
        }
        scratch.order = order;
    }

    /// Every child is settled one ply below the parent. How bad a move is that loses more than the window against the best one found so far
    /// is not searched out unless exact values are wanted, so the moves that win material come first: they show the others how good is
    /// good enough.
    fn judge_children<P: Position>(
        &self,
        question: &Question<'_, P>,
        answer: &mut Answer<P::Move>,
        scratch: &mut QuietScratch<P::Move, E::Scratch>,
    ) where
        E: Evaluator<P>,
        G: Guide<P>,
    {
        let Question { position: parent, plies, moves, .. } = *question;
        let chooser = parent.turn();
        scratch.plies.clear();
        scratch.plies.extend_from_slice(plies);
        answer.values.resize(moves.len(), 0.0);
        answer.outcomes.resize(moves.len(), None);
        let mut order = std::mem::take(&mut scratch.order);
        self.order(parent, moves, &mut order);
        let bounded = self.options.window > 0 && !question.want.has(Want::EXACT);
        let window = self.options.window as f32 * self.options.pawn / 100.0;
        let mut best = f32::NEG_INFINITY;
        for &(_, index) in &order {
            let mut child = parent.clone();
            child.play(moves[index]);
            let outcome = child.repetition(plies).or_else(|| child.ended(&mut scratch.moves));
            let value = match outcome {
                Some(outcome) => outcome.value_for(chooser, self.inner.win()),
                None => {
                    scratch.plies.push(child.ply());
                    let enough = if bounded { window - best } else { f32::INFINITY };
                    let value = -self.settle(&child, None, f32::NEG_INFINITY..enough, 1, scratch);
                    scratch.plies.pop();
                    value
                }
            };
            best = best.max(value);
            (answer.values[index], answer.outcomes[index]) = (value, outcome);
        }
        scratch.order = order;
    }
}

/// The gradient is that of the quiet position which the value came from. A mate does not depend on any parameter.
impl<P: Position, E: Differentiable<P>, G: Guide<P>> Differentiable<P> for Quiet<E, G> {
    fn parameters(&self) -> usize {
        self.inner.parameters()
    }

    fn gradient(
        &self,
        question: &Question<'_, P>,
        coefficient: f32,
        sink: &mut dyn FnMut(usize, f32),
        scratch: &mut Self::Scratch,
    ) {
        let mut answer = Answer::default();
        self.resolve(question, None, &mut answer, scratch);
        let mut quiet = question.position.clone();
        scratch.plies.clear();
        scratch.plies.extend_from_slice(question.past);
        for &mv in &answer.line {
            scratch.plies.push(quiet.ply());
            quiet.play(mv);
        }
        let sign = if answer.line.len().is_multiple_of(2) { 1.0 } else { -1.0 };
        let depth = answer.line.len() as u32;
        let at_rest = Question { past: &scratch.plies, depth, ..Question::of(&quiet, &[]) };
        self.inner.judge(&at_rest, &mut scratch.answer, &mut scratch.inner);
        if Scale::new(self.inner.win()).opinion(scratch.answer.value) == sign * answer.value {
            self.inner.gradient(&at_rest, sign * coefficient, sink, &mut scratch.inner);
        }
    }
}

/// `quiet(material)`, `quiet(linear(w.bin),depth=4)`.
impl<E: fmt::Display, G> fmt::Display for Quiet<E, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "quiet({}", self.inner)?;
        for parameter in self.options.parameters(&QuietOptions::default()) {
            write!(f, ",{parameter}")?;
        }
        write!(f, ")")
    }
}
