//! How many boards a block of the fused kernel takes, and how a batch is divided among forms of it.

use super::shape::{STEP, Shape};

/// Rows that a warpgroup computes for each of its tiles.
const TILE_ROWS: usize = 64;
/// Sums of a thread that fit beside everything else in its 240 registers.
const MOST_SUMS: usize = 192;
/// The same with three warpgroups of 160 registers.
const MOST_SUMS_OF_THREE: usize = 96;
/// More tiles would need more registers for the left factors.
const MOST_TILES: usize = 5;
/// What blocks of a cluster lose by writing to each other, in rows of a block alone: 27 with 192 channels, for which a row takes longest. Measured
/// on an H200 (`device_check --only forms`).
const EXCHANGE: usize = 27 * 192 * 192;
/// Products of fewer outputs take as long as those of this many. Measured as well.
const FEWEST_OUTPUTS: usize = 111;
/// What a column takes in quarters of a row when blocks of a cluster share a board, and when a block has all warpgroups. Measured too.
const SHARED_COLUMN_TIME: usize = 8;
const COLUMN_TIME: usize = 5;
const FEWEST_STAGES_OF_CLUSTER: usize = 6;
const MOST_STAGES_OF_CLUSTER: usize = 32;
const FEWEST_STAGES: usize = 3;
const MOST_STAGES: usize = 6;
/// Outputs of the heads that are computed together, at most.
const MOST_HEADS: usize = 64;

/// One form of the fused kernel: its definitions beside those of the shape.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Form {
    /// Boards of a block.
    pub boards: usize,
    /// Warpgroups that compute: two or three.
    pub warpgroups: usize,
    /// Tiles of 64 rows of each warpgroup.
    pub tiles: usize,
    /// Stages of weights on their way.
    pub stages: usize,
    /// Blocks that share the boards (`cluster.cu`); 1: none (`tower.cu`).
    pub cluster: usize,
    /// Whether squares are the columns of products (`columns.cu`), for one board of a cluster.
    pub columns: bool,
}

impl Form {
    /// The form in a word: boards, blocks that share them, `c` for squares as columns.
    pub(super) fn name(&self) -> String {
        format!("{}.{}{}", self.boards, self.cluster, if self.columns { "c" } else { "" })
    }

    /// Shared memory of a block in bytes, as `tower.cu`, `cluster.cu` or `columns.cu` lays it out; they refuse to be compiled for another number.
    pub(super) fn shared_bytes(&self, shape: &Shape) -> usize {
        if self.columns {
            return self.shared_bytes_of_columns(shape);
        }
        if self.cluster > 1 {
            return self.shared_bytes_of_cluster(shape);
        }
        let (row, input_row) = (shape.number_bytes() * shape.channels, shape.number_bytes() * shape.inputs);
        let (rows, skip_row) = (self.boards * shape.layout.squares(), 2 * shape.channels);
        let barriers = 8 * (2 * self.stages + 4);
        self.stages * stage_bytes(shape)
            + rows * (row + row.max(input_row) + if shape.eight { skip_row } else { 0 })
            + skip_row.max(input_row)
            + skip_row
            + 2 * self.boards * shape.layout.packed_bytes()
            + barriers
    }

    fn shared_bytes_of_cluster(&self, shape: &Shape) -> usize {
        let (row, widest) = (2 * shape.channels, 2 * shape.channels.max(shape.inputs));
        let stage = 2 * STEP * (steps_of_stage(shape) * shape.channels / self.cluster).max(head_group(shape));
        let barriers = 8 * (2 * self.stages + 2);
        self.stages * stage
            + self.boards * shape.layout.squares() * (row + widest)
            + widest
            + self.boards * shape.layout.packed_bytes()
            + barriers
    }

    fn shared_bytes_of_columns(&self, shape: &Shape) -> usize {
        let (board, squares) = (shape.layout.board(), shape.layout.squares());
        let chunk = 16 * (columns(board) + 2 * (board + 2));
        let stage = 2 * STEP * (steps_of_stage(shape) * shape.channels / self.cluster).max(head_group(shape));
        let barriers = 8 * (2 * self.stages + 2);
        self.stages * stage
            + chunk * (shape.channels + shape.channels.max(shape.inputs)) / 8
            + 16
            + shape.layout.packed_bytes()
            + (8 * squares).next_multiple_of(16)
            + barriers
    }

    /// Rows that a block computes.
    fn rows(&self) -> usize {
        TILE_ROWS * self.warpgroups * self.tiles
    }

    /// What the time of a block is proportional to: rows of all channels that it computes. Blocks of a cluster compute fewer, but wait for each
    /// other, and products of few outputs are not quicker than their left factor comes out of registers.
    fn time(&self, shape: &Shape) -> usize {
        let (rows, channels) = (self.rows(), shape.channels);
        let exchange = EXCHANGE / (channels * channels);
        if self.columns {
            let time = if self.cluster > 1 { SHARED_COLUMN_TIME } else { COLUMN_TIME };
            return time * columns(shape.layout.board()) / self.cluster / 4;
        }
        match self.cluster {
            1 => rows,
            cluster => (rows / cluster + exchange).max(rows * FEWEST_OUTPUTS / channels),
        }
    }

    /// The share of rows that belong to a square.
    pub fn used_rows(&self, squares: usize) -> f64 {
        (self.boards * squares) as f64 / self.rows() as f64
    }

    /// Threads of a block: those that compute, and one warpgroup that copies.
    pub(super) fn threads(&self) -> usize {
        128 * (self.warpgroups + 1)
    }

    /// The form as definitions of the preprocessor; `dense` for positions that are planes already.
    pub(super) fn definitions(&self, shape: &Shape, dense: bool) -> String {
        if self.columns {
            return format!(
                "#define BOARDS 1\n#define CLUSTER {}\n#define WARPGROUPS {}\n#define COLUMNS {}\n#define STAGES {}\n#define HEAD_GROUP {}\n#define DENSE {}\n#define SHARED_BYTES {}\n",
                self.cluster,
                self.warpgroups,
                columns(shape.layout.board()),
                self.stages,
                head_group(shape),
                u8::from(dense),
                self.shared_bytes(shape),
            );
        }
        format!(
            "#define BOARDS {}\n#define WARPGROUPS {}\n#define TILES {}\n#define STAGES {}\n#define HEAD_GROUP {}\n#define DENSE {}\n#define CLUSTER {}\n#define SHARED_BYTES {}\n",
            self.boards,
            self.warpgroups,
            self.tiles,
            self.stages,
            head_group(shape),
            u8::from(dense),
            self.cluster,
            self.shared_bytes(shape),
        )
    }
}

/// Steps of a stage of weights in `cluster.cu` and `columns.cu`.
fn steps_of_stage(shape: &Shape) -> usize {
    if shape.channels.is_multiple_of(64) && shape.inputs.is_multiple_of(64) { 2 } else { 1 }
}

/// Columns of the products of `columns.cu`: a line of the board and one column of zeros after the other.
pub(super) fn columns(board: usize) -> usize {
    (board * (board + 1) - 1).next_multiple_of(16)
}

fn stage_bytes(shape: &Shape) -> usize {
    2 * STEP * shape.channels
}

/// How many outputs of the heads the fused kernel computes together: as few groups as possible, of equal size.
pub(super) fn head_group(shape: &Shape) -> usize {
    let groups = shape.heads().div_ceil(MOST_HEADS.min(shape.channels));
    shape.heads().div_ceil(groups).next_multiple_of(8)
}

/// All forms that fit a block with so much shared memory, at most one for each number of rows, the quickest block first. None if the network
/// is too wide for its board.
pub(super) fn forms(shape: &Shape, shared_memory: usize) -> Vec<Form> {
    let squares = shape.layout.squares();
    let form = |(warpgroups, tiles): (usize, usize)| {
        let fits = |form: &Form| form.shared_bytes(shape) <= shared_memory;
        let rows = TILE_ROWS * warpgroups * tiles;
        let boards = (1..=rows / squares).rev().find(|&boards| {
            fits(&Form { boards, warpgroups, tiles, stages: FEWEST_STAGES, cluster: 1, columns: false })
        })?;
        let with = |stages: usize| Form { boards, warpgroups, tiles, stages, cluster: 1, columns: false };
        (FEWEST_STAGES..=MOST_STAGES).rev().map(with).find(fits)
    };
    if shape.channels > 256 || shape.inputs > 128 {
        return Vec::new();
    }
    let sums = |tiles: usize| tiles * shape.channels / 2;
    let two = (1..=MOST_TILES).map(|tiles| (2, tiles)).filter(|&(_, tiles)| sums(tiles) <= MOST_SUMS);
    let three = [(3, 1)].into_iter().filter(|&(_, tiles)| sums(tiles) <= MOST_SUMS_OF_THREE);
    let mut all: Vec<Form> = two.chain(three).filter_map(form).collect();
    // The quickest block first, of equally quick ones that with most boards; then only what takes more boards than all before it.
    all.sort_by_key(|form| (form.rows(), std::cmp::Reverse(form.boards)));
    let mut most = 0;
    all.retain(|form| {
        let more = form.boards > most;
        most = most.max(form.boards);
        more
    });
    all
}

/// A form whose boards are shared by clusters of a size, if that can be.
fn shared_form(shape: &Shape, shared_memory: usize, form: Form, cluster: usize) -> Option<Form> {
    if shape.eight || !shape.channels.is_multiple_of(8 * cluster) {
        return None;
    }
    let with = |stages: usize| Form { stages, cluster, ..form };
    let stages = FEWEST_STAGES_OF_CLUSTER..=MOST_STAGES_OF_CLUSTER;
    stages.rev().map(with).find(|form| form.shared_bytes(shape) <= shared_memory)
}

/// Outputs of a warpgroup when squares are columns.
const OUTPUTS_OF_COLUMNS: usize = 64;
/// Columns: of more a thread cannot keep sums and trunk in registers, products of fewer are not quicker.
const FEWEST_COLUMNS: usize = 64;
const MOST_COLUMNS: usize = 128;

/// The forms with squares as columns, if the network can have them: a block for each warpgroup, and one with all three.
fn column_forms(shape: &Shape, shared_memory: usize) -> Vec<Form> {
    let narrow = (FEWEST_COLUMNS..=MOST_COLUMNS).contains(&columns(shape.layout.board()));
    // Warpgroups of a block, and blocks of a cluster.
    let sizes: &[(usize, usize)] = match shape.channels / OUTPUTS_OF_COLUMNS {
        _ if shape.eight || !narrow || !shape.channels.is_multiple_of(OUTPUTS_OF_COLUMNS) => &[],
        2 => &[(1, 2)],
        3 => &[(1, 3), (3, 1)],
        _ => &[],
    };
    let form = |&(warpgroups, cluster): &(usize, usize)| {
        let with = |stages: usize| Form { boards: 1, warpgroups, tiles: 1, stages, cluster, columns: true };
        let stages = FEWEST_STAGES..=MOST_STAGES_OF_CLUSTER;
        stages.rev().map(with).find(|form| form.shared_bytes(shape) <= shared_memory)
    };
    sizes.iter().filter_map(form).collect()
}

/// Forms that may help: the one with the quickest block, for small batches; the one that wastes least, for large ones; what lies between them
/// and helps batches that are a little too large for the first. Then the same shared by clusters of these sizes, for batches that would leave
/// multiprocessors idle, and those with squares as columns.
pub(super) fn candidates(
    shape: &Shape,
    shared_memory: usize,
    clusters: &[usize],
    columns: bool,
) -> (Vec<Form>, Vec<Form>) {
    let all = forms(shape, shared_memory);
    let squares = shape.layout.squares();
    let by_use = |a: &(usize, &Form), b: &(usize, &Form)| a.1.used_rows(squares).total_cmp(&b.1.used_rows(squares));
    let Some((thrifty, _)) = all.iter().enumerate().max_by(by_use) else { return Default::default() };
    let between = (1..thrifty).filter(|&i| all[i].rows() < 2 * all[0].rows());
    let mut list: Vec<usize> = std::iter::once(0).chain(between).chain([thrifty]).collect();
    list.dedup();
    let alone: Vec<Form> = list.into_iter().map(|i| all[i]).collect();
    let shared = alone
        .iter()
        .flat_map(|&form| clusters.iter().filter_map(move |&cluster| shared_form(shape, shared_memory, form, cluster)));
    let mut shared: Vec<Form> = shared.collect();
    if columns {
        shared.extend(column_forms(shape, shared_memory));
    }
    (alone, shared)
}

/// The forms worth compiling: the candidates without those of clusters that are neither quicker nor larger than another. Small ones come first.
pub(super) fn chosen(shape: &Shape, shared_memory: usize, clusters: &[usize], columns: bool) -> Vec<Form> {
    let (alone, mut small) = candidates(shape, shared_memory, clusters, columns);
    let time = |form: &Form| form.time(shape);
    // Boards for each multiprocessor.
    let share = |form: &Form| form.boards as f64 / form.cluster as f64;
    small.sort_by(|a, b| (time(a), b.boards).cmp(&(time(b), a.boards)));
    let mut most = 0.0;
    let Some(first) = alone.first() else { return Vec::new() };
    small.retain(|form| {
        let useful = share(form) > most && share(form) <= share(first) && time(form) < time(first);
        most = if useful { share(form) } else { most };
        useful
    });
    small.extend(alone);
    small
}

/// Divides a batch: full waves of the form that wastes least, then whatever form is done with the rest first. Each form comes with how many
/// blocks, or clusters of them, run at once. Pairs of a form's index and how many positions it gets.
pub(super) fn divide(forms: &[(Form, usize)], shape: &Shape, count: usize) -> Vec<(usize, usize)> {
    let time = |(form, at_once): &(Form, usize), count: usize| {
        count.div_ceil(form.boards).div_ceil(*at_once) * form.time(shape)
    };
    // Of two that are done at the same time the thriftier, which is later in the list.
    let best = |count: usize| (0..forms.len()).rev().min_by_key(|&i| time(&forms[i], count));
    let Some(last) = forms.len().checked_sub(1) else { return Vec::new() };
    let wave = forms[last].0.boards * forms[last].1;
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
    const CLUSTERS: [usize; 2] = [4, 2];

    fn shape(layout: Layout, channels: usize) -> Shape {
        let network = Network::random(Architecture::new(layout, 0, channels), Seed::new(1)).unwrap();
        Shape::new(&Folded::new(&network), STEP)
    }

    fn boards_and_tiles(layout: Layout, channels: usize) -> Vec<(usize, usize)> {
        chosen(&shape(layout, channels), H200, &[], false)
            .iter()
            .map(|form| (form.boards, form.warpgroups * form.tiles))
            .collect()
    }

    #[test]
    fn forms_of_the_default_networks() {
        assert_eq!(boards_and_tiles(Layout::Shogi, 192), [(1, 2), (2, 3), (3, 4)]);
        assert_eq!(boards_and_tiles(Layout::Dlshogi, 192), [(1, 2), (2, 3), (3, 4)]);
        assert_eq!(boards_and_tiles(Layout::Go(19), 128), [(1, 6)]);
        assert_eq!(boards_and_tiles(Layout::Go(13), 128), [(1, 3), (2, 6)]);
        // 361 rows of 192 channels do not fit.
        assert!(boards_and_tiles(Layout::Go(19), 192).is_empty());
        assert_eq!(boards_and_tiles(Layout::Minishogi, 64)[0], (5, 2));
    }

    #[test]
    fn forms_fit_and_waste_little() {
        for (layout, channels) in
            [(Layout::Shogi, 64), (Layout::BlokusDuo, 64), (Layout::Go(9), 128), (Layout::Minishogi, 32)]
        {
            let shape = shape(layout, channels);
            for form in chosen(&shape, H200, &CLUSTERS, true) {
                assert!(form.shared_bytes(&shape) <= H200);
                assert!(form.columns || form.boards * layout.squares() <= form.rows());
            }
            assert!(
                chosen(&shape, H200, &CLUSTERS, true).last().unwrap().used_rows(layout.squares()) > 0.9,
                "{layout:?}"
            );
        }
    }

    /// Boards of nine lines have such a form if each block has 64 outputs.
    #[test]
    fn a_form_with_squares_as_columns() {
        let cluster = |layout: Layout, channels: usize| {
            column_forms(&shape(layout, channels), H200).first().map(|form| form.cluster)
        };
        assert_eq!(cluster(Layout::Shogi, 192), Some(3));
        assert_eq!(cluster(Layout::Go(9), 128), Some(2));
        for (layout, channels) in [
            (Layout::Go(9), 64),
            (Layout::Go(9), 96),
            (Layout::Shogi, 256),
            (Layout::Minishogi, 128),
            (Layout::Go(19), 128),
        ] {
            assert_eq!(cluster(layout, channels), None);
        }
    }

    #[test]
    fn batches_are_divided_without_loss() {
        let shape = shape(Layout::Shogi, 192);
        let at_once = |form: Form| (form, [132, 66, 39, 30][form.cluster - 1]);
        let with = |clusters: &[usize], columns: bool| {
            chosen(&shape, H200, clusters, columns).into_iter().map(at_once).collect()
        };
        let forms: Vec<(Form, usize)> = with(&[], false);
        assert_eq!(divide(&forms, &shape, 85), [(0, 85)]);
        assert_eq!(divide(&forms, &shape, 198), [(1, 198)]);
        assert_eq!(divide(&forms, &shape, 300), [(2, 300)]);
        assert_eq!(divide(&forms, &shape, 396), [(2, 396)]);
        assert_eq!(divide(&forms, &shape, 512), [(2, 396), (0, 116)]);
        assert_eq!(divide(&forms, &shape, 640), [(2, 396), (1, 244)]);
        assert_eq!(divide(&forms, &shape, 700), [(2, 700)]);
        let forms: Vec<(Form, usize)> = with(&CLUSTERS, false);
        let kinds: Vec<(usize, usize)> = forms.iter().map(|(form, _)| (form.boards, form.cluster)).collect();
        assert_eq!(kinds, [(1, 4), (1, 2), (2, 2), (1, 1), (2, 1), (3, 1)]);
        for (count, form) in
            [(1, 0), (30, 0), (31, 1), (66, 1), (67, 2), (85, 2), (132, 2), (133, 4), (265, 5), (396, 5)]
        {
            assert_eq!(divide(&forms, &shape, count), [(form, count)]);
        }
        assert_eq!(divide(&forms, &shape, 397), [(5, 396), (0, 1)]);
        let forms: Vec<(Form, usize)> = with(&CLUSTERS, true);
        let kinds: Vec<_> = forms.iter().map(|(form, _)| (form.boards, form.cluster, form.columns)).collect();
        let (rows, columns) = (false, true);
        assert_eq!(kinds, [(1, 3, columns), (1, 2, rows), (1, 1, columns), (1, 1, rows), (2, 1, rows), (3, 1, rows)]);
        for (count, form) in [(1, 0), (39, 0), (40, 1), (66, 1), (67, 2), (132, 2), (133, 4), (265, 5)] {
            assert_eq!(divide(&forms, &shape, count), [(form, count)]);
        }
        for count in 0..2000 {
            assert_eq!(divide(&forms, &shape, count).iter().map(|&(_, n)| n).sum::<usize>(), count);
        }
    }
}
