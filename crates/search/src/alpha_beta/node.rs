//! One node of the tree: negamax with principal variation search and its prunings.
//!
//! [`Worker::node`] reads top to bottom: what ends a line, what is known already, what need not be searched, and the loop over the
//! moves. Values are for the side to move, fail-soft. The value of a search that was stopped means nothing and is never used.

use yomi_core::{Answer, Evaluator, Move, Position, Question};

use crate::alpha_beta::levels::Levels;
use crate::alpha_beta::meter::Meter;
use crate::alpha_beta::options::AlphaBetaOptions;
use crate::alpha_beta::order::{FROM_TABLE, GOOD_CAPTURE};
use crate::alpha_beta::path::{Path, Repeated};
use crate::alpha_beta::scale::{MAX_PLY, Scale};
use crate::ordering::{Guide, History, Scored, pick};
use crate::quiescence::{Pace, Settling};
use crate::transposition::{Bound, Entry, Table};

/// What a thread keeps from search to search.
pub(crate) struct Memory<M> {
    pub(crate) levels: Levels<M>,
    pub(crate) history: History,
    pub(crate) path: Path,
}

impl<M: Copy> Memory<M> {
    pub(crate) fn new() -> Memory<M> {
        Memory { levels: Levels::new(), history: History::new(), path: Path::new() }
    }

    /// The next search is about the next position of the game.
    pub(crate) fn fade(&mut self) {
        self.levels.forget_killers();
        self.history.fade();
    }

    /// The next search is about something else.
    pub(crate) fn clear(&mut self) {
        self.levels.forget_killers();
        self.history.clear();
    }
}

/// One thread of a search.
pub(crate) struct Worker<'a, P: Position, E: Evaluator<P>, G> {
    pub(crate) evaluator: &'a E,
    pub(crate) guide: &'a G,
    pub(crate) options: &'a AlphaBetaOptions,
    pub(crate) table: &'a Table,
    pub(crate) scale: Scale,
    pub(crate) meter: Meter<'a, P::Move>,
    pub(crate) memory: &'a mut Memory<P::Move>,
    pub(crate) scratch: E::Scratch,
    pub(crate) answer: Answer<P::Move>,
    /// Plies of the iteration that runs: what bounds the extensions.
    pub(crate) iteration: usize,
}

/// The facts of a node that the loop over its moves needs.
pub(super) struct Node<'p, P> {
    pub(super) position: &'p P,
    pub(super) key: u64,
    pub(super) depth: i32,
    pub(super) ply: usize,
    pub(super) in_check: bool,
    /// The window is empty: the only question is whether the value exceeds alpha.
    pub(super) is_scout: bool,
    /// The static value; infinite where nothing was judged, so that nothing looks futile.
    pub(super) stand_pat: f32,
}

/// What the moves tried so far have brought.
pub(super) struct Tally<M> {
    pub(super) best: f32,
    /// Alpha, raised.
    pub(super) floor: f32,
    /// The move that raised it.
    pub(super) mv: Option<M>,
    pub(super) tried: usize,
}

/// What a fail-soft value found within this window says about the true one.
fn bound(value: f32, alpha: f32, beta: f32) -> Bound {
    match () {
        () if value >= beta => Bound::Lower,
        () if value > alpha => Bound::Exact,
        () => Bound::Upper,
    }
}

impl<P: Position, E: Evaluator<P>, G: Guide<P>> Worker<'_, P, E, G> {
    /// Value of `position`, the last of the path, searched `depth` plies deep within the window.
    pub(crate) fn node(&mut self, position: &P, alpha: f32, beta: f32, depth: i32, ply: usize, may_pass: bool) -> f32 {
        self.memory.levels.cut_pv(ply);
        if self.meter.tick(ply) {
            return 0.0;
        }
        let (turn, scale) = (position.turn(), self.scale);
        match self.memory.path.repeated(position, self.options.repetition) {
            Some(Repeated::Over(outcome)) => return scale.ended(outcome, turn, ply),
            Some(Repeated::Likely(outcome)) => return scale.opinion(scale.ended(outcome, turn, ply)),
            None => {}
        }

        // No line from here is worth more than a win with the next move, or less than a game lost already.
        let (alpha, beta) = (alpha.max(-scale.won_in(ply)), beta.min(scale.won_in(ply + 1)));
        if alpha >= beta {
            return alpha;
        }

        let in_check = self.guide.in_check(position);
        let depth = depth + i32::from(in_check && self.options.extend && ply < 2 * self.iteration);
        if depth <= 0 || ply >= MAX_PLY {
            return self.leaf(position, alpha, beta, ply);
        }

        let is_scout = beta <= alpha.next_up();
        let key = position.key();
        let mut node = Node { position, key, depth, ply, in_check, is_scout, stand_pat: f32::INFINITY };
        if let Some(value) = self.hopeless_or_safe(&mut node, alpha, beta) {
            return value;
        }

        // What is known already. On the principal variation it only helps the order, so that the line is shown to its end.
        let known = if self.options.table { self.table.get(key) } else { None };
        if let Some(value) = known.and_then(|entry| self.cutoff(entry, alpha, beta, depth, ply))
            && (is_scout || !self.options.scout)
        {
            return value;
        }
        if let Some(value) = self.null_move(&mut node, beta, may_pass) {
            return value;
        }
        if let Some(value) = self.prob_cut(&node, alpha, beta) {
            return value;
        }

        let level = self.memory.levels.at(ply);
        let (mut moves, mut scored) = (std::mem::take(&mut level.moves), std::mem::take(&mut level.scored));
        let value = self.try_moves(&node, known.and_then(|entry| entry.mv), &mut moves, &mut scored, alpha, beta);
        let level = self.memory.levels.at(ply);
        (level.moves, level.scored) = (moves, scored);
        value
    }

    /// Tries the moves in stages, each listed only if the ones before did not settle the matter: the table's move, captures and
    /// promotions that do not lose material, and the rest. Notes the result in the table.
    fn try_moves(
        &mut self,
        node: &Node<'_, P>,
        known: Option<u16>,
        moves: &mut Vec<P::Move>,
        scored: &mut Vec<Scored<P::Move>>,
        alpha: f32,
        beta: f32,
    ) -> f32 {
        let position = node.position;
        if self.is_by_probability() {
            self.weigh_moves(position, node.ply, node.depth);
        }
        let mut tally = Tally { best: f32::NEG_INFINITY, floor: alpha, mv: None, tried: 0 };
        let first = known.map(P::Move::from_bits).filter(|&mv| G::TACTICAL && position.is_legal(mv));
        if let Some(mv) = first {
            let gain = self.guide.gain(position, mv);
            self.try_list(node, &mut [Scored { mv, gain, score: FROM_TABLE }], beta, &mut tally, |_| true);
        }
        let good = |next: &Scored<P::Move>| (GOOD_CAPTURE..FROM_TABLE).contains(&next.score);
        let staged = G::TACTICAL && !node.in_check;
        if staged && !self.is_done(&tally, beta) {
            self.guide.noisy(position, moves);
            self.score(position, moves, known, node.ply, scored);
            self.try_list(node, scored, beta, &mut tally, good);
        }
        if !self.is_done(&tally, beta) {
            if let Some(outcome) = position.generate(moves) {
                return self.scale.ended(outcome, position.turn(), node.ply);
            }
            position.restrict(self.memory.path.plies(), moves);
            if self.options.siblings {
                self.judge_siblings(node, moves);
            }
            if self.options.siblings && node.depth == 1 {
                self.settle_siblings(node, moves, &mut tally);
                moves.clear();
            }
            self.score(position, moves, known, node.ply, scored);
            if self.options.siblings && node.depth > 1 {
                self.order_siblings(scored);
            }
            self.try_list(node, scored, beta, &mut tally, |next| first != Some(next.mv) && !(staged && good(next)));
        }
        if self.options.table && !self.meter.has_ended() {
            self.note(node, &tally, alpha, beta);
        }
        tally.best
    }

    fn is_done(&self, tally: &Tally<P::Move>, beta: f32) -> bool {
        tally.best >= beta || self.meter.has_ended()
    }

    /// Tries those of the moves that are wanted, the best first, until one is too good.
    fn try_list(
        &mut self,
        node: &Node<'_, P>,
        moves: &mut [Scored<P::Move>],
        beta: f32,
        tally: &mut Tally<P::Move>,
        wanted: impl Fn(&Scored<P::Move>) -> bool,
    ) {
        for index in 0..moves.len() {
            let next = pick(moves, index);
            if !wanted(&next) || self.is_pruned(node, &next, index, tally) {
                continue;
            }
            self.try_move(node, &next, index, beta, tally);
            if self.meter.has_ended() {
                return;
            }
            if tally.best >= beta {
                return self.reward(node, &moves[..=index]);
            }
        }
    }

    /// Plays a move, searches what comes of it, and enters the result.
    fn try_move(
        &mut self,
        node: &Node<'_, P>,
        next: &Scored<P::Move>,
        index: usize,
        beta: f32,
        tally: &mut Tally<P::Move>,
    ) {
        let mut child = node.position.clone();
        child.play(next.mv);
        if self.options.table && node.depth > 2 {
            self.table.touch(child.key());
        }
        self.memory.path.push(child.ply());
        let quiet_index = if next.gain > 0 { 0 } else { index };
        let plies = self.plies_below(node, next.mv);
        let value = self.value_of(node, &child, plies, quiet_index, tally, beta);
        self.memory.path.pop();
        tally.tried += 1;
        if value > tally.best && !self.meter.has_ended() {
            tally.best = value;
            if value > tally.floor {
                tally.floor = value;
                tally.mv = Some(next.mv);
                if !node.is_scout {
                    self.memory.levels.extend_pv(node.ply, next.mv);
                }
            }
        }
    }

    /// Notes what was found out about the node.
    fn note(&self, node: &Node<'_, P>, tally: &Tally<P::Move>, alpha: f32, beta: f32) {
        let bound = bound(tally.best, alpha, beta);
        let value = self.scale.in_table(tally.best, node.ply);
        let mv = tally.mv.map(P::Move::to_bits);
        self.table.put(node.key, Entry { mv, value, depth: node.depth.clamp(0, 255) as u8, bound });
    }

    /// Value of a move for the side that plays it: principal variation search. A quiet move's `index` is its place in the order; the
    /// later it comes, the less deeply it is searched at first. Noisy moves have index 0. The move takes `plies` from the depth.
    fn value_of(
        &mut self,
        node: &Node<'_, P>,
        child: &P,
        plies: i32,
        index: usize,
        tally: &Tally<P::Move>,
        beta: f32,
    ) -> f32 {
        let (depth, ply, alpha) = (node.depth - plies, node.ply + 1, tally.floor);
        if tally.tried == 0 || !self.options.scout {
            return -self.node(child, -beta, -alpha, depth, ply, true);
        }
        let less = self.reduced_by(node, child, index);
        let mut value = -self.node(child, -alpha.next_up(), -alpha, depth - less, ply, true);
        if value > alpha && less > 0 {
            value = -self.node(child, -alpha.next_up(), -alpha, depth, ply, true);
        }
        if value > alpha && value < beta {
            value = -self.node(child, -beta, -alpha, depth, ply, true);
        }
        value
    }

    /// What the table says, if it settles the question of the window.
    #[inline]
    fn cutoff(&self, entry: Entry, alpha: f32, beta: f32, depth: i32, ply: usize) -> Option<f32> {
        let value = self.scale.at_root(entry.value, ply);
        let settles = match entry.bound {
            Bound::Exact => true,
            Bound::Lower => value >= beta,
            Bound::Upper => value <= alpha,
        };
        (settles && i32::from(entry.depth) >= depth).then_some(value)
    }

    /// The value at the end of the search: static, or after a quiescence search.
    pub(crate) fn leaf(&mut self, position: &P, alpha: f32, beta: f32, ply: usize) -> f32 {
        if G::TACTICAL
            && let Some(options) = &self.options.quiet
        {
            let key = (self.options.table && self.options.leaf_table).then(|| position.key());
            let known = key.and_then(|key| self.table.get(key));
            // As above, the principal variation is shown to its end.
            let is_scout = beta <= alpha.next_up() || !self.options.scout;
            if let Some(value) = known.and_then(|entry| self.cutoff(entry, alpha, beta, 0, ply)).filter(|_| is_scout) {
                return value;
            }
            let mut settling = Settling {
                evaluator: self.evaluator,
                scratch: &mut self.scratch,
                answer: &mut self.answer,
                static_value: None,
                guide: self.guide,
                options,
                scale: self.scale,
                levels: &mut self.memory.levels,
                plies: self.memory.path.plies_mut(),
                pace: &mut self.meter,
            };
            let value = settling.settle(position, alpha, beta, ply, 0);
            if let Some(key) = key.filter(|_| !self.meter.has_ended()) {
                let mv = self.memory.levels.pv(ply).first().map(|mv| mv.to_bits());
                // Captures that could not reach alpha were not tried: that the value is no higher than alpha is all that is known.
                let kept = self.scale.in_table(value.max(alpha), ply);
                self.table.put(key, Entry { mv, value: kept, depth: 0, bound: bound(value, alpha, beta) });
            }
            return value;
        }
        let mut moves = std::mem::take(&mut self.memory.levels.at(ply).moves);
        let value = match position.generate(&mut moves) {
            Some(outcome) => self.scale.ended(outcome, position.turn(), ply),
            None => {
                position.restrict(self.memory.path.plies(), &mut moves);
                self.judge(position, &moves, ply)
            }
        };
        self.memory.levels.at(ply).moves = moves;
        value
    }

    pub(super) fn judge(&mut self, position: &P, moves: &[P::Move], ply: usize) -> f32 {
        self.meter.judged();
        let past = self.memory.path.past();
        let question = Question { past, depth: ply as u32, ..Question::of(position, moves) };
        self.evaluator.judge(&question, &mut self.answer, &mut self.scratch);
        self.scale.opinion(self.answer.value)
    }
}
