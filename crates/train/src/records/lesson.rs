//! What the record of a game teaches: the moves that were played, who won, and by how much where that is known.

use yomi_core::record::Node;
use yomi_core::{Color, Ending, Line, Outcome, Position, Record};
use yomi_games::shogi::records::EVALUATION;
use yomi_games::shogi::winning_chance;

use super::{Reason, Selection};
use crate::game::Trainable;
use crate::samples::{Header, Sample};

/// Properties that change the board between moves.
const SETUP: [&str; 4] = ["AB", "AW", "AE", "PL"];

/// The property in which programs keep Black's chance of winning, in percent (Sabaki's).
const CHANCE: &str = "SBKV";

/// The samples of a game, or why it is left out; and how many of them have their value from the record.
pub(super) fn samples<P: Trainable>(
    record: &Record<P>,
    number: u64,
    selection: &Selection,
) -> Result<(Vec<Sample>, u64), Reason> {
    let nodes: Vec<&Node<P::Move>> = record.main_line().skip(1).map(|node| &record.nodes[node]).collect();
    let sets_up = |node: &&Node<P::Move>| node.properties.iter().any(|(name, _)| SETUP.contains(&name.as_str()));
    if nodes.iter().any(sets_up) {
        return Err(Reason::SetUp);
    }
    if let Some(least) = selection.least_rating
        && !ratings(record).iter().all(|rating| rating.is_some_and(|rating| rating >= least))
    {
        return Err(Reason::Rating);
    }
    let ending = record.ending();
    match ending {
        Some(Ending::TimeUp) if !selection.time_up => return Err(Reason::TimeUp),
        Some(Ending::IllegalAction | Ending::IllegalMove) if !selection.illegal => return Err(Reason::Illegal),
        _ => {}
    }
    let plies = nodes.iter().filter(|node| node.mv.is_some()).count();
    let taken = selection.skip_first..plies.saturating_sub(selection.skip_last);
    if plies < selection.least_plies || taken.is_empty() {
        return Err(Reason::Short);
    }
    let mut line = Line::new(record.start.clone());
    let (mut moves, mut samples) = (Vec::new(), Vec::new());
    let slots = Header::new(record.start.layout()).slots;
    for node in nodes {
        let Some(mv) = node.mv else { continue };
        // A game may go on where our rules end it; there is nothing to learn where the rules know no move.
        if line.generate(&mut moves).is_none() {
            if !moves.contains(&mv) {
                return Err(Reason::Rules);
            }
            if let Some(ply) = Some(line.len()).filter(|ply| taken.contains(ply)) {
                let position = line.position();
                let mut sample =
                    Sample::new(number, ply.min(usize::from(u16::MAX)) as u16, position.pack(position.turn()));
                sample.policy = policy(position, mv, &moves, selection.smoothing, slots);
                samples.push((sample, position.turn(), if selection.evaluations { evaluation(node) } else { None }));
            }
        }
        line.play(mv);
    }
    let position = line.position();
    let ended = line.ended(&mut moves);
    let outcome = ending.and_then(|ending| ending.outcome(position.turn())).or(ended).ok_or(Reason::NoResult)?;
    if samples.is_empty() {
        return Err(Reason::Short);
    }
    let evaluated = samples.iter().filter(|(_, _, evaluation)| evaluation.is_some()).count() as u64;
    let count = Count::of(record, position, outcome, ended);
    let complete = |(mut sample, turn, evaluation): (Sample, Color, Option<f32>)| {
        sample.finish(turn, outcome, count.margin, &count.owners);
        // Where nothing else is known the value repeats the result, so that any mixture of both is the result.
        sample.value = evaluation
            .map_or(f32::from(sample.result) - 1.0, |black| if turn == Color::Black { black } else { -black });
        sample
    };
    Ok((samples.into_iter().map(complete).collect(), evaluated))
}

/// The move that was played, and smoothing over the legal moves there is room for.
fn policy<P: Trainable>(
    position: &P,
    played: P::Move,
    moves: &[P::Move],
    smoothing: f32,
    slots: usize,
) -> Vec<(u16, f32)> {
    let label = |mv: P::Move| position.label(mv) as u16;
    if smoothing <= 0.0 {
        return vec![(label(played), 1.0)];
    }
    let others = moves.iter().filter(|&&mv| mv != played).take(slots - 1);
    let even = smoothing / (1 + others.clone().count()) as f32;
    let others = others.map(|&mv| (label(mv), even));
    std::iter::once((label(played), 1.0 - smoothing + even)).chain(others).collect()
}

/// The final count, where it is that of the board in the end.
struct Count {
    margin: Option<f32>,
    owners: Vec<Option<Color>>,
}

impl Count {
    /// The board is counted only where the rules ended the game, and where the record says the same: what was agreed to be dead still stands
    /// there.
    fn of<P: Trainable>(record: &Record<P>, last: &P, outcome: Outcome, ended: Option<Outcome>) -> Count {
        let stated = record.header("RE").and_then(|text| text.split_once('+')?.1.trim().parse::<f32>().ok());
        let agrees = |margin: &f32| ended == Some(outcome) && stated.is_none_or(|stated| stated == margin.abs());
        match last.margin().filter(agrees) {
            Some(margin) => Count { margin: Some(margin), owners: last.final_owners() },
            None => Count { margin: None, owners: Vec::new() },
        }
    }
}

/// What the record says of the position before a node, by the player who moved there: Black's view, from -1 to 1.
fn evaluation<M>(node: &Node<M>) -> Option<f32> {
    let value = |name: &str| {
        let (_, values) = node.properties.iter().find(|(known, _)| known == name)?;
        values.first()?.trim().parse::<f64>().ok().filter(|number| number.is_finite())
    };
    let chance =
        value(EVALUATION).map(winning_chance::chance).or_else(|| value(CHANCE).map(|percent| percent / 100.0))?;
    Some((2.0 * chance.clamp(0.0, 1.0) - 1.0) as f32)
}

/// The ratings of Black and White: of SGF, if they are numbers, and of floodgate, whose comments say `black_rate:NAME:2345.0`.
fn ratings<P: Position>(record: &Record<P>) -> [Option<f64>; 2] {
    let comment = &record.nodes[yomi_core::record::ROOT].comment;
    [("BR", "black_rate:"), ("WR", "white_rate:")].map(|(header, mark)| {
        let line = comment.lines().find_map(|line| line.trim_start_matches('\'').strip_prefix(mark));
        let number =
            |text: &str| text.trim().trim_end_matches('?').parse::<f64>().ok().filter(|rating| rating.is_finite());
        number(line.and_then(|line| line.rsplit(':').next()).or_else(|| record.header(header))?)
    })
}
