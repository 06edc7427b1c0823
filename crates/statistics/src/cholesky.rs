//! Cholesky's factorisation of a symmetric positive matrix: what Newton's method solves with.

/// The lower triangle L of a matrix M = L·Lᵀ, row by row.
pub struct Cholesky {
    size: usize,
    lower: Vec<f64>,
}

impl Cholesky {
    /// Factors the symmetric `matrix` of `size` rows. `None` if it is not positive.
    pub fn factor(mut matrix: Vec<f64>, size: usize) -> Option<Cholesky> {
        for i in 0..size {
            for j in 0..=i {
                let (above, row) = matrix.split_at(i * size);
                let left = if i == j { &row[..j] } else { &above[j * size..j * size + j] };
                let sum = row[j] - dot(&row[..j], left);
                matrix[i * size + j] = if i == j {
                    if !(sum > 0.0 && sum.is_finite()) {
                        return None;
                    }
                    sum.sqrt()
                } else {
                    sum / matrix[j * size + j]
                };
            }
        }
        Some(Cholesky { size, lower: matrix })
    }

    /// Solves M·x = b, in place.
    pub fn solve(&self, b: &mut [f64]) {
        let (n, l) = (self.size, &self.lower);
        for i in 0..n {
            b[i] = (b[i] - dot(&l[i * n..i * n + i], &b[..i])) / l[i * n + i];
        }
        for i in (0..n).rev() {
            b[i] /= l[i * n + i];
            let (solved, value) = b.split_at_mut(i);
            solved.iter_mut().zip(&l[i * n..]).for_each(|(x, l)| *x -= l * value[0]);
        }
    }

    /// L·x: of independent standard normal numbers it makes those of covariance M.
    pub fn spread(&self, x: &[f64]) -> Vec<f64> {
        (0..self.size).map(|i| dot(&self.lower[i * self.size..=i * self.size + i], &x[..=i])).collect()
    }

    /// The inverse of M, row by row.
    pub fn inverse(&self) -> Vec<f64> {
        let n = self.size;
        let mut inverse = vec![0.0; n * n];
        for (i, row) in inverse.chunks_mut(n).enumerate() {
            row[i] = 1.0;
            self.solve(row);
        }
        inverse
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn refuses_what_is_not_positive() {
        assert!(Cholesky::factor(vec![1.0, 2.0, 2.0, 1.0], 2).is_none());
        assert!(Cholesky::factor(vec![0.0], 1).is_none());
        assert!(Cholesky::factor(vec![f64::NAN], 1).is_none());
        assert!(Cholesky::factor(vec![], 0).is_some());
    }

    proptest! {
        /// A·Aᵀ + 1 is positive; its inverse times itself is the unit matrix.
        #[test]
        fn inverse_inverts(n in 1usize..7, a in proptest::collection::vec(-3.0..3.0f64, 49)) {
            let m: Vec<f64> = (0..n * n).map(|ij| {
                let (i, j) = (ij / n, ij % n);
                dot(&a[7 * i..7 * i + 7], &a[7 * j..7 * j + 7]) + f64::from(u8::from(i == j))
            }).collect();
            let inverse = Cholesky::factor(m.clone(), n).unwrap().inverse();
            for i in 0..n {
                for j in 0..n {
                    let product: f64 = (0..n).map(|k| m[i * n + k] * inverse[k * n + j]).sum();
                    prop_assert!((product - f64::from(u8::from(i == j))).abs() < 1e-9);
                }
            }
        }
    }
}
