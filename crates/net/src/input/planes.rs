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
        for &(plane, square) in &self.ones {
            dense[usize::from(plane) * squares + usize::from(square)] = 1.0;
        }
        for &(plane, value) in &self.constants {
            dense[usize::from(plane) * squares..][..squares].fill(value);
        }
        dense
    }
}
