//! `yomi learn` from outside: killed and resumed, given wrong arguments, compared, and its weights in a player's hands.
#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn yomi(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_yomi"));
    command.args(arguments).stdin(Stdio::null());
    command
}

fn run(arguments: &[&str]) -> Output {
    yomi(arguments).output().expect("yomi runs")
}

fn succeeds(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("yomi-learn-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

fn begin<'a>(method: &'a str, folder: &'a Path) -> Vec<&'a str> {
    let mut arguments = vec!["learn", method, "--game", "minishogi", "--out", folder.to_str().expect("UTF-8")];
    arguments.extend(["--games", "24", "--evals", "60", "--set", "batch=4", "--set", "plies=40"]);
    arguments.extend(["--set", "checkpoint=2", "--set", "gate.every=12", "--set", "gate.pairs=2"]);
    arguments.extend(["--set", "pool.share=0.5", "--set", "pool.every=6"]);
    arguments
}

/// A run that is killed at any moment goes on and ends with the same bytes; S3 keeps its policy as well.
#[test]
fn a_killed_run_goes_on_to_the_bit() {
    for (method, files) in [
        ("pg-leaf", &["minishogi.linear", "best.linear", "curves.jsonl"][..]),
        ("s3-stochastic", &["minishogi.linear", "minishogi.policy", "curves.jsonl"]),
    ] {
        let (whole, killed) = (folder(&format!("{method}-whole")), folder(&format!("{method}-killed")));
        succeeds(&begin(method, &whole));
        let mut child =
            yomi(&begin(method, &killed)).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("yomi runs");
        // Killed once there is something in the curve; should it be done by then, resuming has nothing to do.
        while child.try_wait().expect("a child").is_none() {
            if std::fs::metadata(killed.join("curves.jsonl")).is_ok_and(|file| file.len() > 0) {
                child.kill().expect("killed");
            }
            std::thread::yield_now();
        }
        let printed = succeeds(&["learn", "--resume", killed.to_str().expect("UTF-8"), "--threads", "2", "--json"]);
        let last = printed.lines().last().expect("a line");
        assert!(last.contains("\"type\":\"end\"") && last.contains("\"games\":24"), "{last}");
        for name in files {
            let [a, b] = [&whole, &killed].map(|folder| std::fs::read(folder.join(name)).expect("a file"));
            assert!(a == b, "{method}: {name} differs");
        }
        for name in ["loss.svg", "gradient.svg", "elo.svg", "events.out.tfevents.yomi"] {
            assert!(killed.join(name).exists(), "{name}");
        }
        let player = if method == "pg-leaf" {
            format!("mcss + quiet(linear(file={}))", whole.join("minishogi.linear").display())
        } else {
            let policy = whole.join("minishogi.policy");
            format!("mcss(expand=growth(mu=0.01,rule=chance)) + guided(quiet(linear),file={})", policy.display())
        };
        succeeds(&["analyze", "--game", "minishogi", "--player", &player, "--evals", "200"]);
        for folder in [whole, killed] {
            std::fs::remove_dir_all(folder).expect("removed");
        }
    }
}

/// A comparison learns, plays, reports; the same command again has nothing left to do.
#[test]
fn rivals_are_compared() {
    let folder = folder("compare");
    let out = folder.to_str().expect("UTF-8");
    let arguments = [
        "learn",
        "compare",
        "--game",
        "minishogi",
        "--out",
        out,
        "--games",
        "8",
        "--cpu",
        "0.01",
        "--methods",
        "pg-leaf,regression",
        "--match-games",
        "2",
        "--match-evals",
        "60",
        "--set",
        "evaluations=60",
        "--set",
        "plies=30",
        "--set",
        "batch=1",
        "--set",
        "steps.schedule=linear",
        "--json",
    ];
    let printed = succeeds(&arguments);
    let rows: Vec<&str> = printed.lines().filter(|line| line.contains("\"type\":\"row\"")).collect();
    assert_eq!(rows.len(), 8, "two methods, two opponents, equal games and equal time: {printed}");
    assert!(folder.join("report/report.md").exists() && folder.join("weights/regression-time.linear").exists());
    // The run is endless, but its rate falls over the games that were asked for: 0.1 at first, an eighth of it in the last of eight steps.
    let curves = std::fs::read_to_string(folder.join("runs/pg-leaf/curves.jsonl")).expect("curves");
    let rates: Vec<f64> = (curves.lines())
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON")["rate"].as_f64().expect("a rate"))
        .collect();
    assert!(rates.len() >= 8 && rates[0] == 0.1 && (rates[7] - 0.0125).abs() < 1e-12, "{rates:?}");
    assert!(rates[8..].iter().all(|&rate| rate == 0.0), "{rates:?}");
    let page = std::fs::read_to_string(folder.join("report/report.md")).expect("the report");
    assert!(page.contains("Rates fall to nothing over this many games") && page.contains("pg-leaf 8."), "{page}");
    let again = succeeds(&arguments);
    assert_eq!(rows, again.lines().filter(|line| line.contains("\"type\":\"row\"")).collect::<Vec<_>>());
    // A second seed is added to the first: what was learned and played stays, and a row is the mean over both.
    let before = std::fs::read(folder.join("report/ledger.jsonl")).expect("what was played");
    let more = succeeds(&[&arguments[..], &["--seeds", "2"]].concat());
    let rows: Vec<&str> = more.lines().filter(|line| line.contains("\"type\":\"row\"")).collect();
    assert!(rows.len() == 8 && rows.iter().all(|row| row.contains("\"seeds\":2")), "{more}");
    assert!(
        folder.join("report-seed2/report.md").exists() && folder.join("weights/pg-leaf-seed2-games.linear").exists()
    );
    assert_eq!(std::fs::read(folder.join("report/ledger.jsonl")).expect("what was played"), before);
    let page = std::fs::read_to_string(folder.join("methods.md")).expect("the page");
    assert!(page.contains("| `pg-leaf` | 2 | "), "{page}");
    std::fs::remove_dir_all(folder).expect("removed");
}

/// The gradient of the whole tree is exact, few samples are not.
#[test]
fn gradients_are_measured() {
    let folder = folder("speed");
    let out = folder.to_str().expect("UTF-8");
    let printed = succeeds(&[
        "learn",
        "gradient-speed",
        "--game",
        "minishogi",
        "--out",
        out,
        "--positions",
        "2",
        "--evals",
        "200",
        "--json",
    ]);
    let line = |tree: &str, form: &str, setting: &str| {
        let words = [format!("\"tree\":\"{tree}\""), format!("\"form\":\"{form}\""), format!("\"setting\":{setting},")];
        let found = printed.lines().find(|line| words.iter().all(|word| line.contains(word)));
        let found = found.unwrap_or_else(|| panic!("{words:?}: {printed}"));
        let (_, rest) = found.split_once("\"error\":").expect("an error");
        rest.split([',', '}']).next().and_then(|text| text.parse::<f64>().ok()).expect("a number")
    };
    assert!(line("complete", "tree", "0.0") < 1e-3, "S0.8 over the whole tree is S0.7: {printed}");
    assert!(line("search", "tree", "0.0") < 1e-9 && line("search", "sampled", "4.0") > 0.05, "{printed}");
    assert!(folder.join("minishogi-search.svg").exists());
    std::fs::remove_dir_all(folder).expect("removed");
}

#[test]
fn wrong_words_are_refused() {
    let cases: &[(&[&str], &str)] = &[
        (&["learn"], "Usage"),
        (&["learn", "pg-tre"], "pg-tree"),
        (&["learn", "pg-tree", "--out", "/nowhere/x"], "--game"),
        (&["learn", "pg-tree", "--game", "chess", "--out", "/nowhere/x"], "chess"),
        (&["learn", "pg-tree", "--game", "minishogi", "--out", "/nowhere/x", "--set", "lambda"], "KEY=VALUE"),
        (&["learn", "pg-tree", "--game", "minishogi", "--out", "/nowhere/x", "--set", "speed=3"], "speed"),
        (&["learn", "comparison", "--game", "minishogi", "--out", "/nowhere/x"], "records"),
        (&["learn", "s3-tree", "--game", "minishogi", "--out", "/nowhere/x", "--set", "search=mcss"], "growth"),
        (&["learn", "--resume", "/nowhere/run"], "no run"),
        (&["learn", "compare", "--game", "minishogi", "--out", "/nowhere/x", "--methods", "td-lef"], "td-leaf"),
        (&["learn", "simulations", "--game", "go9", "--out", "/nowhere/x"], "blokus-duo"),
    ];
    for (arguments, words) in cases {
        let output = run(arguments);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && error.contains(words), "{arguments:?}: {error}");
    }
}

/// Games of a match become records that comparison training reads; a damaged one is named, the run is made, and the exit code tells.
#[test]
fn records_of_a_match_are_learned_from() {
    let folder = folder("records");
    let out = folder.to_str().expect("UTF-8");
    let text = |name: &str| folder.join(name).to_str().expect("UTF-8").to_string();
    let (games, learned) = (text("match"), text("run"));
    let players = ["alpha-beta depth=2", "alpha-beta depth=1"];
    succeeds(&["match", "--game", "minishogi", players[0], players[1], "--games", "4", "--out", &games]);
    let arguments = ["learn", "comparison", "--game", "minishogi", "--out", &learned, "--records", out];
    let settings = ["--games", "8", "--evals", "60", "--set", "batch=4", "--set", "gate.every=0", "--json"];
    let arguments = [&arguments[..], &settings].concat();
    let printed = succeeds(&arguments);
    assert!(printed.contains("\"type\":\"end\"") && !printed.contains("skipped"), "{printed}");
    std::fs::write(folder.join("bad.kif"), "# nothing\n").expect("written");
    std::fs::remove_dir_all(&learned).expect("removed");
    let output = run(&arguments);
    let (printed, error) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(!output.status.success() && error.contains("1 record could not be read"), "{error}");
    assert!(printed.contains("\"type\":\"skipped\"") && printed.contains("bad.kif") && printed.contains("\"end\""));
    assert!(Path::new(&learned).join("minishogi.linear").exists());
    std::fs::remove_dir_all(folder).expect("removed");
}

/// Policies learned in Blokus Duo and Go are read by players whose growth they control.
#[test]
fn policies_of_other_games_control_growth() {
    for (game, evaluation) in [("blokus-duo", "learned(unit=value)"), ("go5", "rollout(patterns,n=2)")] {
        let folder = folder(&format!("policy-{game}"));
        let out = folder.to_str().expect("UTF-8");
        let imitation = ["learn", "imitation", "--game", game, "--out", out, "--from", "embedded", "--games", "4"];
        succeeds(&[&imitation[..], &["--evals", "100", "--set", "batch=2", "--set", "gate.every=0"]].concat());
        let policy = folder.join(format!("{game}.policy"));
        let player =
            format!("mcss(expand=growth(mu=0.002,tau=0.001)) + guided({evaluation},file=\"{}\")", policy.display());
        succeeds(&["analyze", "--game", game, "--player", &player, "--evals", "300"]);
        std::fs::remove_dir_all(folder).expect("removed");
    }
}
