//! What `scripts/release` packs: complete, runnable where it is unpacked, and the same bytes every time.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn run(program: &Path, args: &[&str]) -> Output {
    let output = Command::new(program).args(args).current_dir(env!("CARGO_MANIFEST_DIR")).output();
    output.unwrap_or_else(|error| panic!("{}: {error}", program.display()))
}

fn shell(directory: &Path, script: &str) -> String {
    let output = Command::new("sh").args(["-euc", script]).current_dir(directory).output().expect("a shell");
    assert!(output.status.success(), "{script}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// Packs a script that starts the program under test: quicker than half a gigabyte of debug build.
fn pack(home: &Path, name: &str) -> PathBuf {
    let program = home.join("program");
    fs::write(&program, format!("#!/bin/sh\nexec '{}' \"$@\"\n", env!("CARGO_BIN_EXE_yomi"))).expect("a script");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("a program");
    let out = home.join(name);
    let args = ["--binary", program.to_str().expect("UTF-8"), "--out", out.to_str().expect("UTF-8")];
    let output = run(&Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/release"), &args);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    out
}

/// Whether this machine can make a release: the tests of the project need nothing but Rust, so this one is passed over elsewhere.
#[allow(clippy::print_stderr, reason = "says why nothing was tested")]
fn can_release() -> bool {
    let found =
        ["python3", "tar", "gzip", "sha256sum"].map(|tool| Command::new(tool).arg("--version").output().is_ok());
    let all = found.iter().all(|&found| found);
    if !all {
        eprintln!("skipped: scripts/release needs python3, tar, gzip and sha256sum");
    }
    all
}

#[test]
fn a_release_is_complete_runs_and_is_reproducible() {
    if !can_release() {
        return;
    }
    let home = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("release");
    let _ = fs::remove_dir_all(&home);
    fs::create_dir_all(&home).expect("a directory");
    let (first, second) = (pack(&home, "first"), pack(&home, "second"));
    let sums = |directory: &Path| fs::read_to_string(directory.join("SHA256SUMS")).expect("checksums");
    assert_eq!(sums(&first), sums(&second));
    shell(&first, "sha256sum -c SHA256SUMS");

    let listing = shell(&first, "tar tvzf yomi-*.tar.gz --numeric-owner");
    assert!(listing.lines().all(|line| line.contains(" 0/0 ")), "{listing}");
    for entry in [
        "bin/yomi",
        "lib/yomi/yomi-x86-64-v3",
        "lib/yomi/yomi-x86-64-v2",
        "share/man/man1/yomi.1",
        "share/man/man1/yomi-match.1",
        "share/bash-completion/completions/yomi",
        "share/zsh/site-functions/_yomi",
        "share/fish/vendor_completions.d/yomi.fish",
        "share/doc/yomi/THIRD-PARTY.txt",
        "share/doc/yomi/install.md",
        "share/doc/yomi/OFL.txt",
        "README.md",
        "LICENSE-MIT",
        "LICENSE-APACHE",
        "Containerfile",
    ] {
        assert!(listing.lines().any(|line| line.ends_with(&format!("-x86_64-linux/{entry}"))), "no {entry}: {listing}");
    }
    let licences = shell(&first, "tar xzOf yomi-*.tar.gz --wildcards '*/THIRD-PARTY.txt'");
    assert!(licences.contains("\nclap 4.") && licences.contains("\nrand_chacha ") && !licences.contains("\nproptest "));

    shell(&first, "tar xzf yomi-*.tar.gz && mv yomi-*-x86_64-linux unpacked && ln -s unpacked/bin/yomi linked");
    for program in ["unpacked/bin/yomi", "linked"] {
        let output = run(&first.join(program), &["perft", "--game", "nim", "--depth", "2"]);
        assert_eq!(String::from_utf8_lossy(&output.stdout), "9\n", "{program}");
    }
    fs::remove_dir_all(first.join("unpacked/lib")).expect("builds");
    let output = run(&first.join("unpacked/bin/yomi"), &["--version"]);
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("no build of it in ../lib/yomi"), "{output:?}");

    if Command::new("dpkg-deb").arg("--version").output().is_ok() {
        let control = shell(&first, "dpkg-deb --field yomi_*_amd64.deb");
        assert!(control.contains("Package: yomi\n") && !control.contains("Depends:"), "{control}");
        let listing = shell(&first, "dpkg-deb --contents yomi_*_amd64.deb");
        for entry in
            ["bin/yomi", "lib/yomi/yomi-x86-64-v3", "share/man/man1/yomi-match.1.gz", "share/doc/yomi/copyright"]
        {
            assert!(listing.lines().any(|line| line.ends_with(&format!("./usr/{entry}"))), "no {entry}: {listing}");
        }
    }
}

/// A build that fails leaves nothing to install, rather than the program of an earlier build under its name.
#[test]
fn a_build_that_fails_ends_the_release() {
    if !can_release() {
        return;
    }
    let home = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("release-fails");
    let _ = fs::remove_dir_all(&home);
    fs::create_dir_all(&home).expect("a directory");
    let cargo = home.join("cargo");
    fs::write(&cargo, "#!/bin/sh\necho broken >&2\nexit 101\n").expect("a script");
    fs::set_permissions(&cargo, fs::Permissions::from_mode(0o755)).expect("a program");
    let path = format!("{}:{}", home.display(), std::env::var("PATH").expect("a path"));
    let out = home.join("dist");
    let output = Command::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/release"))
        .args(["--levels", "x86-64-v2", "--out", out.to_str().expect("UTF-8")])
        .env("PATH", path)
        .output()
        .expect("a shell");
    assert_eq!(output.status.code(), Some(101), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(fs::read_dir(&out).expect("a directory").count(), 0);
}

#[test]
fn unknown_options_are_refused() {
    let output = run(&Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/release"), &["--levle", "x"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--levle is not an option"));
}
