//! What a player expected after its move: the beginning of its principal variation, which ledgers keep and records show.

use yomi_core::Notation;
use yomi_session::variation;

/// How many plies of it are kept: what fits into a line of a record. Ledgers of thousands of games keep no more.
pub const EXPECTED_PLIES: usize = 8;

/// What a variation expects after `played`, as text with blanks between the moves. Nothing if it does not begin with that move: a player that
/// chose another one than its search has said nothing about it.
pub(crate) fn after<P: Notation>(position: &P, played: P::Move, expected: &[P::Move]) -> String {
    match expected.split_first() {
        Some((&first, rest)) if first == played => {
            let mut position = position.clone();
            position.play(played);
            variation(&position, &rest[..rest.len().min(EXPECTED_PLIES)]).join(" ")
        }
        _ => String::new(),
    }
}

/// The moves that the words name, as far as they are legal and fit into a ledger: other programs are not trusted.
pub(crate) fn legal<'a, P: Notation>(position: &P, words: impl Iterator<Item = &'a str>) -> Vec<P::Move> {
    let (mut position, mut legal, mut moves) = (position.clone(), Vec::new(), Vec::new());
    // One more than is kept: the first may be the move that was played.
    for word in words.take(EXPECTED_PLIES + 1) {
        if position.generate(&mut legal).is_some() {
            break;
        }
        let Some(mv) = position.parse_move(word).ok().filter(|mv| legal.contains(mv)) else { break };
        position.play(mv);
        moves.push(mv);
    }
    moves
}
