//! What the boards look like in a terminal, byte for byte.

use yomi_core::{Notation, Position};
use yomi_games::blokus::{BlokusDuo, BlokusMove};
use yomi_games::draw::{self, Draw, Marks, Picture, TextOptions, terminal};
use yomi_games::go::{Go9, Rules, Vertex};
use yomi_games::shogi::{Minishogi, Shogi9};

fn plain(picture: &Picture) -> String {
    terminal(picture, &TextOptions::default())
}

fn ascii(picture: &Picture) -> String {
    terminal(picture, &TextOptions { ascii: true, ..TextOptions::default() })
}

fn color(picture: &Picture) -> String {
    terminal(picture, &TextOptions { color: true, trays: false, captions: false, ..TextOptions::default() })
}

#[test]
fn shogi_begins_as_a_bod_diagram() {
    assert_eq!(
        plain(&Shogi9::default().board()),
        "White: -\n\
         \x20 ９ ８ ７ ６ ５ ４ ３ ２ １  \x20\n\
         +---------------------------+ \x20\n\
         |v香v桂v銀v金v王v金v銀v桂v香|一\n\
         | ・v飛 ・ ・ ・ ・ ・v角 ・|二\n\
         |v歩v歩v歩v歩v歩v歩v歩v歩v歩|三\n\
         | ・ ・ ・ ・ ・ ・ ・ ・ ・|四\n\
         | ・ ・ ・ ・ ・ ・ ・ ・ ・|五\n\
         | ・ ・ ・ ・ ・ ・ ・ ・ ・|六\n\
         | 歩 歩 歩 歩 歩 歩 歩 歩 歩|七\n\
         | ・ 角 ・ ・ ・ ・ ・ 飛 ・|八\n\
         | 香 桂 銀 金 玉 金 銀 桂 香|九\n\
         +---------------------------+ \x20\n\
         Black: -\n\
         Move 1: Black to move\n"
    );
}

#[test]
fn minishogi_begins_in_kanji_and_in_letters() {
    let picture = Minishogi::default().board();
    assert_eq!(
        plain(&picture),
        "White: -\n\
         \x20 ５ ４ ３ ２ １  \x20\n\
         +---------------+ \x20\n\
         |v飛v角v銀v金v王|一\n\
         | ・ ・ ・ ・v歩|二\n\
         | ・ ・ ・ ・ ・|三\n\
         | 歩 ・ ・ ・ ・|四\n\
         | 玉 金 銀 角 飛|五\n\
         +---------------+ \x20\n\
         Black: -\n\
         Move 1: Black to move\n"
    );
    assert_eq!(
        ascii(&picture),
        "White: -\n\
         \x20 5 4 3 2 1 \x20\n\
         +----------+\x20\n\
         | r b s g k|a\n\
         | . . . . p|b\n\
         | . . . . .|c\n\
         | P . . . .|d\n\
         | K G S B R|e\n\
         +----------+\x20\n\
         Black: -\n\
         Move 1: Black to move\n"
    );
    assert_eq!(
        ascii(&picture.turned()),
        "Black: -\n\
         \x20 1 2 3 4 5 \x20\n\
         +----------+\x20\n\
         | R B S G K|e\n\
         | . . . . P|d\n\
         | . . . . .|c\n\
         | p . . . .|b\n\
         | k g s b r|a\n\
         +----------+\x20\n\
         White: -\n\
         Move 1: Black to move\n"
    );
}

#[test]
fn shogi_marks_the_last_move_and_lists_moves() {
    let mut position = Minishogi::from_sfen("1bsgk/4p/5/5/KGSBR b Pr 1").unwrap();
    let last = position.parse_move("2e3d").unwrap();
    position.play(last);
    let mv = position.parse_move("1b1c").unwrap();
    let picture = position.picture(&Marks::new().last(last).arrow(mv, 0.7, "70%"));
    assert_eq!(
        plain(&picture),
        "White: 飛\n\
         \x20  ５  ４  ３  ２  １   \x20\n\
         +---------------------+ \x20\n\
         |  ・ v角 v銀 v金 v王 |一\n\
         |  ・  ・  ・  ・ v歩 |二\n\
         |  ・  ・  ・  ・  ・ |三\n\
         |  ・  ・( 角) ・  ・ |四\n\
         |  玉  金  銀( ・) 飛 |五\n\
         +---------------------+ \x20\n\
         Black: 歩\n\
         Move 2: White to move\n\
         \x201 1b-1c 70%\n"
    );
    // The same in colour: three columns per cell, the squares of the last move on other grounds.
    let rows = color(&picture);
    let fourth = rows.lines().nth(5).unwrap();
    assert_eq!(
        fourth,
        "|\x1b[0;38;5;137;48;5;222m ・ ・\x1b[0;38;5;16;48;5;149;1m 角\
         \x1b[0;38;5;137;48;5;222m ・ ・\x1b[0m|四"
    );
}

#[test]
fn blokus_begins_empty_and_names_its_tiles() {
    let mut position = BlokusDuo::default();
    assert_eq!(
        plain(&position.board()),
        "White 0: a b c d e f g h i j k l m n o p q r s t u\n\
         14 . . . . . . . . . . . . . .\x20\n\
         13 . . . . . . . . . . . . . .\x20\n\
         12 . . . . . . . . . . . . . .\x20\n\
         11 . . . . . . . . . . . . . .\x20\n\
         10 . . . . + . . . . . . . . .\x20\n\
         \x209 . . . . . . . . . . . . . .\x20\n\
         \x208 . . . . . . . . . . . . . .\x20\n\
         \x207 . . . . . . . . . . . . . .\x20\n\
         \x206 . . . . . . . . . . . . . .\x20\n\
         \x205 . . . . . . . . . + . . . .\x20\n\
         \x204 . . . . . . . . . . . . . .\x20\n\
         \x203 . . . . . . . . . . . . . .\x20\n\
         \x202 . . . . . . . . . . . . . .\x20\n\
         \x201 . . . . . . . . . . . . . .\x20\n\
         \x20  a b c d e f g h i j k l m n\x20\n\
         Black 0: A B C D E F G H I J K L M N O P Q R S T U\n\
         Black to move, 0 to 0\n"
    );
    let mut last = None;
    for points in ["e9,d10,e10,f10,e11", "j5,i6,j6,k6,j7"] {
        let mv = BlokusMove::from_points(points).unwrap();
        position.play(mv);
        last = Some(mv);
    }
    let mut marks = Marks { last, ..Marks::new() };
    marks.highlights = draw::blokus::attach_points(&position, position.turn());
    let text = plain(&position.picture(&marks));
    let rows: Vec<&str> = text.lines().skip(3).take(9).collect();
    assert_eq!(
        rows,
        [
            "12 . . . : . : . . . . . . . . ",
            "11 . . : . U . : . . . . . . . ",
            "10 . . . U U U . . . . . . . . ",
            " 9 . . : . U . : . . . . . . . ",
            " 8 . . . : . : . . . . . . . . ",
            " 7 . . . . . . . . .(u). . . . ",
            " 6 . . . . . . . .(u u u). . . ",
            " 5 . . . . . . . . .(u). . . . ",
            " 4 . . . . . . . . . . . . . . ",
        ]
    );
    // In colour a tile is two columns of its own ground, and the last one has a pattern.
    let picture = position.picture(&marks);
    let rows = color(&picture);
    assert!(rows.lines().nth(4).unwrap().contains("\x1b[0;38;5;231;48;5;98m      \x1b["));
    assert!(rows.lines().nth(8).unwrap().contains("\x1b[0;38;5;16;48;5;222m::::::\x1b["));
}

/// A board of five lines with these moves played.
fn go5(moves: &str) -> (Go9, Marks<yomi_games::go::GoMove>) {
    let mut position = Go9::new(5, Rules::default()).unwrap();
    let mut marks = Marks::new();
    for (i, text) in moves.split_whitespace().enumerate() {
        let mv = position.parse_move(text).unwrap();
        position.play(mv);
        marks = marks.last(mv).number(mv, i as u32 + 1);
    }
    (position, marks)
}

#[test]
fn go_begins_empty() {
    assert_eq!(
        plain(&Go9::new(9, Rules::default()).unwrap().board()),
        "\x20 A B C D E F G H J \x20\n\
         9 . . . . . . . . . 9\n\
         8 . . . . . . . . . 8\n\
         7 . . + . . . + . . 7\n\
         6 . . . . . . . . . 6\n\
         5 . . . . + . . . . 5\n\
         4 . . . . . . . . . 4\n\
         3 . . + . . . + . . 3\n\
         2 . . . . . . . . . 2\n\
         1 . . . . . . . . . 1\n\
         \x20 A B C D E F G H J \x20\n\
         Black to move, komi 7.5\n"
    );
}

#[test]
fn go_marks_the_last_move_and_candidates_and_heat() {
    let (position, marks) = go5("C3 C4 D4");
    let candidates = ["B3", "D5"].map(|text| position.parse_move(text).unwrap());
    let mut marks =
        Marks { numbers: Vec::new(), ..marks }.arrow(candidates[0], 0.6, "60%").arrow(candidates[1], 0.3, "30%");
    marks.heat = position.heat_of_moves(&[(candidates[0], 0.6), (candidates[1], 0.3)]);
    let picture = position.picture(&marks);
    assert_eq!(
        plain(&picture),
        "\x20 A B C D E \x20\n\
         5 . . . 2 . 5\n\
         4 . . O(X). 4\n\
         3 . 1 X . . 3\n\
         2 . . . . . 2\n\
         1 . . . . . 1\n\
         \x20 A B C D E \x20\n\
         White to move, komi 7.5\n\
         \x201 B3 60%\n\
         \x202 D5 30%\n\
         heat, percent:\n\
         \x20  A  B  C  D  E\n\
         5  .  .  . 30  .\n\
         4  .  .  .  .  .\n\
         3  . 60  .  .  .\n\
         2  .  .  .  .  .\n\
         1  .  .  .  .  .\n"
    );
    // In colour the heat is the ground, the strongest deep blue.
    let rows = color(&picture);
    assert!(rows.contains("\x1b[0;38;5;231;48;5;26;1m1") && !rows.contains("heat"));
}

#[test]
fn go_numbers_stones_and_counts_territory() {
    let (position, marks) = go5("C3 B3 B2 B4 A3");
    let numbered = plain(&position.picture(&Marks { last: None, ..marks }));
    assert_eq!(numbered.lines().nth(3).unwrap(), "3 X5 O2 X1 .  .  3");

    let (position, _) = go5("C5 B5 C4 B4 C3 B3 C2 B2 C1 B1 pass A4");
    let dead: Vec<Vertex> = vec![position.vertex(1, 4).unwrap()];
    let living = position.picture(&Marks { highlights: draw::go::territory(&position, &[]), ..Marks::new() });
    assert_eq!(plain(&living).lines().nth(1).unwrap(), "5 w O X b b 5");
    let taken = position.picture(&Marks { highlights: draw::go::territory(&position, &dead), ..Marks::new() });
    assert_eq!(plain(&taken).lines().nth(1).unwrap(), "5 b o X b b 5");
    assert_eq!(plain(&taken).lines().nth(2).unwrap(), "4 o o X b b 4");
}
