//! Workers: lines in, lines out.

use serde_json::{Value, json};
use yomi_core::TextError;
use yomi_core::toy::{ConnectFour, TicTacToe};
use yomi_lab::arena::Arena;
use yomi_lab::ledger;
use yomi_lab::plan::MatchPlan;
use yomi_lab::row::GameRow;
use yomi_lab::worker::{Assignment, serve};

use super::actors::{Scratch, arena, config, played};

fn open(game: &str) -> Result<Box<dyn Arena>, TextError> {
    match game {
        "tic-tac-toe" => Ok(arena::<TicTacToe>(game)),
        "connect-four" => Ok(arena::<ConnectFour>(game)),
        _ => Err(TextError::new(format!("{game} is no game here"))),
    }
}

fn lines(input: &str) -> Vec<String> {
    let mut output = Vec::new();
    serve(&mut input.as_bytes(), &mut output, 42, &open, &|_| None).unwrap();
    String::from_utf8(output).unwrap().lines().map(str::to_string).collect()
}

fn answers(input: &str) -> Vec<Value> {
    lines(input).iter().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn workers_play_the_games_of_the_local_run() {
    let scratch = Scratch::new("worker");
    let config = config("connect-four", &["random", "first"], 6);
    let local = arena::<ConnectFour>("connect-four");
    let (expected, ..) = played(&config, &*local, &scratch, 1);
    let plan = MatchPlan::new(config.clone(), Vec::new()).unwrap();
    let line = |index| {
        let job = plan.job(index, &*local).unwrap();
        serde_json::to_string(&Assignment { signature: 42, config: config.clone(), job }).unwrap()
    };
    let input: Vec<String> = (0..6).map(line).collect();
    let rows: Vec<GameRow> = lines(&input.join("\n"))
        .iter()
        .map(|line| {
            let (row, has_check): (GameRow, bool) = ledger::row(line.as_bytes()).unwrap();
            assert!(has_check);
            row.reproducible()
        })
        .collect();
    assert_eq!(rows, expected);
}

#[test]
fn bad_lines_are_answered_and_do_not_end_it() {
    let config = config("tic-tac-toe", &["random", "first"], 2);
    let plan = MatchPlan::new(config.clone(), Vec::new()).unwrap();
    let job = plan.job(0, &*arena::<TicTacToe>("tic-tac-toe")).unwrap();
    let good = json!(Assignment { signature: 42, config, job });
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut line = good.clone();
        change(&mut line);
        line.to_string()
    };
    let lines = [
        "nonsense".to_string(),
        String::new(),
        changed(&|line| line["signature"] = json!(43)),
        changed(&|line| line["match"]["game"] = json!("chess")),
        changed(&|line| line["job"]["first"] = json!(7)),
        changed(&|line| line["match"]["games"] = json!(0)),
        "[".repeat(100_000),
        changed(&|line| line["job"]["opening"]["moves"] = json!("99")),
        good.to_string(),
    ];
    let answers = answers(&lines.join("\n"));
    assert_eq!(answers.len(), 8, "an empty line is no question");
    let errors: Vec<&str> = answers.iter().filter_map(|answer| answer["error"].as_str()).collect();
    assert_eq!(errors.len(), 6, "{answers:?}");
    assert!(errors[1].contains("43") && errors[2].contains("chess") && errors[3].contains("two players"), "{errors:?}");
    assert_eq!(answers[6]["reason"], "void", "an opening that cannot be played");
    assert_eq!(
        (&answers[7]["reason"], &answers[0]["line"], &answers[1]["line"]),
        (&json!("normal"), &json!(1), &json!(3))
    );
}
