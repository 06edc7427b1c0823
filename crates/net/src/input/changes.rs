//! How the input of a child differs from that of its parent (S4.4).

use super::{Layout, PackedPosition, Planes};

/// A square of a plane that changes between 0 and 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Change {
    /// The plane.
    pub plane: u16,
    /// The square.
    pub square: u16,
    /// Whether it becomes 1.
    pub appears: bool,
}

/// All differences between two inputs, and working memory for finding them.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// Squares that become 0 or 1.
    pub squares: Vec<Change>,
    /// (plane, by how much) for planes whose constant value changes.
    pub constants: Vec<(u16, f32)>,
    before: Planes,
    after: Planes,
}

impl Changes {
    pub(super) fn clear(&mut self) {
        self.squares.clear();
        self.constants.clear();
    }

    pub(super) fn square(&mut self, plane: usize, square: usize, appears: bool) {
        self.squares.push(Change { plane: plane as u16, square: square as u16, appears });
    }

    pub(super) fn constant(&mut self, plane: usize, by: f32) {
        self.constants.push((plane as u16, by));
    }

    /// Both lists in increasing order.
    pub fn sort(&mut self) {
        self.squares.sort_unstable();
        self.constants.sort_unstable_by_key(|&(plane, _)| plane);
    }

    /// The differences between two packed positions, found by expanding both: right for every layout, and quick enough where a move
    /// changes planes all over the board (liberties, attacks).
    pub fn between(&mut self, layout: Layout, before: &PackedPosition, after: &PackedPosition) {
        self.clear();
        let (mut old, mut new) = (std::mem::take(&mut self.before), std::mem::take(&mut self.after));
        layout.expand(before, &mut old);
        layout.expand(after, &mut new);
        (old, new) = (old.sorted(), new.sorted());
        merge(
            &old.ones,
            &new.ones,
            |&one| one,
            |&(plane, square), appears| {
                self.squares.push(Change { plane, square, appears });
            },
        );
        merge(
            &old.constants,
            &new.constants,
            |&(plane, value)| (plane, value.to_bits()),
            |&(plane, value), appears| {
                self.constants.push((plane, if appears { value } else { -value }));
            },
        );
        (self.before, self.after) = (old, new);
    }

    /// The input after the changes, of planes with a number for every square.
    pub fn apply_dense(&self, squares: usize, dense: &mut [f32]) {
        for change in &self.squares {
            dense[usize::from(change.plane) * squares + usize::from(change.square)] =
                f32::from(u8::from(change.appears));
        }
        for &(plane, by) in &self.constants {
            dense[usize::from(plane) * squares..][..squares].iter_mut().for_each(|x| *x += by);
        }
    }

    /// The input after the changes.
    pub fn apply(&self, planes: &mut Planes) {
        for change in &self.squares {
            let one = (change.plane, change.square);
            if change.appears {
                planes.ones.push(one);
            } else {
                planes.ones.retain(|&other| other != one);
            }
        }
        for &(plane, by) in &self.constants {
            match planes.constants.iter_mut().find(|(other, _)| *other == plane) {
                Some((_, value)) => *value += by,
                None => planes.constants.push((plane, by)),
            }
        }
        planes.constants.retain(|&(_, value)| value != 0.0);
    }
}

/// Calls `report` with what only one of two sorted lists holds; `true` for the second.
fn merge<T, K: Ord>(old: &[T], new: &[T], key: impl Fn(&T) -> K, mut report: impl FnMut(&T, bool)) {
    let (mut old, mut new) = (old.iter().peekable(), new.iter().peekable());
    loop {
        match (old.peek(), new.peek()) {
            (None, None) => return,
            (Some(a), Some(b)) if key(a) == key(b) => {
                old.next();
                new.next();
            }
            (Some(a), b) if b.is_none_or(|b| key(a) < key(b)) => {
                report(a, false);
                old.next();
            }
            (_, Some(b)) => {
                report(b, true);
                new.next();
            }
            (Some(_), None) => unreachable!("an element that nothing is compared with is reported above"),
        }
    }
}
