//! Reports as a person meets them: one look for matches and experiments, every game in the page, any run directory accepted.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{LazyLock, RwLock};

use serde_json::Value;

fn yomi(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_yomi")).args(args).output().expect("the program runs")
}

fn prints(args: &[&str]) -> String {
    let output = yomi(args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn scratch(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("reports-{name}"));
    let _ = std::fs::remove_dir_all(&path);
    path
}

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// A match of tic-tac-toe.
static MATCH: LazyLock<PathBuf> = LazyLock::new(|| {
    let path = scratch("match");
    prints(&["match", "--game", "tic-tac-toe", "uct sims=20", "random", "--games", "10", "--out", text(&path)]);
    path
});

/// An experiment that can be done again, and one game of each of its kinds.
static EXPERIMENT: LazyLock<PathBuf> = LazyLock::new(|| {
    let file = scratch("experiment.toml");
    let written = "name = \"small\"\ntitle = \"Small\"\nquestion = \"?\"\n[[match-table]]\ntitle = \"Nim\"\ngame = \"nim\"\ngames = 4\n\
                   opponent = \"random\"\nopening = \"start\"\nrows = [{ label = \"uct\", player = \"uct + rollout sims=20\", \
                   published = { wins = 1, losses = 3 } }]\n";
    std::fs::write(&file, written).expect("a directory for tests");
    let path = scratch("experiment");
    prints(&["experiment", "run", text(&file), "--out", text(&path), "--jobs", "1"]);
    path
});

/// Held by tests that write the reports of these runs again, and by those that read them.
static PAGES: RwLock<()> = RwLock::new(());

/// The games in a page.
fn games(page: &str) -> Vec<Value> {
    let start = page.find("id=\"yomi-games\">").expect("games") + "id=\"yomi-games\">".len();
    let json = &page[start..start + page[start..].find("</script>").expect("an end")];
    let sets: Vec<Value> = serde_json::from_str(json).expect("JSON");
    sets.iter().flat_map(|set| set["games"].as_array().expect("games").clone()).collect()
}

#[test]
fn every_command_takes_every_run() {
    let _alone = PAGES.write();
    for run in [&*MATCH, &*EXPERIMENT] {
        let before = std::fs::read_to_string(run.join("report.html")).expect("a report");
        for report in [["match", "report"], ["experiment", "report"]] {
            std::fs::remove_file(run.join("report.html")).expect("a report");
            prints(&[report[0], report[1], text(run)]);
            assert_eq!(std::fs::read_to_string(run.join("report.html")).expect("a report"), before, "{report:?}");
        }
        let found: Value = serde_json::from_str(&prints(&["verify", text(run), "--json"])).expect("JSON");
        assert!(found["checked"].as_u64() >= Some(4) && found["replayed"].as_u64() >= Some(4), "{found}");
    }
}

#[test]
fn other_directories_are_refused_in_words() {
    let empty = scratch("empty");
    std::fs::create_dir_all(&empty).expect("a directory for tests");
    let strange = scratch("strange");
    std::fs::create_dir_all(&strange).expect("a directory for tests");
    std::fs::write(strange.join("config.toml"), "colour = \"blue\"\n").expect("a directory for tests");
    for (run, why) in [(&empty, "no config.toml"), (&strange, "neither of a match nor of an experiment")] {
        for command in [&["verify"][..], &["match", "report"], &["experiment", "report"]] {
            let output = yomi(&[command, &[text(run)]].concat());
            let message = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(1), "{command:?}");
            assert!(message.contains("no run directory") && message.contains(why), "{command:?}: {message}");
        }
    }
}

/// A ledger in which a move was changed is detected, in an experiment as in a match.
#[test]
fn a_changed_experiment_is_found_out() {
    let copy = scratch("changed");
    std::fs::create_dir_all(&copy).expect("a directory for tests");
    for name in ["config.toml", "manifest.json", "ledger.jsonl"] {
        std::fs::copy(EXPERIMENT.join(name), copy.join(name)).expect("a copy");
    }
    let ledger = std::fs::read_to_string(copy.join("ledger.jsonl")).expect("a ledger");
    // As in old ledgers, rows have no checksum: it would be noticed before the rules are asked.
    let rows = ledger
        .lines()
        .map(|row| row.split_once(",\"check\":").map_or(row.to_string(), |(row, _)| format!("{row}}}\n")));
    let ledger: String = rows.collect();
    let turned = if ledger.contains("\"score\":1.0") {
        ledger.replacen("\"score\":1.0", "\"score\":0.0", 1)
    } else {
        ledger.replacen("\"score\":0.0", "\"score\":1.0", 1)
    };
    std::fs::write(copy.join("ledger.jsonl"), turned).expect("a ledger");
    let output = yomi(&["verify", text(&copy), "--sample", "0"]);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("rules give another result") || said.contains("job"), "{said}");
}

/// Every game of the ledger is in the page, with as many changes of the board as it has moves.
#[test]
fn every_game_can_be_replayed() {
    let _reads = PAGES.read();
    for (run, ledger) in [(&*MATCH, "games.jsonl"), (&*EXPERIMENT, "ledger.jsonl")] {
        let page = std::fs::read_to_string(run.join("report.html")).expect("a report");
        let rows = std::fs::read_to_string(run.join(ledger)).expect("a ledger");
        let shown = games(&page);
        assert_eq!(shown.len(), rows.lines().count());
        for game in shown {
            let words = |i: usize, c: char| game[i].as_str().expect("text").split(c).filter(|w| !w.is_empty()).count();
            assert!(words(6, ' ') > 0 && words(6, ' ') == words(7, ','), "{game}");
        }
    }
}

/// One look: the same style, the way to the method at the top, the build at the end.
#[test]
fn matches_and_experiments_look_alike() {
    let _reads = PAGES.read();
    let pages = [&*MATCH, &*EXPERIMENT].map(|run| std::fs::read_to_string(run.join("report.html")).expect("a report"));
    let style =
        |page: &str| page[page.find("<style>").expect("a style")..page.find("</style>").expect("an end")].to_string();
    assert_eq!(style(&pages[0]), style(&pages[1]));
    for page in &pages {
        let way = page.find("href=\"#method\"").expect("a link");
        assert!(way < page.find("<section").expect("a section") && page.contains("id=\"method\""));
        let footer = &page[page.find("<footer>").expect("a footer")..];
        assert!(footer.contains("yomi ") && footer.contains("rustc"), "{footer}");
        assert!(!page.contains("src=") && !page.contains("https:"), "nothing is fetched");
        assert!(page.contains("CPU µs per simulation"), "what a step takes");
    }
    assert!(pages[0].contains("<summary title=\"uct sims=20\">uct</summary>"), "short names, commands on demand");
}

/// Neither a page nor the terminal gives an interval beyond 0 to 100 %.
#[test]
fn intervals_end_at_nothing_and_everything() {
    let path = scratch("won");
    let args =
        ["match", "--game", "minishogi", "alpha-beta depth=2", "random", "--games", "10", "--no-records", "--out"];
    let out = prints(&[&args[..], &[text(&path)]].concat());
    let line = out.lines().find(|line| line.contains("LOS")).expect("a result");
    let score = line.split(';').nth(1).expect("a score");
    let numbers: Vec<f64> = score.split(['[', ']', ',', ' ', '%']).filter_map(|word| word.parse().ok()).collect();
    assert!(numbers.len() == 3 && numbers.iter().all(|n| (0.0..=100.0).contains(n)), "{line}");
}

/// Folders of `results/` without a run of the laboratory, and directories of other runs: why there are no games to look through.
const NO_RUNS: [(&str, &str); 17] = [
    ("go-leads", "leads of finished games; the first question of tests/suite/go_leads.rs"),
    ("learn-methods-shogi/runs", "runs of learners, whose games are not kept"),
    ("mcss-deep-regret", "tables of an example that judges positions"),
    ("mcss-lost-games", "tables of an example that keeps no games"),
    ("mcss-switches", "results of a patched program, without moves"),
    ("net-matches", "results of examples on a GPU, without moves"),
    ("s1-learning", "weights and curves of learners"),
    ("s3-blokus", "a policy and its curve"),
    ("s3-learning", "policies and their curves"),
    ("train-ablation", "a line per generation"),
    ("train-ablation-s08", "a line per generation"),
    ("train-ablation-steps", "a line per generation"),
    ("train-blokus-duo", "a line per generation, results of matches without moves"),
    ("train-go19", "a line per generation"),
    ("train-go9", "a line per generation, results of matches without moves"),
    ("train-minishogi", "a line per generation, results of matches without moves"),
    ("train-shogi", "a line per generation"),
];

/// Matches whose players were renamed by hand when they were committed: seeds of games depend on names, so that every game has another
/// seed than its row says; the games themselves are looked through like all others.
const RENAMED: [&str; 3] = ["learn-nnue/minishogi-01-28000", "learn-nnue/shogi-03-24000", "learn-nnue/shogi-04-24000"];

/// All directories of runs below this one.
fn runs_below(directory: &Path, found: &mut Vec<PathBuf>) {
    if ["config.toml", "ledger.jsonl", "games.jsonl"].iter().any(|name| directory.join(name).is_file()) {
        found.push(directory.to_path_buf());
    }
    let entries = std::fs::read_dir(directory).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries.filter(|path| path.is_dir()).for_each(|path| runs_below(&path, found));
}

/// Every game that is committed is one by the rules, and no folder is left out without a reason.
#[test]
fn all_committed_runs_are_true() {
    let results = Path::new(env!("CARGO_MANIFEST_DIR")).join("results");
    let name = |path: &Path| text(path.strip_prefix(&results).expect("below results")).to_string();
    let mut runs = Vec::new();
    runs_below(&results, &mut runs);
    let within =
        |run: &str, folder: &str| run.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    let is_one = |run: &PathBuf| !NO_RUNS.iter().any(|(folder, _)| within(&name(run), folder));
    runs.retain(is_one);
    for (folder, why) in NO_RUNS {
        assert!(results.join(folder).is_dir() && !why.is_empty(), "{folder} is named and is not there");
    }
    for folder in std::fs::read_dir(&results).expect("results").map(|entry| entry.expect("an entry").path()) {
        let named = NO_RUNS.iter().any(|(known, _)| *known == name(&folder));
        let some = runs.iter().any(|run| within(&name(run), &name(&folder)));
        assert!(!folder.is_dir() || named || some, "{}: no run is in it, and no reason is given", folder.display());
    }

    let paths: Vec<&str> = runs.iter().map(|run| text(run)).collect();
    let output = yomi(&[&["verify", "--sample", "0", "--json"][..], &paths].concat());
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    let lines = String::from_utf8(output.stdout).expect("UTF-8");
    let looked: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(looked.len(), runs.len(), "{error}");
    let mut games = 0;
    for (run, found) in runs.iter().zip(&looked) {
        assert_eq!(found["run"].as_str(), Some(text(run)));
        let checked = found["checked"].as_u64().expect("a number");
        games += checked;
        let ledger = run.join("games.jsonl");
        if ledger.exists() {
            let rows = std::fs::read_to_string(ledger).expect("a ledger").lines().count() as u64;
            assert_eq!(checked, rows, "{}", name(run));
        }
        let differences: Vec<&str> =
            found["differences"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
        if RENAMED.contains(&&*name(run)) {
            let of_seeds = differences.iter().filter(|what| what.ends_with("its seed differs")).count();
            assert_eq!((of_seeds as u64, differences.len() as u64), (checked, checked), "{}", name(run));
        } else {
            assert!(differences.is_empty(), "{}: {differences:?}", name(run));
        }
    }
    assert!(games > 50_000, "{games}");
    assert!(runs.iter().any(|run| name(run) == "learn-root-strap/mcss"), "folders in folders are reached");
}
