//! Simulated games: legal moves drawn exactly uniformly, most of them without a list.

use yomi_core::policy::Step;
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

/// What is remembered between the draws of a playout: buffers, and what fits in the last position where it was looked up.
#[derive(Default)]
pub struct Sampler {
    points: Vec<Cell>,
    fits: Vec<Fit>,
    /// How many placements `fits` holds, and the key of the position it belongs to.
    looked_up: Option<(u64, usize)>,
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

    /// Each side moves at most once a piece, and never again once it has passed.
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

impl BlokusDuo {
    /// Draws from everything that fits.
    fn look_up(&self, sampler: &mut Sampler, rng: &mut Rng) -> Option<u16> {
        let total = match sampler.looked_up {
            Some((key, total)) if key == self.key() => total,
            _ => {
                sampler.fits.clear();
                let fits = movegen::fits(&self.sides[self.turn().index()]);
                fits.filter(|fit| fit.shapes != 0).for_each(|fit| sampler.fits.push(fit));
                sampler.fits.iter().map(|fit| fit.len()).sum()
            }
        };
        sampler.looked_up = Some((self.key(), total));
        let mut index = if total == 0 { return None } else { rng.below(total) };
        for fit in &sampler.fits {
            if index < fit.len() {
                return fit.ids().nth(index);
            }
            index -= fit.len();
        }
        None
    }
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
