//! Who attacks what.

use yomi_core::Color;

use super::bits::Bits;
use super::board::Board;
use super::piece::Gait;
use super::square::Square;
use super::variant::Variant;

/// What a piece of that colour and gait attacks from a square, the first pieces met included.
#[inline]
pub(super) fn attacks<V: Variant>(color: Color, gait: Gait, from: Square, occupied: V::Bits) -> V::Bits {
    let steps = V::TABLES.steps[color.index()][gait as usize][from.index()];
    match gait {
        Gait::Lance => V::Bits::lance(color, from, occupied),
        Gait::Bishop | Gait::Horse => V::Bits::bishop(from, occupied) | steps,
        Gait::Rook | Gait::Dragon => V::Bits::rook(from, occupied) | steps,
        _ => steps,
    }
}

impl<V: Variant> Board<V> {
    /// The pieces of `color` that attack a square, with these squares occupied.
    #[inline]
    pub(super) fn attackers(&self, color: Color, square: Square, occupied: V::Bits) -> V::Bits {
        // A piece attacks the square if the other side's piece of the same gait, standing there, would attack it.
        let back = &V::TABLES.steps[(!color).index()];
        let step = |gait: Gait| back[gait as usize][square.index()] & self.gait(gait);
        let steppers = step(Gait::Pawn)
            | step(Gait::Knight)
            | step(Gait::Silver)
            | step(Gait::Gold)
            | step(Gait::King)
            | step(Gait::Horse)
            | step(Gait::Dragon);
        steppers & self.color(color) | self.slider_attackers(color, square, occupied)
    }

    /// The pieces of `color` that attack a square along a line, with these squares occupied.
    #[inline]
    pub(super) fn slider_attackers(&self, color: Color, square: Square, occupied: V::Bits) -> V::Bits {
        let mut found = V::Bits::EMPTY;
        let bishops = self.gait(Gait::Bishop) | self.gait(Gait::Horse);
        let rooks = self.gait(Gait::Rook) | self.gait(Gait::Dragon);
        found |= V::Bits::bishop(square, occupied) & bishops;
        found |= V::Bits::rook(square, occupied) & rooks;
        found |= V::Bits::lance(!color, square, occupied) & self.gait(Gait::Lance);
        found & self.color(color)
    }

    /// The pieces of `color` that shield their king on `king` from a sliding piece and may not leave its line.
    #[inline]
    pub(super) fn pinned(&self, color: Color, king: Square, occupied: V::Bits) -> V::Bits {
        self.shields(color, king, occupied) & self.color(color)
    }

    /// The pieces of either side that stand alone between `color`'s king on `king` and a sliding piece of the other side.
    #[inline]
    pub(super) fn shields(&self, color: Color, king: Square, occupied: V::Bits) -> V::Bits {
        let [file, rank, rising, falling] = V::TABLES.lines[king.index()];
        let bishops = (self.gait(Gait::Bishop) | self.gait(Gait::Horse)) & (rising | falling);
        let rooks = (self.gait(Gait::Rook) | self.gait(Gait::Dragon)) & (file | rank);
        // An empty board's lance: the squares from which an enemy lance looks at the king.
        let lances = self.gait(Gait::Lance) & V::Bits::lance(color, king, V::Bits::EMPTY);
        let mut alone = V::Bits::EMPTY;
        ((bishops | rooks | lances) & self.color(!color)).each(|slider| {
            let shields = V::TABLES.between[king.index()][slider.index()] & occupied;
            if !shields.is_many() {
                alone |= shields;
            }
        });
        alone
    }

    /// The squares next to `king` (and perhaps others) that `color` attacks, with these squares occupied.
    #[inline]
    pub(super) fn danger(&self, color: Color, king: Square, occupied: V::Bits) -> V::Bits {
        let mine = self.color(color);
        let mut danger = V::Bits::EMPTY;
        (mine & V::TABLES.near[color.index()][king.index()]).each(|from| {
            danger |= V::TABLES.steps[color.index()][self.gait_at(from) as usize][from.index()];
        });
        let bishops = self.gait(Gait::Bishop) | self.gait(Gait::Horse);
        (mine & bishops).each(|from| danger |= V::Bits::bishop(from, occupied));
        let rooks = self.gait(Gait::Rook) | self.gait(Gait::Dragon);
        (mine & rooks).each(|from| danger |= V::Bits::rook(from, occupied));
        (mine & self.gait(Gait::Lance)).each(|from| danger |= V::Bits::lance(color, from, occupied));
        danger
    }

    /// The gait of the piece on a square that has one.
    #[inline]
    pub(super) fn gait_at(&self, square: Square) -> Gait {
        self.piece(square).map_or(Gait::King, |piece| piece.kind.gait())
    }
}

/// All squares of the line through two squares; none unless they share one.
#[inline]
pub(super) fn line_through<V: Variant>(a: Square, b: Square) -> V::Bits {
    let lines = V::TABLES.lines[a.index()];
    let shared = lines.into_iter().find(|line| line.has(b));
    shared.map_or(V::Bits::EMPTY, |line| line | V::Bits::of(a))
}
