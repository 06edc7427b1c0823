//! JSON: what is written is what `docs/json.md` says, and it can be read back.

use std::collections::BTreeSet;

use serde_json::Value;
use yomi_session::report::{Analysis, PositionReport, SCHEMA};
use yomi_session::{Budget, Control, Player, SearchRequest, Session, TreeQuery, TreeReport, open};

const PAGE: &str = include_str!("../../../docs/json.md");

/// The fields of the table below a heading of the page.
fn documented(heading: &str) -> BTreeSet<String> {
    let section = PAGE.split("\n## ").find(|section| section.lines().next() == Some(heading));
    let rows = section.expect(heading).lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`'));
    rows.map(|(field, _)| field.to_string()).collect()
}

fn written(object: &Value) -> BTreeSet<String> {
    object.as_object().expect("an object").keys().cloned().collect()
}

fn searched(game: &str, player: &str) -> (Box<dyn Session>, Player, Analysis) {
    let mut session = open(&game.parse().unwrap()).unwrap();
    let player: Player = player.parse().unwrap();
    let request = SearchRequest::new(&player, player.limits(&Budget::default(), 1).unwrap());
    let analysis = session.search(&request, &Control::default(), &mut |_| {}).unwrap();
    (session, player, analysis)
}

#[test]
fn the_documented_fields_are_the_written_ones() {
    let (session, player, analysis) = searched("minishogi", "mcss(t=80,hash=16) sims=200");
    let position = session.position().json();
    assert_eq!(written(&position), documented("position"));
    assert_eq!(written(&session.board().json()), documented("board"));
    let analysis = analysis.json(3);
    assert_eq!(written(&analysis), documented("analysis"));
    assert_eq!(analysis["moves"].as_array().unwrap().len(), 3);
    assert_eq!(written(&analysis["moves"][0]), documented("a move of an analysis"));
    let tree = session.explore(&player, &TreeQuery::default()).unwrap().unwrap().json("mcss");
    assert_eq!(written(&tree), documented("tree"));
    assert_eq!(written(&tree["below"][0]), documented("a node of a tree"));
    for object in [position, analysis, tree] {
        assert_eq!(object["schema"], SCHEMA);
    }
    assert!(PAGE.contains(&format!("**{SCHEMA}** today")));
}

#[test]
fn what_is_written_is_read_back() {
    for (game, player) in [
        ("minishogi", "mcss(t=80,hash=16) sims=300"),
        ("minishogi", "alpha-beta(hash=4) depth=2"),
        ("go5", "uct(hash=16) sims=50"),
        ("nim", "uct(hash=16) sims=5000"),
    ] {
        let (session, player, analysis) = searched(game, player);
        let again: Analysis = serde_json::from_value(analysis.json(usize::MAX)).unwrap();
        assert_eq!(again, analysis, "{game} {player}");
        assert!(analysis.is_final && analysis.ended.is_some());
        let position = session.position();
        assert_eq!(serde_json::from_value::<PositionReport>(position.json()).unwrap(), position);
        if let Some(tree) = session.explore(&player, &TreeQuery { depth: 2, ..TreeQuery::default() }).unwrap() {
            assert_eq!(serde_json::from_value::<TreeReport>(tree.json("")).unwrap(), tree);
        }
    }
}

/// A game that is proven: proofs survive the way through JSON, too.
#[test]
fn proofs_are_words() {
    let mut session = open(&"nim".parse().unwrap()).unwrap();
    session.set_position(Some("5 b")).unwrap();
    let player: Player = "uct(hash=16) sims=20000".parse().unwrap();
    let request = SearchRequest::new(&player, player.limits(&Budget::default(), 1).unwrap());
    let analysis = session.search(&request, &Control::default(), &mut |_| {}).unwrap();
    let json = analysis.json(1);
    assert!(json["proof"].as_str().is_some_and(|proof| proof.starts_with("won in ")), "{json}");
    let wrong = Value::from("won by far");
    let mut object = json;
    object["proof"] = wrong;
    assert!(serde_json::from_value::<Analysis>(object).unwrap_err().to_string().contains("won by far is no proof"));
}
