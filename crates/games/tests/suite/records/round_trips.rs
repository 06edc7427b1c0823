//! What is written is read back.

use std::time::Duration;

use yomi_core::record::{Node, Record};
use yomi_core::{Ending, Notation, Outcome, Seed};
use yomi_games::shogi::records::{AnyRecord, BOOKMARK, Encoding, Format, ILLEGAL, encode, read, read_all, write};
use yomi_games::shogi::{Five, Nine, Shogi, ShogiMove, Variant};

use super::random_record::{Taste, outcome, random_record};

const EVERYTHING: Taste = Taste { variations: true, bookmarks: true, odd_starts: true, odd_ends: true };

/// The record of the variant that the test is about.
trait Taken: Variant {
    fn take(record: AnyRecord) -> Option<Record<Shogi<Self>>>;
}
impl Taken for Nine {
    fn take(record: AnyRecord) -> Option<Record<Shogi<Nine>>> {
        record.shogi()
    }
}
impl Taken for Five {
    fn take(record: AnyRecord) -> Option<Record<Shogi<Five>>> {
        record.minishogi()
    }
}

fn reread<V: Taken>(record: &Record<Shogi<V>>, format: Format, encoding: Encoding) -> Record<Shogi<V>> {
    let text = write(record, format).unwrap();
    let bytes = encode(&text, encoding).unwrap();
    let read = read(&bytes).unwrap_or_else(|error| panic!("{error}\n{text}"));
    V::take(read).unwrap_or_else(|| panic!("the wrong board for\n{text}"))
}

/// The nodes in the order in which a writer writes them, whatever their indices.
fn nodes_in_order<V: Variant>(record: &Record<Shogi<V>>) -> Vec<(usize, Node<ShogiMove>)> {
    let mut found = Vec::new();
    let mut waiting = vec![(0, 0)];
    while let Some((node, depth)) = waiting.pop() {
        waiting.extend(record.nodes[node].children.iter().rev().map(|&child| (child, depth + 1)));
        let shape = Node { parent: 0, children: Vec::new(), ..record.nodes[node].clone() };
        found.push((depth, shape));
    }
    found
}

/// Both records are the same game; `forget` takes out what the format cannot keep.
fn assert_same<V: Taken>(
    a: &Record<Shogi<V>>,
    b: &Record<Shogi<V>>,
    text: &str,
    forget: impl Fn(&mut Node<ShogiMove>),
) {
    assert_eq!(a.start.position_text(), b.start.position_text(), "{text}");
    let contents = |record: &Record<Shogi<V>>| {
        let mut nodes = nodes_in_order(record);
        nodes.iter_mut().for_each(|(_, node)| forget(node));
        nodes
    };
    assert_eq!(contents(a), contents(b), "{text}");
    assert_eq!(outcome(a), outcome(b), "{text}");
}

fn kif<V: Taken>(games: u64) {
    for game in 0..games {
        let record = random_record::<V>(&mut Seed::new(1).branch("kif", game).rng(), EVERYTHING);
        let encoding = if game % 2 == 0 { Encoding::ShiftJis } else { Encoding::Utf8 };
        let text = write(&record, Format::Kif).unwrap();
        // α is in Shift_JIS, so both encodings hold all that is written here.
        let read = reread(&record, Format::Kif, encoding);
        assert_same(&record, &read, &text, |_| {});
        let headers: Vec<_> = read.headers.iter().filter(|(key, _)| key != "手合割").cloned().collect();
        assert_eq!(headers, record.headers);
        assert_eq!(write(&read, Format::Kif).unwrap(), text, "the second text is the first");
    }
}

fn ki2<V: Taken>(games: u64) {
    for game in 0..games {
        let mut record = random_record::<V>(&mut Seed::new(2).branch("ki2", game).rng(), EVERYTHING);
        let text = write(&record, Format::Ki2).unwrap();
        let read = reread(&record, Format::Ki2, Encoding::ShiftJis);
        assert_eq!(write(&read, Format::Ki2).unwrap(), text, "the second text is the first");
        // KI2 has no line for the end itself, and strict readers want the last line of the game last: what is said about the end of the
        // main line is said about its last move.
        let end = record.main_line().last().unwrap();
        if record.nodes[end].ending.is_some() && !record.nodes[end].properties.iter().any(|(key, _)| key == ILLEGAL) {
            let said = std::mem::take(&mut record.nodes[end].comment);
            let parent = record.nodes[end].parent;
            let comments = [std::mem::take(&mut record.nodes[parent].comment), said];
            record.nodes[parent].comment =
                comments.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n");
        }
        assert_same(&record, &read, &text, |node| {
            node.time = None;
            node.properties.retain(|(key, _)| key != BOOKMARK);
        });
    }
}

fn csa<V: Taken>(games: u64) {
    for game in 0..games {
        let taste = Taste { variations: false, ..EVERYTHING };
        let mut record = random_record::<V>(&mut Seed::new(3).branch("csa", game).rng(), taste);
        let format = if game % 2 == 0 { Format::Csa } else { Format::Csa3 };
        if format == Format::Csa3 {
            record.nodes.iter_mut().for_each(|node| node.time = node.time.map(|t| t + Duration::from_millis(game)));
        }
        let text = write(&record, format).unwrap();
        let read = reread(&record, format, if game % 3 == 0 { Encoding::ShiftJis } else { Encoding::Utf8 });
        assert_same(&record, &read, &text, |node| {
            // Words without a name in CSA become the nearest one: 不戦勝 the other side's fault.
            node.properties.retain(|(key, _)| key == ILLEGAL);
            if let Some(Ending::Counted(Outcome::Win(_))) = node.ending {
                node.ending = Some(Ending::IllegalMove);
            }
        });
    }
}

#[test]
fn kif_comes_back() {
    kif::<Nine>(150);
    kif::<Five>(150);
}

#[test]
fn ki2_comes_back() {
    ki2::<Nine>(150);
    ki2::<Five>(150);
}

#[test]
fn csa_comes_back() {
    csa::<Nine>(150);
    csa::<Five>(150);
}

#[test]
fn formats_turn_into_each_other() {
    for game in 0..60 {
        let taste = Taste { variations: false, bookmarks: false, odd_starts: true, odd_ends: false };
        let record = random_record::<Nine>(&mut Seed::new(4).branch("turn", game).rng(), taste);
        let mut turned = record.clone();
        for format in [Format::Csa, Format::Kif, Format::Csa3, Format::Ki2, Format::Kif] {
            turned = reread(&turned, format, Encoding::Utf8);
        }
        assert_eq!(turned.moves(), record.moves());
        assert_eq!(turned.start.position_text(), record.start.position_text());
        // CSA has %ILLEGAL_MOVE and KIF 反則負け for the same; nothing else may change.
        assert_eq!(turned.ending(), record.ending());
        assert_eq!(turned.header("先手"), record.header("先手"));
        assert_eq!(turned.header("棋戦"), record.header("棋戦"));
    }
}

#[test]
fn a_file_of_csa_may_hold_many_games() {
    let record = |n| random_record::<Nine>(&mut Seed::new(5).branch("many", n).rng(), EVERYTHING);
    let texts: Vec<String> = (0..4).map(|n| write(&record(n), Format::Csa).unwrap()).collect();
    let file = texts.join("/\n");
    let records = read_all(file.as_bytes()).unwrap();
    assert_eq!(records.len(), 4);
    for (n, record_read) in records.into_iter().enumerate() {
        assert_eq!(record_read.shogi().unwrap().moves(), record(n as u64).moves());
    }
    let error = read(file.as_bytes()).unwrap_err();
    assert_eq!(error.line, texts[0].lines().count() + 2, "{error}");
}

#[test]
fn a_record_with_an_illegal_move_is_not_written() {
    let mut record = Record::new(Shogi::<Nine>::default());
    let mv = record.start.parse_move("7g7f").unwrap();
    let first = record.add(0, Some(mv));
    record.add(first, Some(mv));
    for format in [Format::Kif, Format::Ki2, Format::Csa, Format::Csa3] {
        let error = write(&record, format).unwrap_err();
        assert_eq!(error.message, "node 2 of the record: 7g7f is illegal: there is no piece on that square");
    }
}
