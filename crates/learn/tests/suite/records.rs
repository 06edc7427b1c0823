//! Comparison training reads records of every format, and names what it cannot read.

use std::fs;
use std::path::{Path, PathBuf};

use yomi_core::{Ending, Notation, Position, Record, Seed};
use yomi_eval::Linear;
use yomi_games::shogi::records::{self, Encoding, Format, usi};
use yomi_games::shogi::{Five, Minishogi, Nine, Shogi, Variant};
use yomi_learn::games::{self, Game};
use yomi_learn::records::{Library, read};
use yomi_learn::run::config::Gate;
use yomi_learn::run::{self, Config};
use yomi_learn::self_play::{SelfPlay, play};

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("yomi-learn-records-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Games of our alpha-beta against itself.
fn played<V: Variant>(count: u64) -> Vec<Game<yomi_games::shogi::ShogiMove>> {
    let linear = Linear::<V>::embedded();
    let terms = SelfPlay { nodes: 30, random: 6, plies: 40 };
    (0..count).map(|seed| play::<V>([&linear; 2], &terms, Seed::new(seed))).collect()
}

fn record<V: Variant>(game: &Game<yomi_games::shogi::ShogiMove>) -> Record<Shogi<V>> {
    let mut record = Record::new(Shogi::<V>::default());
    let mut node = 0;
    for &mv in &game.moves {
        node = record.add(node, Some(mv));
    }
    record.nodes[node].ending = Some(Ending::Resign);
    record
}

/// A game in every format, under the name of the format.
fn write_all<V: Variant>(game: &Game<yomi_games::shogi::ShogiMove>, folder: &Path) {
    let record = record::<V>(game);
    let text = |format| records::write(&record, format).expect("a record");
    let japanese = |format| records::encode(&text(format), Encoding::ShiftJis).expect("Shift_JIS");
    for (name, bytes) in [
        ("a.kif", japanese(Format::Kif)),
        ("b.ki2", japanese(Format::Ki2)),
        ("c.csa", text(Format::Csa).into_bytes()),
        ("d.csa3", text(Format::Csa3).into_bytes()),
        ("e.KIFU", text(Format::Kif).into_bytes()),
        ("f.usi", usi::write(&record).into_bytes()),
        ("g.games", games::write::<Shogi<V>>(std::slice::from_ref(game))),
    ] {
        fs::write(folder.join(name), bytes).expect("written");
    }
}

fn names(paths: &[PathBuf]) -> Vec<String> {
    paths.iter().map(|path| path.display().to_string()).collect()
}

fn every_format<V: Variant>(name: &str) {
    let folder = folder(name);
    let game = &played::<V>(1)[0];
    fs::create_dir(folder.join("inner")).expect("a folder");
    write_all::<V>(game, &folder.join("inner"));
    fs::write(folder.join("README.txt"), "not a record").expect("written");
    let Library { games, skipped } = read::<V>(&names(std::slice::from_ref(&folder)));
    assert_eq!((games.len(), skipped), (7, Vec::new()));
    for recorded in &games {
        assert_eq!((&recorded.game.moves, recorded.start.key()), (&game.moves, Shogi::<V>::default().key()));
    }
    // The loser of a record that ends by resignation was to move; the file of games keeps what it says itself.
    let lost = yomi_core::Outcome::Win(if game.moves.len().is_multiple_of(2) {
        yomi_core::Color::White
    } else {
        yomi_core::Color::Black
    });
    assert!(games[..5].iter().all(|recorded| recorded.game.outcome == lost));
    assert_eq!(games[6].game.outcome, game.outcome);
    fs::remove_dir_all(&folder).expect("removed");
}

#[test]
fn records_of_shogi_and_minishogi_are_read_in_every_format() {
    every_format::<Five>("five");
    every_format::<Nine>("nine");
}

/// Every damaged file is named, the others are read.
#[test]
fn what_cannot_be_read_is_named() {
    let folder = folder("damaged");
    let games = played::<Five>(2);
    write_all::<Five>(&games[0], &folder);
    fs::write(folder.join("z1.kif"), b"\x00\xffnothing that anyone wrote").expect("written");
    fs::write(folder.join("z2.csa"), b"V2.2\nPI\n+\n+9999FU\n").expect("written");
    let nine = record::<Nine>(&played::<Nine>(1)[0]);
    fs::write(folder.join("z3.csa"), records::write(&nine, Format::Csa).unwrap()).expect("written");
    let lines = format!("{}startpos moves 1a1b\n\nstartpos\n{}", usi::write(&record::<Five>(&games[0])), {
        let mut later = Minishogi::default();
        games[1].moves[..3].iter().for_each(|&mv| later.play(mv));
        let text = |mv: &_| later.move_text(*mv);
        format!("position sfen {} moves {}\n", later.position_text(), text(&games[1].moves[3]))
    });
    fs::write(folder.join("z4.usi"), lines).expect("written");
    let mut bent = games::write::<Minishogi>(&games);
    bent[60] ^= 1;
    fs::write(folder.join("z5.games"), bent).expect("written");
    let missing = folder.join("missing.kif");
    let Library { games: read, skipped } = read::<Five>(&names(&[folder.clone(), missing]));
    let said: Vec<String> = skipped.iter().map(ToString::to_string).collect();
    let wanted = [
        ("z1.kif", ""),
        ("z2.csa", ""),
        ("z3.csa", "no record of minishogi"),
        ("z4.usi", "line 2"),
        ("z4.usi", "line 4"),
        ("z5.games", "checksum"),
        ("missing.kif", ""),
    ];
    assert_eq!(said.len(), wanted.len(), "{said:?}");
    for (said, (file, why)) in said.iter().zip(wanted) {
        assert!(said.contains(file) && said.contains(why), "{said}");
    }
    // Seven whole files, and of the USI lines the first and the last, which begins elsewhere.
    assert_eq!(read.len(), 9);
    assert_ne!(read[8].start.key(), Minishogi::default().key());
    assert_eq!(read[8].game.moves, games[1].moves[3..4]);

    // A run learns from what there is, games that begin elsewhere included, and says what it left out.
    let out = folder.join("run");
    let config = |records: Vec<String>| Config {
        method: "comparison".to_string(),
        games: 18,
        batch: 9,
        evaluations: 60,
        records,
        gate: Gate { every: 0, ..Gate::default() },
        ..Config::default()
    };
    let mut run = run::open(&out, config(names(std::slice::from_ref(&folder)))).expect("a run");
    assert_eq!(run.skipped().len(), 6);
    let rows: Vec<_> = (0..2).map(|_| run.batch(2, &|_| None, &|| ()).expect("a step")).collect();
    assert!(rows.iter().all(|row| row.moves > 100 && row.gradient_norm > 0.0), "{rows:?}");
    assert!(rows[1].loss < rows[0].loss, "{rows:?}");
    let error = run::open(&folder.join("none"), config(names(&[folder.join("z1.kif")]))).err().expect("refused");
    assert!(error.to_string().contains("no game could be read") && error.to_string().contains("z1.kif"), "{error}");
    fs::remove_dir_all(&folder).expect("removed");
}

/// A record that goes on where our rules have ended the game is learned from up to there.
#[test]
fn records_may_go_on_after_the_end() {
    let folder = folder("repetition");
    // Both sides move a piece to and fro: the same position for the fourth time ends the game by our rules.
    let (mut line, mut moves) = (yomi_core::Line::new(Minishogi::default()), Vec::new());
    let to_and_fro = ["5e4d", "1a2b", "4d5e", "2b1a"];
    let there: Vec<_> = to_and_fro.iter().cycle().take(24).copied().collect();
    let ends = there.iter().enumerate().find_map(|(ply, text)| {
        let ended = line.generate(&mut moves).is_some();
        let mv = line.position().parse_move(text).ok();
        mv.into_iter().for_each(|mv| line.play(mv));
        (ended || mv.is_none()).then_some(ply)
    });
    fs::write(folder.join("long.usi"), format!("startpos moves {}\n", there.join(" "))).expect("written");
    let config = Config {
        method: "comparison".to_string(),
        games: 2,
        batch: 2,
        evaluations: 60,
        records: names(std::slice::from_ref(&folder)),
        gate: Gate { every: 0, ..Gate::default() },
        ..Config::default()
    };
    let mut run = run::open(&folder.join("run"), config).expect("a run");
    let row = run.batch(1, &|_| None, &|| ()).expect("a step");
    let plies = ends.expect("a repetition") as u64;
    assert_eq!(row.plies, 2 * plies);
    fs::remove_dir_all(&folder).expect("removed");
}
