//! What all commands have in common: helpful errors, printed once, numbers that agree with their nouns, a version, completions, manuals.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

fn yomi(args: &[&str]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_yomi"));
    program.args(args).stdin(Stdio::null()).output().expect("the program starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

/// Standard output of a command that succeeds.
fn prints(args: &[&str]) -> String {
    let output = yomi(args);
    assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// Standard error of a command that fails.
fn fails(args: &[&str]) -> String {
    let output = yomi(args);
    assert!(!output.status.success(), "{args:?}: {}", text(&output.stdout));
    text(&output.stderr)
}

/// An empty directory of a test's own.
fn directory(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("words-{name}"));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("a directory");
    path
}

/// The commands that `yomi --help` lists.
fn commands() -> Vec<String> {
    let help = prints(&["--help"]);
    let list = help.split("Commands:\n").nth(1).and_then(|rest| rest.split("\n\n").next()).expect("a list");
    let names = list.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    names.filter_map(|line| line.split_whitespace().next()).map(str::to_string).filter(|name| name != "help").collect()
}

#[test]
fn typing_errors_are_understood() {
    let cases: &[(&[&str], &str, &str)] = &[
        (
            &["show", "--game", "minishgi"],
            "minishgi is not a game; did you mean minishogi?",
            "there are shogi, minishogi",
        ),
        (&["show", "--game", "go20"], "go20 is not a game (at", "go19"),
        (&["show", "--game", "go9(kommi=6)"], "no parameter called kommi; did you mean komi?", "[7.5"),
        (&["show", "--game", "go9(ko=positonal)"], "did you mean positional?", ""),
        (&["show", "--game", "go9(rules=japanse)"], "japanse is not a rule set; did you mean japanese?", "chinese"),
        (&["analyze", "--game", "go9", "--player", "mcst"], "mcst is not a search; did you mean mcss?", "alpha-beta"),
        (&["analyze", "--game", "go9", "--player", "mcss(thread=2)"], "did you mean threads?", "(mebibytes) [256]"),
        (&["analyze", "--game", "go9", "--player", "flat(m=2)"], "flat has no parameter called m", "[100]"),
        (&["analyze", "--game", "shogi", "--player", "alpha-beta(dept=2)"], "did you mean depth?", "(plies) [128]"),
        (&["analyze", "--game", "shogi", "--player", "mcss + quiet(dept=2)"], "did you mean depth?", "checks"),
        (&["analyze", "--game", "go9", "--player", "tree(select=boltzman)"], "did you mean boltzmann?", "puct"),
        (&["analyze", "--game", "go9", "--player", "tree(select=puct(fpuu=loss))"], "did you mean fpu?", "base="),
        (&["analyze", "--game", "go9", "--player", "uct + rolout"], "did you mean rollout?", "there are go, rollout"),
        (&["analyze", "--game", "go9", "--player", "uct+rolout"], "did you mean rollout?", "there are go, rollout"),
        (&["analyze", "--game", "go9", "--player", "uct + rollout(patern)"], "did you mean patterns?", "lgrf"),
        (&["analyze", "--game", "go9", "--player", "uct sim=5"], "did you mean sims?", ""),
        (&["methods", "uct(q=1)"], "uct has no parameter called q", "[1.5]"),
        (&["methods", "utc(c=1)"], "utc is not a search; did you mean uct?", "there are"),
        (&["methods", "ments-"], "ments- is not a search; did you mean ments?", "uct"),
        (&["bench", "--game", "shgi"], "did you mean shogi?", "there are shogi, minishogi"),
        (&["experiment", "show", "s0-tabel2"], "did you mean s0-table2?", "there are tour"),
        (&["experiment", "run", "toor"], "did you mean tour?", "s0-table1"),
        (&["experimnt", "list"], "similar subcommand exists: 'experiment'", ""),
    ];
    for (args, message, hint) in cases {
        let error = fails(args);
        assert!(error.contains(message) && error.contains(hint), "{args:?}: {error}");
    }
    let strange = fails(&["show", "--game", "chess"]);
    assert!(!strange.contains("did you mean") && strange.contains("blokus-duo"), "{strange}");
    assert!(fails(&["analyze", "--game", "go9", "--player", "random(x=1)"]).contains("random takes no parameters"));
}

/// The parts of an error between colons, the excerpt apart.
fn parts(error: &str) -> Vec<&str> {
    error.lines().next().unwrap_or_default().split(": ").map(str::trim).collect()
}

#[test]
fn every_command_reports_an_error_once() {
    let cases: &[&[&str]] = &[
        &["games", "--jsn"],
        &["show", "--game", "shogi", "--moves", "7g7e"],
        &["analyze", "--game", "nim", "--player", "mcss", "--sims", "2", "--tree", "/nowhere/m.tree"],
        &["tree", "/nowhere/m.tree"],
        &["methods", "chess"],
        &["levels", "--game", "chess"],
        &["perft", "--game", "shogi", "--depth", "1", "--position", "x"],
        &["sample", "--game", "chess"],
        &["convert", "/nowhere/a.kif", "/nowhere/a.csa"],
        &["convert", "/nowhere/a.kif", "/nowhere/a.pdf"],
        &["learn", "regression", "--game", "chess", "--out", "/nowhere/w"],
        &["learn", "--resume", "/nowhere/run"],
        &["bench", "--game", "chess"],
        &["match", "--game", "nim", "mcst", "random", "--sims", "1"],
        &["match", "--resume", "/nowhere/run"],
        &["experiment", "report", "/nowhere/run"],
        &["experiment", "run", "--resume", "/nowhere/run"],
        &["experiment", "show", "chess"],
        &["verify", "/nowhere/run"],
        &["worker", "--jsn"],
        &["plot", "/nowhere/a.jsonl", "--x", "a", "--y", "b", "--svg", "-"],
        &["play", "--game", "chess"],
        &["stats", "binom", "5", "3"],
        &["stats", "pool", "/nowhere/run"],
        &["stats", "ratings", "/nowhere/games.pgn"],
        &["learn-go", "/nowhere/games.sgf"],
        &["learn", "nnue", "--game", "chess", "--out", "/nowhere/w"],
        &["learn-blokus", "--resume", "/nowhere/run"],
        &["usi", "--player", "mcst"],
        &["gtp", "--player", "mcst"],
        &["analysis", "--player", "mcst"],
        &["csa", "localhost:1", "--user", "a", "--password", "b"],
        &["completions", "tcsh"],
        &["man", "/dev/null/man"],
        &["review", "/nowhere/a.kif"],
        &["studio", "--export", "/dev/null/site"],
        &["selfplay", "--game", "chess", "--net", "random", "--out", "/nowhere/s.samples"],
        &["train", "rate", "/nowhere/run"],
        &["tune", "--game", "chess", "mcss(t={1..2})", "--against", "random"],
        &["net", "info", "/nowhere/a.safetensors"],
        &["doctor", "--jsn"],
    ];
    for name in commands() {
        assert!(cases.iter().any(|args| args[0] == name), "yomi {name} has no case here");
    }
    for args in cases {
        let error = fails(args);
        assert!(error.starts_with("yomi: ") || error.starts_with("error: "), "{args:?}: {error}");
        let parts = parts(&error);
        for (i, part) in parts.iter().enumerate() {
            assert!(part.len() < 4 || !parts[..i].contains(part), "{args:?} says {part:?} twice: {error}");
        }
    }
}

/// `1 games`, `1 wins` and the like.
fn wrong_plurals(text: &str) -> Vec<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let singular = ["ms", "is", "was", "has", "loss", "pass"];
    let wrong = |pair: &&[&str]| {
        let noun = pair[1].trim_end_matches(|c: char| !c.is_alphabetic());
        let plain = noun.chars().all(|c| c.is_ascii_lowercase());
        matches!(pair[0].trim_start_matches('('), "1" | "+1")
            && plain
            && noun.ends_with('s')
            && !singular.contains(&noun)
    };
    words.windows(2).filter(wrong).map(|pair| pair.join(" ")).collect()
}

#[test]
fn one_is_singular() {
    assert_eq!(
        wrong_plurals("it was 1 game, (1 wins), 11 games, 1 ms, 1 of 2 games and 1 losses."),
        ["(1 wins),", "1 losses."]
    );
    let directory = directory("plurals");
    let (run, tree) = (directory.join("run"), directory.join("m.tree"));
    let (run, tree) = (run.to_str().expect("UTF-8"), tree.to_str().expect("UTF-8"));
    let commands: &[&[&str]] = &[
        &["games"],
        &["methods"],
        &["show", "--game", "nim(pile=1)"],
        &["analyze", "--game", "nim(pile=1)", "--player", "mcss", "--sims", "1", "--tree", tree],
        &["tree", tree],
        &["tree", tree, "--moves", "1"],
        &["stats", "elo", "1", "1", "1"],
        &["stats", "elo", "1", "0", "0"],
        &["stats", "sprt", "--elo0", "0", "--elo1", "5", "1", "0", "0"],
        &["stats", "power", "--games", "1", "--score", "0.9"],
        &["match", "--game", "nim", "random", "random", "--games", "2", "--out", run],
        &["verify", run, "--sample", "1"],
        &["stats", "pool", run],
        &["experiment", "list"],
        &["experiment", "show", "s0-fig2"],
        &["man", directory.to_str().expect("UTF-8")],
    ];
    for args in commands {
        let output = yomi(args);
        let shown = text(&output.stdout) + &text(&output.stderr);
        assert!(output.status.success(), "{args:?}: {shown}");
        assert_eq!(wrong_plurals(&shown), [""; 0], "{args:?}: {shown}");
    }
    assert!(prints(&["show", "--game", "nim(pile=1)"]).contains("1 legal move\n"));
    assert!(prints(&["stats", "elo", "1", "0", "0"]).starts_with("1 win, 0 draws, 0 losses: 1 game\n"));
}

#[test]
fn saved_trees_tell_their_size() {
    let tree = directory("tree").join("m.tree");
    let path = tree.to_str().expect("UTF-8");
    let output = yomi(&["analyze", "--game", "minishogi", "--player", "mcss", "--sims", "100", "--tree", path]);
    let bytes = fs::metadata(&tree).expect("a tree").len();
    let printed_text = text(&output.stderr);
    assert!(
        printed_text.contains(&format!("{path}: "))
            && printed_text.contains(&format!("nodes, {:.1} MB", bytes as f64 / 1e6)),
        "{printed_text}"
    );
}

#[test]
fn the_version_names_the_commit_and_the_build() {
    let (version, commit) = (env!("CARGO_PKG_VERSION"), env!("YOMI_COMMIT"));
    let short = prints(&["-V"]);
    assert_eq!(short, format!("yomi {version} ({commit})\n"));
    let repository = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    // Git says nothing of a repository that belongs to somebody else.
    let head = Command::new("git").args(["rev-parse", "HEAD"]).current_dir(&repository).output();
    let known = head.is_ok_and(|output| output.status.success());
    if repository.join(".git").exists() && known && std::env::var_os("YOMI_COMMIT").is_none() {
        let (hash, day) = commit.split_once(' ').unwrap_or((commit, ""));
        let hash = hash.trim_end_matches("-dirty");
        assert!(hash.len() >= 10 && hash.chars().all(|c| c.is_ascii_hexdigit()) && day.len() == 10, "{commit}");
    }
    let long = prints(&["--version"]);
    assert!(
        long.starts_with(short.trim_end()) && long.contains("\nrustc ") && long.contains(std::env::consts::ARCH),
        "{long}"
    );
}

#[test]
fn shells_complete_commands_options_and_names() {
    // Not every shell's generator completes the values of options, or arguments without one.
    let cases = [
        ("bash", &["analyze", "--player", "minishogi", "s0-table2", "prior-rave"][..]),
        ("zsh", &["analyze", "--player", "minishogi", "s0-table2", "prior-rave"]),
        ("fish", &["analyze", "player", "minishogi"]),
        ("elvish", &["analyze", "--player"]),
        ("powershell", &["analyze", "--player"]),
    ];
    for (shell, words) in cases {
        let script = prints(&["completions", shell]);
        for word in words {
            assert!(script.contains(word), "{shell} does not know {word}");
        }
    }
    // The shell itself, where there is one, understands its script.
    let script = directory("completions").join("yomi.bash");
    fs::write(&script, prints(&["completions", "bash"])).expect("a file");
    if let Ok(status) = Command::new("bash").arg("-n").arg(&script).status() {
        assert!(status.success());
    }
}

#[test]
fn every_command_has_a_manual_page() {
    let directory = directory("man");
    prints(&["man", directory.to_str().expect("UTF-8")]);
    let page = |name: &str| fs::read_to_string(directory.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
    assert!(page("yomi.1").contains("yomi\\-match(1)"));
    for name in commands() {
        let page = page(&format!("yomi-{name}.1"));
        for section in ["NAME", "SYNOPSIS", "OPTIONS", "EXAMPLES"] {
            assert!(page.contains(&format!(".SH {section}\n")), "yomi-{name}.1 has no {section}");
        }
    }
    assert!(page("yomi-stats-elo.1").contains(".SH OPTIONS"));
}

/// A method may be copied from a player, parameters and all.
#[test]
fn methods_are_found_with_their_parameters() {
    for text in
        ["uct(c=1)", "tree(select=puct,hash=64)", "weakened(uct,visits=1)", "mate-first(mcss,nodes=5)", "level(3)"]
    {
        let name = text.split('(').next().expect("a name");
        assert_eq!(prints(&["methods", text]), prints(&["methods", name]), "{text}");
    }
}
