//! Files as people have them.

use std::time::Duration;

use yomi_core::record::Record;
use yomi_core::{Color, Ending, Notation, Outcome};
use yomi_games::shogi::records::{AnyRecord, BOOKMARK, Encoding, Format, ILLEGAL, WORD, detect, encode, read, write};
use yomi_games::shogi::{Minishogi, Shogi9};

fn shogi(text: &str) -> Record<Shogi9> {
    read(text.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{text}")).shogi().unwrap()
}

fn minishogi(text: &str) -> Record<Minishogi> {
    read(text.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{text}")).minishogi().unwrap()
}

/// The moves of the main line in USI.
fn usi(record: &Record<Shogi9>) -> String {
    let mut position = record.start;
    let mut words = Vec::new();
    for mv in record.moves() {
        words.push(position.move_text(mv));
        yomi_core::Position::play(&mut position, mv);
    }
    words.join(" ")
}

const KIF: &str = "# ---- Kifu for Windows V7 V7.70 棋譜ファイル ----
開始日時：2023/01/01(日) 09:00:00
棋戦：第1期テスト戦
持ち時間：各4時間
手合割：平手　　
先手：わたし
後手：師匠
手数----指手---------消費時間--
*開始の挨拶。
   1 ７六歩(77)   ( 0:16/00:00:16)
*好手
**Engines 0 候補1 深さ 13/20 評価値 34
   2 ３四歩(33)   ( 0:00/00:00:00)+
   3 ２二角成(88) ( 1:03/00:01:19)
   4 同　銀(31)   ( 0:12/00:00:12)
&仕掛け
   5 ５五角打     (10:00/00:11:19)
   6 投了         ( 0:03/00:00:15)
まで5手で先手の勝ち

変化：2手
   2 ８四歩(83)   ( 0:05/00:00:05)
   3 ２六歩(27)   ( 0:01/00:00:17)
";

#[test]
fn kakinokis_own() {
    let record = shogi(KIF);
    assert_eq!(usi(&record), "7g7f 3c3d 8h2b+ 3a2b B*5e");
    assert_eq!(record.ending(), Some(Ending::Resign));
    assert_eq!(record.header("後手"), Some("師匠"));
    assert_eq!(record.header("開始日時"), Some("2023/01/01(日) 09:00:00"));
    let line: Vec<usize> = record.main_line().collect();
    let node = |n: usize| &record.nodes[line[n]];
    assert_eq!(node(0).comment, "開始の挨拶。");
    assert_eq!(node(1).comment, "好手\n*Engines 0 候補1 深さ 13/20 評価値 34");
    assert_eq!(node(3).time, Some(Duration::from_secs(63)));
    assert_eq!(node(4).properties, [(BOOKMARK.to_string(), vec!["仕掛け".to_string()])]);
    assert_eq!(node(6).time, Some(Duration::from_secs(3)));
    assert_eq!(node(1).children.len(), 2, "the variation branches off the second move");
    let branch = node(1).children[1];
    assert_eq!(record.start.move_text(record.nodes[branch].mv.unwrap()), "8c8d");
    // What we write differs only in the first line and where the handicap stands.
    let text = write(&record, Format::Kif).unwrap();
    let body = |text: &str| {
        text.lines().skip(1).filter(|line| !line.starts_with("手合割")).map(String::from).collect::<Vec<_>>()
    };
    assert_eq!(body(&text), body(KIF));
}

#[test]
fn the_same_game_in_many_styles() {
    let moves = "7g7f 3c3d 8h2b+ 3a2b B*5e";
    let styles = [
        // Without the line above the moves, times, or counters.
        "手合割：平手\n1 ７六歩(77)\n2 ３四歩(33)\n3 ２二角成(88)\n4 同　銀(31)\n5 ５五角打\n",
        "手合割:平手\n７六歩(77)\n３四歩(33)\n２二角成(88)\n同銀(31)\n５五角打\n",
        // Half-width digits, full-width brackets, spaces of either width, no handicap.
        "   1 76歩（77）\n  2 34歩(33)\n３　２二角成(88)\n 4 同 銀(31)\n 5 55角打 ( 0:01)\n",
        "1 7六歩(77) (0:01/0:00:01)\n2 3四歩(33) (0:01/0:00:01)\n3 2二角成(88)\n4 同　　銀(31)\n5 5五角打(00)\n",
        // KI2 in its marks and spacings, promotion written or not.
        "手合割：平手\n\n▲７六歩 △３四歩 ▲２二角成 △同　銀 ▲５五角\n",
        "▲７六歩△３四歩▲２二角成△同銀▲５五角打\n",
        "☗７六歩　☖３四歩　☗２二角成　☖同銀　☗５五角\nまで5手で中断\n",
        "先手：A\n後手：B\n▲7六歩\n△3四歩\n▲2二角成\n*ここで\n△同銀\n▲5五角\n",
        // A byte order mark, CR LF, and a mark of the encoding.
        "\u{feff}#KIF version=2.0 encoding=UTF-8\r\n手合割：平手\r\n   1 ７六歩(77)\r\n   2 ３四歩(33)\r\n   3 ２二角成(88)\r\n   4 同　銀(31)\r\n   5 ５五角打\r\n",
        // CSA with and without times, several statements on a line.
        "V2.2\nN+a\nN-b\nPI\n+\n+7776FU\nT1\n-3334FU\nT2\n+8822UM\n-3122GI\n+0055KA\n%CHUDAN\n",
        "'comment\nPI\n+\n+7776FU,T1\n-3334FU,T2,'* 30 +8822UM\n+8822UM,\n-3122GI\n+0055KA\n",
        "'CSA encoding=UTF-8\nV3.0\n$EVENT:x\n$TIME:300+10+0\nPI\n+\n+7776FU\nT1.250\n-3334FU\n+8822UM\n-3122GI\n+0055KA\n",
        "+7776FU\n-3334FU\n+8822UM\n-3122GI\n+0055KA\n",
        "P1-KY-KE-GI-KI-OU-KI-GI-KE-KY\nP2 * -HI * * * * * -KA *\nP3-FU-FU-FU-FU-FU-FU-FU-FU-FU\nP4 * * * * * * * * *\n\
         P5 * * * * * * * * *\nP6 * * * * * * * * *\nP7+FU+FU+FU+FU+FU+FU+FU+FU+FU\nP8 * +KA * * * * * +HI *\n\
         P9+KY+KE+GI+KI+OU+KI+GI+KE+KY\n+\n+7776FU\n-3334FU\n+8822UM\n-3122GI\n+0055KA\n",
    ];
    for style in styles {
        assert_eq!(usi(&shogi(style)), moves, "{style}");
        let in_shift_jis = encode(style.trim_start_matches('\u{feff}'), Encoding::ShiftJis);
        if let Ok(bytes) = in_shift_jis {
            assert_eq!(usi(&read(&bytes).unwrap().shogi().unwrap()), moves, "{style}");
        }
    }
    assert_eq!(detect(styles[0]), Some(Format::Kif));
    assert_eq!(detect(styles[5]), Some(Format::Ki2));
    assert_eq!(detect(styles[9]), Some(Format::Csa));
    assert_eq!(detect(styles[11]), Some(Format::Csa3));
}

#[test]
fn boards_in_many_styles() {
    let board = "  ９ ８ ７ ６ ５ ４ ３ ２ １
+---------------------------+
| ・ ・ ・ ・ ・ ・ ・v桂v香|一
| ・ ・ ・ ・ ・ ・ ・v王 ・|二
| ・ ・ ・ ・ ・ ・ ・v歩v歩|三
| ・ ・ ・ ・ ・ 竜 ・ ・ ・|四
| ・ ・ ・ ・ ・ ・ ・ ・ ・|五
| ・ ・ ・ ・ ・ ・ ・ ・ ・|六
| ・ ・ ・ ・ ・ ・ ・ ・ ・|七
| ・ ・ ・ ・ ・ ・ ・ ・ ・|八
| ・ ・ ・ ・ ・ ・ ・ ・ ・|九
+---------------------------+
";
    let sfen = "7nl/7k1/7pp/5+R3/9/9/9/9/9 b 2G2b2g3s 1";
    for (black, white) in [
        ("先手の持駒：金二", "後手の持駒：角二　金二　銀三"),
        ("先手の持ち駒：金２", "後手の持ち駒:角 角 金2 銀三 "),
        ("下手の持駒：金二　", "上手の持駒：角二金二銀三"),
    ] {
        let text = format!("手合割：その他　　\n{white}\n{board}{black}\n1 ４二龍(44)\n2 ３二角打\n");
        let record = shogi(&text);
        assert_eq!(record.start.sfen(), sfen, "{text}");
        assert_eq!(usi(&record), "4d4b B*3b");
    }
    // White to move, and the number of the move.
    let text =
        format!("後手の持駒：なし\n{board}先手の持駒：歩十四\n手数＝171　▲４四竜　まで\n後手番\n172 ３二玉(22)\n");
    let record = shogi(&text);
    assert_eq!(record.start.sfen(), "7nl/7k1/7pp/5+R3/9/9/9/9/9 w 14P 172");
    assert_eq!(usi(&record), "2b3b");
}

#[test]
fn handicaps() {
    let record = shogi("手合割：二枚落ち\n下手：弟子\n上手：師匠\n   1 ６二銀(71)\n   2 ７六歩(77)\n");
    assert_eq!(record.start.sfen(), "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1");
    let text = write(&record, Format::Kif).unwrap();
    assert!(text.contains("手合割：二枚落ち\n") && text.contains("上手：師匠\n"), "{text}");
    let csa = write(&record, Format::Csa).unwrap();
    assert!(csa.contains("N+弟子\nN-師匠\nP1-KY-KE") && csa.contains("\n-\n-7162GI\n"), "{csa}");
    let record = shogi("V2.2\nPI82HI22KA\n-\n-7162GI\n+7776FU\n");
    assert_eq!(record.start.sfen(), "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1");
}

#[test]
fn mating_problems_without_a_king() {
    let record = shogi("P-11OU21KE\nP+24KE00KI\nP-00AL\n+\n+0012KI\n%TSUMI\n");
    assert_eq!(record.start.sfen(), "7nk/9/9/7N1/9/9/9/9/9 b G2r2b3g4s2n4l18p 1");
    assert_eq!(usi(&record), "G*1b");
}

#[test]
fn minishogi_in_every_format() {
    let kif = "手合割：5五将棋\n先手：あ\n後手：い\n手数----指手---------消費時間--\n   1 ３四銀(35)\n   2 ３二銀(31)\n   3 投了\nまで2手で後手の勝ち\n";
    let record = minishogi(kif);
    assert_eq!(record.start.sfen(), "rbsgk/4p/5/P4/KGSBR b - 1");
    assert_eq!(record.moves().len(), 2);
    let csa = write(&record, Format::Csa).unwrap();
    let board = "P1-HI-KA-GI-KI-OU\nP2 *  *  *  * -FU\nP3 *  *  *  *  * \nP4+FU *  *  *  * \nP5+OU+KI+GI+KA+HI\n+\n+3534GI\n-3132GI\n%TORYO\n";
    assert!(csa.ends_with(board), "{csa}");
    assert_eq!(minishogi(&csa).moves(), record.moves());
    let ki2 = write(&record, Format::Ki2).unwrap();
    assert!(ki2.contains("▲３四銀    △３二銀"), "{ki2}");
    assert_eq!(minishogi(&ki2).moves(), record.moves());
    let drawn = "後手の持駒：なし\n  ５ ４ ３ ２ １\n+---------------+\n|v飛v角v銀v金v玉|一\n| ・ ・ ・ ・v歩|二\n| ・ ・ ・ ・ ・|三\n\
                 | 歩 ・ ・ ・ ・|四\n| 玉 金 銀 角 飛|五\n+---------------+\n先手の持駒：なし\n1 ３四銀(35)\n";
    assert_eq!(minishogi(drawn).start.sfen(), record.start.sfen());
}

#[test]
fn ends_of_kif_and_csa() {
    let kif = |word: &str| shogi(&format!("手合割：平手\n   1 ７六歩(77)\n   2 {word}\n"));
    let csa = |word: &str| shogi(&format!("PI\n+\n+7776FU\n%{word}\n"));
    let outcome = |record: &Record<Shogi9>| record.ending().unwrap().outcome(Color::White);
    let (black, white) = (Some(Outcome::Win(Color::Black)), Some(Outcome::Win(Color::White)));
    for (word, expected) in [
        ("投了", black),
        ("中断", None),
        ("千日手", Some(Outcome::Draw)),
        ("持将棋", Some(Outcome::Draw)),
        ("詰み", black),
        ("切れ負け", black),
        ("反則勝ち", white),
        ("反則負け", black),
        ("入玉勝ち", white),
        ("入玉宣言", white),
        ("不戦敗", black),
        ("不戦勝", white),
        ("封じ手", None),
        ("最大手数", Some(Outcome::Draw)),
        ("王手千日手", white),
    ] {
        assert_eq!(outcome(&kif(word)), expected, "{word}");
    }
    for (word, expected) in [
        ("TORYO", black),
        ("CHUDAN", None),
        ("SENNICHITE", Some(Outcome::Draw)),
        ("OUTE_SENNICHITE", white),
        ("JISHOGI", Some(Outcome::Draw)),
        ("KACHI", white),
        ("HIKIWAKE", Some(Outcome::Draw)),
        ("TIME_UP", black),
        ("ILLEGAL_MOVE", black),
        ("+ILLEGAL_ACTION", white),
        ("-ILLEGAL_ACTION", black),
        ("MATTA", None),
        ("TSUMI", black),
        ("FUZUMI", None),
        ("ERROR", None),
        ("MAX_MOVES", Some(Outcome::Draw)),
    ] {
        assert_eq!(outcome(&csa(word)), expected, "{word}");
    }
    let node = csa("MATTA");
    let node = &node.nodes[2];
    assert_eq!(
        (node.ending, &node.properties[0].0[..], &node.properties[0].1[0][..]),
        (Some(Ending::Aborted), WORD, "待った")
    );
}

#[test]
fn an_illegal_last_move_is_kept() {
    // Nifu, and then who lost by it, in the words of either format.
    for text in [
        "手合割：平手\n 1 ２六歩(27)\n 2 ８四歩(83)\n 3 ２五歩(26)\n 4 ８五歩(84)\n 5 ２四歩(25)\n 6 同　歩(23)\n 7 同　飛(28)\n 8 ８四歩打\n 9 反則勝ち\n",
        "▲２六歩△８四歩▲２五歩△８五歩▲２四歩△同歩▲同飛△８四歩打\nまで8手で先手の反則勝ち\n",
        "PI\n+\n+2726FU\n-8384FU\n+2625FU\n-8485FU\n+2524FU\n-2324FU\n+2824HI\n-0084FU\n%-ILLEGAL_ACTION\n",
        "PI\n+\n+2726FU\n-8384FU\n+2625FU\n-8485FU\n+2524FU\n-2324FU\n+2824HI\n-0084FU\n%ILLEGAL_MOVE\n",
    ] {
        let record = shogi(text);
        let last = record.nodes.last().unwrap();
        assert_eq!(record.moves().len(), 7, "{text}");
        assert_eq!(last.ending, Some(Ending::IllegalAction));
        assert_eq!(last.properties, [(ILLEGAL.to_string(), vec!["P*8d".to_string()])]);
        assert_eq!(last.ending.unwrap().outcome(Color::White), Some(Outcome::Win(Color::Black)));
    }
}

#[test]
fn variations_nest() {
    let text = "手合割：平手\n 1 ７六歩(77)\n 2 ３四歩(33)\n 3 ２六歩(27)\n変化：3手\n 3 ６六歩(67)\n 4 ８四歩(83)\n変化：4手\n 4 ３三角(22)\n変化：1手\n 1 ２六歩(27)\n 2 投了\n";
    let AnyRecord::Shogi(record) = read(text.as_bytes()).unwrap() else { panic!() };
    let found: Vec<(usize, String)> = (1..record.nodes.len())
        .map(|n| (record.nodes[n].parent, record.nodes[n].mv.map_or("end".into(), |mv| record.start.move_text(mv))))
        .collect();
    let expected =
        [(0, "7g7f"), (1, "3c3d"), (2, "2g2f"), (2, "6g6f"), (4, "8c8d"), (4, "2b3c"), (0, "2g2f"), (7, "end")];
    assert_eq!(found, expected.map(|(parent, mv)| (parent, mv.to_string())));
}
