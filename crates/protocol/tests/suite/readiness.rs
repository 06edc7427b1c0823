//! What takes long is done before a move is waited for, and a setting that is wrong changes nothing.

use crate::common;

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use common::{Patient, Talk};
use yomi_core::{Line, Notation, Seed, Spec, TextError};
use yomi_games::blokus::BlokusDuo;
use yomi_games::go::{Go9, Go13, Go19};
use yomi_games::shogi::{Nine, Rules};
use yomi_protocol::server::gtp;
use yomi_protocol::server::usi::{self, Scale, Settings};
use yomi_protocol::usi::{EngineOption, OptionKind};
use yomi_search::{Limits, Search, Verdict, Watch};

/// What was done, in order.
#[derive(Clone, Default)]
struct Diary(Arc<Mutex<Vec<String>>>);

impl Diary {
    fn note(&self, what: impl Into<String>) {
        self.0.lock().unwrap().push(what.into());
    }

    /// What was done since the last look.
    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

/// Writes down what it is asked to do.
struct Diarist(Diary);

impl<P: Notation> Search<P> for Diarist {
    fn search(&mut self, line: &Line<P>, limits: &Limits, watch: &mut dyn Watch<P::Move>) -> Verdict<P::Move> {
        self.0.note("search");
        Patient.search(line, limits, watch)
    }

    fn new_game(&mut self) {
        self.0.note("new game");
    }

    fn prepare(&mut self, line: &Line<P>, _: &AtomicBool) {
        self.0.note(format!("prepare at ply {}", line.len()));
    }
}

struct Builder(Diary);

impl usi::Builder<Nine> for Builder {
    fn build(&self, settings: &Settings) -> Result<usi::Engine<Nine>, TextError> {
        let file = settings.extra("EvalFile");
        if settings.player.starts_with("no") {
            return Err(TextError::at(&settings.player, 0, format!("{} is no search", settings.player)));
        }
        if file.starts_with("no") {
            return Err(TextError::new(format!("{file}: there is no such file")));
        }
        self.0.note(format!("build {} {file}", settings.player).trim_end());
        let (scale, limits, note) = (Scale::Pawn(87.0), Limits::infinite(), String::new());
        Ok(usi::Engine { search: Box::new(Diarist(self.0.clone())), scale, limits, note })
    }
}

impl Builder {
    fn engine<P: Notation>(&self) -> Result<gtp::Engine<P>, TextError> {
        let search = Box::new(Diarist(self.0.clone()));
        Ok(gtp::Engine { search, win: 1.0, limits: Limits::simulations(1), forecaster: None })
    }
}

impl gtp::Builder for Builder {
    fn go9(&self) -> Result<gtp::Engine<Go9>, TextError> {
        self.engine()
    }
    fn go13(&self) -> Result<gtp::Engine<Go13>, TextError> {
        self.engine()
    }
    fn go19(&self) -> Result<gtp::Engine<Go19>, TextError> {
        self.engine()
    }
    fn blokus(&self) -> Result<gtp::Engine<BlokusDuo>, TextError> {
        self.engine()
    }
}

fn usi() -> (Talk, Diary) {
    let diary = Diary::default();
    let builder = Builder(diary.clone());
    let talk = Talk::with(move |console| {
        let file = EngineOption { name: "EvalFile".to_string(), kind: OptionKind::Filename(String::new()) };
        let defaults = Settings::new::<Nine>("first", Rules::default());
        let settings = Settings { extra: vec![(file, String::new())], most_threads: 2, ..defaults };
        usi::serve::<Nine, _>(console, settings, &builder).unwrap();
    });
    (talk, diary)
}

#[test]
fn everything_is_ready_before_readyok() {
    let (mut talk, diary) = usi();
    talk.say("isready");
    assert_eq!(talk.next(), "readyok");
    assert_eq!(diary.take(), ["build first", "new game", "prepare at ply 0"]);
    talk.say("usinewgame\nposition startpos moves 7g7f\ngo nodes 1");
    talk.wait_for("bestmove");
    assert_eq!(diary.take(), ["new game", "search"]);
    // The next game is prepared as well.
    talk.say("gameover win\nisready");
    assert_eq!(talk.next(), "readyok");
    assert_eq!(diary.take(), ["new game", "prepare at ply 1"]);
    // In the midst of a search it is only a question.
    talk.say("go infinite\nisready");
    talk.wait_for("readyok");
    talk.say("stop");
    talk.wait_for("bestmove");
    assert_eq!(diary.take(), ["search"]);
    assert!(talk.close().is_empty());
}

#[test]
fn boards_are_ready_before_they_are_asked_about() {
    let diary = Diary::default();
    let builder = Builder(diary.clone());
    let mut talk = Talk::with(move |console| {
        let game = Spec::parse("go9").unwrap();
        gtp::serve(console, &game, &builder, gtp::GtpOptions::new(Seed::new(1), 0.0)).unwrap().unwrap();
    });
    talk.say("name");
    talk.wait_for("= Yomi");
    assert_eq!(diary.take(), ["prepare at ply 0"]);
    talk.say("boardsize 13\ngenmove b");
    talk.wait_for("= A1");
    assert_eq!(diary.take(), ["prepare at ply 0", "search"]);
    assert_eq!(talk.close(), [""]);
}

#[test]
fn a_player_that_is_wrong_leaves_the_last_good_one() {
    let (mut talk, diary) = usi();
    talk.say("setoption name Player value nonsense");
    assert_eq!(
        talk.next(),
        "info string error: Player is not changed, and the player is still first: nonsense is no search (at character 1)"
    );
    talk.say("setoption name Player value second");
    talk.say("setoption name Player value nobody");
    assert!(talk.next().contains("still second: nobody is no search"));
    talk.say("setoption name EvalFile value none.bin");
    assert!(
        talk.next()
            .contains("EvalFile is not changed, and the player is still second: none.bin: there is no such file")
    );
    talk.say("setoption name EvalFile value some.bin");
    talk.say("isready");
    assert_eq!(talk.next(), "readyok");
    assert_eq!(diary.take(), ["build second", "build second some.bin", "new game", "prepare at ply 0"]);
    talk.say("go nodes 1");
    talk.wait_for("bestmove 1g1f");
    // The same again is nothing new.
    talk.say("setoption name Player value second\nisready");
    talk.wait_for("readyok");
    assert_eq!(diary.take(), ["search", "new game", "prepare at ply 0"]);
    assert!(talk.close().is_empty());
}

#[test]
fn threads_are_no_more_than_the_cores() {
    let (mut talk, _) = usi();
    talk.say("usi");
    assert_eq!(talk.wait_for("option name Threads"), "option name Threads type spin default 1 min 1 max 2");
    talk.wait_for("usiok");
    talk.say("setoption name Threads value 64");
    let remark = talk.next();
    assert!(remark.starts_with("info string Threads is 2, the number of this machine's cores, not 64;"), "{remark}");
    assert!(remark.ends_with("mcss(threads=64)"), "{remark}");
    talk.say("setoption name Threads value 2\nisready");
    assert_eq!(talk.next(), "readyok");
    assert!(talk.close().is_empty());
}

#[test]
fn books_have_a_largest_size() {
    let path = std::env::temp_dir().join(format!("yomi-large-book-{}.db", std::process::id()));
    // Sparse: it takes no room, and nothing of it is read.
    std::fs::File::create(&path).and_then(|file| file.set_len((1 << 30) + 1)).unwrap();
    let (mut talk, _) = usi();
    talk.say(&format!("setoption name BookFile value {}\nisready", path.display()));
    let error = talk.next();
    assert!(error.starts_with("info string error: cannot read the book: "), "{error}");
    assert!(error.ends_with("the file is larger than 1024 MiB"), "{error}");
    assert_eq!(talk.next(), "readyok");
    talk.say("setoption name BookFile value /dev/zero\nisready");
    assert!(talk.next().ends_with("this is not a regular file"));
    assert_eq!(talk.next(), "readyok");
    std::fs::remove_file(&path).unwrap();
    assert!(talk.close().is_empty());
}
