//! Runs: they learn, they resume to the bit, and threads change nothing.

use std::fs;
use std::path::{Path, PathBuf};

use yomi_core::rng::fnv1a;
use yomi_core::toy::{Nim, Take};
use yomi_core::{Position, Seed};
use yomi_games::shogi::{Five, Shogi};
use yomi_learn::games;
use yomi_learn::model::{Model, Table};
use yomi_learn::optimizer::Steps;
use yomi_learn::records::Library;
use yomi_learn::run::config::{Gate, Pool};
use yomi_learn::run::work::{self, Kind, Played, Work};
use yomi_learn::run::worker::{Order, Worker, fingerprint};
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

/// What a worker answers to the orders of a run, part by part.
fn farmed(run: &mut dyn Run, folder: &Path, workers: &mut [Worker], part: u64) -> Option<Row> {
    let wanted = run.wants().expect("games are wanted");
    let players = run.players().write();
    let weights = folder.join("players");
    fs::write(&weights, &players).expect("written");
    let starts: Vec<u64> = wanted.games.clone().step_by(part as usize).collect();
    let mut played = std::collections::BTreeMap::new();
    // The last part first, each by another worker.
    for (number, &first) in starts.iter().enumerate().rev() {
        let play = Work { kind: wanted.kind, games: first..(first + part).min(wanted.games.end) };
        let hash = fingerprint(run.agreement().expect("agreed"), fnv1a(&players), &play);
        let order = Order {
            signature: 7,
            learn: run.config().write().expect("written"),
            weights: weights.display().to_string(),
            play: play.clone(),
            hash: hash.clone(),
            threads: 1 + number % 2,
        };
        let order = serde_json::to_vec(&order).expect("a line");
        let count = workers.len();
        let answer = workers[number % count].answer(&order, 7).expect("an order");
        let answer: serde_json::Value = serde_json::from_str(&answer).expect("an answer");
        assert_eq!(answer["hash"], hash, "{answer}");
        let digits = answer["played"].as_str().expect("digits").as_bytes();
        let bytes: Vec<u8> = (digits.as_chunks::<2>().0.iter())
            .map(|two| u8::from_str_radix(std::str::from_utf8(two).expect("digits"), 16).expect("digits"))
            .collect();
        let games = run.read(&play, &bytes).expect("games");
        if starts.len() > 1 {
            assert!(run.take(games.clone(), &decide).is_err(), "not all games of the step");
        }
        played.insert(first, games);
    }
    run.take(played.into_values().flatten().collect(), &decide).expect("taken")
}

/// Games that workers play, in any order and in parts of any size, make the same run as games that are played here: lessons, opponents of
/// the pool, and gates.
#[test]
fn games_played_elsewhere_make_the_same_run() {
    let games = folder("farm-records");
    let records = records(&games);
    for method in ["pg-tree", "s3-stochastic", "comparison"] {
        let (here, there) = (folder(&format!("here-{method}")), folder(&format!("there-{method}")));
        let config = Config {
            games: 16,
            records: if method == "comparison" { records.clone() } else { Vec::new() },
            ..small(method)
        };
        let rows = batches(&mut *run::open(&here, config.clone()).expect("a run"), 4, 2);
        assert!(rows.iter().any(|row| row.gate.is_some()));
        let mut workers = [Worker::default(), Worker::default()];
        let mut run = run::open(&there, config.clone()).expect("a run");
        let mut farmed_rows = Vec::new();
        for part in (1..=3).cycle() {
            if run.is_done() && run.wants().is_none() {
                break;
            }
            farmed_rows.extend(farmed(&mut *run, &there, &mut workers, part));
            // The one who keeps the run is killed in the middle of a gate as well: the step is made again.
            if farmed_rows.len() == 2 && part == 2 {
                run.checkpoint().expect("written");
                drop(run);
                run = run::resume(&there).expect("a run");
                farmed_rows.truncate(run.games() as usize / 4);
            }
        }
        assert_eq!(farmed_rows, rows, "{method}");
        assert_eq!(files(&here), files(&there), "{method}");
        fs::remove_dir_all(&here).expect("removed");
        fs::remove_dir_all(&there).expect("removed");
    }
    fs::remove_dir_all(&games).expect("removed");
}

/// Orders of other builds, other weights or other settings are refused, and so are games that cannot have been played.
#[test]
fn what_does_not_belong_to_a_run_is_refused() {
    let folder = folder("refused");
    let run = run::open(&folder, small("pg-leaf")).expect("a run");
    let players = run.players().write();
    fs::write(folder.join("players"), &players).expect("written");
    let play = run.wants().expect("games");
    let order = Order {
        signature: 7,
        learn: run.config().write().expect("written"),
        weights: folder.join("players").display().to_string(),
        hash: fingerprint(run.agreement().expect("agreed"), fnv1a(&players), &play),
        play: play.clone(),
        threads: 1,
    };
    let mut worker = Worker::default();
    let mut said = |order: &Order| worker.answer(&serde_json::to_vec(order).expect("a line"), 7).expect("an answer");
    assert!(said(&Order { signature: 8, ..order.clone() }).contains("signature 8"));
    assert!(said(&Order { learn: "method = 3".to_string(), ..order.clone() }).contains("method"));
    assert!(said(&Order { weights: "no-such-file".to_string(), ..order.clone() }).contains("no-such-file"));
    let seed = order.learn.replace("seed = 1", "seed = 2");
    assert!(said(&Order { learn: seed, ..order.clone() }).contains("not those of the learner"));
    let many = Work { games: 0..u64::MAX, ..play.clone() };
    assert!(said(&Order { play: many, ..order.clone() }).contains("at a time"));
    assert!(said(&Order { threads: 0, ..order.clone() }).contains("threads"));
    let good = said(&order);
    assert!(good.contains("played"), "{good}");
    assert_eq!(Worker::default().answer(b"{\"work\":1}", 7), None, "this is for others");
    assert!(Worker::default().answer(b"{\"learn\":1}", 7).expect("an answer").contains("no job of a learner"));

    let hand = |work: &Work| {
        let mut hand = run::hand(small("pg-leaf")).expect("a hand");
        hand.seat(&run.players()).expect("seated");
        hand.play(work, 1).expect("played")
    };
    let mut played = hand(&Work { kind: Kind::Lessons, games: 0..1 });
    let one = Work { kind: Kind::Lessons, games: 0..1 };
    assert_eq!(run.read(&one, &work::write(&played)).expect("read"), played);
    let Played::Lesson(episode) = &mut played[0] else { panic!("a lesson") };
    episode.moves[1] = episode.moves[0];
    let why = run.read(&one, &work::write(&played)).expect_err("refused").to_string();
    assert!(why.contains("game 0") && why.contains("move 2 is not legal"), "{why}");
    fs::remove_dir_all(&folder).expect("removed");
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
        let mut run = Trainer::open(&folder, config, model, Nim::new(14), Library::default()).expect("a run");
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

/// Search control outside of shogi: every method that has something to learn runs, goes on to the bit after a kill, and leaves files that
/// players read; the others say why not.
#[test]
fn search_control_is_learned_in_blokus_and_go() {
    let config = |game: &str, method: &str| {
        let changes = [
            ("game", game),
            ("method", method),
            ("evaluations", "150"),
            ("games", "6"),
            ("batch", "2"),
            ("plies", "60"),
        ]
        .into_iter()
        .chain([("random", "6"), ("checkpoint", "2"), ("gate.every", "0"), ("start", "embedded"), ("policy", "even")])
        .map(|(key, value)| (key.to_string(), value.to_string()));
        Config::with("", &changes.collect::<Vec<_>>())
    };
    for (game, methods, files) in [
        (
            "blokus-duo",
            &["imitation", "s3-deterministic", "s3-stochastic", "s3-tree", "td-leaf"][..],
            "blokus-duo.weights",
        ),
        ("go5", &["imitation", "s3-deterministic", "s3-tree"], "go5.policy"),
    ] {
        for method in methods {
            let (whole, killed) = (folder(&format!("{game}-{method}")), folder(&format!("{game}-{method}-killed")));
            let mut run = run::open(&whole, config(game, method).unwrap()).expect("a run");
            let before = run.parameters().to_vec();
            let rows = batches(&mut *run, 3, 1);
            assert!(run.is_done() && rows.iter().all(|row| row.moves > 0), "{game} {method}: {rows:?}");
            assert!(run.parameters() != before, "{game} {method} has learned nothing");
            assert_eq!(run.weights_file(), files);
            let mut run = run::open(&killed, config(game, method).unwrap()).expect("a run");
            batches(&mut *run, 2, 2);
            run.checkpoint().expect("saved");
            drop(run);
            let mut run = run::resume(&killed).expect("the run");
            batches(&mut *run, 1, 2);
            drop(run);
            let policy = if *method == "td-leaf" { files.to_string() } else { format!("{game}.policy") };
            for file in ["checkpoint.state", "curves.jsonl", &policy] {
                let [a, b] = [&whole, &killed].map(|folder| fs::read(folder.join(file)).expect(file));
                assert!(a == b, "{game} {method}: {file}");
            }
            for folder in [whole, killed] {
                fs::remove_dir_all(folder).expect("removed");
            }
        }
    }
    let refused = |game: &str, method: &str| {
        run::open(&folder("refused"), config(game, method).unwrap()).err().expect("refused").to_string()
    };
    assert!(refused("go9", "td-leaf").contains("nothing to differentiate"));
    assert!(refused("othello", "imitation").contains("othello"));
    assert!(config("go9", "s3-tree").unwrap().search.starts_with("mcss(t=0.1,"));
}
