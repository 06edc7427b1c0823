//! What players expected, from their searches through ledgers and workers into records.

use yomi_core::TextError;
use yomi_lab::arena::{self, Arena, Place};
use yomi_lab::budget::Budget;
use yomi_lab::conditions::Conditions;
use yomi_lab::config::MatchConfig;
use yomi_lab::expected::EXPECTED_PLIES;
use yomi_lab::ledger;
use yomi_lab::opening::OpeningSource;
use yomi_lab::plan::MatchPlan;
use yomi_lab::players::build::{Programs, configure};
use yomi_lab::record::Title;
use yomi_lab::row::GameRow;
use yomi_lab::schedule::Schedule;
use yomi_lab::verify::verify;
use yomi_lab::worker::{Assignment, serve};

fn open(game: &str) -> Result<Box<dyn Arena>, TextError> {
    arena::open(&game.parse()?, Programs::Refused)
}

fn plan(game: &str, players: [&str; 2], move_limit: u32) -> MatchPlan {
    let players = players.map(|text| configure(game, text, Budget::default()).unwrap());
    let config = MatchConfig {
        name: "lines".to_string(),
        game: game.to_string(),
        seed: 1,
        games: 2,
        pairs: true,
        schedule: Schedule::Pair,
        reproducible: true,
        openings: OpeningSource::Random { plies: 2 },
        conditions: Conditions { move_limit, time: None, resign: None, draw: None },
        sprt: None,
        players: players.to_vec(),
    };
    MatchPlan::new(config, Vec::new()).unwrap()
}

/// The first game, as a table of this process plays it.
fn game(plan: &MatchPlan) -> (Box<dyn Arena>, GameRow) {
    let arena = open(&plan.config.game).unwrap();
    let job = plan.job(0, &*arena).unwrap();
    let row = arena.table(&plan.config, Place::default()).unwrap().play(&job, &Default::default()).unwrap();
    (arena, row)
}

fn records(arena: &dyn Arena, row: &GameRow) -> Vec<(&'static str, String)> {
    let title = Title { event: "lines", players: ["one", "two"] };
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    arena.record(row, &title).unwrap().into_iter().map(|(ending, bytes)| (ending, text(bytes))).collect()
}

#[test]
fn records_of_shogi_hold_the_lines_of_both_players() {
    let plan = plan("shogi", ["alpha-beta name=one depth=3", "alpha-beta name=two depth=2"], 12);
    let (arena, row) = game(&plan);
    assert_eq!((row.plies, row.opening, row.lines.len()), (12, 2, 10), "{row:?}");
    assert!(row.lines.iter().all(|line| line.split(' ').count() <= EXPECTED_PLIES), "{:?}", row.lines);
    // A search that knows the position already may name its move alone.
    let said = row.lines.iter().filter(|line| !line.is_empty()).count();
    assert!(said >= 5, "{:?}", row.lines);
    for (ending, text) in records(&*arena, &row) {
        let lines = match ending {
            "csa" => text.lines().filter(|line| line.starts_with("'** ") && line.split(' ').count() > 2).count(),
            "kif" => text.lines().filter(|line| line.starts_with("**読み筋=")).count(),
            _ => continue,
        };
        assert_eq!(lines, said, "{ending}:\n{text}");
    }
}

/// The comments of SGF say it in words.
#[test]
fn records_of_go_hold_lines() {
    let plan = plan("go9", ["prior-rave name=one sims=200", "prior-rave name=two sims=200"], 12);
    let (arena, row) = game(&plan);
    let (ending, text) = records(&*arena, &row).remove(0);
    assert_eq!(ending, "sgf");
    assert_eq!(text.matches("expects ").count(), row.lines.iter().filter(|line| !line.is_empty()).count(), "{text}");
    assert!(text.contains("expects "), "{text}");
}

/// A worker's row is that of the run itself, lines included; its checksum covers them, and rows without lines are read as ever.
#[test]
fn workers_and_old_ledgers_agree() {
    let plan = plan("minishogi", ["alpha-beta name=one nodes=300", "mcss name=two sims=50"], 14);
    let (arena, row) = game(&plan);
    let assignment = Assignment { signature: 1, config: plan.config.clone(), job: plan.job(0, &*arena).unwrap() };
    let mut answer = Vec::new();
    let question = serde_json::to_string(&assignment).unwrap();
    serve(&mut question.as_bytes(), &mut answer, 1, &open, &|_| None).unwrap();
    let (worker, has_check): (GameRow, bool) = ledger::row(&answer).unwrap();
    assert_eq!((worker.reproducible(), has_check), (row.reproducible(), true));
    assert!(row.lines.iter().any(|line| !line.is_empty()));

    let line = ledger::line(&row).unwrap();
    let at = line.find("\"lines\":[\"").unwrap() + "\"lines\":[\"".len();
    let changed = format!("{}x{}", &line[..at], &line[at..]);
    assert!(ledger::row::<GameRow>(changed.as_bytes()).unwrap_err().contains("damaged"));
    let old = GameRow { lines: Vec::new(), ..row };
    let text = ledger::line(&old).unwrap();
    assert!(!text.contains("lines"));
    assert_eq!(ledger::row::<GameRow>(text.as_bytes()).unwrap().0, old);
    let found = verify(&plan, &*arena, std::slice::from_ref(&old), 1, 1).unwrap();
    assert_eq!((found.replayed, found.same), (1, 1), "{:?}", found.changed);
    assert!(records(&*arena, &old).iter().all(|(_, text)| !text.contains("読み筋")));
}

/// What a ledger claims is not believed: moves that are illegal end the line.
#[test]
fn only_legal_moves_reach_records() {
    let plan = plan("shogi", ["alpha-beta name=one depth=2", "alpha-beta name=two depth=2"], 6);
    let (arena, row) = game(&plan);
    let lines = row.lines.iter().map(|_| "9z9z \u{1b}[2J".to_string()).collect();
    for (_, text) in records(&*arena, &GameRow { lines, ..row }) {
        assert!(!text.contains("9z9z") && !text.contains('\u{1b}') && !text.contains("読み筋"), "{text}");
    }
}
