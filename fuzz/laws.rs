//! What must hold for every input whatsoever: the laws of the parsers.
//!
//! A law is a plain function of bytes that panics when it is broken. `cargo fuzz` searches for such bytes (one target a law);
//! `crates/games/tests/suite/fuzz_laws.rs` tries a few thousand with every test run, on stable Rust.
#![allow(dead_code, reason = "each fuzz target uses one law")]

use std::borrow::Cow;

use yomi_core::{Notation, Spec};
use yomi_games::blokus::{self, BlokusDuo};
use yomi_games::go::{self, Go9, Go13, Go19};
use yomi_games::othello::{Othello, transcript};
use yomi_games::sgf;
use yomi_games::shogi::records::{self, Format};
use yomi_games::shogi::{Minishogi, Shogi9};

/// A law of bytes.
pub(crate) type Law = fn(&[u8]);

/// All laws under the names of their fuzz targets and of the folders with their seeds.
pub(crate) const LAWS: [(&str, Law); 12] = [
    ("spec_text_never_panics", spec_text_never_panics),
    ("sfen_round_trips", sfen_round_trips),
    ("usi_position_lines_never_panic", usi_position_lines_never_panic),
    ("kif_is_read_or_refused", kif_is_read_or_refused),
    ("ki2_is_read_or_refused", ki2_is_read_or_refused),
    ("csa_is_read_or_refused", csa_is_read_or_refused),
    ("sgf_is_read_or_refused", sgf_is_read_or_refused),
    ("go_records_are_read_or_refused", go_records_are_read_or_refused),
    ("blokus_records_are_read_or_refused", blokus_records_are_read_or_refused),
    ("go_position_text_round_trips", go_position_text_round_trips),
    ("blokus_position_text_round_trips", blokus_position_text_round_trips),
    ("othello_text_is_read_or_refused", othello_text_is_read_or_refused),
];

fn text(data: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(data)
}

/// A specification is refused or prints as something that is read as the same; games read it or refuse it.
pub(crate) fn spec_text_never_panics(data: &[u8]) {
    let Ok(spec) = Spec::parse(&text(data)) else { return };
    let printed = spec.to_string();
    let again = Spec::parse(&printed).expect("what is printed can be read");
    assert_eq!(again.to_string(), printed);
    fn start<P: Notation>(spec: &Spec) {
        if let Ok(position) = P::start(spec) {
            let rules = position.rules();
            let again = Spec::parse(&rules).and_then(|spec| P::start(&spec)).expect("rules can be read");
            assert_eq!(again.rules(), rules);
        }
    }
    start::<Shogi9>(&spec);
    start::<Minishogi>(&spec);
    start::<Go9>(&spec);
    start::<Go19>(&spec);
    start::<BlokusDuo>(&spec);
    start::<Othello>(&spec);
}

/// A position's text is refused or comes back, and so does every move in it.
fn position_round_trips<P: Notation>(start: &P, text: &str) {
    let Ok(position) = start.parse_position(text) else { return };
    let written = position.position_text();
    let again = start.parse_position(&written).expect("what is written can be read");
    assert_eq!((again.key(), again.position_text()), (position.key(), written));
    let mut moves = Vec::new();
    let over = position.generate(&mut moves).is_some();
    assert_eq!(over, moves.is_empty());
    for mv in moves {
        assert_eq!(position.parse_move(&position.move_text(mv)).ok(), Some(mv));
    }
}

/// A word after a position is refused as a move or is a legal one.
fn move_is_read_or_refused<P: Notation>(position: &P, text: &str) {
    if let Ok(mv) = position.parse_move(text) {
        assert!(position.is_legal(mv));
        assert_eq!(position.parse_move(&position.move_text(mv)).ok(), Some(mv));
    }
}

/// SFEN of either board.
pub(crate) fn sfen_round_trips(data: &[u8]) {
    let text = text(data);
    position_round_trips(&Shogi9::default(), &text);
    position_round_trips(&Minishogi::default(), &text);
    move_is_read_or_refused(&Shogi9::default(), &text);
}

/// `position sfen … moves …`.
pub(crate) fn usi_position_lines_never_panic(data: &[u8]) {
    let text = text(data);
    let _ = Minishogi::default().parse_line(&text);
    if let Ok(line) = Shogi9::default().parse_line(&text) {
        position_round_trips(line.position(), &line.position().position_text());
    }
}

/// A record is refused, with an error of moderate length, or can be written in every format and read again, and then stays as it is.
fn record_is_read_or_refused(data: &[u8]) {
    let record = match records::read(data) {
        Ok(record) => record,
        Err(error) => return assert!(error.to_string().len() < 2_000),
    };
    for format in [Format::Kif, Format::Ki2, Format::Csa, Format::Csa3] {
        let text = record.write(format).expect("what was read is legal");
        let again =
            records::read(text.as_bytes()).unwrap_or_else(|error| panic!("{error}\nin what was written:\n{text}"));
        assert_eq!(again.write(format).expect("it is legal"), text);
    }
}

fn after(head: &str, data: &[u8]) -> Vec<u8> {
    [head.as_bytes(), data].concat()
}

/// KIF, and anything after a first line of KIF.
pub(crate) fn kif_is_read_or_refused(data: &[u8]) {
    record_is_read_or_refused(data);
    record_is_read_or_refused(&after("手合割：平手\n", data));
}

/// KI2, and anything after some moves.
pub(crate) fn ki2_is_read_or_refused(data: &[u8]) {
    record_is_read_or_refused(data);
    record_is_read_or_refused(&after("▲７六歩△３四歩▲２二角成△同銀", data));
}

/// CSA, and anything after a start position; files of many games.
pub(crate) fn csa_is_read_or_refused(data: &[u8]) {
    record_is_read_or_refused(data);
    record_is_read_or_refused(&after("PI\n+\n", data));
    let _ = records::read_all(&after("PI\n+\n", data));
}

/// The syntax of SGF: what was read is written so that it is read as the same.
pub(crate) fn sgf_is_read_or_refused(data: &[u8]) {
    fn written(tree: &sgf::Tree<'_>) -> String {
        let children: Vec<Vec<usize>> = (0..tree.len()).map(|node| tree.children(node).collect()).collect();
        sgf::write_tree(
            |node| &children[node],
            |node, writer| tree.entries(node).iter().for_each(|entry| writer.property(&entry.id, [entry.value.0])),
        )
    }
    let text = sgf::decode(data);
    for tree in sgf::trees(&text).take(100) {
        let Ok(tree) = tree else { return };
        let first = written(&tree);
        let again = sgf::trees(&first).next().expect("a tree was written").expect("it can be read");
        assert_eq!(written(&again), first);
    }
}

/// Games of Go in SGF.
pub(crate) fn go_records_are_read_or_refused(data: &[u8]) {
    fn check<const LEN: usize>(tree: &sgf::Tree<'_>) {
        let Ok(record) = go::records::read::<LEN>(tree) else { return };
        let text = go::records::write(&record);
        let again = sgf::trees(&text).next().expect("a tree was written").expect("it can be read");
        let again =
            go::records::read::<LEN>(&again).unwrap_or_else(|error| panic!("{error}\nin what was written:\n{text}"));
        assert_eq!(go::records::write(&again), text);
    }
    let text = sgf::decode(data);
    for tree in sgf::trees(&text).take(100) {
        let Ok(tree) = tree else { return };
        match go::records::size(&tree) {
            Ok(2..=9) => check::<128>(&tree),
            Ok(10..=13) => check::<256>(&tree),
            Ok(_) => check::<512>(&tree),
            Err(_) => {}
        }
    }
}

/// Games of Blokus Duo in SGF.
pub(crate) fn blokus_records_are_read_or_refused(data: &[u8]) {
    let Ok(record) = blokus::records::read(data) else { return };
    let text = blokus::records::write(&record);
    let again =
        blokus::records::read(text.as_bytes()).unwrap_or_else(|error| panic!("{error}\nin what was written:\n{text}"));
    assert_eq!(blokus::records::write(&again), text);
}

/// Positions of Go on boards of several sizes.
pub(crate) fn go_position_text_round_trips(data: &[u8]) {
    fn check<P: Notation>(name: &str, text: &str) {
        let start = P::start(&Spec::named(name)).expect("the game exists");
        position_round_trips(&start, text);
        move_is_read_or_refused(&start, text);
    }
    let text = text(data);
    check::<Go9>("go2", &text);
    check::<Go9>("go5", &text);
    check::<Go9>("go9", &text);
    check::<Go13>("go13", &text);
    check::<Go19>("go19", &text);
}

/// Positions of Blokus Duo.
pub(crate) fn blokus_position_text_round_trips(data: &[u8]) {
    let text = text(data);
    for game in ["blokus-duo", "blokus-duo(start=free,bonus=true)"] {
        let start = Spec::parse(game).and_then(|spec| BlokusDuo::start(&spec)).expect("the game exists");
        position_round_trips(&start, &text);
        move_is_read_or_refused(&start, &text);
    }
}

/// Positions and transcripts of Othello.
pub(crate) fn othello_text_is_read_or_refused(data: &[u8]) {
    let text = text(data);
    position_round_trips(&Othello::default(), &text);
    move_is_read_or_refused(&Othello::default(), &text);
    match transcript::read_all(&text) {
        Ok(records) => {
            for record in records {
                let written = transcript::write(&record).expect("it begins at the start");
                let again = transcript::read_all(&written).expect("what is written can be read");
                assert_eq!(again.first().map(yomi_core::Record::moves).unwrap_or_default(), record.moves());
            }
        }
        Err(error) => assert!(error.to_string().len() < 2_000),
    }
}
