//! Lets a foreign program play one game against random moves, and prints the dialogue:
//! `cargo run -p yomi-protocol --example talk -- minishogi black "usi:fairy-stockfish" nodes=500`.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example shows what happens")]

use std::error::Error;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use yomi_core::{Color, Line, Notation, Rng, Seed, Spec};
use yomi_games::blokus::BlokusDuo;
use yomi_games::go::{Go9, Go19};
use yomi_games::shogi::{Minishogi, Shogi9};
use yomi_protocol::client::{Action, Launch, Question, Setup};

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [game, color, launch, limits @ ..] = &args[..] else { return Err("GAME black|white COMMAND [LIMITS]".into()) };
    let color = if color == "white" { Color::White } else { Color::Black };
    let launch: Launch = launch.parse()?;
    match game.as_str() {
        "shogi" => play::<Shogi9>(game, color, &launch, limits),
        "minishogi" => play::<Minishogi>(game, color, &launch, limits),
        "go9" => play::<Go9>(game, color, &launch, limits),
        "go19" => play::<Go19>(game, color, &launch, limits),
        "blokus-duo" => play::<BlokusDuo>(game, color, &launch, limits),
        _ => Err("shogi, minishogi, go9, go19 or blokus-duo".into()),
    }
}

fn play<P: Notation>(game: &str, color: Color, launch: &Launch, limits: &[String]) -> Result<(), Box<dyn Error>> {
    let start = P::start(&Spec::parse(game)?)?;
    let limit = |key: &str| limits.iter().find_map(|text| text.strip_prefix(key)?.strip_prefix('='));
    let stop = AtomicBool::new(false);
    let mut engine = launch.start(Some(Box::new(std::io::stderr())))?;
    println!("{}", engine.name());
    engine.new_game(&Setup {
        family: P::NAME.to_string(),
        game: Spec::parse(game)?.name,
        rules: start.rules(),
        position: start.position_text(),
        standard: true,
        first: start.turn(),
        color,
        seed: 1,
    })?;
    let mut rng: Rng = Seed::new(1).rng();
    let (mut line, mut texts, mut moves) = (Line::new(start), Vec::new(), Vec::new());
    let outcome = loop {
        if let Some(outcome) = line.generate(&mut moves) {
            break format!("{outcome:?}");
        }
        let turn = line.position().turn();
        let mv = if turn == color {
            let question = Question {
                moves: &texts,
                turn,
                nodes: limit("nodes").map(str::parse).transpose()?,
                depth: limit("depth").map(str::parse).transpose()?,
                time: limit("time").map(str::parse).transpose()?.map(Duration::from_secs_f64),
                clocks: None,
                grace: Duration::ZERO,
                stop: &stop,
            };
            match engine.think(&question)?.action {
                Action::Move(text) => line.position().parse_move(&text)?,
                other => break format!("{other:?} by the engine"),
            }
        } else {
            moves[rng.below(moves.len())]
        };
        if !line.is_legal(mv) {
            break format!("{} is forbidden by what was before", line.position().move_text(mv));
        }
        texts.push(line.position().move_text(mv));
        line.play(mv);
    };
    println!(
        "{} plies: {}\n{outcome} {}",
        texts.len(),
        texts.join(" "),
        line.position().score_text().unwrap_or_default()
    );
    engine.game_over(None)?;
    println!("leaving: {:?}", engine.quit().map_err(|fault| fault.to_string()));
    Ok(())
}
