//! `yomi` as it is installed from an archive or a package: starts the build that this processor can run.
//!
//! Boards are bits, and the instructions of newer processors are worth a good part of the speed. So a release has several builds of one
//! program, `lib/yomi/yomi-x86-64-v3` and so on; this one needs nothing but x86-64, looks what there is, and becomes the best of them. A
//! processor that can run none of them gets a message about what it lacks, instead of dying of an illegal instruction.
//!
//! `YOMI_LEVEL=x86-64-v2` takes a certain build, for comparisons.

use std::env;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// An instruction of a level, and whether this processor has it.
type Feature = (&'static str, bool);

/// The levels, best first, with what they need beyond x86-64. The names are those of the psABI.
fn levels() -> [(&'static str, Vec<Feature>); 2] {
    let v2 = vec![
        ("cmpxchg16b", is_x86_feature_detected!("cmpxchg16b")),
        ("popcnt", is_x86_feature_detected!("popcnt")),
        ("sse3", is_x86_feature_detected!("sse3")),
        ("ssse3", is_x86_feature_detected!("ssse3")),
        ("sse4.1", is_x86_feature_detected!("sse4.1")),
        ("sse4.2", is_x86_feature_detected!("sse4.2")),
    ];
    let mut v3 = v2.clone();
    v3.extend([
        ("avx", is_x86_feature_detected!("avx")),
        ("avx2", is_x86_feature_detected!("avx2")),
        ("bmi1", is_x86_feature_detected!("bmi1")),
        ("bmi2", is_x86_feature_detected!("bmi2")),
        ("f16c", is_x86_feature_detected!("f16c")),
        ("fma", is_x86_feature_detected!("fma")),
        ("lzcnt", is_x86_feature_detected!("lzcnt")),
        ("movbe", is_x86_feature_detected!("movbe")),
    ]);
    [("x86-64-v3", v3), ("x86-64-v2", v2)]
}

/// Where the builds may lie: beside the directory of this program, however it was found. `/proc` is not mounted everywhere.
fn libraries() -> impl Iterator<Item = PathBuf> {
    let this = env::current_exe().ok();
    let called = env::args_os().next().map(PathBuf::from).filter(|name| name.parent() != Some(Path::new("")));
    let path = env::var_os("PATH").unwrap_or_default();
    let searched: Vec<PathBuf> = env::split_paths(&path).map(|directory| directory.join("yomi")).collect();
    let programs = this.into_iter().chain(called).chain(searched);
    programs.filter_map(|program| Some(program.parent()?.join("../lib/yomi")))
}

fn main() -> ExitCode {
    let wanted = env::var("YOMI_LEVEL").ok();
    let mut lacking = Vec::new();
    for (level, features) in levels() {
        if wanted.as_deref().is_some_and(|wanted| wanted != level) {
            continue;
        }
        let build = libraries().map(|library| library.join(format!("yomi-{level}"))).find(|build| build.is_file());
        let Some(build) = build else { continue };
        let missing: Vec<&str> = features.iter().filter(|(_, there)| !there).map(|&(name, _)| name).collect();
        if missing.is_empty() {
            let error = Command::new(&build).arg0("yomi").args(env::args_os().skip(1)).exec();
            eprintln!("yomi: cannot start {}: {error}", build.display());
            return ExitCode::FAILURE;
        }
        lacking.push(format!("{level} needs {}", missing.join(", ")));
    }
    match lacking.is_empty() {
        true => eprintln!("yomi: there is no build of it in ../lib/yomi, where this program lies"),
        false => {
            eprintln!("yomi: this processor lacks instructions that the program was built for: {}", lacking.join("; "));
            eprintln!("yomi: built from source (cargo install --path .) it uses what your processor has");
        }
    }
    ExitCode::FAILURE
}
