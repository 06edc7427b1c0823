//! `yomi sample`: positions of random games with their legal moves, for tests of other programs and of this one.

use std::io::Write;
use std::ops::ControlFlow;

use serde_json::json;
use yomi_core::{Line, Seed};
use yomi_session::report::outcome_text;
use yomi_session::{Game, with_game};

use crate::arguments::PositionArgs;
use crate::progress::Progress;

/// Play random games and print every position with its legal moves, one JSON object per line
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  yomi sample --game shogi --games 10 --seed 7\n  \
    yomi sample --game 'go9(komi=6.5)' --games 5 --simulate --ends-only")]
pub(crate) struct Args {
    #[command(flatten)]
    position: PositionArgs,
    /// How many games
    #[arg(long, default_value_t = 1)]
    games: u64,
    /// The same seed gives the same games
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Where a game is cut off
    #[arg(long, default_value_t = 400, value_name = "PLIES")]
    max_plies: usize,
    /// Draw moves as playouts do (in Go: no filling of own eyes) instead of uniformly from the legal ones
    #[arg(long)]
    simulate: bool,
    /// Print only the last position of each game
    #[arg(long)]
    ends_only: bool,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    with_game!(&args.position.game, |start| {
        let line = args.position.line(start)?;
        let mut progress = Progress::new("sample", args.games);
        for game in 0..args.games {
            play(args, game, line.clone(), out)?;
            progress.step();
        }
        Ok(())
    })
}

fn play<P: Game>(args: &Args, game: u64, mut line: Line<P>, out: &mut dyn Write) -> anyhow::Result<()> {
    let mut rng = Seed::new(args.seed).branch("sample", game).rng();
    let mut sampler = P::Sampler::default();
    line.position().begin(&mut sampler);
    let mut played: Vec<String> = Vec::new();
    let mut moves = Vec::new();
    loop {
        let outcome = line.generate(&mut moves);
        let last = outcome.is_some() || played.len() >= args.max_plies;
        let position = line.position();
        if last || !args.ends_only {
            let legal: Vec<String> = moves.iter().map(|&mv| position.move_text(mv)).collect();
            let line = json!({ "type": "sample", "game": position.rules(), "number": game, "ply": played.len(),
                "position": position.position_text(), "played": played, "moves": legal,
                "outcome": outcome.map(outcome_text), "score": position.score_text() });
            writeln!(out, "{line}")?;
        }
        if last {
            return Ok(());
        }
        let drawn = position.draw(&mut sampler, &mut rng);
        let mv = match drawn {
            // What playouts draw may be forbidden by the past (superko): then any legal move does.
            ControlFlow::Continue(mv) if args.simulate && moves.contains(&mv) => mv,
            _ => moves[rng.below(moves.len())],
        };
        played.push(position.move_text(mv));
        line.play(mv);
    }
}
