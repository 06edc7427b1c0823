//! Supervised learning from records: what was played becomes samples, what is wrong is left out and named, and a network learns it by heart.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use yomi_core::record::ROOT;
use yomi_core::{Ending, Line, Notation, Outcome, Record, Seed, Spec, TextError};
use yomi_games::blokus::BlokusDuo;
use yomi_games::go::Go9;
use yomi_games::shogi::{Minishogi, Shogi9};
use yomi_games::{Game, RecordFormat};
use yomi_net::Architecture;
use yomi_net::input::Encode;
use yomi_net::open::Choice;
use yomi_train::fit::{self, FitPlan, Round};
use yomi_train::records::{Event, GamesAndSamples, HELD_OUT, Order, Reason, Selection, Summary, TRAINING};
use yomi_train::samples::{self, Sample};
use yomi_train::trainer::Settings;
use yomi_train::trainer::native::Native;
use yomi_train::{dispatch, run};

fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("yomi-records-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path
}

/// A random game of at most `most` plies, with its end if it has one and resignation otherwise. Passing ends games of Go too soon.
fn game<P: Game>(start: &P, seed: u64, most: usize) -> Record<P> {
    let mut rng = Seed::new(seed).branch("record", 0).rng();
    let (mut record, mut line, mut node, mut moves) =
        (Record::new(start.clone()), Line::new(start.clone()), ROOT, Vec::new());
    loop {
        if let Some(outcome) = line.generate(&mut moves) {
            record.nodes[node].ending = Some(P::ending(&line, outcome));
            return record;
        }
        if line.len() == most {
            record.nodes[node].ending = Some(Ending::Resign);
            return record;
        }
        if moves.len() > 1 {
            moves.retain(|&mv| !P::is_pass(mv));
        }
        let mv = moves[rng.below(moves.len())];
        node = record.add(node, Some(mv));
        line.play(mv);
    }
}

fn start<P: Notation>(name: &str) -> P {
    P::start(&Spec::named(name)).unwrap()
}

/// Writes records as one file of this ending, with what parts them.
fn write<P: Game>(path: &Path, records: &[Record<P>]) {
    let format: RecordFormat = path.extension().unwrap().to_str().unwrap().parse().unwrap();
    let texts: Vec<Vec<u8>> = records.iter().map(|record| P::write_as(record, format, None).unwrap()).collect();
    std::fs::write(path, texts.join(format.separator().unwrap_or_default().as_bytes())).unwrap();
}

/// What came of these files, and what could not be read.
fn gather(game: &str, files: &[PathBuf], selection: &Selection, out: &Path) -> (Summary, Vec<String>) {
    let format = |path: &PathBuf| path.extension().unwrap().to_str().unwrap().parse().unwrap();
    let files: Vec<(PathBuf, RecordFormat)> = files.iter().map(|path| (path.clone(), format(path))).collect();
    let mut faults = Vec::new();
    let mut tell = |event: Event<'_>| {
        if let Event::Fault(error) = event {
            faults.push(error.to_string());
        }
    };
    let order = Order { files: &files, selection, out };
    let spec = Spec::parse(game).unwrap();
    let summary = dispatch::samples_of_records(&spec, &order, &AtomicBool::new(false), &mut tell).unwrap();
    (summary, faults)
}

fn everything() -> Selection {
    Selection { held_out: 0.0, ..Selection::default() }
}

/// The samples of a game are its positions with its moves and its result.
fn check<P: Game + Encode>(record: &Record<P>, samples: &[&Sample], outcome: Outcome) {
    let mut position = record.start.clone();
    let moves = record.moves();
    assert_eq!(samples.len(), moves.len());
    for (ply, (mv, sample)) in moves.into_iter().zip(samples).enumerate() {
        assert_eq!((usize::from(sample.ply), usize::from(sample.index)), (ply, ply));
        assert_eq!(sample.position, position.pack(position.turn()));
        assert_eq!(sample.policy, [(position.label(mv) as u16, 1.0)]);
        let value = outcome.value_for(position.turn(), 1.0);
        assert_eq!((f32::from(sample.result) - 1.0, sample.value), (value, value));
        position.play(mv);
    }
}

/// Every format: files of several games where there are such, and what is in them comes back.
fn round_trip<P: Game + Encode>(name: &str, endings: &[&str], plies: usize) {
    let records: Vec<Record<P>> = (0..4).map(|seed| game(&start::<P>(name), seed, plies)).collect();
    for ending in endings {
        let folder = folder(&format!("{name}-{ending}"));
        let format: RecordFormat = ending.parse().unwrap();
        let files: Vec<PathBuf> = if format.separator().is_some() {
            let file = folder.join(format!("games.{ending}"));
            write(&file, &records);
            vec![file]
        } else {
            let one = |(i, record): (usize, &Record<P>)| {
                let file = folder.join(format!("{i}.{ending}"));
                write(&file, std::slice::from_ref(record));
                file
            };
            records.iter().enumerate().map(one).collect()
        };
        let out = folder.join("samples");
        let (summary, faults) = gather(name, &files, &everything(), &out);
        assert!(faults.is_empty(), "{faults:?}");
        let (_, list) = samples::read(&out.join(TRAINING), Some(name)).unwrap();
        let mut games: BTreeMap<u64, Vec<&Sample>> = BTreeMap::new();
        list.iter().for_each(|sample| games.entry(sample.game).or_default().push(sample));
        // A USI line does not say how a game ended: only the rules do.
        let mut found = 0;
        for record in &records {
            let last = record.moves().into_iter().fold(record.start.clone(), |mut position, mv| {
                position.play(mv);
                position
            });
            let outcome = record.ending().unwrap().outcome(last.turn()).unwrap();
            let mut position = record.start.clone();
            let label = |mv| {
                let label = position.label(mv) as u16;
                position.play(mv);
                label
            };
            let labels: Vec<u16> = record.moves().into_iter().map(label).collect();
            let same = games
                .values()
                .find(|samples| samples.iter().map(|sample| sample.policy[0].0).eq(labels.iter().copied()));
            match same {
                Some(samples) => {
                    check(record, samples, outcome);
                    found += 1;
                }
                None => assert_eq!((*ending, record.ending()), ("usi", Some(Ending::Resign))),
            }
        }
        let left_out = summary.left_out.get(&Reason::NoResult).copied().unwrap_or(0);
        assert_eq!((found + left_out, summary.games), (4, 4), "{name} {ending} {summary:?}");
        assert_eq!(summary.training, GamesAndSamples { games: found, samples: list.len() as u64 });
        // Again: everything is there already, and nothing is written twice.
        let (again, _) = gather(name, &files, &everything(), &out);
        assert_eq!(again.left_out.get(&Reason::Doubled).copied().unwrap_or(0), found);
        assert_eq!(samples::read(&out.join(TRAINING), Some(name)).unwrap().1, list);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}

#[test]
fn every_format_comes_back_as_positions_and_moves() {
    round_trip::<Minishogi>("minishogi", &["kif", "kifu", "ki2", "csa", "csa3", "usi"], 200);
    round_trip::<Shogi9>("shogi", &["kif", "csa", "usi"], 40);
    round_trip::<Go9>("go9", &["sgf"], 60);
    round_trip::<BlokusDuo>("blokus-duo", &["blksgf"], 64);
}

/// The final count is learned where the board shows it, and only there.
#[test]
fn counts_are_those_of_the_board() {
    let folder = folder("counts");
    let record = game(&start::<BlokusDuo>("blokus-duo"), 1, 64);
    write(&folder.join("whole.blksgf"), &[record]);
    gather("blokus-duo", &[folder.join("whole.blksgf")], &everything(), &folder.join("blokus"));
    let (_, list) = samples::read(&folder.join("blokus").join(TRAINING), None).unwrap();
    assert!(list.iter().all(|sample| sample.scored && (sample.score > 0.0) == (sample.result == 2)));
    // Two walls, Black's on the fourth column and White's on the fifth: 36 points against 45 and the komi. The record may say so, say
    // nothing, have counted otherwise (stones that were agreed to be dead), or end before the count.
    let walls: String = "abcdefghi".chars().map(|row| format!(";B[d{row}];W[e{row}]")).collect();
    for (re, passes, scored) in
        [("W+16", ";B[];W[]", true), ("W+", ";B[];W[]", true), ("W+3.5", ";B[];W[]", false), ("W+R", "", false)]
    {
        let (file, out) = (folder.join("walls.sgf"), folder.join(re));
        std::fs::write(&file, format!("(;GM[1]SZ[9]KM[7]RE[{re}]{walls}{passes})")).unwrap();
        let (summary, faults) = gather("go9", &[file], &everything(), &out);
        assert_eq!((summary.training.games, faults.len()), (1, 0), "{faults:?} {summary:?}");
        let (_, list) = samples::read(&out.join(TRAINING), None).unwrap();
        assert!(
            list.iter().all(|sample| sample.scored == scored && (sample.result == 2) == (sample.ply % 2 == 1)),
            "{re}"
        );
        let bits = |side: [u8; 46]| side.iter().map(|byte| byte.count_ones()).sum::<u32>();
        let expected = if scored { (-16.0, 36, 45) } else { (0.0, 0, 0) };
        assert_eq!((list[0].score, bits(list[0].owned[0]), bits(list[0].owned[1])), expected, "{re}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn records_of_other_games_are_refused_by_name() {
    let folder = folder("foreign");
    let (mini, nine) = (folder.join("mini.csa"), folder.join("nine.csa"));
    write(&mini, &[game(&start::<Minishogi>("minishogi"), 1, 20)]);
    write(&nine, &[game(&start::<Shogi9>("shogi"), 1, 20)]);
    write(&folder.join("go.sgf"), &[game(&start::<Go9>("go9"), 1, 20)]);
    write(&folder.join("blokus.blksgf"), &[game(&start::<BlokusDuo>("blokus-duo"), 1, 64)]);
    let line = Minishogi::default().position_text();
    std::fs::write(folder.join("mini.usi"), format!("sfen {line}\n")).unwrap();
    for (game, file, message) in [
        ("minishogi", "nine.csa", "this is a record of shogi, not of minishogi"),
        ("shogi", "mini.csa", "this is a record of minishogi, not of shogi"),
        ("shogi", "mini.usi", "this is a line of minishogi, not of shogi"),
        ("go13", "go.sgf", "this is a record of go9, not of go13"),
        ("go7", "go.sgf", "this is a record of go9, not of go7"),
        ("go9", "mini.csa", "KIF, KI2 and CSA hold games of shogi and minishogi, not of go9"),
        ("minishogi", "go.sgf", "SGF holds games of Go, not of minishogi"),
        ("minishogi", "blokus.blksgf", "Blokus SGF holds games of Blokus Duo, not of minishogi"),
        ("blokus-duo", "mini.usi", "USI lines are of shogi and minishogi, not of blokus-duo"),
    ] {
        let out = folder.join(format!("{game}-{file}"));
        let (summary, faults) = gather(game, &[folder.join(file)], &everything(), &out);
        assert_eq!((summary.unreadable, summary.training.games, faults.len()), (1, 0, 1), "{game} {file}");
        assert!(faults[0].contains(file) && faults[0].contains(message), "{faults:?}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn what_cannot_be_read_is_named_and_the_rest_goes_on() {
    let folder = folder("broken");
    let good = String::from_utf8(
        Minishogi::write_as(&game(&Minishogi::default(), 1, 30), "csa".parse().unwrap(), None).unwrap(),
    )
    .unwrap();
    let broken = good.replacen("\n+", "\n+9999ZZ\n+", 1);
    let more = String::from_utf8(
        Minishogi::write_as(&game(&Minishogi::default(), 2, 30), "csa".parse().unwrap(), None).unwrap(),
    )
    .unwrap();
    let file = folder.join("games.csa");
    std::fs::write(&file, [good.as_str(), &broken, &more].join("/\n")).unwrap();
    let missing = folder.join("missing.kif");
    let (summary, faults) = gather("minishogi", &[missing, file], &everything(), &folder.join("samples"));
    assert_eq!((summary.files, summary.games, summary.training.games, summary.unreadable), (2, 2, 2, 2), "{faults:?}");
    assert!(faults[0].contains("missing.kif"), "{faults:?}");
    let line = good.lines().count() + 1 + broken.lines().position(|line| line.contains("9999")).unwrap() + 1;
    assert!(
        faults[1].contains("games.csa, game 2") && faults[1].contains(&format!("line {line}")),
        "{faults:?} {line}"
    );
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn games_are_left_out_by_reason() {
    let folder = folder("reasons");
    let head = "V2.2\nP1-HI-KA-GI-KI-OU\nP2 *  *  *  * -FU\nP3 *  *  *  *  * \nP4+FU *  *  *  * \nP5+OU+KI+GI+KA+HI\n";
    let rated = |black: &str, end: &str| {
        format!(
            "{head}'black_rate:a+1:{black}\n'white_rate:b+2:1800.0\n+\n+5453FU\n'** 600\n-1213FU\n'** -600\n{end}\n"
        )
    };
    for (name, text) in [
        ("resigned", rated("2000.5", "%TORYO")),
        ("doubled", rated("2000.5", "%TORYO")),
        ("time", rated("2000.5", "%TIME_UP")),
        ("illegal", rated("2000.5", "%ILLEGAL_MOVE")),
        ("open", rated("2000.5", "%CHUDAN")),
        ("weak", rated("1500", "%TORYO")),
    ] {
        std::fs::write(folder.join(format!("{name}.csa")), text).unwrap();
    }
    let files =
        ["resigned", "doubled", "time", "illegal", "open", "weak"].map(|name| folder.join(format!("{name}.csa")));
    let go = |selection: &Selection, out: &str| {
        let (summary, faults) = gather("minishogi", &files, selection, &folder.join(out));
        assert!(faults.is_empty(), "{faults:?}");
        let (_, list) = samples::read(&folder.join(out).join(TRAINING), None).unwrap();
        (summary, list)
    };
    let strict = Selection { least_rating: Some(1800.0), ..everything() };
    let (summary, list) = go(&strict, "strict");
    let reasons: Vec<(Reason, u64)> = summary.left_out.into_iter().collect();
    let expected =
        [(Reason::Doubled, 1), (Reason::NoResult, 1), (Reason::TimeUp, 1), (Reason::Illegal, 1), (Reason::Rating, 1)];
    assert_eq!((reasons.as_slice(), list.len()), (&expected[..], 2));
    // Black, to move, has lost: the value repeats the result.
    assert_eq!(list.iter().map(|sample| (sample.result, sample.value)).collect::<Vec<_>>(), [(0, -1.0), (2, 1.0)]);
    // The evaluations of the record are those of the players who moved.
    let (summary, list) = go(&Selection { evaluations: true, smoothing: 0.2, ..strict.clone() }, "evaluations");
    let chance = 2.0 / (1.0 + (-1f32).exp()) - 1.0;
    assert!(summary.evaluated == 2 && list.iter().all(|sample| (sample.value - chance).abs() < 1e-5), "{list:?}");
    let moves: usize = list[0].policy.len();
    assert!(moves == 14 && (list[0].policy[0].1 - (0.8 + 0.2 / 14.0)).abs() < 1e-4);
    assert!((list[0].policy.iter().map(|&(_, p)| p).sum::<f32>() - 1.0).abs() < 1e-3);
    // What is taken on request, and what is skipped.
    let (summary, _) = go(&Selection { time_up: true, illegal: true, ..everything() }, "all");
    assert_eq!(summary.left_out.into_iter().collect::<Vec<_>>(), [(Reason::Doubled, 4), (Reason::NoResult, 1)]);
    let (_, list) = go(&Selection { skip_first: 1, ..everything() }, "first");
    assert_eq!(list.iter().map(|sample| sample.ply).collect::<Vec<_>>(), [1]);
    let (_, list) = go(&Selection { skip_last: 1, ..everything() }, "last");
    assert_eq!(list.iter().map(|sample| sample.ply).collect::<Vec<_>>(), [0]);
    let (summary, _) = go(&Selection { least_plies: 3, ..everything() }, "short");
    // Those with a result, and the one without.
    assert_eq!(summary.left_out[&Reason::Short], 4);
    // A folder belongs to one selection.
    let order = Order { files: &[], selection: &everything(), out: &folder.join("short") };
    let result = dispatch::samples_of_records(&Spec::named("minishogi"), &order, &AtomicBool::new(false), &mut |_| ());
    assert!(result.unwrap_err().message.contains("the samples were begun with"));
    std::fs::remove_dir_all(&folder).unwrap();
}

/// A game that is held out is so in whatever file, order and part it comes, and training refuses a game on both sides.
#[test]
fn held_out_games_never_leak() {
    let folder = folder("held-out");
    let records: Vec<Record<Go9>> = (0..40).map(|seed| game(&start::<Go9>("go9"), seed, 20)).collect();
    // The same games turned about count as the same.
    let turned: Vec<Record<Go9>> = records
        .iter()
        .map(|record| {
            let mut turned = Record::new(record.start.clone());
            let image = record.start.images(&record.moves()).pop().unwrap();
            let last = image.into_iter().fold(ROOT, |node, mv| turned.add(node, Some(mv)));
            turned.nodes[last].ending = record.ending();
            turned
        })
        .collect();
    write(&folder.join("a.sgf"), &records);
    write(&folder.join("b.sgf"), &turned);
    let selection = Selection { held_out: 0.3, ..Selection::default() };
    let games = |out: &str, files: &[&str]| {
        let files: Vec<PathBuf> = files.iter().map(|file| folder.join(file)).collect();
        gather("go9", &files, &selection, &folder.join(out));
        [TRAINING, HELD_OUT].map(|name| {
            let (_, list) = samples::read(&folder.join(out).join(name), Some("go9")).unwrap();
            list.iter().map(|sample| sample.game).collect::<std::collections::BTreeSet<u64>>()
        })
    };
    let [training, held_out] = games("first", &["a.sgf", "b.sgf"]);
    assert_eq!(training.len() + held_out.len(), 40);
    assert!((4..=20).contains(&held_out.len()) && training.is_disjoint(&held_out), "{}", held_out.len());
    assert_eq!(games("second", &["b.sgf"]), [training, held_out]);
    // Beside each other in one training they are refused.
    games("third", &["a.sgf"]);
    let plan = FitPlan {
        files: vec![folder.join("first").join(TRAINING)],
        held_out: vec![folder.join("third").join(TRAINING)],
        rounds: 1,
        steps: 1,
        rate: 1e-3,
        seed: 1,
        measured: 10,
    };
    let message = go(&plan, "go9", &folder.join("fit"), None).unwrap_err().message;
    assert!(message.contains("is held out and trained on"), "{message}");
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Trains a small network; stopped after a round, if one is named.
fn go(plan: &FitPlan, game: &str, out: &Path, last: Option<u64>) -> Result<Vec<Round>, TextError> {
    let layout = dispatch::layout(&Spec::parse(game)?)?;
    let network = run::first_network(Architecture::new(layout, 1, 16), &Seed::new(1))?;
    let settings = Settings { batch: 32, search_share: 0.0, surprise_share: 0.0, ..Settings::default() };
    let conditions = fit::Conditions { device: Choice::Cpu, threads: 1 };
    let mut rounds = Vec::new();
    let mut trainer = Native::new(settings, 1);
    let stop = AtomicBool::new(false);
    let mut tell = |round: &Round| {
        stop.store(last == Some(round.round), Ordering::Relaxed);
        rounds.push(round.clone());
    };
    fit::fit(plan, &network, out, conditions, &mut trainer, &stop, &mut tell)?;
    Ok(rounds)
}

/// A handful of games is learned by heart; training in two parts ends with the same network.
#[test]
fn a_handful_of_games_is_learned_by_heart() {
    let folder = folder("heart");
    let records: Vec<Record<Minishogi>> = (0..6).map(|seed| game(&Minishogi::default(), seed, 24)).collect();
    write(&folder.join("games.csa"), &records);
    let selection = Selection { skip_first: 4, ..everything() };
    gather("minishogi", &[folder.join("games.csa")], &selection, &folder.join("samples"));
    let plan = FitPlan {
        files: vec![folder.join("samples").join(TRAINING)],
        held_out: Vec::new(),
        rounds: 3,
        steps: 80,
        rate: 1e-2,
        seed: 1,
        measured: 1000,
    };
    let (whole, parts) = (folder.join("whole"), folder.join("parts"));
    let rounds = go(&plan, "minishogi", &whole, None).unwrap();
    let [before, after] = [rounds[0].on_training, rounds[3].on_training];
    assert_eq!((rounds.len(), before.positions), (4, after.positions));
    assert!(before.first < 0.05 && after.first > 0.95 && after.results > 0.95, "{before:?} {after:?}");
    assert!(before.policy > 5.0 && after.policy < 0.5 && after.value < 0.3, "{before:?} {after:?}");
    assert_eq!(go(&plan, "minishogi", &parts, Some(1)).unwrap().len(), 2);
    assert_eq!(go(&plan, "minishogi", &parts, None).unwrap().len(), 4);
    let net = |path: &Path| std::fs::read(path.join("net.safetensors")).unwrap();
    assert_eq!(net(&whole), net(&parts));
    let message = go(&FitPlan { steps: 2, ..plan }, "minishogi", &parts, None).unwrap_err().message;
    assert!(message.contains("training was begun with"), "{message}");
    std::fs::remove_dir_all(&folder).unwrap();
}
