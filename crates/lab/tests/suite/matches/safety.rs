//! What a run directory must survive: damaged rows, edited files, writers that were killed, programs that never stop talking.

use std::fs;
use std::path::{Path, PathBuf};

use yomi_core::toy::TicTacToe;
use yomi_lab::config::MatchConfig;
use yomi_lab::directory::RunDirectory;
use yomi_lab::engine_logs::EngineLogs;
use yomi_lab::experiment::Row;
use yomi_lab::ledger;
use yomi_lab::manifest::{Program, manifest};
use yomi_lab::plan::MatchPlan;
use yomi_lab::report::{self, Records};
use yomi_lab::row::GameRow;
use yomi_lab::runner::is_complete;
use yomi_lab::standing::Standing;
use yomi_lab::verify::verify;

use super::actors::{Scratch, arena, config, played};

/// A short match, played.
fn short(scratch: &Scratch) -> (MatchConfig, PathBuf) {
    let config = config("tic-tac-toe", &["random", "random "], 4);
    played(&config, &*arena::<TicTacToe>("tic-tac-toe"), scratch, 1);
    (config, scratch.0.join("games.jsonl"))
}

/// No bit of a ledger changes unnoticed, its last row and its last byte included.
#[test]
fn flipped_bits_are_noticed() {
    let scratch = Scratch::new("flips");
    let (_, path) = short(&scratch);
    let bytes = fs::read(&path).unwrap();
    let last_row = bytes.len() - bytes.rsplit(|&byte| byte == b'\n').nth(1).unwrap().len() - 1;
    let all = (0..8 * last_row).step_by(7).chain(8 * last_row..8 * bytes.len());
    for bit in all {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        fs::write(&path, &flipped).unwrap();
        let Err(error) = ledger::read::<GameRow>(&path) else { panic!("bit {bit} changed unnoticed") };
        let message = error.to_string();
        assert!(message.contains("games.jsonl") && message.contains("delete this line"), "bit {bit}: {message}");
    }
}

/// Ledgers of older versions have no checksums and are read; a row that lost its own is not.
#[test]
fn ledgers_without_checksums_are_read() {
    let scratch = Scratch::new("unsealed");
    let (_, path) = short(&scratch);
    let sealed = fs::read_to_string(&path).unwrap();
    let rows: Vec<GameRow> = ledger::read(&path).unwrap();
    let unsealed = |line: &str| format!("{}}}\n", line.split_once(",\"check\"").unwrap().0);
    let old: String = sealed.lines().map(unsealed).collect();
    fs::write(&path, &old).unwrap();
    assert_eq!(ledger::read::<GameRow>(&path).unwrap(), rows);
    let lines: Vec<&str> = sealed.lines().collect();
    let mixed = |from: usize| -> String {
        let line = |(i, line): (usize, &&str)| if i < from { unsealed(line) } else { format!("{line}\n") };
        lines.iter().enumerate().map(line).collect()
    };
    fs::write(&path, mixed(2)).unwrap();
    assert_eq!(ledger::read::<GameRow>(&path).unwrap(), rows, "an old run that a newer version went on with");
    fs::write(&path, format!("{}\n{}{}\n", lines[0], unsealed(lines[1]), lines[2])).unwrap();
    let error = ledger::read::<GameRow>(&path).unwrap_err().to_string();
    assert!(error.contains("line 2") && error.contains("no checksum"), "{error}");
}

#[test]
fn all_results_are_read() {
    let results = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../results");
    let mut ledgers = 0;
    for entry in fs::read_dir(results).unwrap() {
        let path = entry.unwrap().path().join("ledger.jsonl");
        if path.exists() {
            let rows: Vec<Row> = ledger::read(&path).unwrap();
            assert!(!rows.is_empty(), "{}", path.display());
            ledgers += 1;
        }
    }
    assert!(ledgers > 20, "{ledgers}");
}

#[test]
fn what_killed_writers_left_is_removed() {
    let scratch = Scratch::new("parts");
    let (config, _) = short(&scratch);
    fs::create_dir_all(scratch.0.join("plots")).unwrap();
    // No process has so high a number; this one surely runs.
    let left = ["report.md.4000000000.part", "plots/scores.svg.4000000000.part"].map(|name| scratch.0.join(name));
    let kept =
        [format!("report.html.{}.part", std::process::id()), "notes.part".to_string()].map(|name| scratch.0.join(name));
    left.iter().chain(&kept).for_each(|path| fs::write(path, "half").unwrap());
    played(&config, &*arena::<TicTacToe>("tic-tac-toe"), &scratch, 1);
    assert!(left.iter().all(|path| !path.exists()) && kept.iter().all(|path| path.exists()));
    // A run that was killed over its report has nothing left to play: writing the report again removes what is left.
    let (directory, plan) = RunDirectory::open(&scratch.0).unwrap();
    let page = scratch.0.join("games/part-1.html.4000000000.part");
    fs::create_dir_all(scratch.0.join("games")).unwrap();
    left.iter().chain([&page]).for_each(|path| fs::write(path, "half").unwrap());
    let rows = directory.rows().unwrap();
    report::write(&plan, &*arena::<TicTacToe>("tic-tac-toe"), &directory, &rows, Records::None, "test").unwrap();
    assert!(left.iter().chain([&page]).all(|path| !path.exists()) && kept[1].exists());
}

/// A match whose configuration was edited is another match: it is refused by the manifest, and by the seeds of its games without one.
#[test]
fn an_edited_configuration_is_refused() {
    let scratch = Scratch::new("edited");
    let (config, _) = short(&scratch);
    let (directory, plan) = RunDirectory::open(&scratch.0).unwrap();
    let program = Program { version: "0", signature: None, compiler: "none", build: "test" };
    let ids = ["a".to_string(), "b".to_string()];
    let text = manifest(&plan, &program, &ids).to_string();
    directory.write("manifest.json", text.as_bytes()).unwrap();
    RunDirectory::create(&scratch.0, &plan).expect("nothing has changed");
    let longer = MatchPlan::new(MatchConfig { games: 8, ..config.clone() }, Vec::new()).unwrap();
    RunDirectory::create(&scratch.0, &longer).expect("a match can be made longer");
    let file = scratch.0.join("config.toml");
    let edited = fs::read_to_string(&file).unwrap().replace("move-limit = 200", "move-limit = 5");
    fs::write(&file, edited).unwrap();
    let (_, plan) = RunDirectory::open(&scratch.0).unwrap();
    let error = RunDirectory::create(&scratch.0, &plan).unwrap_err().to_string();
    assert!(
        error.contains("config.toml was changed") && error.contains("conditions.move-limit was 200 and is 5"),
        "{error}"
    );
    fs::remove_file(scratch.0.join("manifest.json")).unwrap();
    let error = Standing::of(&plan, &directory.rows().unwrap()).unwrap_err().to_string();
    assert!(error.contains("another configuration"), "{error}");
}

#[test]
fn a_match_knows_when_it_needs_no_person() {
    let scratch = Scratch::new("complete");
    let (config, _) = short(&scratch);
    let (directory, plan) = RunDirectory::open(&scratch.0).unwrap();
    let rows = directory.rows().unwrap();
    assert!(is_complete(&plan, &rows).unwrap() && !is_complete(&plan, &rows[..3]).unwrap());
    let longer = MatchPlan::new(MatchConfig { games: 8, ..config }, Vec::new()).unwrap();
    assert!(!is_complete(&longer, &rows).unwrap());
}

/// Whether games can be played again is computed: what a file says about it is not believed, so `verify` starts no program.
#[test]
fn reproducible_is_not_believed() {
    let scratch = Scratch::new("believed");
    let (mut config, _) = short(&scratch);
    assert!(
        MatchPlan::new(MatchConfig { reproducible: false, ..config.clone() }, Vec::new()).unwrap().config.reproducible
    );
    let rows: Vec<GameRow> = ledger::read(&scratch.0.join("games.jsonl")).unwrap();
    config.reproducible = true;
    for spec in ["usi:engine", "mate-first(mcss(threads=2))", "knowledge(\"gnugo --mode gtp\",uct)"] {
        let mut config = config.clone();
        config.players[0].spec = spec.to_string();
        let plan = MatchPlan::new(config, Vec::new()).unwrap();
        assert!(!plan.config.reproducible, "{spec}");
        let found = verify(&plan, &*arena::<TicTacToe>("tic-tac-toe"), &rows, 4, 1).unwrap();
        assert_eq!(found.replayed, 0, "{spec}");
    }
    config.conditions.time = Some("10".to_string());
    assert!(!MatchPlan::new(config, Vec::new()).unwrap().config.reproducible);
}

#[test]
fn logs_of_a_run_share_their_room() {
    let scratch = Scratch::new("logs");
    let directory = scratch.0.join("engine-logs");
    let logs = EngineLogs::new(&directory, 100);
    let open = |logs: &EngineLogs, name: &str| logs.open(Path::new(name)).unwrap();
    let (mut a, mut b) = (open(&logs, "a.log").unwrap(), open(&logs, "b.log").unwrap());
    a.write_all(&[b'x'; 60]).unwrap();
    assert!(b.write_all(&[b'y'; 60]).is_err(), "there is room for 40");
    assert!(a.write_all(b"z").is_err(), "all logs end together");
    assert!(open(&logs, "c.log").is_none());
    let length = |name: &str| fs::metadata(directory.join(name)).unwrap().len();
    assert!(length("a.log") + length("b.log") < 200);
    assert!(open(&EngineLogs::new(&directory, 100), "a.log").is_none(), "what is there already counts");
    assert!(open(&EngineLogs::new(&directory, 1000), "a.log").is_some());
}
