//! The learner: its gradient against finite differences, its independence of threads, and that a killed run goes on as if it had not been.

use std::fs;
use std::path::PathBuf;

use yomi_core::Seed;
use yomi_eval::Linear;
use yomi_eval::linear::{Layout, Weights};
use yomi_games::shogi::{Five, Kind, Nine, ShogiMove, Variant};
use yomi_learn::fit::FitSettings;
use yomi_learn::games::Game;
use yomi_learn::gradient::Crowd;
use yomi_learn::lessons::{Lesson, Targets, lessons};
use yomi_learn::self_play::{SelfPlay, play};
use yomi_learn::{Regression, Settings, Start};

const SELF_PLAY: SelfPlay = SelfPlay { nodes: 30, random: 20, plies: 60 };
const TARGETS: Targets = Targets { k: 600.0, lambda: 0.7 };

fn parameters<V: Variant>() -> Vec<[f32; 2]> {
    let mut rng = Seed::new(3).rng();
    (0..Layout::of::<V>().len()).map(|_| [rng.unit() * 40.0 - 20.0, rng.unit() * 4.0 - 2.0]).collect()
}

fn evaluation<V: Variant>(parameters: &[[f32; 2]]) -> Linear<V> {
    Linear::new(&Weights::round::<V>(parameters).expect("as many as there are"), "linear").expect("of this game")
}

fn some_games<V: Variant>(evaluation: &Linear<V>, count: u64) -> Vec<Game<ShogiMove>> {
    (0..count).map(|game| play([evaluation; 2], &SELF_PLAY, Seed::new(8).branch("game", game))).collect()
}

fn some_lessons<V: Variant>(evaluation: &Linear<V>, count: u64, threads: usize) -> Vec<Lesson<V>> {
    lessons(&TARGETS, evaluation, &some_games(evaluation, count).iter().collect::<Vec<_>>(), threads)
}

/// (f(x + h) - f(x - h))/2h for parameters of every group that the games use.
fn gradient_is_the_slope<V: Variant>() {
    let mut parameters = parameters::<V>();
    let lessons = some_lessons::<V>(&evaluation(&parameters), 6, 1);
    let numbers: Vec<u32> = (0..lessons.len() as u32).collect();
    let mut crowd = Crowd::new::<V>(1);
    let gradient = crowd.over(TARGETS.k, &parameters, &lessons, &numbers);
    assert!(gradient.positions > 20, "{}", gradient.positions);
    for (group, indices) in Layout::of::<V>().groups() {
        let used: Vec<usize> = indices.filter(|&index| gradient.sums[index] != [0.0; 2]).collect();
        assert!(!used.is_empty(), "nothing of {group} is used");
        for &index in used.iter().step_by(used.len().div_ceil(4)) {
            for side in 0..2 {
                let (h, kept) = (8.0, parameters[index][side]);
                let mut loss_at = |x: f32| {
                    parameters[index][side] = x;
                    crowd.over(TARGETS.k, &parameters, &lessons, &numbers).loss
                };
                let slope = (loss_at(kept + h) - loss_at(kept - h)) / (2.0 * f64::from(h));
                parameters[index][side] = kept;
                let claimed = f64::from(gradient.sums[index][side]) / f64::from(TARGETS.k);
                let size = slope.abs().max(claimed.abs()).max(1e-5);
                assert!((slope - claimed).abs() < 0.02 * size, "{group} {index} {side}: {slope} {claimed}");
            }
        }
    }
}

#[test]
fn gradients_are_slopes() {
    gradient_is_the_slope::<Nine>();
    gradient_is_the_slope::<Five>();
}

#[test]
fn threads_change_nothing() {
    let parameters = parameters::<Five>();
    let linear = evaluation::<Five>(&parameters);
    // Written out, for where nothing was searched stands no number.
    let games = || format!("{:?}", some_games(&linear, 5));
    assert_eq!(games(), games(), "games are a function of their seeds");
    let lessons = some_lessons(&linear, 20, 1);
    assert_eq!(lessons, some_lessons(&linear, 20, 3));
    let numbers: Vec<u32> = (0..lessons.len() as u32).rev().collect();
    let over = |threads: usize| Crowd::new::<Five>(threads).over(TARGETS.k, &parameters, &lessons, &numbers);
    let (one, three) = (over(1), over(3));
    assert_eq!((one.loss, one.positions, &one.sums), (three.loss, three.positions, &three.sums));
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("yomi-learn-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    folder
}

fn settings(start: Start, threads: usize) -> Settings {
    let self_play = SelfPlay { nodes: 20, random: 8, plies: 120 };
    let plan = FitSettings { epochs: 2, batch: 64, ..Settings::default().plan };
    Settings { start, games: 24, self_play, window: 2, plan, threads, ..Settings::default() }
}

/// Who knows the rules alone learns that to have more is better.
#[test]
fn pieces_are_learnt_from_nothing() {
    let folder = folder("nothing");
    let games = Settings { games: 120, ..settings(Start::Nothing, 1) };
    let mut run = Regression::<Five>::open(&folder, games).expect("a folder");
    assert!(run.weights().expect("weights").values().iter().all(|&pair| pair == [0; 2]));
    let report = run.generation(&|| ()).expect("a generation");
    assert!(report.results_held_out[2] < report.results_held_out[0], "{report:?}");
    let (layout, weights) = (Layout::of::<Five>(), run.weights().expect("weights"));
    for kind in [Kind::Gold, Kind::Rook, Kind::Dragon] {
        assert!(weights.values()[layout.piece(kind)][0] > 0, "{kind:?} {report:?}");
    }
    fs::remove_dir_all(&folder).expect("removed");
}

/// Killed at any moment: with half a file beside its place, without the weights of a generation, without its games.
#[test]
fn a_killed_run_goes_on() {
    let (whole, broken) = (folder("whole"), folder("broken"));
    let generations = |run: &mut Regression<Five>, n: usize| {
        (0..n).map(|_| run.generation(&|| ()).expect("a generation")).collect::<Vec<_>>()
    };
    let mut run = Regression::<Five>::open(&whole, settings(Start::Material, 1)).expect("a folder");
    let reports = generations(&mut run, 3);
    assert!(reports.iter().all(|g| !g.resumed && g.results.iter().sum::<usize>() == 24 && g.losses.len() == 2));
    assert!(reports[0].losses[1] < reports[0].losses[0], "{:?}", reports[0].losses);

    generations(&mut Regression::<Five>::open(&broken, settings(Start::Material, 2)).expect("a folder"), 2);
    fs::remove_file(broken.join("minishogi-0001.linear")).expect("it was there");
    fs::write(broken.join("minishogi-0001.part"), b"YOMI-L").expect("written");
    let mut resumed = Regression::<Five>::open(&broken, settings(Start::Material, 2)).expect("a folder");
    assert!(generations(&mut resumed, 3)[0].resumed);
    for number in 0..3 {
        let read = |run: &Regression<Five>| fs::read(run.weights_file(number)).expect("weights");
        assert_eq!(read(&run), read(&resumed), "generation {number}");
    }
    assert_eq!(run.weights(), resumed.weights());

    // What is there and damaged is not overwritten.
    fs::write(broken.join("minishogi-0000.games"), b"noise, and more of it").expect("written");
    let error = Regression::<Five>::open(&broken, settings(Start::Material, 1))
        .expect("a folder")
        .generation(&|| ())
        .unwrap_err();
    assert!(error.to_string().contains("minishogi-0000.games"), "{error}");
    fs::remove_dir_all(&whole).expect("removed");
    fs::remove_dir_all(&broken).expect("removed");
}
