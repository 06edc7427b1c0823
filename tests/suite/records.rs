//! Record files as other programs meet them: what a match writes, and what `yomi convert` makes of files with several games.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// An empty folder of this test.
fn scratch(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("yomi-records-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn yomi(folder: &Path, args: &[&str]) -> Result<String, String> {
    let output = Command::new(env!("CARGO_BIN_EXE_yomi")).current_dir(folder).args(args).output().expect("it starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Files in a folder, sorted.
fn files(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("a file").file_name());
    let mut names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Whether a text looks like `2026/11/16 20:14:39`, as far as the pattern of digits goes.
fn looks_like(text: &str, pattern: &str) -> bool {
    text.len() == pattern.len()
        && text.chars().zip(pattern.chars()).all(|(c, p)| if p == '9' { c.is_ascii_digit() } else { c == p })
}

#[test]
fn a_match_writes_records_that_other_programs_read() {
    let folder = scratch("match");
    let game = |game: &str, players: [&str; 2]| {
        let options = ["--games", "2", "--move-limit", "12", "--out", game];
        yomi(&folder, &[&["match", "--game", game], &players[..], &options[..]].concat()).expect("a match");
    };
    game("minishogi", ["alpha-beta depth=1", "random"]);
    game("go9", ["uct sims=20", "random"]);

    let kif = read(&folder, "minishogi/records/0.kifu");
    let evaluation = |line: &&str| line.strip_prefix("**評価値=").is_some_and(|score| score.parse::<i32>().is_ok());
    assert!(kif.lines().filter(evaluation).count() >= 4, "{kif}");
    assert!(kif.contains("\n手合割：5五将棋\n") && kif.contains("\n先手：alpha-beta depth=1\n"), "{kif}");
    let date = |text: &str, key: &str, pattern: &str| {
        text.lines().any(|line| line.strip_prefix(key).is_some_and(|date| looks_like(date, pattern)))
    };
    assert!(date(&kif, "開始日時：", "9999/99/99 99:99:99"), "{kif}");
    // Nothing stands behind the last line of the game.
    assert!(
        kif.lines().rev().take_while(|line| !line.starts_with("まで")).all(|line| !line.starts_with('*'))
            || !kif.contains("まで")
    );
    let csa = read(&folder, "minishogi/records/0.csa");
    assert!(date(&csa, "$START_TIME:", "9999/99/99 99:99:99"), "{csa}");
    // The score, and behind it the moves that are expected, if any: `'** 123 -3142SI`.
    let floodgate = |line: &&str| {
        let score = line.strip_prefix("'** ").and_then(|rest| rest.split(' ').next());
        score.is_some_and(|score| score.parse::<i32>().is_ok())
    };
    assert_eq!(csa.lines().filter(floodgate).count(), kif.lines().filter(evaluation).count(), "{csa}");
    // The evaluations survive a change of format.
    yomi(&folder, &["convert", "minishogi/records/0.csa", "again.kifu"]).expect("converted");
    let scores =
        |text: &str| text.lines().filter(|line| line.starts_with("**評価値=")).map(str::to_string).collect::<Vec<_>>();
    assert_eq!(scores(&read(&folder, "again.kifu")), scores(&kif));

    let sgf = read(&folder, "go9/records/0.sgf");
    assert!(sgf.contains("RU[Chinese]KM[7.5]"), "{sgf}");
    let dated = sgf.split_once("DT[").is_some_and(|(_, rest)| looks_like(&rest[..10], "9999-99-99"));
    assert!(dated && sgf.contains("%]") && sgf.contains("SBKV["), "{sgf}");
    fs::remove_dir_all(&folder).expect("removed");
}

#[test]
fn files_of_several_games_are_converted_as_a_whole() {
    let folder = scratch("several");
    let game = |moves: &str| format!("V2.2\nN+A\nN-B\nPI\n+\n{moves}%TORYO\n");
    fs::write(folder.join("two.csa"), format!("{}/\n{}", game("+7776FU\n"), game("+2726FU\n-3334FU\n")))
        .expect("written");
    let convert = |args: &[&str]| yomi(&folder, &[&["convert"], args].concat());

    convert(&["two.csa", "out.kifu"]).expect("converted");
    assert_eq!(files(&folder), ["out-1.kifu", "out-2.kifu", "two.csa"]);
    assert!(read(&folder, "out-1.kifu").contains("１ ７六歩") || read(&folder, "out-1.kifu").contains("1 ７六歩(77)"));
    assert!(read(&folder, "out-2.kifu").contains("2 ３四歩(33)"));
    // Formats that hold several games get one file.
    assert_eq!(
        convert(&["two.csa", "-", "--to", "usi"]).expect("converted"),
        "startpos moves 7g7f\nstartpos moves 2g2f 3c3d\n"
    );
    convert(&["two.csa", "again.csa"]).expect("converted");
    assert_eq!(read(&folder, "again.csa"), read(&folder, "two.csa"));
    convert(&["two.csa", "lines.usi"]).expect("converted");
    convert(&["lines.usi", "third.ki2u"]).expect("converted");
    assert!(folder.join("third-2.ki2u").exists());
    fs::write(folder.join("two.sgf"), "(;GM[1]SZ[9];B[aa])\n(;GM[1]SZ[19];B[bb])").expect("written");
    assert_eq!(convert(&["two.sgf", "-", "--to", "sgf"]).expect("converted").matches("(;FF[4]").count(), 2);

    // One game a file does not fit into standard output, and an error in one game writes none.
    let error = convert(&["two.csa", "-", "--to", "kifu"]).expect_err("two files");
    assert!(error.contains("2 games"), "{error}");
    fs::write(folder.join("broken.csa"), format!("{}/\n{}", game("+7776FU\n"), game("+7775FU\n"))).expect("written");
    let error = convert(&["broken.csa", "never.kifu"]).expect_err("an illegal move");
    assert!(error.contains("broken.csa") && error.contains("line 14"), "{error}");
    assert!(!files(&folder).iter().any(|name| name.starts_with("never")));
    fs::remove_dir_all(&folder).expect("removed");
}
