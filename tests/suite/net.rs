//! Networks from the command line: looked into, converted, checked, played with; and what is said where something is broken.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use yomi_core::Seed;
use yomi_net::input::Layout;
use yomi_net::{Architecture, Network};

fn yomi(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_yomi")).args(args).output().expect("the program runs")
}

fn text(args: &[&str]) -> String {
    let output = yomi(args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn error(args: &[&str]) -> String {
    let output = yomi(args);
    assert_eq!(output.status.code(), Some(1), "{args:?}: {output:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn json(args: &[&str]) -> Value {
    serde_json::from_str(text(args).lines().last().unwrap_or_default()).expect("JSON")
}

fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("a directory for tests");
    path
}

fn network(path: &Path, layout: Layout) -> String {
    let network = Network::random(Architecture::new(layout, 1, 8), Seed::new(1)).expect("a known layout");
    std::fs::write(path, network.write()).expect("a directory for tests");
    path.to_str().expect("a path").to_string()
}

#[test]
fn networks_are_looked_into_converted_and_checked() {
    let folder = folder("net-commands");
    let file = network(&folder.join("a.safetensors"), Layout::Minishogi);
    let info = json(&["net", "info", &file, "--json"]);
    assert_eq!((&info["game"], &info["channels"]), (&"minishogi".into(), &8.into()));
    let described = text(&["net", "info", &file]);
    assert!(
        described.contains("1 blocks of 8 channels, ReLU") && described.contains("policy, value (win, draw, loss)")
    );
    let onnx = folder.join("a.onnx");
    text(&["net", "convert", &file, onnx.to_str().expect("a path")]);
    assert!(std::fs::metadata(&onnx).is_ok_and(|file| file.len() > 1000));
    // Only networks of dlshogi are read from ONNX.
    assert!(error(&["net", "info", onnx.to_str().expect("a path")]).contains("its input is `planes`"));
    assert!(error(&["net", "convert", &file, "a.txt"]).contains(".safetensors or .onnx"));
    let check = json(&["net", "check", &file, "--device", "cpu", "--positions", "20", "--json"]);
    assert_eq!(check["agrees"], true);
    assert!(check["value"].as_f64().is_some_and(|value| value < 1e-4), "{check}");
    let bench = json(&[
        "net",
        "bench",
        "--random",
        "1x8",
        "--game",
        "go5",
        "--device",
        "cpu",
        "--batch",
        "3",
        "--seconds",
        "0",
        "--json",
    ]);
    assert_eq!((&bench["batch"], &bench["game"]), (&3.into(), &"go5".into()));
    assert!(error(&["net", "bench", "--random", "1x8", "--game", "shoji"]).contains("shogi"));
    assert!(error(&["net", "bench", &file, "--device", "tpu"]).contains("cuda:0"));
}

/// A player with a network thinks, says what the network was asked, and a cache knows positions again.
#[test]
fn networks_play() {
    let file = network(&folder("net-plays").join("a.safetensors"), Layout::Minishogi);
    let player = format!("puct + cached(net(file={file},device=cpu),mb=1)");
    let output = yomi(&["analyze", "--game", "minishogi", "--player", &player, "--sims", "60", "--json"]);
    assert!(output.status.success(), "{output:?}");
    let printed = String::from_utf8_lossy(&output.stderr).into_owned();
    let line = printed.lines().find(|line| line.contains("\"network\"")).expect("a line about the network");
    let network: Value = serde_json::from_str(line).expect("JSON");
    assert!(network["positions"].as_u64().is_some_and(|n| n >= 50) && network["cache_hits"].as_u64().is_some());
    let output = yomi(&["analyze", "--game", "minishogi", "--net", &file, "--net-device", "cpu", "--sims", "20"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("on cpu"), "{output:?}");
}

/// What is wrong with a file is said with the file's name, and nothing crashes.
#[test]
fn broken_networks_are_errors() {
    let folder = folder("net-broken");
    let whole = network(&folder.join("whole.safetensors"), Layout::Minishogi);
    let bytes = std::fs::read(&whole).expect("it was written");
    let cut = folder.join("cut.safetensors");
    std::fs::write(&cut, &bytes[..bytes.len() / 2]).expect("a directory for tests");
    let analyze = |game: &str, file: &str| {
        error(&["analyze", "--game", game, "--player", &format!("puct + net(file={file})"), "--sims", "5"])
    };
    assert!(analyze("minishogi", cut.to_str().expect("a path")).contains("cut.safetensors"));
    assert!(analyze("shogi", &whole).contains("for minishogi, not for shogi"));
    let go9 = network(&folder.join("go9.safetensors"), Layout::Go(9));
    assert!(analyze("go13", &go9).contains("for go9, not for go13"));
    assert!(analyze("minishogi", "/no/such/network").contains("/no/such/network"));
}

/// A library that has the driver's name and nothing of the driver in it: said, not crashed into.
#[test]
#[cfg(target_os = "linux")]
fn a_broken_driver_is_reported() {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let any = maps.lines().filter_map(|line| line.split_whitespace().last()).find(|path| path.contains("libgcc_s"));
    // A statically linked test has no library to borrow.
    let Some(any) = any else { return };
    let folder = folder("net-driver");
    for name in ["libcuda.so", "libcuda.so.1", "libnvrtc.so", "libnvrtc.so.13"] {
        std::fs::copy(any, folder.join(name)).expect("a directory for tests");
    }
    let doctor = |folder: &Path, args: &[&str]| {
        let mut program = Command::new(env!("CARGO_BIN_EXE_yomi"));
        let output =
            program.arg("doctor").args(args).env("LD_LIBRARY_PATH", folder).output().expect("the program runs");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let printed = doctor(&folder, &["--test"]);
    assert!(
        printed.contains("no   NVIDIA driver: the NVIDIA driver is broken") && printed.contains("has no cuInit"),
        "{printed}"
    );
    assert!(printed.contains("yes  test on cpu"), "{printed}");
    // No library at all, only its name.
    for name in ["libcuda.so", "libcuda.so.1"] {
        std::fs::write(folder.join(name), "not a library").expect("a directory for tests");
    }
    let printed = doctor(&folder, &["--json"]);
    assert!(printed.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()), "{printed}");
}
