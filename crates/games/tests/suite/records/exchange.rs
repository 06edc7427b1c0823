//! What other programs need to find in a file of ours, and what we find in theirs.

use yomi_core::record::Record;
use yomi_core::{Color, Ending, Notation, Outcome, Position};
use yomi_games::shogi::Shogi9;
use yomi_games::shogi::records::{EVALUATION, Format, read, read_all, write};

/// A game of these moves that ends so, with a comment on its end.
fn game(moves: &str, ending: Ending, comment: &str) -> Record<Shogi9> {
    let mut record = Record::new(Shogi9::default());
    let (mut node, mut position) = (0, record.start);
    for word in moves.split_whitespace() {
        let mv = position.parse_move(word).unwrap();
        position.play(mv);
        node = record.add(node, Some(mv));
    }
    let end = record.add(node, None);
    record.nodes[end].ending = Some(ending);
    record.nodes[end].comment = comment.to_string();
    record
}

fn reread(record: &Record<Shogi9>, format: Format) -> Record<Shogi9> {
    let text = write(record, format).unwrap();
    let again = read(text.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{text}")).shogi().unwrap();
    assert_eq!(write(&again, format).unwrap(), text, "the second text is the first");
    again
}

/// The phrases behind まで that json-kifu-format's grammar takes.
const PHRASES: [&str; 12] = [
    "先手の勝ち",
    "後手の勝ち",
    "先手の反則勝ち",
    "後手の反則勝ち",
    "先手の反則負け",
    "後手の反則負け",
    "中断",
    "封じ手",
    "持将棋",
    "千日手",
    "詰み",
    "不詰",
];

/// Strict readers end at the line まで and know few phrases in it: nothing follows it, and it says nothing else.
#[test]
fn the_last_line_is_the_last_and_one_that_others_know() {
    let (black, white) = (Outcome::Win(Color::Black), Outcome::Win(Color::White));
    for ending in [
        Ending::Resign,
        Ending::Mate,
        Ending::Repetition,
        Ending::PerpetualCheck,
        Ending::TimeUp,
        Ending::Declaration,
        Ending::IllegalAction,
        Ending::IllegalMove,
        Ending::Impasse,
        Ending::MoveLimit,
        Ending::Counted(black),
        Ending::Counted(white),
        Ending::Counted(Outcome::Draw),
        Ending::Aborted,
    ] {
        for moves in ["7g7f 3c3d", "7g7f 3c3d 2g2f"] {
            for format in [Format::Kif, Format::Ki2] {
                let record = game(moves, ending, "why it ended");
                let text = write(&record, format).unwrap();
                let last = text.lines().position(|line| line.starts_with("まで"));
                if let Some(last) = last {
                    assert_eq!(last + 1, text.lines().count(), "{ending:?}\n{text}");
                    let phrase = text.lines().last().unwrap().split_once("手で").unwrap().1;
                    let phrase = phrase.trim_start_matches("時間切れにより");
                    assert!(PHRASES.contains(&phrase), "{ending:?}\n{text}");
                } else {
                    assert_eq!(format, Format::Kif, "KI2 has no other word for an end:\n{text}");
                }
                assert!(text.contains("*why it ended\n"));
                let again = reread(&record, format);
                let turn = if moves.split(' ').count() % 2 == 0 { Color::Black } else { Color::White };
                // A decision against the side to move is written as its resignation: there is no other word.
                let written = if ending == Ending::Counted(Outcome::Win(!turn)) { Ending::Resign } else { ending };
                assert_eq!(again.ending(), Some(written), "{text}");
            }
        }
    }
}

/// An end without a line of its own does not mix what is said about it with the bookmark of the move before.
#[test]
fn bookmarks_stay_where_they_are() {
    for text in [
        "手合割：平手\n   1 ７六歩(77)\n&a\nまで1手で後手の勝ち\n&b\n",
        "手合割：平手\n   1 ７六歩(77)\n*x\n&a\nまで1手で後手の勝ち\n*y\n",
        "手合割：平手\n   1 ７六歩(77)\n*x\nまで1手で後手の勝ち\n*y\n&b\n",
        "手合割：平手\n手数----指手---------消費時間--\n&a\nまで0手で先手の勝ち\n&b\n",
    ] {
        let record = read(text.as_bytes()).unwrap().shogi().unwrap();
        for format in [Format::Kif, Format::Ki2, Format::Csa] {
            let again = reread(&record, format);
            if format == Format::Kif {
                assert_eq!(again.nodes, record.nodes, "{text}");
            }
        }
    }
}

/// What was said about an end is not taken for its reason, although it reads like one; nor is what was said about the move before it.
#[test]
fn a_comment_that_reads_like_a_reason_stays_a_comment() {
    let words =
        ["入玉勝ち", "不戦勝", "不戦敗", "連続王手の千日手", "最大手数", "引き分け", "待った", "裁定引分", "詰み"];
    for ending in [
        Ending::Counted(Outcome::Win(Color::White)),
        Ending::Resign,
        Ending::IllegalMove,
        Ending::Aborted,
        Ending::Impasse,
        Ending::MoveLimit,
    ] {
        for word in words {
            let mut about_end = game("7g7f", ending, word);
            let mut about_move = about_end.clone();
            about_end.nodes[1].comment = "x".to_string();
            about_move.nodes[1].comment = std::mem::take(&mut about_move.nodes[2].comment);
            for record in [&about_end, &about_move] {
                for format in [Format::Kif, Format::Ki2] {
                    let again = reread(record, format);
                    let text = write(&again, format).unwrap();
                    assert_eq!(again.ending(), Some(ending), "{text}");
                    let said: Vec<_> = again.nodes.iter().flat_map(|node| node.comment.split('\n')).collect();
                    assert!(said.contains(&word), "{text}");
                }
            }
        }
    }
    // A variation that is nothing but an end does not take its reason from the move before, which another line has given.
    let text = "手合割：平手\n   1 ７六歩(77)\n*入玉勝ち\n   2 ３四歩(33)\n\n変化：2手\nまで1手で後手の勝ち\n";
    let record = read(text.as_bytes()).unwrap().shogi().unwrap();
    assert_eq!(record.nodes[1].comment, "入玉勝ち");
    assert_eq!(record.nodes[3].ending, Some(Ending::Counted(Outcome::Win(Color::White))));
    assert_eq!(reread(&record, Format::Kif).nodes, record.nodes);
}

#[test]
fn names_come_first_in_csa() {
    let kif = "開始日時：2026/11/16 20:00:00\n後手：B\n先手：A\n手合割：平手\n   1 ７六歩(77)\n";
    let csa = write(&read(kif.as_bytes()).unwrap().shogi().unwrap(), Format::Csa).unwrap();
    assert!(csa.starts_with("V2.2\nN+A\nN-B\n$START_TIME:2026/11/16 20:00:00\nPI\n"), "{csa}");
}

/// Blanks around either colon of a header mean nothing, in whichever format it is written next.
#[test]
fn blanks_around_the_colon_of_a_header() {
    for (line, key, value) in [
        ("$EVENT : cup", "$EVENT", "cup"),
        ("$EVENT ：cup", "$EVENT", "cup"),
        ("$A ： B:c", "$A", "B:c"),
        ("$A\u{3000}:\u{3000}b", "$A", "b"),
    ] {
        let record = read(format!("{line}\nPI\n+\n+7776FU\n").as_bytes()).unwrap().shogi().unwrap();
        assert_eq!(record.headers, [(key.to_string(), value.to_string())], "{line}");
        for format in [Format::Kif, Format::Ki2, Format::Csa, Format::Csa3] {
            reread(&record, format);
        }
    }
}

/// What an engine said travels between the formats in the form that each of them has for it.
#[test]
fn evaluations_are_written_as_others_read_them() {
    let csa = "PI\n+\n+7776FU\nT3\n'** 42 -3334FU +8822UM -3122GI\n'good\n-3334FU\n'** -7\n%TORYO\n";
    let record = read(csa.as_bytes()).unwrap().shogi().unwrap();
    let said = |value: &[&str]| (EVALUATION.to_string(), value.iter().map(ToString::to_string).collect::<Vec<_>>());
    assert_eq!(record.nodes[1].properties, [said(&["42", "3c3d", "8h2b+", "3a2b"])]);
    assert_eq!((record.nodes[1].comment.as_str(), record.nodes[2].comment.as_str()), ("good", ""));
    let kif = write(&record, Format::Kif).unwrap();
    assert!(kif.contains("\n**評価値=42\n**読み筋=△３四歩▲２二角成△同　銀\n*good\n"), "{kif}");
    assert!(kif.contains("\n**評価値=-7\n"), "{kif}");
    for format in [Format::Kif, Format::Ki2, Format::Csa, Format::Csa3] {
        let again = reread(&record, format);
        assert_eq!(again.nodes[1].properties, record.nodes[1].properties, "{format:?}");
        assert_eq!(again.nodes[2].properties, record.nodes[2].properties, "{format:?}");
        assert!(write(&again, Format::Csa).unwrap().contains("'** 42 -3334FU +8822UM -3122GI\n'good\n"));
    }
    // What is no evaluation stays a comment: other numbers, moves that are not legal, a second one, one after other words.
    for comment in ["** 4.5", "** x", "** 5 +7776FU", "*読み筋=△３四歩", "** 9\n'** 8", "word\n'** 7"] {
        let text = format!("PI\n+\n+7776FU\n'{comment}\n");
        let record = read(text.as_bytes()).unwrap().shogi().unwrap();
        let kept = comment.replace("\n'", "\n").replace("** 9\n", "");
        assert_eq!(record.nodes[1].comment, kept, "{comment}");
        for format in [Format::Kif, Format::Ki2, Format::Csa] {
            reread(&record, format);
        }
    }
}

#[test]
fn a_file_of_several_games_ends_where_they_end() {
    let game = "'CSA encoding=UTF-8\nV3.0\nPI\n+\n+7776FU\n%TORYO\n";
    for (file, count) in [
        (game.to_string(), 1),
        (format!("{game}/\n"), 1),
        (format!("{game}/\n'that was all\n\n"), 1),
        (format!("{game}/\n{game}/\n\n"), 2),
    ] {
        let records = read_all(file.as_bytes()).unwrap();
        assert_eq!(records.len(), count, "{file}");
        for record in records {
            let record = record.shogi().unwrap();
            assert_eq!((record.moves().len(), record.nodes[0].comment.as_str()), (1, ""), "{file}");
        }
    }
}
