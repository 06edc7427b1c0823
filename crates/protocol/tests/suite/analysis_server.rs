//! KataGo's analysis protocol: questions, answers, urgency, calling off, nonsense, the end of the input.

use crate::common;

use std::cell::Cell;

use common::{Patients, Questions, Talk};
use proptest::prelude::*;
use serde_json::{Value, json};
use yomi_core::{Color, Seed, Spec};
use yomi_protocol::server::analysis::{AnalysisOptions, View, serve};
use yomi_protocol::server::gtp::Players;
use yomi_search::Limits;
use yomi_session::Budget;

/// A conversation in JSON.
struct Json(Talk);

impl Json {
    fn begin() -> Json {
        Json::counted(Questions::default())
    }

    /// The same, and what its searches ask is counted.
    fn counted(questions: Questions) -> Json {
        let game = Spec::parse("go5").unwrap();
        let patients = Patients { limits: Limits::infinite(), questions };
        Json(Talk::with(move |console| {
            let (view, player) = (View::Of(Color::Black), "patient".to_string());
            let options = AnalysisOptions { seed: Seed::new(1), view, player, quit_without_waiting: false };
            serve(console, &game, &patients, options).unwrap().unwrap();
        }))
    }

    fn say(&mut self, question: &Value) {
        self.0.say(&question.to_string());
    }

    fn next(&self) -> Value {
        serde_json::from_str(&self.0.next()).expect("an object")
    }

    fn ask(&mut self, question: &Value) -> Value {
        self.say(question);
        self.next()
    }
}

/// What a player of 9x9 says of a position after E5, with this seed.
fn after_one_move(player: &str, seed: u64) -> Value {
    let builder = Players {
        player: Some(player.parse().unwrap()),
        level: None,
        budget: Budget::default(),
        level_in_force: Cell::new(None),
    };
    let mut json = Json(Talk::with(move |console| {
        let (view, player) = (View::Of(Color::Black), "player".to_string());
        let options = AnalysisOptions { seed: Seed::new(seed), view, player, quit_without_waiting: false };
        serve(console, &Spec::named("go9"), &builder, options).unwrap().unwrap();
    }));
    json.ask(&json!({"id": "a", "moves": [["B", "E5"]], "maxVisits": 40, "includeOwnership": true, "includeMovesOwnership": true}))
}

/// A network that has learned nothing, but the same nothing every time: its heads do not depend on seeds, playouts do.
#[test]
fn leads_and_owners_are_those_of_a_network_that_knows_them() {
    let net = [1, 2].map(|seed| after_one_move("puct + net(random=1x8,device=cpu)", seed));
    let playouts = [1, 2].map(|seed| after_one_move("puct + rollout", seed));
    assert_eq!(net[0]["ownership"], net[1]["ownership"]);
    assert_ne!(playouts[0]["ownership"], playouts[1]["ownership"]);
    for [first, _] in [&net, &playouts] {
        let (best, root) = (&first["moveInfos"][0], &first["rootInfo"]);
        assert_eq!(best["scoreLead"], root["scoreLead"], "the best move loses nothing");
    }
    let (best, root) = (&net[0]["moveInfos"][0], &net[0]);
    assert_eq!(best["ownership"], root["ownership"]);
    assert_eq!(root["ownership"].as_array().unwrap().len(), 81);
}

/// The answers to lines that need no thinking.
fn answers(lines: &str) -> Vec<String> {
    let mut talk = Json::begin().0;
    talk.say(lines);
    talk.close()
}

#[test]
fn a_question_gets_an_answer_a_turn() {
    let mut json = Json::begin();
    json.say(&json!({"id": "foo", "moves": [["B", "C3"], ["W", "pass"]], "analyzeTurns": [2, 0, 2], "maxVisits": 1,
        "includeOwnership": true, "includeMovesOwnership": true, "includePVVisits": true, "includePolicy": true,
        "rules": "tromp-taylor", "komi": 0.5}));
    for turn in [0, 2] {
        let answer = json.next();
        assert_eq!((&answer["id"], &answer["turnNumber"]), (&json!("foo"), &json!(turn)));
        assert_eq!((&answer["isDuringSearch"], &answer["rootInfo"]["currentPlayer"]), (&json!(false), &json!("B")));
        let rows = answer["moveInfos"].as_array().unwrap();
        let stones = turn / 2;
        assert_eq!((rows.len(), &answer["rootInfo"]["visits"]), (26 - stones, &json!(26 - stones)));
        assert_eq!((&rows[0]["move"], &rows[0]["order"], &rows[0]["pv"]), (&json!("A1"), &json!(0), &json!(["A1"])));
        for field in ["winrate", "lcb", "utility", "scoreLead", "scoreMean", "scoreSelfplay", "scoreStdev", "prior"] {
            assert!(rows[25 - stones][field].is_number(), "{field}");
        }
        assert_eq!(rows[25 - stones]["move"], "pass");
        assert_eq!(rows[0]["winrate"], 0.5);
        assert_eq!(answer["ownership"].as_array().unwrap().len(), 25);
        assert_eq!((rows[3]["ownership"].as_array().unwrap().len(), &rows[3]["pvVisits"]), (25, &json!([1])));
        assert_eq!(rows[0]["scoreLead"], answer["rootInfo"]["scoreLead"], "the best move loses nothing");
        let policy = answer["policy"].as_array().unwrap();
        let total: f64 = policy.iter().map(|p| p.as_f64().unwrap().max(0.0)).sum();
        assert!(policy.len() == 26 && (total - 1.0).abs() < 1e-3, "{total}");
        assert_eq!(policy[12] == -1.0, turn == 2, "a stone stands in the middle");
    }
    // Boards of other sizes, corners of the board by numbers, and what the question leaves open.
    for (size, corner) in [(9, "A9"), (13, "A13"), (19, "A19")] {
        let first = json!([{"player": "B", "moves": ["(0,0)"], "untilDepth": 1}]);
        let question = json!({"id": "b", "moves": [], "boardXSize": size, "boardYSize": size, "allowMoves": first});
        assert_eq!(json.ask(&question)["moveInfos"][0]["move"], corner);
    }
    assert_eq!(json.ask(&json!({"id": "c", "moves": []}))["rootInfo"]["visits"], 26);
    assert!(json.0.close().is_empty());
}

#[test]
fn stones_colours_and_passes_are_as_they_were_given() {
    let mut json = Json::begin();
    let handicap = json!([["B", "B2"], ["B", "D4"]]);
    let player = |answer: Value| answer["rootInfo"]["currentPlayer"].clone();
    assert_eq!(player(json.ask(&json!({"id": "a", "moves": [], "initialStones": handicap, "rules": "chinese"}))), "W");
    assert_eq!(
        player(json.ask(&json!({"id": "a", "moves": [], "initialStones": handicap, "initialPlayer": "B"}))),
        "B"
    );
    // One side may move twice, and a game of two passes goes on.
    let twice = json!([["B", "B2"], ["B", "D4"], ["W", "C3"]]);
    assert_eq!(player(json.ask(&json!({"id": "a", "moves": twice, "analyzeTurns": [1]}))), "B");
    let over = json!([["B", "pass"], ["W", "pass"]]);
    let answer = json.ask(&json!({"id": "a", "moves": over}));
    assert_eq!((player(answer.clone()), answer["moveInfos"].as_array().unwrap().len()), (json!("B"), 26));
    assert!(json.0.close().is_empty());
}

#[test]
fn some_moves_can_be_asked_for_or_left_out() {
    let mut json = Json::begin();
    let moves = |answer: Value| -> Vec<String> {
        let rows = answer["moveInfos"].as_array().cloned().unwrap_or_default();
        rows.iter().map(|row| row["move"].as_str().unwrap().to_string()).collect()
    };
    let limit = |player: &str, moves: Value| json!([{"player": player, "moves": moves, "untilDepth": 1}]);
    let allow = json.ask(&json!({"id": "a", "moves": [], "allowMoves": limit("B", json!(["pass", "c3"]))}));
    assert_eq!(moves(allow), ["C3", "pass"]);
    let avoid = json.ask(&json!({"id": "a", "moves": [], "avoidMoves": limit("B", json!(["A1", "B1"]))}));
    let avoid = moves(avoid);
    assert_eq!((avoid.len(), avoid[0].as_str()), (24, "C1"));
    let other = json.ask(&json!({"id": "a", "moves": [], "avoidMoves": limit("W", json!(["A1"]))}));
    assert_eq!(moves(other).len(), 26, "it is Black's turn");
    let nothing = json.ask(&json!({"id": "a", "moves": [], "allowMoves": limit("B", json!([]))}));
    assert_eq!((&nothing["error"], &nothing["field"]), (&json!("No legal move is left"), &json!("allowMoves")));
    assert!(json.0.close().is_empty());
}

#[test]
fn the_most_urgent_is_next_and_what_is_called_off_is_over() {
    let questions = Questions::default();
    let mut json = Json::counted(questions.clone());
    let patient = json!({"maxTime": 1000});
    let question = |id: &str, priority: i64| json!({"id": id, "moves": [], "priority": priority, "maxVisits": 1});
    json.say(&json!({"id": "long", "moves": [], "overrideSettings": patient, "reportDuringSearchEvery": 0.001}));
    let report = json.next();
    assert_eq!((&report["id"], &report["isDuringSearch"]), (&json!("long"), &json!(true)));
    for (id, priority) in [("low", -1), ("first", 5), ("second", 5), ("never", 9)] {
        json.say(&question(id, priority));
    }
    json.say(&json!({"id": "x", "action": "terminate", "terminateId": "never", "turnNumbers": [7]}));
    json.say(&json!({"id": "y", "action": "terminate", "terminateId": "never"}));
    json.say(&json!({"id": "z", "action": "terminate", "terminateId": "long"}));
    let mut order = Vec::new();
    while order.len() < 8 {
        let answer = json.next();
        if answer["isDuringSearch"] != true {
            order.push((answer["id"].as_str().unwrap().to_string(), answer["noResults"] == true));
        }
    }
    let expected = [("x", false), ("y", false), ("never", true), ("z", false), ("long", false), ("first", false)];
    let expected = expected.into_iter().chain([("second", false), ("low", false)]);
    assert_eq!(order, expected.map(|(id, nothing)| (id.to_string(), nothing)).collect::<Vec<_>>());
    // All at once.
    json.say(&json!({"id": "long", "moves": [], "overrideSettings": patient}));
    // It thinks, and reports nothing that it was not asked for: the next word is the answer to the next question.
    questions.wait_for(30);
    assert_eq!(json.ask(&json!({"id": "v", "action": "query_version"}))["id"], "v");
    json.say(&question("waits", 0));
    assert_eq!(json.ask(&json!({"id": "w", "action": "terminate_all"}))["action"], "terminate_all");
    let mut ids: Vec<String> = (0..2).map(|_| json.next()["id"].as_str().unwrap().to_string()).collect();
    ids.sort();
    assert_eq!(ids, ["long", "waits"]);
    assert!(json.0.close().is_empty());
}

#[test]
fn everything_is_answered_before_the_end() {
    let questions: Vec<String> =
        (0..20).map(|i| json!({"id": i.to_string(), "moves": [], "maxVisits": 1}).to_string()).collect();
    let said = answers(&questions.join("\n"));
    let ids: Vec<Value> = said.iter().map(|line| serde_json::from_str::<Value>(line).unwrap()["id"].clone()).collect();
    assert_eq!(ids, (0..20).map(|i| json!(i.to_string())).collect::<Vec<_>>());
}

#[test]
fn actions_are_echoed() {
    let mut json = Json::begin();
    let version = json.ask(&json!({"id": "v", "action": "query_version", "more": [1]}));
    assert_eq!((&version["action"], &version["more"]), (&json!("query_version"), &json!([1])));
    assert!(version["version"].is_string() && version["git_hash"].is_string());
    let models = json.ask(&json!({"id": "m", "action": "query_models"}));
    assert_eq!(models["models"][0]["name"], "patient");
    let echo = json!({"id": "c", "action": "clear_cache"});
    assert_eq!(json.ask(&echo), echo);
    assert!(json.0.close().is_empty());
}

#[test]
fn what_is_wrong_is_reported_with_its_field() {
    let mut json = Json::begin();
    for (question, field) in [
        (json!({"moves": []}), Some("id")),
        (json!({"id": 5, "moves": []}), Some("id")),
        (json!([1]), None),
        (json!({"id": "a"}), Some("moves")),
        (json!({"id": "a", "moves": [["B"]]}), Some("moves")),
        (json!({"id": "a", "moves": [["X", "C3"]]}), Some("moves")),
        (json!({"id": "a", "moves": [["B", "Z99"]]}), Some("moves")),
        (json!({"id": "a", "moves": [["B", "C3"], ["W", "C3"]], "analyzeTurns": [0]}), Some("moves")),
        (json!({"id": "a", "moves": [], "initialStones": [["B", "(9,0)"]]}), Some("initialStones")),
        (json!({"id": "a", "moves": [], "boardXSize": 25, "boardYSize": 25}), Some("boardXSize")),
        (json!({"id": "a", "moves": [], "boardXSize": 9, "boardYSize": 13}), Some("boardYSize")),
        (json!({"id": "a", "moves": [], "boardXSize": -1}), Some("boardXSize")),
        (json!({"id": "a", "moves": [], "rules": "klingon"}), Some("rules")),
        (json!({"id": "a", "moves": [], "rules": {"ko": "ETERNAL"}}), Some("rules")),
        (json!({"id": "a", "moves": [], "komi": 7.3}), Some("komi")),
        (json!({"id": "a", "moves": [], "komi": 1e300}), Some("komi")),
        (json!({"id": "a", "moves": [], "whiteHandicapBonus": "many"}), Some("whiteHandicapBonus")),
        (json!({"id": "a", "moves": [], "analyzeTurns": [1]}), Some("analyzeTurns")),
        (json!({"id": "a", "moves": [], "analyzeTurns": [0], "priorities": [1, 2]}), Some("priorities")),
        (json!({"id": "a", "moves": [], "maxVisits": 0}), Some("maxVisits")),
        (json!({"id": "a", "moves": [], "includeOwnership": "yes"}), Some("includeOwnership")),
        (json!({"id": "a", "moves": [], "reportDuringSearchEvery": -1}), Some("reportDuringSearchEvery")),
        (json!({"id": "a", "moves": [], "avoidMoves": [{}]}), Some("avoidMoves")),
        (json!({"id": "a", "moves": [], "overrideSettings": {"maxTime": "long"}}), Some("overrideSettings")),
        (json!({"id": "a", "action": "dance"}), Some("action")),
        (json!({"id": "a", "action": "terminate"}), Some("terminateId")),
    ] {
        let answer = json.ask(&question);
        assert!(answer["error"].is_string(), "{question}: {answer}");
        assert_eq!(answer["field"].as_str(), field, "{question}: {answer}");
        let id = question["id"].as_str();
        assert_eq!(answer["id"].as_str(), id, "{question}: {answer}");
    }
    assert!(json.next_of("{\"id\":").contains("Could not parse JSON"));
    // Katrain knows an illegal move by these words.
    let illegal = json.ask(&json!({"id": "a", "moves": [["B", "C3"], ["W", "C3"]]}));
    assert!(illegal["error"].as_str().unwrap().starts_with("Illegal move 1: C3"), "{illegal}");
    // The conversation goes on.
    assert_eq!(json.ask(&json!({"id": "a", "moves": []}))["turnNumber"], 0);
    assert!(json.0.close().is_empty());
}

impl Json {
    fn next_of(&mut self, line: &str) -> String {
        self.0.say(line);
        self.0.next()
    }
}

#[test]
fn what_is_not_done_is_a_warning() {
    let mut json = Json::begin();
    let settings = json!({"wideRootNoise": 0.04, "reportAnalysisWinratesAs": "SIDETOMOVE"});
    json.say(&json!({"id": "a", "moves": [], "colour": "blue", "includeOwnershipStdev": true,
        "overrideSettings": settings, "avoidMoves": [{"player": "B", "moves": ["A1"], "untilDepth": 5}]}));
    let mut fields: Vec<String> = Vec::new();
    let answer = loop {
        let answer = json.next();
        match answer["warning"].as_str() {
            Some(_) => fields.push(answer["field"].as_str().unwrap().to_string()),
            None => break answer,
        }
    };
    fields.sort();
    assert_eq!(fields, ["avoidMoves", "colour", "includeOwnershipStdev", "overrideSettings"]);
    assert_eq!(answer["moveInfos"][0]["move"], "B1");
    assert!(json.0.close().is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    /// Whatever comes, a line gets one line at least, JSON, and the conversation goes on.
    #[test]
    fn noise_is_refused(lines in proptest::collection::vec("[ -~]{1,60}", 1..5)) {
        let lines: Vec<String> = lines.into_iter().filter(|line| !line.trim().is_empty()).collect();
        let said = answers(&lines.join("\n"));
        prop_assert!(said.len() >= lines.len());
        for line in said {
            prop_assert!(serde_json::from_str::<Value>(&line).is_ok(), "{line}");
        }
    }
}
