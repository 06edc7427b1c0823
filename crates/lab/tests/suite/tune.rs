//! Tuning from end to end: a player whose best number is known, threads, a run that was broken off, games that judge.

use std::path::PathBuf;
use std::sync::atomic::Ordering;

use serde_json::json;
use yomi_lab::error::LabError;
use yomi_lab::players::build::Programs;
use yomi_lab::runner::{Controls, RunEnd};
use yomi_lab::tune::config::{Method, TuneConfig};
use yomi_lab::tune::report;
use yomi_lab::tune::run::{Stage, TuneRow, Tuning, Watcher};
use yomi_lab::tune::space::Space;

/// A folder that is gone when the test is over.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("yomi-tune-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        Scratch(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// How often a player that knows tic-tac-toe moves at random: never is best, the lower end of the range.
fn config(method: Method, games: u64) -> TuneConfig {
    TuneConfig {
        game: "tic-tac-toe".into(),
        method,
        games,
        judge: 20,
        batch: 10,
        seed: 1,
        opening: "random(2)".into(),
        move_limit: None,
        against: vec!["uct + rollout sims=60".into()],
        space: Space::parse("weakened(uct,random={0..1}) + rollout sims=60").unwrap(),
    }
}

fn begun(scratch: &Scratch, config: TuneConfig) -> Tuning {
    let tuning = Tuning::create(&scratch.0, config, Programs::Refused, &json!({})).unwrap();
    tuning.inspect().unwrap();
    tuning
}

fn ledger(tuning: &Tuning) -> Vec<(Stage, u64, Vec<f64>, Vec<String>)> {
    let mut rows: Vec<_> = tuning
        .rows()
        .unwrap()
        .into_iter()
        .map(|TuneRow { stage, index, point, game }| (stage, index, point, game.moves))
        .collect();
    rows.sort_by_key(|row| (row.0, row.1));
    rows
}

/// Ends the run after this many games.
struct Stop(u64, Controls);

impl Watcher for Stop {
    fn game(&mut self, done: u64, _: u64) {
        if done >= self.0 {
            self.1.drain.store(true, Ordering::Relaxed);
        }
    }
}

#[test]
fn a_known_optimum_is_found_whatever_the_threads_and_after_a_break() {
    let (whole, broken) = (Scratch::new("whole"), Scratch::new("broken"));
    let tuning = begun(&whole, config(Method::Clop, 400));
    assert_eq!(tuning.run(2, &Controls::default(), &mut ()).unwrap(), RunEnd::Complete);
    let found = report::write(&tuning, "test").unwrap();
    // Random moves lose: the top is near the lower end, and the middle of the range is worse on other openings.
    assert!(found.best[0] < -0.5, "{:?}", found.best);
    let judged = &found.summary["judged"];
    assert!(judged["tuned"]["rate"].as_f64() > judged["middle"]["rate"].as_f64(), "{judged}");
    assert!(std::fs::read_to_string(whole.0.join("report.md")).unwrap().contains("random"));
    let controls = Controls::default();
    let interrupted =
        begun(&broken, config(Method::Clop, 400)).run(1, &controls, &mut Stop(33, controls.clone())).unwrap();
    assert_eq!(interrupted, RunEnd::Interrupted);
    let again = Tuning::open(&broken.0, Programs::Refused).unwrap();
    assert_eq!(again.run(1, &Controls::default(), &mut ()).unwrap(), RunEnd::Complete);
    assert_eq!(ledger(&tuning), ledger(&again));
    // Every game can be played again, and a changed one is found.
    let verified = tuning.verify(5, 1).unwrap();
    assert_eq!((verified.checked, verified.replayed, verified.same), (440, 5, 5));
    assert!(verified.differences.is_empty(), "{:?}", verified.differences);
}

#[test]
fn stochastic_approximation_climbs_and_another_run_is_refused() {
    let scratch = Scratch::new("spsa");
    let tuning = begun(&scratch, TuneConfig { judge: 0, ..config(Method::Spsa, 1000) });
    tuning.run(2, &Controls::default(), &mut ()).unwrap();
    let found = report::write(&tuning, "test").unwrap();
    assert!(found.best[0] < -0.1, "{:?}", found.best);
    let other = TuneConfig { seed: 2, ..config(Method::Spsa, 400) };
    assert!(matches!(Tuning::create(&scratch.0, other, Programs::Refused, &json!({})), Err(LabError::Conflict(_))));
    for wrong in [
        TuneConfig { against: Vec::new(), ..config(Method::Clop, 10) },
        TuneConfig { opening: "start".into(), ..config(Method::Clop, 10) },
        TuneConfig { batch: 0, ..config(Method::Clop, 10) },
        TuneConfig { games: 0, ..config(Method::Clop, 10) },
    ] {
        assert!(wrong.check().is_err(), "{wrong:?}");
    }
}
