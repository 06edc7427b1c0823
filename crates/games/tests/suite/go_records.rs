//! SGF records of Go: what is read is what stands there, and what is written is read back.

use std::time::Duration;

use proptest::prelude::*;
use yomi_core::record::ROOT;
use yomi_core::{Color, Ending, Line, Move, Notation, Outcome, Position, Record, Seed, Spec, TextError};
use yomi_games::go::{Go, Go9, Go19, GoMove, Rules, records};
use yomi_games::sgf;

fn parse<const LEN: usize>(text: &str) -> Result<Record<Go<LEN>>, TextError> {
    let tree = sgf::trees(text).next().unwrap_or_else(|| Err(TextError::new("no game")))?;
    records::read(&tree)
}

fn read<const LEN: usize>(text: &str) -> Record<Go<LEN>> {
    parse(text).unwrap_or_else(|error| panic!("{text}\n{error}"))
}

/// The main line as text.
fn moves<const LEN: usize>(record: &Record<Go<LEN>>) -> String {
    let names: Vec<String> = record.moves().into_iter().map(|mv| record.start.move_text(mv)).collect();
    names.join(" ")
}

fn same<const LEN: usize>(a: &Record<Go<LEN>>, b: &Record<Go<LEN>>) {
    assert_eq!(a.start, b.start);
    assert_eq!(a.nodes, b.nodes);
}

/// Writing and reading again changes nothing, and writing again writes the same.
fn round_trip<const LEN: usize>(record: &Record<Go<LEN>>) -> String {
    let text = records::write(record);
    let again = read::<LEN>(&text);
    same(record, &again);
    assert_eq!(records::write(&again), text);
    text
}

#[test]
fn a_plain_game() {
    let record: Record<Go19> = read(
        "(;FF[4]GM[1]SZ[19]CA[UTF-8]PB[Shusaku]PW[Gennan]DT[1846-09-11]KM[0]RU[Japanese]RE[B+2];B[qd];W[dc];B[pq];W[oc];B[cp])",
    );
    assert_eq!(moves(&record), "R16 D17 Q3 P17 C4");
    assert_eq!((record.header("PB"), record.header("DT")), (Some("Shusaku"), Some("1846-09-11")));
    assert_eq!(Notation::rules(&record.start), "go19(komi=0,ko=simple,scoring=territory)");
    assert_eq!(record.ending(), Some(Ending::Counted(Outcome::Win(Color::Black))));
    let text = round_trip(&record);
    for part in ["PB[Shusaku]", "RE[B+2]", "KM[0]", "RU[Japanese]", ";B[qd];W[dc]"] {
        assert!(text.contains(part), "{part} in {text}");
    }
}

#[test]
fn quirks_of_old_and_odd_files() {
    let record: Record<Go9> = read(
        "Subject: a game (nice!)\n\n( ; SiZe [9]\r\n PlayerBlack[A]KoMi[5,5] Black[ee] ; White [ cc ]\n;B[tt];W[];B[tt] ) \n",
    );
    assert_eq!(moves(&record), "E5 C7 pass pass pass");
    assert_eq!(record.header("PB"), Some("A"));
    assert_eq!(Notation::rules(&record.start), "go9(komi=5.5)");
    round_trip(&record);
    let empty: Record<Go19> = read("(;)");
    assert_eq!((empty.start.size(), empty.nodes.len()), (19, 1));
    // Two moves in one node, and a game that goes on after two passes.
    let odd: Record<Go9> = read("(;SZ[9];B[aa]W[bb];B[];W[];B[cc])");
    assert_eq!(moves(&odd), "A9 B8 pass pass C7");
    round_trip(&odd);
}

#[test]
fn handicaps_and_who_moves() {
    let record: Record<Go19> = read("(;SZ[19]HA[2]AB[dp][pd]RU[Chinese]KM[0.5];W[dd];B[pp])");
    assert_eq!((record.start.turn(), moves(&record).as_str()), (Color::White, "D16 Q4"));
    assert_eq!(record.start.ruleset().white_bonus().to_string(), "2.5");
    let text = round_trip(&record);
    assert!(text.contains("HA[2]") && text.contains("PL[W]"), "{text}");
    assert_eq!(read::<128>("(;SZ[9]AB[aa])").start.turn(), Color::Black);
    assert_eq!(read::<128>("(;SZ[9]AB[aa]PL[white])").start.turn(), Color::White);
    assert_eq!(read::<128>("(;SZ[9]HA[2]AB[aa][bb])").start.turn(), Color::White);
    assert_eq!(moves(&read::<128>("(;SZ[9]HA[2];B[aa];B[bb];W[cc])")), "A9 pass B8 C7");
    assert_eq!(moves(&read::<128>("(;SZ[9]PL[W];B[aa])")), "pass A9");
}

/// A node below the root may say whose turn it is before the first move; what is written then says the same.
#[test]
fn whose_turn_it_is_below_the_root() {
    for (text, first, played) in [
        ("(;SZ[9];PL[W]AB[aa];B[bb])", Color::Black, "pass B8"),
        ("(;SZ[9];PL[W];W[bb])", Color::Black, "B8"),
        ("(;SZ[9];W[aa]PL[B])", Color::Black, "pass A9"),
        ("(;SZ[9];;PL[B];W[aa])", Color::Black, "pass A9"),
        ("(;SZ[9]HA[2];PL[W];B[bb])", Color::White, "pass B8"),
        ("(;SZ[9]HA[2]PL[B])", Color::Black, ""),
    ] {
        let record: Record<Go9> = read(text);
        assert_eq!((record.start.turn(), moves(&record).as_str()), (first, played), "{text}");
        round_trip(&record);
    }
}

/// The rules have the name that other programs know them by, and are read back by it.
#[test]
fn rules_by_their_common_names() {
    for (game, name) in [
        ("go9", "Chinese"),
        ("go9(rules=chinese)", "Chinese"),
        ("go9(rules=japanese)", "Japanese"),
        ("go9(rules=aga)", "AGA"),
        ("go9(rules=nz)", "NZ"),
        ("go9(rules=tromp-taylor)", "Tromp-Taylor"),
        ("go9(rules=aga,handicap=2)", "AGA"),
        ("go9(handicap=2)", "go9(handicap=2)"),
    ] {
        let record = Record::new(Go9::start(&Spec::parse(game).unwrap()).unwrap());
        let text = records::write(&record);
        assert!(text.contains(&format!("RU[{name}]")), "{text}");
        assert_eq!(records::write(&read::<128>(&text)), text);
        let [a, b] = [&record, &read::<128>(&text)].map(|record| record.start.ruleset());
        assert_eq!(
            (a.ko, a.suicide, a.scoring, a.white_bonus()),
            (b.ko, b.suicide, b.scoring, b.white_bonus()),
            "{text}"
        );
    }
}

#[test]
fn stones_set_up_on_the_way() {
    let text = "(;SZ[9]AB[aa:cc]AE[bb]AW[ii];B[ee];AW[dd][ed]AE[cc]PL[W]C[set up];W[gg];AB[bb]B[hh])";
    let record: Record<Go9> = read(text);
    assert_eq!(
        record.start.position_text(),
        "bbb....../b.b....../bbb....../........./........./........./........./........./........w b - 0"
    );
    let last = record.main_line().last().unwrap();
    let position = records::position_at(&record, last).unwrap();
    assert_eq!(
        position.position_text(),
        "bbb....../bbb....../bb......./...ww..../....b..../........./......w../.......b./........w w - 0"
    );
    let before = records::position_at(&record, record.nodes[last].parent).unwrap();
    assert_eq!((before.turn(), before.stones(Color::Black)), (Color::Black, 9), "a node with both becomes two");
    let written = round_trip(&record);
    assert!(written.contains("AW[dd][ed]AE[cc]PL[W]C[set up]"), "{written}");
}

#[test]
fn variations_comments_and_strange_properties() {
    let text = "(;GM[1]FF[4]SZ[9]AP[CGoban:3]ST[2]KGSDE[ab]C[root \\] comment]\n(;B[ee]C[main\nline]LB[ee:1][cc:a\\]b]\n(;W[cc]N[x])(;W[gg];B[cc]XX[1][2]))(;B[dd]GB[1]))";
    let record: Record<Go9> = read(text);
    assert_eq!(record.nodes.len(), 6);
    assert_eq!(record.nodes[ROOT].comment, "root ] comment");
    assert_eq!(record.nodes[ROOT].children.len(), 2);
    assert_eq!(record.nodes[1].comment, "main\nline");
    assert_eq!(record.nodes[1].properties, [("LB".to_string(), vec!["ee:1".to_string(), "cc:a\\]b".to_string()])]);
    assert_eq!(moves(&record), "E5 C7");
    let written = round_trip(&record);
    for part in ["C[root \\] comment]", "KGSDE[ab]", "LB[ee:1][cc:a\\]b]", "XX[1][2]", "GB[1]", "AP[CGoban:3]", "N[x]"]
    {
        assert!(written.contains(part), "{part} in {written}");
    }
}

#[test]
fn clocks() {
    let record: Record<Go9> = read("(;SZ[9]TM[60];B[aa]BL[55.5];W[bb]WL[50];B[cc]BL[40];W[dd]WL[70])");
    let times: Vec<Option<Duration>> = record.main_line().map(|i| record.nodes[i].time).collect();
    let seconds = |s: f64| Some(Duration::from_secs_f64(s));
    assert_eq!(times, [None, seconds(4.5), seconds(10.0), seconds(15.5), None]);
    round_trip(&record);
    // Times without clocks become clocks.
    let mut bare = record.clone();
    bare.nodes.iter_mut().for_each(|node| node.properties.clear());
    let text = records::write(&bare);
    assert!(text.contains("BL[55.5]") && text.contains("WL[50]") && text.contains("BL[40]"), "{text}");
}

#[test]
fn results() {
    let ending = |text: &str| read::<128>(&format!("(;SZ[9]RE[{text}];B[aa])")).ending();
    assert_eq!(ending("B+R"), Some(Ending::Resign));
    assert_eq!(
        ending("W+T"),
        Some(Ending::Counted(Outcome::Win(Color::White))),
        "White is to move and cannot lose on time"
    );
    assert_eq!(ending("Void"), Some(Ending::Aborted));
    assert_eq!(ending("?"), None);
    // What the record says later overrules the header.
    let mut record: Record<Go9> = read("(;SZ[9]RE[B+R];B[aa];W[];B[])");
    let last = record.main_line().last().unwrap();
    record.nodes[last].ending = Some(Ending::Counted(Outcome::Win(Color::Black)));
    assert!(records::write(&record).contains("RE[B+73.5]"), "{}", records::write(&record));
    record.nodes[last].ending = Some(Ending::Resign);
    assert!(records::write(&record).contains("RE[B+R]"));
}

#[test]
fn errors_say_node_and_line() {
    for (text, node, line, word) in [
        ("(;SZ[9]\n;B[aa]\n;W[aa])", 2, 3, "already"),
        ("(;SZ[9]\n;B[ab]\n;W[zz];B[cc])", 2, 3, "not a point"),
        ("(;SZ[9];B[ab]\n;W[];B[ba]\n(;W[cc])(;W[aa]))", 5, 3, "suicide"),
        ("(;SZ[2]RU[AGA];B[aa];W[]\n;B[ab];W[];B[bb];W[];B[ba])", 7, 2, "suicide"),
        ("(;SZ[9]\n;B[a])", 1, 2, "not a point"),
        ("(;SZ[9]\n;AB[zz])", 1, 2, "not a point"),
        ("(;SZ[2];B[aa]\n;AB[ab][ba][bb])", 2, 2, "liberties"),
        ("(;SZ[9];B[aa]\n;PL[x])", 2, 2, "not a side"),
        ("(;SZ[9:7])", 0, 0, "square"),
        ("(;SZ[25])", 0, 0, "2 to 19"),
        ("(;SZ[abc])", 0, 0, "2 to 19"),
        ("(;GM[2]SZ[9])", 0, 0, "not Go"),
        ("(;SZ[13])", 0, 0, "from 2 to 9"),
        ("(;SZ[9]KM[lots])", 0, 0, "komi"),
        ("(;SZ[9]YOMI[nonsense])", 0, 0, "rows"),
    ] {
        let error = parse::<128>(text).err().unwrap_or_else(|| panic!("{text} should be wrong"));
        assert!(error.message.contains(word), "{text}: {error}");
        assert!(error.message.contains(&format!("node {node}:")), "{text}: {error}");
        assert_eq!(error.line, line, "{text}: {error}");
    }
}

/// A file that names no rules may contain suicide: of several stones, that is.
#[test]
fn suicide_is_understood() {
    let record: Record<Go9> = read("(;SZ[2];B[aa];W[];B[ab];W[];B[bb];W[];B[ba])");
    assert_eq!(Notation::rules(&record.start), "go2(suicide=true)");
    let last = record.main_line().last().unwrap();
    assert_eq!(records::position_at(&record, last).unwrap().position_text(), "../.. w - 0 0:4");
    round_trip(&record);
}

/// A ko may be taken back at once only if the file insists.
#[test]
fn forced_moves() {
    let text = "(;SZ[4]AB[ba][ab][bc][cb]AW[ca][db][cc]PL[W];W[bb]FORCE;B[cb])";
    assert!(parse::<128>(&text.replace("FORCE", "")).unwrap_err().message.contains("ko"));
    assert!(parse::<128>(&text.replace("FORCE", "").replace(";B[cb]", ";B[cb]KO[]")).is_ok());
}

#[test]
fn starts_that_sgf_cannot_describe() {
    let start = Go9::start(&Spec::parse("go4(komi=0.5,ko=simple,suicide=true)").unwrap()).unwrap();
    let position = start.parse_position(".bw./bw.w/.bw./.... b C3 0 3:1").unwrap();
    let record = Record::new(position);
    let text = round_trip(&record);
    assert!(text.contains("RU[go4(komi=0.5,ko=simple,suicide=true)]"), "{text}");
}

#[test]
fn hostile_files_end() {
    let nested = format!("(;SZ[19]{}{})", "(;C[])(;C[]".repeat(5000), ")".repeat(5000));
    assert!(parse::<512>(&nested).unwrap_err().message.contains("within variations"));
    let wide = format!("(;SZ[19]{})", "(;B[aa])".repeat(20_000));
    assert_eq!(read::<512>(&wide).nodes[ROOT].children.len(), 20_000);
    let long = format!("(;SZ[9]{})", ";B[];W[]".repeat(20_000));
    let record = read::<128>(&long);
    assert_eq!(record.moves().len(), 40_000);
    round_trip(&record);
    assert!(parse::<512>(&format!("(;SZ[{}])", "9".repeat(1_000_000))).is_err());
}

/// A random game with variations, comments and an ending.
fn random_record(seed: u64) -> Record<Go9> {
    let names =
        ["go9", "go5(suicide=true)", "go2", "go7(rules=aga,handicap=3)", "go9(rules=japanese)", "go3(ko=situational)"];
    let mut rng = Seed::new(seed).rng();
    let spec = Spec::parse(names[rng.below(names.len())]).unwrap();
    let mut record = Record::new(Go9::start(&spec).unwrap());
    let mut lines = vec![(ROOT, Line::new(record.start.clone()))];
    let mut moves = Vec::new();
    for _ in 0..60 {
        let (parent, mut line) = lines[rng.below(lines.len())].clone();
        if line.generate(&mut moves).is_some() {
            continue;
        }
        let mv = moves[rng.below(moves.len())];
        line.play(mv);
        let node = record.add(parent, Some(mv));
        if rng.chance(0.2) {
            record.nodes[node].comment = "a\\b]c:d\ne 本".to_string();
        }
        if rng.chance(0.3) {
            lines.push((node, line));
        } else {
            lines[0] = (node, line);
        }
    }
    record
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn what_is_written_is_read(seed: u64) {
        let record = random_record(seed);
        // Nodes are numbered in another order after reading, so compare what both write.
        let text = records::write(&record);
        let again = read::<128>(&text);
        prop_assert_eq!(records::write(&again), text);
        prop_assert_eq!(again.nodes.len(), record.nodes.len());
        prop_assert_eq!(again.moves(), record.moves());
        prop_assert_eq!(again.start, record.start);
    }

    #[test]
    fn never_panics(text in "\\(;[ABCWSZKMHPLEFRUY\\[\\]a-i0-9;()\\\\:]{0,60}") {
        let _ = parse::<128>(&text);
    }
}

#[test]
fn moves_are_points_of_the_board() {
    assert_eq!(GoMove::from_bits(GoMove::PASS.to_bits()), GoMove::PASS);
    let board = Go9::new(9, Rules::default()).unwrap();
    assert!(board.vertices().all(|v| GoMove::at(v) < GoMove::PASS && GoMove::at(v).vertex() == Some(v)));
}
