//! One node of the tree: negamax with principal variation search and its prunings.
//!
//! [`Worker::node`] reads top to bottom: what ends a line, what is known already, what need not be searched, and the loop over the
//! moves. Values are for the side to move, fail-soft. The value of a search that was stopped means nothing and is never used.

use yomi_core::{Evaluator, Leaf, Move, Position};

use crate::alpha_beta::levels::Levels;
use crate::alpha_beta::meter::Meter;
use crate::alpha_beta::options::AlphaBetaOptions;
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
    /// Plies of the iteration that runs: what bounds the extensions.
    pub(crate) iteration: usize,
}

/// A move's place in the order: the table's, good captures, killers, quiet moves, losing captures.
const FROM_TABLE: i32 = i32::MAX;
const GOOD_CAPTURE: i32 = 1_000_000;
const KILLER: i32 = 900_000;
const BAD_CAPTURE: i32 = -1_000_000;

/// Futility and move-count pruning work this close to the leaves.
const FUTILE_DEPTH: i32 = 2;
const COUNTED_DEPTH: i32 = 4;
/// Null moves are tried from this depth on.
const NULL_DEPTH: i32 = 2;

/// By how much the static value may lie below alpha for a quiet move to be worth a search, in hundredths of a pawn.
fn futility_margin(depth: i32) -> f32 {
    150.0 * depth as f32
}

/// How many moves are tried before late quiet ones are left out.
fn move_limit(depth: i32) -> usize {
    (8 + 4 * depth * depth) as usize
}

/// How much less deeply the `index`-th move is searched at first.
fn reduction(depth: i32, index: usize) -> i32 {
    (0.5 + (depth as f32).ln() * (index as f32).ln() / 2.2) as i32
}

/// How much less deeply the search after a null move goes.
fn null_reduction(depth: i32) -> i32 {
    2 + depth / 4
}

/// The facts of a node that the loop over its moves needs.
struct Node<'p, P> {
    position: &'p P,
    key: u64,
    depth: i32,
    ply: usize,
    in_check: bool,
    /// The window is empty: the only question is whether the value exceeds alpha.
    is_scout: bool,
    /// The static value; infinite where nothing was judged, so that nothing looks futile.
    stand_pat: f32,
}

/// What the moves tried so far have brought.
struct Tally<M> {
    best: f32,
    /// Alpha, raised.
    floor: f32,
    /// The move that raised it.
    mv: Option<M>,
    tried: usize,
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

        // What is known already. On the principal variation it only helps the order, so that the line is shown to its end.
        let is_scout = beta <= alpha.next_up();
        let key = position.key();
        let known = if self.options.table { self.table.get(key) } else { None };
        if let Some(value) = known.and_then(|entry| self.cutoff(entry, alpha, beta, depth, ply))
            && (is_scout || !self.options.scout)
        {
            return value;
        }

        // What can be said without listing the moves.
        let mut node = Node { position, key, depth, ply, in_check, is_scout, stand_pat: f32::INFINITY };
        if G::TACTICAL && is_scout && !in_check && self.wants_judgement(depth) {
            node.stand_pat = self.judge(position, &[], ply);
            // So far ahead near the leaves that no quiet reply could change it.
            if self.is_safe(&node, beta) {
                return node.stand_pat;
            }
            // Next to the leaves only noisy moves could lift the value to alpha, and those are what quiescence looks at.
            if depth == 1 && self.is_futile(&node, alpha) {
                return self.leaf(position, alpha, beta, ply);
            }
            if let Some(value) = self.null_move(&node, beta, may_pass) {
                return value;
            }
        }

        let level = self.memory.levels.at(ply);
        let (mut moves, mut scored) = (std::mem::take(&mut level.moves), std::mem::take(&mut level.scored));
        let value = self.try_moves(&node, known.and_then(|entry| entry.mv), &mut moves, &mut scored, alpha, beta);
        let level = self.memory.levels.at(ply);
        (level.moves, level.scored) = (moves, scored);
        value
    }

    /// Whether anything is decided by the static value of a node of this depth.
    fn wants_judgement(&self, depth: i32) -> bool {
        self.options.null && depth >= NULL_DEPTH || self.options.futility && depth <= FUTILE_DEPTH
    }

    /// Whether quiet moves could not lift the value to alpha.
    fn is_futile(&self, node: &Node<'_, P>, alpha: f32) -> bool {
        let margin = futility_margin(node.depth) * self.options.pawn / 100.0;
        self.options.futility && node.depth <= FUTILE_DEPTH && node.stand_pat + margin <= alpha
    }

    /// Whether quiet moves of the other side could not lower the value to beta: futility as the other side sees it.
    fn is_safe(&self, node: &Node<'_, P>, beta: f32) -> bool {
        let margin = futility_margin(node.depth) * self.options.pawn / 100.0;
        self.options.futility
            && node.depth <= FUTILE_DEPTH
            && node.stand_pat - margin >= beta
            && !self.scale.is_lost(beta)
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
            self.score(position, moves, known, node.ply, scored);
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
        self.memory.path.push(child.ply());
        let quiet_index = if next.gain > 0 { 0 } else { index };
        let value = self.value_of(node, &child, quiet_index, tally, beta);
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
        let bound = match () {
            () if tally.best >= beta => Bound::Lower,
            () if tally.best > alpha => Bound::Exact,
            () => Bound::Upper,
        };
        let value = self.scale.in_table(tally.best, node.ply);
        let mv = tally.mv.map(P::Move::to_bits);
        self.table.put(node.key, Entry { mv, value, depth: node.depth.clamp(0, 255) as u8, bound });
    }

    /// Value of a move for the side that plays it: principal variation search. A quiet move's `index` is its place in the order; the
    /// later it comes, the less deeply it is searched at first. Noisy moves have index 0.
    fn value_of(&mut self, node: &Node<'_, P>, child: &P, index: usize, tally: &Tally<P::Move>, beta: f32) -> f32 {
        let (depth, ply, alpha) = (node.depth - 1, node.ply + 1, tally.floor);
        if tally.tried == 0 || !self.options.scout {
            return -self.node(child, -beta, -alpha, depth, ply, true);
        }
        let is_late = index >= 3 && node.depth >= 3 && !node.in_check && !self.guide.in_check(child);
        let less = if self.options.lmr && is_late { reduction(node.depth, index).min(depth - 1) } else { 0 };
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
            let mut settling = Settling {
                evaluator: self.evaluator,
                scratch: &mut self.scratch,
                guide: self.guide,
                options,
                scale: self.scale,
                levels: &mut self.memory.levels,
                plies: self.memory.path.plies_mut(),
                pace: &mut self.meter,
            };
            return settling.settle(position, alpha, beta, ply, 0);
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

    fn judge(&mut self, position: &P, moves: &[P::Move], ply: usize) -> f32 {
        self.meter.judged();
        let leaf = Leaf { position, past: self.memory.path.past(), moves, node: 0, depth: ply as u32 };
        self.scale.opinion(self.evaluator.evaluate(&leaf, &mut self.scratch))
    }

    /// A position so good that the other side could move twice is good enough: its value, or none if it must be searched.
    fn null_move(&mut self, node: &Node<'_, P>, beta: f32, may_pass: bool) -> Option<f32> {
        let good = self.options.null && may_pass && node.stand_pat >= beta;
        if !good || node.depth < NULL_DEPTH || self.scale.is_lost(beta) {
            return None;
        }
        let passed = self.guide.pass(node.position)?;
        let path_before = self.memory.path.tear();
        self.memory.path.push(passed.ply());
        let depth = node.depth - 1 - null_reduction(node.depth);
        let value = -self.node(&passed, -beta, -beta.next_down(), depth, node.ply + 1, false);
        self.memory.path.pop();
        self.memory.path.mend(path_before);
        // A win that began with a pass is no proof.
        (value >= beta && !self.meter.has_ended()).then(|| self.scale.opinion(value).max(beta))
    }

    /// Whether a quiet move may be left out, now that one is known which does not lose by force: it comes late, or nothing near
    /// the leaves could lift the value to alpha.
    fn is_pruned(&self, node: &Node<'_, P>, next: &Scored<P::Move>, index: usize, tally: &Tally<P::Move>) -> bool {
        if tally.tried == 0 || next.gain > 0 || !node.is_scout || node.in_check || self.scale.is_lost(tally.best) {
            return false;
        }
        let late = self.options.move_count && node.depth <= COUNTED_DEPTH && index >= move_limit(node.depth);
        (late || self.is_futile(node, tally.floor)) && !self.guide.gives_check(node.position, next.mv)
    }

    /// Rates every move for the order in which they are tried.
    pub(crate) fn score(
        &self,
        position: &P,
        moves: &[P::Move],
        known: Option<u16>,
        ply: usize,
        scored: &mut Vec<Scored<P::Move>>,
    ) {
        let killers = self.memory.levels.killers(ply);
        let side = position.turn();
        scored.clear();
        scored.extend(moves.iter().map(|&mv| {
            let gain = self.guide.gain(position, mv);
            let score = if known == Some(mv.to_bits()) {
                FROM_TABLE
            } else if gain > 0 {
                gain + if self.guide.loses_exchange(position, mv) { BAD_CAPTURE } else { GOOD_CAPTURE }
            } else if let Some(rank) = killers.rank(mv).filter(|_| self.options.killers) {
                KILLER - rank as i32
            } else {
                let history = if self.options.history { self.memory.history.get(side, mv.to_bits()) } else { 0 };
                history + self.guide.promise(position, mv)
            };
            Scored { mv, score, gain }
        }));
    }

    /// The last of the moves tried was too good for the other side: quiet moves are remembered for it, those before it blamed.
    fn reward(&mut self, node: &Node<'_, P>, tried: &[Scored<P::Move>]) {
        let Some((best, before)) = tried.split_last().filter(|(best, _)| best.gain <= 0) else { return };
        let side = node.position.turn();
        let bonus = (node.depth * node.depth).min(400);
        self.memory.levels.at(node.ply).killers.note(best.mv);
        self.memory.history.add(side, best.mv.to_bits(), bonus);
        for other in before.iter().filter(|other| other.gain <= 0) {
            self.memory.history.add(side, other.mv.to_bits(), -bonus);
        }
    }
}
