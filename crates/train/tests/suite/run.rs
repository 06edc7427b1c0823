//! The loop in miniature: a run that was killed goes on and ends with the same network.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use yomi_core::TextError;
use yomi_net::open::Choice;
use yomi_train::dispatch;
use yomi_train::run::{Conditions, Config, Folder, check};
use yomi_train::samples::{self, Kind};
use yomi_train::self_play;
use yomi_train::trainer::Settings;
use yomi_train::trainer::native::Native;

fn config(game: &str, method: &str) -> Config {
    let play = self_play::Settings {
        method: method.into(),
        full: 8,
        fast: 4,
        full_share: 0.5,
        seats: 4,
        ..self_play::Settings::default()
    };
    Config {
        game: game.into(),
        blocks: 1,
        channels: 8,
        seed: 1,
        play,
        games: 6,
        reuse: 1.0,
        window: 4,
        rate: 1e-3,
        batch: 16,
        overlapped: false,
        gate: None,
    }
}

fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("yomi-run-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    path
}

fn go(config: &Config, path: &Path, generations: u64, threads: usize) -> Result<u64, TextError> {
    let conditions = Conditions {
        device: Choice::Cpu,
        threads,
        generations,
        evaluations: None,
        time: None,
        planned: Some(1e12),
        decide: |_| None,
    };
    let settings = Settings { batch: config.batch, ..Settings::default() };
    let mut count = 0;
    let mut trainer = Native::new(settings, threads);
    dispatch::run(config, &conditions, path, &mut trainer, &AtomicBool::new(false), &mut |_| count += 1)?;
    Ok(count)
}

/// The steps of the records in a run's event file that show the losses of both heads.
fn steps_of_events(folder: &Path) -> Vec<u64> {
    let bytes = std::fs::read(folder.join("events.out.tfevents.yomi")).unwrap();
    let (mut rest, mut records) = (&bytes[..], Vec::new());
    while let Some((length, _)) = rest.split_first_chunk() {
        let length = u64::from_le_bytes(*length) as usize;
        records.push(&rest[12..12 + length]);
        rest = &rest[16 + length..];
    }
    let (first, records) = records.split_first().unwrap();
    assert!(first.ends_with(b"brain.Event:2"));
    let step = |record: &&[u8]| {
        let shown = |tag: &[u8]| record.windows(tag.len()).any(|window| window == tag);
        assert!(shown(b"losses/policy") && shown(b"losses/value"));
        // The time in nine bytes, then the tag of the step and its number, below 128 games in one byte.
        assert!(record[9] == 2 << 3 && record[10] < 128);
        u64::from(record[10])
    };
    records.iter().map(step).collect()
}

/// Played in one go by one thread; and by two threads, killed while the second generation was written, and gone on with.
#[test]
fn a_killed_run_ends_with_the_same_network() {
    let config = config("minishogi", "gumbel");
    let (whole, killed) = (folder("whole"), folder("killed"));
    assert_eq!(go(&config, &whole, 3, 1).unwrap(), 3);
    assert_eq!(go(&config, &killed, 1, 2).unwrap(), 1);
    // What a kill may leave: two games and a half of the second generation, half a network, half a line of the log.
    let samples = |path: &Path| path.join("samples/gen-00001.samples");
    let bytes = std::fs::read(samples(&whole)).unwrap();
    let (header, list) = samples::read(&samples(&whole), Some("minishogi")).unwrap();
    let cut = samples::HEADER_BYTES + header.record * (list.len() / 2) + 37;
    std::fs::write(samples(&killed), &bytes[..cut]).unwrap();
    std::fs::write(killed.join("nets/net-00002.part"), b"half").unwrap();
    let log = std::fs::read_to_string(killed.join("log.jsonl")).unwrap();
    std::fs::write(killed.join("log.jsonl"), format!("{log}{{\"genera")).unwrap();
    let events = killed.join("events.out.tfevents.yomi");
    let half = std::fs::read(&events).unwrap();
    std::fs::write(&events, [&half[..], b"half of a record"].concat()).unwrap();
    assert_eq!(go(&config, &killed, 3, 2).unwrap(), 2);
    for net in 0..=3 {
        let name = format!("nets/net-{net:05}.safetensors");
        assert_eq!(std::fs::read(whole.join(&name)).unwrap(), std::fs::read(killed.join(&name)).unwrap(), "{name}");
    }
    for generation in 0..3 {
        let name = format!("samples/gen-{generation:05}.samples");
        let read = |folder: &Path| samples::read(&folder.join(&name), None).unwrap();
        assert_eq!(read(&whole), read(&killed), "{name}");
    }
    // The killed run's event file lacks no line, and has none twice.
    for folder in [&whole, &killed] {
        let games: Vec<u64> = Folder::existing(folder).unwrap().0.history().iter().map(|line| line.games).collect();
        assert_eq!(steps_of_events(folder), games);
    }
    let (found, _) = Folder::existing(&whole).unwrap();
    assert!(check(&found, "minishogi").unwrap() > 30 && check(&found, "go9").is_err());
    // Nothing is left to do; and another configuration is another run.
    assert_eq!(go(&config, &whole, 3, 1).unwrap(), 0);
    let other = Config { channels: 16, ..config };
    let message = go(&other, &whole, 3, 1).unwrap_err().message;
    assert!(message.contains("the run was begun with \"channels\": 8,, not with \"channels\": 16,"), "{message}");
    [whole, killed].iter().for_each(|path| std::fs::remove_dir_all(path).unwrap());
}

/// S0.8 in the loop: leaves are written and learned from, values move by them alone where nothing else teaches values, and a run in two
/// parts ends with the same network.
#[test]
fn the_policy_gradient_goes_through_the_loop() {
    let plain = config("minishogi", "mcss-puct(ts=0.05,tb=0.02)");
    let gradient = Some(self_play::Gradient { t_a: 0.1, leaves: 3 });
    let play = self_play::Settings { full: 2, fast: 1, gradient, ..plain.play };
    let config = Config { play, games: 4, ..plain };
    let (whole, parts) = (folder("gradient"), folder("gradient-parts"));
    go(&config, &whole, 2, 1).unwrap();
    go(&config, &parts, 1, 2).unwrap();
    go(&config, &parts, 2, 1).unwrap();
    let net = |folder: &Path| std::fs::read(folder.join("nets/net-00002.safetensors")).unwrap();
    assert_eq!(net(&whole), net(&parts));
    let (_, list) = samples::read(&whole.join("samples/gen-00000.samples"), Some("minishogi")).unwrap();
    let leaves: Vec<_> = list.iter().filter(|sample| sample.kind == Kind::Leaf).collect();
    // A search that proves a result has no leaves to learn from.
    assert!(leaves.len() > 20 && leaves.len() <= 3 * (list.len() - leaves.len()), "{} of {}", leaves.len(), list.len());
    assert!(leaves.iter().all(|leaf| leaf.policy.is_empty() && !leaf.scored && leaf.value.is_finite()));
    assert!(leaves.iter().any(|leaf| leaf.value > 0.01) && leaves.iter().any(|leaf| leaf.value < -0.01));
    let history = Folder::existing(&whole).unwrap().0.history();
    assert_eq!(history[0].samples as usize, list.len() - leaves.len());
    assert!(history.iter().all(|line| line.training.losses["gradient"].abs() > 1e-6), "{history:?}");
    // Means have no gradient.
    let wrong = Config { play: self_play::Settings { method: "puct".into(), ..config.play.clone() }, ..config };
    let message = go(&wrong, &folder("gradient-puct"), 1, 1).unwrap_err().message;
    assert!(message.contains("no gradient is known through the backup"), "{message}");
    [whole, parts].iter().for_each(|path| std::fs::remove_dir_all(path).unwrap());
}

/// A run ends with the generation that reaches its evaluations.
#[test]
fn evaluations_end_a_run() {
    let config = Config { games: 2, ..config("minishogi", "gumbel") };
    let path = folder("evaluations");
    let (device, evaluations) = (Choice::Cpu, Some(1));
    let conditions =
        Conditions { device, threads: 1, generations: 9, evaluations, time: None, planned: None, decide: |_| None };
    let mut trainer = Native::new(Settings { batch: 8, ..Settings::default() }, 1);
    for lines in [1, 0] {
        let mut count = 0;
        dispatch::run(&config, &conditions, &path, &mut trainer, &AtomicBool::new(false), &mut |_| count += 1).unwrap();
        assert_eq!(count, lines);
    }
    std::fs::remove_dir_all(&path).unwrap();
}

/// A network that does not pass the gate does not play: with a test that accepts every other candidate.
#[test]
fn the_gate_decides_who_plays() {
    let plain = config("minishogi", "gumbel");
    let gate = Some(yomi_train::run::Gate { pairs: 1, simulations: 4 });
    let config = Config { games: 2, gate, ..plain };
    let path = folder("gate");
    for (decide, best) in [((|_| Some(false)) as yomi_train::run::Decide, [0, 0]), (|_| Some(true), [3, 4])] {
        let before = Folder::existing(&path).map_or(0, |(folder, _)| folder.history().len()) as u64;
        let conditions = Conditions {
            device: Choice::Cpu,
            threads: 1,
            generations: before + 2,
            evaluations: None,
            time: None,
            planned: None,
            decide,
        };
        let mut trainer =
            Native::new(Settings { batch: 8, search_share: 0.0, surprise_share: 0.0, ..Settings::default() }, 1);
        dispatch::run(&config, &conditions, &path, &mut trainer, &AtomicBool::new(false), &mut |_| ()).unwrap();
        let history = Folder::existing(&path).unwrap().0.history();
        let last: Vec<u64> = history[before as usize..].iter().map(|line| line.best).collect();
        assert_eq!(last, best);
        assert!(history.iter().all(|line| line.gate.iter().sum::<u64>() == 1));
    }
    std::fs::remove_dir_all(&path).unwrap();
}

/// Overlapped, every game, every search: networks and samples come.
#[test]
fn every_game_and_search_goes_through_the_loop() {
    for (game, method) in [("go5", "puct(c=1.5)"), ("blokus-duo", "gumbel(scale=0.3)"), ("minishogi", "mcss-puct")] {
        let path = folder(game);
        let plain = config(game, method);
        let play = self_play::Settings { full: 4, fast: 2, seats: 2, noise: 0.25, ..plain.play };
        let config = Config { overlapped: true, games: 1, batch: 8, play, ..plain };
        go(&config, &path, 2, 1).unwrap();
        let (found, _) = Folder::existing(&path).unwrap();
        assert!(found.newest().unwrap() >= 2);
        assert!(check(&found, game).unwrap() > 0);
        assert!(found.history().len() >= 2);
        // A few games of every generation are kept for people.
        let text = std::fs::read_to_string(path.join("games.jsonl")).unwrap();
        let games: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        for generation in 0..found.history().len() as u64 {
            let kept = games.iter().filter(|game| game["step"] == generation).count();
            assert!((1..=4).contains(&kept), "{game} {generation}: {kept}");
        }
        assert!(games.iter().all(|kept| kept["game"] == game && kept["moves"].as_str().unwrap().contains(' ')));
        std::fs::remove_dir_all(&path).unwrap();
    }
}
