//! Who attacks what.

use yomi_core::Color;

use super::bits::Bits;
use super::board::Board;
use super::piece::Gait;
use super::square::Square;
use super::variant::Variant;

/// What a piece of that colour and gait attacks from a square, the first pieces met included.
///
/// Inlined always: where the gait is a constant only its own arm remains.
#[inline(always)]
pub(super) fn attacks<V: Variant>(color: Color, gait: Gait, from: Square, occupied: V::Bits) -> V::Bits {
    let king = V::TABLES.reach[color.index()][Gait::King as usize][from.index()];
    match gait {
        Gait::Lance => V::Bits::lance(color, from, occupied),
        Gait::Bishop => V::Bits::bishop(from, occupied),
        Gait::Rook => V::Bits::rook(from, occupied),
        Gait::Horse => V::Bits::bishop(from, occupied) | king,
        Gait::Dragon => V::Bits::rook(from, occupied) | king,
        _ => V::TABLES.reach[color.index()][gait as usize][from.index()],
    }
}

impl<V: Variant> Board<V> {
    /// Bishops and horses.
    #[inline]
    pub(super) fn diagonal_sliders(&self) -> V::Bits {
        self.gait(Gait::Bishop) | self.gait(Gait::Horse)
    }

    /// Rooks and dragons.
    #[inline]
    pub(super) fn straight_sliders(&self) -> V::Bits {
        self.gait(Gait::Rook) | self.gait(Gait::Dragon)
    }

    /// Everything that moves along lines.
    #[inline]
    pub(super) fn sliders(&self) -> V::Bits {
        self.gait(Gait::Lance) | self.diagonal_sliders() | self.straight_sliders()
    }

    /// The pieces of `color` that attack a square, with these squares occupied.
    #[inline]
    pub(super) fn attackers(&self, color: Color, square: Square, occupied: V::Bits) -> V::Bits {
        // A piece attacks the square if the other side's piece of the same gait, standing there, would attack it.
        let back = &V::TABLES.reach[(!color).index()];
        let step = |gait: Gait| back[gait as usize][square.index()] & self.gait(gait);
        let royal = self.gait(Gait::King) | self.gait(Gait::Horse) | self.gait(Gait::Dragon);
        let steppers = step(Gait::Pawn)
            | step(Gait::Knight)
            | step(Gait::Silver)
            | step(Gait::Gold)
            | back[Gait::King as usize][square.index()] & royal;
        steppers & self.color(color) | self.slider_attackers(color, square, occupied)
    }

    /// The pieces of `color` that attack a square along a line, with these squares occupied.
    #[inline]
    pub(super) fn slider_attackers(&self, color: Color, square: Square, occupied: V::Bits) -> V::Bits {
        let found = V::Bits::bishop(square, occupied) & self.diagonal_sliders()
            | V::Bits::rook(square, occupied) & self.straight_sliders()
            | V::Bits::lance(!color, square, occupied) & self.gait(Gait::Lance);
        found & self.color(color)
    }

    /// The pieces of `color` that shield their king on `king` from a sliding piece and may not leave its line.
    #[inline]
    pub(super) fn pinned(&self, color: Color, king: Square, occupied: V::Bits) -> V::Bits {
        self.shields(color, king, !color, occupied)
    }

    /// The pieces of `color` that stand alone between `king` and a sliding piece of `attacker`.
    #[inline]
    pub(super) fn shields(&self, color: Color, king: Square, attacker: Color, occupied: V::Bits) -> V::Bits {
        // An attacker's lance looks at the king from where a lance of the other side, standing there, looks.
        let reach = &V::TABLES.reach[(!attacker).index()];
        let sliders = reach[Gait::Bishop as usize][king.index()] & self.diagonal_sliders()
            | reach[Gait::Rook as usize][king.index()] & self.straight_sliders()
            | reach[Gait::Lance as usize][king.index()] & self.gait(Gait::Lance);
        let mut found = V::Bits::EMPTY;
        (sliders & self.color(attacker)).each(|slider| {
            let shields = V::TABLES.between[king.index()][slider.index()] & occupied;
            if !shields.is_many() {
                found |= shields & self.color(color);
            }
        });
        found
    }

    /// The squares next to `king` (and perhaps others) that `color` attacks, with these squares occupied.
    #[inline]
    pub(super) fn danger(&self, color: Color, king: Square, occupied: V::Bits) -> V::Bits {
        let mine = self.color(color);
        let mut danger = (mine & self.gait(Gait::Pawn)).forward(color);
        let mut add = |pieces: V::Bits, gait: Gait| {
            // Most pieces are too far away, whatever stands between.
            let near = V::TABLES.near[color.index()][gait as usize][king.index()];
            (mine & pieces & near).each(|from| danger |= attacks::<V>(color, gait, from, occupied));
        };
        add(self.gait(Gait::Lance), Gait::Lance);
        add(self.gait(Gait::Knight), Gait::Knight);
        add(self.gait(Gait::Silver), Gait::Silver);
        add(self.gait(Gait::Gold), Gait::Gold);
        add(self.gait(Gait::King) | self.gait(Gait::Horse) | self.gait(Gait::Dragon), Gait::King);
        add(self.diagonal_sliders(), Gait::Bishop);
        add(self.straight_sliders(), Gait::Rook);
        danger
    }
}

/// All squares of the line through two squares; none unless they share one.
#[inline]
pub(super) fn line_through<V: Variant>(a: Square, b: Square) -> V::Bits {
    let lines = V::TABLES.lines[a.index()];
    let shared = lines.into_iter().find(|line| line.has(b));
    shared.map_or(V::Bits::EMPTY, |line| line | V::Bits::of(a))
}
