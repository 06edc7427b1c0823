//! Planes, written sparsely.

/// The input of a network.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Planes {
    /// (plane, square) of every one. No pair comes twice.
    pub ones: Vec<(u16, u16)>,
    /// (plane, value) of the planes that have the same value, not 0, on every square. No plane comes twice, and none has ones as well.
    pub constants: Vec<(u16, f32)>,
}

impl Planes {
    pub(super) fn clear(&mut self) {
        self.ones.clear();
        self.constants.clear();
    }

    pub(super) fn one(&mut self, plane: usize, square: usize) {
        self.ones.push((plane as u16, square as u16));
    }

    pub(super) fn constant(&mut self, plane: usize, value: f32) {
        if value != 0.0 {
            self.constants.push((plane as u16, value));
        }
    }

    /// Both lists in increasing order, so that equal inputs compare equal.
    pub fn sorted(mut self) -> Planes {
        self.ones.sort_unstable();
        self.constants.sort_unstable_by_key(|&(plane, _)| plane);
        self
    }

    /// The planes with a number for every square: `planes` rows of `squares` values.
    pub fn dense(&self, planes: usize, squares: usize) -> Vec<f32> {
        let mut dense = vec![0.0; planes * squares];
        self.write_dense(squares, &mut dense);
        dense
    }

    /// The same into memory that is all zeros.
    pub fn write_dense(&self, squares: usize, dense: &mut [f32]) {
        for &(plane, square) in &self.ones {
            dense[usize::from(plane) * squares + usize::from(square)] = 1.0;
        }
        for &(plane, value) in &self.constants {
            dense[usize::from(plane) * squares..][..squares].fill(value);
        }
    }

    /// The planes of numbers that [`Planes::dense`] gives: a plane with one number everywhere is a constant, what is not 0 in another is a
    /// one.
    pub fn from_dense(dense: &[f32], squares: usize) -> Planes {
        let mut planes = Planes::default();
        for (plane, numbers) in dense.chunks_exact(squares).enumerate() {
            if numbers.iter().all(|&x| x == numbers[0]) {
                planes.constant(plane, numbers[0]);
                continue;
            }
            numbers.iter().enumerate().filter(|&(_, &x)| x != 0.0).for_each(|(square, _)| planes.one(plane, square));
        }
        planes
    }
}
