//! Symmetries of what networks see and answer: positions that are seen differently have the images of planes and moves.

use crate::common;

use std::collections::BTreeSet;

use common::{positions, start};
use yomi_core::{Color, Notation, Seed};
use yomi_games::blokus::{self, BlokusDuo};
use yomi_games::shogi::{Minishogi, Shogi9};
use yomi_net::input::{Encode, Layout, Planes};
use yomi_net::label::Labels;
use yomi_net::symmetry::{Symmetry, Which, transposed};

const LAYOUTS: [Layout; 7] = [
    Layout::Shogi,
    Layout::Dlshogi,
    Layout::Minishogi,
    Layout::Go(5),
    Layout::Go(9),
    Layout::Go(19),
    Layout::BlokusDuo,
];

/// Squares and labels change places, no two symmetries are the same, and those of the start are the first of those of the rules.
#[test]
fn symmetries_are_permutations() {
    for layout in LAYOUTS {
        let [of_start, of_rules] = [Which::OfTheStart, Which::OfTheRules].map(|which| Symmetry::list(layout, which));
        let expected = match layout {
            Layout::Go(_) => (8, 8),
            Layout::BlokusDuo => (2, 2),
            _ => (1, 2),
        };
        assert_eq!((of_start.len(), of_rules.len()), expected, "{layout:?}");
        assert!(of_rules.starts_with(&of_start));
        let (squares, labels) = (layout.squares(), Labels::of(layout).count());
        assert!(
            (0..squares).all(|at| of_rules[0].square(at) == at) && (0..labels).all(|at| of_rules[0].label(at) == at)
        );
        for (i, symmetry) in of_rules.iter().enumerate() {
            assert_eq!((0..squares).map(|at| symmetry.square(at)).collect::<BTreeSet<_>>().len(), squares);
            let images: BTreeSet<usize> = (0..labels).map(|at| symmetry.label(at)).collect();
            assert_eq!((images.len(), images.last()), (labels, Some(&(labels - 1))), "{layout:?}");
            assert!(!of_rules[..i].contains(symmetry));
        }
    }
}

/// The planes of a position that is packed under a symmetry are the images of its planes: liberties, attacks and attach points included.
#[test]
fn planes_follow_positions() {
    for layout in LAYOUTS {
        for packed in positions(layout, 60) {
            let mut planes = Planes::default();
            layout.expand(&packed, &mut planes);
            for symmetry in Symmetry::list(layout, Which::OfTheRules) {
                let mut image = Planes::default();
                layout.expand(&symmetry.packed(&packed), &mut image);
                let ones = planes.ones.iter().map(|&(plane, square)| (plane, symmetry.square(square.into()) as u16));
                let moved = Planes { ones: ones.collect(), constants: planes.constants.clone() };
                assert_eq!(image.sorted(), moved.sorted(), "{layout:?}");
            }
        }
    }
}

/// Positions and moves of random games against their images, which `image` and `mv` make by other means.
fn check<P: Encode>(start: &P, image: impl Fn(&P) -> P, image_of_move: impl Fn(&P, P::Move) -> P::Move) {
    let layout = start.layout();
    let symmetries = Symmetry::list(layout, Which::OfTheRules);
    let mut rng = Seed::new(4).rng();
    let (mut position, mut moves, mut of_image) = (start.clone(), Vec::new(), Vec::new());
    for _ in 0..300 {
        if position.generate(&mut moves).is_some() {
            position = start.clone();
            continue;
        }
        let other = image(&position);
        for viewer in Color::BOTH {
            assert_eq!(other.pack(viewer), symmetries[1].packed(&position.pack(viewer)), "{position}");
        }
        assert!(other.generate(&mut of_image).is_none());
        let expected: BTreeSet<usize> = of_image.iter().map(|&mv| other.label(mv)).collect();
        let found: BTreeSet<usize> = moves.iter().map(|&mv| symmetries[1].label(position.label(mv))).collect();
        assert_eq!(found, expected, "{position}");
        for &mv in &moves {
            let to = image_of_move(&other, mv);
            assert_eq!(other.label(to), symmetries[1].label(position.label(mv)), "{mv:?}\n{position}");
        }
        position.play(moves[rng.below(moves.len())]);
    }
}

/// The diagonal through the start squares: sides, start squares and margins stay.
#[test]
fn the_diagonal_of_blokus() {
    for rules in ["blokus-duo", "blokus-duo(start=free)"] {
        check(
            &start::<BlokusDuo>(rules),
            |position| blokus::Symmetry::Transpose.position(position),
            |_, mv| blokus::Symmetry::Transpose.mv(mv),
        );
    }
}

/// A square or a piece in a text, mirrored: files are numbers from one to `size`.
fn mirrored_file(file: char, size: u32) -> char {
    file.to_digit(10).and_then(|file| char::from_digit(size + 1 - file, 10)).unwrap_or(file)
}

/// A position with every rank written from the other end.
fn mirrored_text(text: &str) -> String {
    let (board, rest) = text.split_once(' ').expect("a board and a side");
    let rank = |rank: &str| {
        // A promoted piece is two letters.
        let mut pieces: Vec<String> = Vec::new();
        for letter in rank.chars() {
            match pieces.last_mut() {
                Some(last) if last == "+" => last.push(letter),
                _ => pieces.push(letter.to_string()),
            }
        }
        pieces.into_iter().rev().collect::<String>()
    };
    format!("{} {rest}", board.split('/').map(rank).collect::<Vec<_>>().join("/"))
}

/// A move in the mirror: `7g7f` becomes `3g3f`, `P*5e` stays.
fn mirrored_move(text: &str, size: u32) -> String {
    text.chars().map(|letter| mirrored_file(letter, size)).collect()
}

/// The mirror of shogi by its texts: what was legal is legal, and nothing else.
#[test]
fn the_mirror_of_shogi() {
    let start = Shogi9::default();
    check(
        &start,
        |position| start.parse_position(&mirrored_text(&position.position_text())).unwrap(),
        |image, mv| image.parse_move(&mirrored_move(&start.move_text(mv), 9)).unwrap(),
    );
    let start = Minishogi::default();
    check(
        &start,
        |position| start.parse_position(&mirrored_text(&position.position_text())).unwrap(),
        |image, mv| image.parse_move(&mirrored_move(&start.move_text(mv), 5)).unwrap(),
    );
}

/// The PyTorch trainer has the same table of Blokus's pieces.
#[test]
fn the_table_of_the_python_trainer() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../python/yomi_train/symmetries.py");
    let text = std::fs::read_to_string(path).unwrap();
    let (_, table) = text.split_once("TRANSPOSED = \"\"\"").expect("a table");
    let (table, _) = table.split_once("\"\"\"").expect("its end");
    let expected: Vec<String> =
        transposed().iter().map(|image| format!("{},{},{}", image.shape, image.by.0, image.by.1)).collect();
    assert_eq!(table.split_whitespace().collect::<Vec<_>>(), expected, "{}", expected.join(" "));
}
