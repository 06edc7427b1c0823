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
    depth: i32,
    ply: usize,
    in_check: bool,
    /// The window is empty: the only question is whether the value exceeds alpha.
    is_scout: bool,
    /// The static value; infinite where nothing was judged, so that nothing looks futile.
    stand_pat: f32,
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

        // What is known already. On the principal variation it only helps the order, so that the line is shown to its end.
        let is_scout = beta <= alpha.next_up();
        let key = position.key();
        let known = if self.options.table { self.table.get(key) } else { None };
        if let Some(value) = known.and_then(|entry| self.cutoff(entry, alpha, beta, depth, ply))
            && (is_scout || !self.options.scout)
        {
            return value;
        }

        let in_check = self.guide.in_check(position);
        let depth = depth + i32::from(in_check && self.options.extend && ply < 2 * self.iteration);
        if depth <= 0 || ply >= MAX_PLY {
            return self.leaf(position, alpha, beta, ply);
        }

        let mut moves = std::mem::take(&mut self.memory.levels.at(ply).moves);
        let outcome = position.generate(&mut moves);
        position.restrict(self.memory.path.plies(), &mut moves);
        let mut node = Node { position, depth, ply, in_check, is_scout, stand_pat: f32::INFINITY };
        let judges = self.options.null || self.options.futility && depth <= FUTILE_DEPTH;
        if outcome.is_none() && is_scout && !in_check && judges {
            node.stand_pat = self.judge(position, &moves, ply);
        }
        let mut scored = std::mem::take(&mut self.memory.levels.at(ply).scored);
        self.score(position, &moves, known.and_then(|entry| entry.mv), ply, &mut scored);
        self.memory.levels.at(ply).moves = moves;

        let value = match outcome {
            Some(outcome) => scale.ended(outcome, turn, ply),
            None => match if may_pass { self.null_move(&node, beta) } else { None } {
                Some(value) => value,
                None => self.try_moves(&node, key, &mut scored, alpha, beta),
            },
        };
        self.memory.levels.at(ply).scored = scored;
        value
    }

    /// The loop over the moves. Notes the result in the table.
    fn try_moves(&mut self, node: &Node<'_, P>, key: u64, moves: &mut [Scored<P::Move>], alpha: f32, beta: f32) -> f32 {
        let &Node { position, depth, ply, .. } = node;
        let mut floor = alpha;
        let mut best = f32::NEG_INFINITY;
        let mut best_move = None;
        for index in 0..moves.len() {
            let Scored { mv, gain, .. } = pick(moves, index);
            // Once a move is known that does not lose by force, late and futile quiet moves are left out.
            if index > 0 && gain <= 0 && !self.scale.is_lost(best) && self.is_pruned(node, mv, index, floor) {
                continue;
            }
            let mut child = position.clone();
            child.play(mv);
            self.memory.path.push(child.ply());
            let value = self.try_move(node, &child, index, gain, floor, beta);
            self.memory.path.pop();
            if self.meter.has_ended() {
                return 0.0;
            }
            if value > best {
                best = value;
                if value > floor {
                    floor = value;
                    best_move = Some(mv);
                    if !node.is_scout {
                        self.memory.levels.extend_pv(ply, mv);
                    }
                }
                if value >= beta {
                    self.reward(node, &moves[..=index]);
                    break;
                }
            }
        }
        if self.options.table {
            let bound = match () {
                () if best >= beta => Bound::Lower,
                () if best > alpha => Bound::Exact,
                () => Bound::Upper,
            };
            let value = self.scale.in_table(best, ply);
            let mv = best_move.map(P::Move::to_bits);
            self.table.put(key, Entry { mv, value, depth: depth.clamp(0, 255) as u8, bound });
        }
        best
    }

    /// Value of the `index`-th move for the side that plays it: principal variation search with late-move reductions.
    fn try_move(&mut self, node: &Node<'_, P>, child: &P, index: usize, gain: i32, alpha: f32, beta: f32) -> f32 {
        let (depth, ply) = (node.depth - 1, node.ply + 1);
        if index == 0 || !self.options.scout {
            return -self.node(child, -beta, -alpha, depth, ply, true);
        }
        let is_late = index >= 3 && gain <= 0 && node.depth >= 3 && !node.in_check && !self.guide.in_check(child);
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
    fn null_move(&mut self, node: &Node<'_, P>, beta: f32) -> Option<f32> {
        let good = self.options.null && node.is_scout && !node.in_check && node.stand_pat >= beta;
        if !good || node.depth < 2 || self.scale.is_lost(beta) {
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

    /// Whether a quiet move may be left out: it comes late, or nothing near the leaves could lift the value to alpha.
    fn is_pruned(&self, node: &Node<'_, P>, mv: P::Move, index: usize, alpha: f32) -> bool {
        if !node.is_scout || node.in_check {
            return false;
        }
        let margin = futility_margin(node.depth) * self.options.pawn / 100.0;
        let futile = self.options.futility && node.depth <= FUTILE_DEPTH && node.stand_pat + margin <= alpha;
        let late = self.options.move_count && node.depth <= COUNTED_DEPTH && index >= move_limit(node.depth);
        (futile || late) && !self.guide.gives_check(node.position, mv)
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
