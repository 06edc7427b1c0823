//! The eight symmetries of a square board.

/// A rotation or reflection of the board.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Symmetry {
    /// First exchange columns and rows,
    transpose: bool,
    /// then mirror the columns,
    flip_columns: bool,
    /// and the rows.
    flip_rows: bool,
}

impl Symmetry {
    /// All eight, the identity first.
    pub const ALL: [Symmetry; 8] = {
        let mut all = [Symmetry { transpose: false, flip_columns: false, flip_rows: false }; 8];
        let mut i = 0;
        while i < 8 {
            all[i] = Symmetry { transpose: i & 4 > 0, flip_columns: i & 2 > 0, flip_rows: i & 1 > 0 };
            i += 1;
        }
        all
    };

    /// The symmetry that undoes this one.
    pub fn inverse(self) -> Symmetry {
        let Symmetry { transpose, flip_columns, flip_rows } = self;
        // Mirroring before the exchange is mirroring the other axis after it.
        if transpose { Symmetry { transpose, flip_columns: flip_rows, flip_rows: flip_columns } } else { self }
    }

    /// This symmetry, then `next`.
    pub fn then(self, next: Symmetry) -> Symmetry {
        let (columns, rows) =
            if next.transpose { (self.flip_rows, self.flip_columns) } else { (self.flip_columns, self.flip_rows) };
        Symmetry {
            transpose: self.transpose != next.transpose,
            flip_columns: columns != next.flip_columns,
            flip_rows: rows != next.flip_rows,
        }
    }

    /// Where the point (column, row) of a board of this size goes.
    pub fn apply(self, size: usize, (column, row): (usize, usize)) -> (usize, usize) {
        let (column, row) = if self.transpose { (row, column) } else { (column, row) };
        let mirrored = |flip: bool, i: usize| if flip { size - 1 - i } else { i };
        (mirrored(self.flip_columns, column), mirrored(self.flip_rows, row))
    }

    /// Where a direction (columns, rows) goes.
    pub fn apply_direction(self, (x, y): (i32, i32)) -> (i32, i32) {
        let (x, y) = if self.transpose { (y, x) } else { (x, y) };
        (if self.flip_columns { -x } else { x }, if self.flip_rows { -y } else { y })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_form_a_group() {
        let corner = (0, 1);
        for a in Symmetry::ALL {
            assert_eq!(a.then(a.inverse()), Symmetry::ALL[0]);
            for b in Symmetry::ALL {
                assert!(Symmetry::ALL.contains(&a.then(b)));
                assert_eq!(a.then(b).apply(9, corner), b.apply(9, a.apply(9, corner)));
                assert_eq!(a.then(b).apply_direction((0, 1)), b.apply_direction(a.apply_direction((0, 1))));
            }
        }
        let mut images = Symmetry::ALL.map(|s| s.apply(9, corner));
        images.sort_unstable();
        assert!(images.windows(2).all(|w| w[0] != w[1]), "eight different images");
    }

    #[test]
    fn directions_turn_with_the_points() {
        for s in Symmetry::ALL {
            let (a, b) = (s.apply(9, (4, 4)), s.apply(9, (5, 4)));
            let difference = (b.0 as i32 - a.0 as i32, b.1 as i32 - a.1 as i32);
            assert_eq!(difference, s.apply_direction((1, 0)));
        }
    }
}
