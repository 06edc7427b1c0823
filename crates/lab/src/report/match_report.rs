//! The report of a match: who played, how it stands, how sure that is, and what it looked like.

use serde_json::Value;

use super::games::{GameSet, Recorded};
use super::page::{Block, Field, Page, Scene, Section, Sheet};
use super::text::{games_text, p_text, percent_text, record_text, short_names, signed_text, step_time_text};
use crate::config::PlayerConfig;
use crate::ending::Reason;
use crate::error::Result;
use crate::opening::OpeningSource;
use crate::plan::MatchPlan;
use crate::plots::{Axis, Chart, Point, Series};
use crate::row::GameRow;
use crate::schedule::Schedule;
use crate::standing::{Pairing, Standing};
use crate::statistics::elo::{elo, likelihood_of_superiority, normalized_elo};
use crate::statistics::score::{decisive, score};
use crate::statistics::{Decision, Level};
use crate::summary::{Spent, Summary};

/// This many games are shown with their last position.
const BOARDS: usize = 3;
/// No curve needs more points.
const POINTS: usize = 400;

/// How the numbers of a match were reached, in words.
const METHOD: &[&str] = &[
    "Score: a draw counts as half a win. Its interval takes pairs of games with swapped colours as the unit of chance (Student's t below a \
     hundred of them); where all results were alike it is the exact bound on how rare another result must be.",
    "Decided games: wins among games that were not drawn, with Wilson's interval; p is the exact two-sided binomial test against 50 %.",
    "Elo and normalized Elo follow from the score; LOS is the likelihood that the player is the stronger one. All intervals are 95 %.",
    "Ratings of more than two players: Rao and Kupper's model fitted to all games together, with two virtual draws per player.",
    "Score by opening: games of one opening are not independent, and equal games are one game, so the games are counted as the number of \
     independent games that their design effect leaves (Rao and Scott 1992, clusters being openings), with Clopper and Pearson's interval.",
    "Different games: games whose moves, or a symmetric image of them, did not occur before in their pairing.",
];

/// The report of the games in `rows`. `manifest` is what the run was played with, `build` the program that writes this.
pub fn match_page(
    plan: &MatchPlan,
    rows: &[GameRow],
    summary: &Summary,
    manifest: &Value,
    build: &str,
) -> Result<Page> {
    let mut rows: Vec<&GameRow> = rows.iter().collect();
    rows.sort_by_key(|row| row.job);
    let names = Names::of(plan);
    let standing = &summary.standing;
    Ok(Page {
        title: title(plan, &names),
        kicker: format!("Match: {}", plan.config.game),
        answer: answer(summary, &names),
        warnings: summary.warnings.clone(),
        remarks: incomplete(standing),
        sections: vec![
            result(plan, &rows, summary, &names)?,
            endings(standing, &names),
            spent(&summary.players, &names),
        ],
        method: METHOD.iter().map(ToString::to_string).chain(sequential(plan)).collect(),
        facts: facts(plan, manifest, summary),
        build: build.to_string(),
        ..Page::default()
    })
}

/// The players' names, short ones for tables, and their whole commands.
struct Names {
    full: Vec<String>,
    short: Vec<String>,
    commands: Vec<String>,
}

impl Names {
    fn of(plan: &MatchPlan) -> Names {
        let full: Vec<String> = plan.config.players.iter().map(|player| player.name.clone()).collect();
        let short = short_names(&full.iter().map(String::as_str).collect::<Vec<_>>());
        let commands = plan.config.players.iter().map(command).collect();
        Names { full, short, commands }
    }

    fn short(&self, name: &str) -> String {
        let place = self.full.iter().position(|full| full == name);
        place.map_or(name.to_string(), |place| self.short[place].clone())
    }

    fn field(&self, name: &str) -> Field {
        let place = self.full.iter().position(|full| full == name);
        Field::named(&self.short(name), place.map_or(name, |place| &self.commands[place]))
    }

    fn pairing(&self, pairing: &Pairing) -> String {
        format!("{} – {}", self.short(&pairing.player), self.short(&pairing.opponent))
    }
}

/// A player as it would be typed again.
fn command(player: &PlayerConfig) -> String {
    format!("{} {}", player.spec, player.budget).trim_end().to_string()
}

fn title(plan: &MatchPlan, names: &Names) -> String {
    match (plan.config.name.as_str(), names.short.as_slice()) {
        ("match", [one, other]) => format!("{one} against {other}"),
        ("match", _) => format!("{} players, {}", names.short.len(), plan.config.schedule.word()),
        (name, _) => name.to_string(),
    }
}

/// What a reader wants to know first.
fn answer(summary: &Summary, names: &Names) -> String {
    let standing = &summary.standing;
    let games = format!(
        "{} of {}, {} of them different, {:.1} plies on average.",
        standing.games,
        games_text(standing.scheduled),
        summary.unique(),
        summary.mean_plies
    );
    let [pairing] = standing.pairings.as_slice() else { return games };
    let [losses, draws, wins] = pairing.counts();
    let Some(estimate) = score(&pairing.tally(), Level::P95) else { return games };
    format!(
        "{} scores {} % against {} ({}). {games}",
        names.short(&pairing.player),
        percent_text(Some(estimate.value), estimate.interval),
        names.short(&pairing.opponent),
        record_text(wins, draws, losses)
    )
}

fn incomplete(standing: &Standing) -> Vec<String> {
    let void = (standing.voids > 0).then(|| match standing.voids {
        1 => "1 game was void and does not count.".to_string(),
        voids => format!("{voids} games were void and do not count."),
    });
    let missing = (standing.games < standing.scheduled)
        .then(|| format!("Incomplete: {} of {} played.", standing.games, games_text(standing.scheduled)));
    missing.into_iter().chain(void).collect()
}

fn sequential(plan: &MatchPlan) -> Option<String> {
    let sprt = plan.config.sprt?;
    let scale = if sprt.logistic { "Elo" } else { "normalized Elo" };
    Some(format!(
        "Sequential test: generalized SPRT of {} against {} {scale}, risks {} and {}, over the games in the order of the schedule.",
        sprt.elo0, sprt.elo1, sprt.alpha, sprt.beta
    ))
}

fn result(plan: &MatchPlan, rows: &[&GameRow], summary: &Summary, names: &Names) -> Result<Section> {
    let standing = &summary.standing;
    let mut blocks = vec![Block::Table(table(standing, names))];
    if let Some(ratings) = &summary.ratings {
        let mut sheet = Sheet::new(&["player", "Elo [95 %]", "games", "score, %"]);
        sheet.rows = ratings
            .players
            .iter()
            .map(|player| {
                let (games, score) = (player.games().to_string(), format!("{:.1}", 100.0 * player.score()));
                vec![names.field(&player.name), signed_text(Some(player.rating)).into(), games.into(), score.into()]
            })
            .collect();
        blocks.push(Block::Table(sheet));
    }
    blocks.extend(charts(plan, rows, summary, names)?);
    blocks.push(Block::Boards(boards(plan, rows, names)));
    blocks.push(Block::Conditions(conditions(plan)));
    Ok(Section {
        title: "Result".to_string(),
        blocks,
        games: Some(games(plan, rows, standing, names)),
        ..Section::default()
    })
}

fn table(standing: &Standing, names: &Names) -> Sheet {
    let tested = standing.pairings.iter().any(|pairing| pairing.sequence.is_some());
    let mut head = vec!["player", "opponent", "W-D-L", "score, % [95 %]", "decided, % [95 %]", "p vs 50 %"];
    head.extend(["Elo [95 %]", "nElo [95 %]", "LOS, %"]);
    head.extend(tested.then_some("sequential test"));
    head.extend(["different", "openings", "score by opening, % [95 %]"]);
    let mut sheet = Sheet { words: 1, ..Sheet::new(&head) };
    for (place, pairing) in standing.pairings.iter().enumerate() {
        let [losses, draws, wins] = pairing.counts();
        let tally = pairing.tally();
        let decided = decisive(&pairing.games).filter(|wins| wins.trials() > 0);
        let or_none = |text: Option<String>| Field::from(text.unwrap_or("–".to_string()));
        let mut fields = vec![
            names.field(&pairing.player),
            names.field(&pairing.opponent),
            Field::of_games(record_text(wins, draws, losses), place),
            or_none(score(&tally, Level::P95).map(|e| percent_text(Some(e.value), e.interval))),
            or_none(decided.map(|wins| percent_text(wins.rate(), wins.wilson(Level::P95)))),
            or_none(decided.map(|wins| p_text(wins.exact_test(0.5)))),
            signed_text(elo(&tally, Level::P95)).into(),
            signed_text(normalized_elo(&tally, Level::P95)).into(),
            format!("{:.1}", 100.0 * likelihood_of_superiority(&tally)).into(),
        ];
        fields.extend(tested.then(|| Field::from(test(pairing))));
        let by_opening = pairing.clusters.estimate(Level::P95);
        fields.extend([
            pairing.unique.to_string().into(),
            pairing.clusters.len().to_string().into(),
            or_none(by_opening.map(|e| percent_text(Some(e.value), e.interval))),
        ]);
        sheet.rows.push(fields);
    }
    sheet
}

fn test(pairing: &Pairing) -> String {
    match &pairing.sequence {
        None => "–".to_string(),
        Some(sequence) if sequence.decision() == Decision::Continue => format!("LLR {:.2}", sequence.ratio()),
        Some(sequence) => {
            let at = sequence.stop().map_or(0, |stop| stop.tally.len());
            format!("{} after {}, LLR {:.2}", sequence.decision(), games_text(at), sequence.ratio())
        }
    }
}

fn charts(plan: &MatchPlan, rows: &[&GameRow], summary: &Summary, names: &Names) -> Result<Vec<Block>> {
    let standing = &summary.standing;
    let mut blocks = Vec::new();
    if standing.games == 0 {
        return Ok(blocks);
    }
    let figure = |name: &str, chart: Chart| Block::Figure(name.to_string(), chart);
    if plan.config.schedule == Schedule::Pair {
        let (scores, ratios) = history(plan, rows)?;
        let pairing = &standing.pairings[0];
        let chart = Chart {
            title: format!("Score of {} as the games came in, 95 %", names.short(&pairing.player)),
            x: Axis::labelled("games"),
            y: Axis::percent("score"),
            series: vec![Series { points: scores, joined: true, ..Series::default() }],
            marks: vec![50.0],
            ..Chart::default()
        };
        blocks.push(figure("score", chart));
        if let Some(sprt) = plan.config.sprt {
            let chart = Chart {
                title: format!("Sequential test of {} against {}", sprt.elo0, sprt.elo1),
                x: Axis::labelled("games"),
                y: Axis::labelled("log-likelihood ratio"),
                series: vec![Series { points: ratios, joined: true, ..Series::default() }],
                marks: sprt.sprt()?.bounds().to_vec(),
                ..Chart::default()
            };
            blocks.push(figure("llr", chart));
        }
        return Ok(blocks);
    }
    let scored = standing.pairings.iter().enumerate();
    let points = scored.filter_map(|(i, pairing)| Some(Point::percent(i as f64, score(&pairing.tally(), Level::P95)?)));
    let against = |pairing: &Pairing| match plan.config.schedule {
        Schedule::Sweep => names.short(&pairing.player),
        Schedule::Gauntlet => names.short(&pairing.opponent),
        _ => names.pairing(pairing),
    };
    let chart = Chart {
        title: "Score of every pairing, 95 %".to_string(),
        x: Axis { names: standing.pairings.iter().map(against).collect(), ..Axis::default() },
        y: Axis::percent("score of the first"),
        series: vec![Series { points: points.collect(), ..Series::default() }],
        marks: vec![50.0],
        ..Chart::default()
    };
    blocks.push(figure("scores", chart));
    if let Some(ratings) = &summary.ratings {
        let points = ratings.players.iter().enumerate().map(|(i, player)| Point::estimate(i as f64, player.rating));
        let chart = Chart {
            title: "Ratings from all games together, 95 %".into(),
            x: Axis {
                names: ratings.players.iter().map(|player| names.short(&player.name)).collect(),
                ..Axis::default()
            },
            y: Axis::labelled("Elo"),
            series: vec![Series { points: points.collect(), ..Series::default() }],
            marks: vec![0.0],
            ..Chart::default()
        };
        blocks.push(figure("ratings", chart));
    }
    Ok(blocks)
}

/// The score with its interval, and the log-likelihood ratio, along a match of two players.
fn history(plan: &MatchPlan, rows: &[&GameRow]) -> Result<(Vec<Point>, Vec<Point>)> {
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
            scores.push(Point::percent(games, estimate));
        }
        if let Some(sequence) = &pairing.sequence {
            ratios.push(Point::plain(games, sequence.ratio()));
        }
    }
    Ok((scores, ratios))
}

fn endings(standing: &Standing, names: &Names) -> Section {
    let mut sheet = Sheet { words: 1, ..Sheet::new(&["player", "opponent", "as Black, W-D-L", "as White, W-D-L"]) };
    let reasons: Vec<Reason> = Reason::ALL
        .into_iter()
        .filter(|reason| standing.pairings.iter().any(|p| p.reasons.contains_key(reason)))
        .collect();
    sheet.head.extend(reasons.iter().map(ToString::to_string));
    for pairing in &standing.pairings {
        let mut fields = vec![names.field(&pairing.player), names.field(&pairing.opponent)];
        let record = |[losses, draws, wins]: [u64; 3]| Field::from(record_text(wins, draws, losses));
        fields.extend(pairing.by_color.map(record));
        fields.extend(
            reasons.iter().map(|reason| pairing.reasons.get(reason).map_or("–".into(), |&counts| record(counts))),
        );
        sheet.rows.push(fields);
    }
    Section {
        title: "How games ended".to_string(),
        blocks: vec![
            Block::Table(sheet),
            Block::Text("All columns are wins, draws and losses of the player named first; the last ones by what ended the games.".to_string()),
        ],
        ..Section::default()
    }
}

fn spent(players: &[Spent], names: &Names) -> Section {
    let mut sheet = Sheet::new(&[
        "player",
        "moves",
        "simulations",
        "nodes",
        "evaluations",
        "depth",
        "ms, median game",
        "ms, 95 % of games",
        "ms, slowest move",
        "CPU ms",
        "CPU µs per simulation",
    ]);
    sheet.rows = players
        .iter()
        .map(|player| {
            vec![
                names.field(&player.name),
                player.moves.to_string().into(),
                format!("{:.0}", player.per_move(player.sims as f64)).into(),
                format!("{:.0}", player.per_move(player.nodes as f64)).into(),
                known(player.evals as f64, player.per_move(player.evals as f64)).into(),
                format!("{:.1}", player.depth()).into(),
                format!("{:.2}", player.pace(0.5)).into(),
                format!("{:.2}", player.pace(0.95)).into(),
                format!("{:.1}", player.slowest_ms).into(),
                known(player.cpu_ms, player.per_move(player.cpu_ms)).into(),
                step_time_text(player.cpu_ms, [player.sims, player.nodes, player.evals]).into(),
            ]
        })
        .collect();
    Section {
        title: "What players spent per move".to_string(),
        blocks: vec![
            Block::Table(sheet),
            Block::Text(
                "CPU time is that of the thread that asked: all of a search on one thread, only a part of one on more threads, and \
                 nothing of a program's."
                    .to_string(),
            ),
        ],
        ..Section::default()
    }
}

/// A mean, where anything is known.
fn known(total: f64, mean: f64) -> String {
    if total > 0.0 { crate::report::text::short(mean) } else { "–".to_string() }
}

fn conditions(plan: &MatchPlan) -> Vec<(String, String)> {
    let config = &plan.config;
    let openings = match &config.openings {
        OpeningSource::Start => "the start position".to_string(),
        OpeningSource::Random { plies } => format!("{plies} random plies"),
        OpeningSource::Balanced { plies, within, by } => format!("{plies} random plies, even within {within} by {by}"),
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
    ];
    for player in &config.players {
        rows.push((player.name.clone(), command(player)));
    }
    rows
}

/// The facts of the run, for the end of the page.
fn facts(plan: &MatchPlan, manifest: &Value, summary: &Summary) -> Vec<(String, String)> {
    let of = |key: &str| match &manifest[key] {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let mut facts = vec![
        ("match".to_string(), format!("{} ({})", plan.config.name, plan.short_hash())),
        ("games".into(), format!("{} of {}", summary.standing.games, summary.standing.scheduled)),
        ("seed".into(), plan.config.seed.to_string()),
        ("reproducible".into(), if plan.config.reproducible { "yes" } else { "no" }.to_string()),
    ];
    let known = [
        ("program", of("version").map(|version| format!("yomi {version}"))),
        ("build", of("build")),
        ("bench signature", of("signature")),
        ("compiler", of("compiler")),
        ("processor", of("cpu")),
        ("command", of("command")),
    ];
    facts.extend(known.into_iter().filter_map(|(key, value)| Some((key.to_string(), value?))));
    facts
}

/// The last positions of a few games: the first of each pairing, then others.
fn boards(plan: &MatchPlan, rows: &[&GameRow], names: &Names) -> Vec<(Scene, String)> {
    let mut seen = std::collections::BTreeSet::new();
    let (first, others): (Vec<&GameRow>, Vec<&GameRow>) =
        rows.iter().copied().filter(|row| row.counts()).partition(|row| seen.insert(row.pairing));
    let scene = |row: &GameRow| Scene {
        game: plan.config.game.clone(),
        position: row.position.clone(),
        moves: row.moves.split_whitespace().map(str::to_string).collect(),
    };
    let caption = |row: &GameRow| {
        format!(
            "Game {}: {} – {}, {} after {} plies ({})",
            row.job,
            names.short(&row.first),
            names.short(&row.second),
            row.result.word(),
            row.plies,
            row.detail
        )
    };
    first.into_iter().chain(others).take(BOARDS).map(|row| (scene(row), caption(row))).collect()
}

/// All games that count, to be replayed.
fn games(plan: &MatchPlan, rows: &[&GameRow], standing: &Standing, names: &Names) -> GameSet {
    let pairs = standing.pairings.iter().map(|p| [names.short(&p.player), names.short(&p.opponent)]).collect();
    let recorded = |row: &&GameRow| {
        let game = row.result.game()?;
        let pairing = standing.pairings.get(row.pairing)?;
        let first = row.first == pairing.player;
        let game = if first { game } else { game.swapped() };
        Some(Recorded {
            row: row.pairing,
            number: row.job,
            half_points: game.half_points() as u8,
            first,
            detail: row.detail.clone(),
            position: row.position.clone(),
            moves: row.moves.split_whitespace().map(str::to_string).collect(),
        })
    };
    GameSet { game: plan.config.game.clone(), rows: pairs, games: rows.iter().filter_map(recorded).collect() }
}
