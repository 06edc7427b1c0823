//! Sums of gradients: sparse vectors, because a position uses some hundred of a hundred thousand parameters.

use std::collections::BTreeMap;

/// A sparse gradient in double precision, by the index of the parameter.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Gradient(BTreeMap<usize, f64>);

impl Gradient {
    /// Adds to one component.
    pub fn add(&mut self, index: usize, x: f64) {
        *self.0.entry(index).or_default() += x;
    }

    /// Adds `factor` times another gradient.
    pub fn add_scaled(&mut self, factor: f64, other: &Gradient) {
        other.0.iter().for_each(|(&index, x)| self.add(index, factor * x));
    }

    /// One component.
    pub fn at(&self, index: usize) -> f64 {
        self.0.get(&index).copied().unwrap_or(0.0)
    }

    /// The components that were added to, by index.
    pub fn iter(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.0.iter().map(|(&index, &x)| (index, x))
    }

    /// The Euclidean length.
    pub fn norm(&self) -> f64 {
        self.0.values().map(|x| x * x).sum::<f64>().sqrt()
    }
}

/// What one ply of a game adds to the sum: components in the order of their indices.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Sparse(Vec<(u32, f32)>);

impl Sparse {
    /// Adds `factor` times this vector to a dense one.
    pub fn add_to(&self, factor: f64, dense: &mut [f64]) {
        self.0.iter().for_each(|&(index, x)| dense[index as usize] += factor * f64::from(x));
    }

    /// The components.
    pub fn iter(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.0.iter().map(|&(index, x)| (index as usize, f64::from(x)))
    }

    /// Whether no component was added to.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A dense vector that knows which of its components are in use, for sums over many leaves.
#[derive(Clone, Debug)]
pub struct Accumulator {
    dense: Vec<f64>,
    used: Vec<bool>,
    touched: Vec<u32>,
}

impl Accumulator {
    /// Zeros for this many parameters.
    pub fn new(parameters: usize) -> Accumulator {
        Accumulator { dense: vec![0.0; parameters], used: vec![false; parameters], touched: Vec::new() }
    }

    /// Adds to one component.
    #[inline]
    pub fn add(&mut self, index: usize, x: f64) {
        if !self.used[index] {
            self.used[index] = true;
            self.touched.push(index as u32);
        }
        self.dense[index] += x;
    }

    /// Hands the sum to `emit` in the order of the indices, and is zero again.
    fn drain(&mut self, mut emit: impl FnMut(u32, f64)) {
        self.touched.sort_unstable();
        for &index in &self.touched {
            emit(index, std::mem::take(&mut self.dense[index as usize]));
            self.used[index as usize] = false;
        }
        self.touched.clear();
    }

    /// The sum; zero again afterwards.
    pub fn take(&mut self) -> Sparse {
        let mut sum = Vec::with_capacity(self.touched.len());
        self.drain(|index, x| {
            if x != 0.0 {
                sum.push((index, x as f32));
            }
        });
        Sparse(sum)
    }

    /// The sum in double precision; zero again afterwards.
    pub fn take_exact(&mut self) -> Gradient {
        let mut sum = Gradient::default();
        self.drain(|index, x| sum.add(index as usize, x));
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_come_back_once_and_in_order() {
        let mut sum = Accumulator::new(9);
        for (index, x) in [(7, 1.0), (2, 0.5), (7, 0.25), (3, 1.0), (3, -1.0)] {
            sum.add(index, x);
        }
        let sparse = sum.take();
        assert_eq!(sparse.iter().collect::<Vec<_>>(), [(2, 0.5), (7, 1.25)]);
        assert!(sum.take().is_empty());
        let mut dense = vec![1.0; 9];
        sparse.add_to(2.0, &mut dense);
        assert_eq!(dense, [1.0, 1.0, 2.0, 1.0, 1.0, 1.0, 1.0, 3.5, 1.0]);
        sum.add(4, -3.0);
        let exact = sum.take_exact();
        assert_eq!((exact.at(4), exact.at(7), exact.norm()), (-3.0, 0.0, 3.0));
    }
}
