//! Every picture, sensible or absurd, becomes valid SVG that stays inside its box and text whose columns are straight.

use proptest::prelude::*;
use roxmltree::{Document, Node};
use unicode_width::UnicodeWidthStr;
use yomi_core::Color;
use yomi_games::blokus::BlokusDuo;
use yomi_games::draw::{self, *};
use yomi_games::go::{Go9, Go13, Go19, GoMove, Rules};
use yomi_games::shogi::{Minishogi, Shogi9};

/// Text without escape codes.
fn strip(text: &str) -> String {
    let mut parts = text.split("\x1b[");
    let first = parts.next().unwrap_or("").to_string();
    parts.fold(first, |out, part| out + part.split_once('m').expect("codes end with m").1)
}

/// The rows of a board have the same width, as ordinary and as CJK terminals count.
fn assert_straight(picture: &Picture, ascii: bool) {
    for color in [false, true] {
        let options = TextOptions { color, ascii, trays: false, captions: false, ..TextOptions::default() };
        let text = terminal(picture, &options);
        assert!(color || !text.contains('\x1b'), "escape codes although colours are off");
        let rows: Vec<String> = strip(&text).lines().map(str::to_string).collect();
        let board =
            if color { &rows[..] } else { &rows[..rows.iter().position(|r| r.ends_with(':')).unwrap_or(rows.len())] };
        for row in board {
            assert_eq!(row.width(), board[0].width(), "{text}");
            assert_eq!(row.width_cjk(), row.width(), "{text}");
            assert!(!ascii || row.is_ascii(), "{text}");
        }
    }
}

/// The numbers of a text with only separators and minus signs between them.
fn numbers(text: &str) -> Vec<f32> {
    let mut spaced = String::new();
    let mut dotted = false;
    for c in text.chars() {
        let new = c == '-' || (c == '.' && dotted) || c == ' ' || c == ',';
        dotted = c == '.' || (dotted && !new);
        spaced += if new { " " } else { "" };
        spaced.push(c);
    }
    spaced.split([' ', ',']).filter(|n| !n.is_empty()).map(|n| n.parse().unwrap()).collect()
}

/// Every point a path goes through or bends towards.
fn path_points(path: &str) -> Vec<(f32, f32)> {
    let (mut at, mut start, mut points) = ((0.0, 0.0), (0.0, 0.0), Vec::new());
    let mut rest = path;
    while let Some(command) = rest.chars().next() {
        let end = rest[1..].find(|c: char| c.is_ascii_alphabetic()).map_or(rest.len(), |i| i + 1);
        let n = numbers(&rest[1..end]);
        rest = &rest[end..];
        let relative = command.is_ascii_lowercase();
        let base = |at: (f32, f32)| if relative { at } else { (0.0, 0.0) };
        match command.to_ascii_uppercase() {
            'M' | 'L' => {
                for p in n.chunks(2) {
                    at = (base(at).0 + p[0], base(at).1 + p[1]);
                    points.push(at);
                }
                if command == 'M' {
                    start = at;
                }
            }
            'H' => n.iter().for_each(|x| {
                at.0 = base(at).0 + x;
                points.push(at);
            }),
            'V' => n.iter().for_each(|y| {
                at.1 = base(at).1 + y;
                points.push(at);
            }),
            'C' => {
                for p in n.chunks(6) {
                    let from = base(at);
                    points.extend(p.chunks(2).map(|p| (from.0 + p[0], from.1 + p[1])));
                    at = (from.0 + p[4], from.1 + p[5]);
                }
            }
            'A' => {
                for p in n.chunks(7) {
                    let from = base(at);
                    at = (from.0 + p[5], from.1 + p[6]);
                    points.extend([(at.0, at.1 - p[1]), (at.0, at.1 + p[1])]);
                }
            }
            'Z' => at = start,
            other => panic!("a command the check does not know: {other}"),
        }
    }
    points
}

/// The corners of what an element draws.
fn extent(node: Node) -> Vec<(f32, f32)> {
    let number = |name: &str| node.attribute(name).map_or(0.0, |text| text.parse::<f32>().unwrap());
    let (x, y) = (number("x"), number("y"));
    match node.tag_name().name() {
        "path" => path_points(node.attribute("d").unwrap()),
        "rect" => vec![(x, y), (x + number("width"), y + number("height"))],
        "circle" => {
            let (x, y, r) = (number("cx"), number("cy"), number("r"));
            vec![(x - r, y - r), (x + r, y + r)]
        }
        "text" => {
            let inherited = |name: &str| node.ancestors().find_map(|n| n.attribute(name)).unwrap();
            let size: f32 = inherited("font-size").parse().unwrap();
            let width = node.text().unwrap_or("").width() as f32 * size * 0.55;
            let left = if inherited("text-anchor") == "start" { x } else { x - width / 2.0 };
            vec![(left, y - size * 0.8), (left + width, y + size * 0.2)]
        }
        "use" => match node.attribute("transform") {
            // A character of 100 by 100, moved and made smaller.
            Some(transform) => {
                let (moved, scaled) = transform.strip_prefix("translate(").unwrap().split_once(")scale(").unwrap();
                let (at, size) = (numbers(moved), 100.0 * scaled.strip_suffix(')').unwrap().parse::<f32>().unwrap());
                vec![(at[0], at[1]), (at[0] + size, at[1] + size)]
            }
            // A stone or a tablet, whose middle is its origin.
            None => vec![(x - 14.0, y - 14.0), (x + 14.0, y + 14.0)],
        },
        _ => Vec::new(),
    }
}

/// Checks what every SVG must be, and hands it back for more questions.
fn assert_sound(text: &str) -> Document<'_> {
    let document = Document::parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let root = document.root_element();
    assert_eq!((root.tag_name().name(), root.attribute("role")), ("svg", Some("img")));
    assert_eq!(root.first_element_child().unwrap().tag_name().name(), "title");
    let view = numbers(root.attribute("viewBox").unwrap());
    let ids: Vec<&str> = document.descendants().filter_map(|n| n.attribute("id")).collect();
    for node in document.descendants().filter(Node::is_element) {
        assert!(!matches!(node.tag_name().name(), "script" | "style" | "image" | "foreignObject"));
        assert!(node.attributes().all(|a| !a.name().starts_with("on")), "{text}");
        if let Some(reference) = node.attribute("href") {
            assert!(ids.contains(&reference.strip_prefix('#').unwrap()), "{reference} is not in the file");
        }
        if node.ancestors().any(|n| n.has_tag_name("defs")) {
            continue;
        }
        for (x, y) in extent(node) {
            let inside = (-0.2..=view[2] + 0.2).contains(&x) && (-0.2..=view[3] + 0.2).contains(&y);
            assert!(inside, "({x}, {y}) lies outside of {view:?}: {node:?}\n{text}");
        }
    }
    document
}

/// The group that says it holds `part`.
fn part<'a>(document: &'a Document, name: &str) -> Node<'a, 'a> {
    document.descendants().find(|n| n.attribute("data-part") == Some(name)).unwrap()
}

fn count(node: Node, tag: &str) -> usize {
    node.descendants().filter(|n| n.has_tag_name(tag)).count()
}

#[test]
fn shogi_has_forty_pieces_and_two_empty_hands() {
    let text = svg(&Shogi9::default().picture(&Marks::new()), &SvgOptions::default());
    let document = assert_sound(&text);
    assert_eq!(count(part(&document, "pieces"), "use"), 40);
    for tray in ["tray-black", "tray-white"] {
        let items: Vec<Node> = part(&document, tray).descendants().filter(|n| n.has_attribute("data-item")).collect();
        assert_eq!(items.len(), 7);
        assert!(items.iter().all(|item| item.has_attribute("opacity")), "nothing is in hand");
    }
    // Nine digits are text, nine numerals outlines.
    let labels = part(&document, "labels");
    assert_eq!((count(labels, "text"), count(labels, "use")), (9, 9));
    assert!(text.len() < 20_000, "{} bytes", text.len());
    assert_eq!(document.root_element().attribute("width"), None);
}

#[test]
fn letters_need_no_outlines() {
    let picture = Shogi9::default().picture(&Marks::new());
    let text = svg(&picture, &SvgOptions { letters: true, width: Some(640), ..SvgOptions::default() });
    let document = assert_sound(&text);
    assert!(text.is_ascii() && !text.contains("yomi-glyph"));
    assert_eq!(document.root_element().attribute("width"), Some("640"));
}

#[test]
fn hands_show_counts_and_drops_begin_there() {
    let position = Shogi9::from_sfen("4k4/9/9/9/9/9/9/9/4K4 b 2G11Pr 1").unwrap();
    let drop = yomi_core::Notation::parse_move(&position, "P*5e").unwrap();
    let picture = position.picture(&Marks::new().arrow(drop, 0.5, "x"));
    let Route::Drop { side: Color::Black, item, .. } = picture.arrows[0].route else { panic!("a drop") };
    assert_eq!(picture.trays[0].items[item].count, 11);
    let text = svg(&picture, &SvgOptions::default());
    let document = assert_sound(&text);
    let counts: Vec<&str> = part(&document, "tray-black")
        .descendants()
        .filter(|n| n.has_tag_name("text"))
        .filter_map(|n| n.text())
        .collect();
    assert_eq!(counts, ["Black", "2", "11"]);
    let arrow = part(&document, "arrows").first_element_child().unwrap();
    let tray = extent(part(&document, "tray-black").first_element_child().unwrap());
    assert!(extent(arrow).iter().any(|(x, _)| *x > tray[0].0), "the arrow begins in the tray");
    // Without trays the drop stays on the board.
    assert_sound(&svg(&picture, &SvgOptions { trays: false, ..SvgOptions::default() }));
}

#[test]
fn a_king_in_check_is_marked() {
    let position = Minishogi::from_sfen("4k/5/5/4R/K4 w - 1").unwrap();
    let picture = position.picture(&Marks::new());
    assert_eq!(picture.signs, [(Cell::new(4, 0), Sign::Danger)]);
    assert!(terminal(&picture, &TextOptions { ascii: true, ..TextOptions::default() }).contains("! k!"));
}

#[test]
fn blokus_tiles_are_whole_and_leave_the_tray() {
    let mut position = BlokusDuo::default();
    let mut moves = Vec::new();
    for _ in 0..6 {
        yomi_core::Position::generate(&position, &mut moves);
        let mv = *moves.last().unwrap();
        yomi_core::Position::play(&mut position, mv);
    }
    let mut marks = Marks::new();
    marks.highlights = draw::blokus::attach_points(&position, Color::Black);
    let picture = position.picture(&marks);
    let text = svg(&picture, &SvgOptions::default());
    let document = assert_sound(&text);
    let tiles = |node: Node, name: &str| node.descendants().filter(|n| n.has_attribute(name)).count();
    assert_eq!(tiles(part(&document, "pieces"), "data-tile"), 6);
    for tray in ["tray-black", "tray-white"] {
        let used =
            part(&document, tray).descendants().filter(|n| n.has_attribute("data-item") && n.has_attribute("opacity"));
        assert_eq!((tiles(part(&document, tray), "data-item"), used.count()), (21, 3));
    }
    assert!(!marks.highlights.is_empty());
    let mut hex = picture.clone();
    hex.labels = draw::blokus::contest();
    assert_eq!(hex.labels.name(Cell::new(9, 3)), "a4");
    assert_straight(&hex, false);
}

#[test]
fn go_boards_of_every_size_have_their_stones_and_coordinates() {
    fn check<const LEN: usize>(mut position: yomi_games::go::Go<LEN>) {
        let size = position.size();
        let mut marks = Marks::new().arrow(GoMove::PASS, 0.1, "1%");
        let mut moves = Vec::new();
        for i in 0..size * size / 2 {
            yomi_core::Position::generate(&position, &mut moves);
            let mv = moves[i * 7919 % moves.len()];
            yomi_core::Position::play(&mut position, mv);
            marks = marks.last(mv).number(mv, i as u32);
        }
        let picture = position.picture(&marks);
        let text = svg(&picture, &SvgOptions::default());
        let document = assert_sound(&text);
        let stones = position.stones(Color::Black) + position.stones(Color::White);
        assert_eq!(count(part(&document, "pieces"), "use"), stones as usize);
        assert_eq!(count(part(&document, "labels"), "text"), 4 * size);
        assert!(text.contains("Pass: 1%"));
        assert!(text.len() < 40_000, "{size}: {} bytes", text.len());
        assert_straight(&picture, false);
    }
    (2..=9).for_each(|size| check(Go9::new(size, Rules::default()).unwrap()));
    (10..=13).for_each(|size| check(Go13::new(size, Rules::default()).unwrap()));
    (14..=19).for_each(|size| check(Go19::new(size, Rules::default()).unwrap()));
}

#[test]
fn moves_that_mean_nothing_are_drawn_nowhere() {
    let (shogi, go, blokus) = (Minishogi::default(), Go9::new(9, Rules::default()).unwrap(), BlokusDuo::default());
    fn check<P: Draw>(position: &P, bits: u16) {
        let mv = <P::Move as yomi_core::Move>::from_bits(bits);
        let picture = position.picture(&Marks::new().last(mv).arrow(mv, 0.5, "x").number(mv, 1));
        assert_sound(&svg(&picture, &SvgOptions::default()));
        assert_straight(&picture, true);
    }
    for bits in (0..=u16::MAX).step_by(661) {
        check(&shogi, bits);
        check(&go, bits);
        check(&blokus, bits);
    }
}

#[test]
fn the_same_picture_gives_the_same_bytes() {
    let draw = || svg(&Shogi9::default().picture(&Marks::new()), &SvgOptions::default());
    assert_eq!(draw(), draw());
}

#[test]
fn turning_the_board_twice_changes_nothing() {
    let picture = Minishogi::default().picture(&Marks::new());
    let turned = picture.clone().turned();
    assert_ne!(terminal(&picture, &TextOptions::default()), terminal(&turned, &TextOptions::default()));
    assert_eq!(picture, turned.clone().turned());
    assert_sound(&svg(&turned, &SvgOptions::default()));
    assert_straight(&turned, false);
}

fn any_cell() -> impl Strategy<Value = Cell> {
    prop_oneof![9 => (0u8..20, 0u8..20), 1 => (any::<u8>(), any::<u8>())].prop_map(|(x, y)| Cell::new(x, y))
}

fn any_number() -> impl Strategy<Value = f32> {
    prop_oneof![4 => 0.0f32..1.0, 1 => any::<f32>(), 1 => Just(f32::NAN), 1 => -1e6f32..1e6]
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![3 => "[a-z0-9 ]{0,12}", 1 => ".{0,60}", 1 => "[<>&\"'\u{1b}\u{0}\u{9}\n\u{ffff}金]{0,20}"]
}

fn any_side() -> impl Strategy<Value = Color> {
    any::<bool>().prop_map(|b| Color::from_index(b.into()))
}

fn any_piece() -> impl Strategy<Value = Piece> {
    let faces = prop::sample::select(vec![("歩", "P"), ("龍", "+R"), ("王", "K")]);
    let shape = prop_oneof![
        (faces, any::<bool>(), any_number()).prop_map(|(f, promoted, size)| Shape::Tablet {
            face: Face::new(f.0, f.1),
            promoted,
            size
        }),
        Just(Shape::Stone),
        prop::char::range('a', 'u').prop_map(|name| Shape::Tile { name }),
    ];
    (any_side(), shape).prop_map(|(side, shape)| Piece { side, shape })
}

fn any_sign() -> impl Strategy<Value = Sign> {
    prop_oneof![
        prop::sample::select(vec![Sign::Tint, Sign::Danger, Sign::Dot, Sign::Circle, Sign::Square, Sign::Triangle]),
        prop::sample::select(vec![
            Sign::Cross,
            Sign::Dead,
            Sign::Territory(Color::Black),
            Sign::Territory(Color::White)
        ]),
        any_text().prop_map(Sign::Text),
    ]
}

fn any_route() -> impl Strategy<Value = Route> {
    prop_oneof![
        (any_cell(), any_cell(), any::<bool>()).prop_map(|(from, to, promotes)| Route::Move { from, to, promotes }),
        (any_side(), 0usize..9, any_cell()).prop_map(|(side, item, to)| Route::Drop { side, item, to }),
        prop::collection::vec(any_cell(), 0..6).prop_map(Route::Place),
        Just(Route::Pass),
    ]
}

prop_compose! {
    fn any_picture()(
        (columns, rows, style, stars) in (0u8..20, 0u8..20, 0usize..3, prop::collection::vec(any_cell(), 0..3)),
        (title, description, captions) in (any_text(), any_text(), prop::collection::vec(any_text(), 0..3)),
        pieces in prop::collection::vec((any_cell(), any_piece()), 0..60),
        trays in prop::collection::vec((any_side(), any_text(), prop::collection::vec((any_piece(), any::<u16>(), 0u8..3), 0..9)), 0..3),
        (last, heat) in (prop::collection::vec(any_cell(), 0..4), prop::collection::vec((any_cell(), any_number()), 0..20)),
        arrows in prop::collection::vec((any_route(), any_number(), any_text()), 0..5),
        (signs, numbers) in (prop::collection::vec((any_cell(), any_sign()), 0..9), prop::collection::vec((any_cell(), 0u32..500), 0..5)),
        (theme, below, turn, balance, edges) in (0usize..5, any_side(), prop::option::of(any_side()), any::<bool>(), any::<[bool; 5]>()),
    ) -> Picture {
        let style = [Style::Squares, Style::Points, Style::Hollows][style];
        let grid = Grid { columns, rows, style, cell: if style == Style::Squares { (44, 48) } else { (32, 32) }, stars };
        let mut picture = Picture::new(title, Theme::ALL[theme], grid);
        let faces = |n: u8| (1..=n).map(|i| Face::plain(i.to_string())).collect();
        let [top, right, bottom, left, row_first] = edges;
        picture.labels = Labels { columns: faces(columns), rows: faces(rows), top, right, bottom, left, row_first };
        (picture.description, picture.captions, picture.pieces) = (description, captions, pieces);
        (picture.last, picture.heat, picture.signs, picture.numbers) = (last, heat, signs, numbers);
        (picture.below, picture.turn) = (below, turn);
        picture.scale = if balance { Scale::Balance } else { Scale::Share };
        picture.arrows = arrows.into_iter().map(|(route, weight, label)| Arrow { route, weight, label }).collect();
        let item = |(piece, count, cells): (Piece, u16, u8)| Item { piece, count, cells: (0..cells).map(|i| Cell::new(i, 0)).collect() };
        let tray = |(side, title, items): (Color, String, Vec<_>)| Tray { side, title, items: items.into_iter().map(item).collect() };
        picture.trays = trays.into_iter().map(tray).collect();
        picture
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn absurd_pictures_are_drawn_soundly(picture in any_picture(), flags in any::<[bool; 5]>()) {
        let [letters, coordinates, trays, captions, heat_numbers] = flags;
        let options = SvgOptions { width: None, letters, coordinates, trays, captions, heat_numbers };
        assert_sound(&svg(&picture, &options));
        assert_straight(&picture, letters);
        let text = terminal(&picture, &TextOptions { ascii: true, ..TextOptions::default() });
        assert!(text.is_ascii() && !text.chars().any(|c| c.is_control() && c != '\n'));
    }
}
