//! A finished game: every search that can be typed, with every wrapper, gives the same answer.

use std::time::Duration;

use yomi_core::{Evaluator as _, Line, Notation, Position, Seed, Spec};
use yomi_games::blokus::BlokusDuo;
use yomi_games::go::{Go9, Rules};
use yomi_games::shogi::Shogi9;
use yomi_players::{Playable, search_names};
use yomi_search::{Ended, Limits, Proof, Verdict};

/// Wrappers that are of some games alone: the game, and what stands inside the brackets.
const OF_ONE_GAME: &[(&str, &str, &str)] = &[
    ("mate-first", "shogi", "greedy"),
    ("book", "shogi", "greedy,file=BOOK"),
    ("endgame-first", "blokus-duo", "greedy"),
    ("break-symmetry", "blokus-duo", "greedy"),
];

/// The search as it is typed in this game; none if it is of another.
fn typed<P: Notation>(name: &str, book: &str) -> Option<String> {
    if let Some((_, game, inside)) = OF_ONE_GAME.iter().find(|(wrapper, ..)| *wrapper == name) {
        return (*game == P::NAME).then(|| format!("{name}({})", inside.replace("BOOK", &format!("\"{book}\""))));
    }
    match name {
        // It attaches a program: a player of matches.
        "knowledge" => None,
        "weakened" => Some("weakened(greedy,values=1,random=0.5)".to_string()),
        "flat" | "greedy" | "random" => Some(name.to_string()),
        _ => Some(format!("{name}(hash=1)")),
    }
}

/// Asks every search about a game that is over. `value` is what the end is worth to the side to move, a win being 1.
fn answers<P: Playable + Notation>(line: &Line<P>, book: &str, value: f32, proof: Proof) -> Vec<&'static str> {
    let limits = Limits { nodes: Some(1000), ..Limits::simulations(20).seeded(Seed::new(1)) };
    let mut asked = Vec::new();
    for name in search_names() {
        let Some(text) = typed::<P>(name, book) else { continue };
        let spec = Spec::parse(&text).expect("a search");
        let evaluator = P::evaluator(&spec, None).expect("an evaluation");
        // Flat Monte Carlo and random moves count results, everything else counts as its evaluation does.
        let win = if ["flat", "random"].contains(&name) { 1.0 } else { evaluator.win() };
        let mut search = P::build_with(&spec, evaluator).unwrap_or_else(|error| panic!("{text}: {error}"));
        let verdict = Verdict { elapsed: Duration::ZERO, ..search.search(line, &limits, &mut ()) };
        let expected =
            Verdict { value: win * value, proof: Some(proof), ended: Some(Ended::GameOver), ..Verdict::empty() };
        assert_eq!(verdict, expected, "{text} on {}", P::NAME);
        asked.push(name);
    }
    asked
}

/// The game after these moves, which end it.
fn after<P: Position + Notation>(start: P, moves: &[&str]) -> Line<P> {
    let mut line = Line::new(start);
    for (i, text) in moves.iter().enumerate() {
        assert!(line.generate(&mut Vec::new()).is_none(), "{i} moves");
        line.play(line.position().parse_move(text).expect("a legal move"));
    }
    assert!(line.generate(&mut Vec::new()).is_some(), "the game is over");
    line
}

#[test]
fn every_search_answers_a_finished_game_alike() {
    // Mate is at hand and the book knows it, but the position has come back for the fourth time: the game is drawn.
    let sfen = "4k4/9/4P4/9/9/9/9/9/4K4 b G 1";
    let book = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("finished.db");
    std::fs::write(&book, format!("#YANEURAOU-DB2016 1.00\nsfen {sfen}\nG*5b none 30000 1 1\n")).expect("a file");
    let book = book.to_str().expect("UTF-8");
    let start = Shogi9::from_sfen(sfen).expect("a position");
    let round = ["5i5h", "5a4a", "5h5i", "4a5a"];
    let drawn = after(start, &round.repeat(3));
    let mut asked = answers(&drawn, book, 0.0, Proof::Draw);
    let first = |text: &str| {
        let spec = Spec::parse(text).expect("a search");
        let mut search = Shogi9::build(&spec, None).expect("a search");
        search.search(&Line::new(start), &Limits::nodes(1000), &mut ()).best
    };
    let mate = start.parse_move("G*5b").ok();
    assert_eq!(first(&format!("book(random,file=\"{book}\")")), mate, "the book knows the position");
    assert_eq!(first("mate-first(random)"), mate, "there is a mate");

    asked.extend(answers(&after(start, &["G*5b"]), book, -1.0, Proof::Loss(0)));

    // White to move: the whole board is Black's.
    let go = Go9::new(5, Rules::default()).expect("a board");
    asked.extend(answers(&after(go, &["C3", "pass", "pass"]), book, -1.0, Proof::Loss(0)));

    let mut line = Line::new(BlokusDuo::default());
    let (mut moves, mut rng) = (Vec::new(), Seed::new(4).rng());
    let outcome = loop {
        match line.generate(&mut moves) {
            Some(outcome) => break outcome,
            None => line.play(moves[rng.below(moves.len())]),
        }
    };
    let value = outcome.value_for(line.position().turn(), 1.0);
    let proof = if value > 0.0 { Proof::Win(0) } else { Proof::Loss(0) };
    assert_ne!(value, 0.0, "another seed: this game is drawn");
    asked.extend(answers(&line, book, value, proof));

    let missing: Vec<&str> = search_names().filter(|name| !asked.contains(name)).collect();
    assert_eq!(missing, ["knowledge"], "every search was asked in some game");
}
