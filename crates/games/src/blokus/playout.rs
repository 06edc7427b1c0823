//! Simulated games: legal moves drawn exactly uniformly, most of them without a list.

use yomi_core::policy::{Step, keep_some};
use yomi_core::{Outcome, Position, Rng, Simulate};

use super::cells::Cell;
use super::directed::DIRECTED;
use super::movegen::{self, Fit};
use super::moves::BlokusMove;
use super::pieces::PIECES;
use super::position::{BlokusDuo, Side};
use super::tables::{START, tables};

/// How often to try blindly before everything that fits is looked up; 8 to 32 are equally fast.
const TRIES: usize = 16;

/// How many sums of placements are compared at a time.
const STEP: usize = 16;

/// What is remembered between the draws of a playout: buffers, and what fits in the last position where it was looked up.
#[derive(Default)]
pub struct Sampler {
    points: Vec<Cell>,
    fits: Vec<Fit>,
    /// For each of them, how many placements there are up to it; filled up with `u16::MAX` to whole steps.
    ends: Vec<u16>,
    /// How many placements `fits` holds, and the key of the position it belongs to.
    looked_up: Option<(u64, usize)>,
    /// Which of them were drawn, one bit each.
    drawn: Vec<u64>,
}

impl Simulate for BlokusDuo {
    type Sampler = Sampler;

    fn begin(&self, sampler: &mut Sampler) {
        sampler.looked_up = None;
    }

    fn draw(&self, sampler: &mut Sampler, rng: &mut Rng) -> Step<BlokusMove> {
        let side = &self.sides[self.turn().index()];
        let drawn = if self.passed[self.turn().index()] {
            None
        } else if side.has_begun() {
            try_points(side, sampler, rng).or_else(|| self.look_up(sampler, rng))
        } else {
            draw_opening(side, rng)
        };
        match drawn {
            Some(id) => Step::Continue(BlokusMove::placement(id)),
            None if self.can_place(!self.turn()) => Step::Continue(BlokusMove::PASS),
            None => Step::Break(self.outcome()),
        }
    }

    fn draw_several(
        &self,
        n: usize,
        sampler: &mut Sampler,
        rng: &mut Rng,
        moves: &mut Vec<BlokusMove>,
    ) -> Option<Outcome> {
        moves.clear();
        let side = &self.sides[self.turn().index()];
        if !self.passed[self.turn().index()] {
            if side.has_begun() {
                self.draw_fitting(n, sampler, rng, moves);
            } else {
                draw_openings(side, n, rng, moves);
            }
        }
        if !moves.is_empty() {
            None
        } else if self.can_place(!self.turn()) {
            moves.push(BlokusMove::PASS);
            None
        } else {
            Some(self.outcome())
        }
    }

    /// Each side moves at most once per piece, and never again once it has passed.
    fn horizon(&self) -> usize {
        2 * PIECES + 1
    }

    fn adjudicate(&self) -> Outcome {
        self.outcome()
    }
}

/// Draws an attach point and a directed shape uniformly and rejects what does not fit. A placement over k attach points would come
/// k times as often as one over a single point, so it is accepted with probability 1/k.
#[inline]
fn try_points(side: &Side, sampler: &mut Sampler, rng: &mut Rng) -> Option<u16> {
    sampler.points.clear();
    side.attach.iter().for_each(|point| sampler.points.push(point));
    let points = &sampler.points[..];
    if points.is_empty() {
        return None;
    }
    for _ in 0..TRIES {
        let (shape, rest) = split(rng.next(), DIRECTED);
        if side.shapes >> shape & 1 == 0 {
            continue;
        }
        let (index, rest) = split(rest, points.len());
        let point = points[index];
        let directed = movegen::directed_at(side, point);
        let start = i32::from(point.bit()) + directed.window;
        let mask = directed.mask(shape);
        if mask & side.forbidden.window(start) != 0 {
            continue;
        }
        let covered = (mask & side.attach.window(start)).count_ones();
        if split(rest, covered as usize).0 == 0 {
            return Some(directed.id(shape, point));
        }
    }
    None
}

/// A number below `n` from a random number, and the randomness that is left.
#[inline]
fn split(random: u64, n: usize) -> (usize, u64) {
    let product = u128::from(random) * n as u128;
    ((product >> 64) as usize, product as u64)
}

impl Sampler {
    /// Looks up everything that fits in a position, unless that was done already, and says how many placements there are.
    fn look_up(&mut self, position: &BlokusDuo) -> usize {
        let total = match self.looked_up {
            Some((key, total)) if key == position.key() => total,
            _ => {
                let Sampler { fits, ends, .. } = self;
                fits.clear();
                ends.clear();
                let mut total = 0;
                for fit in movegen::fits(&position.sides[position.turn().index()]).filter(|fit| fit.shapes != 0) {
                    total += fit.len();
                    fits.push(fit);
                    ends.push(total as u16);
                }
                ends.resize(ends.len().next_multiple_of(STEP), u16::MAX);
                total
            }
        };
        self.looked_up = Some((position.key(), total));
        total
    }

    /// The placement of an index below their number.
    #[inline]
    fn fitting(&self, index: usize) -> Option<u16> {
        // Counting those before it is quicker than a search that ends at an unpredictable place.
        let (steps, _) = self.ends.as_chunks::<STEP>();
        let before = |step: &[u16; STEP]| step.iter().map(|&end| u16::from(usize::from(end) <= index)).sum::<u16>();
        let which = usize::from(steps.iter().map(before).sum::<u16>());
        let start = if which == 0 { 0 } else { usize::from(self.ends[which - 1]) };
        Some(self.fits.get(which)?.nth(index - start))
    }

    /// Marks an index as drawn; false if it was before.
    #[inline]
    fn mark(&mut self, index: usize) -> bool {
        let (word, bit) = (&mut self.drawn[index / 64], 1 << (index % 64));
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }
}

impl BlokusDuo {
    /// Draws from everything that fits.
    fn look_up(&self, sampler: &mut Sampler, rng: &mut Rng) -> Option<u16> {
        match sampler.look_up(self) {
            0 => None,
            total => sampler.fitting(rng.below(total)),
        }
    }

    /// Draws several different ones: by their index among those that fit, which need not be spelt out, unless most of them are wanted.
    fn draw_fitting(&self, n: usize, sampler: &mut Sampler, rng: &mut Rng, moves: &mut Vec<BlokusMove>) {
        let total = sampler.look_up(self);
        if total <= n.saturating_mul(2) {
            moves.extend(sampler.fits.iter().flat_map(|fit| fit.ids()).map(BlokusMove::placement));
            return keep_some(moves, n, rng);
        }
        sampler.drawn.clear();
        sampler.drawn.resize(total / 64 + 1, 0);
        while moves.len() < n {
            let index = rng.below(total);
            if sampler.mark(index) {
                moves.extend(sampler.fitting(index).map(BlokusMove::placement));
            }
        }
    }
}

/// Draws several different first pieces. Nearly every draw is a new one as long as few are wanted.
fn draw_openings(side: &Side, n: usize, rng: &mut Rng, moves: &mut Vec<BlokusMove>) {
    const FEW: usize = 64;
    for _ in 0..if n <= FEW { 2 * n } else { 0 } {
        let Some(id) = draw_opening(side, rng) else { return };
        let mv = BlokusMove::placement(id);
        if !moves.contains(&mv) {
            moves.push(mv);
        }
        if moves.len() == n {
            return;
        }
    }
    moves.clear();
    moves.extend(movegen::openings(side).map(BlokusMove::placement));
    keep_some(moves, n, rng);
}

/// Draws a first piece: all placements over a start square are equally likely, and each covers one start square only.
fn draw_opening(side: &Side, rng: &mut Rng) -> Option<u16> {
    for _ in 0..TRIES {
        let (square, rest) = split(rng.next(), START.len());
        let openings = &tables().openings[square];
        let id = openings[split(rest, openings.len()).0];
        if side.attach.contains(START[square]) && tables().cells(id).is_disjoint(side.forbidden) {
            return Some(id);
        }
    }
    let legal: Vec<u16> = movegen::openings(side).collect();
    (!legal.is_empty()).then(|| legal[rng.below(legal.len())])
}

#[cfg(test)]
mod tests {
    use super::*;
    use yomi_core::{Color, Seed};

    /// χ² with `freedom` degrees of freedom exceeds this once in a million times (Wilson and Hilferty's approximation).
    fn one_in_a_million(freedom: f64) -> f64 {
        let variance = 2.0 / (9.0 * freedom);
        freedom * (1.0 - variance + 4.753 * variance.sqrt()).powi(3)
    }

    fn chi_squared(counts: &[u32], expected: impl Fn(usize) -> f64) -> f64 {
        counts.iter().enumerate().map(|(i, &n)| (f64::from(n) - expected(i)).powi(2) / expected(i)).sum()
    }

    /// Several draws are different legal moves; each place of the order is uniform, and so is the least of them (whose rank r among N
    /// moves has probability C(N - r, n - 1)/C(N, n)). With a fixed seed and an error rate of 1e-6 for each of these 44 tests.
    #[test]
    fn several_are_drawn_as_from_a_list() {
        let mut rng = Seed::new(11).rng();
        let mut sampler = Sampler::default();
        let (mut legal, mut moves) = (Vec::new(), Vec::new());
        let mut position = BlokusDuo::default();
        let mut checked = 0;
        for ply in 0.. {
            if position.generate(&mut legal).is_some() {
                break;
            }
            let count = legal.len();
            for n in [2, 8, 64] {
                let draws = 40 * count.max(20);
                let (mut first, mut last, mut least) = (vec![0; count], vec![0; count], vec![0; count]);
                for _ in 0..draws {
                    assert_eq!(position.draw_several(n, &mut sampler, &mut rng, &mut moves), None);
                    assert_eq!(moves.len(), n.min(count), "ply {ply}");
                    let mut ranks: Vec<usize> = moves.iter().map(|mv| legal.binary_search(mv).unwrap()).collect();
                    first[ranks[0]] += 1;
                    last[ranks[ranks.len() - 1]] += 1;
                    ranks.sort_unstable();
                    assert!(ranks.windows(2).all(|pair| pair[0] != pair[1]));
                    least[ranks[0]] += 1;
                }
                if ply % 4 != 0 || count < 2 {
                    continue;
                }
                checked += 1;
                let limit = one_in_a_million(count as f64 - 1.0);
                for counts in [&first, &last] {
                    let found = chi_squared(counts, |_| draws as f64 / count as f64);
                    assert!(found < limit, "ply {ply}, {n} of {count}: {found} {limit}");
                }
                if n < count {
                    // P(rank = r) = n/(N - r)·Π over the ranks before it of (1 - n/(N - i)); rare ranks are joined.
                    let mut left = 1.0;
                    let mut expected = Vec::new();
                    for r in 0..=count - n {
                        let p = left * n as f64 / (count - r) as f64;
                        expected.push(p * draws as f64);
                        left -= p;
                    }
                    let kept = expected.iter().take_while(|&&e| e >= 5.0).count();
                    let tail: f64 = expected[kept..].iter().sum();
                    let mut joined = least[..kept].to_vec();
                    joined.push(least[kept..].iter().sum());
                    let found = chi_squared(&joined, |i| if i < kept { expected[i] } else { tail.max(1.0) });
                    assert!(found < one_in_a_million(kept as f64), "ply {ply}, least {n} of {count}: {found}");
                }
            }
            position.play(legal[rng.below(count)]);
        }
        assert!(checked >= 18, "{checked}");
        assert!(position.draw_several(8, &mut sampler, &mut rng, &mut moves).is_some() && moves.is_empty());
    }

    /// Where nothing fits the one move is a pass, and a side that cannot begin passes as well.
    #[test]
    fn a_pass_is_drawn_when_nothing_fits() {
        let black = ["e6,e7,e8,e9,e10", "f5,g5,h5", "i4,j4,j5"].map(|points| BlokusMove::from_points(points).unwrap());
        let position = BlokusDuo::set_up(crate::blokus::Rules::default(), [&black, &[]], Color::White).unwrap();
        let mut moves = Vec::new();
        assert_eq!(position.draw_several(4, &mut Sampler::default(), &mut Seed::new(1).rng(), &mut moves), None);
        assert_eq!(moves, [BlokusMove::PASS]);
    }
}
