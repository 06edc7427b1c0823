//! Go as a game that is played, matched and recorded.

use yomi_core::record::Node;
use yomi_core::{Notation, Record, TextError};

use super::{Go, GoMove, Symmetry, records};
use crate::format::RecordFormat;
use crate::game::{Game, Worth, wrong_format};
use crate::sgf;
use crate::shogi::records::Encoding;

impl<const LEN: usize> Game for Go<LEN> {
    const MOVE_EXAMPLES: &'static str = "a point such as D4, or pass";

    fn is_pass(mv: Self::Move) -> bool {
        mv.vertex().is_none()
    }

    fn pass_note(&self) -> String {
        let count = self.score_text().unwrap_or_default();
        if self.passes() >= 2 {
            return "Both sides have passed: the board is counted as it stands.".to_string();
        }
        format!(
            "A second pass in a row ends the game, and the board is counted as it stands ({count} now). \
             Stones that cannot live but were not captured count as alive: capture them before you pass."
        )
    }

    /// Rotations and reflections, for games that begin on the empty board.
    fn images(&self, moves: &[GoMove]) -> Vec<Vec<GoMove>> {
        if self.vertices().any(|v| self.at(v).is_some()) {
            return vec![moves.to_vec()];
        }
        let image = |symmetry: Symmetry, mv: GoMove| {
            let moved = mv.vertex().and_then(|v| {
                let (column, row) = symmetry.apply(self.size(), (self.column(v), self.row(v)));
                self.vertex(column, row)
            });
            moved.map_or(mv, GoMove::at)
        };
        Symmetry::ALL.map(|symmetry| moves.iter().map(|&mv| image(symmetry, mv)).collect()).to_vec()
    }

    /// In words, and for Sabaki's graph: the chance that Black wins, in percent.
    fn annotate(node: &mut Node<GoMove>, worth: Worth) {
        match worth {
            Worth::Chance(chance) => {
                node.comment = format!("Black wins {:.1}%", chance * 100.0);
                node.properties.push(("SBKV".to_string(), vec![format!("{:.2}", chance * 100.0)]));
            }
            Worth::Lead(lead) => node.comment = format!("Black leads by {lead:+.1}"),
        }
    }

    fn read_records(bytes: &[u8]) -> Result<Vec<Record<Self>>, TextError> {
        sgf::trees(&sgf::decode(bytes)).map(|tree| records::read(&tree?)).collect()
    }

    fn read_sgf(tree: &sgf::Tree<'_>) -> Result<Record<Self>, TextError> {
        records::read(tree)
    }

    fn write_record(record: &Record<Self>) -> Result<Vec<(&'static str, Vec<u8>)>, TextError> {
        Ok(vec![("sgf", records::write(record).into_bytes())])
    }

    fn write_as(record: &Record<Self>, format: RecordFormat, _: Option<Encoding>) -> Result<Vec<u8>, TextError> {
        match format {
            RecordFormat::Sgf => Ok(records::write(record).into_bytes()),
            _ => Err(wrong_format(record)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::Go9;
    use yomi_core::{Position, Spec};

    #[test]
    fn passes_are_explained() {
        let mut position = Go9::start(&Spec::parse("go9").unwrap()).unwrap();
        let pass = position.understand("pass", None).unwrap();
        assert!(Go9::is_pass(pass) && !Go9::is_pass(position.understand("d4", None).unwrap()));
        position.play(pass);
        assert!(position.pass_note().contains("ends the game") && position.pass_note().contains("W+7.5"));
        position.play(pass);
        assert!(position.pass_note().contains("counted as it stands"));
    }
}
