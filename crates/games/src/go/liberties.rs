//! Pseudo-liberties: what a chain knows of the empty points beside it, in one number.

/// Pseudo-liberties of a chain: their number (10 bits), the sum (19) and the sum of squares (27) of their points. There are at most
/// 684 (the edges of a 19x19 board) of points below 400, so the fields never overflow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Liberties(u64);

impl Liberties {
    /// None at all: the chain is captured.
    pub(super) const NONE: Liberties = Liberties(0);

    const SUM: u32 = 10;
    const SQUARES: u32 = 29;

    /// One pseudo-liberty at `v`.
    #[inline(always)]
    pub(super) fn one(v: u16) -> Liberties {
        let v = u64::from(v);
        Liberties(1 + v * ((1 << Liberties::SUM) + (v << Liberties::SQUARES)))
    }

    /// The same if `keep` is 1, none if it is 0: a mask, where a branch would be guessed wrong half the time.
    #[inline(always)]
    pub(super) fn times(self, keep: u16) -> Liberties {
        Liberties(self.0 & u64::from(keep).wrapping_neg())
    }

    #[inline(always)]
    pub(super) fn add(&mut self, other: Liberties) {
        self.0 = self.0.wrapping_add(other.0);
    }

    #[inline(always)]
    pub(super) fn remove(&mut self, other: Liberties) {
        self.0 = self.0.wrapping_sub(other.0);
    }

    #[inline(always)]
    fn count(self) -> u64 {
        self.0 & ((1 << Liberties::SUM) - 1)
    }

    /// Whether all of them are at one point, of which `one` is.
    #[inline(always)]
    pub(super) fn all_are(self, one: Liberties) -> bool {
        self.0 == self.count().wrapping_mul(one.0)
    }

    /// The only point, if there is only one: then n times the sum of squares equals the square of the sum (Cauchy-Schwarz).
    #[inline]
    pub(super) fn only(self) -> Option<u16> {
        let count = self.count();
        let sum = (self.0 >> Liberties::SUM) & ((1 << (Liberties::SQUARES - Liberties::SUM)) - 1);
        let squares = self.0 >> Liberties::SQUARES;
        (count > 0 && count * squares == sum * sum).then(|| (sum / count) as u16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All sets of up to four points out of a few, each counted up to three times: the extremes of the board among them.
    #[test]
    fn atari_is_seen_exactly() {
        let points = [21, 22, 41, 210, 398, 399];
        for mask in 1..1 << points.len() {
            for times in 1..=3 {
                let chosen: Vec<u16> = (0..points.len()).filter(|i| mask >> i & 1 == 1).map(|i| points[i]).collect();
                let mut liberties = Liberties::NONE;
                chosen.iter().for_each(|&v| (0..times).for_each(|_| liberties.add(Liberties::one(v))));
                let only = if chosen.len() == 1 { Some(chosen[0]) } else { None };
                assert_eq!(liberties.only(), only);
                for v in points {
                    assert_eq!(liberties.all_are(Liberties::one(v)), only == Some(v));
                }
                chosen.iter().for_each(|&v| (0..times).for_each(|_| liberties.remove(Liberties::one(v))));
                assert_eq!(liberties, Liberties::NONE);
            }
        }
    }

    /// The most there can be: every edge of the largest board ends at its last point.
    #[test]
    fn fields_do_not_overflow() {
        let mut liberties = Liberties::NONE;
        (0..684).for_each(|_| liberties.add(Liberties::one(399)));
        assert_eq!(liberties.only(), Some(399));
        liberties.add(Liberties::one(398));
        assert_eq!(liberties.only(), None);
    }
}
