//! Learning a network: steps follow the gradient, any number of threads does the same, runs resume.

use std::path::PathBuf;

use yomi_core::{Color, Outcome, Position, Seed};
use yomi_eval::nnue::{Groups, Network, Passage, Seer};
use yomi_eval::{Linear, Material, Nnue};
use yomi_games::shogi::{Five, Minishogi, Shogi, Variant};
use yomi_learn::games;
use yomi_learn::lessons::Targets;
use yomi_learn::nnue::export;
use yomi_learn::nnue::play::{Play, play};
use yomi_learn::nnue::samples::Samples;
use yomi_learn::nnue::stream::{SampleRun, write_samples};
use yomi_learn::nnue::train::{Fit, Trainer};
use yomi_learn::nnue::{Event, Player, Run, Settings};

const FIT: Fit = Fit { epochs: 2, batch: 64, rate: 2e-3, decay: 0.2, threads: 1 };
const PLAY: Play = Play { nodes: 60, random: 6, plies: 80, resign: 3000.0 };

fn positions(seed: u64, count: usize) -> Vec<Minishogi> {
    let mut rng = Seed::new(seed).rng();
    let (mut found, mut moves) = (Vec::new(), Vec::new());
    let mut position = Minishogi::default();
    while found.len() < count {
        if position.generate(&mut moves).is_some() {
            position = Minishogi::default();
            continue;
        }
        position.play(moves[rng.below(moves.len())]);
        found.push(position);
    }
    found
}

fn sampled(positions: &[Minishogi], target: impl Fn(&Minishogi) -> f32) -> Samples {
    let seer = Seer::new::<Five>();
    let mut samples = Samples::default();
    positions.iter().for_each(|position| samples.push(&seer.rows(position), [target(position), 0.0, 0.5]));
    samples
}

/// What the trainer computes is what the definition says, in single precision.
#[test]
fn the_trainer_computes_the_definition() {
    let mut rng = Seed::new(2).rng();
    let mut trainer = Trainer::new::<Five>(&mut rng);
    let positions = positions(1, 40);
    let samples = sampled(&positions, |_| 0.3);
    let all: Vec<u32> = (0..40).collect();
    for _ in 0..5 {
        trainer.step(&samples, &all, &Fit { rate: 0.01, ..FIT });
    }
    let parameters = trainer.parameters::<Five>();
    let entropy = |x: f64, t: f64| x.max(0.0) - x * t + (-x.abs()).exp().ln_1p();
    let slow = positions.iter().map(|position| entropy(Passage::new(&parameters, position).value, f64::from(0.3f32)));
    let slow = slow.sum::<f64>() / 40.0;
    let fast = trainer.loss(&samples, 2).targets;
    assert!((fast - slow).abs() < 1e-5 * (1.0 + slow), "{fast} {slow}");
}

/// The first step of Adam moves every weight by the rate against the sign of its derivative, which the definition knows.
#[test]
fn the_first_step_goes_down_the_gradient() {
    let mut rng = Seed::new(4).rng();
    let mut trainer = Trainer::new::<Five>(&mut rng);
    let positions = positions(3, 6);
    let samples = sampled(&positions, |_| 0.9);
    let before = trainer.parameters::<Five>();
    let at = Groups::of::<Five>();
    let mut gradient = vec![0.0; at.len()];
    for position in &positions {
        let passage = Passage::new(&before, position);
        let error = 1.0 / (1.0 + (-passage.value).exp()) - f64::from(0.9f32);
        passage.gradient(at, &before, error / 6.0, &mut |i, x| gradient[i] += x);
    }
    const RATE: f32 = 1e-3;
    trainer.step(&samples, &[0, 1, 2, 3, 4, 5], &Fit { rate: RATE, decay: 0.0, threads: 2, ..FIT });
    let after = trainer.parameters::<Five>();
    let (mut checked, mut shared) = (0, 0);
    for (i, &slope) in gradient.iter().enumerate() {
        let moved = after[i] - before[i];
        if slope.abs() < 1e-6 {
            continue;
        }
        checked += 1;
        assert!(f64::from(moved) * slope < 0.0, "parameter {i} moved {moved} along {slope}");
        // A row moves by its own step and by that of its feature in all buckets, the rest by one step.
        let steps = moved.abs() / RATE;
        assert!((steps - 1.0).abs() < 0.01 || (steps - 2.0).abs() < 0.01 || i < at.hidden(), "{i}: {steps}");
        shared += usize::from((steps - 2.0).abs() < 0.01);
    }
    assert!(checked > 5_000 && shared > 1_000, "{checked} {shared}");
}

/// A target that the network can express is learned, by one thread as by three, to the last bit.
#[test]
fn what_can_be_learned_is_learned_by_any_number_of_threads() {
    let positions = positions(5, 1500);
    // To have a rook in hand wins.
    let rook = |position: &Minishogi| {
        let held = position.hand(position.turn(), yomi_games::shogi::Kind::Rook);
        if held > 0 { 0.95 } else { 0.3 }
    };
    let samples = sampled(&positions, rook);
    let fit = Fit { epochs: 15, batch: 100, rate: 5e-3, ..FIT };
    let learn = |threads: usize| {
        let mut rng = Seed::new(6).rng();
        let mut trainer = Trainer::new::<Five>(&mut rng);
        let mut losses = vec![trainer.loss(&samples, 1).targets];
        trainer.fit(&Fit { threads, ..fit }, &samples, &mut rng, &mut |trainer, _, _| {
            losses.push(trainer.loss(&samples, 1).targets);
        });
        (losses, trainer.parameters::<Five>())
    };
    let (losses, parameters) = learn(1);
    let floor = positions.iter().map(|p| f64::from(rook(p))).map(|t| -t * t.ln() - (1.0 - t) * (1.0 - t).ln());
    let floor = floor.sum::<f64>() / positions.len() as f64;
    // Of what can be explained at all, one part in twenty is left at most.
    let left = (losses[fit.epochs] - floor) / (losses[0] - floor);
    assert!(losses[0] > floor + 0.05 && left < 0.05, "{losses:?} {floor}");
    assert_eq!(parameters, learn(3).1);
    // Rounding to whole numbers changes little.
    let nnue = Nnue::<Five>::new(Network::round::<Five>(&parameters), "nnue");
    for position in &positions[..50] {
        let real = Passage::new(&parameters, position).value as f32 * 600.0;
        assert!((nnue.fresh(position) - real).abs() < 60.0, "{} {real}", nnue.fresh(position));
    }
}

/// Games are games, depend on nothing but the seed, and only quiet positions of them are learned from.
#[test]
fn games_and_samples() {
    let game = play::<Five, _>(&Material, &PLAY, Seed::new(8));
    // Values that were not searched are no numbers, which equal nothing; their bytes do.
    let bytes = |seed| games::write::<Minishogi>(&[play::<Five, _>(&Material, &PLAY, Seed::new(seed))]);
    assert_eq!(bytes(8), bytes(8));
    assert_ne!(bytes(8), bytes(9));
    let mut position = Minishogi::default();
    for (ply, &mv) in game.moves.iter().enumerate() {
        assert!(position.is_legal(mv));
        assert!(ply < game.random || !game.values[ply].is_nan());
        position.play(mv);
    }
    let games: Vec<_> = (0..20).map(|seed| play::<Five, _>(&Material, &PLAY, Seed::new(seed))).collect();
    let decided = games.iter().filter(|game| game.outcome != Outcome::Draw).count();
    assert!(decided > 10, "{decided}");
    let samples = Samples::of::<Five>(&Targets { k: 600.0, lambda: 0.8 }, &games);
    let plies: usize = games.iter().map(|game| game.moves.len() - game.random).sum();
    assert!(samples.len() > plies / 5 && samples.len() < plies, "{} of {plies}", samples.len());
    assert!(samples.targets.iter().all(|t| (0.0..=1.0).contains(t)));
    // The last taught position of a game that Black has won is good for Black.
    let won = games.iter().find(|game| game.outcome == Outcome::Win(Color::Black)).expect("one side wins");
    let one = Samples::of::<Five>(&Targets { k: 600.0, lambda: 1.0 }, [won]);
    assert_eq!(one.targets, one.results, "λ = 1 is the result");
    let mut joined = one.clone();
    joined.append(&one);
    assert_eq!(joined.rows(one.len()), one.rows(0));
    assert_eq!(joined.len(), 2 * one.len());
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("yomi-nnue-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

fn run<V: Variant>(folder: &std::path::Path, generations: usize, threads: usize) -> Vec<Vec<u8>> {
    let fit = Fit { threads, ..FIT };
    let settings = Settings { games: 12, play: PLAY, fit, ..Settings::default() };
    let mut run = Run::<V>::open(folder, settings, Player::Linear(Linear::embedded()), Vec::new()).expect("a folder");
    let games = std::sync::atomic::AtomicUsize::new(0);
    let tell = |event: Event| {
        if matches!(event, Event::Game(12)) {
            games.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        }
    };
    while run.generations() < generations {
        let generation = run.generation(&tell).expect("a generation");
        assert_eq!(generation.results.iter().sum::<usize>(), 12);
        assert!(generation.resumed || generation.curve.len() == 2);
    }
    (0..generations).map(|number| std::fs::read(run.network_file(number)).expect("a network")).collect()
}

/// A run that lost its last network, or that was stopped after a generation, ends as if nothing had happened; threads do not show.
#[test]
fn runs_resume() {
    let (whole, broken) = (folder("whole"), folder("broken"));
    let wanted = run::<Five>(&whole, 2, 1);
    run::<Five>(&broken, 1, 2);
    assert_eq!(run::<Five>(&broken, 2, 2), wanted);
    std::fs::remove_file(broken.join("minishogi-0001.nnue")).expect("it is there");
    assert_eq!(run::<Five>(&broken, 2, 1), wanted);
    let start = Shogi::<Five>::default();
    let nnue = Nnue::<Five>::new(Network::read::<Five>(&wanted[1]).expect("a network"), "nnue");
    assert!(nnue.fresh(&start).abs() < 3000.0);
    for folder in [whole, broken] {
        let _ = std::fs::remove_dir_all(folder);
    }
}

/// The gradient of the mean loss is that of the definition.
#[test]
fn the_gradient_is_that_of_the_definition() {
    let mut trainer = Trainer::new::<Five>(&mut Seed::new(12).rng());
    let positions = positions(9, 20);
    let samples = sampled(&positions, |_| 0.8);
    let parameters = trainer.parameters::<Five>();
    let at = Groups::of::<Five>();
    let mut wanted = vec![0.0; at.len()];
    for position in &positions {
        let passage = Passage::new(&parameters, position);
        let error = 1.0 / (1.0 + (-passage.value).exp()) - f64::from(0.8f32);
        passage.gradient(at, &parameters, error / 20.0, &mut |i, x| wanted[i] += x);
    }
    let all: Vec<u32> = (0..20).collect();
    let (loss, gradient) = trainer.gradient::<Five>(&samples, &all);
    assert!((loss - trainer.loss(&samples, 1).targets).abs() < 1e-9);
    for (i, (&found, &wanted)) in gradient.iter().zip(&wanted).enumerate() {
        assert!((f64::from(found) - wanted).abs() < 1e-6, "parameter {i}: {found} {wanted}");
    }
    assert!(wanted.iter().filter(|x| x.abs() > 1e-4).count() > 5_000);
}

/// Samples of a run are those of its games, in order, whatever the number of threads; a file that was cut off holds what is whole.
#[test]
fn samples_survive_the_file() {
    let run = SampleRun { games: 3..9, play: PLAY, targets: Targets { k: 600.0, lambda: 0.8 }, seed: 5, threads: 1 };
    let write = |threads: usize| {
        let mut file = Vec::new();
        let run = SampleRun { threads, ..run.clone() };
        let tally = write_samples::<Five, _>(&Material, &run, || true, &mut file, &mut |_| ())
            .expect("memory does not fill up");
        (tally, file)
    };
    let (tally, file) = write(1);
    assert_eq!((tally, file.clone()), write(3));
    let games: Vec<_> =
        run.games.clone().map(|i| play::<Five, _>(&Material, &PLAY, Seed::new(5).branch("game", i as u64))).collect();
    let samples = Samples::of::<Five>(&run.targets, &games);
    assert_eq!((tally.games(), tally.positions), (6, samples.len()));
    assert_eq!(export::read::<Five>(&file), Ok(samples.clone()));
    let cut = export::read::<Five>(&file[..file.len() - 1]).expect("the last record is left out");
    assert_eq!(cut.len(), samples.len() - 1);
    let refused = |file: &[u8]| export::read::<Five>(file).expect_err("refused").to_string();
    assert!(refused(b"YOMI-GAM and so on").contains("YOMI-ROW"));
    assert!(refused(&export::header::<yomi_games::shogi::Nine>()).contains("another game"));
    let mut wild = file.clone();
    let begin = export::header::<Five>().len();
    wild[begin..begin + 2].copy_from_slice(&60_000u16.to_le_bytes());
    assert!(refused(&wild).contains("record 1 "));
    let nothing = write_samples::<Five, _>(&Material, &run, || false, &mut Vec::new(), &mut |_| ()).expect("no game");
    assert_eq!(nothing.games(), 0);
}
