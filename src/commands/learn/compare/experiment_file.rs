//! The experiment of a comparison: one seed of every method.

use std::fmt::Write as _;

use serde_json::json;

use super::{Args, REGRESSION};

/// The experiment: every method against material and against the embedded weights, at equal games and at equal time.
pub(super) fn text(args: &Args, methods: &[String], seed: u64) -> anyhow::Result<String> {
    let Args { game, games, cpu, match_games, match_evals, from, .. } = args;
    let name = format!("learn-methods-{game}");
    let mut text = String::new();
    writeln!(text, "name = \"{name}\"")?;
    writeln!(text, "title = \"Learning methods in {game}, from {from}: Elo at equal games and at equal time\"")?;
    writeln!(text, "paper = \"S0.7, S0.8, S0.9, S3.4\"")?;
    writeln!(text, "question = \"Which method learns most from equally many games of self-play, and in equal time?\"")?;
    writeln!(text, "note = [")?;
    writeln!(
        text,
        "  \"Equal games: {games} games of self-play. Equal time: {cpu} s of CPU time. One run per method, seed {seed}.\","
    )?;
    writeln!(text, "  \"Both players search alike, mcss with {match_evals} evaluations per move.\",")?;
    let mut falling = Vec::new();
    for method in methods.iter().filter(|name| *name != REGRESSION) {
        let steps = args.config(method, seed)?.steps;
        if steps.schedule.has_end() {
            falling.push(format!("{method} {}", steps.horizon));
        }
    }
    if !falling.is_empty() {
        writeln!(
            text,
            "  \"Rates fall to nothing over this many games, also where equal time allows more or fewer: {}.\",",
            falling.join(", ")
        )?;
    }
    writeln!(text, "]")?;
    let sides = [("material", "quiet(material)"), ("the embedded weights", "quiet(linear)")];
    for (when, words) in [("games", "equal games"), ("time", "equal time")] {
        for (opponent, evaluation) in sides {
            writeln!(text, "\n[[match-table]]\ntitle = \"{words}, against {opponent}\"\ngame = \"{game}\"")?;
            writeln!(text, "games = {match_games}\nbudget = \"evals={match_evals}\"\nopening = \"random(6)\"")?;
            writeln!(text, "draws = \"half\"\nopponent = \"mcss(hash=64) + {evaluation}\"")?;
            for method in methods {
                let weights = args.weights(method, seed, when);
                let player = format!("mcss(hash=64) + quiet(linear(file={}))", weights.display());
                writeln!(text, "\n[[match-table.rows]]\nlabel = \"{method}\"\nplayer = {}", json!(player))?;
            }
        }
    }
    writeln!(text, "\n[[learning-curve]]\ntitle = \"How well searches explain results while learning\"")?;
    writeln!(text, "x = {{ label = \"games of self-play\" }}\ny = {{ label = \"cross-entropy, nats per move\" }}")?;
    writeln!(text, "series = [")?;
    for method in methods.iter().filter(|name| *name != REGRESSION) {
        let file = args.folder(method, seed).join("curves.jsonl");
        let file = json!(file.display().to_string());
        writeln!(text, "  {{ label = \"{method}\", file = {file}, x = \"/games\", y = \"/explained\" }},")?;
    }
    writeln!(text, "]")?;
    Ok(text)
}
