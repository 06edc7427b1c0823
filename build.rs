//! Tells the program what it was built from, by which compiler and for what: `yomi --version` and the manifests of runs say so.
//!
//! The commit is that of the sources at the time they were compiled. Only the sources are watched, not the repository: a commit that
//! changes nothing here (documentation, or what was already built) does not build the program again.

use std::path::Path;
use std::process::Command;

/// What the program is made of.
const SOURCES: [&str; 7] = ["src", "crates", "weights", "experiments", "build.rs", "Cargo.toml", "Cargo.lock"];

fn main() {
    watch();
    let compiler = env("RUSTC", "rustc");
    let version = output(&compiler, &["--version"]).unwrap_or_else(|| "unknown compiler".into());
    println!("cargo:rustc-env=YOMI_COMPILER={version}");
    println!("cargo:rustc-env=YOMI_COMMIT={}", commit().unwrap_or_else(|| "unknown".into()));
    println!("cargo:rustc-env=YOMI_BUILD={}", build());
    link_smaller();
}

/// Functions that came out the same for several games are kept once: 3 % of the program. And the places that the loader has to fill in are listed as
/// bits, not as 24 bytes each: 4 %. Only where Rust brings its own linker, LLD, and no other one was asked for.
fn link_smaller() {
    let flags = env("CARGO_ENCODED_RUSTFLAGS", "");
    let own_linker = env("TARGET", "") == "x86_64-unknown-linux-gnu" && env("HOST", "") == env("TARGET", "");
    let asked = flags.contains("linker") || flags.contains("fuse-ld") || std::env::var_os("RUSTC_LINKER").is_some();
    if own_linker && !asked && env("PROFILE", "") == "release" && lld_is_there() {
        println!("cargo:rustc-link-arg-bins=-Wl,--icf=all");
        if loader_reads_bits() {
            println!("cargo:rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
        }
        if env("DEBUG", "") == "false" {
            leave_out_unwinding();
        }
    }
}

/// A panic ends the program, and a program without symbols has no names to show in a backtrace: the tables that say how to unwind are of no use.
/// The compiler cannot leave them out of one profile (`-C force-unwind-tables=no` fails where tests unwind), and the standard library's are there
/// already, so the linker discards them. They stay where there is something to profile or debug.
fn leave_out_unwinding() {
    let script = Path::new(&env("OUT_DIR", ".")).join("no-unwinding.ld");
    if std::fs::write(&script, "SECTIONS { /DISCARD/ : { *(.eh_frame) } } INSERT AFTER .text;\n").is_ok() {
        println!("cargo:rustc-link-arg-bins=-Wl,--no-eh-frame-hdr");
        println!("cargo:rustc-link-arg-bins={}", script.display());
    }
}

/// Whether the loader here reads such a list (DT_RELR), as that of glibc does since 2.36 (2022). A program that is linked statically may run
/// anywhere and does without.
fn loader_reads_bits() -> bool {
    let version = output("getconf", &["GNU_LIBC_VERSION"]).unwrap_or_default();
    let minor = version.strip_prefix("glibc 2.").and_then(|minor| minor.parse::<u32>().ok());
    minor.is_some_and(|minor| minor >= 36) && !env("CARGO_CFG_TARGET_FEATURE", "").contains("crt-static")
}

/// Whether the compiler has LLD beside it, which it then uses by default.
fn lld_is_there() -> bool {
    let root = output(&env("RUSTC", "rustc"), &["--print", "sysroot"]).unwrap_or_default();
    Path::new(&root).join("lib/rustlib/x86_64-unknown-linux-gnu/bin/gcc-ld/ld.lld").exists()
}

/// Runs this again when sources of the program have changed, which compiles it anyway, and at no other time.
fn watch() {
    println!("cargo:rerun-if-env-changed=YOMI_COMMIT");
    for source in SOURCES.into_iter().filter(|&source| source != "crates" && Path::new(source).exists()) {
        println!("cargo:rerun-if-changed={source}");
    }
    for entry in std::fs::read_dir("crates").into_iter().flatten().flatten() {
        for part in ["src", "Cargo.toml"] {
            let part = entry.path().join(part);
            if part.exists() {
                println!("cargo:rerun-if-changed={}", part.display());
            }
        }
    }
}

/// The commit and its day: from the environment variable `YOMI_COMMIT` for sources without a repository, or from git.
fn commit() -> Option<String> {
    if let Some(given) = std::env::var("YOMI_COMMIT").ok().filter(|given| !given.trim().is_empty()) {
        return Some(given.lines().next().unwrap_or_default().to_string());
    }
    // Sources unpacked inside another repository do not belong to its commit.
    let top = output("git", &["rev-parse", "--show-toplevel"])?;
    let (top, here) = (Path::new(&top).canonicalize().ok()?, Path::new(".").canonicalize().ok()?);
    if top != here {
        return None;
    }
    let shown = output("git", &["show", "--no-patch", "--format=%h %cs", "--abbrev=10", "HEAD"])?;
    let (hash, day) = shown.split_once(' ')?;
    let status = ["--no-optional-locks", "status", "--porcelain", "--"];
    let changed = Command::new("git").args(status).args(SOURCES).output().ok()?;
    let dirty = if changed.stdout.is_empty() { "" } else { "-dirty" };
    Some(format!("{hash}{dirty} {day}"))
}

/// `x86_64-unknown-linux-gnu, release, x86-64-v3, static`.
fn build() -> String {
    let features = env("CARGO_CFG_TARGET_FEATURE", "");
    let has = |wanted: &[&str]| wanted.iter().all(|wanted| features.split(',').any(|feature| feature == *wanted));
    let mut words = vec![env("TARGET", "unknown target"), env("PROFILE", "unknown profile")];
    if env("CARGO_CFG_TARGET_ARCH", "") == "x86_64" {
        let levels: [(&str, &[&str]); 3] = [
            ("x86-64-v4", &["avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"]),
            ("x86-64-v3", &["avx2", "bmi1", "bmi2", "fma", "lzcnt", "movbe"]),
            ("x86-64-v2", &["popcnt", "sse4.2", "ssse3"]),
        ];
        let level = levels.iter().find(|(_, features)| has(features)).map_or("x86-64", |(name, _)| name);
        words.push(level.to_string());
    }
    if has(&["crt-static"]) {
        words.push("static".to_string());
    }
    words.join(", ")
}

fn env(name: &str, otherwise: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| otherwise.to_string())
}

/// The first line a program prints; none if it fails, is not there or prints nothing.
fn output(program: &str, args: &[&str]) -> Option<String> {
    let output = Command::new(program).args(args).output().ok().filter(|output| output.status.success())?;
    let line = String::from_utf8(output.stdout).ok()?.lines().next()?.trim().to_string();
    Some(line).filter(|line| !line.is_empty())
}
