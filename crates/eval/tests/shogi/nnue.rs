//! The network.

use yomi_core::{Answer, Color, Differentiable, Evaluator, Position, Question, Seed, Want};
use yomi_eval::Nnue;
use yomi_eval::nnue::{Groups, Network, Passage, Seer, Shape, UNIT, WIDTH};
use yomi_games::shogi::{Five, Nine, Shogi, Shogi9, Square, Variant};

use super::common::{ODD_POSITIONS, image, leaf, mirror};

/// Parameters that make no sense, but all are different; half of the neurons are somewhere between their ends.
fn random_parameters<V: Variant>() -> Vec<f32> {
    let mut rng = Seed::new(5).rng();
    let at = Groups::of::<V>();
    let scale = |i: usize| match i {
        _ if i < at.worth() => 0.2,
        _ if i < at.hidden() => 1.0,
        _ if i < at.hidden_bias() => 0.5,
        _ if i < at.last() => 2.0,
        _ => 4.0,
    };
    (0..at.len()).map(|i| (rng.unit() - 0.5) * scale(i)).collect()
}

fn random_network<V: Variant>() -> Nnue<V> {
    Nnue::new(Network::round::<V>(&random_parameters::<V>()), "nnue")
}

fn random_game<V: Variant>(seed: u64, plies: usize) -> Vec<Shogi<V>> {
    super::common::random_game(&Seed::new(seed).branch("nnue", 0), plies)
}

/// By difference along lines, from whatever was judged before, from nothing, and for all children at once: always the real numbers that the
/// whole ones stand for, but for the division behind the hidden layer (at most 1/255 per neuron, times its last weight).
fn every_way_gives_the_definition<V: Variant>() {
    let nnue = random_network::<V>();
    let parameters = nnue.network().parameters();
    let last = &parameters[Groups::of::<V>().last()..Groups::of::<V>().last_bias()];
    let tolerance = UNIT * last.iter().map(|w| w.abs() / 255.0).sum::<f32>() + 0.1;
    let mut scratch = nnue.scratch(0);
    let (mut out, mut moves) = (Answer::default(), Vec::new());
    let mut rng = Seed::new(3).rng();
    let mut different = 0.0f32;
    for seed in 0..4 {
        for (ply, position) in random_game::<V>(seed, 100).iter().enumerate() {
            let slow = Passage::new(&parameters, position).value as f32 * UNIT;
            let fresh = nnue.fresh(position);
            assert!((fresh - slow).abs() < tolerance, "{fresh} {slow}\n{position}");
            different = different.max((fresh - nnue.fresh(&Shogi::default())).abs());
            // Depths as a search has them, and as it never has them.
            let depth = if rng.chance(0.8) { ply as u32 % 20 } else { rng.next() as u32 };
            assert_eq!(nnue.value(&leaf(position, depth), &mut scratch), fresh, "{position}");
            if position.generate(&mut moves).is_some() || ply % 4 > 0 {
                continue;
            }
            let question = Question { depth, want: Want::CHILDREN, ..Question::of(position, &moves) };
            out.clear();
            nnue.judge(&question, &mut out, &mut scratch);
            for (&mv, (&judged, outcome)) in moves.iter().zip(out.values.iter().zip(&out.outcomes)) {
                let mut child = *position;
                child.play(mv);
                assert_eq!(*outcome, child.generate(&mut Vec::new()), "{child}");
                assert!(outcome.is_some() || judged == -nnue.fresh(&child), "{child}");
            }
        }
    }
    assert!(different > 10.0 * tolerance, "{different} says nothing beside {tolerance}");
}

#[test]
fn by_difference_is_by_definition() {
    every_way_gives_the_definition::<Nine>();
    every_way_gives_the_definition::<Five>();
}

/// With the sides exchanged a position is worth the same, and mirrored as well, unless a king stands on the middle file, which is its own
/// mirror image while the pieces around it are not.
fn symmetric<V: Variant>() {
    let nnue = random_network::<V>();
    let mut mirrored = 0;
    for seed in 10..16 {
        for position in random_game::<V>(seed, 100) {
            let here = nnue.fresh(&position);
            assert_eq!(nnue.fresh(&image(&position, true, Square::turned::<V>)), here, "{position}");
            let middle = |color| position.king(color).is_some_and(|king| king.file::<V>() == V::SIZE / 2 + 1);
            if !Color::BOTH.into_iter().any(middle) {
                assert_eq!(nnue.fresh(&image(&position, false, mirror::<V>)), here, "{position}");
                mirrored += 1;
            }
        }
    }
    assert!(mirrored > 50, "{mirrored}");
}

#[test]
fn images_of_a_position_are_worth_the_same() {
    symmetric::<Nine>();
    symmetric::<Five>();
}

/// Positions without a king or with crowded hands are judged like any other.
#[test]
fn odd_positions_are_judged() {
    let nnue = random_network::<Nine>();
    let mut scratch = nnue.scratch(0);
    for sfen in ODD_POSITIONS {
        let position = Shogi9::from_sfen(sfen).expect(sfen);
        assert_eq!(nnue.value(&leaf(&position, 1), &mut scratch), nnue.fresh(&position), "{sfen}");
    }
}

/// The gradient is what a change of the parameters changes: finite differences of the definition, along random directions. A step across
/// a corner of the clipping is no difference to compare with; one in 25 meets one of the 512 corners, so one position in four may. Rounded
/// parameters stand on corners all the time, so these are not; the evaluator's gradient is the same function of rounded ones.
fn gradient_is_the_change<V: Variant>() {
    let parameters = random_parameters::<V>();
    let at = Groups::of::<V>();
    let mut rng = Seed::new(12).rng();
    let (mut agree, mut all) = (0, 0);
    for position in random_game::<V>(4, 80).iter().step_by(7) {
        let direction: Vec<f32> = parameters.iter().map(|_| rng.unit() - 0.5).collect();
        let h = 1.0 / 16384.0;
        let moved = |h: f32| -> Vec<f32> { parameters.iter().zip(&direction).map(|(p, d)| p + h * d).collect() };
        let value = |h: f32| Passage::new(&moved(h), position).value;
        let difference = (value(h) - value(-h)) / f64::from(2.0 * h);
        let mut along = 0.0;
        let mut sink = |i: usize, x: f64| along += x * f64::from(direction[i]);
        Passage::new(&parameters, position).gradient(at, &parameters, 1.0, &mut sink);
        all += 1;
        agree += usize::from((along - difference).abs() < 0.002 * (1.0 + along.abs()));
    }
    assert!(agree * 4 >= all * 3, "{agree} of {all}");

    let nnue = random_network::<V>();
    let parameters = nnue.network().parameters();
    assert_eq!(Differentiable::parameters(&nnue), at.len());
    let start = Shogi::<V>::default();
    let (mut sums, mut wanted) = (vec![0.0f32; at.len()], vec![0.0f64; at.len()]);
    nnue.gradient(&leaf(&start, 0), 2.0, &mut |i, x| sums[i] += x, &mut nnue.scratch(0));
    Passage::new(&parameters, &start).gradient(at, &parameters, f64::from(2.0 * UNIT), &mut |i, x| wanted[i] += x);
    let close = |(a, b): (&f32, &f64)| (f64::from(*a) - b).abs() <= 1e-3 * (1.0 + b.abs());
    assert!(sums.iter().zip(&wanted).all(close) && wanted.iter().any(|x| x.abs() > 1.0));
}

#[test]
fn gradients_are_finite_differences() {
    gradient_is_the_change::<Nine>();
    gradient_is_the_change::<Five>();
}

/// A thread that jumps about in the tree gets the same values as one that does not.
#[test]
fn memory_never_shows() {
    let nnue = random_network::<Five>();
    let games: Vec<_> = (0..5).map(|seed| random_game::<Five>(seed, 60)).collect();
    let mut rng = Seed::new(9).rng();
    let mut scratch = nnue.scratch(0);
    for _ in 0..5_000 {
        let game = &games[rng.below(games.len())];
        let position = &game[rng.below(game.len())];
        let value = nnue.value(&leaf(position, rng.below(6) as u32), &mut scratch);
        assert_eq!(value, nnue.fresh(position));
    }
}

/// Every feature has its own row: positions that differ in one piece differ in rows, and rows stay in their range.
#[test]
fn rows_are_distinguished() {
    fn check<V: Variant>() {
        let (shape, seer) = (Shape::of::<V>(), Seer::new::<V>());
        assert!(shape.rows() <= usize::from(u16::MAX));
        for position in random_game::<V>(7, 80) {
            let pieces = position.cells().iter().filter(|&&cell| cell != 0).count();
            let held: u8 = Color::BOTH.iter().flat_map(|&color| position.in_hand(color)).sum();
            for rows in seer.rows(&position) {
                let mut sorted = rows.clone();
                sorted.sort_unstable();
                sorted.dedup();
                assert_eq!(sorted.len(), pieces + usize::from(held), "{position}");
                assert!(rows.iter().all(|&row| usize::from(row) < shape.rows()));
                let bucket = usize::from(rows[0]) / shape.features();
                assert!(rows.iter().all(|&row| usize::from(row) / shape.features() == bucket));
            }
        }
    }
    check::<Nine>();
    check::<Five>();
}

#[test]
fn files_survive_and_damaged_ones_are_refused() {
    let network = Network::round::<Five>(&random_parameters::<Five>());
    let good = network.write::<Five>();
    let read = Network::read::<Five>(&good).expect("as it was written");
    assert_eq!(read.parameters(), network.parameters());
    let refused = |bytes: &[u8]| Network::read::<Five>(bytes).err().expect("refused").to_string();
    let other = Network::read::<Nine>(&good).err().expect("refused").to_string();
    assert!(other.contains("network of minishogi, not of shogi"), "{other}");
    assert!(refused(b"").contains("too few"));
    assert!(refused(&[0; 100]).contains("YOMI-NNU"));
    assert!(refused(&good[..good.len() - 1]).contains("checksum"));
    let mut newer = good.clone();
    newer[8] = 2;
    assert!(refused(&newer).contains("version 2"));
    let mut flipped = good.clone();
    flipped[good.len() / 2] ^= 1;
    assert!(refused(&flipped).contains("checksum"));
    let seal = |mut bytes: Vec<u8>| {
        let sum = yomi_core::rng::fnv1a(&bytes);
        bytes.extend(sum.to_le_bytes());
        bytes
    };
    let body = &good[..good.len() - 8];
    assert!(refused(&seal(body[..body.len() / 2].to_vec())).contains("end or make no sense"));
    assert!(refused(&seal([body, &[7]].concat())).contains("goes on"));
    // The width stands behind the name and the rows.
    let place = 8 + 4 + 1 + 9 + 4;
    let mut wider = body.to_vec();
    wider[place..place + 4].copy_from_slice(&512u32.to_le_bytes());
    let message = refused(&seal(wider));
    assert!(message.contains("256 x 16") && message.contains("512 x 16"), "{message}");
    assert_eq!(WIDTH, 256);
}

/// A network of fewer sums is one whose other sums have no weights.
#[test]
fn narrower_networks_are_read() {
    let at = Groups::of::<Five>();
    let narrow = 2;
    let mut bytes = [b"YOMI-NNU".as_slice(), &1u32.to_le_bytes(), b"\x09minishogi"].concat();
    [at.rows, narrow, 16].iter().for_each(|&number| bytes.extend((number as u32).to_le_bytes()));
    // One as a zigzag varint is 2.
    bytes.resize(bytes.len() + at.rows * narrow + narrow + at.rows + 16 * 2 * narrow + 16 + 16 + 1, 2);
    let sum = yomi_core::rng::fnv1a(&bytes);
    bytes.extend(sum.to_le_bytes());
    let network = Network::read::<Five>(&bytes).expect("narrower, but whole");
    let parameters = network.parameters();
    let filled =
        |from: usize, to: usize| (from..to).filter(|&i| parameters[i] != 0.0).map(|i| i - from).collect::<Vec<_>>();
    assert_eq!(filled(3 * WIDTH, 4 * WIDTH), [0, 1]);
    assert_eq!(filled(at.bias(), at.worth()), [0, 1]);
    assert_eq!(filled(at.hidden(), at.hidden() + 2 * WIDTH), [0, 1, WIDTH, WIDTH + 1]);
    assert_eq!(filled(at.hidden_bias(), at.len()).len(), 33);
}
