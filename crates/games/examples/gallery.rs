//! Draws the boards of the README: `cargo run --release -p yomi-games --example gallery -- docs/img`.
//!
//! What the arrows and the heat say is measured here, by random games from the position: real numbers of a weak player.

#![allow(clippy::print_stdout)]

use std::fs;
use std::path::Path;

use yomi_core::policy::play_out;
use yomi_core::{Notation, Outcome, Position, Seed, Simulate, Spec, Uniform};
use yomi_games::blokus::BlokusDuo;
use yomi_games::draw::{self, Draw, Marks, Picture, SvgOptions, svg};
use yomi_games::go::{Go9, Go19, GoMove, Rules};
use yomi_games::shogi::{Minishogi, Shogi9};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "docs/img".to_string());
    fs::create_dir_all(&folder)?;
    let pictures: [(&str, Picture); 5] =
        [("shogi", shogi()?), ("minishogi", minishogi()), ("go9", go9()?), ("go19", go19()?), ("blokus", blokus())];
    for (name, picture) in pictures {
        let text = svg(&picture, &SvgOptions::default());
        let path = Path::new(&folder).join(format!("{name}.svg"));
        println!("{} {} bytes", path.display(), text.len());
        fs::write(path, text)?;
    }
    Ok(())
}

/// The share of random games that the side to move wins after each of its moves, the best first.
fn win_rates<P: Simulate>(position: &P, games: u32, seed: u64) -> Vec<(P::Move, f32)> {
    let mut rng = Seed::new(seed).rng();
    let mut sampler = P::Sampler::default();
    let mut moves = Vec::new();
    position.generate(&mut moves);
    let mut rates: Vec<(P::Move, f32)> = Vec::new();
    for &mv in &moves {
        let mut wins = 0.0;
        for _ in 0..games {
            let mut copy = position.clone();
            copy.play(mv);
            wins += match play_out(&mut copy, 0, &Uniform, &mut rng, &mut sampler).0 {
                Outcome::Win(side) if side == position.turn() => 1.0,
                Outcome::Win(_) => 0.0,
                Outcome::Draw => 0.5,
            };
        }
        rates.push((mv, wins / games as f32));
    }
    rates.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    rates
}

/// How likely a Boltzmann choice of temperature `t` takes each move.
fn boltzmann<M: Copy>(rates: &[(M, f32)], t: f32) -> Vec<(M, f32)> {
    let best = rates.iter().map(|r| r.1).fold(0.0, f32::max);
    let weight = |rate: f32| ((rate - best) / t).exp();
    let sum: f32 = rates.iter().map(|r| weight(r.1)).sum();
    rates.iter().map(|&(mv, rate)| (mv, weight(rate) / sum)).collect()
}

/// Arrows for the best moves: as wide as they are likely to be chosen, labelled with what they won.
fn arrows<M: Copy>(mut marks: Marks<M>, rates: &[(M, f32)], shown: usize) -> Marks<M> {
    let likely = boltzmann(&rates[..shown.min(rates.len())], 0.02);
    let most = likely.iter().map(|l| l.1).fold(0.0, f32::max);
    for (&(mv, rate), (_, likely)) in rates.iter().zip(&likely) {
        marks = marks.arrow(mv, likely / most, format!("{:.0}%", 100.0 * rate));
    }
    marks
}

/// What random games think of a position that programs have been tested with for decades.
fn shogi() -> Result<Picture, Box<dyn std::error::Error>> {
    let position = Shogi9::from_sfen("l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1")?;
    let rates = win_rates(&position, 300, 1);
    Ok(position.picture(&arrows(Marks::new(), &rates, 4)))
}

/// A game of two players who trust random games.
fn minishogi() -> Picture {
    let mut position = Minishogi::default();
    let mut marks = Marks::new();
    for ply in 0..8 {
        if let Some((mv, _)) = win_rates(&position, 200, ply).first() {
            position.play(*mv);
            marks.last = Some(*mv);
        }
    }
    position.picture(&arrows(marks, &win_rates(&position, 500, 8), 3))
}

/// Where a Boltzmann choice over random games would play after an opening.
fn go9() -> Result<Picture, Box<dyn std::error::Error>> {
    let mut position = Go9::new(9, Rules::default())?;
    let mut marks = Marks::new();
    for text in ["E5", "C5", "G4", "E3", "D6", "C6", "D4", "C4", "D3"] {
        let mv = position.parse_move(text)?;
        position.play(mv);
        marks.last = Some(mv);
    }
    let likely = boltzmann(&win_rates(&position, 2000, 3), 0.02);
    let shown: Vec<_> = likely.into_iter().filter(|(_, share)| *share > 0.01).collect();
    marks.heat = position.heat_of_moves(&shown);
    Ok(position.picture(&marks))
}

/// Shusaku against Gennan Inseki, 1846, after the move that made ears red.
fn go19() -> Result<Picture, Box<dyn std::error::Error>> {
    const MOVES: &str = "qddcpqoccpcfepqopenppoppopqpoqoopnqqnqonpmomplmpmqolpklqlrkrlpkqqrrrrsmrnrprpsqsnomoqrrm\
                         rlqslomnqrqmorqlqjrjrirklnmmqirqjnlsnsgqgockkcicpcnjkeogohpbqbngmimjndphqgpghqhririqhpjr\
                         fclcldmclbmbmdqfpfqhrgrhshrfsgpjpioiojniqkokqekbjbkajcobjaladbccfecngrisfqioji";
    let mut position = Go19::start(&Spec::parse("go19(rules=japanese,komi=0)")?)?;
    let mut marks = Marks::new();
    for point in MOVES.as_bytes().chunks(2) {
        let (column, row) = (usize::from(point[0] - b'a'), 18 - usize::from(point[1] - b'a'));
        let mv = GoMove::at(position.vertex(column, row).ok_or("outside the board")?);
        position.play(mv);
        marks.last = Some(mv);
    }
    Ok(position.picture(&marks))
}

/// Both sides take the largest piece that leaves them the most corners against the other's.
fn blokus() -> Picture {
    let mut position = BlokusDuo::default();
    let mut marks = Marks::new();
    let mut moves = Vec::new();
    for _ in 0..15 {
        position.generate(&mut moves);
        let promise = |mv: &yomi_games::blokus::BlokusMove| {
            let mut next = position.clone();
            next.play(*mv);
            let corners = |side| next.attach(side).len() as i32;
            (mv.cells().len(), corners(position.turn()) - corners(!position.turn()), *mv)
        };
        if let Some(mv) = moves.iter().copied().max_by_key(promise) {
            position.play(mv);
            marks.last = Some(mv);
        }
    }
    marks.highlights = draw::blokus::attach_points(&position, position.turn());
    position.picture(&marks)
}
