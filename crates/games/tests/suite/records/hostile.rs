//! Files that are wrong: the error says where and why, quickly, and nothing panics.

use allocation_counter::measure;
use proptest::prelude::*;
use yomi_core::Seed;
use yomi_games::shogi::records::{Encoding, Format, encode, read, read_all, write};
use yomi_games::shogi::{Five, Nine};

use super::random_record::{Taste, random_record};

fn fault(text: &str) -> (usize, String) {
    let error = read(text.as_bytes()).map(|_| text).expect_err("it is wrong");
    (error.line, error.message)
}

#[test]
fn faults_are_located() {
    for (text, line, message) in [
        ("手合割：平手\n 1 ７六歩(77)\n 2 ３四歩(34)\n", 3, "move 2, ３四歩(34), is illegal: nothing stands on 34"),
        (
            "手合割：平手\n 1 ７六歩(77)\n 2 ３四歩(33)\n 3 ２二飛成(28)\n",
            4,
            "move 3, ２二飛成(28), is illegal: the piece does not move there",
        ),
        ("手合割：平手\n 1 ７六銀(77)\n", 2, "move 1, ７六銀(77), is illegal: 歩 stands on 77, not 銀"),
        ("手合割：平手\n 1 ７六X(77)\n", 2, "no piece has this name"),
        ("手合割：平手\n 1 ７六歩(77)\n 3 ３四歩(33)\n", 3, "move 2 was expected here, not 3"),
        ("手合割：平手\n 1 ７六歩(77) ( 9999999:59/99999:99:99)\n", 2, "9999999:59 is no time"),
        (
            "手合割：平手\n 1 ７六歩(77) (3:44:4:44:43:44:4:44:4244:44:4:44:1)\n",
            2,
            "3:44:4:44:43:44:4:44:4244:44:4:44:1 is no time",
        ),
        ("手合割：平手\n 1 ７六歩(77) (93015:07:00)\n", 2, "93015:07:00 is no time"),
        ("PI\n+\n+7776FU\nT60000000\n", 4, "a time looks like T12 or T12.345"),
        ("手合割：平手\n 1 投了\n 2 ３四歩(33)\n", 3, "move 2, ３四歩(33), is illegal: the game is over"),
        ("手合割：平手\n 1 ７六歩(77)\n変化：5手\n 5 ２六歩(27)\n", 3, "there is no move 5 in the line before it"),
        ("手合割：十九枚落ち\n 1 ７六歩(77)\n", 1, "no handicap is called 十九枚落ち"),
        ("手合割：その他\n 1 ７六歩(77)\n", 1, "手合割：その他 needs a board"),
        ("手合割：平手\n後手の持駒：猫\n 1 ７六歩(77)\n", 2, "no piece in hand is called 猫"),
        ("手合割：平手\n先手の持駒：歩\n 1 ７六歩(77)\n", 0, "pieces in hand are given, but no board"),
        ("手合割：平手\nfoo bar\n 1 ７六歩(77)\n", 2, "neither a header, a board, a comment nor a move"),
        ("手合割：5五将棋\n 1 ７六歩(77)\n", 2, "move 1, ７六歩(77), is illegal: the board has no square 76"),
        ("▲７六歩 △３四歩\n▲５五飛\n", 2, "move 3, ▲５五飛, is illegal: no 飛 can go there"),
        ("手合割：平手\n▲７六歩 ▲２六歩\n", 2, "move 2, ▲２六歩, is illegal: it is △'s move"),
        ("PI\n+\n+7776FU\n+2726FU\n", 4, "move 2, +2726FU, is illegal: it is -'s move"),
        ("PI\n+\n+7776KI\n", 3, "move 1, +7776KI, is illegal: FU stands on 77, not KI"),
        ("PI\n+\n+7776FU\nTx\n", 4, "a time looks like T12 or T12.345"),
        ("PI\n+\n%NANIKA\n", 3, "no end of a game is called so"),
        ("P1-KY\nP3-KY\n+\n", 2, "rank P2 was expected"),
        ("PI55HI\n+\n", 1, "there is no HI on 55 to take away"),
        ("P1-HI-KA-GI-KI-OU\nP2 *  *  *  * -FU\n+\n", 2, "the board has 2 ranks, not 5"),
        ("", 0, "this is no KIF, KI2 or CSA: no line of it is a move or a board"),
    ] {
        let (found_line, found) = fault(text);
        assert!(found.contains(message), "{text}\n{found}");
        assert!(found_line == line, "{text}\n{found} in line {found_line}");
    }
    let illegal_then_on = "手合割：平手\n 1 ７六歩(77)\n 2 ３四歩(33)\n 3 ８八銀(79)\n 4 ８四歩(83)\n";
    assert_eq!(
        fault(illegal_then_on),
        (4, "move 3, ８八銀(79), is illegal: a piece of the same side stands there".into())
    );
}

/// Ten megabytes of anything are read or refused with work in proportion: what is allocated on the way is counted, and a reader that goes over
/// all of it for each line or sign of it (10^13 steps and more) does not come to an end.
#[test]
fn ten_megabytes_are_nothing() {
    const SIZE: usize = 10_000_000;
    let mut rng = Seed::new(9).rng();
    let noise: Vec<u8> = (0..SIZE / 8).flat_map(|_| rng.next().to_le_bytes()).collect();
    let fill = |head: &str, piece: &str| format!("{head}{}", piece.repeat(SIZE / piece.len())).into_bytes();
    let shuffle = "+4958KI\n-4152KI\n+5849KI\n-5241KI\n";
    let files = [
        noise,
        fill("", "あ"),
        fill("", "\n"),
        fill("", "a:b\n"),
        fill("手合割：平手\n", "a：b\n"),
        fill("手合割：平手\n1 ７六歩(77)\n", "*\n"),
        fill("手合割：平手\n1 ７六歩(77)\n", "変化：1手\n1 ７六歩(77)\n"),
        fill("手合割：平手\n", "|v"),
        fill("手合割：平手\n", "| ・|\n"),
        fill("先手の持駒：", "歩"),
        fill("先手の持駒：歩", "十"),
        fill("▲", "▲"),
        fill("▲７六歩", "左"),
        fill("1 ７六歩(", "7"),
        fill("PI\n+\n", shuffle),
        fill("PI\n+\n+7776FU,", ","),
        fill("PI\n+\n", "'\n"),
        fill("P1", "-FU"),
        fill("P+", "00FU"),
        fill("PI\n/\n", "PI\n/\n"),
    ];
    for file in files {
        let mut result = Ok(());
        let allocated = measure(|| result = read(&file).map(|_| ()));
        let shown = String::from_utf8_lossy(&file[..40]).into_owned();
        assert!(allocated.bytes_total < 40 * SIZE as u64, "{shown}: {allocated:?}");
        if let Err(error) = result {
            assert!(error.to_string().len() < 2_000, "{shown}");
        }
    }
}

fn written(seed: u64, which: usize) -> Vec<u8> {
    let taste = Taste { variations: true, bookmarks: true, odd_starts: true, odd_ends: true };
    let mut rng = Seed::new(seed).rng();
    let format = [Format::Kif, Format::Ki2, Format::Csa, Format::Csa3][which % 4];
    let text = if which.is_multiple_of(8) {
        write(&random_record::<Five>(&mut rng, taste), format)
    } else {
        write(&random_record::<Nine>(&mut rng, taste), format)
    };
    let encoding = if seed.is_multiple_of(2) { Encoding::ShiftJis } else { Encoding::Utf8 };
    encode(&text.unwrap(), encoding).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let _ = (read(&bytes).is_ok(), read_all(&bytes).is_ok());
    }

    #[test]
    fn japanese_noise_never_panics(text in "[▲△同１-９一-九歩香桂銀金角飛玉と成不打左右直上寄引()0-9:：変化手まで投了*&+|v・ \n-]{0,200}") {
        let _ = read(text.as_bytes()).is_ok();
        let _ = read(format!("手合割：平手\n{text}").as_bytes()).is_ok();
    }

    #[test]
    fn csa_noise_never_panics(text in "[PVNT$%+\\-0-9IFUKYEGHOMRAL*,./' \n]{0,200}") {
        let _ = (read(text.as_bytes()).is_ok(), read_all(format!("PI\n+\n{text}").as_bytes()).is_ok());
    }

    /// A damaged file is refused, or it is a record that can be written and read again.
    #[test]
    fn damaged_files_are_refused_or_make_sense(
        seed in 0u64..200, which in 0usize..16, cuts in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0u8..4), 1..6),
    ) {
        let mut bytes = written(seed, which);
        for (at, byte, how) in cuts {
            let at = at.index(bytes.len().max(1)).min(bytes.len().saturating_sub(1));
            match how {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                2 => { bytes.remove(at); }
                _ => { let end = (at + usize::from(byte)).min(bytes.len()); bytes.drain(at..end); }
            }
            if bytes.is_empty() { bytes.push(b'x'); }
        }
        if let Ok(record) = read(&bytes) {
            for format in [Format::Kif, Format::Ki2, Format::Csa, Format::Csa3] {
                let text = record.write(format).expect("what was read is legal");
                let again = read(text.as_bytes());
                prop_assert!(again.is_ok(), "{}\n{text}", again.unwrap_err());
                prop_assert_eq!(again.unwrap().write(format).unwrap(), text);
            }
        }
    }
}
