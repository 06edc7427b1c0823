//! A whole game for a page: the first position, and what each move changes.
//!
//! A position is one shape a place ([`Stage`]). A change is four characters: two for the place, two for the shape, each a digit to the base
//! of 64. That is less than the moves themselves take in some notations, and the page needs to know no rules.

use yomi_core::TextError;
use yomi_games::draw::{Marks, Stage};

use super::page::Scene;
use crate::opening::{self, Opening};
use yomi_games::Game;

/// The digits of places and shapes.
pub(crate) const DIGITS: &[u8; 64] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";

/// A game, move by move.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Film {
    /// What stands on the board at first.
    pub start: String,
    /// What each move changes, separated by commas.
    pub changes: String,
}

/// Follows a game from its start.
pub(crate) fn film<P: Game>(start: &P, scene: &Scene, stage: &mut Stage) -> Result<Film, TextError> {
    let whole = Opening { position: scene.position.clone(), moves: scene.moves.join(" ") };
    let (mut position, moves, _) = opening::replay(start, &whole)?;
    let mut now = stage.frame(&position.picture(&Marks::new()));
    let nothing = vec![0; now.len()];
    let first = changes(&nothing, &now);
    let mut plies = Vec::with_capacity(moves.len());
    for mv in moves {
        position.play(mv);
        let next = stage.frame(&position.picture(&Marks::new()));
        plies.push(changes(&now, &next));
        now = next;
    }
    Ok(Film { start: first, changes: plies.join(",") })
}

/// What differs between two positions.
fn changes(from: &[u16], to: &[u16]) -> String {
    let mut text = String::new();
    // A board may shrink (the pile of nim): what is no longer there is empty.
    for place in 0..from.len().max(to.len()) {
        let at = |frame: &[u16]| frame.get(place).copied().unwrap_or(0);
        if at(from) != at(to) {
            for number in [place, usize::from(at(to))] {
                text.push(char::from(DIGITS[number / 64 % 64]));
                text.push(char::from(DIGITS[number % 64]));
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use yomi_games::draw::Draw;
    use yomi_games::go::{Go9, Rules};
    use yomi_games::shogi::Minishogi;

    /// Plays a film as the page does.
    fn last(film: &Film, places: usize) -> Vec<u16> {
        let value = |c: u8| DIGITS.iter().position(|&digit| digit == c).unwrap();
        let mut board = vec![0u16; places];
        for text in [film.start.as_str()].into_iter().chain(film.changes.split(',')) {
            for change in text.as_bytes().chunks(4) {
                let number = |i: usize| value(change[i]) * 64 + value(change[i + 1]);
                board[number(0)] = number(2) as u16;
            }
        }
        board
    }

    #[test]
    fn a_film_ends_where_the_game_ends() {
        let scene = |game: &str, moves: &str| Scene {
            game: game.into(),
            position: None,
            moves: moves.split(' ').map(String::from).collect(),
        };
        let (start, game) = (Minishogi::default(), scene("minishogi", "3e2d 5a5d 5e5d"));
        let mut stage = Stage::new(&start.picture(&Marks::new()));
        let shot = film(&start, &game, &mut stage).unwrap();
        assert_eq!(shot.changes.split(',').count(), 3);
        let (_, _, line) = opening::replay(&start, &Opening { position: None, moves: game.moves.join(" ") }).unwrap();
        let end = stage.frame(&line.position().picture(&Marks::new()));
        assert_eq!(last(&shot, end.len()), end);
        let start = Go9::new(9, Rules::default()).unwrap();
        let mut stage = Stage::new(&start.picture(&Marks::new()));
        let shot = film(&start, &scene("go9", "A1 B1 E5 A2"), &mut stage).unwrap();
        // The capture takes a stone away and puts one down.
        assert_eq!(shot.changes.split(',').next_back().unwrap().len(), 8);
        assert_eq!(last(&shot, 81).iter().filter(|&&shape| shape > 0).count(), 3);
        assert!(film(&start, &scene("go9", "A1 A1"), &mut stage).is_err());
    }
}
