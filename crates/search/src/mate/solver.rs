//! The search itself: proof numbers, and the line of a mate that was proven.

use yomi_core::zobrist::mix;
use yomi_core::{Color, Line, Move, Outcome, Tactical};

use super::Mate;
use super::table::{Entry, INFINITE, ProofTable};
use crate::alpha_beta::meter::Meter;
use crate::alpha_beta::path::{Path, Repetition};
use crate::quiescence::Pace;

/// No line of a search is longer.
pub(super) const MAX_PLIES: usize = 512;
/// The plies left where the length of a mate does not matter.
const ANY: u16 = u16::MAX;

/// What a solver keeps from search to search.
pub(super) struct Memory<M> {
    table: ProofTable,
    path: Path,
    /// Lists to be used again.
    spare: Vec<Vec<Child<M>>>,
    moves: Vec<M>,
}

impl<M> Memory<M> {
    pub(super) fn new(mebibytes: usize) -> Memory<M> {
        Memory { table: ProofTable::new(mebibytes), path: Path::new(), spare: Vec::new(), moves: Vec::new() }
    }
}

/// A move of a node, and what is known of the position after it, for the side to move there.
#[derive(Clone, Copy)]
pub(super) struct Child<M> {
    mv: M,
    id: u64,
    entry: Entry,
}

/// A position and the plies left for a mate: what the table knows things about.
fn id(key: u64, left: u16) -> u64 {
    if left == ANY { key } else { key ^ mix(u64::from(left)) }
}

/// The plies left after one more.
fn less(left: u16) -> u16 {
    if left == ANY { ANY } else { left - 1 }
}

/// One search.
pub(super) struct Solver<'a, P: Tactical> {
    attacker: Color,
    /// Where on the path the search began.
    root: usize,
    pub(super) meter: Meter<'a, P::Move>,
    memory: &'a mut Memory<P::Move>,
}

impl<'a, P: Tactical> Solver<'a, P> {
    pub(super) fn new(line: &Line<P>, meter: Meter<'a, P::Move>, memory: &'a mut Memory<P::Move>) -> Solver<'a, P> {
        memory.table.clear();
        memory.path.start(line);
        Solver { attacker: line.position().turn(), root: line.len(), meter, memory }
    }

    /// Decides whether there is a mate of any length, unless stopped.
    pub(super) fn decide(&mut self, root: &P) -> Entry {
        self.prove(root, ANY)
    }

    /// The line of the mate that was found, whatever its length.
    pub(super) fn any_line(&mut self, root: &P) -> Option<Vec<P::Move>> {
        self.line(root, ANY)
    }

    /// The shortest mate of at most `longest` plies.
    pub(super) fn shortest(&mut self, root: &P, longest: u16) -> Mate<P::Move> {
        let mut circular = false;
        for plies in (1..=longest).step_by(2) {
            let entry = self.prove(root, plies);
            if entry.proof == 0 {
                return self.line(root, plies).map_or(Mate::Unknown, |line| Mate::Found { line, shortest: true });
            }
            if !entry.is_decided() {
                return Mate::Unknown;
            }
            circular = entry.circular;
        }
        if circular || usize::from(longest) == MAX_PLIES { Mate::Unknown } else { Mate::None }
    }

    fn prove(&mut self, position: &P, left: u16) -> Entry {
        self.visit(position, left, INFINITE, INFINITE).unwrap_or(Entry::NEW)
    }

    /// Searches the last position of the path until its proof or disproof number reaches its threshold. None if the position closes a
    /// circle, which is no mate on this path.
    fn visit(&mut self, position: &P, left: u16, proof: u32, disproof: u32) -> Option<Entry> {
        let ply = self.memory.path.plies().len() - 1 - self.root;
        if self.meter.tick(ply) {
            return Some(Entry::NEW);
        }
        let returned = left == ANY && self.memory.path.has_returned(self.root);
        if ply > 0 && (returned || self.memory.path.repeated(position, Repetition::Rule).is_some()) {
            return None;
        }
        let nodes = self.meter.nodes;
        let mut children = self.memory.spare.pop().unwrap_or_default();
        let entry = match self.list(position, left, ply, &mut children) {
            Some(end) => end,
            None => self.expand(position, left, &mut children, proof, disproof),
        };
        self.memory.spare.push(children);
        self.memory.table.put(id(position.key(), left), entry, self.meter.nodes - nodes);
        Some(entry)
    }

    /// Lists the moves: checks for the attacker, everything for the defender. Or says how the position has ended.
    fn list(&mut self, position: &P, left: u16, ply: usize, children: &mut Vec<Child<P::Move>>) -> Option<Entry> {
        let attacks = position.turn() == self.attacker;
        let moves = &mut self.memory.moves;
        let outcome = if attacks { None } else { position.generate(moves) };
        if attacks {
            position.checks(moves);
        }
        let too_long = ply >= MAX_PLIES;
        match outcome {
            Some(Outcome::Win(side)) if side == self.attacker => return Some(Entry::LOST),
            Some(_) => return Some(Entry::WON),
            None if attacks && moves.is_empty() => return Some(Entry::LOST),
            None if attacks && (left == 0 || too_long) => return Some(Entry { circular: too_long, ..Entry::LOST }),
            None if !attacks && left == 0 => return Some(Entry::WON),
            None => {}
        }
        children.clear();
        for &mv in moves.iter() {
            let id = id(position.key_after(mv), less(left));
            children.push(Child { mv, id, entry: self.memory.table.get(id).unwrap_or(Entry::NEW) });
        }
        None
    }

    /// Searches the most promising child again and again until the node reaches a threshold.
    fn expand(
        &mut self,
        position: &P,
        left: u16,
        children: &mut [Child<P::Move>],
        max_proof: u32,
        max_disproof: u32,
    ) -> Entry {
        loop {
            let sum = Sum::of(children);
            if sum.proof >= max_proof || sum.disproof >= max_disproof || self.meter.has_ended() {
                return self.conclude(position, children, &sum);
            }
            let best = children[sum.best];
            // Another way to that position may have found out more.
            if let Some(known) = self.memory.table.get(best.id).filter(|known| *known != best.entry) {
                children[sum.best].entry = known;
                continue;
            }
            // The next best child, with a little patience, so that the search does not jump to and fro.
            let max_child_disproof = max_proof.min(sum.second.saturating_add(1 + sum.second / 4));
            let max_child_proof = max_disproof.saturating_sub(sum.open - 1);
            let mut child = position.clone();
            child.play(best.mv);
            self.memory.path.push(child.ply());
            let found = self.visit(&child, less(left), max_child_proof, max_child_disproof);
            self.memory.path.pop();
            // A circle is no mate: good for the defender, to move there or not.
            let circle = if child.turn() == self.attacker { Entry::LOST } else { Entry::WON };
            children[sum.best].entry = found.unwrap_or(Entry { circular: true, ..circle });
        }
    }

    /// What the children say about the node.
    fn conclude(&self, position: &P, children: &[Child<P::Move>], sum: &Sum) -> Entry {
        let entries = || children.iter().map(|child| &child.entry);
        let mut entry = Entry { proof: sum.proof, disproof: sum.disproof, plies: 0, circular: false };
        match (position.turn() == self.attacker, entry.proof == 0, entry.disproof == 0) {
            // Mate: the shortest way there, or the longest.
            (true, true, _) => {
                let shortest = entries().filter(|e| e.disproof == 0).map(|e| e.plies).min();
                entry.plies = shortest.unwrap_or(0).saturating_add(1);
            }
            (false, _, true) => entry.plies = entries().map(|e| e.plies).max().unwrap_or(0).saturating_add(1),
            // An escape: from every check, or by one evasion.
            (true, _, true) => entry.circular = entries().any(|e| e.circular),
            (false, true, _) => entry.circular = entries().filter(|e| e.disproof == 0).all(|e| e.circular),
            _ => {}
        }
        entry
    }

    /// The line of a proven mate: the shortest known way for the attacker, the longest for the defender. What the table has lost is proven
    /// again; none if the search is stopped meanwhile.
    fn line(&mut self, root: &P, left: u16) -> Option<Vec<P::Move>> {
        let depth = self.memory.path.plies().len();
        let line = self.follow(root.clone(), left);
        while self.memory.path.plies().len() > depth {
            self.memory.path.pop();
        }
        line
    }

    fn follow(&mut self, mut position: P, mut left: u16) -> Option<Vec<P::Move>> {
        let mut line = Vec::new();
        while line.len() <= MAX_PLIES {
            let attacks = position.turn() == self.attacker;
            let mut children = Vec::new();
            match self.list(&position, left, line.len(), &mut children) {
                Some(end) => return (!attacks && end.disproof == 0).then_some(line),
                None if attacks && !children.iter().any(|c| c.entry.disproof == 0) => {
                    // Forgotten by the table: prove it again.
                    if self.prove(&position, left).proof != 0 {
                        return None;
                    }
                    self.list(&position, left, line.len(), &mut children);
                }
                None => {}
            }
            for child in children.iter_mut().filter(|child| !attacks && child.entry.proof != 0) {
                let mut after = position.clone();
                after.play(child.mv);
                self.memory.path.push(after.ply());
                child.entry = self.prove(&after, less(left));
                self.memory.path.pop();
                if child.entry.proof != 0 {
                    return None;
                }
            }
            let next = if attacks {
                children.iter().filter(|c| c.entry.disproof == 0).min_by_key(|c| c.entry.plies)?
            } else {
                // Among equals the first move: the line is a function of the position.
                children.iter().rev().max_by_key(|c| c.entry.plies)?
            };
            line.push(next.mv);
            position.play(next.mv);
            left = less(left);
            self.memory.path.push(position.ply());
        }
        None
    }
}

/// The numbers of a node, from those of its children.
struct Sum {
    /// The least disproof number of a child: what it takes to show one of them lost for the other side.
    proof: u32,
    /// The greatest proof number of a child, and one for every other that is open.
    disproof: u32,
    best: usize,
    /// The second least disproof number.
    second: u32,
    /// How many children are not yet shown to be won for the other side.
    open: u32,
}

impl Sum {
    fn of<M: Move>(children: &[Child<M>]) -> Sum {
        let mut sum = Sum { proof: INFINITE, disproof: 0, best: 0, second: INFINITE, open: 0 };
        for (index, Child { entry, .. }) in children.iter().enumerate() {
            if entry.proof > 0 {
                sum.open += 1;
                sum.disproof = sum.disproof.max(entry.proof);
            }
            // Of children that look equal, the one that is harder to win for the other side.
            let better = entry.disproof < sum.proof
                || entry.disproof == sum.proof && entry.proof > children[sum.best].entry.proof && index > 0;
            if better {
                sum.second = sum.proof;
                sum.proof = entry.disproof;
                sum.best = index;
            } else {
                sum.second = sum.second.min(entry.disproof);
            }
        }
        if sum.proof == 0 || sum.disproof >= INFINITE {
            sum.disproof = INFINITE;
        } else {
            sum.disproof = (sum.disproof + sum.open.saturating_sub(1)).min(INFINITE - 1);
        }
        if sum.disproof == 0 {
            sum.proof = INFINITE;
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alpha_beta::meter::Shared;
    use crate::search::Limits;
    use yomi_games::shogi::{Minishogi, Shogi9};

    fn decide<P: Tactical>(position: &P) -> (Entry, u64) {
        let (shared, limits, mut unwatched) = (Shared::default(), Limits::nodes(1_000_000), ());
        let mut memory = Memory::new(4);
        let meter = Meter::first(&shared, &limits, true, &mut unwatched);
        let mut solver = Solver::new(&Line::new(position.clone()), meter, &mut memory);
        let entry = solver.decide(position);
        (entry, solver.meter.nodes)
    }

    /// A lone rook or bishop can give check forever. The search ends all the same, and knows why.
    #[test]
    fn circles_are_seen_and_marked() {
        let rook = decide(&Shogi9::from_sfen("4k4/9/9/9/9/9/9/9/R3K4 b - 1").unwrap());
        let bishop = decide(&Shogi9::from_sfen("4k4/9/9/9/9/9/9/9/B3K4 b - 1").unwrap());
        let small = decide(&Minishogi::from_sfen("4k/5/5/5/4K b R 1").unwrap());
        for (entry, nodes) in [rook, bishop, small] {
            assert!(entry.disproof == 0 && entry.circular && nodes < 2_000, "{entry:?} {nodes}");
        }
        // A gold runs out of checks: that is no circle. Two rooks mate.
        let (gold, _) = decide(&Minishogi::from_sfen("4k/5/5/5/4K b G 1").unwrap());
        assert!(gold.disproof == 0 && !gold.circular, "{gold:?}");
        let (rooks, _) = decide(&Shogi9::from_sfen("9/9/9/4k4/9/9/9/9/R3K3+R b - 1").unwrap());
        assert!(rooks.proof == 0 && rooks.plies % 2 == 1, "{rooks:?}");
    }
}
