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

/// How a piece steps that may also go along lines.
#[inline]
fn step(gait: Gait) -> Gait {
    match gait {
        Gait::Horse | Gait::Dragon => Gait::King,
        gait => gait,
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
        // Most sliding pieces do not even stand on a line with the square: that is seen at once.
        let (mine, back) = (self.color(color), &V::TABLES.reach[(!color).index()]);
        let on_line = |gait: Gait, pieces: V::Bits| back[gait as usize][square.index()] & pieces & mine;
        let diagonal = on_line(Gait::Bishop, self.diagonal_sliders());
        let straight = on_line(Gait::Rook, self.straight_sliders());
        let lances = on_line(Gait::Lance, self.gait(Gait::Lance));
        let mut found = V::Bits::EMPTY;
        if !diagonal.is_empty() {
            found |= diagonal & V::Bits::bishop(square, occupied);
        }
        if !straight.is_empty() {
            found |= straight & V::Bits::rook(square, occupied);
        }
        if !lances.is_empty() {
            found |= lances & V::Bits::lance(!color, square, occupied);
        }
        found
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
        self.near_steps(color, king) | self.near_lines(color, king, occupied)
    }

    /// What the pieces of `color` attack with steps that stand near enough to attack a neighbour of `king`.
    #[inline]
    fn near_steps(&self, color: Color, king: Square) -> V::Bits {
        let mine = self.color(color);
        let reach = &V::TABLES.reach[color.index()];
        let mut danger = (mine & self.gait(Gait::Pawn)).forward(color);
        // One loop for all, which is more easily foreseen than one for each gait. Most pieces are too far away.
        let lines_only = self.gait(Gait::Lance) | self.gait(Gait::Bishop) | self.gait(Gait::Rook);
        let steppers = (mine & self.near_squares(color, king)).without(self.gait(Gait::Pawn) | lines_only);
        steppers.each(|from| danger |= reach[step(self.gait_at(from)) as usize][from.index()]);
        danger
    }

    /// What the sliding pieces of `color` attack along lines that on an empty board would attack a neighbour of `king`.
    #[inline]
    pub(super) fn near_lines(&self, color: Color, king: Square, occupied: V::Bits) -> V::Bits {
        let mine = self.color(color);
        let mut lines = V::Bits::EMPTY;
        let mut add = |pieces: V::Bits, gait: Gait| {
            let near = V::TABLES.near[color.index()][gait as usize][king.index()];
            (mine & pieces & near).each(|from| lines |= attacks::<V>(color, gait, from, occupied));
        };
        add(self.gait(Gait::Lance), Gait::Lance);
        add(self.diagonal_sliders(), Gait::Bishop);
        add(self.straight_sliders(), Gait::Rook);
        lines
    }

    /// The squares near `king` whose contents decide what steps of `color` attack around it.
    #[inline]
    fn near_squares(&self, color: Color, king: Square) -> V::Bits {
        let near = &V::TABLES.near[color.index()];
        let from = |gait: Gait| near[gait as usize][king.index()];
        from(Gait::Pawn) | from(Gait::Knight) | from(Gait::Silver) | from(Gait::Gold) | from(Gait::King)
    }

    /// The squares next to the king of `side`, those of them that the other side attacks (the king itself hides none), and the squares
    /// that decide it.
    #[inline]
    pub(super) fn around(&self, side: Color) -> Option<KingZone<V::Bits>> {
        let king = self.king(side)?;
        let around = V::TABLES.reach[side.index()][Gait::King as usize][king.index()];
        let without_king = self.occupied().without(V::Bits::of(king));
        let lines = self.near_lines(!side, king, without_king);
        let attacked = around & (self.near_steps(!side, king) | lines);
        let sliders = self.sliders() & self.color(!side);
        Some(KingZone {
            around,
            attacked,
            watch: Watch {
                crossed: lines | around | V::Bits::of(king),
                aimed_from: sliders | self.near_squares(!side, king),
            },
        })
    }
}

/// What is to be known of the squares around a king.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KingZone<B> {
    /// The squares next to the king.
    pub around: B,
    /// Those of them that the other side attacks.
    pub attacked: B,
    /// What decides both, and which of them are free.
    pub watch: Watch<B>,
}

/// The squares that decide what is known of the squares around a king.
///
/// As long as nothing changes on the squares `crossed`, no enemy comes to or leaves those of `aimed_from`, and no sliding piece of the
/// enemy comes to a new square, all of it stays as it is: see [`Shogi::king_zone_may_change`](super::Shogi::king_zone_may_change).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Watch<B> {
    /// The king, the squares next to it, and the lines of the enemy that come near: whatever changes there may matter.
    pub(super) crossed: B,
    /// Where an enemy matters: on the squares of its sliding pieces, and on those from which a step leads next to the king.
    pub(super) aimed_from: B,
}

/// All squares of the line through two squares; none unless they share one.
#[inline]
pub(super) fn line_through<V: Variant>(a: Square, b: Square) -> V::Bits {
    let lines = V::TABLES.lines[a.index()];
    let shared = lines.into_iter().find(|line| line.has(b));
    shared.map_or(V::Bits::EMPTY, |line| line | V::Bits::of(a))
}
