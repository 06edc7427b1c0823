//! A number per square, to be added up over a piece.

use yomi_games::blokus::Cell;

use super::reach::TARGETS;

/// How many numbers a row of squares within three steps of a corner takes: one more than it has squares, to make a vector.
const WIDTH: usize = 8;

/// One number for each of the 24 squares around a corner, in seven rows in which they lie. The others are 0.
pub(super) type Neighbourhood = [i32; WIDTH * WIDTH];

/// The bit that each of these squares has in a mask of targets; 0 where there is none.
const BITS: [u32; WIDTH * WIDTH] = {
    let mut bits = [0; WIDTH * WIDTH];
    let mut i = 0;
    while i < TARGETS.len() {
        let (dx, dy) = TARGETS[i];
        bits[WIDTH * (dy + 3) as usize + (dx + 3) as usize] = 1 << i;
        i += 1;
    }
    bits
};

/// Numbers of targets in the rows in which they lie.
pub(super) fn around(number: impl Fn(usize) -> i32) -> Neighbourhood {
    let lane = |bit: u32| if bit == 0 { 0 } else { number(bit.trailing_zeros() as usize) };
    BITS.map(lane)
}

/// Where square 0 stands: rows of numbers may be added up to three rows before and after the board.
const MARGIN: usize = 64;

/// A number per bit of a set of squares. Squares outside of the board have 0.
pub(super) struct Field([i32; 256 + 2 * MARGIN]);

impl Field {
    pub(super) const ZERO: Field = Field([0; 256 + 2 * MARGIN]);

    /// The number of a bit.
    #[inline]
    pub(super) fn at(&self, bit: u8) -> i32 {
        self.0[MARGIN + usize::from(bit)]
    }

    /// Adds to the number of a square.
    #[inline]
    pub(super) fn add(&mut self, cell: Cell, number: i32) {
        self.0[MARGIN + usize::from(cell.bit())] += number;
    }

    /// Adds numbers to the targets of a mask around a square. A mask has no targets outside of the board.
    #[inline]
    pub(super) fn add_around(&mut self, cell: Cell, numbers: &Neighbourhood, mask: u32) {
        let first = MARGIN + usize::from(cell.bit()) - 3 * 16 - 3;
        // One long loop before the short ones: those would become 24 branches.
        let mut masked: Neighbourhood = *numbers;
        masked.iter_mut().zip(&BITS).for_each(|(number, bit)| *number = if mask & bit != 0 { *number } else { 0 });
        for (y, numbers) in masked.as_chunks::<WIDTH>().0[..WIDTH - 1].iter().enumerate() {
            let row = &mut self.0[first + 16 * y..first + 16 * y + WIDTH];
            row.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number);
        }
    }

    /// The sum of two.
    #[inline]
    pub(super) fn plus(&self, numbers: &[i32; 256]) -> Field {
        let mut sum = Field(self.0);
        sum.0[MARGIN..MARGIN + 256].iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number);
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Targets come to where they lie, and nowhere else.
    #[test]
    fn targets_lie_around() {
        for cell in Cell::all() {
            let target = |(dx, dy): (i32, i32)| {
                let step = |n: u8, d: i32| u8::try_from(i32::from(n) + d).ok();
                Cell::new(step(cell.x(), dx)?, step(cell.y(), dy)?)
            };
            // Every other target that is on the board.
            let lanes = (0..TARGETS.len()).step_by(2).filter(|&lane| target(TARGETS[lane]).is_some());
            let mask = lanes.fold(0, |mask, lane| mask | 1u32 << lane);
            let mut field = Field::ZERO;
            field.add_around(cell, &around(|lane| 1 << lane), mask);
            for bit in 0..=u8::MAX {
                let lane = TARGETS.iter().position(|&to| target(to).is_some_and(|to| to.bit() == bit));
                assert_eq!(field.at(bit), lane.map_or(0, |lane| (mask & 1 << lane) as i32), "{cell} {bit}");
            }
        }
    }
}
