//! The signature of a build: one number that says two builds play alike. A worker refuses jobs that were planned by another one.
//!
//! It covers what perft counts, which moves come in which order under the full rules, what simulated games do, and how often every search
//! in every game visits its nodes.

use yomi_core::clock::Stopwatch;
use yomi_core::policy::play_out;
use yomi_core::rng::{Seed, fnv1a};
use yomi_core::{Line, Move, Outcome, TextError, Uniform};
use yomi_games::Count;
use yomi_search::{Limits, METHODS, Verdict};

use crate::{Game, OTHER_SEARCHES, Playable, Player, with_game};

/// The games whose rules are signed: the game, the depth of its perft, and how many playouts a bench measures.
pub const WORK: [(&str, u32, u64); 6] = [
    ("shogi", 5, 5_000),
    ("minishogi", 6, 50_000),
    ("go9", 3, 50_000),
    ("go13", 2, 20_000),
    ("go19", 2, 10_000),
    ("blokus-duo", 2, 30_000),
];

/// The part of the work that makes the signature: the same whatever the scale.
const SIGNED_PLAYOUTS: u64 = 200;

/// Seven digits are enough to distinguish builds, and few enough to be read aloud.
const SIGNATURES: u64 = 10_000_000;

/// Adds the signatures of games and searches up, in their order.
#[derive(Clone, Copy, Default, Debug)]
pub struct Signature(u64);

impl Signature {
    /// Adds one.
    pub fn add(&mut self, part: u64) {
        self.0 = fnv1a(&[self.0, part].map(u64::to_le_bytes).concat());
    }

    /// What `yomi bench` prints.
    pub fn number(self) -> u64 {
        self.0 % SIGNATURES
    }
}

/// The signature of this build, as `yomi bench` prints it; a second or two of work.
pub fn build_signature() -> Result<u64, TextError> {
    let mut whole = Signature::default();
    for &(name, depth, _) in &WORK {
        whole.add(with_game!(&name.parse()?, |start| of_game(&start, start.perft(depth))));
    }
    for name in search_names() {
        whole.add(SearchCounts::of(name)?.signature);
    }
    Ok(whole.number())
}

/// Everything that decides how a game plays: what perft counts (`nodes`), which moves come in which order under the full rules, and
/// what simulated games do.
pub fn of_game<P: Game>(start: &P, nodes: u64) -> u64 {
    let mut hash = nodes;
    let mut add = |number: u64| hash = fnv1a(&[hash, number].map(u64::to_le_bytes).concat());
    let seed = Seed::new(2);
    let mut scratch = P::Sampler::default();
    for game in 0..SIGNED_PLAYOUTS {
        let mut rng = seed.branch("signature", game).rng();
        let mut position = start.clone();
        let (outcome, plies) = play_out(&mut position, 0, &Uniform, &mut rng, &mut scratch);
        add(position.key());
        add(plies as u64);
        add(outcome_code(outcome));
    }
    let mut line = Line::new(start.clone());
    let mut moves = Vec::new();
    let mut rng = seed.branch("line", 0).rng();
    while line.generate(&mut moves).is_none() && line.len() < 200 {
        moves.iter().for_each(|&mv| add(u64::from(Move::to_bits(mv))));
        line.play(moves[rng.below(moves.len())]);
        add(line.position().key());
    }
    hash
}

fn outcome_code(outcome: Outcome) -> u64 {
    match outcome {
        Outcome::Win(color) => color as u64,
        Outcome::Draw => 2,
    }
}

/// The games of searches, each with an evaluation that all builds share and a temperature that suits its unit.
const GAMES: [(&str, &str, &str); 9] = [
    ("shogi", "quiet", "80"),
    ("minishogi", "quiet", "80"),
    ("go9", "rollout", "0.3"),
    ("go13", "rollout", "0.3"),
    ("go19", "rollout", "0.3"),
    ("blokus-duo", "rollout", "0.3"),
    ("tic-tac-toe", "rollout", "0.3"),
    ("connect-four", "rollout", "0.3"),
    ("nim", "rollout", "0.3"),
];

/// What a search may spend on a game: enough to visit some nodes twice, little enough for a table in seconds.
const SIMULATIONS: u64 = 1_000;
const EVALUATIONS: u64 = 1_500;
const NODES: u64 = 20_000;

/// The searches there are.
pub fn search_names() -> impl Iterator<Item = &'static str> {
    METHODS.iter().map(|entry| entry.name).chain(OTHER_SEARCHES.iter().map(|&(name, _)| name))
}

/// What one search did in all games.
#[derive(Clone, Copy, Default, Debug)]
pub struct SearchCounts {
    /// Its name.
    pub name: &'static str,
    /// Simulations.
    pub simulations: u64,
    /// Positions judged.
    pub evaluations: u64,
    /// Nodes.
    pub nodes: u64,
    /// CPU seconds.
    pub seconds: f64,
    /// The hash of everything that was counted.
    pub signature: u64,
}

impl SearchCounts {
    /// Lets the search think about the start of every game.
    pub fn of(name: &'static str) -> Result<SearchCounts, TextError> {
        let mut counts = SearchCounts { name, ..SearchCounts::default() };
        for (game, evaluator, temperature) in GAMES {
            let player: Player = format!("{} + {evaluator}", with_parameters(name, temperature)).parse()?;
            with_game!(&game.parse()?, |start| counts.think(&player, &Line::new(start))?);
        }
        Ok(counts)
    }

    fn think<P: Playable>(&mut self, player: &Player, line: &Line<P>) -> Result<(), TextError> {
        let limits = Limits {
            simulations: Some(SIMULATIONS),
            evaluations: Some(EVALUATIONS),
            nodes: Some(NODES),
            ..Limits::infinite().seeded(Seed::new(1))
        };
        let mut search = player.build::<P>()?;
        let watch = Stopwatch::start();
        let verdict = search.search(line, &limits, &mut ());
        self.seconds += watch.busy().as_secs_f64();
        self.simulations += verdict.simulations;
        self.evaluations += verdict.evaluations;
        self.nodes += verdict.nodes;
        self.signature = counted(self.signature, &verdict);
        Ok(())
    }
}

/// The search with temperatures for the game at hand and a small table where it has one.
fn with_parameters(name: &str, temperature: &str) -> String {
    let Some(entry) = METHODS.iter().find(|entry| entry.name == name) else {
        return if ["alpha-beta", "mcss-deep"].contains(&name) { format!("{name}(hash=4)") } else { name.to_string() };
    };
    let heats = entry.parameters.iter().filter(|p| ["t", "ts", "tb"].contains(&p.key));
    let heats: String = heats.map(|p| format!("{}={temperature},", p.key)).collect();
    format!("{name}({heats}hash=16)")
}

/// Everything about a search that is counted, and nothing that is computed: the last bit of a value may be the machine's.
fn counted<M: Move>(before: u64, verdict: &Verdict<M>) -> u64 {
    let mut numbers = vec![before, verdict.simulations, verdict.evaluations, verdict.nodes];
    numbers.extend(&verdict.nodes_per_depth);
    numbers.extend(verdict.moves.iter().flat_map(|row| [u64::from(row.mv.to_bits()), row.visits]));
    fnv1a(&numbers.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<u8>>())
}
