//! How many boards a block of the fused kernel takes, and how a batch is divided among forms of it.

use super::shape::{STEP, Shape};

/// Rows that both warpgroups of a block compute for each tile.
const TILE_ROWS: usize = 128;
/// Sums of a thread that fit beside everything else in its 240 registers.
const MOST_SUMS: usize = 192;
/// More tiles would need more registers for the left factors.
const MOST_TILES: usize = 5;
const FEWEST_STAGES: usize = 3;
const MOST_STAGES: usize = 6;
/// Outputs of the heads that are computed together, at most.
const MOST_HEADS: usize = 64;

/// One form of the fused kernel: its definitions beside those of the shape.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Form {
    /// Boards of a block.
    pub boards: usize,
    /// Tiles of 64 rows of each warpgroup: what the time of a block is proportional to.
    pub tiles: usize,
    /// Stages of weights on their way.
    pub stages: usize,
}

impl Form {
    /// Shared memory of a block in bytes, as `tower.cu` lays it out.
    pub(super) fn shared_bytes(&self, shape: &Shape) -> usize {
        let (row, input_row) = (2 * shape.channels, 2 * shape.inputs);
        let (rows, widest) = (self.boards * shape.layout.squares(), row.max(input_row));
        let barriers = 8 * (2 * self.stages + 4);
        self.stages * stage_bytes(shape)
            + rows * (row + widest)
            + widest
            + row
            + 2 * self.boards * shape.layout.packed_bytes()
            + barriers
    }

    /// The share of rows that belong to a square.
    pub fn used_rows(&self, squares: usize) -> f64 {
        (self.boards * squares) as f64 / (TILE_ROWS * self.tiles) as f64
    }

    /// The form as definitions of the preprocessor.
    pub(super) fn definitions(&self, shape: &Shape) -> String {
        format!(
            "#define BOARDS {}\n#define TILES {}\n#define STAGES {}\n#define HEAD_GROUP {}\n",
            self.boards,
            self.tiles,
            self.stages,
            head_group(shape)
        )
    }
}

fn stage_bytes(shape: &Shape) -> usize {
    2 * STEP * shape.channels
}

/// How many outputs of the heads the fused kernel computes together: as few groups as possible, of equal size.
pub(super) fn head_group(shape: &Shape) -> usize {
    let groups = shape.heads().div_ceil(MOST_HEADS.min(shape.channels));
    shape.heads().div_ceil(groups).next_multiple_of(8)
}

/// All forms that fit a block with so much shared memory, one for each number of tiles, the quickest block first. None if the network is too
/// wide for its board.
pub(super) fn forms(shape: &Shape, shared_memory: usize) -> Vec<Form> {
    let squares = shape.layout.squares();
    let form = |tiles: usize| {
        let fits = |form: &Form| form.shared_bytes(shape) <= shared_memory;
        let boards = (1..=TILE_ROWS * tiles / squares)
            .rev()
            .find(|&boards| fits(&Form { boards, tiles, stages: FEWEST_STAGES }))?;
        // Boards that fit fewer tiles belong there.
        if boards * squares <= TILE_ROWS * (tiles - 1) {
            return None;
        }
        let stages = (FEWEST_STAGES..=MOST_STAGES).rev().find(|&stages| fits(&Form { boards, tiles, stages }))?;
        Some(Form { boards, tiles, stages })
    };
    if shape.channels > 256 || shape.inputs > 128 {
        return Vec::new();
    }
    (1..=MOST_TILES).filter(|tiles| tiles * shape.channels / 2 <= MOST_SUMS).filter_map(form).collect()
}

/// The forms worth compiling: the one with the quickest block, for small batches, and the one that wastes least.
pub(super) fn chosen(shape: &Shape, shared_memory: usize) -> Vec<Form> {
    let all = forms(shape, shared_memory);
    let squares = shape.layout.squares();
    let by_use = |a: &&Form, b: &&Form| a.used_rows(squares).total_cmp(&b.used_rows(squares));
    let (Some(&quick), Some(&thrifty)) = (all.first(), all.iter().max_by(by_use)) else { return Vec::new() };
    if quick == thrifty { vec![quick] } else { vec![quick, thrifty] }
}

/// Divides a batch: full waves of the form that wastes least, then whatever form is done with the rest first. Pairs of a form's index and how
/// many positions it gets.
pub(super) fn divide(forms: &[Form], multiprocessors: usize, count: usize) -> Vec<(usize, usize)> {
    let time = |form: &Form, count: usize| count.div_ceil(form.boards).div_ceil(multiprocessors) * form.tiles;
    // Of two that are done at the same time the thriftier, which is later in the list.
    let best = |count: usize| (0..forms.len()).rev().min_by_key(|&i| time(&forms[i], count));
    let Some(last) = forms.len().checked_sub(1) else { return Vec::new() };
    let wave = forms[last].boards * multiprocessors;
    let (full, rest) = (count / wave * wave, count % wave);
    let mut parts = Vec::new();
    if full > 0 {
        parts.push((last, full));
    }
    if let Some(i) = best(rest).filter(|_| rest > 0) {
        match parts.last_mut() {
            Some((form, n)) if *form == i => *n += rest,
            _ => parts.push((i, rest)),
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Architecture;
    use crate::Network;
    use crate::fold::Folded;
    use crate::input::Layout;
    use yomi_core::Seed;

    const H200: usize = 232_448;

    fn shape(layout: Layout, channels: usize) -> Shape {
        let network = Network::random(Architecture::new(layout, 0, channels), Seed::new(1)).unwrap();
        Shape::new(&Folded::new(&network), STEP)
    }

    fn boards_and_tiles(layout: Layout, channels: usize) -> Vec<(usize, usize)> {
        chosen(&shape(layout, channels), H200).iter().map(|form| (form.boards, form.tiles)).collect()
    }

    #[test]
    fn forms_of_the_usual_networks() {
        assert_eq!(boards_and_tiles(Layout::Shogi, 192), [(1, 1), (3, 2)]);
        assert_eq!(boards_and_tiles(Layout::Dlshogi, 192), [(1, 1), (3, 2)]);
        assert_eq!(boards_and_tiles(Layout::Go(19), 128), [(1, 3)]);
        assert_eq!(boards_and_tiles(Layout::Go(13), 128), [(1, 2), (2, 3)]);
        // 361 rows of 192 channels do not fit.
        assert!(boards_and_tiles(Layout::Go(19), 192).is_empty());
        assert_eq!(boards_and_tiles(Layout::Minishogi, 64)[0], (5, 1));
    }

    #[test]
    fn forms_fit_and_waste_little() {
        for (layout, channels) in
            [(Layout::Shogi, 64), (Layout::BlokusDuo, 64), (Layout::Go(9), 128), (Layout::Minishogi, 32)]
        {
            let shape = shape(layout, channels);
            for form in chosen(&shape, H200) {
                assert!(form.shared_bytes(&shape) <= H200);
                assert!(form.boards * layout.squares() <= TILE_ROWS * form.tiles);
            }
            assert!(chosen(&shape, H200).last().unwrap().used_rows(layout.squares()) > 0.9, "{layout:?}");
        }
    }

    #[test]
    fn batches_are_divided_without_loss() {
        let forms = chosen(&shape(Layout::Shogi, 192), H200);
        assert_eq!(divide(&forms, 132, 85), [(0, 85)]);
        assert_eq!(divide(&forms, 132, 256), [(1, 256)]);
        assert_eq!(divide(&forms, 132, 396), [(1, 396)]);
        assert_eq!(divide(&forms, 132, 512), [(1, 396), (0, 116)]);
        assert_eq!(divide(&forms, 132, 700), [(1, 700)]);
        for count in 0..2000 {
            assert_eq!(divide(&forms, 132, count).iter().map(|&(_, n)| n).sum::<usize>(), count);
        }
    }
}
