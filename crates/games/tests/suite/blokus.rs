//! Blokus Duo against the outside world: published counts, a published game, exact endgame values, the statistics of random games.

use std::ops::ControlFlow;

use yomi_core::conformance::{Effort, check};
use yomi_core::perft::perft;
use yomi_core::policy::play_out;
use yomi_core::{Color, Notation, Outcome, Position, Seed, Simulate, Spec, Uniform};
use yomi_games::blokus::{BlokusDuo, Sampler};

fn start(spec: &str) -> BlokusDuo {
    BlokusDuo::start(&Spec::parse(spec).unwrap()).unwrap()
}

/// The lines of a data file that say something, as words.
fn data(file: &str) -> Vec<Vec<String>> {
    let path = format!("{}/../../tests/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| line.split(' ').map(str::to_string).collect()).collect()
}

#[test]
fn obeys_the_laws() {
    let effort = Effort { games: 12, max_plies: 42, ends: true, brute_force_every: 16 };
    for (seed, spec) in (1..).zip(["blokus-duo", "blokus-duo(start=free)", "blokus-duo(bonus=true)"]) {
        check(&start(spec), effort, seed);
    }
}

#[test]
fn perft_is_as_published() {
    let mut game = BlokusDuo::default();
    for line in data("perft/blokus-duo.perft") {
        match &line[..] {
            [word, spec] if word == "game" => game = start(spec),
            [depth, nodes] => {
                let depth: u32 = depth.parse().unwrap();
                assert_eq!(perft(&game, depth).to_string(), *nodes, "{} {depth}", game.rules());
            }
            other => panic!("{other:?}"),
        }
    }
}

/// Placements only: where nothing fits this is 0, although passing is a move.
fn placements(position: &BlokusDuo) -> usize {
    let mut moves = Vec::new();
    position.generate(&mut moves);
    moves.iter().filter(|mv| !mv.is_pass()).count()
}

/// The game, its positions before each ply and after the last, and the lines that follow the moves.
fn playthrough(file: &str) -> (Vec<BlokusDuo>, Vec<Vec<String>>) {
    let mut positions = Vec::new();
    let mut rest = Vec::new();
    for line in data(file) {
        match (&line[..], positions.last()) {
            ([word, spec], _) if word == "game" => positions.push(start(spec)),
            ([code, count], Some(position)) => {
                let mut next = position.clone();
                assert_eq!(placements(&next).to_string(), *count, "before {code}:\n{next}");
                let mv = next.parse_move(code).unwrap_or_else(|e| panic!("{code}: {e}"));
                assert_eq!(mv.code(), *code);
                next.play(mv);
                positions.push(next);
            }
            _ => rest.push(line),
        }
    }
    (positions, rest)
}

/// Best difference of scores for the side to move: plain alpha-beta, to the end of the game.
fn solve(position: &BlokusDuo, mut alpha: i32, beta: i32) -> i32 {
    let mut moves = Vec::new();
    if position.generate(&mut moves).is_some() {
        return position.score(position.turn()) - position.score(!position.turn());
    }
    // Big pieces first, which are the late ones in the order of the moves.
    for &mv in moves.iter().rev() {
        let mut child = position.clone();
        child.play(mv);
        alpha = alpha.max(-solve(&child, -beta, -alpha));
        if alpha >= beta {
            break;
        }
    }
    alpha
}

#[test]
fn a_published_game_and_its_endgame_values() {
    let (positions, rest) = playthrough("playthroughs/blokus-contest.txt");
    let end = positions.last().unwrap();
    let mut solved = 0;
    for line in rest {
        let numbers: Vec<i32> = line[1..].iter().map(|n| n.parse().unwrap()).collect();
        match (line[0].as_str(), &numbers[..]) {
            ("score", [black, white]) => {
                assert_eq!((end.score(Color::Black), end.score(Color::White)), (*black, *white));
                assert_eq!(end.generate(&mut Vec::new()), Some(Outcome::from_margin(black - white)));
            }
            ("value", [ply, value]) => {
                assert_eq!(solve(&positions[*ply as usize], -100, 100), *value, "ply {ply}");
                solved += 1;
            }
            _ => panic!("{line:?}"),
        }
    }
    assert_eq!(solved, 4);
}

/// Mean of numbers and its standard error.
fn mean(numbers: impl Iterator<Item = f64>) -> (f64, f64) {
    let (n, sum, squares) = numbers.fold((0.0, 0.0, 0.0), |(n, s, q), x| (n + 1.0, s + x, q + x * x));
    let mean = sum / n;
    (mean, ((squares / n - mean * mean) / n).sqrt())
}

/// The published statistics of 420,000 uniform random games by two other generators. A right program with another seed would miss one
/// of the four by 4.5 standard errors and a rounding step with probability below 4 * 7e-6.
#[test]
fn random_games_look_like_other_peoples_random_games() {
    let mut rng = Seed::new(2024).rng();
    let mut sampler = Sampler::default();
    let games: Vec<[f64; 4]> = (0..60_000)
        .map(|_| {
            let mut position = BlokusDuo::default();
            let (outcome, _) = play_out(&mut position, 0, &Uniform, &mut rng, &mut sampler);
            let win = f64::from(outcome == Outcome::Win(Color::Black));
            let draw = f64::from(outcome == Outcome::Draw);
            let laid: u32 = Color::BOTH.iter().map(|&c| 21 - position.remaining(c).len()).sum();
            [win, draw, f64::from(laid), f64::from(position.score(Color::Black) - position.score(Color::White))]
        })
        .collect();
    let published =
        [("wins", 0.541, 0.001), ("draws", 0.045, 0.001), ("placements", 27.12, 0.01), ("margin", 1.68, 0.02)];
    for (i, (what, expected, its_error)) in published.into_iter().enumerate() {
        let (ours, error) = mean(games.iter().map(|game| game[i]));
        assert!((ours - expected).abs() < 4.5 * error + its_error, "{what}: {ours:.4} ± {error:.4} against {expected}");
    }
}

/// The published mean number of placements before the plies 1 to 16 of random games.
#[test]
fn mobility_by_ply_is_as_published() {
    let published = [
        414.0, 414.0, 520.0, 501.0, 509.0, 474.0, 457.0, 413.0, 382.0, 339.0, 302.0, 260.0, 223.0, 187.0, 154.0, 123.0,
    ];
    let mut rng = Seed::new(7).rng();
    let mut sampler = Sampler::default();
    let mut counts = [const { Vec::new() }; 16];
    for _ in 0..4000 {
        let mut position = BlokusDuo::default();
        position.begin(&mut sampler);
        for count in &mut counts {
            count.push(position.count(&mut Vec::new()) as f64);
            let ControlFlow::Continue(mv) = position.draw(&mut sampler, &mut rng) else { panic!("games are longer") };
            position.play(mv);
        }
    }
    for (ply, expected) in (1..).zip(published) {
        let (ours, error) = mean(counts[ply - 1].iter().copied());
        assert!((ours - expected).abs() < 4.5 * error + 1.0, "ply {ply}: {ours:.1} ± {error:.1} against {expected}");
    }
}

/// The chi-square value that a uniform draw from `cells` exceeds with probability 1e-6 (Wilson and Hilferty's approximation).
fn chi_square_limit(cells: usize) -> f64 {
    let d = (cells - 1) as f64;
    let a = 2.0 / (9.0 * d);
    d * (1.0 - a + 4.753 * a.sqrt()).powi(3)
}

/// In positions from the first to the last plies of three games every legal move is drawn equally often. Fresh samplers and samplers
/// that have looked the position up before draw alike. 45 tests at 1e-6 each.
#[test]
fn moves_are_drawn_uniformly() {
    let mut tests = 0;
    for (game, spec) in (0..).zip(["blokus-duo", "blokus-duo(start=free)", "blokus-duo"]) {
        let mut rng = Seed::new(5).branch("uniform", game).rng();
        let mut position = start(spec);
        let mut moves = Vec::new();
        let mut sampler = Sampler::default();
        for ply in 0.. {
            if position.generate(&mut moves).is_some() {
                break;
            }
            if ply % 2 == game as i32 % 2 && moves.len() > 1 {
                let mut counts = vec![0u32; moves.len()];
                position.begin(&mut sampler);
                for i in 0..100 * moves.len() {
                    if i % 3 == 0 {
                        position.begin(&mut sampler);
                    }
                    let ControlFlow::Continue(mv) = position.draw(&mut sampler, &mut rng) else {
                        panic!("it is not over")
                    };
                    counts[moves.binary_search(&mv).expect("drawn moves are legal")] += 1;
                }
                let chi_square: f64 = counts.iter().map(|&c| (f64::from(c) - 100.0).powi(2) / 100.0).sum();
                assert!(
                    chi_square < chi_square_limit(moves.len()),
                    "χ² = {chi_square} of {} at ply {ply}",
                    moves.len()
                );
                tests += 1;
            }
            position.play(moves[rng.below(moves.len())]);
        }
    }
    assert!((30..=45).contains(&tests), "{tests}");
}
