//! Features of moves of Blokus Duo (S3.1): how large the piece is, corners gained and taken.

use yomi_core::Position;
use yomi_games::blokus::{BlokusDuo, BlokusMove, CellSet};

use super::MoveFeatures;

const NAMES: [&str; 6] = ["pass", "size", "corners-gained", "corners-used", "corners-taken", "space-denied"];

impl MoveFeatures for BlokusDuo {
    type Scratch = ();

    fn feature_names() -> Vec<String> {
        NAMES.iter().map(ToString::to_string).collect()
    }

    fn move_features(
        &self,
        _: Option<BlokusMove>,
        moves: &[BlokusMove],
        (): &mut (),
        sink: &mut dyn FnMut(usize, usize, f32),
    ) {
        let (own, enemy) = (self.turn(), !self.turn());
        let (attach, forbidden) = (self.attach(own), self.forbidden(own));
        let (their_attach, their_space) = (self.attach(enemy), CellSet::BOARD - self.forbidden(enemy));
        for (i, &mv) in moves.iter().enumerate() {
            let mut found = |feature: usize, squares: u32| {
                if squares > 0 {
                    sink(i, feature, squares as f32);
                }
            };
            let Some(piece) = mv.piece() else {
                found(0, 1);
                continue;
            };
            let cells = mv.cells();
            found(1, piece.size());
            // A corner is gained where a further piece could be attached that could not before.
            found(2, (cells.corner_neighbors() - forbidden - cells.edge_neighbors() - attach).len());
            found(3, (cells & attach).len());
            found(4, (cells & their_attach).len());
            found(5, (cells & their_space).len());
        }
    }

    /// By hand: large pieces, many corners, the opponent's corners taken.
    fn embedded_policy() -> Vec<f32> {
        vec![0.0, 0.8, 0.15, 0.0, 0.4, 0.0]
    }
}
