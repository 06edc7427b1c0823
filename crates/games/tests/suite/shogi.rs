//! The laws of games, for shogi and minishogi: random games from start, handicap and hard positions, and positions set up at
//! random.

use proptest::prelude::*;
use yomi_core::conformance::{Effort, Twin, check};
use yomi_core::policy::Step;
use yomi_core::{Color, Move, Notation, Position, Seed, Simulate, Spec, Tactical};
use yomi_games::shogi::{
    Bits, Five, Kind, Minishogi, Nine, Piece, Rules, Setup, Shogi, Shogi9, ShogiMove, Square, Variant,
};

/// Positions full of pins, checks, promotions and pawn drops.
const HARD: &[&str] = &[
    "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
    "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1",
    "l4S2l/4g1gs1/5p1p1/pr2N1pkp/4Gn3/PP3PPPP/2GPP4/1K7/L3r+s2L w BS2N5Pb 1",
    "6n1l/2+S1k4/2lp4p/1np1B2b1/3PP4/1N1S3rP/1P2+pPP+p1/1p1G5/3KG2r1 b GSN2L4Pgs2p 1",
    "8k/9/7+RG/9/9/9/9/9/4K4 b P 1",
    "4k4/9/4P4/9/9/9/9/9/9 b 2G2S4P 1",
    "9/9/9/9/9/9/9/9/9 b RB2G2S2N2L9Prb2g2s2n2l9p 1",
];

const HARD_MINI: &[&str] = &[
    "4k/5/3RG/5/K4 b P 1",
    "r1s1k/1b2p/1G3/P1SB1/K1G1R w - 1",
    "2k2/5/2+R2/5/2K2 w RBGSPbgsp 1",
    "2k2/5/5/5/5 b RBGSPrbgsp 1",
];

fn effort(games: u64, max_plies: usize, brute_force_every: usize) -> Effort {
    Effort { games, max_plies, ends: false, brute_force_every }
}

#[test]
fn laws_from_the_start() {
    check(&Shogi9::default(), effort(6, 300, 15), 1);
    check(&Minishogi::default(), effort(20, 200, 15), 1);
}

#[test]
fn laws_of_handicaps() {
    fn all<V: Variant>(name: &str) {
        for (handicap, sfen) in V::HANDICAPS {
            let spec = Spec::parse(&format!("{name}(handicap={handicap})")).expect("spec");
            let start = Shogi::<V>::start(&spec).expect("a handicap");
            assert_eq!(&start.position_text(), sfen);
            assert_eq!(start.turn(), Color::White);
            check(&start, effort(1, 60, 30), 2);
        }
    }
    all::<Nine>("shogi");
    all::<Five>("minishogi");
}

#[test]
fn laws_of_hard_positions() {
    for sfen in HARD {
        check(&Shogi9::from_sfen(sfen).expect(sfen), effort(2, 60, 10), 3);
    }
    for sfen in HARD_MINI {
        check(&Minishogi::from_sfen(sfen).expect(sfen), effort(4, 60, 10), 3);
    }
}

#[test]
fn laws_of_the_try_rule() {
    let start = |text: &str| Spec::parse(text).expect("spec");
    check(&Shogi9::start(&start("shogi(declaration=try)")).expect("start"), effort(1, 200, 20), 4);
    check(&Minishogi::start(&start("minishogi(declaration=try)")).expect("start"), effort(10, 200, 10), 4);
}

/// Everything that may be asked of a position, compared with the plain rules.
fn interrogate<V: Variant>(position: &Shogi<V>) {
    let mut moves = Vec::new();
    let outcome = position.generate(&mut moves);
    let squares = || Square::all::<V>();
    let board = squares()
        .flat_map(|from| squares().flat_map(move |to| [ShogiMove::new(from, to), ShogiMove::promoting(from, to)]));
    let drops = Kind::HAND.into_iter().flat_map(|kind| squares().map(move |to| ShogiMove::drop(kind, to)));
    let mut slow: Vec<ShogiMove> = board.chain(drops).filter(|&mv| position.slow_legal(mv)).collect();
    slow.sort_unstable();
    assert_eq!(moves, slow, "\n{position}");
    assert_eq!(outcome.is_some(), moves.is_empty());
    assert_eq!(position.count(&mut Vec::new()), moves.len() as u64);
    assert_eq!(position.key(), position.slow_key());
    let read = position.parse_position(&position.position_text()).expect("own text");
    assert_eq!(&read, position);
    let mut noisy = Vec::new();
    position.noisy(&mut noisy);
    // They come in no particular order.
    noisy.sort_unstable();
    let is_noisy = |mv: &&ShogiMove| {
        position.in_check() || mv.promotes() || mv.from().is_some() && position.piece_at(mv.to()).is_some()
    };
    assert_eq!(noisy, moves.iter().filter(is_noisy).copied().collect::<Vec<_>>(), "noisy in\n{position}");
    if let Some(mv) = position.mate_in_one() {
        let mut mated = *position;
        mated.play(mv);
        assert!(mated.in_check() && mated.generate(&mut Vec::new()).is_some(), "{mv:?} mates in\n{position}");
    }
    let drawn = position.draw(&mut Default::default(), &mut Seed::new(1).rng());
    assert!(match drawn {
        Step::Continue(mv) => moves.contains(&mv),
        Step::Break(found) => Some(found) == outcome,
    });
    for mv in moves {
        let mut child = *position;
        child.play(mv);
        assert_eq!(child.key(), position.key_after(mv));
        assert_eq!(child.in_check(), position.gives_check(mv));
        assert_eq!(
            child,
            child.parse_position(&child.position_text()).expect("a legal move leads to a legal position")
        );
    }
    let _ = position.declaration();
}

/// A board with pieces thrown on it: a number for each piece of the set says where it goes.
fn thrown<V: Variant>(places: &[u16], turn: Color) -> Setup {
    let mut setup = Setup { turn, ..Setup::default() };
    let set = (0..8).flat_map(|kind| (0..V::SET[kind]).map(move |n| (Kind::ALL[kind], n)));
    for ((kind, n), &place) in set.zip(places) {
        let color =
            if kind == Kind::King { Color::from_index(n.into()) } else { Color::from_index((place & 1).into()) };
        let square = usize::from(place >> 2) % (usize::from(V::SIZE * V::SIZE) * 3 / 2);
        if square < usize::from(V::SIZE * V::SIZE) {
            let kind = if place & 2 == 0 { kind } else { kind.promoted().unwrap_or(kind) };
            setup.cells[square] = Some(Piece { color, kind });
        } else if kind != Kind::King {
            setup.hands[color.index()][kind.index()] += 1;
        }
    }
    setup
}

/// Leaves out what no position may have, so that most boards survive.
fn without_dead_pieces<V: Variant>(mut setup: Setup) -> Setup {
    for square in Square::all::<V>() {
        let Some(piece) = setup.cells[square.index()] else { continue };
        let alone = Setup {
            cells: std::array::from_fn(|i| setup.cells[i].filter(|_| i == square.index())),
            ..Setup::default()
        };
        let doubled = piece.kind == Kind::Pawn
            && Square::all::<V>()
                .take(square.index())
                .any(|other| other.file::<V>() == square.file::<V>() && setup.cells[other.index()] == Some(piece));
        if doubled || alone.position::<V>(Rules::default()).is_err() {
            setup.cells[square.index()] = None;
        }
    }
    setup
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn thrown_boards(places in prop::collection::vec(any::<u16>(), 0..40), white in any::<bool>()) {
        let turn = Color::from_index(white.into());
        if let Ok(position) = without_dead_pieces::<Nine>(thrown::<Nine>(&places, turn)).position::<Nine>(Rules::default()) {
            interrogate(&position);
        }
    }

    #[test]
    fn thrown_small_boards(places in prop::collection::vec(any::<u16>(), 0..12), white in any::<bool>()) {
        let turn = Color::from_index(white.into());
        if let Ok(position) = without_dead_pieces::<Five>(thrown::<Five>(&places, turn)).position::<Five>(Rules::default()) {
            interrogate(&position);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn any_text_is_read_or_refused(text in ".{0,80}") {
        let start = Shogi9::default();
        let _ = start.parse_line(&text);
        let _ = start.parse_move(&text);
        let _ = start.parse_position(&text);
    }

    /// Texts that look like SFEN.
    #[test]
    fn garbled_positions(
        index in 0..HARD.len(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), "[1-9a-zA-Z+/ *-]"), 0..4),
    ) {
        let mut text: Vec<char> = HARD[index].chars().collect();
        for (at, c) in edits {
            let at = at.index(text.len());
            text[at] = c.chars().next().unwrap_or('k');
        }
        let text: String = text.into_iter().collect();
        if let Ok(position) = Shogi9::from_sfen(&text) {
            prop_assert_eq!(&Shogi9::from_sfen(&position.sfen()).expect("own text"), &position);
            let mut moves = Vec::new();
            position.generate(&mut moves);
            prop_assert!(moves.iter().all(|&mv| position.slow_legal(mv)));
            prop_assert_eq!(position.count(&mut Vec::new()), moves.len() as u64);
        }
    }

    /// Moves of any bits are judged without a panic, the same way by both.
    #[test]
    fn any_bits(index in 0..HARD.len(), bits in any::<u16>()) {
        let position = Shogi9::from_sfen(HARD[index]).expect("sfen");
        let mv = ShogiMove::from_bits(bits);
        prop_assert_eq!(position.is_legal(mv), position.slow_legal(mv));
        let small = Minishogi::from_sfen(HARD_MINI[index % HARD_MINI.len()]).expect("sfen");
        prop_assert_eq!(small.is_legal(mv), small.slow_legal(mv));
    }
}

/// The proptest above would be worthless if most boards were refused.
#[test]
fn most_thrown_boards_are_positions() {
    let mut rng = Seed::new(4).rng();
    let mut positions = 0;
    for _ in 0..200 {
        let places: Vec<u16> = (0..40).map(|_| rng.next() as u16).collect();
        let setup = without_dead_pieces::<Nine>(thrown::<Nine>(&places, Color::Black));
        positions += usize::from(setup.position::<Nine>(Rules::default()).is_ok());
    }
    assert!(positions > 60, "{positions} of 200");
}

/// The sets of squares agree with plain sets.
#[test]
fn bits_are_sets() {
    fn agree<V: Variant>() {
        let mut rng = Seed::new(6).rng();
        for _ in 0..1000 {
            let set: Vec<Square> = Square::all::<V>().filter(|_| rng.chance(0.3)).collect();
            let bits = set.iter().fold(V::Bits::EMPTY, |bits, &sq| bits | V::Bits::of(sq));
            assert_eq!(bits.squares().collect::<Vec<_>>(), set);
            let mut each = Vec::new();
            bits.each(|sq| each.push(sq));
            assert_eq!(each, set);
            assert_eq!(bits.len() as usize, set.len());
            assert_eq!((bits.is_empty(), bits.is_many()), (set.is_empty(), set.len() > 1));
            assert_eq!((bits.first(), bits.rest().first()), (set.first().copied(), set.get(1).copied()));
            assert!(Square::all::<V>().all(|sq| bits.has(sq) == set.contains(&sq)));
        }
    }
    agree::<Nine>();
    agree::<Five>();
}
