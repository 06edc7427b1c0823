//! The report of a match: who played, how it stands, how sure that is, and what it looked like.

use crate::arena::Arena;
use crate::ending::Reason;
use crate::error::Result;
use crate::opening::OpeningSource;
use crate::plan::Plan;
use crate::plots::{Axis, Chart, Point, Series};
use crate::report::document::{Block, Document};
use crate::row::GameRow;
use crate::schedule::Schedule;
use crate::standing::{Pairing, Standing};
use crate::statistics::elo::{elo, likelihood_of_superiority, normalized_elo};
use crate::statistics::score::{decisive, score};
use crate::statistics::{Decision, Estimate, Level};
use crate::summary::{Spent, Summary};

/// So many games are shown with their last position.
const BOARDS: usize = 4;
/// No curve needs more points.
const POINTS: usize = 400;

/// The report of the games in `rows`.
pub fn match_report(plan: &Plan, arena: &dyn Arena, rows: &[GameRow], summary: &Summary) -> Result<Document> {
    let mut rows: Vec<&GameRow> = rows.iter().collect();
    rows.sort_by_key(|row| row.job);
    let mut document = Document::new(format!("{}: {}", plan.config.name, plan.config.game));
    document.text(format!(
        "{} of {} games, {} unique, {} void; {:.1} plies on average. Experiment {}.",
        summary.standing.games,
        summary.standing.scheduled,
        summary.unique(),
        summary.standing.voids,
        summary.mean_plies,
        plan.short_hash()
    ));
    document.blocks.extend(summary.warnings.iter().cloned().map(Block::Warning));
    results(&mut document, &summary.standing);
    if let Some(ratings) = &summary.ratings {
        document.heading("Ratings");
        let row = |player: &crate::statistics::ratings::Player| {
            vec![
                player.name.clone(),
                with_error(Some(player.rating), 1),
                player.games().to_string(),
                percent(player.score()),
            ]
        };
        document.table(&["player", "Elo", "games", "score"], ratings.players.iter().map(row).collect());
    }
    charts(&mut document, plan, &rows, summary)?;
    reasons(&mut document, &summary.standing);
    spent(&mut document, &summary.players);
    conditions(&mut document, plan);
    boards(&mut document, arena, &rows)?;
    Ok(document)
}

fn results(document: &mut Document, standing: &Standing) {
    document.heading("Results");
    let row = |pairing: &Pairing| {
        let [losses, draws, wins] = pairing.counts();
        let tally = pairing.tally();
        let dropped = decisive(&pairing.games).filter(|wins| wins.trials() > 0);
        let test = match &pairing.sequence {
            None => "–".to_string(),
            Some(sequence) if sequence.decision() == Decision::Continue => format!("LLR {:.2}", sequence.ratio()),
            Some(sequence) => {
                let at = sequence.stop().map_or(0, |stop| stop.tally.len());
                format!("{} after {at} games (LLR {:.2} at the end)", sequence.decision(), sequence.ratio())
            }
        };
        vec![
            pairing.player.clone(),
            pairing.opponent.clone(),
            format!("{wins}-{draws}-{losses}"),
            score(&tally, Level::P95)
                .map_or("–".into(), |e| format!("{:.1} ± {:.1}", e.value * 100.0, e.interval.radius() * 100.0)),
            dropped.map_or("–".into(), |wins| {
                let interval = wins.wilson(Level::P95);
                format!(
                    "{} [{}, {}]",
                    percent(wins.rate().unwrap_or(0.5)),
                    percent(interval.low),
                    percent(interval.high)
                )
            }),
            dropped.map_or("–".into(), |wins| format!("{:.4}", wins.exact_test(0.5))),
            with_error(elo(&tally, Level::P95), 1),
            with_error(normalized_elo(&tally, Level::P95), 1),
            percent(likelihood_of_superiority(&tally)),
            test,
            pairing.unique.to_string(),
        ]
    };
    let head = ["player", "opponent", "W-D-L", "score %", "draws dropped", "p", "Elo", "nElo", "LOS", "test", "unique"];
    document.table(&head, standing.pairings.iter().map(row).collect());
    document.text(
        "Score counts a draw as half a win and takes pairs of games with swapped colours as the unit of chance; \"draws dropped\" counts \
         wins among decided games (Wilson interval), p is the exact two-sided binomial test against one half. Intervals are 95 %.",
    );
}

fn charts(document: &mut Document, plan: &Plan, rows: &[&GameRow], summary: &Summary) -> Result<()> {
    let standing = &summary.standing;
    if standing.games == 0 {
        return Ok(());
    }
    document.heading("Plots");
    if plan.config.schedule == Schedule::Pair {
        let (scores, ratios) = history(plan, rows)?;
        let pairing = &standing.pairings[0];
        let chart = Chart {
            title: format!("{} against {}", pairing.player, pairing.opponent),
            x: Axis::labelled("games"),
            y: Axis::labelled("score of the first, 95 %"),
            series: vec![Series { name: String::new(), points: scores, joined: true }],
            marks: vec![0.5],
        };
        document.figure(
            "plots/score.svg",
            chart.svg(),
            "The score as the games came in, in the order of the schedule.",
        );
        if let Some(sprt) = plan.config.sprt {
            let chart = Chart {
                title: format!("Sequential test of {} against {}", sprt.elo0, sprt.elo1),
                x: Axis::labelled("games"),
                y: Axis::labelled("log-likelihood ratio"),
                series: vec![Series { name: String::new(), points: ratios, joined: true }],
                marks: sprt.sprt()?.bounds().to_vec(),
            };
            document.figure("plots/llr.svg", chart.svg(), "The log-likelihood ratio between its bounds.");
        }
        return Ok(());
    }
    let points = standing
        .pairings
        .iter()
        .enumerate()
        .filter_map(|(i, pairing)| Some(Point::estimate(i as f64, score(&pairing.tally(), Level::P95)?)));
    let against = |pairing: &Pairing| match plan.config.schedule {
        Schedule::Sweep => pairing.player.clone(),
        Schedule::Gauntlet => pairing.opponent.clone(),
        _ => format!("{} – {}", pairing.player, pairing.opponent),
    };
    let chart = Chart {
        title: format!("{}: {}", plan.config.name, plan.config.schedule.word()),
        x: Axis { names: standing.pairings.iter().map(against).collect(), ..Axis::default() },
        y: Axis::labelled("score of the first, 95 %"),
        series: vec![Series {
            points: points.collect(),
            joined: plan.config.schedule == Schedule::Sweep,
            ..Series::default()
        }],
        marks: vec![0.5],
    };
    document.figure("plots/scores.svg", chart.svg(), "The score of every pairing.");
    if let Some(ratings) = &summary.ratings {
        let points = ratings.players.iter().enumerate().map(|(i, player)| Point::estimate(i as f64, player.rating));
        let chart = Chart {
            title: "Ratings, 95 %".into(),
            x: Axis { names: ratings.players.iter().map(|player| player.name.clone()).collect(), ..Axis::default() },
            y: Axis::labelled("Elo"),
            series: vec![Series { points: points.collect(), ..Series::default() }],
            marks: vec![0.0],
        };
        document.figure("plots/ratings.svg", chart.svg(), "Ratings from all games together.");
    }
    Ok(())
}

/// The score with its interval, and the log-likelihood ratio, along a match of two players.
fn history(plan: &Plan, rows: &[&GameRow]) -> Result<(Vec<Point>, Vec<Point>)> {
    let mut standing = Standing::new(plan)?;
    let every = (rows.len() / POINTS).max(1);
    let (mut scores, mut ratios) = (Vec::new(), Vec::new());
    for (i, row) in rows.iter().enumerate() {
        standing.add(plan, row)?;
        let pairing = &standing.pairings[0];
        let games = standing.games as f64;
        // Between the games of a pair nothing is known yet.
        let whole = !plan.config.pairs || standing.games % 2 == 0;
        if !whole || (i % every != 0 && i + 1 != rows.len() && (i + 1) % every != 0) {
            continue;
        }
        if let Some(estimate) = score(&pairing.tally(), Level::P95).filter(|_| pairing.tally().samples() > 1) {
            scores.push(Point::estimate(games, estimate));
        }
        if let Some(sequence) = &pairing.sequence {
            ratios.push(Point::plain(games, sequence.ratio()));
        }
    }
    Ok((scores, ratios))
}

fn reasons(document: &mut Document, standing: &Standing) {
    document.heading("How games ended");
    let mut rows = Vec::new();
    for pairing in &standing.pairings {
        for reason in Reason::ALL {
            if let Some([losses, draws, wins]) = pairing.reasons.get(&reason) {
                let name = format!("{} – {}", pairing.player, pairing.opponent);
                rows.push(vec![name, reason.to_string(), wins.to_string(), draws.to_string(), losses.to_string()]);
            }
        }
    }
    document.table(&["pairing", "reason", "won by the first", "drawn", "lost by the first"], rows);
    let mut rows = Vec::new();
    for pairing in &standing.pairings {
        for (side, [losses, draws, wins]) in ["Black", "White"].iter().zip(pairing.by_color) {
            rows.push(vec![
                pairing.player.clone(),
                pairing.opponent.clone(),
                side.to_string(),
                format!("{wins}-{draws}-{losses}"),
            ]);
        }
    }
    document.table(&["player", "opponent", "with", "W-D-L"], rows);
}

fn spent(document: &mut Document, players: &[Spent]) {
    document.heading("What players spent on a move");
    let row = |player: &Spent| {
        vec![
            player.name.clone(),
            player.moves.to_string(),
            format!("{:.0}", player.per_move(player.sims as f64)),
            format!("{:.0}", player.per_move(player.nodes as f64)),
            format!("{:.1}", player.depth()),
            format!("{:.2}", player.pace(0.5)),
            format!("{:.2}", player.pace(0.95)),
            format!("{:.1}", player.slowest_ms),
        ]
    };
    let head = [
        "player",
        "moves",
        "simulations",
        "nodes",
        "depth",
        "ms, median game",
        "ms, 95 % of games",
        "slowest move, ms",
    ];
    document.table(&head, players.iter().map(row).collect());
}

fn conditions(document: &mut Document, plan: &Plan) {
    let config = &plan.config;
    document.heading("Conditions");
    let openings = match &config.openings {
        OpeningSource::Start => "the start position".to_string(),
        OpeningSource::Random { plies } => format!("{plies} random plies"),
        OpeningSource::Pentomino => "a random pentomino of each side".to_string(),
        OpeningSource::File { path, count, sha256, .. } => format!("{count} from {path} (sha256 {sha256})"),
    };
    let mut rows = vec![
        ("game".to_string(), config.game.clone()),
        ("schedule".into(), config.schedule.word().to_string()),
        ("openings".into(), openings),
        ("colour-swapped pairs".into(), if config.pairs { "yes" } else { "no" }.into()),
        ("move limit".into(), format!("{} plies", config.conditions.move_limit)),
        ("clocks".into(), config.conditions.time.clone().unwrap_or_else(|| "none".into())),
        ("seed".into(), config.seed.to_string()),
        ("reproducible".into(), config.reproducible.to_string()),
    ];
    for player in &config.players {
        let budget = serde_json::to_string(&player.budget).unwrap_or_default();
        rows.push((format!("player {}", player.name), format!("{} {budget}", player.spec)));
    }
    document.table(&["what", "value"], rows.into_iter().map(|(what, value)| vec![what, value]).collect());
}

/// The last positions of a few games: the first of each pairing, then others.
fn boards(document: &mut Document, arena: &dyn Arena, rows: &[&GameRow]) -> Result<()> {
    let games = || rows.iter().filter(|row| row.counts());
    let first = |row: &&&GameRow| {
        !rows.iter().any(|other| other.counts() && other.pairing == row.pairing && other.job < row.job)
    };
    let chosen: Vec<&&GameRow> = games().filter(first).chain(games().filter(|row| !first(row))).take(BOARDS).collect();
    if chosen.is_empty() {
        return Ok(());
    }
    document.heading("Some games");
    let title = |row: &GameRow| {
        let result = row.result.word();
        format!(
            "Game {}: {} (Black) – {} (White) {result}, {}: {}, {} plies",
            row.job, row.first, row.second, row.reason, row.detail, row.plies
        )
    };
    for row in &chosen {
        document.figure(format!("plots/game-{}.svg", row.job), arena.picture(row, usize::MAX)?, title(row));
    }
    for row in &chosen {
        document.blocks.push(Block::Details { title: title(row), text: row.moves.clone() });
    }
    Ok(())
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// A number with its error; `–` if there is none.
fn with_error(estimate: Option<Estimate>, digits: usize) -> String {
    match estimate {
        None => "–".into(),
        Some(Estimate { value, interval }) if value.is_finite() && interval.radius().is_finite() => {
            format!("{value:+.digits$} ± {:.digits$}", interval.radius())
        }
        Some(Estimate { value, interval }) => format!("{value:+.digits$} {interval:.digits$}"),
    }
}
