//! Layers of the tower, forward and backward. Activations are kept position by position, plane by plane.

/// Positions are dealt out to threads in as many parts, and sums over positions are added up part by part in order: results do not depend
/// on the number of threads.
pub(super) const PARTS: usize = 8;

/// Calls `work` with the number of each part and its positions, on up to `threads` threads; what the parts gave, in their order.
pub(super) fn in_parts<T: Send>(
    positions: usize,
    threads: usize,
    work: impl Fn(std::ops::Range<usize>) -> T + Sync,
) -> Vec<T> {
    let parts: Vec<std::ops::Range<usize>> =
        (0..PARTS).map(|part| part * positions / PARTS..(part + 1) * positions / PARTS).collect();
    if threads <= 1 {
        return parts.into_iter().map(work).collect();
    }
    let mut results: Vec<Option<T>> = (0..PARTS).map(|_| None).collect();
    let each = PARTS.div_ceil(threads);
    std::thread::scope(|scope| {
        for (slots, ranges) in results.chunks_mut(each).zip(parts.chunks(each)) {
            let work = &work;
            scope.spawn(move || {
                for (slot, range) in slots.iter_mut().zip(ranges) {
                    *slot = Some(work(range.clone()));
                }
            });
        }
    });
    results.into_iter().flatten().collect()
}

/// `Σ a·b`, in eight sums that the processor adds at once.
pub(super) fn dot(a: &[f32], b: &[f32]) -> f32 {
    let ((a, rest_a), (b, rest_b)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    let mut sums = [0f32; 8];
    for (a, b) in a.iter().zip(b) {
        for i in 0..8 {
            sums[i] += a[i] * b[i];
        }
    }
    sums.iter().sum::<f32>() + rest_a.iter().zip(rest_b).map(|(a, b)| a * b).sum::<f32>()
}

/// `y += factor·x`.
pub(super) fn axpy(y: &mut [f32], factor: f32, x: &[f32]) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y += factor * x);
}

/// A convolution of 3 by 3 or 1 by 1 without bias, on a board.
#[derive(Clone, Copy, Debug)]
pub(super) struct Conv {
    pub(super) inputs: usize,
    pub(super) outputs: usize,
    /// 3 or 1.
    pub(super) size: usize,
    pub(super) board: usize,
}

impl Conv {
    fn squares(self) -> usize {
        self.board * self.board
    }

    fn taps(self) -> usize {
        self.size * self.size
    }

    /// The squares that a tap reads, row by row: (first output column, columns, from row) of each output row.
    fn rows(self, tap: usize) -> impl Iterator<Item = (usize, usize, usize)> {
        let (board, half) = (self.board as isize, (self.size / 2) as isize);
        let (dr, dc) = ((tap / self.size) as isize - half, (tap % self.size) as isize - half);
        (0..board).filter_map(move |row| {
            let from = row + dr;
            let (first, last) = ((-dc).max(0), (board - dc).min(board));
            let fits = (0..board).contains(&from) && first < last;
            fits.then(|| {
                ((row * board + first) as usize, (last - first) as usize, (from * board + first + dc) as usize)
            })
        })
    }

    /// What every tap of every input plane sees on every square.
    fn columns(self, x: &[f32], columns: &mut Vec<f32>) {
        let squares = self.squares();
        columns.clear();
        columns.resize(self.inputs * self.taps() * squares, 0.0);
        for input in 0..self.inputs {
            for tap in 0..self.taps() {
                let to = &mut columns[(input * self.taps() + tap) * squares..][..squares];
                for (at, count, from) in self.rows(tap) {
                    to[at..at + count].copy_from_slice(&x[input * squares + from..][..count]);
                }
            }
        }
    }

    pub(super) fn forward(self, weight: &[f32], x: &[f32], positions: usize, threads: usize) -> Vec<f32> {
        let (squares, width) = (self.squares(), self.inputs * self.taps());
        let parts = in_parts(positions, threads, |range| {
            let mut columns = Vec::new();
            let mut y = vec![0.0; range.len() * self.outputs * squares];
            for (i, position) in range.enumerate() {
                self.columns(&x[position * self.inputs * squares..][..self.inputs * squares], &mut columns);
                for output in 0..self.outputs {
                    let to = &mut y[(i * self.outputs + output) * squares..][..squares];
                    for (k, column) in columns.chunks_exact(squares).enumerate() {
                        axpy(to, weight[output * width + k], column);
                    }
                }
            }
            y
        });
        parts.concat()
    }

    /// The gradients of the weights and of `x`, from that of the result.
    pub(super) fn backward(
        self,
        weight: &[f32],
        x: &[f32],
        dy: &[f32],
        positions: usize,
        threads: usize,
    ) -> (Vec<f32>, Vec<f32>) {
        let (squares, width) = (self.squares(), self.inputs * self.taps());
        let parts = in_parts(positions, threads, |range| {
            let (mut columns, mut grown) = (Vec::new(), vec![0.0; width * squares]);
            let mut dw = vec![0.0; self.outputs * width];
            let mut dx = vec![0.0; range.len() * self.inputs * squares];
            for (i, position) in range.enumerate() {
                self.columns(&x[position * self.inputs * squares..][..self.inputs * squares], &mut columns);
                grown.fill(0.0);
                for output in 0..self.outputs {
                    let dy = &dy[(position * self.outputs + output) * squares..][..squares];
                    for k in 0..width {
                        dw[output * width + k] += dot(dy, &columns[k * squares..][..squares]);
                        axpy(&mut grown[k * squares..][..squares], weight[output * width + k], dy);
                    }
                }
                let dx = &mut dx[i * self.inputs * squares..][..self.inputs * squares];
                for input in 0..self.inputs {
                    for tap in 0..self.taps() {
                        let column = &grown[(input * self.taps() + tap) * squares..][..squares];
                        for (at, count, from) in self.rows(tap) {
                            axpy(&mut dx[input * squares + from..][..count], 1.0, &column[at..at + count]);
                        }
                    }
                }
            }
            (dw, dx)
        });
        let mut dw = vec![0.0; self.outputs * width];
        let mut dx = Vec::with_capacity(x.len());
        for (part, grown) in parts {
            axpy(&mut dw, 1.0, &part);
            dx.extend(grown);
        }
        (dw, dx)
    }
}

/// A linear layer: `y = W·x + b` for each position.
pub(super) fn linear(weight: &[f32], bias: &[f32], x: &[f32], inputs: usize) -> Vec<f32> {
    let outputs = bias.len();
    let mut y = Vec::with_capacity(x.len() / inputs * outputs);
    for x in x.chunks_exact(inputs) {
        y.extend(weight.chunks_exact(inputs).zip(bias).map(|(row, bias)| bias + dot(row, x)));
    }
    y
}

/// The gradients of weight, bias and `x`.
pub(super) fn linear_backward(weight: &[f32], x: &[f32], dy: &[f32], inputs: usize) -> (Vec<f32>, Vec<f32>, Vec<f32>) {
    let outputs = weight.len() / inputs;
    let (mut dw, mut db, mut dx) = (vec![0.0; weight.len()], vec![0.0; outputs], vec![0.0; x.len()]);
    for ((x, dy), dx) in x.chunks_exact(inputs).zip(dy.chunks_exact(outputs)).zip(dx.chunks_exact_mut(inputs)) {
        for (output, &d) in dy.iter().enumerate() {
            db[output] += d;
            axpy(&mut dw[output * inputs..][..inputs], d, x);
            axpy(dx, d, &weight[output * inputs..][..inputs]);
        }
    }
    (dw, db, dx)
}

/// What batch norm keeps for its way back.
#[derive(Clone, Debug)]
pub(super) struct Normed {
    /// Normalised inputs.
    pub(super) unit: Vec<f32>,
    /// One over the standard deviation of each plane.
    pub(super) inverse: Vec<f32>,
    /// The mean and the variance of each plane, the latter of the population.
    pub(super) mean: Vec<f32>,
    pub(super) variance: Vec<f32>,
}

/// Batch norm over positions and squares with the batch's own statistics.
pub(super) fn norm(x: &[f32], gamma: &[f32], beta: &[f32], squares: usize, epsilon: f32) -> (Vec<f32>, Normed) {
    let planes = gamma.len();
    let count = (x.len() / planes) as f64;
    let (mut sums, mut squared) = (vec![0f64; planes], vec![0f64; planes]);
    for (i, plane) in x.chunks_exact(squares).enumerate() {
        sums[i % planes] += plane.iter().map(|&x| f64::from(x)).sum::<f64>();
    }
    let mean: Vec<f32> = sums.iter().map(|sum| (sum / count) as f32).collect();
    for (i, plane) in x.chunks_exact(squares).enumerate() {
        let mean = mean[i % planes];
        squared[i % planes] += plane.iter().map(|&x| f64::from(x - mean).powi(2)).sum::<f64>();
    }
    let variance: Vec<f32> = squared.iter().map(|sum| (sum / count) as f32).collect();
    norm_by(x, (&mean, &variance), gamma, beta, squares, epsilon)
}

/// Batch norm with a mean and a variance for each plane.
pub(super) fn norm_by(
    x: &[f32],
    (mean, variance): (&[f32], &[f32]),
    gamma: &[f32],
    beta: &[f32],
    squares: usize,
    epsilon: f32,
) -> (Vec<f32>, Normed) {
    let planes = gamma.len();
    let inverse: Vec<f32> = variance.iter().map(|variance| 1.0 / (variance + epsilon).sqrt()).collect();
    let (mut unit, mut y) = (Vec::with_capacity(x.len()), Vec::with_capacity(x.len()));
    for (i, plane) in x.chunks_exact(squares).enumerate() {
        let c = i % planes;
        unit.extend(plane.iter().map(|x| (x - mean[c]) * inverse[c]));
        y.extend(unit[unit.len() - squares..].iter().map(|u| gamma[c] * u + beta[c]));
    }
    (y, Normed { unit, inverse, mean: mean.to_vec(), variance: variance.to_vec() })
}

/// The gradients of gamma, beta and the input; `own` says whether mean and variance were the batch's own, and move with it.
pub(super) fn norm_backward(
    normed: &Normed,
    gamma: &[f32],
    dy: &[f32],
    squares: usize,
    own: bool,
) -> (Vec<f32>, Vec<f32>, Vec<f32>) {
    let planes = gamma.len();
    let count = (dy.len() / planes) as f32;
    let (mut dgamma, mut dbeta) = (vec![0f64; planes], vec![0f64; planes]);
    for (i, (dy, unit)) in dy.chunks_exact(squares).zip(normed.unit.chunks_exact(squares)).enumerate() {
        dgamma[i % planes] += f64::from(dot(dy, unit));
        dbeta[i % planes] += dy.iter().map(|&d| f64::from(d)).sum::<f64>();
    }
    let (dgamma, dbeta): (Vec<f32>, Vec<f32>) =
        (dgamma.iter().map(|&d| d as f32).collect(), dbeta.iter().map(|&d| d as f32).collect());
    let mut dx = Vec::with_capacity(dy.len());
    for (i, (dy, unit)) in dy.chunks_exact(squares).zip(normed.unit.chunks_exact(squares)).enumerate() {
        let c = i % planes;
        let scale = gamma[c] * normed.inverse[c];
        let (mean, slope) = if own { (dbeta[c] / count, dgamma[c] / count) } else { (0.0, 0.0) };
        dx.extend(dy.iter().zip(unit).map(|(d, u)| scale * (d - mean - u * slope)));
    }
    (dgamma, dbeta, dx)
}
