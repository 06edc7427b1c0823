//! `yomi review`: records of every kind come back annotated, and the page needs nothing else.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

fn scratch(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("review-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn yomi(folder: &Path, args: &[&str]) -> Result<String, String> {
    let output = Command::new(env!("CARGO_BIN_EXE_yomi")).current_dir(folder).args(args).output().expect("it starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
}

/// A game of each format, whose second player throws something away, and what the annotated record holds then.
#[test]
fn every_format_comes_back_annotated() {
    let folder = scratch("formats");
    let cases = [
        ("a.usi", "sfen rbsgk/4p/5/P4/KGSBR b - 1 moves 3e4d 5a5c 4d5c 4a3b", "--depth=2", "a.kifu", "**評価値="),
        (
            "e.kif",
            "手合割：平手\n   1 ７六歩(77)\n   2 ３四歩(33)\n   3 ２二角成(88)\n   4 ７二銀(71)\n",
            "--depth=1",
            "e.kifu",
            "**評価値=",
        ),
        ("b.csa", "V2.2\nPI\n+\n+7776FU\n-3334FU\n+8822UM\n-7162GI\n", "--depth=1", "b.csa", "'** "),
        ("c.sgf", "(;GM[1]SZ[5]KM[0.5];B[cc];W[aa];B[bb];W[ee])", "--sims=30", "c.sgf", "SBKV["),
        ("d.blksgf", "(;GM[Blokus Duo];B[e10,e9,d9];W[j5,j6])", "--sims=5", "d.blksgf", "Black wins"),
    ];
    for (input, text, budget, output, expected) in cases {
        fs::write(folder.join(input), text).expect("written");
        let out = format!("new-{output}");
        let printed =
            yomi(&folder, &["review", input, budget, "--out", &out, "--html", "page.html"]).expect("a review");
        assert!(printed.contains(&format!("record: {out}")), "{printed}");
        let written = fs::read_to_string(folder.join(&out)).expect("a record");
        assert!(written.contains(expected), "{input}: {written}");
        // What was written is a record with the same moves.
        let count = |file: &str| {
            let printed = yomi(&folder, &["review", file, budget, "--json"]).expect("a review");
            printed.lines().filter(|line| line.contains("reviewed-move")).count()
        };
        assert_eq!(count(&out), count(input), "{input}");
        let page = fs::read_to_string(folder.join("page.html")).expect("a page");
        assert!(page.contains("<polyline") && page.ends_with("</html>\n"), "{input}");
        let outside = page.replace("http://www.w3.org/", "");
        assert!(!outside.contains("http"), "{input}: the page loads something");
    }
}

#[test]
fn blunders_are_found_and_reported() {
    let folder = scratch("blunder");
    fs::write(folder.join("a.usi"), "sfen rbsgk/4p/5/P4/KGSBR b - 1 moves 3e4d 5a5c 4d5c 4a3b").expect("written");
    let printed = yomi(&folder, &["review", "a.usi", "--depth", "3"]).expect("a review");
    assert!(printed.contains("   2 ??"), "{printed}");
    let json = yomi(&folder, &["review", "a.usi", "--depth", "3", "--json"]).expect("a review");
    let last: Value = serde_json::from_str(json.lines().last().expect("a line")).expect("JSON");
    assert_eq!(
        (last["type"].as_str(), last["plies"].as_u64(), last["chances"].as_array().map(Vec::len)),
        (Some("review"), Some(4), Some(5))
    );
    assert!(last["blunders"].as_u64() >= Some(1), "{last}");
    let error = yomi(&folder, &["review", "a.usi", "--number", "2"]).expect_err("there is one game");
    assert!(error.contains("the file has 1 game"), "{error}");
    let error =
        yomi(&folder, &["review", "a.usi", "--out", "b.sgf", "--depth", "1"]).expect_err("another game's format");
    assert!(error.contains("cannot be written in this format") && !folder.join("b.sgf").exists(), "{error}");
}
