//! Runs: they learn, they resume to the bit, and threads change nothing.

use std::fs;
use std::path::{Path, PathBuf};

use yomi_core::toy::{Nim, Take};
use yomi_core::{Position, Seed};
use yomi_games::shogi::{Five, Shogi};
use yomi_learn::games;
use yomi_learn::model::{Model, Table};
use yomi_learn::optimizer::Steps;
use yomi_learn::run::config::{Gate, Pool};
use yomi_learn::run::{self, Config, METHODS, Row, Run, Trainer};
use yomi_learn::self_play::{SelfPlay, play};

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("yomi-run-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    folder
}

/// Better after any lead of pairs.
fn decide(pairs: &[u64; 5]) -> Option<bool> {
    let lead = 2 * pairs[4] as i64 + pairs[3] as i64 - pairs[1] as i64 - 2 * pairs[0] as i64;
    (lead != 0).then_some(lead > 0)
}

fn batches(run: &mut dyn Run, count: usize, threads: usize) -> Vec<Row> {
    (0..count).map(|_| run.batch(threads, &decide, &|| ()).expect("a batch")).collect()
}

fn small(method: &str) -> Config {
    let growth = if method == "s3-stochastic" { "chance" } else { "above(0.5)" };
    let search = match method.starts_with("s3-") {
        true => format!("mcss(t=80,hash=4,expand=growth(mu=0.01,tau=0.01,rule={growth}))"),
        false => Config::default().search,
    };
    Config {
        search,
        tries: 2,
        method: method.to_string(),
        games: 24,
        batch: 4,
        evaluations: 60,
        plies: 40,
        playouts: 2,
        checkpoint: 2,
        pool: Pool { share: 0.5, size: 2, every: 6 },
        gate: Gate { every: 12, pairs: 2, ..Gate::default() },
        ..Config::default()
    }
}

fn records(folder: &Path) -> Vec<String> {
    let linear = yomi_eval::Linear::<Five>::embedded();
    let terms = SelfPlay { nodes: 30, random: 6, plies: 40 };
    let games: Vec<_> = (0..3).map(|i| play([&linear; 2], &terms, Seed::new(i))).collect();
    fs::create_dir_all(folder).expect("a folder");
    let file = folder.join("some.games");
    fs::write(&file, games::write::<Shogi<Five>>(&games)).expect("written");
    vec![file.display().to_string()]
}

/// Every file of a run that no clock has a say in.
fn files(folder: &Path) -> Vec<Vec<u8>> {
    ["checkpoint.state", "curves.jsonl", "config.toml", "minishogi.linear", "best.linear"]
        .map(|name| fs::read(folder.join(name)).unwrap_or_else(|e| panic!("{name}: {e}")))
        .to_vec()
}

/// A run that was broken off after a checkpoint and half a step more ends with the same bytes as one that was not; and so with other
/// numbers of threads.
#[test]
fn a_killed_run_goes_on_to_the_bit() {
    let (whole, broken) = (folder("whole"), folder("broken"));
    let mut run = run::open(&whole, small("pg-tree")).expect("a run");
    let rows = batches(&mut *run, 6, 1);
    assert!(run.is_done() && rows[5].games == 24 && rows.iter().any(|row| row.gate.is_some()));

    let mut run = run::open(&broken, small("pg-tree")).expect("a run");
    batches(&mut *run, 3, 3);
    drop(run);
    // Half a line, as a kill may leave it, and half a checkpoint beside its place.
    let mut curves = fs::read(broken.join("curves.jsonl")).expect("curves");
    curves.extend(b"{\"step\":4,\"ga");
    fs::write(broken.join("curves.jsonl"), curves).expect("written");
    fs::write(broken.join("checkpoint.part"), b"YOMI-L").expect("written");
    let mut run = run::resume(&broken).expect("a run");
    assert_eq!(run.games(), 8, "the last checkpoint was after two steps");
    let again = batches(&mut *run, 4, 2);
    assert_eq!(again, rows[2..]);
    assert_eq!(files(&whole), files(&broken));
    let events = |folder: &Path| fs::read(folder.join("events.out.tfevents.yomi")).expect("events").len();
    assert_eq!(events(&whole), events(&broken));

    // What is there and damaged is not overwritten, and another configuration is another run.
    let other = Config { seed: 2, ..small("pg-tree") };
    let why = run::open(&broken, other).err().expect("refused").to_string();
    assert!(why.contains("another configuration") && why.contains("checkpoint.state"), "{why}");
    fs::write(broken.join("checkpoint.state"), b"noise, and more of it").expect("written");
    assert!(run::resume(&broken).err().expect("refused").to_string().contains("checkpoint.state"));
    fs::remove_dir_all(&whole).expect("removed");
    fs::remove_dir_all(&broken).expect("removed");
}

/// Every method runs, moves its parameters, and does not depend on the number of threads.
#[test]
fn every_method_learns_something() {
    let games = folder("records");
    let records = records(&games);
    let plain = 2 * yomi_eval::linear::Layout::of::<Five>().len();
    for method in METHODS {
        let config = |records: &[String]| Config {
            games: if method == "pg-expectation" { 4 } else { 16 },
            batch: if method == "pg-expectation" { 2 } else { 8 },
            // The exact expectation looks at every line of two plies.
            plies: if method == "pg-expectation" { 12 } else { 40 },
            // Games as short as that are drawn; only against an expectation is that a surprise.
            start: if method == "pg-expectation" { "material" } else { "nothing" }.to_string(),
            records: if method == "comparison" { records.to_vec() } else { Vec::new() },
            ..small(method)
        };
        let ends: Vec<Vec<f64>> = [1, 3]
            .iter()
            .map(|&threads| {
                let folder = folder(&format!("{method}-{threads}"));
                let mut run = run::open(&folder, config(&records)).expect("a run");
                let before = run.parameters().to_vec();
                let rows = batches(&mut *run, 2, threads);
                assert!(rows.iter().all(|row| row.gradient_norm.is_finite()), "{method} {rows:?}");
                assert!(rows.iter().all(|row| row.loss.is_finite() && row.explained.is_finite()), "{method} {rows:?}");
                let parameters = run.parameters().to_vec();
                assert!(parameters != before, "{method}");
                fs::remove_dir_all(&folder).expect("removed");
                parameters
            })
            .collect();
        assert_eq!(ends[0], ends[1], "{method}");
        let theta = ends[0].len() - plain;
        let control = ends[0][plain..].iter().filter(|x| **x != 0.0).count();
        assert_eq!(theta > 0, small(method).learns_control(), "{method}");
        assert_eq!(theta > 0, control > 0, "{method}: the simulation policy moves");
    }
    let none = run::open(&folder("none"), small("comparison")).err().expect("refused").to_string();
    assert!(none.contains("records"), "{none}");
    fs::remove_dir_all(&games).expect("removed");
}

/// Nim: piles of multiples of four are lost. A learner that knows the rules alone finds that out.
#[test]
fn the_optimum_of_nim_is_found() {
    let model = Table { size: 4099, win: 1000.0 };
    for method in ["pg-tree", "pg-leaf", "reinforce", "td-leaf"] {
        let folder = folder(&format!("nim-{method}"));
        let config = Config {
            method: method.to_string(),
            games: 6000,
            batch: 50,
            search: "mcss(t=20,hash=1)".to_string(),
            evaluations: 4,
            temperature: 50.0,
            random: 6,
            k: 100.0,
            discount: 1.0,
            checkpoint: 1000,
            steps: Steps { rate: 4.0, ..Steps::default() },
            ..Config::default()
        };
        let mut run = Trainer::open(&folder, config, model, Nim::new(14), Vec::new()).expect("a run");
        batches(&mut run, 120, 1);
        let value = |pile: u16, moves: u16| {
            let mut nim = Nim::new(pile);
            // The turn is part of the position: it follows from the number of moves.
            (0..moves).for_each(|_| nim.play(Take(0)));
            Model::<Nim>::value(&model, run.parameters(), &nim)
        };
        for pile in (5..=12).filter(|pile| pile % 4 != 0) {
            // What each way of taking leaves, as the opponent sees it: the least is best.
            let left = [1, 2, 3].map(|take| value(pile - take, 1));
            let best = (0..3).min_by(|&a, &b| left[a].total_cmp(&left[b])).expect("three ways") as u16 + 1;
            assert_eq!(best, pile % 4, "{method}: from {pile}, {left:?}");
        }
        fs::remove_dir_all(&folder).expect("removed");
    }
}
