//! Whatever waits in the queue ends a search that only a word can end.
//!
//! The search of these tests has no clock and no budget of its own: it ends when it is stopped, or not at all. Every conversation is sent in
//! one piece, so that all its lines are there before the first search begins or come while it runs; neither may make a difference. If a
//! server hangs, a guard ends the test after half a minute; nothing else looks at a clock.

use std::io::{Cursor, PipeWriter, Read, Write, pipe};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use yomi_core::{Color, Line, Notation, Seed, Spec, TextError};
use yomi_games::blokus::BlokusDuo;
use yomi_games::go::{Go9, Go13, Go19};
use yomi_games::shogi::{Nine, Rules, Shogi9};
use yomi_protocol::csa::{self, Login};
use yomi_protocol::server::analysis::{self, View};
use yomi_protocol::server::usi::{self, Scale, Settings};
use yomi_protocol::server::{Console, gtp};
use yomi_search::{Ended, Limits, RootMove, Search, Verdict, Watch};

const GUARD: Duration = Duration::from_secs(30);

/// Ends at once if it is asked for exactly one node or simulation, and otherwise when it is stopped. Plays the first legal move.
struct Endless;

impl<P: Notation> Search<P> for Endless {
    fn search(&mut self, line: &Line<P>, limits: &Limits, watch: &mut dyn Watch<P::Move>) -> Verdict<P::Move> {
        let mut moves = Vec::new();
        line.generate(&mut moves);
        let rows = moves.iter().map(|&mv| RootMove { visits: 1, ..RootMove::new(mv) }).collect();
        let best = moves.first().copied();
        let verdict = Verdict { best, moves: rows, simulations: 1, nodes: 1, ..Verdict::empty() };
        let short = limits.nodes == Some(1) || limits.simulations == Some(1);
        while !short && !watch.should_stop() {
            thread::yield_now();
        }
        Verdict { ended: Some(Ended::Stopped), ..verdict }
    }
}

/// Output that can be read when the server has ended.
#[derive(Clone, Default)]
struct Output(Arc<Mutex<Vec<u8>>>);

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// What comes after the text.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Then {
    /// The end of the input.
    End,
    /// Nothing, for ever.
    Silence,
}

/// The text as an input; the writer keeps it open.
fn input(text: &str, then: Then) -> (Box<dyn Read + Send>, Option<PipeWriter>) {
    match then {
        Then::End => (Box::new(Cursor::new(text.to_string())), None),
        Then::Silence => {
            let (reader, mut writer) = pipe().unwrap();
            writer.write_all(text.as_bytes()).unwrap();
            (Box::new(reader), Some(writer))
        }
    }
}

/// What a server says to all this, up to its end.
fn talk(text: &str, then: Then, serve: impl FnOnce(Console<Output>) + Send + 'static) -> Vec<String> {
    let (input, _open) = input(text, then);
    let output = Output::default();
    let console = Console::new(input, output.clone());
    let (sender, ended) = channel();
    thread::spawn(move || {
        serve(console);
        let _ = sender.send(());
    });
    let hangs = ended.recv_timeout(GUARD).is_err();
    let said = String::from_utf8(output.0.lock().unwrap().clone()).unwrap();
    assert!(!hangs, "the server hangs after {text:?} and {then:?}; it has said:\n{said}");
    said.lines().map(str::to_string).collect()
}

struct Builder(Limits);

impl usi::Builder<Nine> for Builder {
    fn build(&self, _: &Settings) -> Result<usi::Engine<Nine>, TextError> {
        let (scale, note) = (Scale::Pawn(87.0), String::new());
        Ok(usi::Engine { search: Box::new(Endless), scale, limits: self.0.clone(), note })
    }
}

impl Builder {
    fn engine<P: Notation>(&self) -> Result<gtp::Engine<P>, TextError> {
        Ok(gtp::Engine { search: Box::new(Endless), win: 1.0, limits: self.0.clone(), forecaster: None })
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

fn usi(text: &str, then: Then) -> Vec<String> {
    talk(text, then, |console| {
        let settings = Settings::new::<Nine>("endless", Rules::default());
        usi::serve::<Nine, _>(console, settings, &Builder(Limits::infinite())).unwrap();
    })
}

/// What is said that is no report.
fn answers(text: &str, then: Then) -> Vec<String> {
    usi(text, then).into_iter().filter(|line| !line.starts_with("info")).collect()
}

const FIRST: &str = "bestmove 1g1f";
const SECOND: &str = "bestmove 1a1b";

#[test]
fn usi_answers_every_go_of_one_write() {
    let three = "position startpos\ngo infinite\nstop\nposition startpos moves 7g7f\ngo infinite\nstop\n\
        position startpos\ngo infinite\nstop\n";
    assert_eq!(answers(&format!("{three}quit\n"), Then::Silence), [FIRST, SECOND, FIRST]);
    assert_eq!(answers(three, Then::End), [FIRST, SECOND, FIRST]);
    let ponder = "position startpos\ngo ponder\nponderhit\nposition startpos moves 7g7f\ngo ponder\nstop\nquit\n";
    assert_eq!(answers(ponder, Then::Silence), [FIRST, SECOND]);
}

/// A script writes a question and `quit` in one go.
#[test]
fn usi_answers_a_question_about_mate_at_the_end_of_input() {
    for go in ["go mate", "go mate infinite", "go mate 3600000"] {
        for (text, then) in [(format!("{go}\n"), Then::End), (format!("{go}\nquit\n"), Then::Silence)] {
            let said = answers(&format!("position startpos\n{text}"), then);
            assert!(said.len() == 1 && said[0].starts_with("checkmate "), "{go}, {then:?}: {said:?}");
        }
    }
}

#[test]
fn usi_ends_every_search_at_the_end_of_input() {
    for go in ["go nodes 5", "go movetime 3600000", "go btime 3600000 wtime 3600000", "go depth 9"] {
        let text = format!("position startpos\n{go}\nposition startpos moves 7g7f\n{go}\n");
        assert_eq!(answers(&text, Then::End), [FIRST, SECOND], "{go}");
        assert_eq!(answers(&format!("{text}quit\n"), Then::Silence), [FIRST, SECOND], "{go}");
    }
    for go in ["go infinite", "go ponder", "go ponder nodes 1", "go ponder nodes 5", "go"] {
        let text = format!("position startpos\n{go}\n");
        assert_eq!(answers(&text, Then::End), [FIRST], "{go}");
        // This answer was not asked for.
        assert!(answers(&format!("{text}quit\n"), Then::Silence).is_empty(), "{go}");
    }
}

#[test]
fn usi_lines_belong_to_the_go_before_them() {
    // The word behind the second `go` is not about the first.
    let text = "position startpos\ngo nodes 1\nposition startpos moves 7g7f\ngo infinite\nstop\nquit\n";
    assert_eq!(answers(text, Then::Silence), [FIRST, SECOND]);
    // A `go` ends one before it that would not end by itself.
    let text = "position startpos\ngo infinite\nposition startpos moves 7g7f\ngo infinite\nstop\nquit\n";
    assert_eq!(answers(text, Then::Silence), [FIRST, SECOND]);
    // Readiness is reported at once, but not before an option that was to be set first.
    let text = "position startpos\ngo infinite\nisready\nstop\nquit\n";
    assert_eq!(answers(text, Then::Silence), ["readyok", FIRST]);
    let text = "position startpos\ngo infinite\nsetoption name MultiPV value 2\nisready\nstop\nquit\n";
    assert_eq!(answers(text, Then::Silence), [FIRST, "readyok"]);
    // Errors are reported in their turn.
    let said = usi("position startpos\ngo infinite\nnonsense\nstop\nquit\n", Then::Silence);
    assert_eq!(said.last().unwrap(), "info string error: nonsense is no command of USI");
}

fn gtp(game: &str, limits: &Limits, text: &str, then: Then) -> Vec<String> {
    let (game, limits) = (Spec::parse(game).unwrap(), limits.clone());
    talk(text, then, move |console| {
        gtp::serve(console, &game, &Builder(limits), gtp::GtpOptions::new(Seed::new(1), 0.0)).unwrap().unwrap();
    })
}

/// The answers, without reports and empty lines.
fn gtp_answers(game: &str, limits: &Limits, text: &str, then: Then) -> Vec<String> {
    let said = gtp(game, limits, text, then);
    said.into_iter().filter(|line| !line.is_empty() && !line.starts_with("info")).collect()
}

#[test]
fn gtp_analysis_ends_with_what_waits() {
    let short = Limits::simulations(1);
    let text = "genmove b\nlz-analyze 10\nname\nquit\n";
    assert_eq!(gtp_answers("go9", &short, text, Then::Silence), ["= A1", "=", "= Yomi", "="]);
    // A turn of the mouse wheel: every position is shown, and the last one stays.
    let pairs: String =
        ["b A1", "w B1", "b C1", "w D1", "b E1"].map(|mv| format!("play {mv}\nlz-analyze 10\n")).concat();
    let said = gtp_answers("go9", &short, &format!("{pairs}list_stones b\nlist_stones w\nquit\n"), Then::Silence);
    let mut expected = ["=", "="].repeat(5);
    expected.extend(["= A1 C1 E1", "= B1 D1", "="]);
    assert_eq!(said, expected);
    assert_eq!(gtp_answers("go9", &short, "kata-analyze 1\n", Then::End), ["="]);
}

#[test]
fn gtp_ends_every_search_at_the_end_of_input() {
    for limits in [Limits::infinite(), Limits::simulations(100), Limits::time(Duration::from_secs(3600))] {
        let text = "1 genmove b\n2 genmove w\n3 reg_genmove b\n";
        let expected = ["=1 A1", "=2 B1", "=3 C1"];
        assert_eq!(gtp_answers("go9", &limits, text, Then::End), expected);
        let mut with_quit = expected.to_vec();
        with_quit.push("=4");
        assert_eq!(gtp_answers("go9", &limits, &format!("{text}4 quit\n"), Then::Silence), with_quit);
    }
    let clocks = "time_settings 3600 0 0\ngenmove b\n";
    assert_eq!(gtp_answers("go9", &Limits::infinite(), clocks, Then::End), ["=", "= A1"]);
    let live = gtp_answers("go9", &Limits::infinite(), "lz-genmove_analyze b 10\nquit\n", Then::Silence);
    assert_eq!(live, ["=", "play A1", "="]);
    // Maps and values are thought about as well.
    assert_eq!(gtp("go9", &Limits::infinite(), "yomi-visits\n", Then::End).len(), 11);
    let blokus = gtp_answers("blokus-duo", &Limits::infinite(), "genmove b\nget_value\nquit\n", Then::Silence);
    assert_eq!((blokus.len(), blokus[1].as_str()), (3, "= 0.5000"), "{blokus:?}");
    let ended = gtp_answers("blokus-duo", &Limits::infinite(), "g\nmove_values\ng\n", Then::End);
    assert!(ended.len() > 3 && ended.last().unwrap().starts_with("= "), "{ended:?}");
}

#[test]
fn gtp_interrupts_the_search_before_it() {
    let text = "genmove b\n# interrupt\ngenmove w\n# interrupt\nquit\n";
    assert_eq!(gtp_answers("go9", &Limits::infinite(), text, Then::Silence), ["= A1", "= B1", "="]);
}

fn analysis(questions: &[Value], quit_without_waiting: bool) -> Vec<Value> {
    let text: String = questions.iter().map(|question| format!("{question}\n")).collect();
    let said = talk(&text, Then::End, move |console| {
        let (view, player) = (View::Of(Color::Black), "endless".to_string());
        let options = analysis::AnalysisOptions { seed: Seed::new(1), view, player, quit_without_waiting };
        let game = Spec::parse("go5").unwrap();
        analysis::serve(console, &game, &Builder(Limits::infinite()), options).unwrap().unwrap();
    });
    said.iter().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn analysis_ends_what_is_not_read_any_more() {
    // Something to be looked at while it lasts, as programs with a board ask for it.
    let live = json!({"id": "live", "moves": [], "maxVisits": 1_000_000_000, "reportDuringSearchEvery": 3600});
    let said = analysis(&[live], false);
    assert_eq!((said.len(), &said[0]["id"], &said[0]["isDuringSearch"]), (1, &json!("live"), &json!(false)));
    // A file of questions is answered to its end, unless --quit-without-waiting is given.
    let short = json!({"id": "short", "moves": [["B", "C3"]], "analyzeTurns": [0, 1], "maxVisits": 1});
    assert_eq!(analysis(&[short.clone(), short.clone()], false).len(), 4);
    let long = json!({"id": "long", "moves": [], "maxVisits": 1_000_000_000});
    assert!(analysis(&[long.clone(), long, short], true).len() <= 3);
}

#[test]
fn csa_ends_with_what_the_server_has_said_already() {
    let summary = "LOGIN:me OK\nBEGIN Game_Summary\nGame_ID:test\nName+:me\nName-:you\nYour_Turn:+\nTo_Move:+\n\
        BEGIN Time\nTime_Unit:1sec\nTotal_Time:3600\nEND Time\nBEGIN Position\nPI\n+\nEND Position\n\
        END Game_Summary\nSTART:test\n";
    let play = |text: &str, then: Then| {
        let (sender, result) = channel();
        let said = talk(text, then, move |mut console| {
            let search: Box<dyn Search<Shogi9>> = Box::new(Endless);
            let (scale, limits, note) = (Scale::Pawn(87.0), Limits::infinite(), String::new());
            let mut engine = usi::Engine::<Nine> { search, scale, limits, note };
            let login = Login { user: "me".to_string(), password: "secret".to_string() };
            let played = csa::play(&mut console, &login, &mut engine, &csa::Options::default());
            let _ = sender.send(played.map(|played| played.result).ok());
        });
        (said, result.recv().unwrap())
    };
    let (said, result) = play(&format!("{summary}#TIME_UP\n#LOSE\n"), Then::Silence);
    assert_eq!(
        (said, result),
        (["LOGIN me secret", "AGREE test", "LOGOUT"].map(str::to_string).to_vec(), Some(csa::Result::Lose))
    );
    let (said, result) = play(summary, Then::End);
    assert_eq!((said.len(), result), (2, None), "the connection is gone");
}
