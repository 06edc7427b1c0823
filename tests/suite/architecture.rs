//! The invariants of ARCHITECTURE.md that can be checked by looking at the sources.
//!
//! Others are lints: `clippy.toml` forbids clocks, sleeping and maps of random order, the workspace's `[lints]` forbid `unsafe`, printing and
//! exiting. A lint can be allowed where it stands; here stands where that may be.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Who may use whom, in the order of the layers. `dev:` stands before what only tests and examples use.
///
/// `core` knows no game, `games` know no search, `search` and `eval` know no protocol, `session` turns names into types, `protocol`
/// and `lab` know players by their text, and only the program knows everything. A new edge is a decision: it belongs into ARCHITECTURE.md and then into this list.
const EDGES: &[(&str, &[&str])] = &[
    ("core", &[]),
    ("statistics", &["core"]),
    ("games", &["core"]),
    ("search", &["core", "dev:eval", "dev:games"]),
    ("eval", &["core", "games"]),
    ("net", &["core", "games", "dev:search"]),
    ("players", &["core", "games", "search", "eval", "net"]),
    ("learn", &["core", "games", "search", "eval"]),
    ("train", &["core", "games", "search", "net", "learn", "dev:eval"]),
    ("session", &["core", "games", "search", "eval", "players"]),
    ("protocol", &["core", "games", "search", "session", "dev:lab"]),
    ("lab", &["core", "statistics", "games", "search", "session", "protocol", "dev:players"]),
    ("page", &["core", "games", "search", "session"]),
    ("studio", &["core", "session", "lab", "page"]),
    (
        "yomi",
        &["core", "games", "search", "eval", "net", "learn", "train", "session", "protocol", "lab", "page", "studio"],
    ),
];

/// Files that may switch a lint off, and why. Everything else in `crates/*/src` obeys all of them.
const EXCEPTIONS: &[(&str, &str)] = &[
    ("clippy::disallowed_methods", "crates/core/src/clock.rs"), // the one file that reads a clock
    ("unsafe_code", "crates/net/src/cpu/dispatch.rs"),          // calls functions for a vector unit that was detected
    ("unsafe_code", "crates/net/src/cuda/driver.rs"),           // calls the driver of a GPU, a C library
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The short name of a package of ours; none for one of others.
fn short(name: &str) -> Option<&str> {
    if name == "yomi" { Some(name) } else { name.strip_prefix("yomi-") }
}

/// The edges that the manifests declare.
fn declared_edges() -> BTreeMap<String, BTreeSet<String>> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["metadata", "--no-deps", "--offline", "--format-version", "1"]).current_dir(root());
    let output = cargo.output().expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let mut edges = BTreeMap::new();
    for package in metadata["packages"].as_array().expect("packages") {
        let to = package["dependencies"].as_array().expect("dependencies").iter().filter_map(|dependency| {
            let name = short(dependency["name"].as_str()?)?;
            Some(if dependency["kind"] == "dev" { format!("dev:{name}") } else { name.to_string() })
        });
        edges.insert(short(package["name"].as_str().unwrap()).expect("a package of ours").to_string(), to.collect());
    }
    edges
}

#[test]
fn crates_depend_only_on_those_below() {
    let allowed: BTreeMap<String, BTreeSet<String>> =
        EDGES.iter().map(|(from, to)| (from.to_string(), to.iter().map(ToString::to_string).collect())).collect();
    let declared = declared_edges();
    for (from, to) in &declared {
        let allowed = allowed.get(from).unwrap_or_else(|| panic!("{from} is a new crate: say above what it may use"));
        let new: Vec<&String> = to.difference(allowed).collect();
        assert!(new.is_empty(), "{from} may not use {new:?}: see the list above");
        let gone: Vec<&String> = allowed.difference(to).collect();
        assert!(gone.is_empty(), "{from} does not use {gone:?} any more: take them out of the list above");
    }
    assert_eq!(declared.len(), allowed.len(), "the list names crates that are gone");
    // A crate that is used stands above in the list: there is no cycle.
    let place = |name: &str| EDGES.iter().position(|(other, _)| *other == name).expect("listed");
    for (from, to) in EDGES {
        let normal = to.iter().filter(|to| !to.starts_with("dev:"));
        assert!(normal.into_iter().all(|to| place(to) < place(from)), "{from}");
    }
}

/// The files below a folder with this ending.
fn files(folder: &Path, ending: &str, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        if entry.is_dir() {
            files(&entry, ending, found);
        } else if entry.extension().is_some_and(|other| other == ending) {
            found.push(entry);
        }
    }
}

/// The path of a file from the root.
fn path_from_root(path: &Path) -> String {
    path.strip_prefix(root()).expect("a file of ours").to_str().expect("UTF-8").replace('\\', "/")
}

/// The sources of all libraries: paths from the root and texts.
fn library_sources() -> Vec<(String, String)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(root().join("crates")).expect("crates") {
        files(&entry.expect("an entry").path().join("src"), "rs", &mut found);
    }
    let mut all: Vec<(String, String)> =
        found.iter().map(|path| (path_from_root(path), std::fs::read_to_string(path).expect("UTF-8"))).collect();
    all.sort();
    assert!(all.len() > 200, "only {} files were found", all.len());
    all
}

#[test]
fn lints_are_switched_off_only_where_the_list_says() {
    let lints =
        ["clippy::disallowed_methods", "clippy::disallowed_types", "unsafe_code", "clippy::exit", "clippy::print_"];
    let mut used = BTreeSet::new();
    for (file, text) in library_sources() {
        // Tests may do what they like.
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for lint in lints {
            let allowed = code
                .lines()
                .filter(|line| line.contains("allow(") || line.contains("expect("))
                .any(|line| line.contains(lint));
            if allowed {
                assert!(EXCEPTIONS.contains(&(lint, file.as_str())), "{file} may not switch off {lint}");
                used.insert((lint, file.clone()));
            }
        }
    }
    assert_eq!(used.len(), EXCEPTIONS.len(), "the list names exceptions that are gone: {used:?}");
}

#[test]
fn every_crate_obeys_the_lints() {
    for entry in std::fs::read_dir(root().join("crates")).expect("crates") {
        let manifest = entry.expect("an entry").path().join("Cargo.toml");
        let text = std::fs::read_to_string(&manifest).expect("a manifest");
        let lints = text.parse::<toml::Table>().expect("TOML").remove("lints").expect("lints");
        // A crate with exceptions copies the list, and the test above knows them; it still denies what others forbid.
        let own = || lints["rust"]["unsafe_code"].as_str() == Some("deny") && lints["clippy"]["print_stdout"].is_str();
        let shared = lints.get("workspace").and_then(toml::Value::as_bool) == Some(true);
        assert!(shared || own(), "{}: lints.workspace = true", manifest.display());
    }
    let workspace: toml::Table = std::fs::read_to_string(root().join("Cargo.toml")).unwrap().parse().expect("TOML");
    let lints = &workspace["workspace"]["lints"];
    assert_eq!(lints["rust"]["unsafe_code"].as_str(), Some("forbid"));
    for lint in ["print_stdout", "print_stderr", "exit", "dbg_macro", "todo"] {
        assert!(lints["clippy"][lint].is_str(), "{lint} is no lint any more");
    }
}

/// What reads a clock, waits by one, or sets a limit by one. No time at all is a limit of no clock.
const CLOCKS: &[&str] = &[
    "Instant::",
    "SystemTime::",
    "Stopwatch::start",
    ".elapsed()",
    ".busy()",
    "process_cpu",
    "unix_seconds",
    "sleep(",
    "recv_timeout",
    "wait_timeout",
    "park_timeout",
    "read_timeout",
    "Limits::time(",
    ".patience.",
    "Wait::new(",
    "time.time(",
    "monotonic(",
    "perf_counter(",
];

/// No test measures time. Where test code has to do with a clock, and why that decides nothing: reasons, with files and what they use.
const CLOCKS_IN_TESTS: &[(&str, &[(&str, &str)])] = &[
    (
        "a test that hangs fails in the end",
        &[
            ("crates/protocol/tests/suite/common.rs", "recv_timeout"),
            ("crates/protocol/tests/suite/common.rs", "wait_timeout"),
            ("crates/protocol/tests/suite/csa.rs", "read_timeout"),
            ("crates/protocol/tests/suite/dialogue.rs", ".patience."),
            ("crates/protocol/tests/suite/guard.rs", "Wait::new("),
            ("crates/protocol/tests/suite/liveness.rs", "recv_timeout"),
            ("crates/studio/tests/common/mod.rs", "read_timeout"),
            ("tests/suite/liveness.rs", "recv_timeout"),
            ("tests/suite/transcripts.rs", "recv_timeout"),
        ],
    ),
    (
        "another process is asked again and again, far longer than it needs",
        &[("tests/suite/common.rs", "sleep("), ("python/tests/test_ray.py", "sleep(")],
    ),
    (
        "a program that never answers, and the limit that ends it",
        &[
            ("crates/protocol/fake/main.rs", "sleep("),
            ("crates/protocol/tests/suite/fakes.rs", ".patience."),
            ("crates/protocol/tests/suite/referee.rs", ".patience."),
            ("python/tests/bad_worker.py", "sleep("),
        ],
    ),
    (
        "how long an answer is doubted: the engine's next line ends it long before",
        &[("crates/protocol/tests/suite/stale_answers.rs", ".patience.")],
    ),
    (
        "the search reads a stopwatch that counts its readings",
        &[
            ("crates/players/src/bounds.rs", "Limits::time("),
            ("crates/search/src/flat.rs", "Limits::time("),
            ("crates/search/tests/suite/alpha_beta/limits.rs", "Limits::time("),
            ("crates/search/tests/suite/tree_search/limits.rs", "Limits::time("),
        ],
    ),
    (
        "a search that counts how often it asks whether to stop, and rests in between",
        &[("crates/protocol/tests/suite/common.rs", "sleep(")],
    ),
    (
        "an hour, for a search that is stopped",
        &[
            ("crates/protocol/tests/suite/gtp_server.rs", "Limits::time("),
            ("crates/protocol/tests/suite/liveness.rs", "Limits::time("),
        ],
    ),
    (
        "a number that is read from a text",
        &[("crates/lab/src/players/program.rs", ".patience."), ("crates/protocol/src/client/launch.rs", ".patience.")],
    ),
];

fn is_for_tests(line: &str) -> bool {
    ["#[cfg(test)]", "#[cfg(all(test"].iter().any(|start| line.trim_start().starts_with(start))
}

/// The name in `mod name;`.
fn module_elsewhere(line: &str) -> Option<&str> {
    line.split_once("mod ").and_then(|(_, name)| name.strip_suffix(';'))
}

/// The part of a source that is compiled for tests only; where it is not the end of the file, more than that.
fn test_part(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let here = |pair: &[&str]| is_for_tests(pair[0]) && module_elsewhere(pair[1]).is_none();
    lines.windows(2).position(here).map_or(String::new(), |start| lines[start..].join("\n"))
}

/// The files of modules that a source declares for tests only.
fn modules_for_tests(path: &Path, text: &str) -> Vec<PathBuf> {
    let stem = path.file_stem().and_then(|stem| stem.to_str()).expect("UTF-8");
    let folder = if ["lib", "main", "mod"].contains(&stem) { path.with_file_name("") } else { path.with_extension("") };
    let lines: Vec<&str> = text.lines().collect();
    let declared = lines.windows(2).filter(|pair| is_for_tests(pair[0])).filter_map(|pair| module_elsewhere(pair[1]));
    declared.flat_map(|name| [folder.join(format!("{name}.rs")), folder.join(name).join("mod.rs")]).collect()
}

/// All test code: files of tests and of the programs that they talk to, Python's, and what sources have for tests only.
fn test_code() -> Vec<(String, String)> {
    let read = |path: &Path| std::fs::read_to_string(path).expect("UTF-8");
    let (mut tests, mut code) = (Vec::new(), Vec::new());
    files(&root().join("tests"), "rs", &mut tests);
    files(&root().join("python/tests"), "py", &mut tests);
    files(&root().join("src"), "rs", &mut code);
    for entry in std::fs::read_dir(root().join("crates")).expect("crates") {
        let entry = entry.expect("an entry").path();
        files(&entry.join("src"), "rs", &mut code);
        for folder in ["tests", "fake"].map(|name| entry.join(name)).into_iter().filter(|folder| folder.is_dir()) {
            files(&folder, "rs", &mut tests);
        }
    }
    let apart: Vec<PathBuf> = code.iter().flat_map(|path| modules_for_tests(path, &read(path))).collect();
    let (apart, code): (Vec<PathBuf>, Vec<PathBuf>) = code.into_iter().partition(|path| apart.contains(path));
    assert!(apart.len() > 3, "modules for tests have files of their own: {apart:?}");
    let whole = tests.iter().chain(&apart).map(|path| (path_from_root(path), read(path)));
    whole.chain(code.iter().map(|path| (path_from_root(path), test_part(&read(path))))).collect()
}

/// Tests look at no clock: they count work, wait for what happens, or use a stopwatch that counts its readings.
#[test]
fn tests_look_at_no_clock() {
    let listed: BTreeSet<(&str, &str)> = CLOCKS_IN_TESTS.iter().flat_map(|(_, uses)| uses.iter().copied()).collect();
    let mut used = BTreeSet::new();
    let test_code = test_code();
    for (file, text) in test_code.iter().filter(|(file, _)| file != "tests/suite/architecture.rs") {
        let text = text.replace("Limits::time(Duration::ZERO)", "");
        for &clock in CLOCKS.iter().filter(|&&clock| text.contains(clock)) {
            assert!(
                listed.contains(&(file.as_str(), clock)),
                "{file} has to do with a clock: {clock}; see the list above"
            );
            used.insert((file.as_str(), clock));
        }
    }
    let gone: Vec<_> = listed.difference(&used).collect();
    assert!(gone.is_empty(), "no clock is left here: take {gone:?} out of the list above");
}

/// There is no undo: positions are cloned and played forward.
#[test]
fn no_game_takes_moves_back() {
    for (file, text) in library_sources() {
        if file.starts_with("crates/core/") || file.starts_with("crates/games/") {
            for name in ["fn undo", "fn unmake", "fn take_back", "fn unplay"] {
                assert!(!text.contains(name), "{file}: {name}");
            }
        }
    }
}

/// What a program begins with when it uses a library, beside the library's own first page.
const ENTRY_POINTS: &[(&str, &str)] = &[
    ("crates/core/src/evaluator.rs", "pub trait Evaluator"),
    ("crates/games/src/list.rs", "macro_rules! with_game"),
    ("crates/lab/src/runner.rs", "pub fn run"),
    ("crates/learn/src/run/mod.rs", "pub fn open"),
    ("crates/page/src/lines.rs", "pub fn serve_lines"),
    ("crates/protocol/src/server/gtp/mod.rs", "pub fn serve"),
    ("crates/protocol/src/server/usi/mod.rs", "pub fn serve"),
    ("crates/search/src/tree_search/pool.rs", "pub struct Pool"),
    ("crates/session/src/game_session.rs", "pub fn open"),
    ("crates/session/src/records.rs", "pub fn read_all"),
];

/// Whether the comment right before this item has an example that is run.
fn has_example(text: &str, item: &str) -> bool {
    let lines: Vec<&str> = text.lines().collect();
    let whole =
        |line: &&str| line.strip_prefix(item).is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()));
    let Some(at) = lines.iter().position(|line| whole(&line.trim_start())) else { return false };
    let above = lines[..at].iter().rev().take_while(|line| ["///", "#["].iter().any(|start| line.starts_with(start)));
    above.into_iter().filter(|line| **line == "/// ```").count() >= 2
}

/// Every library shows at its entrance how it is used, by an example that runs, and so do the entry points of its parts. The Python package
/// has its own tests.
#[test]
fn every_entry_point_has_an_example_that_runs() {
    for (file, text) in library_sources() {
        if file.ends_with("/src/lib.rs") && file != "crates/python/src/lib.rs" {
            assert!(text.lines().any(|line| line == "//! ```"), "{file} has no example");
        }
    }
    assert!(has_example("/// One.\n///\n/// ```\n/// run();\n/// ```\npub fn run() {}", "pub fn run"));
    assert!(!has_example("/// ```\n/// ```\npub fn other() {}\n/// One.\npub fn run() {}", "pub fn run"));
    for (file, item) in ENTRY_POINTS {
        let text = std::fs::read_to_string(root().join(file)).expect("a source");
        assert!(has_example(&text, item), "{file}: {item} has no example");
    }
}

/// What all front ends share is defined once: the list of games and its macro, the reader of a player's text, the merging of budgets, the
/// stopping rule, a line of moves as text, and each macro that goes over the list.
#[test]
fn the_vocabulary_is_defined_once() {
    let mut sources = library_sources();
    let mut program = Vec::new();
    files(&root().join("src"), "rs", &mut program);
    sources.extend(program.iter().map(|path| (path.display().to_string(), std::fs::read_to_string(path).unwrap())));
    let defined = |what: &str| -> Vec<&str> {
        let whole = |text: &str| text.split(what).skip(1).any(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()));
        sources.iter().filter(|(_, text)| whole(text)).map(|(file, _)| file.as_str()).collect()
    };
    for (what, file) in [
        ("macro_rules! for_each_game", "crates/games/src/list.rs"),
        ("macro_rules! with_game", "crates/games/src/list.rs"),
        ("macro_rules! with_known_game", "crates/games/src/list.rs"),
        ("macro_rules! with_shogi", "crates/games/src/list.rs"),
        ("macro_rules! playable", "crates/players/src/lib.rs"),
        ("impl FromStr for Player", "crates/session/src/player/mod.rs"),
        ("fn completed_by", "crates/session/src/budget.rs"),
        ("struct Paced", "crates/search/src/time.rs"),
        ("pub fn variation", "crates/games/src/game.rs"),
    ] {
        assert_eq!(defined(what), [file], "{what}");
    }
}

/// The types of the games of the list, with their other names.
const GAMES: &[&[&str]] = &[
    &["Shogi9", "Nine"],
    &["Minishogi", "Five"],
    &["Go9"],
    &["Go13"],
    &["Go19"],
    &["BlokusDuo"],
    &["Othello"],
    &["TicTacToe"],
    &["ConnectFour"],
    &["Nim"],
];

/// Files beside the list that know the types of several games, and why.
const SEVERAL_GAMES: &[(&str, &str)] = &[
    ("crates/net/src/input/layout.rs", "the layouts of networks are called as their games are"),
    ("crates/net/src/input/shogi.rs", "tables of the input for either board"),
    ("crates/net/src/sample.rs", "positions to measure networks with, by their layouts"),
    ("crates/train/src/game.rs", "an implementation for each game that networks learn"),
    ("crates/protocol/src/server/gtp/mod.rs", "GTP is about Go, on boards of three types, and Blokus Duo"),
    ("crates/protocol/src/server/gtp/players.rs", "the engines of its boards"),
    (
        "crates/protocol/src/server/analysis/mod.rs",
        "KataGo's protocol is about Go: each question names the size of its board",
    ),
    ("src/commands/learn_go.rs", "one model of moves is learned from games on boards of every size"),
    ("src/commands/learn/compare.rs", "the regression, one of the rivals, is of shogi and minishogi"),
];

/// The code of a source: no comments, no strings, nothing that is for tests only.
fn code_of(text: &str) -> String {
    let lines = text.lines().count() - test_part(text).lines().count();
    let code = text.lines().take(lines).map(|line| line.split("//").next().unwrap_or_default());
    let unquoted = code.map(|line| line.split('"').step_by(2).collect::<Vec<_>>().join("\"\""));
    unquoted.collect::<Vec<_>>().join("\n")
}

/// How many games of the list this code names by their types.
fn games_named(code: &str) -> usize {
    // Variants of enums that are called as games are.
    let code = ["Layout::", "AnyRecord::"].iter().fold(code.to_string(), |code, variant| code.replace(variant, "_"));
    let words: BTreeSet<&str> = code.split(|c: char| !(c.is_alphanumeric() || c == '_')).collect();
    GAMES.iter().filter(|names| names.iter().any(|name| words.contains(name))).count()
}

/// Names of games become types in the list alone: code that chose among types elsewhere would name more than one of them.
#[test]
fn the_name_of_a_game_becomes_a_type_in_the_list() {
    assert_eq!(games_named("match name { _ => read::<Five>(line), _ => read::<shogi::Nine>(line) }"), 2);
    assert_eq!(games_named("Layout::Minishogi | Layout::BlokusDuo => Shogi9::default()"), 1);
    assert_eq!(code_of("let a = \"Go9\"; // Go13\n#[cfg(test)]\nmod tests { use Go19; }\n").trim(), "let a = \"\";");
    let mut files_of_program = Vec::new();
    files(&root().join("src"), "rs", &mut files_of_program);
    let read = |path: &PathBuf| (path_from_root(path), std::fs::read_to_string(path).expect("UTF-8"));
    let sources: Vec<_> = library_sources().into_iter().chain(files_of_program.iter().map(read)).collect();
    let for_tests: Vec<String> = sources
        .iter()
        .flat_map(|(file, text)| modules_for_tests(&root().join(file), text))
        .map(|path| path_from_root(&path))
        .collect();
    let naming: BTreeSet<&str> = sources
        .iter()
        .filter(|(file, _)| !["crates/core/", "crates/games/"].iter().any(|start| file.starts_with(start)))
        .filter(|(file, text)| !for_tests.contains(file) && games_named(&code_of(text)) > 1)
        .map(|(file, _)| file.as_str())
        .collect();
    let listed: BTreeSet<&str> = SEVERAL_GAMES.iter().map(|(file, _)| *file).collect();
    let new: Vec<_> = naming.difference(&listed).collect();
    assert!(new.is_empty(), "{new:?}: use with_game! over the list of games, or say above why not");
    let gone: Vec<_> = listed.difference(&naming).collect();
    assert!(gone.is_empty(), "take {gone:?} out of the list above");
}

/// Evaluators that ask another one, and the test that they hand questions and answers on. One without such a test stands in the list below.
const DECORATORS: &[(&str, &str)] = &[
    ("$pointer", "crates/search/tests/suite/decorators.rs"),
    ("AnyEvaluator", "crates/search/tests/suite/decorators.rs"),
    ("DynamicKomi", "crates/search/tests/suite/decorators.rs"),
    ("Guided", "crates/search/tests/suite/decorators.rs"),
    ("Quiet", "crates/search/tests/suite/decorators.rs"),
    ("WinInOne", "crates/search/tests/suite/decorators.rs"),
    ("Audible", "crates/players/src/forecast/playouts.rs"),
    ("Live", "crates/train/src/noise.rs"),
    ("Noisy", "crates/train/src/noise.rs"),
];

/// Evaluators that ask another one and need not answer all that is wanted, and why.
const ASKING_FOR_THEMSELVES: &[(&str, &str)] =
    &[("Onlooker", "an experiment looks at the playouts behind values, and at nothing else")];

/// The implementations of `Evaluator` in a source that ask another evaluator: the names of their types.
fn asking_evaluators(text: &str) -> Vec<String> {
    let code = code_of(text);
    let mut found = Vec::new();
    for (start, _) in code.match_indices("impl<").chain(code.match_indices("impl ")) {
        let rest = &code[start + "impl".len()..];
        let Some((header, body)) = rest.split_once('{') else { continue };
        // The parameters of the implementation, and what is behind them.
        let mut depth = 0;
        let end = header.find(|c: char| {
            depth += i32::from(c == '<') - i32::from(c == '>');
            depth == 0
        });
        let (parameters, header) = header.split_at(end.unwrap_or(0));
        let header = header.trim_start_matches('>').trim_start();
        let Some((_, of)) = header.split_once(" for ").filter(|_| header.starts_with("Evaluator<")) else { continue };
        let mut depth = 1;
        let end = body.find(|c: char| {
            depth += i32::from(c == '{') - i32::from(c == '}');
            depth == 0
        });
        let body = &body[..end.unwrap_or(body.len())];
        // Its own methods and those of its own working memory ask no other.
        let calls = |call: &str, of: &str| body.matches(format!("{of}{call}").as_str()).count();
        let asks = parameters.contains(": Evaluator<")
            || [".judge(", ".judge_all(", ".submit_all("]
                .iter()
                .any(|call| calls(call, "") > calls(call, "self") + calls(call, "scratch"));
        if asks {
            let name = of.trim_start().split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')).next();
            found.push(name.unwrap_or_default().to_string());
        }
    }
    found
}

/// A decorator cannot drop what was wanted: every evaluator that asks another one is tested, or says why not.
#[test]
fn every_decorator_is_tested() {
    let example = "impl<P: Position, E: Evaluator<P>> Evaluator<P> for Loud<E> { fn judge(&self) { self.0.judge(); } }\n\
        impl Evaluator<Nim> for Leaf { fn judge(&self) { self.judge_all() } }\n\
        impl<E: Evaluator<Nim>> Search<Nim> for Greedy<E> { fn search(&self) { self.0.judge(); } }";
    assert_eq!(asking_evaluators(example), ["Loud"]);
    let mut found: Vec<String> = library_sources().iter().flat_map(|(_, text)| asking_evaluators(text)).collect();
    found.sort();
    let mut listed: Vec<&str> = DECORATORS.iter().chain(ASKING_FOR_THEMSELVES).map(|(name, _)| *name).collect();
    listed.sort_unstable();
    assert_eq!(found, listed, "list every evaluator that asks another one, and test it");
    for (name, file) in DECORATORS {
        let text = std::fs::read_to_string(root().join(file)).expect("a test");
        let tests = if file.contains("/tests/") { text } else { test_part(&text) };
        let made = if *name == "$pointer" {
            "Arc::new("
        } else if *name == "Audible" {
            "Playouts::of("
        } else {
            &format!("{name}::new(")
        };
        assert!(tests.contains(made), "{file} tests no {name}: {made}");
    }
}

/// A game is its folder and a line of the list. Othello shows it: the only other line that names it makes the folder a module.
#[test]
fn a_game_is_its_folder_and_a_line() {
    let mut sources = library_sources();
    let mut program = Vec::new();
    files(&root().join("src"), "rs", &mut program);
    sources.extend(program.iter().map(|path| (path_from_root(path), std::fs::read_to_string(path).unwrap())));
    let outside = sources.iter().filter(|(file, _)| !file.starts_with("crates/games/src/othello/"));
    let named: Vec<(&str, &str)> = outside
        .flat_map(|(file, text)| text.lines().map(move |line| (file.as_str(), line.trim())))
        .filter(|(_, line)| line.to_lowercase().contains("othello"))
        .collect();
    let list = "$crate::othello::Othello, playouts, [\"othello\"], \"Othello on eight by eight squares\";";
    assert_eq!(named, [("crates/games/src/lib.rs", "pub mod othello;"), ("crates/games/src/list.rs", list)]);
}
