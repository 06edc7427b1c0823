//! One self-play game, between two evaluations that may differ.

use yomi_core::{Line, Outcome, Position, Seed};
use yomi_eval::Linear;
use yomi_games::shogi::{Shogi, ShogiMove, Variant};
use yomi_search::{AlphaBeta, AlphaBetaOptions, Limits, Proof, Search};

use crate::games::{Game, LONGEST};

/// How games are played.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SelfPlay {
    /// Nodes of alpha-beta per move.
    pub nodes: u64,
    /// Most random moves at the beginning of a game; at least half as many are played.
    pub random: usize,
    /// A game that lasts longer is drawn.
    pub plies: usize,
}

/// MiB of the table of a search as short as this.
const HASH: usize = 1;

/// Plays a game, Black by the first of the evaluations and White by the second. It depends on nothing but the arguments.
pub fn play<V: Variant>(evaluations: [&Linear<V>; 2], self_play: &SelfPlay, seed: Seed) -> Game<ShogiMove> {
    let mut rng = seed.rng();
    let options = AlphaBetaOptions { hash: HASH, ..AlphaBetaOptions::default() };
    let mut players = evaluations.map(|evaluation| AlphaBeta::tactical(evaluation.clone(), options));
    let random = self_play.random / 2 + rng.below(self_play.random - self_play.random / 2 + 1);
    let mut line = Line::new(Shogi::<V>::default());
    let mut game = Game { moves: Vec::new(), random, values: Vec::new(), outcome: Outcome::Draw };
    let mut legal = Vec::new();
    while game.moves.len() < self_play.plies.min(LONGEST) {
        if let Some(outcome) = line.generate(&mut legal) {
            game.outcome = outcome;
            break;
        }
        let ply = game.moves.len();
        let (mv, value) = if ply < random {
            (legal[rng.below(legal.len())], f32::NAN)
        } else {
            let limits = Limits::nodes(self_play.nodes).seeded(seed.branch("move", ply as u64));
            let turn = line.position().turn();
            let verdict = players[turn.index()].search(&line, &limits, &mut ());
            // The moves of a mate that was found teach nothing.
            match verdict.proof {
                Some(Proof::Win(_)) => {
                    game.outcome = Outcome::Win(turn);
                    break;
                }
                Some(Proof::Loss(_)) => {
                    game.outcome = Outcome::Win(!turn);
                    break;
                }
                _ => {}
            }
            (verdict.best.unwrap_or(legal[0]), verdict.value)
        };
        line.play(mv);
        game.moves.push(mv);
        game.values.push(value);
    }
    game.random = game.random.min(game.moves.len());
    game
}
