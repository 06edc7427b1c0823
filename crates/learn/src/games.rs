//! Games to learn from, and the file that keeps them.
//!
//! ```text
//! YOMI-GAM  version u32  length of name u8  name of the game  games u32
//! each: plies u16  random plies u16  outcome u8  moves u16 …  values f32 …      FNV-1a of all before u64
//! ```

use yomi_core::rng::fnv1a;
use yomi_core::{Color, Move, Outcome, Position, TextError};

/// A game that was played.
#[derive(Clone, PartialEq, Debug)]
pub struct Game<M> {
    /// The moves from the start position.
    pub moves: Vec<M>,
    /// How many of them, at the beginning, were random and teach nothing.
    pub random: usize,
    /// What the search made of the position before each move, for the side to move; no number where it was not asked.
    pub values: Vec<f32>,
    /// How it ended.
    pub outcome: Outcome,
}

const MAGIC: &[u8; 8] = b"YOMI-GAM";
const VERSION: u32 = 1;
/// No game is longer.
pub const LONGEST: usize = 4096;

/// The file of games.
pub fn write<P: Position>(games: &[Game<P::Move>]) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(VERSION.to_le_bytes());
    bytes.push(P::NAME.len() as u8);
    bytes.extend(P::NAME.as_bytes());
    bytes.extend((games.len() as u32).to_le_bytes());
    for game in games {
        bytes.extend((game.moves.len().min(LONGEST) as u16).to_le_bytes());
        bytes.extend((game.random as u16).to_le_bytes());
        bytes.push(match game.outcome {
            Outcome::Win(Color::Black) => 1,
            Outcome::Win(Color::White) => 2,
            Outcome::Draw => 0,
        });
        game.moves.iter().take(LONGEST).for_each(|mv| bytes.extend(mv.to_bits().to_le_bytes()));
        game.values.iter().take(LONGEST).for_each(|value| bytes.extend(value.to_le_bytes()));
    }
    let sum = fnv1a(&bytes);
    bytes.extend(sum.to_le_bytes());
    bytes
}

/// Whether these bytes begin as such a file does.
pub fn is_file(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// Reads a file of games. What is not exactly such a file of this game, whole and legal from the start position, is refused.
pub fn read<P: Position + Default>(file: &[u8]) -> Result<Vec<Game<P::Move>>, TextError> {
    let damaged = |what: &str| TextError::new(format!("this file of games {what}"));
    let (bytes, sum) = file.split_last_chunk::<8>().ok_or_else(|| damaged("is too short"))?;
    let mut input = bytes;
    if take(&mut input) != Some(*MAGIC) {
        return Err(damaged("does not begin with YOMI-GAM"));
    }
    if take(&mut input).map(u32::from_le_bytes) != Some(VERSION) {
        return Err(damaged("has a version this program does not know"));
    }
    if fnv1a(bytes) != u64::from_le_bytes(*sum) {
        return Err(damaged("is damaged: its checksum is wrong"));
    }
    let [length] = take(&mut input).unwrap_or_default();
    let name = input.split_off(..usize::from(length)).unwrap_or_default();
    if name != P::NAME.as_bytes() {
        return Err(damaged(&format!("is of {}, not of {}", String::from_utf8_lossy(name), P::NAME)));
    }
    let count = take(&mut input).map(u32::from_le_bytes).ok_or_else(|| damaged("ends in its header"))?;
    let mut games = Vec::new();
    for number in 0..count {
        let game = read_game::<P>(&mut input);
        games.push(game.ok_or_else(|| damaged(&format!("ends or makes no sense in game {}", number + 1)))?);
    }
    if input.is_empty() { Ok(games) } else { Err(damaged("goes on after the last game")) }
}

fn read_game<P: Position + Default>(input: &mut &[u8]) -> Option<Game<P::Move>> {
    let plies = usize::from(u16::from_le_bytes(take(input)?));
    let random = usize::from(u16::from_le_bytes(take(input)?));
    let outcome = match take(input)? {
        [0] => Outcome::Draw,
        [1] => Outcome::Win(Color::Black),
        [2] => Outcome::Win(Color::White),
        _ => return None,
    };
    if plies > LONGEST || random > plies {
        return None;
    }
    let mut position = P::default();
    let mut moves = Vec::with_capacity(plies);
    for _ in 0..plies {
        let mv = P::Move::from_bits(u16::from_le_bytes(take(input)?));
        if !position.is_legal(mv) {
            return None;
        }
        position.play(mv);
        moves.push(mv);
    }
    let values = (0..plies).map(|_| take(input).map(f32::from_le_bytes)).collect::<Option<_>>()?;
    Some(Game { moves, random, values, outcome })
}

fn take<const N: usize>(input: &mut &[u8]) -> Option<[u8; N]> {
    let (front, rest) = input.split_first_chunk::<N>()?;
    *input = rest;
    Some(*front)
}

#[cfg(test)]
mod tests {
    use super::*;
    use yomi_core::{Notation, Seed};
    use yomi_games::shogi::{Minishogi, Shogi9, ShogiMove};

    fn some() -> Vec<Game<ShogiMove>> {
        let mut rng = Seed::new(4).rng();
        let game = |number: usize| {
            let mut position = Minishogi::default();
            let (mut moves, mut legal) = (Vec::new(), Vec::new());
            while moves.len() < 10 + number && position.generate(&mut legal).is_none() {
                moves.push(legal[rng.below(legal.len())]);
                position.play(moves[moves.len() - 1]);
            }
            let values = moves.iter().enumerate().map(|(i, _)| i as f32 * 3.5 - 9.0).collect();
            let outcome = [Outcome::Draw, Outcome::Win(Color::Black), Outcome::Win(Color::White)][number % 3];
            Game { moves, random: number.min(5), values, outcome }
        };
        (0..6).map(game).collect()
    }

    #[test]
    fn games_survive_the_file() {
        let games = some();
        assert_eq!(read::<Minishogi>(&write::<Minishogi>(&games)), Ok(games));
        assert_eq!(read::<Minishogi>(&write::<Minishogi>(&[])), Ok(Vec::new()));
    }

    #[test]
    fn anything_else_is_refused() {
        let good = write::<Minishogi>(&some());
        for (bytes, words) in [
            (&good[..good.len() - 1], "checksum"),
            (&good[..4], "short"),
            (b"YOMI-LIN and something else".as_slice(), "YOMI-GAM"),
        ] {
            let error = read::<Minishogi>(bytes).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
        assert!(read::<Shogi9>(&good).unwrap_err().to_string().contains("of minishogi, not of shogi"));
        // A move that is not legal, with a checksum that fits.
        let mut games = some();
        let quiet = Minishogi::default().parse_move("5e4d").unwrap_or(games[0].moves[0]);
        games[0].moves[1] = quiet;
        assert!(read::<Minishogi>(&write::<Minishogi>(&games)).unwrap_err().to_string().contains("game 1"));
    }
}
