//! The password of a server reaches it from a file or the environment, and a warning comes with one on the command line.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::process::{Command, Stdio};

/// The line that logs in, and what people see meanwhile. The server refuses every login.
fn login(args: &[&str], variable: Option<&str>) -> (String, String) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let mut command = Command::new(env!("CARGO_BIN_EXE_yomi"));
    command.args(["csa", &address, "--user", "yomi", "--player", "random"]).args(args);
    command.env_remove("YOMI_CSA_PASSWORD").envs(variable.map(|word| ("YOMI_CSA_PASSWORD", word)));
    let child = command.stdin(Stdio::null()).stderr(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut stream, _) = listener.accept().unwrap();
    let mut line = String::new();
    BufReader::new(stream.try_clone().unwrap()).read_line(&mut line).unwrap();
    writeln!(stream, "LOGIN:incorrect").unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(!output.status.success());
    (line.trim_end().to_string(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn passwords_need_not_be_on_the_command_line() {
    let path = std::env::temp_dir().join(format!("yomi-trip-{}", std::process::id()));
    std::fs::write(&path, "filed\n").unwrap();
    let warning = "--password shows in the list of processes";
    let (line, said) = login(&["--password-file", path.to_str().unwrap()], Some("environment"));
    assert_eq!((line.as_str(), said.contains(warning)), ("LOGIN yomi filed", false), "{said}");
    std::fs::remove_file(&path).unwrap();
    let (line, said) = login(&[], Some("environment"));
    assert_eq!((line.as_str(), said.contains(warning)), ("LOGIN yomi environment", false), "{said}");
    let (line, said) = login(&["--password", "said"], None);
    assert_eq!((line.as_str(), said.contains(warning)), ("LOGIN yomi said", true), "{said}");
}

#[test]
fn what_is_no_password_is_refused_before_anybody_is_called() {
    let run = |variable: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_yomi"));
        command.args(["csa", "127.0.0.1:9", "--user", "yomi"]).env("YOMI_CSA_PASSWORD", variable);
        let output = command.stdin(Stdio::null()).output().unwrap();
        assert!(!output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    let said = run("my secret");
    assert!(said.contains("YOMI_CSA_PASSWORD must be one word") && !said.contains("secret"), "{said}");
}
