//! Blokus Duo as a game that is played, matched and recorded.

use yomi_core::{Color, Record, TextError};

use super::{BlokusDuo, BlokusMove, Symmetry, records};
use crate::format::RecordFormat;
use crate::game::{Game, wrong_format};
use crate::shogi::records::Encoding;

impl Game for BlokusDuo {
    const MOVE_EXAMPLES: &'static str = "the squares of a piece such as e9,d10,e10,f10,e11, or a code such as 56t2";

    fn spoken(&self, mv: BlokusMove, _before: Option<BlokusMove>) -> String {
        match mv.piece() {
            Some(piece) => format!("{} ({}, piece {})", mv.points(), mv.code(), piece.name()),
            None => "pass".to_string(),
        }
    }

    fn is_pass(mv: BlokusMove) -> bool {
        mv.piece().is_none()
    }

    fn pass_note(&self) -> String {
        "There is no passing by choice in Blokus: no piece that is left fits anywhere. The other side plays on."
            .to_string()
    }

    /// The reflection that leaves both start squares in place, for games that begin on the empty board; the others swap the sides.
    fn images(&self, moves: &[BlokusMove]) -> Vec<Vec<BlokusMove>> {
        if !(self.occupied(Color::Black) | self.occupied(Color::White)).is_empty() {
            return vec![moves.to_vec()];
        }
        let transposed = moves.iter().map(|&mv| Symmetry::Transpose.mv(mv)).collect();
        vec![moves.to_vec(), transposed]
    }

    fn is_pentomino(mv: BlokusMove) -> bool {
        mv.cells().len() == 5
    }

    fn read_records(bytes: &[u8]) -> Result<Vec<Record<Self>>, TextError> {
        records::read_all(bytes)
    }

    fn write_record(record: &Record<Self>) -> Result<Vec<(&'static str, Vec<u8>)>, TextError> {
        Ok(vec![("blksgf", records::write(record).into_bytes())])
    }

    fn write_as(record: &Record<Self>, format: RecordFormat, _: Option<Encoding>) -> Result<Vec<u8>, TextError> {
        match format {
            RecordFormat::Blksgf => Ok(records::write(record).into_bytes()),
            _ => Err(wrong_format(record)),
        }
    }
}
