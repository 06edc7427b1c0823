//! What matches need of a game beside its rules and its notation: declarations, symmetric images, records.

use yomi_core::toy::{ConnectFour, Nim, TicTacToe};
use yomi_core::{Color, Ending, Line, Notation, Outcome, Record, TextError};
use yomi_games::blokus::{self, BlokusDuo, BlokusMove};
use yomi_games::draw::Draw;
use yomi_games::go::{self, Go, GoMove};
use yomi_games::sgf;
use yomi_games::shogi::records::{self as shogi_records, AnyRecord, Encoding, Format};
use yomi_games::shogi::{Declaration, Five, Nine, Shogi, Variant};

/// A game that matches are played in.
pub trait Contest: Notation + Draw {
    /// Games that last longer are drawn, unless a match says otherwise. Counted in plies.
    const MOVE_LIMIT: u32 = 1000;

    /// The headers of the two players in records, Black's first.
    const PLAYER_KEYS: [&'static str; 2] = ["PB", "PW"];

    /// The header of the event in records.
    const EVENT_KEY: &'static str = "EV";

    /// What the side to move gets if it declares a win now; nothing if it may not.
    fn declared(&self) -> Option<Outcome> {
        None
    }

    /// What records call an end that the rules brought about.
    fn ending(line: &Line<Self>, outcome: Outcome) -> Ending {
        let _ = line;
        Ending::Counted(outcome)
    }

    /// The same game from `self` on as symmetry shows it, the game itself included.
    fn images(&self, moves: &[Self::Move]) -> Vec<Vec<Self::Move>> {
        vec![moves.to_vec()]
    }

    /// Whether `mv` is one of the first moves of S1.4: a pentomino.
    fn is_pentomino(mv: Self::Move) -> bool {
        let _ = mv;
        false
    }

    /// The games of a record file of this game.
    fn read_records(bytes: &[u8]) -> Result<Vec<Record<Self>>, TextError> {
        let _ = bytes;
        Err(TextError::new(format!("{} has no records; openings are lines of positions and moves", Self::NAME)))
    }

    /// The record as files: ending and bytes.
    fn write_record(record: &Record<Self>) -> Result<Vec<(&'static str, Vec<u8>)>, TextError> {
        let mut position = record.start.clone();
        let mut text = format!("{}\n{}\n", position.rules(), position.position_text());
        for mv in record.moves() {
            text += &format!("{}\n", position.move_text(mv));
            position.play(mv);
        }
        Ok(vec![("txt", text.into_bytes())])
    }
}

impl Contest for TicTacToe {}
impl Contest for ConnectFour {}
impl Contest for Nim {}

impl<const LEN: usize> Contest for Go<LEN> {
    /// Rotations and reflections, for games that begin on the empty board.
    fn images(&self, moves: &[GoMove]) -> Vec<Vec<GoMove>> {
        if self.vertices().any(|v| self.at(v).is_some()) {
            return vec![moves.to_vec()];
        }
        let image = |symmetry: go::Symmetry, mv: GoMove| {
            let moved = mv.vertex().and_then(|v| {
                let (column, row) = symmetry.apply(self.size(), (self.column(v), self.row(v)));
                self.vertex(column, row)
            });
            moved.map_or(mv, GoMove::at)
        };
        go::Symmetry::ALL.map(|symmetry| moves.iter().map(|&mv| image(symmetry, mv)).collect()).to_vec()
    }

    fn read_records(bytes: &[u8]) -> Result<Vec<Record<Self>>, TextError> {
        sgf::trees(&sgf::decode(bytes)).map(|tree| go::records::read(&tree?)).collect()
    }

    fn write_record(record: &Record<Self>) -> Result<Vec<(&'static str, Vec<u8>)>, TextError> {
        Ok(vec![("sgf", go::records::write(record).into_bytes())])
    }
}

impl Contest for BlokusDuo {
    /// The reflection that leaves both start squares in place, for games that begin on the empty board; the others swap the sides.
    fn images(&self, moves: &[BlokusMove]) -> Vec<Vec<BlokusMove>> {
        if !(self.occupied(Color::Black) | self.occupied(Color::White)).is_empty() {
            return vec![moves.to_vec()];
        }
        let transposed = moves.iter().map(|&mv| blokus::Symmetry::Transpose.mv(mv)).collect();
        vec![moves.to_vec(), transposed]
    }

    fn is_pentomino(mv: BlokusMove) -> bool {
        mv.cells().len() == 5
    }

    fn read_records(bytes: &[u8]) -> Result<Vec<Record<Self>>, TextError> {
        blokus::records::read_all(bytes)
    }

    fn write_record(record: &Record<Self>) -> Result<Vec<(&'static str, Vec<u8>)>, TextError> {
        Ok(vec![("blksgf", blokus::records::write(record).into_bytes())])
    }
}

/// Which of the two boards a record is of.
trait Board: Variant {
    fn of(record: AnyRecord) -> Option<Record<Shogi<Self>>>
    where
        Self: Sized;
}

impl Board for Nine {
    fn of(record: AnyRecord) -> Option<Record<Shogi<Nine>>> {
        record.shogi()
    }
}

impl Board for Five {
    fn of(record: AnyRecord) -> Option<Record<Shogi<Five>>> {
        record.minishogi()
    }
}

#[allow(private_bounds, reason = "there are two boards, and nobody adds one from outside")]
impl<V: Board> Contest for Shogi<V> {
    const MOVE_LIMIT: u32 = 512;
    const PLAYER_KEYS: [&'static str; 2] = ["先手", "後手"];
    const EVENT_KEY: &'static str = "棋戦";

    fn declared(&self) -> Option<Outcome> {
        self.declaration().map(|declaration| match declaration {
            Declaration::Win => Outcome::Win(yomi_core::Position::turn(self)),
            Declaration::Draw => Outcome::Draw,
        })
    }

    fn ending(line: &Line<Self>, outcome: Outcome) -> Ending {
        let position = line.position();
        let repeated = yomi_core::Position::repetition(position, line.past()).is_some();
        let wins = |ending: Ending| ending.outcome(yomi_core::Position::turn(position)) == Some(outcome);
        let usual = if repeated { [Ending::Repetition, Ending::PerpetualCheck] } else { [Ending::Mate, Ending::Mate] };
        usual.into_iter().find(|&ending| wins(ending)).unwrap_or(Ending::Counted(outcome))
    }

    fn read_records(bytes: &[u8]) -> Result<Vec<Record<Self>>, TextError> {
        let records = shogi_records::read_all(bytes)?;
        let wrong = || TextError::new(format!("a record in this file is not of {}", V::NAME));
        records.into_iter().map(|record| V::of(record).ok_or_else(wrong)).collect()
    }

    fn write_record(record: &Record<Self>) -> Result<Vec<(&'static str, Vec<u8>)>, TextError> {
        let kif = shogi_records::encode(&shogi_records::write(record, Format::Kif)?, Encoding::Utf8)?;
        let csa = shogi_records::encode(&shogi_records::write(record, Format::Csa)?, Encoding::Utf8)?;
        Ok(vec![("kifu", kif), ("csa", csa)])
    }
}
