//! One game to learn from.

use std::sync::Arc;

use yomi_core::clock::Stopwatch;
use yomi_core::{Evaluator, Line, Move, Outcome, Position, Rng, Seed, TextError};
use yomi_search::{Limits, Method as SearchMethod, Proof, Search, TreeSearch};

use crate::frozen::Frozen;
use crate::gradient_sum::{Accumulator, Sparse};
use crate::methods::{Method, Note, Searched, score, win_probability};
use crate::model::{Model, Resolver};
use crate::policy::boltzmann;
use crate::records::Recorded;

/// What all games of a step have in common.
pub(super) struct Setting<'a, P: Position, M: Model<P>> {
    pub(super) model: &'a M,
    pub(super) method: &'a dyn Method<P, M>,
    pub(super) search: &'a SearchMethod,
    pub(super) start: &'a P,
    pub(super) limits: Limits,
    /// T_a.
    pub(super) temperature: f64,
    pub(super) random: usize,
    pub(super) plies: usize,
    /// How many leaves a gradient is made of.
    pub(super) leaves: usize,
    /// K, for how well results are explained.
    pub(super) k: f64,
}

/// A player of a game.
pub(super) struct Player<E> {
    pub(super) evaluator: Arc<E>,
    /// The parameters, if it learns.
    pub(super) parameters: Option<Arc<[f64]>>,
    /// By what T_a is multiplied.
    pub(super) heat: f64,
}

impl<E> Clone for Player<E> {
    fn clone(&self) -> Self {
        Player { evaluator: Arc::clone(&self.evaluator), parameters: self.parameters.clone(), heat: self.heat }
    }
}

/// What a game has brought.
#[derive(Clone, PartialEq, Debug)]
pub struct Episode {
    /// The step uphill.
    pub step: Sparse,
    /// How the game ended.
    pub outcome: Outcome,
    /// Its length.
    pub plies: usize,
    /// The moves, by their bits.
    pub moves: Vec<u16>,
    /// How many moves were learned from.
    pub notes: usize,
    /// Sum of the method's losses over them.
    pub loss: f64,
    /// Sum of the cross-entropies between what the searches expected and the result.
    pub explained: f64,
    /// CPU seconds of searches, and of what was learned from them.
    pub seconds: [f64; 2],
    /// CPU seconds of the whole game.
    pub whole: f64,
}

/// Plays a game, Black by the first player. It depends on nothing but the arguments.
pub(super) fn play<P: Position, M: Model<P>>(
    setting: &Setting<'_, P, M>,
    players: &[Player<M::Evaluator>; 2],
    sum: &mut Accumulator,
    seed: Seed,
) -> Result<Episode, TextError> {
    let mut rng = seed.rng();
    let random = setting.random / 2 + rng.below(setting.random - setting.random / 2 + 1);
    let mut table = Seats::new(setting, players);
    let mut line = Line::new(setting.start.clone());
    let (mut legal, mut outcome, mut played) = (Vec::new(), Outcome::Draw, Vec::new());
    while line.len() < setting.plies {
        if let Some(end) = line.generate(&mut legal) {
            outcome = end;
            break;
        }
        if line.len() < random {
            let mv = legal[rng.below(legal.len())];
            played.push(mv.to_bits());
            line.play(mv);
            continue;
        }
        let seed = seed.branch("move", line.len() as u64);
        match table.think(&line, seed)? {
            Thought::Proven(end, trees) => {
                if setting.method.learns_from_proofs() {
                    table.note(&line, &trees, 0, sum, seed);
                }
                outcome = end;
                break;
            }
            Thought::Trees(trees) => {
                let policy = boltzmann(&setting.method.choices(&trees), table.temperature(&line));
                let chosen = draw(&policy, &mut rng);
                table.note(&line, &trees, chosen, sum, seed);
                let bits = trees[0].nodes[trees[0].children(0).start + chosen].mv;
                played.push(bits);
                line.play(P::Move::from_bits(bits));
            }
        }
    }
    Ok(table.conclude(outcome, played, sum))
}

/// Goes through a game that was played by others, as far as our rules let it go on.
pub(super) fn replay<P: Position, M: Model<P>>(
    setting: &Setting<'_, P, M>,
    players: &[Player<M::Evaluator>; 2],
    Recorded { start, game }: &Recorded<P>,
    sum: &mut Accumulator,
    seed: Seed,
) -> Result<Episode, TextError> {
    let mut table = Seats::new(setting, players);
    let mut line = Line::new(start.clone());
    let (mut legal, mut moves) = (Vec::new(), Vec::with_capacity(game.moves.len()));
    for (ply, &mv) in game.moves.iter().enumerate() {
        // Others repeat positions by other rules.
        if line.generate(&mut legal).is_some() || !legal.contains(&mv) {
            break;
        }
        if ply >= game.random {
            let seed = seed.branch("move", ply as u64);
            if let Thought::Trees(trees) = table.think(&line, seed)?
                && let Some(played) = trees[0].children(0).position(|child| trees[0].nodes[child].mv == mv.to_bits())
            {
                table.note(&line, &trees, played, sum, seed);
            }
        }
        moves.push(mv.to_bits());
        line.play(mv);
    }
    Ok(table.conclude(game.outcome, moves, sum))
}

/// What a search has found.
enum Thought {
    /// Who wins.
    Proven(Outcome, Vec<Frozen>),
    /// What to choose from.
    Trees(Vec<Frozen>),
}

/// For each side a search, and what follows its quiescence searches.
struct Seats<'a, P: Position, M: Model<P>> {
    setting: &'a Setting<'a, P, M>,
    players: &'a [Player<M::Evaluator>; 2],
    searches: [TreeSearch<P, Arc<M::Evaluator>>; 2],
    resolvers: [Resolver<'a, P, M::Evaluator>; 2],
    /// The move that the last search found best, as bits.
    best: Option<u16>,
    notes: Vec<Note>,
    /// How many plies lay behind each note.
    at: Vec<usize>,
    seconds: [f64; 2],
}

impl<'a, P: Position, M: Model<P>> Seats<'a, P, M> {
    fn new(setting: &'a Setting<'a, P, M>, players: &'a [Player<M::Evaluator>; 2]) -> Self {
        let search =
            |player: &Player<M::Evaluator>| TreeSearch::new(setting.search.clone(), Arc::clone(&player.evaluator));
        Seats {
            setting,
            players,
            searches: [search(&players[0]), search(&players[1])],
            resolvers: [Resolver::new(&*players[0].evaluator), Resolver::new(&*players[1].evaluator)],
            best: None,
            notes: Vec::new(),
            at: Vec::new(),
            seconds: [0.0; 2],
        }
    }

    /// T_a of the side to move.
    fn temperature(&self, line: &Line<P>) -> f64 {
        self.setting.temperature * self.players[line.position().turn().index()].heat
    }

    fn think(&mut self, line: &Line<P>, seed: Seed) -> Result<Thought, TextError> {
        let turn = line.position().turn();
        let search = &mut self.searches[turn.index()];
        let win = self.players[turn.index()].evaluator.win();
        let limits = self.setting.method.limits(self.setting.limits.clone());
        let (mut trees, mut proven) = (Vec::new(), None);
        for attempt in 0..self.setting.method.tries() {
            // Every search starts from nothing, so that its tree is what its limits say.
            search.new_game();
            let seed = if attempt == 0 { seed } else { seed.branch("try", attempt as u64) };
            let watch = Stopwatch::start();
            let verdict = search.search(line, &limits.clone().seeded(seed), &mut ());
            self.seconds[0] += watch.busy().as_secs_f64();
            // The copy is for the learner: a player needs the root alone.
            let watch = Stopwatch::start();
            trees.push(match self.setting.method.needs_tree() {
                true => Frozen::of(search.tree(), &search.method().recipe, win)?,
                false => Frozen::root_of(search.tree(), win),
            });
            if attempt == 0 {
                self.best = verdict.best.map(Move::to_bits);
            }
            self.seconds[1] += watch.busy().as_secs_f64();
            proven = match verdict.proof {
                Some(Proof::Win(_)) => Some(Outcome::Win(turn)),
                Some(Proof::Loss(_)) => Some(Outcome::Win(!turn)),
                _ => continue,
            };
            break;
        }
        Ok(match proven {
            Some(outcome) => Thought::Proven(outcome, trees),
            None => Thought::Trees(trees),
        })
    }

    /// Takes a note, if the side to move learns.
    fn note(&mut self, line: &Line<P>, trees: &[Frozen], played: usize, sum: &mut Accumulator, seed: Seed) {
        let (index, t_a, watch) = (line.position().turn().index(), self.temperature(line), Stopwatch::start());
        let Some(parameters) = &self.players[index].parameters else { return };
        let mut searched = Searched {
            line,
            tree: &trees[0],
            trees,
            best: trees[0].children(0).position(|child| Some(trees[0].nodes[child].mv) == self.best),
            played,
            t_a,
            model: self.setting.model,
            parameters,
            resolver: &mut self.resolvers[index],
            leaves: self.setting.leaves,
            sum,
            seed: seed.branch("note", 0),
        };
        self.notes.push(self.setting.method.note(&mut searched));
        self.at.push(line.len());
        self.seconds[1] += watch.busy().as_secs_f64();
    }

    fn conclude(self, outcome: Outcome, moves: Vec<u16>, sum: &mut Accumulator) -> Episode {
        let Seats { setting, notes, at, mut seconds, .. } = self;
        let plies = moves.len();
        let watch = Stopwatch::start();
        let left: Vec<usize> = at.iter().map(|&at| plies.saturating_sub(at)).collect();
        let credits = setting.method.credits(&notes, outcome, &left);
        let mut explained = 0.0;
        for (note, credit) in notes.iter().zip(&credits) {
            note.direction.iter().for_each(|(index, x)| sum.add(index, credit * x));
            let p = win_probability(note.value, setting.k).clamp(1e-6, 1.0 - 1e-6);
            explained += crate::gradient::cross_entropy(p, score(outcome, note.turn));
        }
        let loss = notes.iter().map(|note| note.loss).sum();
        let step = sum.take();
        seconds[1] += watch.busy().as_secs_f64();
        Episode { step, outcome, plies, moves, notes: notes.len(), loss, explained, seconds, whole: 0.0 }
    }
}

/// An index by its probability.
fn draw(probabilities: &[f64], rng: &mut Rng) -> usize {
    let mut left = f64::from(rng.unit());
    for (i, p) in probabilities.iter().enumerate() {
        left -= p;
        if left < 0.0 {
            return i;
        }
    }
    // What rounding leaves over belongs to the likeliest.
    let likelier = |best: usize, i: usize| if probabilities[i] > probabilities[best] { i } else { best };
    (0..probabilities.len()).fold(0, likelier)
}
