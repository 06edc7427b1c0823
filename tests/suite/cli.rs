//! The program as a person uses it: what it prints, how it fails.

use std::process::{Command, Output};

fn yomi(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_yomi")).args(args).output().expect("the program starts")
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

/// Standard error of a command that fails, with the exit code it should have.
fn fails(args: &[&str], code: i32) -> String {
    let output = yomi(args);
    assert_eq!(output.status.code(), Some(code), "{args:?}: {}", text(&output.stdout));
    assert_eq!(text(&output.stdout), "", "{args:?} prints nothing on failure");
    text(&output.stderr)
}

#[test]
fn perft_prints_the_total_last() {
    let out = prints(&["perft", "--game", "connect-four", "--depth", "3"]);
    assert_eq!(out.lines().last(), Some("343"));
    let out = prints(&["perft", "--game", "tic-tac-toe", "--moves", "5 1", "--depth", "2", "--divide"]);
    assert_eq!(out.lines().count(), 8);
    assert_eq!(out.lines().last(), Some("42"));
    assert_eq!(prints(&["perft", "--game", "nim", "--depth", "0"]), "1\n");
    for (game, depth, total) in
        [("shogi", "3", "25470"), ("minishogi", "4", "35401"), ("go5", "2", "651"), ("blokus-duo", "1", "414")]
    {
        assert_eq!(prints(&["perft", "--game", game, "--depth", depth]).lines().last(), Some(total), "{game}");
    }
    // The triple ko distinguishes the rules, and only with the past in view.
    let position = ".w.bw/wbbbw/w.bww/bbbw./wwww. b";
    let perft = |game| prints(&["perft", "--game", game, "--position", position, "--depth", "4", "--history"]);
    assert_eq!(perft("go5(ko=positional,suicide=true)"), "925\n");
    assert_ne!(perft("go5(ko=simple,suicide=true)"), "925\n");
}

#[test]
fn errors_say_what_and_where() {
    let error = fails(&["perft", "--game", "chess", "--depth", "1"], 1);
    assert!(error.starts_with("yomi: chess is not a game"), "{error}");
    let error = fails(&["show", "--game", "nim(pile=many)"], 1);
    assert!(error.contains("many is not a whole number"), "{error}");
    let error = fails(&["show", "--game", "nim(pool=3)"], 1);
    assert!(error.contains("nim has no parameter called pool"), "{error}");
    let error = fails(&["show", "--game", "tic-tac-toe", "--moves", "5 5"], 1);
    assert!(error.contains("--moves, move 2"), "{error}");
    fails(&["show", "--game", "nim(("], 2);
    fails(&["perft", "--game", "nim"], 2);
}

#[test]
fn json_is_one_object_a_line() {
    let runs: [&[&str]; 6] = [
        &["games", "--json"],
        &["perft", "--game", "nim", "--depth", "3", "--json", "--divide"],
        &["show", "--game", "connect-four", "--json"],
        &["sample", "--game", "nim"],
        &["methods", "--json"],
        &["analyze", "--game", "nim", "--player", "mcss(t=0.3)", "--sims", "50", "--json"],
    ];
    for args in runs {
        for line in prints(args).lines() {
            let value: serde_json::Value =
                serde_json::from_str(line).unwrap_or_else(|e| panic!("{args:?}: {e}: {line}"));
            assert!(value["type"].is_string(), "{line}");
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_games() {
    let run = |seed| prints(&["sample", "--game", "connect-four", "--games", "3", "--seed", seed]);
    assert_eq!(run("5"), run("5"));
    assert_ne!(run("5"), run("6"));
}

#[test]
fn every_game_can_be_shown() {
    for game in ["shogi", "minishogi", "go2", "go9", "go13", "go19", "blokus-duo", "tic-tac-toe", "connect-four", "nim"]
    {
        let text = prints(&["show", "--game", game]);
        assert!(text.contains("legal moves"), "{text}");
        assert!(!text.contains('\u{1b}'), "no escape codes for a pipe: {text}");
        let ascii = prints(&["show", "--game", game, "--ascii"]);
        assert!(ascii.is_ascii(), "{ascii}");
        let svg = prints(&["show", "--game", game, "--svg", "-"]);
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"), "{svg}");
    }
}

#[test]
fn records_go_round_through_every_format() {
    let folder = std::env::temp_dir().join(format!("yomi-cli-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = |name: &str| folder.join(name).to_str().expect("UTF-8").to_string();
    let usi = "startpos moves 7g7f 3c3d 8h2b+ 3a2b B*5e\n";
    std::fs::write(path("a.usi"), usi).expect("written");
    for (from, to) in
        [("a.usi", "b.kif"), ("b.kif", "c.csa"), ("c.csa", "d.ki2"), ("d.ki2", "e.kifu"), ("e.kifu", "f.usi")]
    {
        prints(&["convert", &path(from), &path(to)]);
    }
    assert_eq!(std::fs::read_to_string(path("f.usi")).expect("read"), usi);
    let sgf = "(;GM[1]FF[4]SZ[9]KM[6.5]RU[Chinese];B[ee];W[cc](;B[gg])(;B[gc]C[better]))";
    std::fs::write(path("a.sgf"), sgf).expect("written");
    prints(&["convert", &path("a.sgf"), &path("b.sgf")]);
    assert!(std::fs::read_to_string(path("b.sgf")).expect("read").contains("C[better]"));
    std::fs::write(path("noise.kif"), [b"\xff\x00(;".as_slice(); 1000].concat()).expect("written");
    let error = fails(&["convert", &path("noise.kif"), &path("never.csa")], 1);
    assert!(error.contains("noise.kif") && !std::path::Path::new(&path("never.csa")).exists(), "{error}");
    let error = fails(&["convert", &path("a.sgf"), &path("never.csa")], 1);
    assert!(error.contains("go9"), "{error}");
    std::fs::remove_dir_all(&folder).expect("removed");
}

#[test]
fn an_analysis_can_be_saved_and_explored() {
    let folder = std::env::temp_dir().join(format!("yomi-tree-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = |name: &str| folder.join(name).to_str().expect("UTF-8").to_string();
    let (tree, svg) = (path("a.tree"), path("a.svg"));
    let analysis = ["analyze", "--game", "minishogi", "--moves", "2e3d", "--player", "mcss(t=80) + material"];
    let saved = ["--sims", "300", "--threads", "2", "--multipv", "3", "--tree", &tree, "--depth-profile", &svg];
    let out = prints(&[&analysis[..], &saved].concat());
    assert!(out.contains("300 simulations") && out.contains("nodes at depth 0, 1, …: 1 "), "{out}");
    assert!(std::fs::read_to_string(&svg).expect("read").contains("mcss(t=80,threads=2) + material, 300 simulations"));

    // The root, a child and its children: visits of the whole are those of its parts.
    let look = |more: &[&str]| -> serde_json::Value {
        let args = [&["tree", &tree, "--verify", "--json", "--top", "1000"], more].concat();
        serde_json::from_str(&prints(&args)).expect("JSON")
    };
    let root = look(&["--depth", "2"]);
    let below = root["below"].as_array().expect("children");
    assert_eq!((root["visits"].as_u64(), root["children"].as_u64()), (Some(300), Some(below.len() as u64)));
    let visits = |row: &serde_json::Value| row["visits"].as_u64().expect("visits");
    assert_eq!(below.iter().map(visits).sum::<u64>(), 299, "the first sample stops at the root");
    let first = below[0]["move"].as_str().expect("a move");
    assert_eq!(look(&["--moves", first])["below"].as_array().map(Vec::len), below[0]["below"].as_array().map(Vec::len));
    let out = prints(&["tree", &tree, "--top", "2", "--depth", "2"]);
    assert_eq!(out.lines().count(), 3 + 2 + 2 * 3, "{out}");

    assert!(fails(&["tree", &tree, "--moves", &format!("{first} 9i9h")], 1).contains("--moves, move 2"));
    assert!(fails(&["tree", &svg], 1).contains("this is no tree"));
    let none = path("none.tree");
    for player in ["alpha-beta", "flat(n=1)", "greedy", "random"] {
        let error = fails(&["analyze", "--game", "nim", "--player", player, "--depth", "2", "--tree", &none], 1);
        assert!(error.contains("keeps no tree"), "{error}");
        assert!(!std::path::Path::new(&none).exists());
    }
    std::fs::remove_dir_all(&folder).expect("removed");
}

#[test]
fn analyses_keep_to_a_clock_and_name_what_is_wrong() {
    let out = prints(&["analyze", "--game", "go9", "--player", "uct(hash=64)", "--byoyomi", "0.2"]);
    assert!(out.contains("best "), "{out}");
    let analyze = |more: &[&str]| fails(&[&["analyze", "--game", "connect-four"], more].concat(), 1);
    assert!(analyze(&["--player", "random", "--threads", "2"]).contains("random has no parameter called threads"));
    assert!(analyze(&["--player", "uct", "--threads", "0"]).contains("threads is 1 to 1024"));
    assert!(analyze(&["--player", "uct", "--left=-1"]).contains("-1 is no time in seconds"));
    assert!(analyze(&["--player", "uct(c=1e300)"]).contains("at character 7"));
    assert!(analyze(&["--player", "uzt"]).contains("uzt is not a search"));
    assert!(analyze(&["--player", "uct + linear(x)"]).contains("is not an evaluation"));
    let out = prints(&["analyze", "--game", "nim(pile=1)", "--moves", "1", "--player", "uct", "--sims", "1"]);
    assert_eq!(out, "the game is over\n");
}

#[test]
fn every_search_is_described() {
    let all = prints(&["methods"]);
    for name in ["mcss", "dents", "alpha-beta", "flat", "boltzmann", "growth", "sparsemax", "virtual-loss"] {
        assert!(all.contains(name), "{name} in {all}");
    }
    assert!(prints(&["methods", "alpha-beta"]).contains("aspiration="));
    assert!(fails(&["methods", "chess"], 1).contains("chess is not a search"));
}
