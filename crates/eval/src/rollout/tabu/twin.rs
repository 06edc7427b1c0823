//! Tabu lists once more, word by word after the paper, to compare with; and games small enough for a computation by hand.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Mutex;

use yomi_core::policy::{Step, play_out};
use yomi_core::toy::{ConnectFour, Nim};
use yomi_core::{Outcome, Policy, Position, Question, Rng, Seed, Simulate, Uniform};

use super::{Forbids, Tabu};

/// A candidate as it came, and whether it was turned away.
type Candidate = (u64, bool);

/// "Each leaf has M queues of length L, at first full of NIL."
struct Slow {
    forbids: Forbids,
    length: usize,
    depth: usize,
    queues: BTreeMap<u32, Vec<VecDeque<Option<u64>>>>,
}

impl Slow {
    /// One playout from leaf `v`: the moves played and every candidate of the first M plies.
    fn playout<P: Simulate>(&mut self, v: u32, leaf: &P, rng: &mut Rng) -> (Vec<u64>, Vec<Candidate>, Outcome) {
        let empty = vec![VecDeque::from(vec![None; self.length]); self.depth];
        let queues = self.queues.entry(v).or_insert(empty);
        let (mut r, mut played, mut candidates) = (leaf.clone(), Vec::new(), Vec::new());
        let mut buffers = Vec::new();
        let mut sampler = P::Sampler::default();
        leaf.begin(&mut sampler);
        let outcome = loop {
            let m = played.len();
            let mv = match r.draw(&mut sampler, rng) {
                Step::Break(outcome) => break outcome,
                Step::Continue(mv) => mv,
            };
            let mut s = r.clone();
            s.play(mv);
            if m < self.depth {
                let hash =
                    if self.forbids == Forbids::Moves { u64::from(yomi_core::Move::to_bits(mv)) } else { s.key() };
                let tabu = queues[m].contains(&Some(hash));
                candidates.push((hash, tabu));
                if tabu {
                    queues[m].push_back(None);
                    queues[m].pop_front();
                    continue;
                }
                if self.forbids == Forbids::LostStates {
                    buffers.push(hash);
                } else {
                    queues[m].push_back(Some(hash));
                    queues[m].pop_front();
                }
            }
            played.push(s.key());
            r = s;
        };
        if outcome == Outcome::Win(!leaf.turn()) {
            for (queue, hash) in queues.iter_mut().zip(buffers) {
                queue.push_back(Some(hash));
                queue.pop_front();
            }
        }
        (played, candidates, outcome)
    }
}

/// Many playouts from a few leaves in turn, by both: the same games, the same candidates turned away.
fn agree<P: Simulate>(leaves: &[P], forbids: Forbids, length: u32, depth: usize) -> u64 {
    let tabu = Tabu::new(forbids, length, depth, Uniform);
    let mut scratch = Policy::<P>::scratch(&tabu);
    let mut slow = Slow { forbids, length: length as usize, depth, queues: BTreeMap::new() };
    let (mut fast_rng, mut slow_rng) = (Seed::new(4).rng(), Seed::new(4).rng());
    let mut turned_away = 0;
    for round in 0..200 {
        let v = round % leaves.len();
        let leaf = &leaves[v];
        let (played, candidates, outcome) = slow.playout(v as u32, leaf, &mut slow_rng);
        let mut position = leaf.clone();
        let (found, plies) = play_out(&mut position, v as u32, &tabu, &mut fast_rng, &mut scratch);
        assert_eq!((found, plies), (outcome, played.len()), "{forbids:?} L={length} M={depth} playout {round}");
        assert_eq!(position.key(), *played.last().unwrap_or(&leaf.key()));
        turned_away += candidates.iter().filter(|&&(_, tabu)| tabu).count() as u64;
        assert_eq!(tabu.counts().candidates(), turned_away);
        assert_eq!(tabu.counts().playouts(), round as u64 + 1);
    }
    turned_away
}

#[test]
fn the_lists_do_what_the_paper_says() {
    let starts = [ConnectFour::default(), ConnectFour::after("44").unwrap(), ConnectFour::after("123").unwrap()];
    for forbids in [Forbids::Moves, Forbids::States, Forbids::LostStates] {
        for (length, depth) in [(0, 5), (1, 1), (3, 2), (6, 5), (18, 5), (200, 9)] {
            let turned_away = agree(&starts, forbids, length, depth);
            assert_eq!(turned_away > 0, length > 0, "{forbids:?} {length} {depth}");
            agree(&[Nim::new(5), Nim::new(9)], forbids, length, depth);
        }
    }
}

/// Proposes what is written for the first ply of Nim with three; afterwards both sides take one.
struct Scripted(Mutex<VecDeque<usize>>);

impl Policy<Nim> for Scripted {
    type Scratch = Vec<<Nim as Position>::Move>;

    fn scratch(&self) -> Self::Scratch {
        Vec::new()
    }

    fn begin(&self, _position: &Nim, _node: u32, _moves: &mut Self::Scratch) {}

    fn choose(&self, position: &Nim, _rng: &mut Rng, moves: &mut Self::Scratch) -> Step<<Nim as Position>::Move> {
        if let Some(outcome) = position.generate(moves) {
            return Step::Break(outcome);
        }
        let first = position.key() == Nim::new(3).key();
        let index = if first { self.0.lock().unwrap().pop_front().unwrap() } else { 0 };
        Step::Continue(moves[index])
    }
}

/// Candidates turned away in each playout, the proposals being taken from the list as they are wanted.
fn by_hand(forbids: Forbids, proposals: &[usize], playouts: usize) -> Vec<u64> {
    let tabu = Tabu::new(forbids, 2, 1, Scripted(Mutex::new(proposals.iter().copied().collect())));
    let (mut scratch, mut rng) = (tabu.scratch(), Seed::new(1).rng());
    let mut turned_away = Vec::new();
    for _ in 0..playouts {
        let before = tabu.counts().candidates();
        play_out(&mut Nim::new(3), 0, &tabu, &mut rng, &mut scratch);
        turned_away.push(tabu.counts().candidates() - before);
    }
    assert!(tabu.inner.0.lock().unwrap().is_empty(), "every proposal was wanted");
    turned_away
}

/// L = 2, M = 1; N is NIL, a and c are the moves that take one and three:
/// c is played: [N c]. c, c are turned away: [c N], [N N]; c is played: [N c]. a is played: [c a]. c is turned away: [a N]; c is played.
#[test]
fn a_sequential_list_by_hand() {
    for forbids in [Forbids::Moves, Forbids::States] {
        assert_eq!(by_hand(forbids, &[2, 2, 2, 2, 0, 2, 2], 4), [0, 2, 0, 1]);
    }
}

/// Taking two (b) loses, taking one (a) or three (c) wins: only b is remembered.
/// b: [N b]. b, b are turned away: [N N]; b is played and lost: [N b]. c and a are won: [N b]. b is turned away: [b N]; a is played.
/// b is turned away: [N N]; c is played.
#[test]
fn a_list_of_lost_positions_by_hand() {
    assert_eq!(by_hand(Forbids::LostStates, &[1, 1, 1, 1, 2, 0, 1, 0, 1, 2], 6), [0, 2, 0, 0, 1, 1]);
}

/// The lists belong to the leaf, shrink with the plies before it, and are forgotten with the working memory.
#[test]
fn lists_belong_to_a_leaf_of_one_search() {
    let tabu = Tabu::new(Forbids::States, 18, 5, Uniform);
    let position = ConnectFour::default();
    let mut scratch = Policy::<ConnectFour>::scratch(&tabu);
    let mut moves = Vec::new();
    position.generate(&mut moves);
    let places = position.places();
    for (plies, length) in [(0, 18), (places / 4 + 1, 12), (places, 6)] {
        let past = vec![position.ply(); plies];
        tabu.arrive(&Question { past: &past, ..Question::of(&position, &moves) }, &mut scratch);
        assert_eq!(scratch.length, length);
    }
    let mut rng = Seed::new(3).rng();
    for _ in 0..30 {
        play_out(&mut position.clone(), 7, &tabu, &mut rng, &mut scratch);
    }
    let used = tabu.counts().candidates();
    assert!(used > 0);
    // Another leaf has lists of its own, and a new search has none.
    tabu.begin(&position, 8, &mut scratch);
    assert_eq!(scratch.first, 5);
    let fresh = Policy::<ConnectFour>::scratch(&tabu);
    assert_eq!(format!("{:?}", fresh.leaves), format!("{:?}", super::Leaves::new(5)));
}
