//! What matches need of a game beside its rules and its notation: declarations, symmetric images, records.

use yomi_core::record::Node;
use yomi_core::toy::{ConnectFour, Nim, TicTacToe};
use yomi_core::{Color, Ending, Line, Notation, Outcome, Record, TextError};
use yomi_games::blokus::{self, BlokusDuo, BlokusMove};
use yomi_games::draw::Draw;
use yomi_games::go::{self, Go, GoMove};
use yomi_games::othello::{self, Othello, OthelloMove};
use yomi_games::sgf;
use yomi_games::shogi::records::{self as shogi_records, AnyRecord, EVALUATION, Encoding, Format};
use yomi_games::shogi::{Declaration, Five, Nine, Shogi, ShogiMove, Variant};
use yomi_protocol::server::usi::Scale;

use crate::date::Date;
use crate::worth::Worth;

/// The evaluation of a mate in records of shogi.
const MATE: f32 = 30_000.0;

/// A game that matches are played in.
pub trait Contest: Notation + Draw {
    /// Games that last longer are drawn, unless a match says otherwise. Counted in plies.
    const MOVE_LIMIT: u32 = 1000;

    /// The headers of the two players in records, Black's first.
    const PLAYER_KEYS: [&'static str; 2] = ["PB", "PW"];

    /// The header of the event in records.
    const EVENT_KEY: &'static str = "EV";

    /// The headers that say when a game began and ended.
    fn dates(began: Date, ended: Date) -> Vec<(&'static str, String)> {
        let _ = ended;
        vec![("DT", began.sgf())]
    }

    /// Writes down what a player said about the move of a node, in the way that programs for this game read it.
    fn annotate(node: &mut Node<Self::Move>, worth: Worth) {
        node.comment = match worth {
            Worth::Chance(chance) => format!("Black wins {:.1}%", chance * 100.0),
            Worth::Lead(lead) => format!("Black leads by {lead:+.1}"),
        };
    }

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

impl Contest for Othello {
    /// Both diagonals and the half turn, for games from the start position.
    fn images(&self, moves: &[OthelloMove]) -> Vec<Vec<OthelloMove>> {
        if *self != Othello::default() {
            return vec![moves.to_vec()];
        }
        let image = |symmetry: othello::symmetry::Symmetry| moves.iter().map(|&mv| symmetry.apply(mv)).collect();
        othello::symmetry::Symmetry::ALL.map(image).to_vec()
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

    fn dates(began: Date, ended: Date) -> Vec<(&'static str, String)> {
        vec![("開始日時", began.kif()), ("終了日時", ended.kif())]
    }

    /// As an evaluation in hundredths of a pawn, which every format writes in its own way. Mates are worth all there is.
    fn annotate(node: &mut Node<ShogiMove>, worth: Worth) {
        let centipawns = match worth {
            Worth::Chance(chance) => Scale::Result.centipawns(2.0 * chance - 1.0),
            Worth::Lead(lead) => lead.round().clamp(-MATE, MATE) as i64,
        };
        node.properties.push((EVALUATION.to_string(), vec![centipawns.to_string()]));
    }

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
