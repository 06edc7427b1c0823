//! What a pawn is worth in a learnt evaluation, so that its unit can be made the one of the papers (a pawn is 87).

use yomi_core::{Color, Position};
use yomi_eval::linear::{Layout, value};
use yomi_eval::material::PAWN;
use yomi_games::shogi::{Kind, Piece, Setup, Shogi, ShogiMove, Square, Variant};

use crate::games::Game;

/// The mean worth of a pawn to its owner, over the pawns on the board and in hand in every `step`-th position of the games: what the value
/// loses when it is taken away. None if there was no pawn.
pub fn pawn<V: Variant>(parameters: &[[f32; 2]], games: &[Game<ShogiMove>], step: usize) -> Option<f32> {
    let (mut sum, mut pawns) = (0.0, 0u32);
    for game in games {
        let mut position = Shogi::<V>::default();
        for (ply, &mv) in game.moves.iter().enumerate() {
            if ply >= game.random && ply.is_multiple_of(step.max(1)) {
                for (without, owner) in without_a_pawn(&position) {
                    let sign = if owner == position.turn() { 1.0 } else { -1.0 };
                    let layout = Layout::of::<V>();
                    sum += sign * (value(layout, parameters, &position) - value(layout, parameters, &without));
                    pawns += 1;
                }
            }
            position.play(mv);
        }
    }
    (pawns > 0).then(|| (sum / f64::from(pawns)) as f32)
}

/// Scales the parameters so that a pawn is worth [`PAWN`]. Where a pawn is worth nothing yet they stay as they are.
pub fn normalise(parameters: &mut [[f32; 2]], pawn: Option<f32>) {
    if let Some(pawn) = pawn.filter(|&pawn| pawn > 1.0) {
        parameters.as_flattened_mut().iter_mut().for_each(|x| *x *= PAWN / pawn);
    }
}

/// The position with one pawn less, for each pawn, and whose it was.
fn without_a_pawn<V: Variant>(position: &Shogi<V>) -> Vec<(Shogi<V>, Color)> {
    let mut setup = Setup { turn: position.turn(), ..Setup::default() };
    for square in Square::all::<V>() {
        setup.cells[square.index()] = position.piece_at(square);
    }
    for color in Color::BOTH {
        setup.hands[color.index()] = Kind::HAND.map(|kind| position.hand(color, kind));
    }
    let mut fewer = Vec::new();
    let mut note = |setup: &Setup, color: Color| {
        // Without a pawn a king may stand in check that may not.
        fewer.extend(setup.position(position.choices()).ok().map(|position| (position, color)));
    };
    for color in Color::BOTH {
        for square in Square::all::<V>() {
            if setup.cells[square.index()] == Some(Piece { color, kind: Kind::Pawn }) {
                let pawn = setup.cells[square.index()].take();
                note(&setup, color);
                setup.cells[square.index()] = pawn;
            }
        }
        if setup.hands[color.index()][Kind::Pawn.index()] > 0 {
            setup.hands[color.index()][Kind::Pawn.index()] -= 1;
            note(&setup, color);
            setup.hands[color.index()][Kind::Pawn.index()] += 1;
        }
    }
    fewer
}

#[cfg(test)]
mod tests {
    use super::*;
    use yomi_core::{Notation, Outcome};
    use yomi_games::shogi::{Nine, Shogi9};

    #[test]
    fn a_pawn_is_worth_what_the_parameters_say() {
        let layout = Layout::of::<Nine>();
        let mut parameters = vec![[0.0; 2]; layout.len()];
        parameters[layout.piece(Kind::Pawn)] = [40.0, 0.0];
        parameters[layout.piece(Kind::Rook)] = [500.0, 0.0];
        let start = Shogi9::default();
        let mv = start.parse_move("7g7f").unwrap();
        let game = Game { moves: vec![mv], random: 0, values: vec![0.0], outcome: Outcome::Draw };
        let found = pawn::<Nine>(&parameters, &[game], 1).unwrap();
        assert!((found - 40.0).abs() < 1e-3, "{found}");
        normalise(&mut parameters, Some(found));
        assert!((parameters[layout.piece(Kind::Pawn)][0] - PAWN).abs() < 1e-3);
        assert_eq!(pawn::<Nine>(&parameters, &[], 1), None);
        let before = parameters.clone();
        normalise(&mut parameters, Some(0.0));
        assert_eq!(parameters, before);
    }
}
