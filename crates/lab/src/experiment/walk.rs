//! Positions to look at: along a game of a player against itself.

use yomi_core::{Line, Notation, Rng, Seed};
use yomi_games::draw::Draw;
use yomi_search::Limits;

use super::workshop::{Factory, Failure};

/// No game of a player against itself is followed further.
const LONGEST: usize = 1000;

/// A game of `player` against itself after `random_plies` plies of chance, at most so long: its moves, the random ones included.
pub(crate) fn record<P: Notation + Draw>(
    start: P,
    factory: &dyn Factory<P>,
    player: &str,
    random_plies: u32,
    longest: Option<usize>,
    chance: Seed,
) -> Result<Vec<P::Move>, Failure> {
    let (mut search, limits) = factory.search(player, &mut |evaluator| evaluator)?;
    let (mut line, mut played) = random_line(start, random_plies, &mut chance.branch("opening", 0).rng());
    let mut moves = Vec::new();
    while played.len() < longest.unwrap_or(LONGEST).min(LONGEST) && line.generate(&mut moves).is_none() {
        let limits = Limits { seed: chance.branch("move", played.len() as u64), ..limits.clone() };
        let Some(mv) = search.search(&line, &limits, &mut ()).best else { break };
        line.play(mv);
        search.played(mv);
        played.push(mv);
    }
    if line.generate(&mut moves).is_some() && longest.is_some() {
        // The position is to be searched: the last move is taken back from a game that ended earlier.
        played.pop();
    }
    Ok(played)
}

/// This many random plies, fewer if the game would be over.
pub(crate) fn random_line<P: Notation>(start: P, plies: u32, rng: &mut Rng) -> (Line<P>, Vec<P::Move>) {
    let mut line = Line::new(start);
    let (mut played, mut moves) = (Vec::new(), Vec::new());
    for _ in 0..plies {
        if line.generate(&mut moves).is_some() || moves.is_empty() {
            break;
        }
        let mv = moves[rng.below(moves.len())];
        let mut next = line.clone();
        next.play(mv);
        if next.generate(&mut moves).is_some() {
            break;
        }
        line = next;
        played.push(mv);
    }
    (line, played)
}
