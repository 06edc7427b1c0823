//! What people see of a match: a line while it is played, tables in the end.

use std::io::Write;

use yomi_core::text::counted;
use yomi_lab::directory::RunDirectory;
use yomi_lab::plan::MatchPlan;
use yomi_lab::report::text::percent_text;
use yomi_lab::row::GameRow;
use yomi_lab::runner::Observer;
use yomi_lab::standing::{Pairing, Standing};
use yomi_lab::statistics::elo::{elo, likelihood_of_superiority};
use yomi_lab::statistics::score::score;
use yomi_lab::statistics::{Estimate, Level};
use yomi_lab::summary::Summary;

use crate::progress::Progress;

/// Shows how a match goes.
pub(super) struct Watcher<'a> {
    progress: Progress,
    json: bool,
    out: &'a mut dyn Write,
}

impl<'a> Watcher<'a> {
    pub(super) fn new(plan: &MatchPlan, json: bool, out: &'a mut dyn Write) -> Watcher<'a> {
        Watcher { progress: Progress::new(&plan.config.name, plan.len()), json, out }
    }
}

impl Observer for Watcher<'_> {
    fn game(&mut self, row: &GameRow, standing: &Standing) {
        if self.json
            && let Ok(line) = serde_json::to_string(row)
        {
            // The output may be closed; the ledger has every game.
            let _ = writeln!(self.out, "{line}");
        }
        self.progress.skip(standing.games.saturating_sub(1));
        self.progress.say(headline(standing, row.pairing));
        self.progress.step();
    }
}

/// One line about a pairing: `+12 =3 -5  Elo +120 ± 90  LLR 1.20`.
fn headline(standing: &Standing, pairing: usize) -> String {
    let pairing = &standing.pairings[pairing];
    let [losses, draws, wins] = pairing.counts();
    let mut text = format!("+{wins} ={draws} -{losses}");
    if let Some(estimate) = elo(&pairing.tally(), Level::P95) {
        text += &format!("  Elo {}", elo_text(estimate));
    }
    if let Some(sequence) = &pairing.sequence {
        text += &format!("  LLR {:.2}", sequence.ratio());
    }
    if standing.pairings.len() > 1 {
        text = format!("{} – {}: {text}", pairing.player, pairing.opponent);
    }
    text
}

fn elo_text(Estimate { value, interval }: Estimate) -> String {
    match value.is_finite() && interval.radius().is_finite() {
        true => format!("{value:+.1} ± {:.1}", interval.radius()),
        false => format!("{value:+.0} {interval:.0}"),
    }
}

/// The result of a match.
pub(super) fn print(
    plan: &MatchPlan,
    summary: &Summary,
    directory: &RunDirectory,
    out: &mut dyn Write,
) -> std::io::Result<()> {
    let standing = &summary.standing;
    writeln!(
        out,
        "{} of {}, {} unique, {:.1} plies on average; {}",
        standing.games,
        counted(standing.scheduled, "game", "games"),
        summary.unique(),
        summary.mean_plies,
        plan.config.game
    )?;
    for pairing in &standing.pairings {
        print_pairing(pairing, out)?;
    }
    if let Some(ratings) = &summary.ratings {
        writeln!(out)?;
        for player in &ratings.players {
            let rating = elo_text(player.rating);
            writeln!(
                out,
                "  {rating:>18}  {:>5.1} % of {:>5}  {}",
                player.score() * 100.0,
                player.games(),
                player.name
            )?;
        }
    }
    for warning in &summary.warnings {
        writeln!(out, "warning: {warning}")?;
    }
    writeln!(out, "report: {}", directory.file("report.html").display())
}

fn print_pairing(pairing: &Pairing, out: &mut dyn Write) -> std::io::Result<()> {
    let [losses, draws, wins] = pairing.counts();
    let tally = pairing.tally();
    writeln!(out, "\n{} – {}", pairing.player, pairing.opponent)?;
    let won = counted(wins, "win", "wins");
    let drawn = counted(draws, "draw", "draws");
    write!(out, "  {won}, {drawn}, {}", counted(losses, "loss", "losses"))?;
    if let (Some(score), Some(elo)) = (score(&tally, Level::P95), elo(&tally, Level::P95)) {
        let los = likelihood_of_superiority(&tally) * 100.0;
        let score = percent_text(Some(score.value), score.interval);
        write!(out, "; {score} %; Elo {}; LOS {los:.1} %", elo_text(elo))?;
    }
    writeln!(out)?;
    let others: Vec<String> = pairing
        .reasons
        .iter()
        .filter(|(reason, _)| reason.word() != "normal")
        .map(|(reason, [losses, draws, wins])| format!("{reason} {wins}-{draws}-{losses}"))
        .collect();
    if !others.is_empty() {
        writeln!(out, "  of these {} (wins-draws-losses)", others.join(", "))?;
    }
    if let Some(sequence) = &pairing.sequence {
        let (ratio, games) = (sequence.ratio(), sequence.tally().len());
        match sequence.stop() {
            None => writeln!(out, "  sequential test: undecided, LLR {ratio:.2}")?,
            Some(stop) => {
                let at = counted(stop.tally.len(), "game", "games");
                writeln!(out, "  sequential test: {} after {at}, LLR {ratio:.2} after all {games}", stop.decision)?;
            }
        }
    }
    Ok(())
}
