//! Other programs' readers and writers as witnesses.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use yomi_core::record::Record;
use yomi_core::{Notation, Outcome, Position, Seed};
use yomi_games::shogi::records::{Encoding, Format, encode, read, write};
use yomi_games::shogi::{Nine, Shogi9};

#[path = "../../../../crates/games/tests/records/random_record.rs"]
mod random_record;

use random_record::{Taste, outcome, random_record};

/// A game as every program gives it: the start without the number of the move, the moves in USI, the winner where it is given.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Game {
    start: String,
    moves: Vec<String>,
    winner: Option<char>,
}

impl Game {
    fn of(record: &Record<Shogi9>) -> Game {
        let mut position = record.start;
        let mut moves = Vec::new();
        for mv in record.moves() {
            moves.push(position.move_text(mv));
            position.play(mv);
        }
        let winner = record.ending().map(|_| match outcome(record) {
            Some(Outcome::Win(side)) => if side.index() == 0 { 'b' } else { 'w' },
            Some(Outcome::Draw) => 'd',
            None => '-',
        });
        Game { start: without_number(&record.start.sfen()), moves, winner }
    }

    /// The game of a USI position line.
    fn parse(line: &str) -> Result<Game, String> {
        Shogi9::default().parse_line(line).map_err(|error| error.to_string())?;
        let (start, moves) = line.split_once(" moves").unwrap_or((line, ""));
        let start = Shogi9::from_sfen(start).map_err(|error| error.to_string())?;
        let moves = moves.split_whitespace().map(str::to_string).collect();
        Ok(Game { start: without_number(&start.sfen()), moves, winner: None })
    }

    fn text(&self) -> String {
        format!("sfen {} 1 moves {}", self.start, self.moves.join(" ")).trim_end_matches(" moves ").to_string()
    }

    fn same(&self, other: &Game) -> bool {
        let agree = self.winner.is_none() || other.winner.is_none() || self.winner == other.winner;
        self.start == other.start && self.moves == other.moves && agree
    }
}

/// An answer, or what a peer panicked with.
fn caught<T>(ask: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(ask)).unwrap_or_else(|_| Err("it panicked".to_string()))
}

fn without_number(sfen: &str) -> String {
    // Peers order the pieces in hand in their own ways.
    let sfen = Shogi9::from_sfen(sfen).map_or_else(|_| sfen.to_string(), |position| position.sfen());
    sfen.split_whitespace().take(3).collect::<Vec<_>>().join(" ")
}

/// How often each question was answered rightly, and the first wrong answer.
#[derive(Default)]
struct Tally(BTreeMap<String, (usize, usize, Option<String>)>);

impl Tally {
    fn add(&mut self, question: &str, expected: &Game, text: &str, answer: Result<Game, String>) {
        let (right, asked, wrong) = self.0.entry(question.to_string()).or_default();
        *asked += 1;
        match answer {
            Ok(game) if game.same(expected) => *right += 1,
            answer if wrong.is_none() => *wrong = Some(format!("{answer:?}\nexpected {expected:?}\n{text}")),
            _ => {}
        }
    }

    fn print(&self) {
        for (question, (right, asked, _)) in &self.0 {
            println!("{question:58} {right:5} of {asked:5}");
        }
        for (question, (_, _, wrong)) in &self.0 {
            if let Some(wrong) = wrong {
                println!("\n{question}: the first that differs: {wrong}");
            }
        }
    }
}

fn games(count: u64, variations: bool) -> impl Iterator<Item = (u64, Record<Shogi9>)> {
    let taste = Taste { variations, bookmarks: false, odd_starts: true, odd_ends: false };
    (0..count).map(move |n| (n, random_record::<Nine>(&mut Seed::new(2024).branch("peers", n).rng(), taste)))
}

fn ours(text: &[u8]) -> Result<Game, String> {
    let record = read(text).map_err(|error| error.to_string())?;
    Ok(Game::of(&record.shogi().ok_or("minishogi")?))
}

fn rsshogi_game(record: &rsshogi::records::Record) -> Game {
    let moves = record.main_moves().map(|mv| mv.mv().to_usi()).collect();
    let result = record.result();
    let winner = result.winner_color().map(|color| if color == rsshogi::types::Color::BLACK { 'b' } else { 'w' });
    let winner = winner.or(result.is_draw().then_some('d'));
    Game { start: without_number(record.init_position_sfen()), moves, winner }
}

fn converter_game(record: shogi_kifu_converter::jkf::JsonKifuFormat) -> Result<Game, String> {
    use shogi_core::ToUsi;
    Game::parse(&record.to_usi_owned())
}

/// The moves alone: the crate keeps no position. The winner is not given.
fn csa_game(record: &csa::GameRecord, start: &str) -> Game {
    let mut promoted = BTreeMap::new();
    let _ = start;
    let name = |square: csa::Square| format!("{}{}", square.file, (b'a' + square.rank - 1) as char);
    let mut moves = Vec::new();
    for mv in &record.moves {
        if let csa::Action::Move(_, from, to, piece) = mv.action {
            let big = format!("{piece}");
            let is_promoted = matches!(big.as_str(), "TO" | "NY" | "NK" | "NG" | "UM" | "RY");
            if from.file == 0 {
                let letter = match big.as_str() { "FU" => 'P', "KY" => 'L', "KE" => 'N', "GI" => 'S', "KI" => 'G', "KA" => 'B', _ => 'R' };
                moves.push(format!("{letter}*{}", name(to)));
                promoted.insert(name(to), false);
            } else {
                let before = promoted.remove(&name(from)).unwrap_or(false);
                moves.push(format!("{}{}{}", name(from), name(to), if is_promoted && !before { "+" } else { "" }));
                promoted.insert(name(to), is_promoted);
            }
        }
    }
    Game { start: start.to_string(), moves, winner: None }
}

fn crates(count: u64) {
    use rsshogi::records::formats::{csa as rs_csa, kif as rs_kif};
    use shogi_kifu_converter::converter::{ToCsa, ToKi2, ToKif};
    use shogi_kifu_converter::parser as skc;
    let mut tally = Tally::default();
    let shown = |error: &dyn std::fmt::Display| error.to_string();
    for (_, record) in games(count, false) {
        let game = Game::of(&record);
        let [kif, ki2, csa, csa3] = [Format::Kif, Format::Ki2, Format::Csa, Format::Csa3].map(|f| write(&record, f).unwrap());
        let bytes = encode(&kif, Encoding::ShiftJis).unwrap();
        let mut rs = |name: &str, text: &str, answer: Result<rsshogi::records::Record, String>| {
            tally.add(&format!("rsshogi reads our {name}"), &game, text, answer.as_ref().map(rsshogi_game).map_err(Clone::clone));
            let Ok(record) = answer else { return };
            for (format, text) in [
                ("KIF", rs_kif::export_kif(&record).map_err(|e| shown(&e))),
                ("KI2", rs_kif::export_ki2(&record).map_err(|e| shown(&e))),
                ("CSA", rs_csa::export_csa(&record).map_err(|e| shown(&e))),
            ] {
                let Ok(text) = text else { continue };
                tally.add(&format!("we read {format} by rsshogi (its {name})"), &game, &text, ours(text.as_bytes()));
            }
        };
        rs("KIF in Shift_JIS", &kif, rs_kif::parse_kif_bytes(&bytes).map_err(|e| shown(&e)));
        rs("KI2", &ki2, rs_kif::parse_ki2_str(&ki2).map_err(|e| shown(&e)));
        rs("CSA 2.2", &csa, rs_csa::parse_csa_str(&csa).map_err(|e| shown(&e)));
        rs("CSA 3.0", &csa3, rs_csa::parse_csa_str(&csa3).map_err(|e| shown(&e)));
        // shogi-kifu-converter does not know whose turn it is on a drawn board.
        let drawn_white = kif.contains("後手番");
        let mut converter = |name: &str, text: &str, answer: Result<shogi_kifu_converter::jkf::JsonKifuFormat, String>| {
            if drawn_white && !name.starts_with("CSA") {
                return;
            }
            tally.add(&format!("shogi-kifu-converter reads our {name}"), &game, text, answer.clone().and_then(|game| caught(|| converter_game(game))));
            let Ok(record) = answer else { return };
            for (format, text) in [
                ("KIF", caught(|| Ok(record.to_kif_owned()))),
                ("KI2", caught(|| Ok(record.to_ki2_owned()))),
                ("CSA", caught(|| Ok(record.to_csa_owned()))),
            ] {
                let Ok(text) = text else { continue };
                tally.add(&format!("we read {format} by shogi-kifu-converter (its {name})"), &game, &text, ours(text.as_bytes()));
            }
        };
        converter("KIF", &kif, caught(|| skc::parse_kif_str(&kif).map_err(|e| shown(&e))));
        converter("KI2", &ki2, caught(|| skc::parse_ki2_str(&ki2).map_err(|e| shown(&e))));
        converter("CSA 2.2", &csa, skc::parse_csa_str(&csa).map_err(|e| shown(&e)));
        let answer = csa::parse_csa(&csa).map_err(|e| format!("{e:?}"));
        // The crate keeps no board, so promotions are known in games from the standard start only.
        if game.start == without_number("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1") {
            tally.add("csa reads our CSA 2.2", &game, &csa, answer.as_ref().map(|r| csa_game(r, &game.start)).map_err(Clone::clone));
        }
        if let Ok(record) = answer {
            let text = record.to_string();
            tally.add("we read CSA by csa", &game, &text, ours(text.as_bytes()));
        }
    }
    // Variations: every line of the tree.
    for (_, record) in games(count, true) {
        let game = Game::of(&record);
        let kif = write(&record, Format::Kif).unwrap();
        let answer = rs_kif::parse_kif_str(&kif).map_err(|e| shown(&e));
        tally.add("rsshogi reads our KIF with variations", &game, &kif, answer.as_ref().map(rsshogi_game).map_err(Clone::clone));
        if kif.contains("後手番") {
            continue;
        }
        let answer = caught(|| skc::parse_kif_str(&kif).map_err(|e| shown(&e)));
        tally.add("shogi-kifu-converter reads our KIF with variations", &game, &kif, answer.clone().and_then(|game| caught(|| converter_game(game))));
        if let Ok(theirs) = answer {
            let text = theirs.to_kif_owned();
            let lines = |record: &Record<Shogi9>| record.nodes.iter().filter(|node| node.mv.is_some()).count().to_string();
            let counted = Game { start: lines(&record), moves: Vec::new(), winner: None };
            let found = read(text.as_bytes()).map_err(|e| e.to_string()).map(|r| r.shogi().map_or(String::new(), |r| lines(&r)));
            let found = found.map(|start| Game { start, moves: Vec::new(), winner: None });
            tally.add("as many moves of the tree come back through it", &counted, &text, found);
        }
    }
    tally.print();
}

/// The moves from the start to every end of a line, sorted.
fn paths(record: &Record<Shogi9>) -> Vec<String> {
    let leaves = (0..record.nodes.len()).filter(|&node| record.nodes[node].children.is_empty());
    let path = |leaf: usize| {
        let mut nodes = vec![leaf];
        while nodes[nodes.len() - 1] != 0 {
            nodes.push(record.nodes[nodes[nodes.len() - 1]].parent);
        }
        let moves: Vec<String> = nodes.iter().rev().filter_map(|&n| record.nodes[n].mv).map(|mv| record.start.move_text(mv)).collect();
        moves.join(" ")
    };
    let mut paths: Vec<String> = leaves.map(path).collect();
    paths.sort();
    paths
}

const FILES: [(&str, Format, Encoding); 5] = [
    ("kif", Format::Kif, Encoding::ShiftJis),
    ("kifu", Format::Kif, Encoding::Utf8),
    ("ki2", Format::Ki2, Encoding::Utf8),
    ("csa", Format::Csa, Encoding::Utf8),
    ("csa3", Format::Csa3, Encoding::Utf8),
];

/// Games without variations go to FOLDER/games with their moves as `0001.usi`, games with variations to FOLDER/trees with all
/// their lines as `0001.usi`.
fn export(folder: &Path, count: u64) -> std::io::Result<()> {
    for (name, variations) in [("games", false), ("trees", true)] {
        let folder = folder.join(name);
        fs::create_dir_all(&folder)?;
        for (n, record) in games(count, variations) {
            let written = if variations { paths(&record).join("\n") } else { Game::of(&record).text() };
            fs::write(folder.join(format!("{n:04}.usi")), written)?;
            for (name, format, encoding) in FILES.into_iter().filter(|file| !variations || file.0.starts_with("ki")) {
                let text = write(&record, format).map_err(|error| std::io::Error::other(error.to_string()))?;
                let bytes = encode(&text, encoding).map_err(|error| std::io::Error::other(error.to_string()))?;
                fs::write(folder.join(format!("{n:04}.{name}")), bytes)?;
            }
        }
    }
    Ok(())
}

/// Files `0001.writer.kif` are compared with `0001.usi`.
fn check(folder: &Path) -> std::io::Result<()> {
    let mut tally = Tally::default();
    for name in ["games", "trees"] {
        let folder = folder.join(name);
        let entries = fs::read_dir(&folder)?.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let mut files: Vec<String> = entries.collect();
        files.sort();
        for file in files {
            let [number, writer, format] = file.split('.').collect::<Vec<_>>()[..] else { continue };
            let written = fs::read_to_string(folder.join(format!("{number}.usi")))?;
            let bytes = fs::read(folder.join(&file))?;
            let text = String::from_utf8_lossy(&bytes).into_owned();
            let question = format!("we read {format} by {writer} ({name})");
            if name == "games" {
                let game = Game::parse(&written).map_err(std::io::Error::other)?;
                tally.add(&question, &game, &text, ours(&bytes).map(|game| Game { winner: None, ..game }));
            } else {
                let tree = |moves| Game { start: String::new(), moves, winner: None };
                let record = read(&bytes).map_err(|error| error.to_string());
                let found = record.and_then(|record| record.shogi().ok_or("minishogi".to_string()));
                tally.add(&question, &tree(written.lines().map(str::to_string).collect()), &text, found.map(|r| tree(paths(&r))));
            }
        }
    }
    tally.print();
    Ok(())
}

fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    std::panic::set_hook(Box::new(|_| {}));
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["crates", count] => crates(count.parse().unwrap_or(300)),
        ["export", folder, count] => export(Path::new(folder), count.parse().unwrap_or(300))?,
        ["check", folder] => check(Path::new(folder))?,
        _ => println!("records-peers crates COUNT | export FOLDER COUNT | check FOLDER"),
    }
    Ok(())
}
