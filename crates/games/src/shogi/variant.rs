//! The two boards, each a table of constants.

use std::fmt::Debug;

use yomi_core::Rule;

use super::bits::Bits;
use super::bits25::Bits25;
use super::bits81::Bits81;
use super::piece::Kind;
use super::rules::rules;
use super::tables::{TABLES25, TABLES81, Tables};

/// A shogi of some size: everything in which one differs from another. There are two, [`Nine`] and [`Five`].
pub trait Variant: Copy + Clone + PartialEq + Eq + Debug + Send + Sync + 'static {
    /// Sets of squares.
    type Bits: Bits;
    /// One byte a square.
    type Cells: Copy + Clone + PartialEq + Eq + Debug + Send + Sync + AsRef<[u8]> + AsMut<[u8]> + 'static;

    /// The name of the game.
    const NAME: &'static str;
    /// Files, and ranks.
    const SIZE: u8;
    /// What moves look like, beginning with one that is legal in the start position, for people who are asked for one.
    const MOVE_EXAMPLES: &'static str;
    /// The same in USI alone.
    const USI_EXAMPLES: &'static str;
    /// The kinds of piece that exist, in the order of their indices.
    const KINDS: &'static [Kind];
    /// How many pieces of each plain kind a full set has, by the index of the kind; kings last.
    const SET: [u8; 8];
    /// The furthest ranks, in which pieces promote and kings have entered.
    const CAMP: u8;
    /// The start position in SFEN.
    const START: &'static str;
    /// What may be chosen in the rules.
    const RULES: &'static [Rule];
    /// Handicap starts: the name, the SFEN. White gives the odds and moves first.
    const HANDICAPS: &'static [(&'static str, &'static str)];
    /// Whether points can be counted for an entering king.
    const COUNTS_POINTS: bool;
    /// The board without pieces.
    const NO_CELLS: Self::Cells;
    /// What is known of every square.
    const TABLES: &'static Tables<Self::Bits>;
}

/// Shogi, nine by nine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Nine;

impl Variant for Nine {
    type Bits = Bits81;
    type Cells = [u8; 81];
    const NAME: &'static str = "shogi";
    const SIZE: u8 = 9;
    const MOVE_EXAMPLES: &'static str = "7g7f, ７六歩, 76歩, P-7f or P7g-7f; drops P*5e or ５五歩打; + or 成 promotes";
    const USI_EXAMPLES: &'static str = "7g7f, 8h2b+ or P*5e";
    const KINDS: &'static [Kind] = &Kind::ALL;
    const SET: [u8; 8] = [18, 4, 4, 4, 2, 2, 4, 2];
    const CAMP: u8 = 3;
    const START: &'static str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
    const RULES: &'static [Rule] = &rules(
        "none | csa27 | csa27h | csa24 | csa24h | try",
        "none | lance | right-lance | bishop | rook | rook-lance | two-piece | three-piece | four-piece | five-piece | \
         left-five-piece | six-piece | right-seven-piece | left-seven-piece | eight-piece | ten-piece | three-pawns | \
         bare-king",
    );
    const HANDICAPS: &'static [(&'static str, &'static str)] = &[
        ("lance", "lnsgkgsn1/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
        ("right-lance", "1nsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
        ("bishop", "lnsgkgsnl/1r7/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
        ("rook", "lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
        ("rook-lance", "lnsgkgsn1/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
        ("two-piece", "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
        ("three-piece", "lnsgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
        ("four-piece", "1nsgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
        ("five-piece", "2sgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
        ("left-five-piece", "1nsgkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
        ("six-piece", "2sgkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
        ("right-seven-piece", "3gkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
        ("left-seven-piece", "2sgkg3/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
        ("eight-piece", "3gkg3/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
        ("ten-piece", "4k4/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
        ("three-pawns", "4k4/9/9/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w 3p 1"),
        ("bare-king", "4k4/9/9/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    ];
    const COUNTS_POINTS: bool = true;
    const NO_CELLS: [u8; 81] = [0; 81];
    const TABLES: &'static Tables<Bits81> = &TABLES81;
}

/// Minishogi, five by five.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Five;

impl Variant for Five {
    type Bits = Bits25;
    type Cells = [u8; 25];
    const NAME: &'static str = "minishogi";
    const SIZE: u8 = 5;
    const MOVE_EXAMPLES: &'static str = "5d5c, ５三歩, 53歩, P-5c or P5d-5c; drops P*3c or ３三歩打; + or 成 promotes";
    const USI_EXAMPLES: &'static str = "5d5c, 2e2a+ or P*3c";
    const KINDS: &'static [Kind] = &[
        Kind::Pawn,
        Kind::Silver,
        Kind::Bishop,
        Kind::Rook,
        Kind::Gold,
        Kind::King,
        Kind::ProPawn,
        Kind::ProSilver,
        Kind::Horse,
        Kind::Dragon,
    ];
    const SET: [u8; 8] = [2, 0, 0, 2, 2, 2, 2, 2];
    const CAMP: u8 = 1;
    const START: &'static str = "rbsgk/4p/5/P4/KGSBR b - 1";
    const RULES: &'static [Rule] = &rules("none | try", "none | bishop | rook | two-piece");
    const HANDICAPS: &'static [(&'static str, &'static str)] = &[
        ("bishop", "r1sgk/4p/5/P4/KGSBR w - 1"),
        ("rook", "1bsgk/4p/5/P4/KGSBR w - 1"),
        ("two-piece", "2sgk/4p/5/P4/KGSBR w - 1"),
    ];
    const COUNTS_POINTS: bool = false;
    const NO_CELLS: [u8; 25] = [0; 25];
    const TABLES: &'static Tables<Bits25> = &TABLES25;
}
