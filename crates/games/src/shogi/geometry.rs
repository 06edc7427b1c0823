//! The geometry of a square board, worked out at compile time. Sets of squares have one bit a square index.

/// The square `files` and `ranks` away from `square`, if it is on the board of `size` by `size`.
pub(super) const fn beside(size: i8, square: usize, files: i8, ranks: i8) -> Option<usize> {
    let file = square as i8 / size + files;
    let rank = square as i8 % size + ranks;
    if file < 0 || file >= size || rank < 0 || rank >= size { None } else { Some((file * size + rank) as usize) }
}

/// The squares from `square` (excluded) to the edge in one direction.
pub(super) const fn ray(size: i8, square: usize, files: i8, ranks: i8) -> u128 {
    let mut set = 0;
    let mut at = square;
    while let Some(next) = beside(size, at, files, ranks) {
        set |= 1 << next;
        at = next;
    }
    set
}

/// The squares of the `rank`-th rank, from 0.
pub(super) const fn rank(size: i8, rank: i8) -> u128 {
    1 << rank | ray(size, rank as usize, 1, 0)
}
