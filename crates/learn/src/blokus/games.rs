//! Games of stronger players: their positions can be learned from instead of those of self-play.

use yomi_core::rng::fnv1a;
use yomi_core::{Position, Record, Rng, Simulate, TextError};
use yomi_games::blokus::{BlokusDuo, records};

use super::episode::Episode;

/// Games that were played elsewhere, each of them an episode.
pub struct Games {
    file: Vec<u8>,
    episodes: Vec<Episode>,
}

impl Games {
    /// Reads a file of Blokus SGF games. Illegal moves and games without a move are refused, with the number of the game.
    pub fn read(file: Vec<u8>) -> Result<Games, TextError> {
        let games = records::read_all(&file)?;
        let episode = |(record, number): (&Record<BlokusDuo>, usize)| {
            episode(record).map_err(|e| e.context(format!("game {number}")))
        };
        let episodes = games.iter().zip(1..).map(episode).collect::<Result<Vec<_>, _>>()?;
        if episodes.is_empty() {
            return Err(TextError::new("there is no game to learn from"));
        }
        Ok(Games { file, episodes })
    }

    /// The file that was read.
    pub fn file(&self) -> &[u8] {
        &self.file
    }

    /// FNV-1a of the file, which settings remember.
    pub fn check(&self) -> u64 {
        fnv1a(&self.file)
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.episodes.len()
    }

    /// One of them, each equally likely.
    pub fn draw(&self, rng: &mut Rng) -> &Episode {
        &self.episodes[rng.below(self.episodes.len())]
    }
}

/// The positions of the main line after each of its plies.
fn episode(record: &Record<BlokusDuo>) -> Result<Episode, TextError> {
    let mut position = record.start.clone();
    let mut positions = Vec::new();
    for (mv, ply) in record.moves().into_iter().zip(1..) {
        if !position.is_legal(mv) {
            return Err(TextError::new(format!("ply {ply} is not legal")));
        }
        position.play(mv);
        positions.push(position.clone());
    }
    if positions.is_empty() {
        return Err(TextError::new("there is no move"));
    }
    Ok(Episode { positions, outcome: position.adjudicate() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use yomi_core::Seed;

    /// A random game as a file, and its positions.
    fn game(seed: u64) -> (String, Vec<BlokusDuo>) {
        let mut record = Record::new(BlokusDuo::default());
        let (mut position, mut moves, mut positions, mut node) = (BlokusDuo::default(), Vec::new(), Vec::new(), 0);
        let mut rng = Seed::new(seed).rng();
        while position.generate(&mut moves).is_none() {
            let mv = moves[rng.below(moves.len())];
            node = record.add(node, Some(mv));
            position.play(mv);
            positions.push(position.clone());
        }
        (records::write(&record), positions)
    }

    #[test]
    fn games_are_episodes() {
        let (first, positions) = game(1);
        let file = format!("{first}\n{}", game(2).0);
        let games = Games::read(file.clone().into_bytes()).unwrap();
        assert_eq!((games.count(), games.file()), (2, file.as_bytes()));
        assert!(games.episodes[0].positions.iter().map(BlokusDuo::key).eq(positions.iter().map(BlokusDuo::key)));
        let last = positions.last().unwrap();
        assert_eq!(last.generate(&mut Vec::new()), Some(games.episodes[0].outcome));
        let mut rng = Seed::new(3).rng();
        let lengths: std::collections::BTreeSet<_> = (0..40).map(|_| games.draw(&mut rng).positions[0].key()).collect();
        assert_eq!(lengths.len(), 2, "both are drawn");
    }

    #[test]
    fn what_is_no_game_is_refused() {
        let refused = |text: &str| Games::read(text.as_bytes().to_vec()).err().map(|e| e.to_string());
        assert!(refused("").is_some() && refused("(;GM[Blokus Duo])").is_some_and(|e| e.contains("no move")));
        let twice = "(;GM[Blokus Duo];B[e10,e9,e8,e7,e6];W[j5,j6,j7,j8,j9];B[e10,e9,e8,e7,e6])";
        assert!(refused(twice).is_some(), "a piece laid twice");
    }
}
