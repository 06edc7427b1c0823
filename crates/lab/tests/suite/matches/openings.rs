//! Openings of every kind, drawn and read.

use yomi_core::Seed;
use yomi_core::toy::{ConnectFour, TicTacToe};
use yomi_games::blokus::BlokusDuo;
use yomi_games::go::Go9;
use yomi_games::shogi::Shogi9;
use yomi_lab::arena::Arena;
use yomi_lab::opening::{OpeningSource, shuffle};
use yomi_lab::plan::MatchPlan;

use super::actors::{Scratch, arena, config, played};

#[test]
fn random_openings_are_drawn_by_the_seed_and_leave_the_game_open() {
    let game = arena::<ConnectFour>("connect-four");
    let draw = |seed| game.draw_opening(&OpeningSource::Random { plies: 6 }, Seed::new(seed)).unwrap();
    assert_eq!(draw(3), draw(3));
    assert_ne!(draw(3), draw(4));
    assert_eq!(draw(3).moves.split_whitespace().count(), 6);
    let error =
        arena::<TicTacToe>("tic-tac-toe").draw_opening(&OpeningSource::Random { plies: 9 }, Seed::new(1)).unwrap_err();
    assert!(error.message.contains("9 random moves"), "{error}");
}

/// To pass in an opening gives the game away.
#[test]
fn random_openings_in_go_have_no_passes() {
    let game = arena::<Go9>("go9");
    for seed in 0..300 {
        let opening = game.draw_opening(&OpeningSource::Random { plies: 8 }, Seed::new(seed)).unwrap();
        assert!(!opening.moves.contains("pass"), "{opening:?}");
    }
}

#[test]
fn openings_are_read_from_their_text() {
    let balanced = |plies, within, by: &str| OpeningSource::Balanced { plies, within, by: by.to_string() };
    for (text, expected) in [
        ("start", OpeningSource::Start),
        ("random(4)", OpeningSource::Random { plies: 4 }),
        ("pentomino", OpeningSource::Pentomino),
        ("balanced(6,within=100)", balanced(6, 100.0, "level(6)")),
        ("balanced(6,within=0.2,by=level(3))", balanced(6, 0.2, "level(3)")),
        ("balanced(6,within=0.2,by=\"uct + rollout sims=9\")", balanced(6, 0.2, "uct + rollout sims=9")),
    ] {
        assert_eq!(OpeningSource::parse(text).unwrap(), expected, "{text}");
    }
    for wrong in ["random", "balanced(4)", "balanced(within=3)", "balanced(4,within=-1)", "randm(4)", "random(4,x=1)"] {
        assert!(OpeningSource::parse(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn pairs_share_their_opening_and_rounds_do_not() {
    let scratch = Scratch::new("paired");
    let mut config = config("connect-four", &["first", "last"], 8);
    config.openings = OpeningSource::Random { plies: 4 };
    let (rows, ..) = played(&config, &*arena::<ConnectFour>("connect-four"), &scratch, 2);
    let opening = |i: usize| rows[i].moves.split_whitespace().take(4).collect::<Vec<_>>();
    assert!((0..4).all(|pair| opening(2 * pair) == opening(2 * pair + 1)));
    assert!((1..4).any(|pair| opening(2 * pair) != opening(0)));
    assert!((0..8).all(|i| rows[i].opening == 4 && rows[i].first == ["first", "last"][i % 2]));
}

/// S1.4: 63 oriented pentominoes with 5 squares each that may lie on the start square.
#[test]
fn blokus_begins_with_a_pentomino_of_each_side() {
    let game = arena::<BlokusDuo>("blokus-duo");
    let mut seen = std::collections::BTreeSet::new();
    for seed in 0..3000 {
        let opening = game.draw_opening(&OpeningSource::Pentomino, Seed::new(seed)).unwrap();
        let words: Vec<&str> = opening.moves.split_whitespace().collect();
        assert_eq!(words.len(), 2);
        seen.insert(words[0].to_string());
    }
    assert_eq!(seen.len(), 315);
    assert!(arena::<TicTacToe>("tic-tac-toe").draw_opening(&OpeningSource::Pentomino, Seed::new(1)).is_err());
}

fn read(game: &dyn Arena, text: &str, ending: &str, cut: Option<usize>) -> Vec<(Option<String>, String)> {
    let openings = game.read_openings(text.as_bytes(), ending, cut).expect(text);
    openings.into_iter().map(|opening| (opening.position, opening.moves)).collect()
}

#[test]
fn lines_are_positions_or_moves() {
    let game = arena::<Shogi9>("shogi");
    let sfen = "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2";
    let text = format!(
        "# a book\n\nstartpos moves 7g7f 3c3d\nposition sfen {sfen} moves 3c3d 2g2f\n{sfen}\n7g7f 8c8d 2g2f\nstartpos\n"
    );
    let openings = read(&*game, &text, "sfen", Some(2));
    let start = |moves: &str| (None, moves.to_string());
    let from = |moves: &str| (Some(sfen.to_string()), moves.to_string());
    assert_eq!(openings, [start("7g7f 3c3d"), from("3c3d 2g2f"), from(""), start("7g7f 8c8d"), start("")]);
    for wrong in ["startpos moves 7g7e", "nonsense", "sfen 9/9 b - 1", "", "# only a comment"] {
        assert!(game.read_openings(wrong.as_bytes(), "sfen", None).is_err(), "{wrong}");
    }
    let error = game.read_openings(b"startpos\nstartpos moves 7g7f 7g7f\n", "txt", None).unwrap_err();
    assert_eq!(error.line, 2, "{error}");
    assert!(game.read_openings(&[0xff, 0xfe, 0x80], "txt", None).is_err());
}

#[test]
fn records_are_cut() {
    let go = arena::<Go9>("go9");
    let sgf = "(;GM[1]SZ[9];B[ee];W[cc];B[gg])(;GM[1]SZ[9];B[cc];W[])";
    assert_eq!(read(&*go, sgf, "sgf", Some(2)), [(None, "E5 C7".into()), (None, "C7 pass".into())]);
    let shogi = arena::<Shogi9>("shogi");
    let csa = "V2.2\nPI\n+\n+7776FU\n-3334FU\n+2726FU\n%TORYO\n";
    assert_eq!(read(&*shogi, csa, "csa", Some(2)), [(None, "7g7f 3c3d".into())]);
    let kif = "手合割：平手\n   1 ７六歩(77)\n   2 ３四歩(33)\n";
    assert_eq!(read(&*shogi, kif, "kifu", None), [(None, "7g7f 3c3d".into())]);
    assert!(arena::<TicTacToe>("tic-tac-toe").read_openings(b"(;)", "sgf", None).is_err());
}

#[test]
fn a_collection_is_taken_in_turn_and_shuffled_by_the_seed() {
    let game = arena::<ConnectFour>("connect-four");
    let mut book = game.read_openings(b"1\n2\n3\n4\n5\n6\n7\n", "txt", None).unwrap();
    let mut config = config("connect-four", &["first", "last"], 40);
    let file =
        |shuffled| OpeningSource::File { path: "book".into(), sha256: "x".into(), count: 7, plies: None, shuffled };
    config.openings = file(false);
    let plan = MatchPlan::new(config.clone(), book.clone()).unwrap();
    let moves =
        |plan: &MatchPlan| (0..18).step_by(2).map(|i| plan.job(i, &*game).unwrap().opening.moves).collect::<Vec<_>>();
    assert_eq!(moves(&plan), ["1", "2", "3", "4", "5", "6", "7", "1", "2"]);
    shuffle(&mut book, Seed::new(9));
    config.openings = file(true);
    let other = MatchPlan::new(config, book).unwrap();
    assert_ne!(moves(&other)[..7], moves(&plan)[..7]);
    let mut again = moves(&other)[..7].to_vec();
    again.sort();
    assert_eq!(again, moves(&plan)[..7]);
    assert_ne!(plan.hash, other.hash, "what the file held decides the games");
}
