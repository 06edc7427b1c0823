//! Games of a network against itself: hundreds at a time, all asking one device.
//!
//! A game is a function of the settings, its number, the seed and the network. Each thread has two tables, pools of searches that advance
//! together: while the device answers one, the thread works on the other. A seat goes to the next game as soon as it is free.

use serde::{Deserialize, Serialize};
use yomi_core::{AnyEvaluator, Cancel, Color, Line, Move, Outcome, Rng, Seed, TextError};
use yomi_learn::frozen::{Frozen, Rules};
use yomi_learn::policy::boltzmann;
use yomi_search::select::Select;
use yomi_search::tree::ROOT;
use yomi_search::{Limits, Method, Pool, Proof, TreeSearch, Verdict};

use crate::game::Trainable;
use crate::live::Live;
use crate::noise::Noisy;
use crate::policy_gradient::drawn_leaves;
use crate::samples::{Kind, Sample};
use crate::target;

/// How games are played.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Settings {
    /// The search, as text.
    pub method: String,
    /// Simulations of searches that are learned from.
    pub full: u64,
    /// Simulations of the other searches, which only carry the game on (playout-cap randomisation, Wu 2019).
    pub fast: u64,
    /// How likely a search is one to learn from.
    pub full_share: f32,
    /// Most random moves at the beginning of a game; half of the games have none.
    pub random: usize,
    /// Moves are drawn from the policy until as many have been played, unless the search is random itself.
    pub warm_plies: usize,
    /// The temperature of these draws.
    pub temperature: f32,
    /// A side resigns when its value was lower in two searches in a row; -1: never.
    pub resign_below: f32,
    /// The share of games in which neither side resigns, to see how often that would have been wrong.
    pub never_resign: f32,
    /// Games at the same time, for each thread.
    pub seats: usize,
    /// The share of Dirichlet noise in the priors of roots that are learned from; searches by Gumbel's method bring their own noise.
    #[serde(default)]
    pub noise: f32,
    /// Whether leaves of searches are kept for the policy gradient, and how (S0.8).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gradient: Option<Gradient>,
}

/// S0.8 in self-play: at searches that are learned from, the move is drawn from π ∝ exp(E*/T_a), and leaves of ∂ ln π/∂ω are kept.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Gradient {
    /// T_a, in units in which a won game is worth 1.
    pub t_a: f64,
    /// Leaves drawn per search.
    pub leaves: usize,
}

impl Gradient {
    /// Refuses searches through whose backups no gradient is known.
    pub fn check(&self, method: &Method) -> Result<(), TextError> {
        if !(self.t_a > 0.0 && self.t_a.is_finite() && self.leaves > 0) {
            return Err(TextError::new(
                "the policy gradient needs a temperature above 0 and a leaf per search at least",
            ));
        }
        Rules::of(&method.recipe, WIN).map(drop).map_err(|error| error.context("policy gradient"))
    }
}

/// What a won game is worth to networks.
const WIN: f32 = 1.0;

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            method: "gumbel(scale=0.3)".into(),
            full: 64,
            fast: 16,
            full_share: 0.3,
            random: 6,
            warm_plies: 12,
            temperature: 1.0,
            resign_below: -1.0,
            never_resign: 0.1,
            seats: 32,
            noise: 0.0,
            gradient: None,
        }
    }
}

/// A game that was played.
#[derive(Clone, PartialEq, Debug)]
pub struct Finished {
    /// Its number.
    pub number: u64,
    /// What can be learned from it.
    pub samples: Vec<Sample>,
    /// How it ended.
    pub outcome: Outcome,
    /// The moves, random ones included.
    pub moves: Vec<String>,
    /// Moves played, random ones included.
    pub plies: usize,
    /// Positions evaluated.
    pub evaluations: u64,
    /// The side that resigned.
    pub resigned: Option<Color>,
    /// In a game in which resigning is off: for each side the lowest value that it had twice in a row.
    pub lowest: Option<[f32; 2]>,
}

/// Who hands out games and takes them when they are played.
pub trait Desk: Sync {
    /// The number of the next game; none if there are no more.
    fn next(&self) -> Option<u64>;
    /// A game was played.
    fn finished(&self, game: Finished);
    /// Whether games under way are to be left.
    fn stopped(&self) -> bool;
    /// The value below which sides resign now.
    fn resign_below(&self) -> f32;
}

/// Plays until the desk has no more games.
pub fn play<P: Trainable>(
    start: &P,
    settings: &Settings,
    method: &Method,
    live: &Live,
    seed: &Seed,
    threads: usize,
    desk: &dyn Desk,
) {
    let seats = settings.seats.max(1);
    let work = || {
        let halves = [seats.div_ceil(2), seats / 2].into_iter().filter(|&seats| seats > 0);
        let tables = halves.map(|seats| Table::new(start, settings, method, live, seed, seats));
        play_tables(&mut tables.collect::<Vec<_>>(), desk);
    };
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads.max(1)).map(|_| scope.spawn(work)).collect();
        work();
        others.into_iter().for_each(|other| {
            // A thread that panics has said why; the games it had are not written.
            let _ = other.join();
        });
    });
}

/// Plays the games of one thread, table by table.
fn play_tables<P: Trainable>(tables: &mut [Table<'_, P>], desk: &dyn Desk) {
    let mut playing = true;
    while playing && !desk.stopped() {
        playing = false;
        for table in &mut *tables {
            playing |= table.advance(desk);
        }
    }
}

/// Half of the games of one thread.
struct Table<'a, P: Trainable> {
    start: &'a P,
    settings: &'a Settings,
    select: Select,
    live: &'a Live,
    seed: &'a Seed,
    noisy: Noisy,
    /// Behind the erased type, as every player searches: the same code, and one call per round.
    pool: Pool<P, AnyEvaluator<P>>,
    games: Vec<Option<Game<P>>>,
    /// Whether the search draws its moves itself.
    random_search: bool,
}

/// A game under way.
struct Game<P: Trainable> {
    number: u64,
    seed: Seed,
    rng: Rng,
    line: Line<P>,
    moves: Vec<String>,
    samples: Vec<(Sample, Color)>,
    /// Leaves, the player whose move they are about, and what the search expected for it.
    leaves: Vec<(Sample, Color, f32)>,
    full: bool,
    evaluations: u64,
    may_resign: bool,
    /// The last value of each side, and the lowest that it had twice in a row.
    last: [f32; 2],
    lowest: [f32; 2],
}

impl<'a, P: Trainable> Table<'a, P> {
    fn new(
        start: &'a P,
        settings: &'a Settings,
        method: &Method,
        live: &'a Live,
        seed: &'a Seed,
        seats: usize,
    ) -> Self {
        let mut method = method.clone();
        // Each search has its own noise and its own plan: it begins with an empty tree and one sample in flight.
        (method.options.reuse, method.options.flights, method.options.threads) = (false, 1, 1);
        // Room for a thousand simulations of most games; thousands of trees are in use at a time.
        method.options.hash = method.options.hash.min(2);
        let random_search = matches!(method.recipe.select, Select::Gumbel(_));
        let noisy = Noisy::new(live.clone(), if random_search { 0.0 } else { settings.noise });
        let pool = Pool::new((0..seats).map(|_| TreeSearch::new(method.clone(), AnyEvaluator::new(noisy.clone()))));
        let games = (0..seats).map(|_| None).collect();
        Table { start, settings, select: method.recipe.select, live, seed, noisy, pool, games, random_search }
    }

    /// Takes the answers of the last round, brings games on and asks again. False if there is nothing more to play.
    fn advance(&mut self, desk: &dyn Desk) -> bool {
        self.pool.land(Cancel::NEVER);
        for seat in 0..self.games.len() {
            while !self.pool.is_running(seat) && !desk.stopped() {
                if !self.go_on(seat, desk) {
                    break;
                }
            }
        }
        self.pool.launch(Cancel::NEVER) > 0 || self.games.iter().any(Option::is_some)
    }

    /// Brings a seat whose search has ended to its next search. False if there is nothing more to play.
    fn go_on(&mut self, seat: usize, desk: &dyn Desk) -> bool {
        let Some(mut game) = self.games[seat].take() else {
            let Some(number) = desk.next() else { return false };
            let game = self.begin(number);
            self.ask(seat, game, desk);
            return true;
        };
        if let Some(verdict) = self.pool.take_verdict(seat) {
            // Gumbel's search keeps what the network said about the root; the others need it not.
            let own = match self.pool.search_mut(seat) {
                Some(search) if self.random_search => 0.0 - search.tree().auxiliary(ROOT),
                _ => 0.0,
            };
            let tree = self.frozen(seat, &game, &verdict);
            if let Some(outcome) = self.take(&mut game, &verdict, own, tree.as_ref(), desk) {
                let resigned = (outcome != Outcome::Draw && game.may_resign && verdict.proof.is_none())
                    .then(|| game.line.position().turn());
                desk.finished(game.finish(outcome, resigned));
                return true;
            }
        }
        self.ask(seat, game, desk);
        true
    }

    /// The tree of a search that the policy gradient goes through. A proof leaves nothing to learn.
    fn frozen(&mut self, seat: usize, game: &Game<P>, verdict: &Verdict<P::Move>) -> Option<Frozen> {
        self.settings.gradient.as_ref().filter(|_| game.full && verdict.proof.is_none())?;
        let search = self.pool.search_mut(seat)?;
        Frozen::of(search.tree(), &search.method().recipe, WIN).ok()
    }

    /// A game after its random moves.
    fn begin(&self, number: u64) -> Game<P> {
        let seed = self.seed.branch("game", number);
        let mut rng = seed.branch("chance", 0).rng();
        let mut line = Line::new(self.start.clone());
        let (mut moves, mut played) = (Vec::new(), Vec::new());
        let random = if rng.chance(0.5) { 0 } else { rng.below(self.settings.random + 1) };
        for _ in 0..random {
            if line.generate(&mut moves).is_some() {
                break;
            }
            let mv = moves[rng.below(moves.len())];
            played.push(line.position().move_text(mv));
            line.play(mv);
        }
        if line.generate(&mut moves).is_some() {
            line = Line::new(self.start.clone());
            played.clear();
        }
        let may_resign = !rng.chance(self.settings.never_resign);
        Game {
            number,
            seed,
            rng,
            line,
            moves: played,
            samples: Vec::new(),
            leaves: Vec::new(),
            full: false,
            evaluations: 0,
            may_resign,
            last: [1.0; 2],
            lowest: [1.0; 2],
        }
    }

    /// Ends a game that is over, or begins its next search.
    fn ask(&mut self, seat: usize, mut game: Game<P>, desk: &dyn Desk) {
        let mut moves = Vec::new();
        let over = game.line.generate(&mut moves);
        let broken_off = || game.line.position().broken_off();
        let cut = game.line.len() >= game.line.position().longest_game();
        if let Some(outcome) = over.or_else(|| cut.then(broken_off)) {
            desk.finished(game.finish(outcome, None));
            return;
        }
        game.full = game.rng.chance(self.settings.full_share);
        let simulations = if game.full { self.settings.full } else { self.settings.fast };
        // The first simulation is the root itself.
        let limits = Limits::simulations(simulations + 1).seeded(game.seed.branch("search", game.line.len() as u64));
        self.noisy.announce(game.full.then_some(limits.seed));
        self.pool.begin(seat, &game.line, &limits);
        self.games[seat] = Some(game);
    }

    /// Learns from a verdict and plays a move; how the game has ended, if a side resigns or the result is proven.
    fn take(
        &self,
        game: &mut Game<P>,
        verdict: &Verdict<P::Move>,
        own: f32,
        tree: Option<&Frozen>,
        desk: &dyn Desk,
    ) -> Option<Outcome> {
        let position = game.line.position();
        let turn = position.turn();
        game.evaluations += verdict.evaluations;
        let policy = target::policy(&self.select, verdict, own);
        let value = match verdict.proof {
            Some(Proof::Win(_)) => 1.0,
            Some(Proof::Loss(_)) => -1.0,
            Some(Proof::Draw) => 0.0,
            None => verdict.value.clamp(-1.0, 1.0),
        };
        if game.full {
            let mut sample = Sample::new(game.number, game.line.len() as u16, position.pack(turn));
            let labels = verdict.moves.iter().map(|row| position.label(row.mv) as u16);
            sample.policy = labels.zip(policy.iter().copied()).filter(|&(_, p)| p > 1e-5).collect();
            sort(&mut sample.policy);
            sample.value = value;
            sample.surprise = target::surprise(&policy, &verdict.moves);
            sample.step = self.live.current().1;
            game.samples.push((sample, turn));
        }
        if position.ends_when_proven() {
            match verdict.proof {
                Some(Proof::Win(_)) => return Some(Outcome::Win(turn)),
                Some(Proof::Loss(_)) => return Some(Outcome::Win(!turn)),
                _ => {}
            }
        }
        let twice = value.max(game.last[turn.index()]);
        game.last[turn.index()] = value;
        game.lowest[turn.index()] = game.lowest[turn.index()].min(twice);
        if game.may_resign && twice < desk.resign_below() {
            return Some(Outcome::Win(!turn));
        }
        if let (Some(tree), Some(gradient)) = (tree, &self.settings.gradient) {
            let mv = self.draw_by_gradient(game, gradient, tree, value);
            game.play(mv);
            return None;
        }
        let warm = game.line.len() < self.settings.warm_plies && !self.random_search && verdict.proof.is_none();
        let best = if warm { Some(target::draw(&policy, self.settings.temperature, &mut game.rng)) } else { None };
        let mv = best.map_or(verdict.best, |i| Some(verdict.moves[i].mv))?;
        game.play(mv);
        None
    }

    /// S0.8: draws a move from π ∝ exp(E*/T_a) and keeps leaves of ∂ ln π/∂ω; `value` is what the search expects, the baseline of the
    /// advantage.
    fn draw_by_gradient(&self, game: &mut Game<P>, gradient: &Gradient, tree: &Frozen, value: f32) -> P::Move {
        let policy: Vec<f32> = boltzmann(tree.choices(0), gradient.t_a).into_iter().map(|p| p as f32).collect();
        let child = tree.children(0).start + target::draw(&policy, 1.0, &mut game.rng);
        let mv = P::Move::from_bits(tree.nodes[child].mv);
        let turn = game.line.position().turn();
        for leaf in drawn_leaves(tree, &game.line, mv, gradient.t_a, gradient.leaves, &mut game.rng) {
            let mut sample = Sample::new(game.number, game.line.len() as u16, leaf.position);
            (sample.kind, sample.value, sample.step) = (Kind::Leaf, leaf.coefficient, self.live.current().1);
            game.leaves.push((sample, turn, value));
        }
        mv
    }
}

impl<P: Trainable> Game<P> {
    fn play(&mut self, mv: P::Move) {
        let text = self.line.position().move_text(mv);
        self.moves.push(text);
        self.line.play(mv);
    }

    fn finish(self, outcome: Outcome, resigned: Option<Color>) -> Finished {
        let position = self.line.position();
        // Where a side resigned the points are not known.
        let margin = position.margin().filter(|_| resigned.is_none());
        let owners = if resigned.is_none() { position.final_owners() } else { Vec::new() };
        let complete = |(mut sample, turn): (Sample, Color)| {
            sample.finish(turn, outcome, margin, &owners);
            sample
        };
        // REINFORCE with the search's value as baseline: the advantage of the result for the player who moved, times ∂ ln π/∂v.
        let weighed = |(mut sample, turn, expected): (Sample, Color, f32)| {
            sample.value *= outcome.value_for(turn, WIN) - expected;
            sample
        };
        let leaves = self.leaves.into_iter().map(weighed);
        Finished {
            number: self.number,
            plies: self.line.len(),
            moves: self.moves,
            evaluations: self.evaluations,
            outcome,
            resigned,
            lowest: (!self.may_resign).then_some(self.lowest),
            samples: self.samples.into_iter().map(complete).chain(leaves).collect(),
        }
    }
}

/// The most probable labels first; not generic, so that it is compiled once for all games.
fn sort(policy: &mut [(u16, f32)]) {
    policy.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
}
