//! What an engine said about its move: a score, and the moves it expected.
//!
//! CSA has floodgate's form, `'** 123 -3334FU +2726FU`; KIF has ShogiHome's, `**評価値=123` and `**読み筋=△３四歩▲２六歩`. Both are
//! hundredths of a pawn as Black sees them. A node keeps them as the property [`super::EVALUATION`].

use yomi_core::record::Node;
use yomi_core::{Notation, Position};

use super::super::moves::ShogiMove;
use super::super::position::Shogi;
use super::super::square::Square;
use super::super::variant::Variant;
use super::move_text::{self, blank};
use super::{EVALUATION, csa, csa_writer, relative};
use crate::game::variation;

/// No line of expected moves is longer.
const LONGEST: usize = 200;

/// Takes a line of a comment as an evaluation, if it is one and nothing was said about the node before: only then it is written back to the
/// same place. `position` is the one at the node, reached by a move to `before`. Whether it was taken.
pub(super) fn take<V: Variant>(
    node: &mut Node<ShogiMove>,
    line: &str,
    position: &Shogi<V>,
    before: Option<Square>,
) -> bool {
    if !node.comment.is_empty() {
        return false;
    }
    let known = node.properties.iter_mut().find(|(key, _)| key == EVALUATION).map(|(_, values)| values);
    match known {
        None => match score(line).and_then(|(score, rest)| Some((score, csa_moves(position, rest)?))) {
            Some((score, moves)) => {
                let values = std::iter::once(score.to_string()).chain(variation(position, &moves));
                node.properties.push((EVALUATION.to_string(), values.collect()));
                true
            }
            None => false,
        },
        Some(values) if values.len() == 1 => {
            match line.strip_prefix("*読み筋=").and_then(|text| kif_moves(position, text, before)) {
                Some(moves) => {
                    values.extend(variation(position, &moves));
                    true
                }
                None => false,
            }
        }
        Some(_) => false,
    }
}

/// The score that a line gives, and what follows it.
fn score(line: &str) -> Option<(i32, &str)> {
    if let Some(number) = line.strip_prefix("*評価値=") {
        return Some((number.parse().ok()?, ""));
    }
    let text = line.strip_prefix("** ")?;
    let (number, rest) = text.split_once(' ').unwrap_or((text, ""));
    Some((number.parse().ok()?, rest))
}

/// The evaluation of a node that stands in `position`, and the moves it expected as far as they are legal.
pub(super) fn of<V: Variant>(node: &Node<ShogiMove>, position: &Shogi<V>) -> Option<(i32, Vec<ShogiMove>)> {
    let values = node.properties.iter().find(|(key, _)| key == EVALUATION).map(|(_, values)| values)?;
    let (score, words) = values.split_first()?;
    let mut at = *position;
    let mut moves = Vec::new();
    for word in words.iter().take(LONGEST) {
        let Ok(mv) = at.parse_move(word) else { break };
        at.play(mv);
        moves.push(mv);
    }
    Some((score.parse().ok()?, moves))
}

/// What CSA writes behind the `'` of a comment.
pub(super) fn csa_text<V: Variant>(node: &Node<ShogiMove>, position: &Shogi<V>) -> Option<String> {
    let (score, moves) = of(node, position)?;
    let mut at = *position;
    let mut text = format!("** {score}");
    for mv in moves {
        text += &format!(" {}", csa_writer::move_text(&at, mv));
        at.play(mv);
    }
    Some(text)
}

/// Moves of CSA with blanks between them; none if one of them is illegal.
fn csa_moves<V: Variant>(position: &Shogi<V>, text: &str) -> Option<Vec<ShogiMove>> {
    let mut at = *position;
    let mut moves = Vec::new();
    for word in text.split_ascii_whitespace() {
        let mv = csa::parse_move(&at, word).ok().filter(|_| moves.len() < LONGEST)?;
        at.play(mv);
        moves.push(mv);
    }
    Some(moves)
}

/// Moves of KI2, one after another; none if one of them is illegal or there are none.
fn kif_moves<V: Variant>(position: &Shogi<V>, text: &str, mut before: Option<Square>) -> Option<Vec<ShogiMove>> {
    let mut at = *position;
    let mut moves = Vec::new();
    let mut rest = text.trim_matches(blank);
    while !rest.is_empty() {
        let (said, after) = move_text::parse(rest).ok().filter(|_| moves.len() < LONGEST)?;
        let mv = relative::resolve(&at, &said, before).ok()?;
        at.play(mv);
        before = Some(mv.to());
        moves.push(mv);
        rest = after.trim_start_matches(blank);
    }
    Some(moves).filter(|moves| !moves.is_empty())
}
