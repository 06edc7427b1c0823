//! The parameters of the linear evaluation: what there is, and which index each has.
//!
//! A side of the board is described **as seen by a viewer**: own pieces and enemy pieces, squares turned so that the viewer plays
//! upwards. What the viewer's mirror image makes equal shares a parameter.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::OnceLock;

use yomi_games::shogi::{Kind, Square, Variant};

/// A piece as the viewer sees it: its kind, plus fourteen if it is the enemy's.
pub(crate) type Code = usize;
pub(crate) const CODES: usize = 28;

/// Pairs count when neither file nor rank differs by more than this.
pub(crate) const NEAR: i32 = 2;
/// Places within that reach, the middle included.
pub(crate) const PLACES: usize = 25;

/// The ways to move that the relations around a king distinguish: the gold and the small promoted pieces are one.
pub(crate) const GAITS: usize = 9;
/// A piece of some gait and side on a place near a king.
pub(crate) const ATOMS: usize = 2 * GAITS * PLACES;

/// The most pieces of a kind a hand can hold.
pub(crate) const HELD: usize = 18;
/// Squares around a king that are free, and that are attacked: 0 to 8 each.
pub(crate) const RING: usize = 9;

/// The gait of a piece around a king; none for kings.
pub(crate) const fn gait(kind: Kind) -> Option<usize> {
    match kind {
        Kind::Pawn => Some(0),
        Kind::Lance => Some(1),
        Kind::Knight => Some(2),
        Kind::Silver => Some(3),
        Kind::Gold | Kind::ProPawn | Kind::ProLance | Kind::ProKnight | Kind::ProSilver => Some(4),
        Kind::Bishop => Some(5),
        Kind::Rook => Some(6),
        Kind::Horse => Some(7),
        Kind::Dragon => Some(8),
        Kind::King => None,
    }
}

/// A place near another one, by the difference of files and ranks; none if it is too far.
pub(crate) const fn place(files: i32, ranks: i32) -> Option<usize> {
    if files.abs() <= NEAR && ranks.abs() <= NEAR {
        Some(((files + NEAR) * (2 * NEAR + 1) + ranks + NEAR) as usize)
    } else {
        None
    }
}

/// The same place with files mirrored.
const fn mirrored(place: usize) -> usize {
    let row = 2 * NEAR as usize + 1;
    (row - 1 - place / row) * row + place % row
}

/// A raw entry of a table that stands for a parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Folded {
    pub(crate) index: u32,
    /// 1, or -1 if colours are exchanged, or 0 if exchanging them changes nothing: then the entry favours neither side.
    pub(crate) sign: i8,
}

/// The index of every parameter.
pub struct Layout {
    size: usize,
    /// Two pieces near each other, by [`Layout::raw_pair`].
    pairs: Vec<Folded>,
    /// Two pieces near a king, by atom and atom.
    triples: Vec<u32>,
    starts: [usize; 9],
}

/// The groups of parameters in the order of their indices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Group {
    Value,
    Hand,
    Held,
    Square,
    FromKing,
    Pair,
    Triple,
    Ring,
    Turn,
}

/// The names of the groups, for people.
const NAMES: [&str; 9] = [
    "piece values",
    "pieces in hand",
    "numbers in hand",
    "squares",
    "squares from a king",
    "pairs",
    "pairs near a king",
    "freedom of a king",
    "turn",
];

impl Layout {
    /// The parameters of a game.
    pub fn of<V: Variant>() -> &'static Layout {
        static FIVE: OnceLock<Layout> = OnceLock::new();
        static NINE: OnceLock<Layout> = OnceLock::new();
        let layout = if V::SIZE == 5 { &FIVE } else { &NINE };
        layout.get_or_init(|| Layout::new(usize::from(V::SIZE)))
    }

    fn new(size: usize) -> Layout {
        let (pairs, pair_count) = fold_pairs();
        let (triples, triple_count) = fold_triples();
        let counts = [
            14,
            7,
            7 * HELD,
            14 * size.div_ceil(2) * size,
            CODES * size * (2 * size - 1),
            pair_count,
            triple_count,
            RING * RING,
            1,
        ];
        let mut starts = [0; 9];
        for i in 1..9 {
            starts[i] = starts[i - 1] + counts[i - 1];
        }
        Layout { size, pairs, triples, starts }
    }

    /// How many parameters there are.
    #[allow(clippy::len_without_is_empty, reason = "never empty")]
    pub fn len(&self) -> usize {
        self.starts[Group::Turn as usize] + 1
    }

    /// The groups of parameters: what they are called, and which indices they have.
    pub fn groups(&self) -> impl Iterator<Item = (&'static str, Range<usize>)> {
        let ends = self.starts[1..].iter().copied().chain([self.len()]);
        NAMES.into_iter().zip(self.starts.into_iter().zip(ends).map(|(start, end)| start..end))
    }

    fn start(&self, group: Group) -> usize {
        self.starts[group as usize]
    }

    /// What a piece on the board is worth.
    pub fn piece(&self, kind: Kind) -> usize {
        self.start(Group::Value) + kind.index()
    }

    /// What a piece in hand is worth.
    pub fn hand(&self, kind: Kind) -> usize {
        self.start(Group::Hand) + kind.index()
    }

    /// What the `n`-th piece of a kind in hand is worth beyond that, from 1.
    pub(crate) fn held(&self, kind: Kind, n: usize) -> usize {
        self.start(Group::Held) + kind.index() * HELD + n - 1
    }

    /// An own piece on a square, both as its side sees them.
    pub(crate) fn square(&self, kind: Kind, file: usize, rank: usize) -> usize {
        let file = file.min(self.size - 1 - file);
        self.start(Group::Square) + (kind.index() * self.size.div_ceil(2) + file) * self.size + rank
    }

    /// A piece this many files and ranks away from the viewer's king.
    pub(crate) fn seen_from_king(&self, code: Code, files: i32, ranks: i32) -> usize {
        let (files, ranks) = (files.unsigned_abs() as usize, (ranks + self.size as i32 - 1) as usize);
        self.start(Group::FromKing) + (code * self.size + files) * (2 * self.size - 1) + ranks
    }

    /// One piece, and another on a place near it.
    #[inline]
    pub(crate) fn raw_pair(a: Code, b: Code, place: usize) -> usize {
        (a * CODES + b) * PLACES + place
    }

    pub(crate) fn pair(&self, a: Code, b: Code, place: usize) -> Folded {
        let folded = self.pairs[Layout::raw_pair(a, b, place)];
        Folded { index: folded.index + self.start(Group::Pair) as u32, ..folded }
    }

    /// A piece near the viewer's king.
    pub(crate) fn atom(enemy: bool, gait: usize, place: usize) -> usize {
        (usize::from(enemy) * GAITS + gait) * PLACES + place
    }

    pub(crate) fn triple(&self, a: usize, b: usize) -> usize {
        self.start(Group::Triple) + self.triples[a * ATOMS + b] as usize
    }

    /// The squares around the viewer's king: how many are free to step on, how many are attacked.
    pub(crate) fn ring(&self, free: usize, attacked: usize) -> usize {
        self.start(Group::Ring) + free * RING + attacked
    }

    /// To have the move.
    pub fn turn(&self) -> usize {
        self.start(Group::Turn)
    }
}

/// Files and ranks from one square to another as a side sees them that plays up the board.
pub(crate) fn from_to<V: Variant>(from: Square, to: Square, turned: bool) -> (i32, i32) {
    let files = i32::from(to.file::<V>()) - i32::from(from.file::<V>());
    let ranks = i32::from(to.rank::<V>()) - i32::from(from.rank::<V>());
    if turned { (-files, -ranks) } else { (files, ranks) }
}

/// The other side's piece.
pub(crate) const fn other(code: Code) -> Code {
    (code + 14) % CODES
}

/// Entries that the order of the two, a mirror, or an exchange of colours make equal are one parameter.
fn fold_pairs() -> (Vec<Folded>, usize) {
    let mut indices = BTreeMap::new();
    let mut folded = Vec::with_capacity(CODES * CODES * PLACES);
    for a in 0..CODES {
        for b in 0..CODES {
            for place in 0..PLACES {
                let back = PLACES - 1 - place;
                let same = [
                    Layout::raw_pair(a, b, place),
                    Layout::raw_pair(a, b, mirrored(place)),
                    Layout::raw_pair(b, a, back),
                    Layout::raw_pair(b, a, mirrored(back)),
                ];
                let exchanged = [
                    Layout::raw_pair(other(a), other(b), back),
                    Layout::raw_pair(other(a), other(b), mirrored(back)),
                    Layout::raw_pair(other(b), other(a), place),
                    Layout::raw_pair(other(b), other(a), mirrored(place)),
                ];
                let least = |entries: [usize; 4]| entries.into_iter().fold(usize::MAX, usize::min);
                let (same, exchanged) = (least(same), least(exchanged));
                let sign = exchanged.cmp(&same) as i8;
                let next = indices.len() as u32;
                let index = *indices.entry(same.min(exchanged)).or_insert(next);
                folded.push(Folded { index, sign });
            }
        }
    }
    (folded, indices.len())
}

/// Entries that the order of the two or a mirror make equal are one parameter.
fn fold_triples() -> (Vec<u32>, usize) {
    let mirror = |atom: usize| atom / PLACES * PLACES + mirrored(atom % PLACES);
    let mut indices = vec![u32::MAX; ATOMS * ATOMS];
    let mut count = 0;
    for a in 0..ATOMS {
        for b in 0..ATOMS {
            let same = [(a, b), (b, a), (mirror(a), mirror(b)), (mirror(b), mirror(a))].map(|(a, b)| a * ATOMS + b);
            if indices[same[0]] == u32::MAX {
                same.into_iter().for_each(|entry| indices[entry] = count);
                count += 1;
            }
        }
    }
    (indices, count as usize)
}
