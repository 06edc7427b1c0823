//! Packed positions, planes and labels over random games, against slow twins.

use std::collections::BTreeSet;

use yomi_core::{Color, Notation, Seed, Spec};
use yomi_games::blokus::BlokusDuo;
use yomi_games::go::{Go9, Go13, Go19};
use yomi_games::shogi::{Minishogi, Shogi9};
use yomi_net::input::{Changes, Encode, Layout, PackedPosition, Planes};
use yomi_net::label::Labels;

fn start<P: Notation>(text: &str) -> P {
    P::start(&Spec::parse(text).unwrap()).unwrap()
}

fn expanded(layout: Layout, packed: &PackedPosition) -> Planes {
    let mut planes = Planes::default();
    layout.expand(packed, &mut planes);
    planes.sorted()
}

/// Random games: every position packs to what the slow twin says, every child is its parent plus changes, labels tell moves apart.
fn check<P: Encode>(start: &P, layouts: &[Layout], games: u64, plies: usize) {
    for game in 0..games {
        let mut rng = Seed::new(game).rng();
        let mut position = start.clone();
        let (mut moves, mut changes) = (Vec::new(), Changes::default());
        for ply in 0..plies {
            if position.generate(&mut moves).is_some() {
                break;
            }
            for &layout in layouts {
                for viewer in Color::BOTH {
                    let planes = expanded(layout, &position.pack(viewer));
                    let slow = position.planes_slowly(layout, viewer).unwrap().sorted();
                    assert_eq!(planes, slow, "{layout:?} for {viewer:?}, game {game} ply {ply}\n{position}");
                    let squares = layout.squares();
                    assert!(planes.ones.windows(2).all(|pair| pair[0] != pair[1]));
                    assert!(
                        planes.ones.iter().all(|&(p, s)| usize::from(p) < layout.planes() && usize::from(s) < squares)
                    );
                }
                let base = expanded(layout, &position.pack(!position.turn()));
                for &mv in moves.iter().step_by(1 + moves.len() / 24) {
                    let mut child = position.clone();
                    child.play(mv);
                    position.changes(layout, mv, &mut changes);
                    let mut planes = base.clone();
                    changes.apply(&mut planes);
                    let full = expanded(layout, &child.pack(child.turn()));
                    assert_eq!(planes.sorted(), full, "{layout:?} {mv:?}\n{position}");
                }
                let labels: BTreeSet<usize> = moves.iter().map(|&mv| position.label(mv)).collect();
                assert_eq!(labels.len(), moves.len(), "{position}");
                assert!(labels.iter().all(|&label| label < Labels::of(layout).count()));
            }
            position.play(moves[rng.below(moves.len())]);
        }
    }
}

#[test]
fn shogi() {
    check(&Shogi9::default(), &[Layout::Shogi, Layout::Dlshogi], 2, 120);
}

#[test]
fn minishogi() {
    check(&Minishogi::default(), &[Layout::Minishogi], 20, 100);
}

#[test]
fn go() {
    check(&start::<Go9>("go9"), &[Layout::Go(9)], 2, 160);
    check(&start::<Go9>("go5(rules=japanese,komi=-3.5)"), &[Layout::Go(5)], 10, 100);
    check(&start::<Go13>("go13"), &[Layout::Go(13)], 1, 200);
    check(&start::<Go19>("go19"), &[Layout::Go(19)], 1, 250);
}

#[test]
fn blokus() {
    for rules in ["blokus-duo", "blokus-duo(start=free)"] {
        check(&start::<BlokusDuo>(rules), &[Layout::BlokusDuo], 3, 60);
    }
}

/// Positions that are the same for the side to move are packed alike, whichever side that is.
#[test]
fn both_sides_see_alike() {
    let black = Shogi9::from_sfen("lnsgkgsnl/1r5b1/1ppppp1pp/6p2/9/2P6/PP1PPPPP1/1B5R1/LNSGKGSNL b 2P 1").unwrap();
    let white = Shogi9::from_sfen("lnsgkgsnl/1r5b1/1ppppp1pp/6p2/9/2P6/PP1PPPPP1/1B5R1/LNSGKGSNL w 2p 1").unwrap();
    assert_eq!(black.pack(Color::Black), white.pack(Color::White));
    let label = |position: &Shogi9, mv: &str| position.label(position.parse_move(mv).unwrap());
    assert_eq!(label(&black, "2g2f"), label(&white, "8c8d"));
    assert_eq!(label(&black, "8h2b+"), label(&white, "2b8h+"));
}

/// dlshogi's numbers: direction times 81 plus destination, "up" first; up-left is 1, with promotion 10 more; drops by kind from 20 on.
#[test]
fn labels_are_those_of_dlshogi() {
    let start = Shogi9::default();
    let label = |position: &Shogi9, mv: &str| position.label(position.parse_move(mv).unwrap());
    assert_eq!(label(&start, "7g7f"), 6 * 9 + 5);
    assert_eq!(label(&start, "6i7h"), 81 + 6 * 9 + 7);
    assert_eq!(label(&start, "4i3h"), 2 * 81 + 2 * 9 + 7);
    assert_eq!(label(&start, "2h6h"), 3 * 81 + 5 * 9 + 7);
    let later = Shogi9::from_sfen("ln2kgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b SG 1").unwrap();
    assert_eq!(label(&later, "8h2b+"), 12 * 81 + 9 + 1);
    assert_eq!(label(&later, "S*5e"), 23 * 81 + 4 * 9 + 4);
    assert_eq!(label(&later, "G*5e"), 26 * 81 + 4 * 9 + 4);
}

/// Planes of the start position, counted by hand.
#[test]
fn start_position_of_shogi() {
    let position = Shogi9::default();
    let planes = expanded(Layout::Shogi, &position.pack(Color::Black));
    assert_eq!((planes.ones.len(), planes.constants.len(), Layout::Shogi.planes()), (40, 0, 104));
    // The own king on 5i, the opponent's on 5a.
    assert!(planes.ones.contains(&(7, 44)) && planes.ones.contains(&(52 + 7, 36)));
    let held = Shogi9::from_sfen("4k4/9/9/9/9/9/9/9/4K4 b R2Pr3g4l16p 1").unwrap();
    let planes = expanded(Layout::Shogi, &held.pack(Color::White));
    let constants: Vec<u16> = planes.constants.iter().map(|&(plane, _)| plane).collect();
    let own = (14..30).chain(32..36).chain([46]).chain(48..51);
    assert_eq!(constants, own.chain([52 + 14, 52 + 15, 52 + 46]).collect::<Vec<u16>>());
}

/// Bytes that no position packs to are expanded to something, and never out of range.
#[test]
fn any_bytes_can_be_expanded() {
    let mut rng = Seed::new(5).rng();
    let layouts = [Layout::Shogi, Layout::Dlshogi, Layout::Minishogi, Layout::Go(9), Layout::Go(19), Layout::BlokusDuo];
    let mut planes = Planes::default();
    for _ in 0..300 {
        let mut packed = PackedPosition::EMPTY;
        packed.0.iter_mut().for_each(|byte| *byte = rng.next() as u8 & if rng.chance(0.5) { 31 } else { 255 });
        for layout in layouts {
            layout.expand(&packed, &mut planes);
            planes.dense(layout.planes(), layout.squares());
        }
    }
}

#[test]
fn ids_name_layouts() {
    for layout in [Layout::Shogi, Layout::Dlshogi, Layout::Minishogi, Layout::Go(13), Layout::BlokusDuo] {
        assert_eq!(Layout::from_id(layout.id(), layout.board()), Some(layout));
        assert_eq!(Layout::from_id(layout.id(), 20), None);
    }
    assert_eq!(Layout::from_id("shogi", 9), None);
}
