//! The nine kinds of features and where their weights stand.

/// How many kinds there are.
pub const KINDS: usize = 9;

/// Squares of the board.
pub const SQUARES: usize = 196;

/// One weight per kind and square, and one per kind wherever it is.
pub const WEIGHTS: usize = KINDS * SQUARES + KINDS;

/// A kind of feature (S1.2).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Kind {
    /// A square covered by an own piece.
    Score,
    /// A square beside an own piece: no own piece can go there.
    Dead,
    /// A valid corner that is at the same time an opponent's dead square: only we can take it.
    Fixed,
    /// A valid corner: diagonal to an own piece, free, and not dead. Influence of class d = 0.
    Corner,
    /// Influence of class d = 1: one step from a corner.
    Influence1,
    /// d = 2: two steps straight on.
    Influence2,
    /// d = 3: three steps straight on.
    Influence3,
    /// d = 4: the square diagonal to the corner.
    Influence4,
    /// d = 5: a knight's move away.
    Influence5,
}

impl Kind {
    /// All of them in the order of their weights.
    pub const ALL: [Kind; KINDS] = [
        Kind::Score,
        Kind::Dead,
        Kind::Fixed,
        Kind::Corner,
        Kind::Influence1,
        Kind::Influence2,
        Kind::Influence3,
        Kind::Influence4,
        Kind::Influence5,
    ];

    /// Its name in files and plots.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Score => "score",
            Kind::Dead => "dead",
            Kind::Fixed => "fixed",
            Kind::Corner => "d0",
            Kind::Influence1 => "d1",
            Kind::Influence2 => "d2",
            Kind::Influence3 => "d3",
            Kind::Influence4 => "d4",
            Kind::Influence5 => "d5",
        }
    }

    /// The influence on a square this far from a corner; none beyond a distance of 3.
    pub fn influence(dx: i32, dy: i32) -> Option<Kind> {
        let (near, far) = (dx.abs().min(dy.abs()), dx.abs().max(dy.abs()));
        Some(match (near, far) {
            (0, 0) => Kind::Corner,
            (0, 1) => Kind::Influence1,
            (0, 2) => Kind::Influence2,
            (0, 3) => Kind::Influence3,
            (1, 1) => Kind::Influence4,
            (1, 2) => Kind::Influence5,
            _ => return None,
        })
    }

    /// The index of the weight that this kind has on a square (0 to 195, as the owner sees the board).
    #[inline]
    pub const fn location(self, square: usize) -> usize {
        self as usize * SQUARES + square
    }

    /// The index of the weight that this kind has everywhere.
    #[inline]
    pub const fn shared(self) -> usize {
        KINDS * SQUARES + self as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The figure of S1.2, read row by row.
    #[test]
    fn classes_are_shapes() {
        let figure = ["...3...", "..525..", ".54145.", "3210123", ".54145.", "..525..", "...3..."];
        for (y, row) in (-3..).zip(figure) {
            for (x, mark) in (-3..).zip(row.chars()) {
                let name = Kind::influence(x, y).map_or(".", |kind| &kind.name()[1..]);
                assert_eq!(name, mark.to_string(), "{x} {y}");
            }
        }
        assert_eq!(Kind::influence(4, 0), None);
    }

    #[test]
    fn weights_stand_side_by_side() {
        let mut seen = vec![false; WEIGHTS];
        for kind in Kind::ALL {
            (0..SQUARES).for_each(|square| seen[kind.location(square)] = true);
            seen[kind.shared()] = true;
        }
        assert_eq!((WEIGHTS, seen.iter().all(|&s| s)), (1773, true));
    }
}
