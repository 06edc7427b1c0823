//! Sessions: whole games by text, mistakes, taking back, searches that are watched, stopped and explored while they run.

use std::sync::mpsc::channel;
use std::time::Duration;

use yomi_core::{Ending, Outcome, Seed};
use yomi_search::tree::TreeFile;
use yomi_search::{Ended, Limits};
use yomi_session::{
    Budget, Control, Event, FAMILIES, MarkedMoves, Player, SearchRequest, Session, TreeQuery, open, records,
};

fn session(game: &str) -> Box<dyn Session> {
    open(&game.parse().unwrap()).unwrap()
}

fn request(player: &str, limits: Limits) -> SearchRequest {
    SearchRequest::new(&player.parse().unwrap(), limits)
}

/// Reports as often as the search looks at its clock.
fn reporting(request: SearchRequest) -> SearchRequest {
    SearchRequest { report_every: Some(Duration::ZERO), ..request }
}

/// A random game of every family: what is legal can be played by its text and by what people say, and everything can be taken back.
#[test]
fn whole_games_are_played_by_text() {
    for family in FAMILIES {
        let mut session = session(family.names[family.names.len() - 1]);
        let start = session.position();
        let mut rng = Seed::new(3).rng();
        while session.outcome().is_none() && session.plies() < 150 {
            let legal = session.legal_moves();
            let mv = &legal[rng.below(legal.len())];
            assert!(!session.spoken(mv).unwrap().is_empty());
            assert_eq!(session.play(mv).unwrap().text, *mv);
        }
        let moves = session.moves();
        assert_eq!(moves.len(), session.plies());
        let files = session.record(["a", "b"]).unwrap();
        assert!(!files.is_empty() && files.iter().all(|(_, bytes)| !bytes.is_empty()), "{}", session.rules());
        let end = session.position();
        session.undo(moves.len()).unwrap();
        assert_eq!(session.position(), start);
        assert_eq!(session.play_line(&moves.join(" ")).unwrap(), moves.len());
        assert_eq!(session.position(), end);
        session.set_position(Some(&end.position)).unwrap();
        assert_eq!((session.position().position, session.plies()), (end.position, 0));
        session.set_position(None).unwrap();
        assert_eq!(session.position(), start);
    }
}

#[test]
fn mistakes_say_what_the_program_says() {
    let mut shogi = session("shogi");
    let rules = yomi_games::shogi::Shogi9::default();
    let error = yomi_core::Notation::parse_move(&rules, "7g7e").unwrap_err();
    assert_eq!(shogi.play("7g7e").unwrap_err(), error);
    assert_eq!(shogi.play_line("7g7f 7g7f").unwrap_err().message.split(':').next(), Some("move 2"));
    assert_eq!(shogi.plies(), 0, "nothing is played");
    shogi.play("７六歩").unwrap();
    assert_eq!(shogi.moves(), ["7g7f"]);
    assert_eq!(shogi.undo(2).unwrap_err().message, "there is nothing to take back");
    assert!(open(&"shogy".parse().unwrap()).unwrap_err_text().contains("shogi"));
    // A stone at C2 was just taken in a ko; taking back at once would repeat the position.
    let mut go = session("go5(ko=positional)");
    go.play_line("B3 C3 A2 D2 B1 C1 C2 B2").unwrap();
    assert!(!go.legal_moves().contains(&"C2".to_string()));
    let error = go.play("C2").unwrap_err_text();
    assert!(error.contains("ko") || error.contains("forbidden by what was played before"), "{error}");
    assert!(go.play_line("C2").unwrap_err_text().starts_with("move 1: "));
}

trait ErrorText {
    fn unwrap_err_text(self) -> String;
}

impl<T, E: ToString> ErrorText for Result<T, E> {
    fn unwrap_err_text(self) -> String {
        self.err().map(|error| error.to_string()).unwrap_or_default()
    }
}

#[test]
fn games_are_ended_by_a_decision_and_go_on() {
    let mut session = session("minishogi");
    let turn = session.turn();
    session.end(Ending::Resign);
    assert_eq!((session.outcome(), session.ending()), (Some(Outcome::Win(!turn)), Some(Ending::Resign)));
    let kif = String::from_utf8(session.record(["you", "me"]).unwrap().remove(0).1).unwrap();
    assert!(kif.contains("you") && kif.contains("投了"), "{kif}");
    session.undo(0).unwrap();
    assert_eq!(session.outcome(), None);
}

#[test]
fn records_become_sessions_and_back() {
    let usi = b"startpos moves 7g7f 3c3d 2g2f";
    let record = records::read_all(usi, "usi".parse().unwrap(), None).unwrap().remove(0);
    let session = record.open();
    assert_eq!((session.game().as_str(), session.moves().join(" ").as_str()), ("shogi", "7g7f 3c3d 2g2f"));
    for format in ["kif", "kifu", "ki2u", "csa", "csa3", "usi"] {
        let bytes = record.write(format.parse().unwrap(), None).unwrap();
        let again = records::read_all(&bytes, format.parse().unwrap(), None).unwrap();
        assert_eq!(again[0].open().moves(), session.moves(), "{format}");
    }
    let error = record.write("sgf".parse().unwrap(), None).unwrap_err();
    assert_eq!(error.message, "a record of shogi cannot be written in this format");
    let error = records::read_all(b"", "usi".parse().unwrap(), None).unwrap_err_text();
    assert_eq!(error, "there is no game in this file");
}

#[test]
fn boards_are_drawn_with_marks() {
    let mut session = session("go9");
    session.play_line("E5 C3").unwrap();
    let marks = MarkedMoves { arrows: vec![("G7".into(), 0.5)], heat: vec![("C7".into(), 0.2)], numbers: true };
    let picture = session.picture(&marks).unwrap();
    assert_eq!((picture.arrows.len(), picture.heat.len(), picture.numbers.len(), picture.last.len()), (1, 1, 2, 1));
    let wrong = MarkedMoves { arrows: vec![("E5".into(), 0.5)], ..MarkedMoves::default() };
    assert!(session.picture(&wrong).is_err(), "a stone stands there");
}

#[test]
fn searches_report_while_they_run() {
    let mut session = session("connect-four");
    let request = reporting(request("uct(hash=16)", Limits::simulations(5_000)));
    let mut counts = Vec::new();
    let analysis = session
        .search(&request, &Control::default(), &mut |event| {
            if let Event::Progress(so_far) = event {
                assert!(!so_far.is_final && so_far.ended.is_none());
                counts.push(so_far.simulations);
            }
        })
        .unwrap();
    assert!(!counts.is_empty() && counts.is_sorted(), "{counts:?}");
    assert_eq!((analysis.simulations, analysis.ended), (5_000, Some(Ended::Simulations)));
    assert!(session.legal_moves().contains(analysis.best.as_ref().unwrap()));
    // The same seed gives the same search, watched or not; the first search's tree would be used again.
    session.undo(0).unwrap();
    let silent = SearchRequest { report_every: None, ..request };
    let again =
        session.search(&silent, &Control::default(), &mut |_| unreachable!("no reports were asked for")).unwrap();
    assert_eq!((again.best, again.value), (analysis.best, analysis.value));
}

#[test]
fn a_search_is_stopped_from_another_thread() {
    let mut session = session("connect-four");
    let control = Control::default();
    let (running, heard) = channel();
    let other = control.clone();
    let stopper = std::thread::spawn(move || {
        heard.recv().unwrap();
        other.stop();
    });
    let request = reporting(request("flat(n=1000000)", Limits::infinite()));
    let request = SearchRequest { player: "uct(hash=16,solver=off)".parse().unwrap(), ..request };
    let mut first = Some(running);
    let analysis = session
        .search(&request, &control, &mut |_| first.take().into_iter().for_each(|running| running.send(()).unwrap()))
        .unwrap();
    stopper.join().unwrap();
    assert_eq!(analysis.ended, Some(Ended::Stopped));
}

#[test]
fn a_tree_is_explored_while_it_grows() {
    let mut session = session("connect-four");
    let control = Control::default();
    let request = reporting(request("uct(hash=16)", Limits::simulations(20_000)));
    let (mut asked, mut growing) = (false, Vec::new());
    let analysis = session
        .search(&request, &control, &mut |event| match event {
            // Every first move has been tried by then.
            Event::Progress(so_far) if !asked && so_far.nodes > 500 => {
                asked = true;
                control.explore(TreeQuery { moves: "4".into(), top: 3, depth: 2 });
                control.explore(TreeQuery { moves: "9".into(), ..TreeQuery::default() });
            }
            Event::Progress(_) => {}
            Event::Tree(report) => growing.push(report),
        })
        .unwrap();
    assert_eq!(growing.len(), 2);
    assert!(growing.remove(1).unwrap_err().message.starts_with("move 1: "));
    let growing = growing.remove(0).unwrap();
    assert!(growing.nodes < analysis.nodes, "it went on to grow: {} of {}", growing.nodes, analysis.nodes);
    assert!(growing.below.len() <= 3 && !growing.below[0].below.is_empty());
    // Afterwards it has grown, and can be saved and read again.
    let query = TreeQuery { moves: "4".into(), top: 3, depth: 2 };
    let last = session.explore(&request.player, &query).unwrap().unwrap();
    assert!(last.visits > growing.visits);
    let mut bytes = Vec::new();
    assert!(session.save_tree(&request.player, &mut bytes).unwrap());
    let mut file = TreeFile::open(std::io::Cursor::new(bytes)).unwrap();
    assert!(file.notes().contains("connect-four"));
    assert_eq!(session.explore_tree(&mut file, &query).unwrap(), last);
}

#[test]
fn searches_without_a_tree_say_so() {
    let mut session = session("tic-tac-toe");
    let control = Control::default();
    control.explore(TreeQuery::default());
    let mut events = Vec::new();
    let request = request("random", Limits::infinite());
    session.search(&request, &control, &mut |event| events.push(event)).unwrap();
    assert!(matches!(&events[..], [Event::Tree(Err(_))]), "{events:?}");
    assert_eq!(session.explore(&request.player, &TreeQuery::default()), Ok(None));
    let never: Player = "uct".parse().unwrap();
    assert_eq!(session.explore(&never, &TreeQuery::default()), Ok(None));
}

/// Every level of every game thinks in a session, within its own budget.
#[test]
fn players_of_levels_think() {
    for family in FAMILIES {
        let mut session = session(family.names[0]);
        let player = Player::of_level(1, &session.game()).unwrap().granted(1, 16, 1);
        let limits = player.ending_limits(&Budget::default(), 1).unwrap();
        let analysis = session.search(&SearchRequest::new(&player, limits), &Control::default(), &mut |_| {}).unwrap();
        session.play(&analysis.best.unwrap()).unwrap();
    }
}

#[test]
fn a_session_can_go_to_another_thread() {
    fn is_send<T: Send + ?Sized>() {}
    is_send::<dyn Session>();
}
