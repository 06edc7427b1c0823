//! `yomi show`: a position for people.

use std::io::Write;

use serde_json::json;
use yomi_core::{Line, Outcome};

use crate::games::{Game, PositionArgs, with_game};

/// Draw a position, in the terminal or as SVG, and tell what can be played
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  yomi show --game shogi --moves '7g7f 3c3d'\n  yomi show --game go9 --moves 'E5 pass C3' --svg board.svg\n  \
    yomi show --game minishogi --position 'rbsgk/4p/5/P4/KGSBR b - 1' --json"
)]
pub(crate) struct Args {
    #[command(flatten)]
    position: PositionArgs,
    /// One JSON object instead of a picture
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    with_game!(&args.position.game, |start| {
        let (line, played) = args.position.line(start)?;
        show(args, &line, &played, out)
    })
}

fn show<P: Game>(args: &Args, line: &Line<P>, _played: &[P::Move], out: &mut dyn Write) -> anyhow::Result<()> {
    let position = line.position();
    let mut moves = Vec::new();
    let outcome = line.generate(&mut moves);
    let legal: Vec<String> = moves.iter().map(|&mv| position.move_text(mv)).collect();
    if args.json {
        let turn = format!("{:?}", position.turn()).to_lowercase();
        writeln!(
            out,
            "{}",
            json!({ "type": "position", "game": position.rules(), "position": position.position_text(), "turn": turn,
                    "key": format!("{:016x}", position.key()), "outcome": outcome.map(outcome_text), "moves": legal })
        )?;
        return Ok(());
    }
    writeln!(out, "{position}\n")?;
    writeln!(out, "{}  {}", position.rules(), position.position_text())?;
    match outcome {
        Some(outcome) => writeln!(out, "game over: {}", outcome_text(outcome))?,
        None => writeln!(out, "{:?} to move, {} legal moves", position.turn(), legal.len())?,
    }
    Ok(())
}

/// The outcome in words.
pub(crate) fn outcome_text(outcome: Outcome) -> String {
    match outcome {
        Outcome::Win(color) => format!("{color:?} wins").to_lowercase(),
        Outcome::Draw => "draw".to_string(),
    }
}
