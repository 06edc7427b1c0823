//! Tells the program which compiler made it: manifests of runs say so.

use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let compiler = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    let output = Command::new(compiler).arg("--version").output();
    let version = output.ok().and_then(|output| String::from_utf8(output.stdout).ok()).unwrap_or_default();
    let version = version.lines().next().unwrap_or("unknown compiler");
    println!("cargo:rustc-env=YOMI_COMPILER={version}");
}
