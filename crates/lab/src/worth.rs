//! What a player said a position was worth, as records tell it: as Black sees it, and in a unit that can be read.

use yomi_core::Color;
use yomi_games::Worth;

use crate::row::GameRow;

/// What the player who made the move at `ply` said about it.
pub(crate) fn at(row: &GameRow, ply: usize, mover: Color) -> Option<Worth> {
    let index = ply.checked_sub(row.opening as usize)?;
    let value = row.values.get(index).copied().flatten()?;
    // A ledger does not keep the units, but they show: values from -1 to 1 throughout a game are results, anything else is counted in
    // something larger. A player that never says anything but zero (random) has no opinion.
    let own = row.values.iter().skip(index % 2).step_by(2).flatten();
    let largest = own.fold(0.0f32, |largest, value| largest.max(value.abs()));
    let black = if mover == Color::Black { value } else { -value };
    match largest {
        0.0 => None,
        bound if bound <= 1.0 => Some(Worth::Chance(black.midpoint(1.0))),
        _ => Some(Worth::Lead(black)),
    }
}
