//! From rows of a ledger to records and pictures.

use yomi_core::record::ROOT;
use yomi_core::{Color, Ending, Outcome, Record, TextError};
use yomi_games::draw::{Marks, SvgOptions, svg};
use yomi_games::{Date, Game};

use crate::ending::Reason;
use crate::expected;
use crate::opening::{self, Opening};
use crate::report::{Drawing, Scene};
use crate::row::{GameResult, GameRow};
use crate::worth;

/// What a record says above its moves that the row of the game does not say.
#[derive(Clone, Copy, Debug)]
pub struct Title<'a> {
    /// The match.
    pub event: &'a str,
    /// The names of the players, as people know them: the one who had Black first.
    pub players: [&'a str; 2],
}

/// The game of a row as a record, with what the players said about their moves.
pub(crate) fn of_row<P: Game>(start: &P, row: &GameRow, title: &Title<'_>) -> Result<Record<P>, TextError> {
    let (start, moves, line) = replay(start, row)?;
    let mut record = Record::new(start.clone());
    let names = P::PLAYER_KEYS.into_iter().zip(title.players);
    record.headers = names.map(|(key, name)| (key.to_string(), name.to_string())).collect();
    record.headers.push((P::EVENT_KEY.to_string(), format!("{}, game {}", title.event, row.job + 1)));
    if let Some(ended) = row.ended {
        let thought = row.ms.iter().sum::<f64>() / 1000.0;
        let began = ended.saturating_sub(thought as u64);
        let dates = P::dates(Date::of(began), Date::of(ended));
        record.headers.extend(dates.into_iter().map(|(key, date)| (key.to_string(), date)));
    }
    let (mut node, mut position) = (ROOT, start);
    for (i, &mv) in moves.iter().enumerate() {
        node = record.add(node, Some(mv));
        let worth = worth::at(row, i, position.turn());
        position.play(mv);
        if let Some(worth) = worth {
            P::annotate(&mut record.nodes[node], worth);
            let words = i.checked_sub(row.opening as usize).and_then(|index| row.lines.get(index));
            let words = words.map(String::as_str).unwrap_or_default();
            let line = expected::legal(&position, words.split_ascii_whitespace());
            if !line.is_empty() {
                P::annotate_line(&mut record.nodes[node], &position, &line);
            }
        }
    }
    let to_move = line.position().turn();
    if let Some(ending) = ending(row, line.generate(&mut Vec::new()).map(|outcome| P::ending(&line, outcome)), to_move)
    {
        let end = record.add(node, None);
        record.nodes[end].ending = Some(ending);
        record.nodes[end].comment = format!("{}: {}", row.reason, row.detail);
    }
    Ok(record)
}

/// What records call the end of a game.
fn ending(row: &GameRow, by_rule: Option<Ending>, to_move: Color) -> Option<Ending> {
    let outcome = match row.result {
        GameResult::First => Outcome::Win(Color::Black),
        GameResult::Second => Outcome::Win(Color::White),
        GameResult::Draw => Outcome::Draw,
        GameResult::None => return None,
    };
    let ending = match row.reason {
        Reason::Normal => {
            by_rule.unwrap_or(if outcome == Outcome::Draw { Ending::Impasse } else { Ending::Declaration })
        }
        Reason::Resign => Ending::Resign,
        Reason::Illegal => Ending::IllegalAction,
        Reason::Timeout => Ending::TimeUp,
        Reason::MoveLimit => Ending::MoveLimit,
        Reason::Crash | Reason::Adjudicated | Reason::Void => Ending::Counted(outcome),
    };
    // Most endings speak of the side to move; where the other one is meant, who won must do.
    Some(if ending.outcome(to_move) == Some(outcome) { ending } else { Ending::Counted(outcome) })
}

/// The last position of a scene, the last move marked.
pub(crate) fn draw<P: Game>(start: &P, scene: &Scene) -> Result<Drawing, TextError> {
    let whole = Opening { position: scene.position.clone(), moves: scene.moves.join(" ") };
    let (_, moves, line) = opening::replay(start, &whole)?;
    let mut marks = Marks::new();
    marks.last = moves.last().copied();
    let picture = line.position().picture(&marks);
    Ok(Drawing { svg: svg(&picture, &SvgOptions::default()), text: line.position().position_text() })
}

/// All moves are legal; a game that the rules ended has their result, and no other went on beyond its end.
pub(crate) fn check<P: Game>(start: &P, row: &GameRow) -> Result<(), TextError> {
    let (start, moves, line) = replay(start, row)?;
    let wrong = |what: &str| Err(TextError::new(format!("game {}: {what}", row.job)));
    if moves.len() != row.plies as usize {
        return wrong("the number of plies is not the number of moves");
    }
    if crate::arena::identity(&start, &moves) != row.identity {
        return wrong("the identity is not that of these moves");
    }
    by_the_rules(&line, row.result, row.reason == Reason::Normal).or_else(wrong)
}

/// The same for a game that is no row: its moves are legal, and its result is that of the rules where these ended it.
pub(crate) fn look_through<P: Game>(
    start: &P,
    scene: &Scene,
    result: GameResult,
    reason: &str,
) -> Result<(), TextError> {
    let whole = Opening { position: scene.position.clone(), moves: scene.moves.join(" ") };
    let (_, _, line) = opening::replay(start, &whole)?;
    by_the_rules(&line, result, reason == Reason::Normal.word()).map_err(TextError::new)
}

/// A game that the rules ended has their result, and no other went on beyond its end; else what is wrong.
fn by_the_rules<P: Game>(line: &yomi_core::Line<P>, result: GameResult, normal: bool) -> Result<(), &'static str> {
    let by_rule = line.generate(&mut Vec::new());
    let by_declaration = line.position().declared();
    match (normal, by_rule) {
        (true, _) if result == GameResult::of(by_rule.or(by_declaration)) => Ok(()),
        (true, _) => Err("the rules give another result"),
        (false, Some(_)) => Err("the rules had ended the game"),
        (false, None) => Ok(()),
    }
}

#[allow(clippy::type_complexity, reason = "three plain things")]
fn replay<P: Game>(start: &P, row: &GameRow) -> Result<(P, Vec<P::Move>, yomi_core::Line<P>), TextError> {
    let whole = Opening { position: row.position.clone(), moves: row.moves.clone() };
    opening::replay(start, &whole).map_err(|error| error.context(format!("game {}", row.job)))
}
