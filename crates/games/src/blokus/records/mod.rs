//! Blokus SGF (.blksgf), the format of Pentobi.
//!
//! Moves are `B[f9,e10,f10,g10,f11]` and `W[…]`; setup is `AB`, `AW` and `AE` with one value a piece, and `PL`. Passes are not written:
//! where a side moves twice, a pass of the other is put between on reading. Only a pass after which nothing comes is written, as in
//! other games of this format: `W[]`. The rules are not part of the format either; they are kept in `RU` where they are not the default.
//!
//! Headers are the properties of the root as text, except the game, the charset, setup and comment. Properties of other nodes stay as they
//! stand in the file, escapes and all, and so are written as they were: `TE[1]` marks good moves and `BM[1]` bad ones.

mod read;
mod write;

pub use read::{read, read_all};
pub use write::write;

use yomi_core::{Color, Position, Record};

use super::position::BlokusDuo;

/// The value of `GM`.
const GAME: &str = "Blokus Duo";

/// The side that a value of `PL` names.
fn player(text: &str) -> Option<Color> {
    match text.trim().to_ascii_lowercase().as_str() {
        "b" | "black" | "1" => Some(Color::Black),
        "w" | "white" | "2" => Some(Color::White),
        _ => None,
    }
}

/// The position at the end of the main line, unless setups or illegal moves lie on the way.
fn last_position(record: &Record<BlokusDuo>) -> Option<BlokusDuo> {
    let mut position = record.start.clone();
    for node in record.main_line().skip(1).map(|i| &record.nodes[i]) {
        if node.properties.iter().any(|(id, _)| matches!(id.as_str(), "AB" | "AW" | "AE" | "PL")) {
            return None;
        }
        if let Some(mv) = node.mv {
            position.is_legal(mv).then(|| position.play(mv))?;
        }
    }
    Some(position)
}

fn initial(color: Color) -> char {
    if color == Color::Black { 'B' } else { 'W' }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blokus::BlokusMove;
    use proptest::prelude::*;
    use yomi_core::record::{self, ROOT};
    use yomi_core::{Ending, Notation, Seed, Spec};

    fn shape(record: &Record<BlokusDuo>) -> Vec<record::Node<BlokusMove>> {
        record.nodes.clone()
    }

    /// Reads, writes and reads again: nothing is lost.
    fn round_trip(text: &str) -> Record<BlokusDuo> {
        let record = read(text.as_bytes()).unwrap_or_else(|e| panic!("{e}"));
        let again = read(write(&record).as_bytes()).unwrap_or_else(|e| panic!("{e}\n{}", write(&record)));
        assert_eq!(shape(&record), shape(&again));
        assert_eq!(record.headers, again.headers);
        assert_eq!(record.start.position_text(), again.start.position_text());
        assert_eq!(record.start.rules(), again.start.rules());
        record
    }

    fn codes(record: &Record<BlokusDuo>) -> Vec<String> {
        record.moves().into_iter().map(BlokusMove::code).collect()
    }

    #[test]
    fn a_game_with_variations_comments_and_marks() {
        let text = "(;GM[Blokus Duo]CA[UTF-8]AP[Pentobi:1.0]PB[A \\] B]C[root]\n(;B[f9,e10,f10,g10,f11]TE[1](;W[j4,i5,j5,k5,j6];B[g8,h6,i6,g7,h7]\
                    BM[1]C[bad: [\\]])(;W[i4,h5,i5,j5,i6]N[b\\]c]LB[a1:x][a2:y]))(;B[e10]))";
        let record = round_trip(text);
        assert_eq!(codes(&record), ["65u0", "aau0", "88r3"]);
        assert_eq!(record.headers, [("AP".into(), "Pentobi:1.0".into()), ("PB".into(), "A ] B".into())]);
        let [root, first, bad, other] = [0, 1, 3, 4].map(|i| &record.nodes[i]);
        assert_eq!((root.comment.as_str(), root.children.as_slice()), ("root", &[1, 5][..]));
        assert_eq!((&first.properties[..], bad.comment.as_str()), (&[("TE".into(), vec!["1".into()])][..], "bad: []"));
        assert_eq!(other.properties[1], ("LB".to_string(), vec!["a1:x".to_string(), "a2:y".to_string()]));
        assert_eq!(
            write(&record).replace('\n', ""),
            text.replace('\n', "").replace("g8,h6,i6,g7,h7]BM[1]C[bad: [\\]]", "h6,i6,g7,h7,g8]C[bad: [\\]]BM[1]")
        );
    }

    #[test]
    fn the_setup_of_the_description() {
        let text = "(;GM[Blokus Duo]AB[e8,e9,f9,d10,e10][g6,f7,g7,h7,g8]\nAW[i4,h5,i5,j5,i6][j7,j8,j9,k9,j10]\nPL[B]\
                    ;AE[g6,f7,g7,h7,g8]PL[W];W[k4]C[only three left];B[f7])";
        let record = round_trip(text);
        assert_eq!(
            record.start.position_text(),
            "14/14/14/14/3bb4w4/4bb3ww3/4b1b2w4/5bbb1w4/6b1w5/7www4/8w5/14/14/14 b"
        );
        assert_eq!(codes(&record), ["bba0", "68a0"]);
        assert_eq!(record.nodes[1].properties.len(), 2);
    }

    /// A node without a word is none, whether it has no property or an empty comment.
    #[test]
    fn empty_nodes_vanish() {
        for text in ["(;GM[Blokus Duo]C[];;B[e10];C[];;W[j5]C[])", "(;GM[Blokus Duo];B[e10](;C[])(;;W[j5])(;C[x]C[]))"]
        {
            let record = round_trip(text);
            let written = write(&record);
            assert_eq!(write(&read(written.as_bytes()).unwrap()), written);
            assert!(!written.contains(";;") && !written.contains(";)"), "{written}");
            assert_eq!(record.nodes.iter().filter(|node| node.mv.is_some()).count(), 2);
        }
    }

    /// A node that sets the turn to a side that must pass, and moves: the mover is the other side, when read and when written.
    #[test]
    fn a_pass_between_setup_and_move() {
        // Positions in which only one side can still move come up at the end of random games.
        let mut found = 0;
        for game in 0..200 {
            let mut rng = Seed::new(5).branch("stuck", game).rng();
            let mut position = BlokusDuo::default();
            let mut moves = Vec::new();
            while position.generate(&mut moves).is_none() {
                if moves == [BlokusMove::PASS] {
                    let [black, white] = Color::BOTH.map(|color| {
                        position.pieces(color).iter().map(|mv| format!("[{}]", mv.points())).collect::<String>()
                    });
                    let stuck = initial(position.turn());
                    let mover = initial(!position.turn());
                    let mut after = position.clone();
                    after.play(BlokusMove::PASS);
                    if after.generate(&mut moves).is_none() && moves != [BlokusMove::PASS] {
                        let text =
                            format!("(;GM[Blokus Duo];AB{black}AW{white}PL[{stuck}]{mover}[{}])", moves[0].points());
                        let written = write(&round_trip(&text));
                        assert!(written.contains(&format!("{mover}[{}]", moves[0].points())), "{text}\n{written}");
                        found += 1;
                    }
                    break;
                }
                let mv = moves[rng.below(moves.len())];
                position.play(mv);
            }
            if found >= 3 {
                return;
            }
        }
        panic!("no game got there");
    }

    /// A node that sets the turn twice and moves: the last word counts.
    #[test]
    fn setup_and_move_in_one_node() {
        assert_eq!(codes(&round_trip("(;GM[Blokus Duo];PL[B]W[j5]PL[W];B[e10])")), ["aaa0", "55a0"]);
    }

    /// Points as values of their own, as Pentobi 0.1 and 0.2 wrote them, and a move in the root.
    #[test]
    fn old_files() {
        assert_eq!(codes(&round_trip("(;GM[Blokus Duo];B[f8][g8][e9][f9][e10])")), ["66r3"]);
        assert_eq!(codes(&round_trip("(;GM[Blokus Duo]B[e10];W[j5])")), ["55a0", "aaa0"]);
    }

    /// Random games with their passes, under all rules.
    #[test]
    fn whole_games_come_back() {
        let mut passes = 0;
        for (game, spec) in
            (0..).zip(["blokus-duo", "blokus-duo(start=free)", "blokus-duo(bonus=true)"].into_iter().cycle().take(30))
        {
            let mut rng = Seed::new(1).branch(spec, game).rng();
            let mut position = BlokusDuo::start(&Spec::parse(spec).unwrap()).unwrap();
            let mut record = Record::new(position.clone());
            let (mut moves, mut node) = (Vec::new(), ROOT);
            let outcome = loop {
                if let Some(outcome) = position.generate(&mut moves) {
                    break outcome;
                }
                let mv = moves[rng.below(moves.len())];
                node = record.add(node, Some(mv));
                position.play(mv);
            };
            record.nodes[node].ending = Some(Ending::Counted(outcome));
            let text = write(&record);
            let margin = position.score(Color::Black) - position.score(Color::White);
            assert!(
                text.contains(&format!("+{margin}]"))
                    || text.contains(&format!("+{}]", -margin))
                    || text.contains("RE[0]")
            );
            let read = round_trip(&text);
            assert_eq!((read.moves(), read.ending()), (record.moves(), Some(Ending::Counted(outcome))));
            // A game that was broken off after a pass keeps it.
            let moves = record.moves();
            for end in (0..moves.len()).filter(|&ply| moves[ply].is_pass()) {
                let mut cut = Record::new(record.start.clone());
                moves[..=end].iter().fold(ROOT, |node, &mv| cut.add(node, Some(mv)));
                assert_eq!(round_trip(&write(&cut)).moves(), moves[..=end]);
                passes += 1;
            }
        }
        assert!(passes > 20, "{passes}");
    }

    #[test]
    fn results_that_the_board_does_not_show() {
        let ending = |re: &str| read(format!("(;GM[Blokus Duo]RE[{re}];B[e10])").as_bytes()).unwrap().ending();
        assert_eq!(
            [ending("B+R"), ending("B+Resign"), ending("B+T")].map(Option::unwrap),
            [Ending::Resign, Ending::Resign, Ending::TimeUp]
        );
        assert_eq!((ending("W+R"), ending("B+3"), ending("?")), (None, None, None));
    }

    #[test]
    fn errors_name_the_node() {
        for (text, line, words) in [
            ("", 0, "no game"),
            ("(;GM[Blokus]\n;B[e10])", 1, "record of Blokus, not of Blokus Duo"),
            ("(;B[e10])", 0, "GM[Blokus Duo] is missing"),
            ("(;GM[Blokus Duo]\n;B[a1])", 2, "node 1: the first piece of Black covers e10"),
            ("(;GM[Blokus Duo]\n;B[e10]\n;B[f9,g9])", 3, "node 2: it is the turn of White"),
            ("(;GM[Blokus Duo]\n;W[j5])", 2, "node 1: it is the turn of Black"),
            ("(;GM[Blokus Duo]\n;B[e10]W[j5])", 2, "both sides"),
            ("(;GM[Blokus Duo]\n;B[e10][e11][e12][e13][e14][d14])", 2, "at most five"),
            ("(;GM[Blokus Duo]\n;B[e10,x])", 2, "a square is"),
            ("(;GM[Blokus Duo]\nAB[e10][e11,e12])", 2, "e11: pieces of Black touch along an edge"),
            ("(;GM[Blokus Duo]\nAB[e10]AW[e10])", 2, "e10: two pieces cover the same square"),
            ("(;GM[Blokus Duo]\n;AE[e10])", 2, "no such piece"),
            ("(;GM[Blokus Duo]\n;PL[x])", 2, "PL is B or W"),
        ] {
            let error = read(text.as_bytes()).expect_err(text);
            assert_eq!(error.line, line, "{text}: {error}");
            assert!(error.message.contains(words), "{text}: {error}");
        }
        let many = format!("(;GM[Blokus Duo]{})", ";PL[W];PL[B]".repeat(1000));
        assert!(read(many.as_bytes()).unwrap_err().message.contains("too many setups"));
        let more = format!("(;GM[Blokus Duo]AB{})", "[e10]".repeat(100_000));
        assert!(read(more.as_bytes()).unwrap_err().message.contains("21 pieces"));
        let wide = format!("(;GM[Blokus Duo]{})", "(;B[e10])".repeat(20_000));
        assert_eq!(round_trip(&wide).nodes[ROOT].children.len(), 20_000);
        let deep = format!("(;GM[Blokus Duo]{}{}", "(;C[x]".repeat(20_000), ")".repeat(20_001));
        assert_eq!(round_trip(&deep).nodes.len(), 20_001);
        assert_eq!(round_trip(&format!("(;GM[Blokus Duo]{};C[x])", ";".repeat(20_000))).nodes.len(), 2);
        assert_eq!(read_all("(;GM[Blokus Duo];B[e10])\n(;GM[Blokus Duo])".as_bytes()).unwrap().len(), 2);
    }

    proptest! {
        #[test]
        fn no_file_panics(noise: Vec<u8>, body in "([;()]|B\\[e10\\]|W\\[j5\\]|A[BWE]\\[(e10|f9|j5)\\]|PL\\[[BW]\\]|C\\[x\\]){0,12}") {
            let _ = read_all(&noise);
            if let Ok(record) = read(format!("(;GM[Blokus Duo]{body})").as_bytes()) {
                round_trip(&write(&record));
            }
        }
    }
}
