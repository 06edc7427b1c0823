//! An engine that misbehaves on request: `fake-engine LANGUAGE BEHAVIOUR`.
//!
//! The behaviour names what it does when, for example `hang-go` or `crash-isready`. Its name holds its process number (and that of a
//! grandchild), so that a test can look whether anything of it is left.
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::exit, reason = "an engine talks")]
#![allow(clippy::disallowed_methods, reason = "it has to be slow and to hang")]

mod strict;

use std::ffi::OsString;
use std::io::{BufRead, Write};
#[cfg(unix)]
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use yomi_protocol::client::guard::{Guard, run};

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let (language, behaviour) = (args[1].as_str(), args.get(2).map_or("good", String::as_str));
    match language {
        "sleep" => hang(),
        // The tests have no other program that could be a guard.
        "guard" => guard(),
        "usi" | "gtp" | "xboard" => {
            let words = args.get(3..).unwrap_or_default().to_vec();
            let name = name(behaviour);
            Fake { behaviour: behaviour.to_string(), words, turn: 0, size: 19, name, left: "" }.run(language);
        }
        _ => std::process::exit(9),
    }
}

fn guard() -> ! {
    let args: Vec<OsString> = std::env::args_os().skip(2).collect();
    let here = Guard::here("guard").unwrap();
    std::process::exit(run(&here, &args).unwrap_or_else(|error| {
        eprintln!("{error}");
        1
    }))
}

#[allow(clippy::zombie_processes, reason = "that it is left behind is the point")]
fn name(behaviour: &str) -> String {
    let grandchild = behaviour.starts_with("grandchild").then(|| {
        let child = Command::new(std::env::current_exe().unwrap()).arg("sleep").stdin(Stdio::null()).spawn().unwrap();
        child.id().to_string()
    });
    format!("fake {} {}", std::process::id(), grandchild.unwrap_or_default()).trim_end().to_string()
}

struct Fake {
    behaviour: String,
    /// What stands behind the behaviour on the command line.
    words: Vec<String>,
    turn: usize,
    /// The size of the board.
    size: u32,
    name: String,
    /// Said before anything else when the next line comes.
    left: &'static str,
}

impl Fake {
    fn run(&mut self, language: &str) {
        if self.is("deaf") {
            hang();
        }
        if language == "xboard" {
            self.at("usi");
            say(&self.name);
        }
        for line in std::io::stdin().lock().lines() {
            let Ok(line) = line else { return };
            match language {
                "usi" => self.usi(&line),
                "gtp" => self.gtp(&line),
                _ => self.xboard(&line),
            }
        }
        if self.is("immortal") {
            hang();
        }
    }

    fn is(&self, behaviour: &str) -> bool {
        self.behaviour == behaviour
    }

    fn is_strict(&self) -> bool {
        self.is("strict") || self.is("strict-kata")
    }

    /// Does what is asked at this point of the conversation.
    fn at(&self, point: &str) {
        match self.behaviour.strip_suffix(point).and_then(|what| what.strip_suffix('-')) {
            Some("hang") => hang(),
            Some("slow") => sleep(Duration::from_millis(300)),
            Some("crash") => {
                eprintln!("out of luck at {point}");
                std::process::exit(3);
            }
            Some("abort") => std::process::abort(),
            // The same process goes on, with its output elsewhere.
            #[cfg(unix)]
            Some("mute") => {
                let mut command = Command::new(std::env::current_exe().unwrap());
                panic!("{}", command.arg("sleep").stdout(Stdio::null()).exec());
            }
            Some("grandchild") => std::process::exit(4),
            Some("stderr-flood") => flood(&mut std::io::stderr(), &"e".repeat(999), 64_000),
            Some("stdout-flood") => flood(&mut std::io::stdout(), &"info string noise".repeat(60), 64_000),
            Some("long-line") => {
                (0..64_000).for_each(|_| reporter(&"x".repeat(1000)));
                say("");
            }
            Some("endless") => loop {
                say("info string still thinking");
            },
            Some("half") => {
                reporter("half a line");
                hang();
            }
            Some("half-crash") => {
                reporter("bestmove 7g7f");
                std::process::exit(0);
            }
            Some("binary") => {
                let bytes: Vec<u8> = (0..=255).collect();
                let _ = std::io::stdout().write_all(&bytes);
                say("");
            }
            _ => {}
        }
    }

    fn best(&mut self) -> String {
        self.turn += 1;
        match self.behaviour.as_str() {
            "illegal" => "9z9z".to_string(),
            "empty" => String::new(),
            "resign" => "resign".to_string(),
            "win" => "win".to_string(),
            _ => format!("m{}", self.turn),
        }
    }

    fn usi(&mut self, line: &str) {
        reporter(std::mem::take(&mut self.left));
        match line.split_whitespace().next().unwrap_or_default() {
            "usi" => {
                self.at("usi");
                say(&format!("id name {}", self.name));
                say("option name Skill Level type spin default 20 min -20 max 20");
                say("option name UCI_Variant type combo default shogi var shogi var minishogi");
                say("usiok");
            }
            "isready" => {
                self.at("isready");
                say("readyok");
            }
            "go" => {
                self.at("go");
                if self.is("bits-go") {
                    "info depth 3 nodes 7 score cp 5 pv m1\nbest".chars().for_each(|c| {
                        reporter(&c.to_string());
                        sleep(Duration::from_millis(1));
                    });
                    reporter("");
                    say(&format!("move {}", self.best()));
                    return;
                }
                if self.behaviour.starts_with("twice-") {
                    return self.twice();
                }
                say("info depth 3 nodes 7 score cp 5 pv m1 m2");
                let best = self.best();
                say(&format!("bestmove {best}"));
            }
            "usinewgame" => self.at("usinewgame"),
            "quit" => self.leave(),
            _ => {}
        }
    }

    /// Answers twice, each time in one piece, so that what belongs together arrives together.
    fn twice(&mut self) {
        let (before, best) = (self.turn, self.best());
        let info = "info depth 3 nodes 7 score cp 5 pv m1 m2\n";
        match self.behaviour.as_str() {
            "twice-at-once" => say(&format!("{info}bestmove {best}\nbestmove stale")),
            // The second answer comes when the next is wanted.
            "twice-late" if before > 0 => say(&format!("bestmove stale\n{info}bestmove {best}")),
            "twice-late" => say(&format!("{info}bestmove {best}")),
            // The second answer comes when the next is wanted, and long before that.
            "twice-early" | "twice-early-and-short" if before > 0 => {
                say("bestmove stale\ninfo string a remark");
                sleep(Duration::from_millis(100));
                say(&format!("{}bestmove {best}", if self.is("twice-early") { info } else { "" }));
            }
            "twice-early" | "twice-early-and-short" => say(&format!("{info}bestmove {best}")),
            // It answers once, and has nothing to say about all but its first search: it knows them from a book.
            "twice-never" => say(&format!("{}bestmove {best}", if before > 0 { "" } else { info })),
            "twice-the-same" if before > 0 => say(&format!("bestmove m{before}\nbestmove {best}")),
            // It is caught once, and later than that its second answers come with the next line it gets.
            "twice-silent" if before == 0 => say(&format!("bestmove {best}\nbestmove stale")),
            "twice-silent" => {
                say(&format!("bestmove {best}"));
                self.left = "bestmove stale\n";
            }
            _ => say(&format!("bestmove {best}")),
        }
    }

    fn gtp(&mut self, line: &str) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let id = words[0];
        let command = words[1];
        self.at(command);
        if let Some(complaint) = strict::complaint(command, &words[2..], self.size).filter(|_| self.is_strict()) {
            return say(&format!("?{id} {complaint}\n"));
        }
        if let ("boardsize", Some(size)) = (command, words.get(2).and_then(|word| word.parse().ok())) {
            self.size = size;
        }
        let answer = match command {
            "name" => self.name.clone(),
            "list_commands" if self.is_strict() => {
                let kata = if self.is("strict-kata") { "\nkata-set-rules" } else { "" };
                format!("name\nversion\nplay\ngenmove\n{}{kata}", strict::COMMANDS)
            }
            "list_commands" if self.is("count") => {
                "name\nversion\nplay\ngenmove\nfinal_score\nget_komi\nfinal_status_list".to_string()
            }
            // `count SCORE KOMI DEAD…`: passes, and then says this.
            "final_score" if self.is("count") => self.words[0].clone(),
            "get_komi" if self.is("count") => self.words[1].clone(),
            "final_status_list" if self.is("count") => self.words[2..].join(" "),
            "genmove" if self.is("count") => "pass".to_string(),
            "list_commands" if !self.is("terse") => {
                let scores = if self.is("scoreless") { "" } else { "\ntop_moves\ntop_moves_black\ntop_moves_white" };
                format!("name\nversion\nlevel\nplay\ngenmove{scores}")
            }
            // As GNU Go's: what its last move was chosen from, and it has made none.
            "top_moves" => String::new(),
            "top_moves_black" if self.is("odd") => "A1 2.5 B2".to_string(),
            "top_moves_black" if self.is("wordy") => "A1 good".to_string(),
            "top_moves_black" if self.is("silent") => String::new(),
            "top_moves_black" => "B2 12.50 A1 7 C3 -1.25 ".to_string(),
            "top_moves_white" => "C2 3.5".to_string(),
            "genmove" => match self.best().as_str() {
                _ if self.is("talkative") => "I think D4".to_string(),
                "m1" if self.is("late") => {
                    // The answer to a question that was not asked comes first.
                    say("=999 C3\n");
                    "D4".to_string()
                }
                best if best.starts_with('m') => "D4".to_string(),
                best => best.to_string(),
            },
            _ => String::new(),
        };
        let refused = self.behaviour.strip_prefix("refuse-") == Some(command);
        say(&format!("{}{id} {}\n", if refused { '?' } else { '=' }, if refused { "no" } else { &answer }));
        if command == "quit" {
            self.leave();
        }
    }

    fn xboard(&mut self, line: &str) {
        match line {
            "go" => {
                self.at("go");
                let best = self.best();
                match best.as_str() {
                    "resign" => say("Black resigns!"),
                    _ if self.is("draw") => say("Drawn game!"),
                    _ => say(&format!("{}. ... {best} 1000", self.turn)),
                }
            }
            "quit" => self.leave(),
            line if line.contains("9z") => say(&format!("Illegal move (no match) {line}")),
            line if line.len() > 3 && line.starts_with(|c: char| c.is_ascii_digit()) => {
                self.at("echo");
                self.turn += 1;
                say(&format!("depth = {}. {line} 1000", self.turn));
            }
            _ => {}
        }
    }

    fn leave(&self) {
        if self.is("immortal") {
            hang();
        }
        std::process::exit(0);
    }
}

fn hang() -> ! {
    loop {
        sleep(Duration::from_secs(3600));
    }
}

fn say(line: &str) {
    reporter(&format!("{line}\n"));
}

/// Says something without ending the line. Ends the program when its output is closed.
fn reporter(text: &str) {
    let mut out = std::io::stdout();
    if out.write_all(text.as_bytes()).and_then(|()| out.flush()).is_err() {
        std::process::exit(7);
    }
}

fn flood(out: &mut impl Write, line: &str, count: usize) {
    for _ in 0..count {
        let _ = writeln!(out, "{line}");
    }
    let _ = out.flush();
}
