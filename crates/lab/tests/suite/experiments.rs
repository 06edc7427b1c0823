//! Experiments from file to report, in miniature: every kind on toy games and minishogi, resuming, and what the report says.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use yomi_core::toy::{ConnectFour, Nim, TicTacToe};
use yomi_core::{AnyEvaluator, Notation, Spec, TextError};
use yomi_games::Game;
use yomi_games::draw::Draw;
use yomi_games::shogi::Minishogi;
use yomi_lab::arena::{Arena, Place, Staged};
use yomi_lab::budget::Budget;
use yomi_lab::config::PlayerConfig;
use yomi_lab::experiment::desk::{Desk, Measured};
use yomi_lab::experiment::directory::{Circumstances, Directory, Manifest};
use yomi_lab::experiment::kinds::match_table::GameMeasurement;
use yomi_lab::experiment::kinds::{learning_curve, match_table};
use yomi_lab::experiment::report::Report;
use yomi_lab::experiment::run::{check, run};
use yomi_lab::experiment::worker::{Order, answer, is_order, orders};
use yomi_lab::experiment::workshop::Version;
use yomi_lab::experiment::{ExperimentPlan, Factory, Failure, Job, Measurement, Part, Row, Task, Workshop, library};
use yomi_lab::ledger::Ledger;
use yomi_lab::player::{Fault, Player};
use yomi_lab::players::Searcher;
use yomi_lab::runner::{Controls, RunEnd};
use yomi_lab::worker::serve;
use yomi_players::Playable;
use yomi_search::{Limits, Search};

/// Toy games and minishogi. It stops after this many jobs, as if the plug had been pulled.
struct Toys {
    jobs_left: AtomicUsize,
    stop: Arc<AtomicBool>,
}

impl Toys {
    fn tireless() -> Toys {
        Toys { jobs_left: AtomicUsize::new(usize::MAX), stop: Arc::default() }
    }
}

/// `search + evaluator key=value …`.
fn parse(player: &str) -> Result<(Spec, Option<Spec>, Budget), TextError> {
    let (search, at) = Spec::parse_prefix(player)?;
    let rest = player[at..].trim();
    let (evaluator, words) = match rest.strip_prefix('+') {
        Some(rest) => {
            let rest = rest.trim_start();
            let (spec, end) = Spec::parse_prefix(rest)?;
            (Some(spec), rest[end..].trim())
        }
        None => (None, rest),
    };
    let mut budget = Budget::default();
    for word in words.split_whitespace() {
        let (key, value) = word.split_once('=').ok_or_else(|| TextError::new(word))?;
        let number = value.parse().map_err(|_| TextError::new(word))?;
        match key {
            "sims" => budget.sims = Some(number),
            "evals" => budget.evals = Some(number),
            "nodes" => budget.nodes = Some(number),
            _ => return Err(TextError::new(format!("{word} is no budget"))),
        }
    }
    Ok((search, evaluator, budget))
}

struct Typed;

impl<P: Playable + Notation + Draw> Factory<P> for Typed {
    fn search(
        &self,
        player: &str,
        observer: &mut dyn FnMut(AnyEvaluator<P>) -> AnyEvaluator<P>,
    ) -> Result<(Box<dyn Search<P>>, Limits), TextError> {
        let (search, evaluator, budget) = parse(player)?;
        let evaluator = observer(P::evaluator(&search, evaluator.as_ref())?);
        let limits = budget.limits(yomi_core::Seed::new(0));
        if !yomi_players::bounds(&search).ends(&limits) {
            return Err(TextError::new(format!("{player} would think for ever")));
        }
        Ok((P::build_with(&search, evaluator)?, limits))
    }

    fn evaluator(&self, spec: &str) -> Result<AnyEvaluator<P>, TextError> {
        P::evaluator(&Spec::named("greedy"), Some(&spec.parse()?))
    }
}

fn build<P: Playable + Game>(config: &PlayerConfig, _place: &Place) -> Result<Box<dyn Player<P>>, Fault> {
    let unavailable = |error: TextError| Fault::Unavailable { why: error.to_string() };
    let (search, evaluator, _) = parse(&config.spec).map_err(unavailable)?;
    let search = P::build(&search, evaluator.as_ref()).map_err(unavailable)?;
    Ok(Box::new(Searcher::new(config.name.clone(), search)))
}

/// Where games are played, and where other things are measured.
type Places = (Box<dyn Arena>, Box<dyn Desk>);

fn of_game<P: Playable + Staged + Measured>(start: P) -> Places {
    (start.clone().arena(Box::new(build::<P>)), start.desk(Box::new(Typed)))
}

fn game(name: &str) -> Result<Places, TextError> {
    let spec: Spec = name.parse()?;
    Ok(match spec.name.as_str() {
        "nim" => of_game(Nim::start(&spec)?),
        "tic-tac-toe" => of_game(TicTacToe::start(&spec)?),
        "connect-four" => of_game(ConnectFour::start(&spec)?),
        "minishogi" => of_game(Minishogi::start(&spec)?),
        _ => return Err(TextError::new(format!("{name} is no game here"))),
    })
}

fn player(text: &str) -> Result<PlayerConfig, TextError> {
    let (_, _, budget) = parse(text)?;
    let words =
        text.split_whitespace().filter(|word| !["sims=", "evals=", "nodes="].iter().any(|k| word.starts_with(k)));
    Ok(PlayerConfig { name: text.to_string(), spec: words.collect::<Vec<_>>().join(" "), budget })
}

impl Workshop for Toys {
    fn check(&self, task: &Task) -> Result<(), TextError> {
        match task {
            Task::Game(task) => {
                let arena = game(&task.game)?.0;
                task.players.iter().try_for_each(|text| {
                    arena.identify(&player(text)?).map(drop).map_err(|fault| TextError::new(fault.to_string()))
                })
            }
            Task::Series(_) => Ok(()),
            task => game(task.game().unwrap())?.1.check(task),
        }
    }

    fn work(&self, job: &Job, stop: &Arc<AtomicBool>) -> Result<Measurement, Failure> {
        if self.jobs_left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_sub(1)).is_err() {
            self.stop.store(true, Ordering::Relaxed);
            return Err(Failure::Stopped);
        }
        match &job.work {
            Task::Series(task) => learning_curve::measure(task).map(Measurement::Series),
            Task::Game(task) => {
                let players = [player(&task.players[0])?, player(&task.players[1])?];
                match_table::measure(task, &*game(&task.game)?.0, players, job, stop).map(Measurement::Game)
            }
            task => game(task.game().unwrap())?.1.measure(job),
        }
    }

    fn arena(&self, name: &str) -> Result<Box<dyn Arena>, TextError> {
        Ok(game(name)?.0)
    }

    fn version(&self) -> Version {
        Version { program: "toys 1".to_string(), bench: 1_234_567, build: "commit 0abcdef".to_string() }
    }
}

/// A directory of its own under the target directory.
fn fresh(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&path);
    path
}

const EVERY_KIND: &str = r#"
name = "every-kind"
title = "Every <kind> & more"
paper = "S9"
question = "Does it run?"
note = ["A note with <angle brackets> & an ampersand."]

[[match-table]]
title = "Nim"
game = "nim"
games = 6
opponent = "random"
opening = "start"
rows = [
  { label = "uct", player = "uct + rollout sims=30", published = { wins = 95, losses = 5 } },
  { label = "random", player = "random" },
]

[[sweep]]
title = "Temperatures in minishogi"
game = "minishogi"
games = 2
player = "mcss(t={t}) + quiet(material)"
opponent = "random"
budget = "evals=60"
move-limit = 60
level = "open"
claims = [{ says = "The best lies inside.", peak = ["t=20", "t=40", "t=80"] }, { says = "Colder is better.", more = "t=20", than = "t=160" }]
axes = [{ name = "t", values = [20.0, 40.0, 80.0, 160.0], log = true }]
published = [{ at = { t = 40.0 }, result = { wins = 647, losses = 296, rate = 0.686 } }]

[[tree-profile]]
title = "Trees of minishogi"
game = "minishogi"
records = 1
recorded-by = "mcss(t=60) + quiet(material) evals=60"
positions = 3
budget = "nodes=3000"
claims = [{ says = "lower temperatures go deeper", increasing = ["hot", "cold"] }]
curves = [
  { label = "hot", player = "mcss(t=400) + quiet(material)" },
  { label = "cold", player = "mcss(t=5) + quiet(material)" },
]

[[prediction-error]]
title = "Few playouts predict many"
game = "connect-four"
plies = [2, 4]
positions = 12
reference = "rollout(n=60)"
claims = [{ says = "more is better", increasing = ["16", "1"] }]
published = [{ label = "1", value = 0.3 }]
curves = [{ label = "1", evaluator = "rollout(n=1)" }, { label = "16", evaluator = "rollout(n=16)" }]

[[duplicates]]
title = "Repeated positions"
game = "connect-four"
place = { moves = "4 4 3" }
searches = 2
plies = 3
top = 5
budget = "sims=60"
curves = [{ label = "uct", player = "uct(after=30) + rollout" }]

[[tabu-candidates]]
title = "Nobody counts"
game = "connect-four"
place = { random-plies = 4, moves-before = 4 }
searches = 2
player = "uct(after={l}) + rollout"
lengths = [1, 2]
plies = 3
board = 19
budget = "sims=20"
published-playouts = 20
published = [375, 685]

[[step-timing]]
title = "Time"
game = "tic-tac-toe"
place = { random-plies = 2, moves-before = 2, each = true }
repetitions = 8
baseline = "few"
claims = [{ says = "more takes longer", increasing = ["few", "many"] }]
curves = [
  { label = "few", player = "uct(solver=off) + rollout sims=20" },
  { label = "many", player = "uct(solver=off) + rollout sims=4000" },
]

[[learning-curve]]
title = "A learner"
x = { label = "update" }
y = { label = "loss", log = true }
claims = [{ says = "it falls below a tenth", below = 0.1 }, { says = "it vanishes", below = 0.001 }]
series = [{ label = "loss", file = "LEARNER", x = "/update", y = "/loss" }]

[[suite]]
title = "Problems of tic-tac-toe"
game = "tic-tac-toe"
budgets = ["sims=4", "sims=400"]
curves = [{ label = "uct", player = "uct + rollout" }, { label = "random", player = "random" }]
problems = [{ name = "win at once", moves = "1 4 2 5", best = ["3"] }, { name = "do not lose", moves = "5 1", avoid = ["9"] }]
"#;

fn every_kind(directory: &Path) -> ExperimentPlan {
    let learner = directory.with_extension("jsonl");
    let lines: String = (1..50).map(|i| format!("{{\"update\":{i},\"loss\":{}}}\n", 1.0 / f64::from(i))).collect();
    std::fs::write(&learner, format!("{{\"type\":\"head\"}}\n{lines}")).unwrap();
    let text = EVERY_KIND.replace("LEARNER", learner.to_str().unwrap());
    ExperimentPlan::new(library::parse(&text).unwrap(), 1.0, 5).unwrap()
}

fn finish(plan: &ExperimentPlan, path: &Path, workshop: &Toys, threads: usize) -> (Directory, RunEnd) {
    check(plan, workshop).unwrap();
    let directory = Directory::create(path, plan, &workshop.version(), &Circumstances::default()).unwrap();
    let controls = Controls { stop: workshop.stop.clone(), ..Controls::default() };
    let end = run(plan, workshop, &directory, threads, &controls, &mut ()).unwrap();
    (directory, end)
}

fn ledger(directory: &Directory) -> Vec<Row> {
    let mut rows: Vec<Row> = directory.rows().unwrap().iter().map(Row::reproducible).collect();
    rows.sort_by_key(|row| (row.part, row.index));
    rows
}

/// Every kind runs and is reported; the page is well-formed and fetches nothing.
#[test]
fn every_kind_from_file_to_report() {
    let path = fresh("every-kind");
    let plan = every_kind(&path);
    let (directory, end) = finish(&plan, &path, &Toys::tireless(), 2);
    assert_eq!(end, RunEnd::Complete);
    let (_, plan, manifest) = Directory::open(&path).unwrap();
    let report = Report::new(&plan, &manifest, &directory).unwrap();
    report.write(&directory, &Toys::tireless()).unwrap();
    let read = |name: &str| std::fs::read_to_string(path.join(name)).unwrap();

    let page = read("report.html");
    let options = roxmltree::ParsingOptions { allow_dtd: true, ..roxmltree::ParsingOptions::default() };
    let document = roxmltree::Document::parse_with_options(&page, options).unwrap();
    let tags = |tag: &str| document.descendants().filter(|node| node.has_tag_name(tag)).count();
    assert_eq!(tags("section"), plan.experiment.parts.len() + 1);
    assert!(document.descendants().any(|node| node.text() == Some("Every <kind> & more")));
    for attribute in document.descendants().flat_map(|node| node.attributes()) {
        let outside = ["src", "href", "data"].contains(&attribute.name()) && !attribute.value().starts_with('#');
        assert!(!outside, "{} = {}", attribute.name(), attribute.value());
    }
    for word in ["src=", "@import", "url(http", "https:"] {
        assert!(!page.contains(word), "{word}");
    }
    numbers_agree(&document);
    assert!(document.descendants().any(|node| node.has_tag_name("footer") && node.text() == Some("commit 0abcdef")));
    let pictures = document.descendants().filter(|node| node.tag_name().name() == "svg").count();
    assert!(pictures >= 8 + 6, "charts of all parts and some boards: {pictures}");

    let text = read("report.md");
    for words in ["Every &lt;kind> & more", "## Nim", "| uct |", "plots/trees-of-minishogi.svg", "Holm", "1234567"] {
        assert!(text.contains(words), "{words}\n{text}");
    }
    let summary: serde_json::Value = serde_json::from_str(&read("summary.json")).unwrap();
    assert_eq!(summary["jobs_done"], summary["jobs"]);
    assert_eq!(summary["parts"].as_array().unwrap().len(), 9);
    assert_eq!(summary["parts"][1]["claims"][0]["verdict"], "not-significant", "{summary}");
    assert_eq!(summary["parts"][8]["rows"][0]["solved"][1]["rate"], 1.0, "{summary}");
    assert!(page.contains("class=\"to-games\" href=\"#games-stage-0\" data-row=\"1\""));
    assert_eq!(summary["parts"][6]["claims"][0]["judgement"]["verdict"], "agrees", "{summary}");
    let ends = |claim: usize| summary["parts"][7]["claims"][claim]["verdict"].as_str();
    assert_eq!([ends(0), ends(1)], [Some("agrees"), Some("differs")], "{summary}");
    assert!(text.contains("one run, no interval") && text.contains("below 0.001"), "{text}");
    assert!(
        summary["parts"][2]["rows"][1]["mean_depth"].as_f64() > summary["parts"][2]["rows"][0]["mean_depth"].as_f64()
    );
    assert!(std::fs::read_dir(path.join("plots")).unwrap().count() >= 14);
}

/// The measured rates of the first table and of its chart are the same numbers, in percent.
fn numbers_agree(page: &roxmltree::Document<'_>) {
    let section = page.descendants().find(|node| node.attribute("id") == Some("part-1")).unwrap();
    let cells = |row: roxmltree::Node<'_, '_>| -> Vec<String> {
        let texts = |cell: roxmltree::Node<'_, '_>| cell.descendants().filter_map(|n| n.text()).collect::<String>();
        row.children().filter(|cell| cell.has_tag_name("td")).map(texts).collect()
    };
    // Other tables of the part follow.
    let table = section.descendants().find(|node| node.has_tag_name("tbody")).unwrap();
    let rows: Vec<Vec<String>> = table.descendants().filter(|n| n.has_tag_name("tr")).map(cells).collect();
    let svg = "http://www.w3.org/2000/svg";
    let drawn: Vec<String> = section
        .descendants()
        .filter(|node| node.has_tag_name((svg, "circle")) && node.attribute("class").is_none())
        .filter_map(|node| Some(format!("{:.1}", node.attribute("data-y")?.parse::<f64>().ok()?)))
        .collect();
    let measured: Vec<String> = rows.iter().map(|row| row[3].split(' ').next().unwrap().to_string()).collect();
    assert_eq!((measured.len(), &measured), (2, &drawn));
    for number in rows.iter().flat_map(|row| row[3].split(['[', ']', ',', ' '])).filter_map(|w| w.parse::<f64>().ok()) {
        assert!((0.0..=100.0).contains(&number), "{number}");
    }
}

/// Whenever the plug is pulled, going on gives the ledger of an uninterrupted run; torn lines are cut off.
#[test]
fn a_run_that_was_broken_off_ends_as_one_that_was_not() {
    let whole = fresh("whole");
    let plan = every_kind(&whole);
    let (directory, _) = finish(&plan, &whole, &Toys::tireless(), 1);
    let expected = ledger(&directory);
    for jobs in [0, 1, 7, 20] {
        let path = fresh(&format!("broken-{jobs}"));
        let tired = Toys { jobs_left: AtomicUsize::new(jobs), stop: Arc::default() };
        let (directory, end) = finish(&plan, &path, &tired, 2);
        // A game that was being played when the plug was pulled is lost.
        assert!(end == RunEnd::Interrupted && ledger(&directory).len() <= jobs);
        let file = path.join("ledger.jsonl");
        let mut bytes = std::fs::read(&file).unwrap();
        bytes.extend(b"{\"part\":0,\"hash\":\"");
        std::fs::write(&file, bytes).unwrap();
        let (directory, end) = finish(&plan, &path, &Toys::tireless(), 2);
        assert_eq!(end, RunEnd::Complete);
        assert_eq!(ledger(&directory), expected);
    }
}

/// A run that was broken off has something of every part that does not wait for a quiet machine, in proportion.
#[test]
fn all_parts_advance_together() {
    let path = fresh("together");
    let plan = every_kind(&path);
    let count = |of: &dyn Fn(usize) -> bool| {
        plan.jobs().unwrap().iter().filter(|job| of(job.part) && !job.work.wants_quiet()).count()
    };
    let half = count(&|_| true) / 2;
    let tired = Toys { jobs_left: AtomicUsize::new(half), stop: Arc::default() };
    let (directory, _) = finish(&plan, &path, &tired, 1);
    let rows = ledger(&directory);
    assert!(rows.len() + 1 >= half, "{} of {half}", rows.len());
    for part in 0..plan.experiment.parts.len() {
        let (done, all) = (rows.iter().filter(|row| row.part == part).count(), count(&|p| p == part));
        assert!((2 * done).abs_diff(all) <= 2, "part {part}: {done} of {all}");
    }
}

/// A game is over once a player has said for long enough that it is losing.
#[test]
fn lost_games_are_given_up() {
    let path = fresh("given-up");
    let first_part = &EVERY_KIND[..EVERY_KIND.find("[[sweep]]").unwrap()];
    let with = |rule: &str| first_part.replacen("games = 6", &format!("games = 6\nresign = \"{rule}\""), 1);
    assert!(library::parse(&with("score=-1")).is_err() && library::parse(&with("moves=3")).is_err());
    let plan = ExperimentPlan::new(library::parse(&with("score=0,moves=1")).unwrap(), 1.0, 5).unwrap();
    let (directory, _) = finish(&plan, &path, &Toys::tireless(), 1);
    let reasons: Vec<String> = (ledger(&directory).into_iter())
        .filter_map(|row| if let Measurement::Game(game) = row.measurement { Some(game.reason) } else { None })
        .collect();
    assert!(reasons.iter().any(|reason| reason == "adjudicated"), "{reasons:?}");
}

/// A longer run keeps the games of a shorter one; another seed or another program is refused.
#[test]
fn runs_can_be_made_longer_and_nothing_else() {
    let path = fresh("longer");
    let short = ExperimentPlan::new(every_kind(&path).experiment, 0.4, 5).unwrap();
    let (directory, _) = finish(&short, &path, &Toys::tireless(), 1);
    let before = ledger(&directory);
    let long = ExperimentPlan::new(short.experiment.clone(), 1.0, 5).unwrap();
    let (directory, _) = finish(&long, &path, &Toys::tireless(), 1);
    let after = ledger(&directory);
    let games = |rows: &[Row]| rows.iter().filter(|row| matches!(row.measurement, Measurement::Game(_))).count();
    assert!(games(&after) > games(&before));
    assert!(before.iter().filter(|row| row.part == 0).all(|row| after.contains(row)));
    let other_seed = ExperimentPlan::new(short.experiment.clone(), 1.0, 6).unwrap();
    assert!(Directory::create(&path, &other_seed, &Toys::tireless().version(), &Circumstances::default()).is_err());
    let other_program = Version { bench: 7, ..Toys::tireless().version() };
    let error = Directory::create(&path, &long, &other_program, &Circumstances::default()).unwrap_err().to_string();
    assert!(error.contains("signature 1234567"), "{error}");
}

/// What cannot be had is an error before anything runs.
#[test]
fn missing_players_are_found_before_the_first_game() {
    for (from, to, says) in [
        ("uct + rollout sims=30", "uctt + rollout sims=30", "uctt"),
        ("recorded-by = \"mcss(t=60) + quiet(material) evals=60\"", "recorded-by = \"mcss(t=60)\"", "for ever"),
        ("game = \"tic-tac-toe\"", "game = \"checkers\"", "checkers"),
        ("evaluator = \"rollout(n=16)\"", "evaluator = \"oracle\"", "oracle"),
    ] {
        assert!(EVERY_KIND.contains(from), "{from}");
        let plan = ExperimentPlan::new(library::parse(&EVERY_KIND.replacen(from, to, 1)).unwrap(), 1.0, 1).unwrap();
        let error = check(&plan, &Toys::tireless()).unwrap_err();
        assert!(error.message.contains(says) && error.message.contains("every-kind, part"), "{error}");
    }
}

/// What a worker answers is what a run writes down; other builds and nonsense are refused.
#[test]
fn workers_answer_with_lines_of_the_ledger() {
    let path = fresh("workers");
    let plan = every_kind(&path);
    let (directory, _) = finish(&plan, &path, &Toys::tireless(), 1);
    let orders = orders(&plan, 1_234_567).unwrap();
    let line = |order: &Order| serde_json::to_string(order).unwrap() + "\n";
    let mut input: String = orders.iter().take(20).map(line).collect();
    input += "{\"work\":1}\n\n";
    input += &line(&Order { signature: 7, ..orders[0].clone() });
    input += "nonsense\n";
    let mut output = Vec::new();
    let toys = Toys::tireless();
    let other = |line: &[u8]| is_order(line).then(|| answer(line, &toys));
    let open = |name: &str| game(name).map(|(arena, _)| arena);
    serve(&mut input.as_bytes(), &mut output, 1_234_567, &open, &other).unwrap();
    let answers: Vec<&str> = std::str::from_utf8(&output).unwrap().lines().collect();
    assert_eq!(answers.len(), 23);
    let expected = ledger(&directory);
    for answer in &answers[..20] {
        assert!(expected.contains(&serde_json::from_str::<Row>(answer).unwrap().reproducible()), "{answer}");
    }
    assert!(answers[20].contains("no job") && answers[21].contains("signature 7"), "{answers:?}");
    assert!(answers[22].contains("error"), "{}", answers[22]);
}

/// A ledger by hand: 60 wins and 40 losses against published 540 of 1000 is nothing, 10 of 100 is a difference, 5400 of 10000 agrees.
#[test]
fn verdicts_of_a_ledger_made_by_hand() {
    let text = r#"
name = "by-hand"
title = "By hand"
question = "?"
[[match-table]]
title = "By hand"
game = "nim"
games = 100
opponent = "random"
margin = 0.15
rows = [
  { label = "open", player = "random", published = { wins = 54, losses = 46 } },
  { label = "differs", player = "random", published = { wins = 540, losses = 460 } },
  { label = "agrees", player = "random", published = { wins = 5400, losses = 4600 } },
]
"#;
    let plan = ExperimentPlan::new(library::parse(text).unwrap(), 1.0, 1).unwrap();
    let path = fresh("by-hand");
    let directory = Directory::create(&path, &plan, &Toys::tireless().version(), &Circumstances::default()).unwrap();
    let (mut ledger, rows): (Ledger, Vec<Row>) = directory.ledger().unwrap();
    assert!(rows.is_empty());
    for job in plan.jobs().unwrap() {
        let (row, game) = (job.index % 3, job.index / 3);
        let score = f64::from(u8::from(game < [60, 10, 52][row as usize]));
        let game = GameMeasurement {
            score,
            first: game % 2 == 0,
            reason: "normal".to_string(),
            detail: String::new(),
            start: None,
            moves: vec![game.to_string()],
            nodes: [0; 2],
            ms: [1.0, 2.0],
            made: [0; 2],
            sims: [0; 2],
            evals: [0; 2],
            cpu_ms: [0.0; 2],
            identity: String::new(),
        };
        ledger.append(&Row::of(&job, Measurement::Game(game))).unwrap();
    }
    drop(ledger);
    let (directory, plan, manifest): (Directory, ExperimentPlan, Manifest) = Directory::open(&path).unwrap();
    let report = Report::new(&plan, &manifest, &directory).unwrap();
    let summary = report.summary();
    let rows = summary["parts"][0]["rows"].as_array().unwrap();
    let verdict = |i: usize| rows[i]["judgement"]["verdict"].as_str().unwrap().to_string();
    assert_eq!([verdict(0), verdict(1), verdict(2)], ["not-significant", "differs", "agrees"]);
    assert_eq!((rows[0]["wins"].as_u64(), rows[1]["losses"].as_u64()), (Some(60), Some(90)));
    // The design effect of a hundred independent games is 100/99: 59 of 99 are left. scipy's chi2_contingency([[54,46],[59,40]],
    // correction=False) gives p = 0.42559.
    let p = rows[0]["judgement"]["p"].as_f64().unwrap();
    assert!((p - 0.42559).abs() < 1e-4, "{p}");
    assert_eq!(report.verdicts(), [1, 1, 1]);
}

/// S2.7 as data: every published row gives its printed rate, p-value and interval by our tests.
#[test]
fn the_published_rows_of_s2_table2_reproduce_themselves() {
    let Some(found) = library::find("s2-table2") else { panic!("s2-table2 is part of the library") };
    let mut seen = 0;
    for part in &found.unwrap().parts {
        let Part::MatchTable(table) = part else { continue };
        for published in table.rows.iter().filter_map(|row| row.published.as_ref()).filter(|p| p.p.is_some()) {
            let rate = published.proportion().unwrap();
            assert_eq!(published.misprint(), None);
            assert_eq!(format!("{:.3}", rate.exact_test(0.5)), format!("{:.3}", published.p.unwrap()));
            let interval = rate.clopper_pearson(yomi_lab::statistics::Level::P95);
            let [low, high] = published.interval.unwrap();
            assert!((interval.low - low).abs() < 6e-4 && (interval.high - high).abs() < 6e-4, "{interval:?}");
            seen += 1;
        }
    }
    assert_eq!(seen, 5);
}

/// S0 table 2 stands as it was printed, and what contradicts itself is flagged.
#[test]
fn the_misprints_of_s0_table2_are_kept_and_flagged() {
    let experiment = library::find("s0-table2").unwrap().unwrap();
    let Part::MatchTable(table) = &experiment.parts[0] else { panic!("a match table") };
    let flagged: Vec<&str> = table
        .rows
        .iter()
        .filter(|row| row.published.as_ref().is_some_and(|p| p.misprint().is_some()))
        .map(|row| row.label.as_str())
        .collect();
    assert_eq!(flagged, ["T'=80", "T'=120, 16 threads", "T'=40, 16 threads"]);
    let printed = table.rows[1].published.as_ref().unwrap();
    assert_eq!((printed.wins, printed.losses, printed.rate), (Some(635), Some(132), Some(0.649)));
}
