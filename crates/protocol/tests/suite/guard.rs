//! Guards: a program under guard behaves as it does alone, and nothing of it outlives us.
#![cfg(target_os = "linux")]

use crate::gone;

use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::Duration;

use yomi_protocol::client::fault::Exit;
use yomi_protocol::client::patience::Wait;
use yomi_protocol::client::process::{CommandLine, Process};
use yomi_protocol::client::{Guard, Reason};

use gone::assert_gone;

const FAKE: &str = env!("CARGO_BIN_EXE_fake-engine");

fn guarded(program: &str, args: &[&str]) -> CommandLine {
    let guard = Guard { program: FAKE.into(), args: vec!["guard".into()] };
    let args = args.iter().map(ToString::to_string).collect();
    CommandLine { program: program.to_string(), args, directory: None, guard: Some(guard) }
}

fn patient() -> Wait<'static> {
    Wait::new(Duration::from_secs(30))
}

#[test]
fn a_guarded_program_talks_and_ends_as_it_would_alone() {
    let mut process =
        Process::start(&guarded("sh", &["-c", "read x; echo \"got $x\"; echo bad >&2; exit 3"]), None).unwrap();
    process.send("hello");
    assert_eq!(process.receive(&patient()), Ok("got hello".to_string()));
    assert_eq!(process.receive(&patient()), Err(Reason::Crash(Exit::Status(3))));
    assert!(process.last_words().contains("bad"));
    let mut process = Process::start(&guarded("sh", &["-c", "kill -ABRT $$"]), None).unwrap();
    assert_eq!(process.receive(&patient()), Err(Reason::Crash(Exit::Signal(6))));
    let mut process = Process::start(&guarded("sh", &["-c", "read x; exit 0"]), None).unwrap();
    assert_eq!(process.leave(&patient()), Ok(()), "a closed input reaches the program");
}

#[test]
fn what_cannot_be_started_is_reported() {
    let missing = Process::start(&guarded("no-such-program", &[]), None).err().unwrap();
    assert!(matches!(&missing, Reason::Start(why) if why.contains("no-such-program")), "{missing}");
    // A script whose interpreter is missing: found out by the guard.
    let path = std::env::temp_dir().join(format!("yomi-no-program-{}", std::process::id()));
    std::fs::write(&path, "#!/no/such/interpreter\n").unwrap();
    std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let mut process = Process::start(&guarded(path.to_str().unwrap(), &[]), None).unwrap();
    assert_eq!(process.receive(&patient()), Err(Reason::Crash(Exit::Status(1))));
    assert!(process.last_words().contains("cannot be started"), "{}", process.last_words());
    std::fs::remove_file(path).unwrap();
}

/// Dropping the process ends guard, program and grandchild.
#[test]
fn nothing_is_left_when_the_process_is_dropped() {
    let mut process = Process::start(&guarded("sh", &["-c", "sleep 1000 & echo $$ $!; wait"]), None).unwrap();
    let pids = process.receive(&patient()).unwrap();
    let guard = process.id().to_string();
    drop(process);
    pids.split(' ').chain([guard.as_str()]).for_each(assert_gone);
}

/// The reading end of the error output is closed, as by a death: the guard ends the whole group. And the program follows its guard.
#[test]
fn programs_end_with_the_process_that_started_them() {
    let start = || {
        let mut guard = Command::new(FAKE)
            .args(["guard", "watch", "sh", "-c", "sleep 1000 & echo $$ $!; wait"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(guard.stdout.take().unwrap()).read_line(&mut line).unwrap();
        (guard, line.trim().to_string())
    };
    let (mut guard, pids) = start();
    drop(guard.stderr.take());
    pids.split(' ').for_each(assert_gone);
    assert!(guard.wait().unwrap().code().is_none(), "it is killed with its group");
    let (mut guard, pids) = start();
    guard.kill().unwrap();
    guard.wait().unwrap();
    let (program, grandchild) = pids.split_once(' ').unwrap();
    assert_gone(program);
    // Only the group is known to the process that starts a program: the runner ends it.
    let _ = Command::new("kill").args(["-9", grandchild]).status();
}
