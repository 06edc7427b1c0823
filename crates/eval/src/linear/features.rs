//! Which parameters a position uses, said in the plainest way: what the learner differentiates, and the slow twin of `sums`.

use yomi_core::{Color, Position};
use yomi_games::shogi::{Bits, Kind, KingZone, Piece, Shogi, Square, Variant};

use super::layout::{Code, Layout, from_to, gait, place};

/// A parameter that a position uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Feature {
    /// The index of the parameter in the [`Layout`].
    pub index: usize,
    /// How often it counts for Black, whichever side is to move; negative for White.
    pub black: i32,
    /// How often it counts for the side to move, whichever that is.
    pub mover: i32,
}

/// The piece as `viewer` sees it.
fn seen_by(viewer: Color, piece: Piece) -> Code {
    piece.kind.index() + if piece.color == viewer { 0 } else { 14 }
}

fn sign(color: Color) -> i32 {
    if color == Color::Black { 1 } else { -1 }
}

/// Hands every feature of a position to `emit`; one parameter may come several times.
pub fn features<V: Variant>(layout: &Layout, position: &Shogi<V>, mut emit: impl FnMut(Feature)) {
    let on_board = |square| position.piece_at(square).map(|piece| (square, piece));
    let pieces: Vec<(Square, Piece)> = Square::all::<V>().filter_map(on_board).collect();
    for &(square, piece) in &pieces {
        let mut for_owner = |index| emit(Feature { index, black: sign(piece.color), mover: 0 });
        let home = if piece.color == Color::Black { square } else { square.turned::<V>() };
        for_owner(layout.piece(piece.kind));
        let (file, rank) = (home.file::<V>(), home.rank::<V>());
        for_owner(layout.square(piece.kind, usize::from(file) - 1, usize::from(rank) - 1));
    }
    for color in Color::BOTH {
        for kind in Kind::HAND {
            for n in 1..=usize::from(position.hand(color, kind)) {
                emit(Feature { index: layout.hand(kind), black: sign(color), mover: 0 });
                emit(Feature { index: layout.held(kind, n), black: sign(color), mover: 0 });
            }
        }
    }
    for (i, &(here, a)) in pieces.iter().enumerate() {
        for &(there, b) in &pieces[i + 1..] {
            let (files, ranks) = from_to::<V>(here, there, false);
            if let Some(place) = place(files, ranks) {
                let folded = layout.pair(seen_by(Color::Black, a), seen_by(Color::Black, b), place);
                emit(Feature { index: folded.index as usize, black: i32::from(folded.sign), mover: 1 });
            }
        }
    }
    for viewer in Color::BOTH {
        king_zone(layout, position, &pieces, viewer, &mut emit);
    }
    emit(Feature { index: layout.turn(), black: 0, mover: 1 });
}

/// The features of one side's king.
fn king_zone<V: Variant>(
    layout: &Layout,
    position: &Shogi<V>,
    pieces: &[(Square, Piece)],
    viewer: Color,
    emit: &mut impl FnMut(Feature),
) {
    let Some(king) = position.king(viewer) else { return };
    let mut seen = |index| emit(Feature { index, black: sign(viewer), mover: 1 });
    let mut near = Vec::new();
    for &(square, piece) in pieces.iter().filter(|(square, _)| *square != king) {
        let (files, ranks) = from_to::<V>(king, square, viewer == Color::White);
        seen(layout.seen_from_king(seen_by(viewer, piece), files, ranks));
        if let (Some(place), Some(gait)) = (place(files, ranks), gait(piece.kind)) {
            near.push(Layout::atom(piece.color != viewer, gait, place));
        }
    }
    for (i, &a) in near.iter().enumerate() {
        near[i + 1..].iter().for_each(|&b| seen(layout.triple(a, b)));
    }
    if let Some(KingZone { around, attacked, .. }) = position.king_zone(viewer) {
        let free = around.without(attacked).without(position.pieces(viewer));
        seen(layout.ring(free.len() as usize, attacked.len() as usize));
    }
}

/// Worth of a position for the side to move under these parameters, in their unit: the definition of the evaluation.
pub fn value<V: Variant>(layout: &Layout, parameters: &[[f32; 2]], position: &Shogi<V>) -> f64 {
    let side = f64::from(sign(position.turn()));
    let mut sum = 0.0;
    features(layout, position, |feature| {
        let [black, mover] = parameters[feature.index].map(f64::from);
        sum += side * f64::from(feature.black) * black + f64::from(feature.mover) * mover;
    });
    sum
}
