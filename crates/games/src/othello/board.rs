//! Discs as bits. Bit 0 is a1, the upper left corner; bit 7 is h1; bit 63 is h8, the lower right corner.

/// Squares in a row and in a column.
pub const SIZE: u8 = 8;

/// All squares but those of columns a and h: no line over a row or a diagonal goes on through the edge.
const INNER: u64 = 0x7e7e_7e7e_7e7e_7e7e;

/// The empty squares where the side with the discs `own` flips at least one disc of `other`.
#[inline]
pub fn legal(own: u64, other: u64) -> u64 {
    let inner = other & INNER;
    let reached = along(own, other, 8) | along(own, inner, 1) | along(own, inner, 7) | along(own, inner, 9);
    reached & !(own | other)
}

/// The squares behind a row of `other` discs that begins at an `own` disc, both ways along one direction. A parallel-prefix fill: after one,
/// two and four steps it has passed up to six discs.
#[inline]
fn along(own: u64, other: u64, step: u32) -> u64 {
    let (up_two, down_two) = (other & (other << step), other & (other >> step));
    let (mut up, mut down) = (other & (own << step), other & (own >> step));
    up |= other & (up << step);
    down |= other & (down >> step);
    up |= up_two & (up << (2 * step));
    down |= down_two & (down >> (2 * step));
    up |= up_two & (up << (2 * step));
    down |= down_two & (down >> (2 * step));
    (up << step) | (down >> step)
}

/// The squares of the four rays from each square towards higher bits, then of the four towards lower bits.
static RAYS: [[[u64; 4]; 2]; 64] = rays();

const fn rays() -> [[[u64; 4]; 2]; 64] {
    const DIRECTIONS: [(i8, i8); 4] = [(1, 0), (-1, 1), (0, 1), (1, 1)];
    let mut rays = [[[0; 4]; 2]; 64];
    let mut square = 0;
    while square < 64 {
        let mut direction = 0;
        while direction < 4 {
            let (dx, dy) = DIRECTIONS[direction];
            rays[square][0][direction] = ray(square as i8, dx, dy);
            rays[square][1][direction] = ray(square as i8, -dx, -dy);
            direction += 1;
        }
        square += 1;
    }
    rays
}

const fn ray(square: i8, dx: i8, dy: i8) -> u64 {
    let (mut x, mut y, mut squares) = (square % 8 + dx, square / 8 + dy, 0);
    while 0 <= x && x < 8 && 0 <= y && y < 8 {
        squares |= 1 << (8 * y + x);
        x += dx;
        y += dy;
    }
    squares
}

/// The discs of `other` that the side with the discs `own` flips by a disc on `square`.
///
/// Towards higher bits the first square of a ray that holds no disc of `other` is found by a carry: everything beside the ray and every disc
/// of `other` on it is set, so adding one runs through to that square. Towards lower bits it is the highest such square.
#[inline]
pub fn flips(own: u64, other: u64, square: u8) -> u64 {
    let [up, down] = &RAYS[usize::from(square) % 64];
    let mut flipped = 0;
    for &ray in up {
        let end = (other | !ray).wrapping_add(1) & ray & own;
        flipped |= end.wrapping_sub(u64::from(end != 0)) & ray;
    }
    for &ray in down {
        let open = ray & !other;
        let end = if open == 0 { 0 } else { 1 << open.ilog2() } & own;
        flipped |= ray & end.wrapping_add(end).wrapping_neg();
    }
    flipped
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Square by square along each of the eight directions.
    fn slow_flips(own: u64, other: u64, square: u8) -> u64 {
        let mut flipped = 0;
        for (dx, dy) in [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1), (1, -1), (-1, 1)] {
            let (mut x, mut y, mut row) = (square as i8 % 8 + dx, square as i8 / 8 + dy, 0);
            while (0..8).contains(&x) && (0..8).contains(&y) && other >> (8 * y + x) & 1 == 1 {
                row |= 1 << (8 * y + x);
                (x, y) = (x + dx, y + dy);
            }
            if (0..8).contains(&x) && (0..8).contains(&y) && own >> (8 * y + x) & 1 == 1 {
                flipped |= row;
            }
        }
        flipped
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn rows_are_found_by_arithmetic(a: u64, b: u64, few: bool) {
            // Many discs of one side make long rows.
            let (own, other) = if few { (a & b, b & !a) } else { (a & !b, b) };
            let empty = !(own | other);
            let mut squares = 0;
            for square in (0..64).filter(|square| empty >> square & 1 == 1) {
                let expected = slow_flips(own, other, square);
                prop_assert_eq!(flips(own, other, square), expected);
                squares |= u64::from(expected != 0) << square;
            }
            prop_assert_eq!(legal(own, other), squares);
        }
    }
}
