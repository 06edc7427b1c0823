//! What a search asks an evaluator, and what the evaluator answers.

use std::ops::{BitOr, BitOrAssign, Sub};

use crate::cancel::Cancel;
use crate::line::Line;
use crate::position::{Outcome, Ply, Position};

/// What a [`Question`] asks for; several things are joined by `|`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Want(u8);

impl Want {
    /// The value of the position: [`Answer::value`], and [`Answer::line`] where the value comes from further ahead.
    pub const VALUE: Want = Want(1);
    /// The prior probability of each move: [`Answer::priors`].
    pub const PRIORS: Want = Want(2);
    /// The value of each move and whether it ends the game: [`Answer::values`] and [`Answer::outcomes`] (S0.1, S4.2).
    pub const CHILDREN: Want = Want(4);
    /// The playouts behind the value: [`Answer::playouts`]. RAVE learns from them.
    pub const PLAYOUTS: Want = Want(8);
    /// What the evaluator has counted since it was made: [`Answer::counters`].
    pub const COUNTERS: Want = Want(16);
    /// The values of children must be exact: no bounds for moves that are clearly worse than the best one.
    pub const EXACT: Want = Want(32);
    /// How the game will be counted, from evaluators that know: [`Answer::score`] and [`Answer::owners`]. Front ends ask for it; searches do not.
    pub const SCORE: Want = Want(64);

    /// Whether all of `other` is wanted.
    #[inline]
    pub const fn has(self, other: Want) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether any of `other` is wanted.
    #[inline]
    pub const fn has_any(self, other: Want) -> bool {
        self.0 & other.0 != 0
    }

    /// The same, and `other` as well if `wanted`.
    #[inline]
    #[must_use]
    pub const fn and_if(self, wanted: bool, other: Want) -> Want {
        if wanted { Want(self.0 | other.0) } else { self }
    }
}

impl BitOr for Want {
    type Output = Want;
    #[inline]
    fn bitor(self, other: Want) -> Want {
        Want(self.0 | other.0)
    }
}

impl BitOrAssign for Want {
    #[inline]
    fn bitor_assign(&mut self, other: Want) {
        self.0 |= other.0;
    }
}

/// What is left without `other`.
impl Sub for Want {
    type Output = Want;
    #[inline]
    fn sub(self, other: Want) -> Want {
        Want(self.0 & !other.0)
    }
}

/// A position that a search has reached, and what it wants to know about it.
#[derive(Debug)]
pub struct Question<'a, P: Position> {
    /// The position.
    pub position: &'a P,
    /// The plies before it, oldest first.
    pub past: &'a [Ply],
    /// The same with the ply of the position itself as the last: the past of its children. Read only where children are wanted.
    pub plies: &'a [Ply],
    /// Its legal moves; empty where the search did not list them all (a quiescence search lists only the noisy ones).
    pub moves: &'a [P::Move],
    /// The move that led to the position, where the search knows it: the history of the line (S3.1).
    pub last: Option<P::Move>,
    /// The tree's id of the position, stable during one search: per-leaf memory (tabu lists) is keyed by it.
    pub node: u32,
    /// Plies below the root.
    pub depth: u32,
    /// What is wanted.
    pub want: Want,
    /// Lets an evaluation that takes long stop early. A value given early still counts; of children, those judged so far count. An evaluation that
    /// stops before it has a value says so ([`Answer::abandoned`]).
    pub cancel: Cancel<'a>,
}

impl<P: Position> Clone for Question<'_, P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P: Position> Copy for Question<'_, P> {}

impl<'a, P: Position> Question<'a, P> {
    /// The value of a position outside of any game and tree.
    pub fn of(position: &'a P, moves: &'a [P::Move]) -> Self {
        Question {
            position,
            past: &[],
            plies: &[],
            moves,
            last: None,
            node: 0,
            depth: 0,
            want: Want::VALUE,
            cancel: Cancel::NEVER,
        }
    }

    /// The value of the position at the end of `line`.
    pub fn at(line: &'a Line<P>, moves: &'a [P::Move]) -> Self {
        Question { past: line.past(), plies: line.plies(), ..Question::of(line.position(), moves) }
    }

    /// The same position, asked for something else.
    #[must_use]
    pub fn wanting(self, want: Want) -> Self {
        Question { want, ..self }
    }

    /// The value of a child of this position.
    #[inline]
    pub fn child<'b>(&self, child: &'b P, moves: &'b [P::Move]) -> Question<'b, P>
    where
        'a: 'b,
    {
        Question {
            position: child,
            past: self.plies,
            plies: &[],
            moves,
            last: None,
            node: self.node,
            depth: self.depth + 1,
            want: Want::VALUE,
            cancel: self.cancel,
        }
    }
}

/// The answer to a [`Question`], in buffers that are used again. Values are in the evaluator's own unit.
///
/// It is empty ([`Answer::clear`]) when the evaluator gets it; the evaluator fills in what is wanted and leaves the rest alone.
#[derive(Debug)]
pub struct Answer<M> {
    /// Value of the position for the side to move.
    pub value: f32,
    /// The moves that lead from the position to the one whose static value [`Answer::value`] is: the principal variation of a quiescence
    /// search. Empty if it is the position itself.
    pub line: Vec<M>,
    /// Prior probability of each move of the question.
    pub priors: Vec<f32>,
    /// Value of each move for the side that plays it.
    pub values: Vec<f32>,
    /// How the game ends with each move, if it does.
    pub outcomes: Vec<Option<Outcome>>,
    /// The playouts behind the value.
    pub playouts: Playouts<M>,
    /// What the evaluator has counted since it was made, by name.
    pub counters: Vec<(&'static str, u64)>,
    /// The final score in points for the side to move; none from evaluators that do not know.
    pub score: Option<f32>,
    /// Who will own each point of the board: 1 for the side to move, -1 for the other; empty from evaluators that do not know.
    pub owners: Vec<f32>,
    /// The question was cancelled before anything was known: nothing in the answer counts.
    pub abandoned: bool,
    /// Working memory of [`Answer::judge_children`].
    moves: Vec<M>,
    child: Option<Box<Answer<M>>>,
}

impl<M> Default for Answer<M> {
    fn default() -> Self {
        Answer {
            value: 0.0,
            line: Vec::new(),
            priors: Vec::new(),
            values: Vec::new(),
            outcomes: Vec::new(),
            playouts: Playouts::default(),
            counters: Vec::new(),
            score: None,
            owners: Vec::new(),
            abandoned: false,
            moves: Vec::new(),
            child: None,
        }
    }
}

impl<M: Copy> Answer<M> {
    /// Forgets the last answer, keeps the memory.
    #[inline]
    pub fn clear(&mut self) {
        self.value = 0.0;
        self.line.clear();
        self.priors.clear();
        self.values.clear();
        self.outcomes.clear();
        self.playouts.clear();
        self.counters.clear();
        self.score = None;
        self.owners.clear();
        self.abandoned = false;
    }

    /// Adds `n` to a counter.
    pub fn count(&mut self, name: &'static str, n: u64) {
        match self.counters.iter_mut().find(|(known, _)| *known == name) {
            Some((_, count)) => *count += n,
            None => self.counters.push((name, n)),
        }
    }

    /// Adds the value of the next child, and how the game ends with it.
    #[inline]
    pub fn push_child(&mut self, value: f32, outcome: Option<Outcome>) {
        self.values.push(value);
        self.outcomes.push(outcome);
    }

    /// The same prior for each move, if priors are wanted: what an evaluator without priors answers.
    #[inline]
    pub fn uniform_priors<P: Position<Move = M>>(&mut self, question: &Question<'_, P>) {
        if question.want.has(Want::PRIORS) {
            let moves = question.moves.len();
            self.priors.clear();
            self.priors.resize(moves, 1.0 / moves.max(1) as f32);
        }
    }

    /// Judges the children one by one, if they are wanted: `judge` gets a question about a child's value and an empty answer for it. Games
    /// that end with a move are not asked about; a win is worth `win`.
    #[inline]
    pub fn judge_children<P: Position<Move = M>>(
        &mut self,
        question: &Question<'_, P>,
        win: f32,
        judge: impl FnMut(&Question<'_, P>, &mut Answer<M>),
    ) {
        if question.want.has(Want::CHILDREN) {
            self.judge_each(question, win, judge);
        }
    }

    /// Kept apart, so that evaluators that are asked for a value alone stay small enough to be inlined.
    #[inline(never)]
    fn judge_each<P: Position<Move = M>>(
        &mut self,
        question: &Question<'_, P>,
        win: f32,
        mut judge: impl FnMut(&Question<'_, P>, &mut Answer<M>),
    ) {
        let chooser = question.position.turn();
        let mut moves = std::mem::take(&mut self.moves);
        let mut answer = self.child.take().unwrap_or_default();
        for &mv in question.moves {
            if question.cancel.is_cancelled() {
                break;
            }
            let mut child = question.position.clone();
            child.play(mv);
            let outcome = child.repetition(question.plies).or_else(|| child.generate(&mut moves));
            let value = match outcome {
                Some(outcome) => outcome.value_for(chooser, win),
                None => {
                    answer.clear();
                    judge(&question.child(&child, &moves), &mut answer);
                    -answer.value
                }
            };
            self.push_child(value, outcome);
        }
        self.moves = moves;
        self.child = Some(answer);
    }

    /// The whole answer of an evaluator that knows nothing but the value of a position: no priors, children one by one. Inlined, so that
    /// nothing but the value is left where a search asks for it alone.
    #[inline(always)]
    pub fn by_value<P: Position<Move = M>>(
        &mut self,
        question: &Question<'_, P>,
        win: f32,
        mut value: impl FnMut(&Question<'_, P>) -> f32,
    ) {
        if question.want.has(Want::VALUE) {
            self.value = value(question);
        }
        if question.want != Want::VALUE {
            self.uniform_priors(question);
            self.judge_children(question, win, |child, answer| answer.value = value(child));
        }
    }
}

/// Playouts from one position: the moves of each, and its result.
#[derive(Debug)]
pub struct Playouts<M> {
    moves: Vec<M>,
    /// Where the moves of each playout end, and its result.
    results: Vec<(usize, f32)>,
}

impl<M> Default for Playouts<M> {
    fn default() -> Self {
        Playouts { moves: Vec::new(), results: Vec::new() }
    }
}

impl<M> Playouts<M> {
    /// Forgets them, keeps the memory.
    #[inline]
    pub fn clear(&mut self) {
        self.moves.clear();
        self.results.clear();
    }

    /// Adds a move to the playout that is going on.
    #[inline]
    pub fn play(&mut self, mv: M) {
        self.moves.push(mv);
    }

    /// The playout that was going on has ended, with this result for the side to move where it began.
    #[inline]
    pub fn finish(&mut self, value: f32) {
        self.results.push((self.moves.len(), value));
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.results.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.results.is_empty()
    }

    /// The moves of each playout, and its result for the side to move where it began.
    pub fn iter(&self) -> impl Iterator<Item = (&[M], f32)> {
        let mut start = 0;
        self.results.iter().map(move |&(end, value)| {
            let moves = &self.moves[start..end];
            start = end;
            (moves, value)
        })
    }
}

/// A question on its way and the place for its answer: many of them can be judged at once.
pub struct Flight<'a, P: Position> {
    /// The question.
    pub question: Question<'a, P>,
    /// The answer, empty at first.
    pub answer: &'a mut Answer<P::Move>,
}

/// The memory of `flights` for flights of another lifetime: how a search that asks again and again spares the allocation.
pub fn recycle<'a, P: Position>(mut flights: Vec<Flight<'_, P>>) -> Vec<Flight<'a, P>> {
    flights.clear();
    // Nothing is left to convert. Collecting from a vector of elements of the same layout keeps its memory.
    flights.into_iter().map(|_| unreachable!("it is empty")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toy::{Nim, TicTacToe};

    #[test]
    fn wants_are_joined_and_taken_away() {
        let want = Want::VALUE | Want::PRIORS;
        assert!(want.has(Want::VALUE) && want.has(Want::PRIORS) && !want.has(Want::CHILDREN));
        assert_eq!(want - Want::PRIORS, Want::VALUE);
        assert_eq!(Want::VALUE.and_if(false, Want::PLAYOUTS), Want::VALUE);
        assert!(!Want::VALUE.has(want));
    }

    /// Nim with two: taking both wins, taking one leaves a position to judge.
    #[test]
    fn children_are_judged_or_known() {
        let line = Line::new(Nim::new(2));
        let mut moves = Vec::new();
        line.generate(&mut moves);
        let question = Question::at(&line, &moves).wanting(Want::VALUE | Want::PRIORS | Want::CHILDREN);
        let mut answer = Answer::default();
        answer.by_value(&question, 9.0, |question| 1.0 + question.depth as f32);
        assert_eq!((answer.value, &answer.priors[..], &answer.values[..]), (1.0, &[0.5, 0.5][..], &[-2.0, 9.0][..]));
        assert!(answer.outcomes[0].is_none() && answer.outcomes[1].is_some());
    }

    #[test]
    fn cancelled_families_are_cut_short() {
        let position = TicTacToe::default();
        let mut moves = Vec::new();
        position.generate(&mut moves);
        let asked = std::sync::atomic::AtomicU32::new(0);
        let third = || asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == 2;
        let question =
            Question { cancel: Cancel::when(&third), want: Want::CHILDREN, ..Question::of(&position, &moves) };
        let mut answer = Answer::default();
        answer.by_value(&question, 1.0, |_| 0.5);
        assert_eq!(answer.values, [-0.5, -0.5]);
    }

    #[test]
    fn playouts_come_back_as_recorded() {
        let mut playouts = Playouts::default();
        playouts.play('a');
        playouts.play('b');
        playouts.finish(1.0);
        playouts.finish(-1.0);
        let all: Vec<_> = playouts.iter().collect();
        assert_eq!(all, [(&['a', 'b'][..], 1.0), (&[][..], -1.0)]);
    }
}
