//! The GTP conversation: answers, live analysis, boards of all sizes, the end of a game.

use crate::common;

use std::fs;
use std::time::Duration;

use common::{Patients, Questions, Talk};
use yomi_core::{Seed, Spec};
use yomi_protocol::server::gtp::{GtpOptions, serve};
use yomi_search::Limits;

/// A conversation in commands and answers.
struct Gtp(Talk);

impl Gtp {
    fn about(game: &str) -> Gtp {
        let game = Spec::parse(game).unwrap();
        Gtp(Talk::with(move |console| {
            serve(console, &game, &Patients::under(Limits::simulations(1)), GtpOptions::new(Seed::new(1), 0.0))
                .unwrap()
                .unwrap();
        }))
    }

    /// The answer to a command, with its lines joined by `|`.
    fn ask(&mut self, command: &str) -> String {
        self.0.say(command);
        self.answer()
    }

    fn answer(&mut self) -> String {
        let mut lines = Vec::new();
        loop {
            let line = self.0.next();
            if line.is_empty() && !lines.is_empty() {
                return lines.join("|");
            }
            lines.push(line);
        }
    }
}

#[test]
fn answers_have_the_form_of_the_protocol() {
    let mut gtp = Gtp::about("go19");
    assert_eq!(gtp.ask("protocol_version"), "= 2");
    assert_eq!(gtp.ask("12 name"), "=12 Yomi");
    assert_eq!(gtp.ask("7 nonsense"), "?7 unknown command");
    assert_eq!(gtp.ask("# only a comment\n\n  \nknown_command genmove # yes"), "= true");
    assert_eq!(gtp.ask("known_command fly"), "= false");
    assert_eq!(gtp.ask("99999999999 name"), "? this number of a command is too large");
    let list = gtp.ask("list_commands");
    for command in ["boardsize", "kgs-genmove_cleanup", "lz-analyze", "kata-analyze", "loadsgf", "time_left", "undo"] {
        assert!(list.split('|').any(|name| name == command), "{command}");
    }
    assert!(gtp.ask(&"x".repeat(10_000_000)).starts_with("? this line is too long"));
    assert!(gtp.ask("cputime").starts_with("= "));
    assert_eq!(gtp.ask("3 quit"), "=3");
    assert!(gtp.0.close().is_empty());
}

#[test]
fn every_command_that_is_listed_is_known() {
    for game in ["go9", "blokus-duo"] {
        let mut gtp = Gtp::about(game);
        let list = gtp.ask("list_commands");
        for name in list.split('|').filter(|name| !name.starts_with('=') && *name != "quit") {
            if name.ends_with("analyze") && !name.contains("genmove") {
                // Ends with the next line.
                gtp.0.say(name);
                assert!(gtp.ask("").starts_with('='), "{name}");
                continue;
            }
            assert_ne!(gtp.ask(name), "? unknown command", "{name}");
        }
        assert_eq!(gtp.ask("unheard_of"), "? unknown command");
    }
}

#[test]
fn boards_of_all_sizes() {
    let mut gtp = Gtp::about("go19");
    for size in [9, 13, 19, 2, 5, 10, 14] {
        assert_eq!(gtp.ask(&format!("boardsize {size}")), "=");
        assert_eq!(gtp.ask("query_boardsize"), format!("= {size}"));
        assert_eq!(gtp.ask("play b A1"), "=");
        assert_eq!(gtp.ask("genmove w"), "= B1");
    }
    for wrong in ["boardsize 1", "boardsize 20", "boardsize 99999999999999999999", "rectangular_boardsize 9 8"] {
        assert_eq!(gtp.ask(wrong), "? unacceptable size", "{wrong}");
    }
    assert_eq!(gtp.ask("query_boardsize"), "= 14");
    assert_eq!(gtp.ask("list_stones b"), "= A1");
}

#[test]
fn moves_are_played_and_taken_back() {
    let mut gtp = Gtp::about("go9");
    assert_eq!(gtp.ask("play black E5"), "=");
    assert!(gtp.ask("play white E5").starts_with("? illegal move: "));
    assert_eq!(gtp.ask("play BLACK pass"), "=");
    assert_eq!(gtp.ask("play b c3"), "=", "either side may move at any time");
    assert_eq!(gtp.ask("list_stones black"), "= C3 E5");
    assert_eq!(gtp.ask("undo"), "=");
    assert_eq!(gtp.ask("gg-undo 2"), "=");
    assert_eq!(gtp.ask("undo"), "? cannot undo");
    assert_eq!(gtp.ask("list_stones black"), "=");
    // A ko: the taken stone may not come back at once.
    assert_eq!(gtp.ask("gogui-play_sequence b C4 w F4 b D5 w E5 b D3 w E3 b A1 w D4 b E4"), "=");
    assert_eq!(gtp.ask("is_legal w D4"), "= 0");
    assert_eq!(gtp.ask("komi 6.25"), "? komi is a number in halves");
    assert_eq!(gtp.ask("komi -3.5"), "=");
    assert_eq!(gtp.ask("get_komi"), "= -3.5");
    assert_eq!(gtp.ask("list_stones b"), "= A1 D3 C4 E4 D5", "a game goes on under another komi");
    assert!(gtp.ask("printsgf").contains("KM[-3.5]"));
    // Both pass, and the game goes on.
    assert_eq!(gtp.ask("clear_board"), "=");
    for command in ["play b pass", "play w pass", "play b D4"] {
        assert_eq!(gtp.ask(command), "=", "{command}");
    }
    assert_eq!(gtp.ask("reg_genmove w"), "= A1");
    assert_eq!(gtp.ask("list_stones w"), "=");
}

#[test]
fn handicaps() {
    let mut gtp = Gtp::about("go19");
    assert_eq!(gtp.ask("fixed_handicap 4"), "= D4 Q16 D16 Q4");
    assert_eq!(gtp.ask("fixed_handicap 2"), "? board not empty");
    assert_eq!(gtp.ask("clear_board"), "=");
    assert!(gtp.ask("fixed_handicap 10").starts_with("? a fixed handicap of 10"));
    assert_eq!(gtp.ask("place_free_handicap 12").split_whitespace().count(), 10);
    assert_eq!(gtp.ask("clear_board"), "=");
    assert_eq!(gtp.ask("set_free_handicap C3 D4 E5"), "=");
    assert!(gtp.ask("printsgf").contains("HA[3]"));
    assert_eq!(gtp.ask("genmove w"), "= A1");
}

#[test]
fn rules_by_every_name() {
    let mut gtp = Gtp::about("go9");
    assert_eq!(gtp.ask("kgs-rules new_zealand"), "=");
    assert!(gtp.ask("kata-get-rules").contains("\"suicide\":true"));
    assert_eq!(gtp.ask("kata-set-rules {\"ko\":\"SIMPLE\",\"scoring\":\"TERRITORY\",\"suicide\":false}"), "=");
    assert!(gtp.ask("kata-get-rules").contains("\"scoring\":\"TERRITORY\""));
    assert!(gtp.ask("kgs-rules klingon").starts_with("? unknown rules"));
}

#[test]
fn games_are_counted() {
    let mut gtp = Gtp::about("go7(komi=0.5)");
    let stones = [
        "b B7 D7 A6 B6 C6 D6 C5 D5 C4 D4 C3 D3 A2 B2 C2 D2 B1 D1",
        "w E7 G7 E6 G6 E5 F5 G5 B4 E4 G4 E3 F3 G3 E2 G2 E1 G1",
    ];
    let pairs = stones.iter().flat_map(|side| {
        let (color, points) = side.split_once(' ').unwrap();
        points.split(' ').map(move |point| format!("{color} {point}"))
    });
    let setup: Vec<String> = pairs.collect();
    assert_eq!(gtp.ask(&format!("gogui-setup {}", setup.join(" "))), "=");
    assert_eq!(gtp.ask("final_score"), "= B+6.5");
    assert_eq!(gtp.ask("final_status_list dead"), "= B4");
    assert!(!gtp.ask("final_status_list alive").contains("B4"));
    assert!(gtp.ask("final_status_list black_territory").contains("B4"));
    assert_eq!(gtp.ask("final_status_list seki"), "=");
    assert_eq!(gtp.ask("final_status_list asleep"), "? invalid status");
    assert_eq!(gtp.ask("yomi-ownership").split('|').count(), 8);
}

#[test]
fn analysis_is_live_and_ends_with_the_next_line() {
    let mut gtp = Gtp::about("go9");
    gtp.0.say("5 lz-analyze b 1");
    assert_eq!(gtp.0.next(), "=5");
    for _ in 0..3 {
        assert!(
            gtp.0.next().starts_with("info move A1 visits 1 winrate 5000 prior 0 lcb 0 order 0 pv A1 info move B1")
        );
    }
    // The command that ends it is obeyed.
    gtp.0.say("6 name");
    let rest = gtp.answer();
    assert!(rest.split('|').all(|line| line.starts_with("info move")), "{rest}");
    assert_eq!(gtp.answer(), "=6 Yomi");
    // Sabaki needs the first line right behind the sign; KataGo's words are fractions.
    gtp.0.say("kata-analyze interval 1 ownership true rootInfo true maxmoves 1");
    assert_eq!(gtp.0.next(), "=");
    let line = gtp.0.next();
    assert!(line.starts_with("info move A1 visits 1 utility 0.000000 winrate 0.500000 scoreMean "), "{line}");
    let (_, ownership) = line.split_once(" ownership ").unwrap();
    assert_eq!(ownership.split(' ').count(), 81);
    gtp.0.say("");
    gtp.answer();
    // Some moves only.
    for (limit, first) in [("allow b E5,C3 1", "C3"), ("avoid b A1,B1 1", "C1"), ("avoid w A1 1", "A1")] {
        gtp.0.say(&format!("kata-analyze b 1 maxmoves 1 {limit}"));
        assert_eq!(gtp.0.next(), "=");
        let line = gtp.0.next();
        assert!(line.starts_with(&format!("info move {first} visits")), "{line}");
        gtp.0.say("");
        gtp.answer();
    }
    // A move with a report.
    let answer = gtp.ask("lz-genmove_analyze w 1");
    assert!(answer.starts_with("=|info move ") && answer.ends_with("|play A1"), "{answer}");
    assert_eq!(gtp.ask("list_stones w"), "= A1");
    // As the client of the Computer Go Server reads it: an object for the side to move, then the move.
    let answer = gtp.ask("cgos-genmove_analyze b 100");
    let parts: Vec<&str> = answer.split('|').collect();
    assert_eq!((parts[0], parts[parts.len() - 1]), ("=", "play B1"), "{answer}");
    let report: serde_json::Value = serde_json::from_str(parts[parts.len() - 2]).unwrap();
    assert_eq!((&report["visits"], &report["winrate"]), (&81.into(), &0.5.into()));
    assert_eq!((&report["moves"][0]["move"], &report["moves"][0]["pv"]), (&"B1".into(), &"".into()));
    assert!(report["score"].is_number() && report["moves"][80]["score"].is_number(), "{report}");
    assert_eq!(report["ownership"].as_str().unwrap().len(), 81);
    gtp.0.say("kata-analyze w 1 maxmoves 1 pvVisits true movesOwnership true rootInfo true");
    assert_eq!(gtp.0.next(), "=");
    let line = gtp.0.next();
    let (row, ownership) = line.split_once(" movesOwnership ").unwrap();
    assert!(row.ends_with(" pvVisits 1") && ownership.contains(" rootInfo visits "), "{line}");
    assert!(ownership.contains(" scoreLead "), "{line}");
    gtp.0.say("");
    gtp.answer();
    assert!(gtp.ask("lz-analyze often").starts_with('?'));
    // The end of the input ends it as well.
    gtp.0.say("lz-analyze 1");
    gtp.0.wait_for("info move");
    assert_eq!(gtp.0.close().last().map(String::as_str), Some(""));
}

#[test]
fn maps_for_gogui() {
    let mut gtp = Gtp::about("go5");
    assert!(gtp.ask("gogui-analyze_commands").contains("|dboard/Ownership/yomi-ownership|"));
    assert_eq!(gtp.ask("yomi-visits").split('|').nth(1), Some("1 1 1 1 1"));
    assert_eq!(gtp.ask("yomi-values").split('|').nth(5), Some("50 50 50 50 50"));
    assert_eq!(gtp.ask("yomi-visits_map").split('|').nth(5), Some("1.000 1.000 1.000 1.000 1.000"));
    assert_eq!(gtp.ask("yomi-pv"), "= VAR b A1");
    assert!(gtp.ask("yomi-evaluation").starts_with("= best A1 winrate 0.500"));
}

#[test]
fn a_search_can_be_interrupted() {
    let questions = Questions::default();
    let endless = Patients { limits: Limits::time(Duration::from_secs(3600)), questions: questions.clone() };
    let mut gtp = Gtp(Talk::with(move |console| {
        let game = Spec::parse("go9").unwrap();
        serve(console, &game, &endless, GtpOptions::new(Seed::new(1), 0.0)).unwrap().unwrap();
    }));
    gtp.0.say("genmove b");
    // It thinks, and answers nothing.
    questions.wait_for(60);
    assert!(!gtp.0.said().iter().any(|line| line.starts_with('=')));
    assert_eq!(gtp.ask("# interrupt"), "= A1");
    assert_eq!(gtp.ask("gogui-sigint"), format!("= {}", std::process::id()));
    // A clock ends it as well.
    assert_eq!(gtp.ask("time_settings 0 1 10"), "=");
    assert_eq!(gtp.ask("genmove w"), "= B1");
    assert_eq!(gtp.ask("kgs-time_settings byoyomi 0 0.1 5"), "=");
    assert_eq!(gtp.ask("genmove b"), "= C1");
}

#[test]
fn records_are_loaded_and_printed() {
    let mut gtp = Gtp::about("go19");
    let path = std::env::temp_dir().join(format!("yomi-gtp-{}.sgf", std::process::id()));
    fs::write(&path, "(;GM[1]SZ[9]KM[5.5];B[ee];W[cc];B[gg])").unwrap();
    let name = path.to_str().unwrap();
    assert_eq!(gtp.ask(&format!("loadsgf {name}")), "=");
    assert_eq!(gtp.ask("query_boardsize"), "= 9");
    assert_eq!((gtp.ask("get_komi"), gtp.ask("list_stones b")), ("= 5.5".to_string(), "= G3 E5".to_string()));
    assert_eq!(gtp.ask(&format!("loadsgf {name} 2")), "=");
    assert_eq!((gtp.ask("list_stones b"), gtp.ask("list_stones w")), ("= E5".to_string(), "=".to_string()));
    assert_eq!(gtp.ask(&format!("loadsgf {name} 1")), "=");
    assert_eq!(gtp.ask("list_stones b"), "=");
    assert_eq!(gtp.ask(&format!("printsgf {name}")), "=");
    assert!(fs::read_to_string(&path).unwrap().contains("SZ[9]"));
    fs::write(&path, "no game at all").unwrap();
    assert!(gtp.ask(&format!("loadsgf {name}")).starts_with('?'));
    fs::remove_file(&path).unwrap();
    assert!(gtp.ask(&format!("loadsgf {name}")).starts_with("? cannot load file"));
    assert_eq!(gtp.ask("query_boardsize"), "= 9", "an error changes nothing");
}

#[test]
fn blokus_as_pentobi_speaks_it() {
    let mut gtp = Gtp::about("blokus-duo");
    assert_eq!(gtp.ask("set_game Blokus Duo"), "=");
    assert_eq!(gtp.ask("boardsize 9"), "? unknown command");
    // One line per move, and the sign alone on the first.
    assert_eq!(gtp.ask("all_legal b").split('|').count(), 1 + 414);
    assert_eq!(gtp.ask("play b e9,d10,e10,f10,e11"), "=");
    assert!(gtp.ask("play b e9,d10,e10,f10,e11").starts_with("? invalid move"));
    let answer = gtp.ask("genmove w");
    assert!(answer.len() > 3 && !answer.contains("pass"), "{answer}");
    assert_eq!(gtp.ask("undo"), "=");
    assert_eq!(gtp.ask("reg_genmove w"), answer);
    assert_eq!(gtp.ask("g"), answer);
    // Either side may be played at any time.
    assert!(gtp.ask("genmove w").len() > 3);
    assert!(gtp.ask("final_score").starts_with("= B+"));
    assert!(gtp.ask("move_info e9,d10,e10,f10,e11").contains("Piece: "));
    assert!(gtp.ask("get_value").starts_with("= 0.5"));
    assert!(gtp.ask("printsgf").contains("GM[Blokus Duo]"));
}
