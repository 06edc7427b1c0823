//! Games of an evaluation against itself, for a network to learn from.

use yomi_core::{Evaluator, Line, Outcome, Position, Seed};
use yomi_games::shogi::{Shogi, ShogiMove, Variant};
use yomi_search::{AlphaBeta, AlphaBetaOptions, Limits, Proof, Search};

use crate::games::{Game, LONGEST};

/// How games are played.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Play {
    /// Nodes of alpha-beta per move.
    pub nodes: u64,
    /// Most random moves at the beginning of a game; at least half as many are played, with about as many searched moves between them.
    pub random: usize,
    /// A game that lasts longer is drawn.
    pub plies: usize,
    /// A game is over when two searches in a row agree that one side is ahead by this much.
    pub resign: f32,
}

/// MiB of the table of a search as short as this.
const HASH: usize = 1;

/// Plays a game. It depends on nothing but the arguments.
pub fn play<V: Variant, E: Evaluator<Shogi<V>> + Clone>(evaluation: &E, play: &Play, seed: Seed) -> Game<ShogiMove> {
    let mut rng = seed.rng();
    let options = AlphaBetaOptions { hash: HASH, ..AlphaBetaOptions::default() };
    let mut players = [0; 2].map(|_| AlphaBeta::tactical(evaluation.clone(), options));
    let random = play.random / 2 + rng.below(play.random - play.random / 2 + 1);
    let mut line = Line::new(Shogi::<V>::default());
    let mut game = Game { moves: Vec::new(), random: 2 * random, values: Vec::new(), outcome: Outcome::Draw };
    let mut legal = Vec::new();
    let mut before = 0.0;
    while game.moves.len() < play.plies.min(LONGEST) {
        if let Some(outcome) = line.generate(&mut legal) {
            game.outcome = outcome;
            break;
        }
        let ply = game.moves.len();
        let turn = line.position().turn();
        let (mv, value) = if ply < 2 * random && rng.chance(0.5) {
            (legal[rng.below(legal.len())], f32::NAN)
        } else {
            let limits = Limits::nodes(play.nodes).seeded(seed.branch("move", ply as u64));
            let verdict = players[turn.index()].search(&line, &limits, &mut ());
            let ahead = verdict.value.min(-before) >= play.resign;
            let behind = verdict.value.max(-before) <= -play.resign;
            match verdict.proof {
                Some(Proof::Win(_)) => game.outcome = Outcome::Win(turn),
                Some(Proof::Loss(_)) => game.outcome = Outcome::Win(!turn),
                _ if ahead => game.outcome = Outcome::Win(turn),
                _ if behind => game.outcome = Outcome::Win(!turn),
                _ => {}
            }
            // The moves of a mate that was found teach nothing.
            if game.outcome != Outcome::Draw {
                break;
            }
            (verdict.best.unwrap_or(legal[0]), verdict.value)
        };
        before = if value.is_nan() { 0.0 } else { value };
        line.play(mv);
        game.moves.push(mv);
        game.values.push(value);
    }
    game.random = game.random.min(game.moves.len());
    game
}
