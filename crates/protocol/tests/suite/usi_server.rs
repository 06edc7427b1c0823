//! The USI conversation where it is delicate: stopping, pondering, nonsense, the end of the input.

use crate::common;

use std::ops::{Deref, DerefMut};

use common::{Counted, Questions, Talk};
use yomi_core::TextError;
use yomi_games::shogi::{Nine, Rules};
use yomi_protocol::server::usi::{Builder, Engine, Scale, Settings, serve};
use yomi_search::Limits;

struct Patients(Questions);

impl Builder<Nine> for Patients {
    fn build(&self, settings: &Settings) -> Result<Engine<Nine>, TextError> {
        if settings.player == "nobody" {
            return Err(TextError::new("there is no such player"));
        }
        Ok(Engine {
            search: Box::new(Counted(self.0.clone())),
            scale: Scale::Pawn(87.0),
            limits: Limits::infinite(),
            note: "temperature 80 ".to_string(),
        })
    }
}

/// A conversation, and how often the search in it has asked.
struct Game {
    talk: Talk,
    questions: Questions,
}

impl Game {
    /// The search goes on, at least for this many milliseconds by its own count, and answers nothing.
    fn goes_on(&self, milliseconds: u64) {
        self.questions.wait_for(milliseconds);
        assert!(!self.talk.said().iter().any(|line| line.starts_with("bestmove")));
    }

    /// The server is ready and has not answered; the search has ended already.
    fn holds_its_answer(&mut self) {
        self.talk.say("isready");
        loop {
            match self.talk.next().as_str() {
                "readyok" => return,
                line => assert!(!line.starts_with("bestmove"), "{line}"),
            }
        }
    }

    fn close(self) -> Vec<String> {
        self.talk.close()
    }
}

impl Deref for Game {
    type Target = Talk;

    fn deref(&self) -> &Talk {
        &self.talk
    }
}

impl DerefMut for Game {
    fn deref_mut(&mut self) -> &mut Talk {
        &mut self.talk
    }
}

fn talk() -> Game {
    let questions = Questions::default();
    let patients = Patients(questions.clone());
    let mut talk = Talk::with(move |console| {
        let settings = Settings { most_threads: 1024, ..Settings::new::<Nine>("patient", Rules::default()) };
        serve::<Nine, _>(console, settings, &patients).unwrap();
    });
    talk.say("usi");
    talk.wait_for("usiok");
    talk.say("isready");
    assert_eq!(talk.next(), "readyok");
    Game { talk, questions }
}

/// Questions that show that a search goes on.
const SOME: u64 = 5;

#[test]
fn stop_is_answered() {
    let mut talk = talk();
    talk.say("position startpos");
    for _ in 0..20 {
        talk.say("go infinite");
        talk.goes_on(SOME);
        talk.say("stop");
        talk.wait_for("bestmove 1g1f");
    }
    assert!(talk.close().is_empty());
}

#[test]
fn nothing_is_answered_that_was_not_asked() {
    let mut talk = talk();
    for line in ["stop", "ponderhit", "gameover win", "", "   "] {
        talk.say(line);
    }
    talk.say("isready");
    assert_eq!(talk.next(), "readyok");
    assert!(talk.close().is_empty());
}

#[test]
fn pondering_keeps_its_answer() {
    let mut talk = talk();
    talk.say("position startpos moves 7g7f");
    // A search that ends by itself says nothing before it is asked.
    talk.say("go ponder nodes 1 btime 1000 wtime 1000");
    talk.holds_its_answer();
    talk.holds_its_answer();
    talk.say("ponderhit");
    talk.wait_for("bestmove 1a1b");
    // One that goes on begins to look at the clock at the hit.
    talk.say("go ponder btime 0 wtime 0 byoyomi 30");
    talk.goes_on(2 * 30);
    talk.say("ponderhit");
    talk.wait_for("bestmove");
    // Early pondering: the clocks come with the hit.
    talk.say("go ponder");
    talk.goes_on(SOME);
    talk.say("ponderhit btime 0 wtime 0 byoyomi 200");
    talk.wait_for("bestmove");
    // Without any clock there is nothing to wait for.
    talk.say("go ponder");
    talk.say("ponderhit");
    talk.wait_for("bestmove");
    // The other side played something else.
    talk.say("go ponder btime 1000 wtime 1000");
    talk.say("stop");
    talk.wait_for("bestmove");
    assert!(talk.close().is_empty());
}

#[test]
fn pondering_on_everything_answers_the_same() {
    let mut talk = talk();
    talk.say("setoption name Stochastic_Ponder value true");
    talk.say("position startpos moves 7g7f 3c3d");
    talk.say("go ponder btime 0 wtime 0 byoyomi 200");
    talk.goes_on(SOME);
    talk.say("ponderhit");
    talk.wait_for("bestmove 1g1f");
    talk.say("go ponder btime 0 wtime 0 byoyomi 100000");
    talk.say("stop");
    talk.wait_for("bestmove 1g1f");
    talk.say("position startpos");
    talk.say("go ponder nodes 1");
    talk.holds_its_answer();
    talk.say("stop");
    talk.wait_for("bestmove 1g1f");
    assert!(talk.close().is_empty());
}

#[test]
fn every_go_has_one_answer() {
    let mut talk = talk();
    talk.say("position startpos");
    talk.say("go infinite");
    talk.say("position startpos moves 7g7f");
    talk.say("go infinite");
    talk.wait_for("bestmove 1g1f");
    talk.goes_on(SOME);
    talk.say("gameover lose");
    talk.wait_for("bestmove 1a1b");
    talk.say("usinewgame");
    talk.say("go nodes 1");
    talk.say("go nodes 1");
    talk.wait_for("bestmove");
    talk.wait_for("bestmove");
    assert!(talk.close().is_empty());
}

/// A search that has time ends by itself, and not before it has to. How much time it gets is decided, and tested, in `yomi_search::time`.
#[test]
fn times_are_kept() {
    let mut talk = talk();
    talk.say("position startpos");
    for go in [
        "go movetime 100",
        "go btime 0 wtime 0 byoyomi 300",
        "go btime -500 wtime -1 byoyomi 0",
        "go btime 2000 wtime 60000 binc 100 winc 100",
    ] {
        talk.say(go);
        talk.wait_for("bestmove");
    }
    for go in ["go movetime 600000", "go btime 0 wtime 0 byoyomi 600000", "go btime 60000000 wtime 0"] {
        talk.say(go);
        talk.goes_on(100);
        talk.say("stop");
        talk.wait_for("bestmove");
    }
    assert!(talk.close().is_empty());
}

#[test]
fn nonsense_is_reported_and_ignored() {
    let mut talk = talk();
    talk.say("hello");
    assert_eq!(talk.next(), "info string error: hello is no command of USI");
    talk.say("setoption name Threads value none");
    assert_eq!(talk.next(), "info string error: Threads is a whole number from 1 to 1024, not none");
    talk.say(&"x".repeat(10_000_000));
    assert_eq!(talk.next(), "info string error: a line was too long and is ignored");
    talk.say(&"position ".repeat(100_000));
    talk.wait_for("info string error");
    talk.say("position startpos moves 7g7f 7g7f");
    assert!(talk.next().contains("move 2"));
    talk.say("go nodes 1");
    talk.wait_for("bestmove resign");
    talk.say("position startpos");
    talk.say("setoption name Player value nobody");
    assert!(talk.next().ends_with("still patient: there is no such player"));
    talk.say("isready");
    assert_eq!(talk.next(), "readyok");
    talk.say("go nodes 1");
    talk.wait_for("bestmove 1g1f");
    talk.say("setoption name Player value somebody");
    talk.say("go nodes 1");
    talk.wait_for("bestmove 1g1f");
    assert!(talk.close().is_empty());
}

#[test]
fn quit_says_nothing_more_and_the_end_of_the_input_says_what_it_can() {
    let mut quitting = talk();
    quitting.say("go infinite");
    quitting.say("quit");
    assert!(quitting.close().iter().all(|line| line.starts_with("info")));
    let mut ending = talk();
    ending.say("position startpos");
    ending.say("go infinite");
    ending.goes_on(SOME);
    assert_eq!(ending.close().last().map(String::as_str), Some("bestmove 1g1f"));
    let mut half = talk();
    half.say("position startpos");
    half.say("go movetime 50\nisrea");
    let said = half.close();
    let answers: Vec<&str> = said.iter().map(String::as_str).rev().take(2).collect();
    assert_eq!(answers, ["info string error: isrea is no command of USI", "bestmove 1g1f"]);
}

#[test]
fn games_that_are_over_are_answered() {
    let mut talk = talk();
    let mut answer = |position: &str| {
        talk.say(&format!("position {position}"));
        talk.say("go nodes 1");
        talk.wait_for("bestmove")
    };
    // Mated; declared; a repetition that the interface plays on after.
    assert_eq!(answer("sfen 4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1"), "bestmove resign");
    let entered = "sfen 2+R2+R2K/1G1G1G1G1/1S1S1S1S1/9/9/9/9/9/4k4 b 2B4N4L 1";
    assert_eq!(answer(entered), "bestmove win");
    let dance = "2h3h 8b7b 3h2h 7b8b ".repeat(3);
    assert_eq!(answer(&format!("startpos moves {dance}")), "bestmove 1g1f");
    assert!(talk.close().is_empty());
}

#[test]
fn mates_are_looked_for() {
    let mut talk = talk();
    talk.say("position sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1");
    talk.say("go mate 600000");
    assert_eq!(talk.wait_for("checkmate"), "checkmate G*5b");
    talk.say("position startpos");
    talk.say("go mate infinite");
    assert_eq!(talk.wait_for("checkmate"), "checkmate nomate");
    talk.say("go mate");
    assert_eq!(talk.wait_for("checkmate"), "checkmate nomate");
    // A problem without a king of our own.
    talk.say("position sfen 4k4/9/4P4/9/9/9/9/9/9 b 2G 1");
    talk.say("go mate 600000");
    assert_eq!(talk.wait_for("checkmate"), "checkmate G*5b");
    assert!(talk.close().is_empty());
}

#[test]
fn a_book_is_played_from_as_long_as_it_may() {
    let path = std::env::temp_dir().join(format!("yomi-book-{}.db", std::process::id()));
    let start = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
    std::fs::write(&path, format!("#YANEURAOU-DB2016 1.00\nsfen {start}\n7g7f 3c3d 0 32 2\n")).unwrap();
    let mut talk = talk();
    let set = |name: &str, value: &str| format!("setoption name {name} value {value}");
    talk.say(&set("BookFile", path.to_str().unwrap()));
    talk.say("position startpos");
    talk.say("go nodes 1");
    assert_eq!(talk.next(), "info string book move 7g7f");
    assert_eq!(talk.next(), "bestmove 7g7f");
    talk.say(&set("BookMoves", "0"));
    talk.say("go nodes 1");
    talk.wait_for("bestmove 1g1f");
    talk.say(&set("BookMoves", "10"));
    talk.say(&set("USI_OwnBook", "false"));
    talk.say("go nodes 1");
    talk.wait_for("bestmove 1g1f");
    std::fs::remove_file(&path).unwrap();
    talk.say(&set("USI_OwnBook", "true"));
    talk.say("isready");
    assert!(talk.next().contains("cannot read the book"));
    assert_eq!(talk.next(), "readyok");
    assert!(talk.close().is_empty());
}

#[test]
fn only_the_moves_asked_for_are_searched() {
    let mut talk = talk();
    talk.say("position startpos");
    talk.say("go nodes 1 searchmoves 7g7f 2g2f");
    talk.wait_for("bestmove 2g2f");
    talk.say("go searchmoves 7g7e 9i9h 3c3d nonsense nodes 1");
    assert_eq!(talk.next(), "info string error: searchmoves: illegal here: 7g7e 3c3d nonsense");
    talk.wait_for("bestmove 9i9h");
    talk.say("go nodes 1 searchmoves 5a5b");
    assert_eq!(talk.next(), "info string error: searchmoves: illegal here: 5a5b");
    assert_eq!(talk.next(), "info string error: searchmoves: no legal move is left, so all are searched");
    talk.wait_for("bestmove 1g1f");
    // One move alone is no reason to hurry: its value is the question.
    for go in ["go btime 0 wtime 0 byoyomi 600000 searchmoves 7g7f", "go infinite searchmoves 7g7f"] {
        talk.say(go);
        talk.goes_on(100);
        talk.say("stop");
        talk.wait_for("bestmove 7g7f");
    }
    assert!(talk.close().is_empty());
}

#[test]
fn a_draw_is_worth_what_is_set_for_our_side() {
    let mut talk = talk();
    let score = |talk: &mut Talk, position: &str| {
        talk.say(position);
        talk.say("go nodes 1");
        let info = talk.wait_for("info depth");
        talk.wait_for("bestmove");
        info.split(" score cp ").nth(1).unwrap().split(' ').next().unwrap().parse::<i32>().unwrap()
    };
    let (first, second) = ("position startpos", "position startpos moves 7g7f");
    assert_eq!((score(&mut talk, first), score(&mut talk, second)), (0, 0), "nothing is set");
    talk.say("setoption name DrawValueBlack value -50");
    talk.say("setoption name DrawValueWhite value -20");
    // What is worth so much to White is worth as much less to Black.
    assert_eq!((score(&mut talk, first), score(&mut talk, second)), (-50, 20));
    talk.say("setoption name DrawValueBlack value 40000");
    assert!(talk.next().starts_with("info string error: DrawValueBlack is a whole number from -30000 to 30000"));
    // It is no limit: a search without any goes on until it is stopped.
    talk.say("go");
    talk.goes_on(SOME);
    talk.say("stop");
    talk.wait_for("bestmove");
    assert!(talk.close().is_empty());
}
