//! Which games are the same, and which are held out: both follow from their moves, whatever file they stand in.

use yomi_core::{Move, Record, Seed};
use yomi_games::Game;

/// A number for what a game teaches: the position after the plies that are skipped, and the moves from there on. Games that come to the
/// same by another order of their first moves have the same, and so have games that are reflections or rotations of each other. Of a million
/// games, two others share theirs with a probability of 3e-8.
pub(super) fn fingerprint<P: Game>(record: &Record<P>, skipped: usize) -> u64 {
    let number = |moves: &Vec<P::Move>| {
        let (before, after) = moves.split_at(skipped.min(moves.len()));
        let mut position = record.start.clone();
        before.iter().for_each(|&mv| position.play(mv));
        let bytes = after.iter().flat_map(|mv| mv.to_bits().to_le_bytes());
        fnv(position.position_text().bytes().chain(bytes))
    };
    record.start.images(&record.moves()).iter().map(number).min().unwrap_or(0)
}

/// FNV-1a of 64 bits (Fowler, Noll, Vo).
pub(crate) fn fnv(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

/// Whether a game is held out.
pub(super) fn is_held_out(fingerprint: u64, share: f64, seed: u64) -> bool {
    f64::from(Seed::new(seed).branch("held out", fingerprint).rng().unit()) < share
}

#[cfg(test)]
mod tests {
    use super::*;
    use yomi_core::record::ROOT;
    use yomi_core::{Notation, Spec};
    use yomi_games::go::Go9;

    fn record(moves: &[&str]) -> Record<Go9> {
        let start = Go9::start(&Spec::named("go9")).unwrap();
        let mut record = Record::new(start.clone());
        moves.iter().fold(ROOT, |node, mv| record.add(node, Some(start.parse_move(mv).unwrap())));
        record
    }

    #[test]
    fn the_sum_is_that_of_its_authors() {
        assert_eq!(
            (fnv(b"".iter().copied()), fnv(b"a".iter().copied())),
            (0xcbf2_9ce4_8422_2325, 0xaf63_dc4c_8601_ec8c)
        );
    }

    #[test]
    fn a_reflected_game_is_the_same_game() {
        let fingerprint = |moves: &[&str]| super::fingerprint(&record(moves), 0);
        let game = fingerprint(&["C3", "G4"]);
        assert_eq!(game, fingerprint(&["C7", "G6"]));
        assert_eq!(game, fingerprint(&["C3", "D7"]));
        assert_ne!(game, fingerprint(&["C3", "G5"]));
        assert_ne!(game, fingerprint(&["G4", "C3"]));
        assert_ne!(game, fingerprint(&["C3"]));
        // Another way to the first position that is learned.
        let [one, other] = [&["C3", "G4", "F7", "E5"], &["F7", "G4", "C3", "E5"]].map(|moves| record(moves));
        assert_eq!(super::fingerprint(&one, 3), super::fingerprint(&other, 3));
        assert_ne!(super::fingerprint(&one, 0), super::fingerprint(&other, 0));
    }

    /// Binomial with 20,000 games and one in ten: standard deviation 42; five of them. The seed is fixed.
    #[test]
    fn a_share_is_held_out_and_the_seed_decides_which() {
        let held = |seed| (0..20_000u64).filter(|&game| is_held_out(game * game, 0.1, seed)).count();
        assert!(held(1).abs_diff(2_000) < 210 && held(2).abs_diff(2_000) < 210);
        assert_ne!(held(1), held(2));
        assert!((0..100).all(|game| !is_held_out(game, 0.0, 1)));
    }
}
