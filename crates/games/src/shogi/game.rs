//! Shogi and minishogi as games that are played, matched and recorded.

use yomi_core::record::Node;
use yomi_core::{Ending, Line, Notation, Outcome, Position, Record, TextError};

use super::moves::ShogiMove;
use super::position::Shogi;
use super::records::{
    self, AnyRecord, EVALUATION, Encoding, Format, japanese_move_text, looks_japanese, parse_japanese_move, usi,
};
use super::variant::{Five, Nine, Variant};
use super::western::{parse_western, western};
use super::{Declaration, winning_chance};
use crate::date::Date;
use crate::format::RecordFormat;
use crate::game::{Game, Worth, variation, wrong_format};

/// The evaluation of a mate in records.
const MATE: f32 = 30_000.0;

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

#[allow(private_bounds, reason = "there are two boards, and none is added from outside")]
impl<V: Board> Game for Shogi<V> {
    const MOVE_EXAMPLES: &'static str = V::MOVE_EXAMPLES;
    const MOVE_LIMIT: u32 = 512;
    const PLAYER_KEYS: [&'static str; 2] = ["先手", "後手"];
    const EVENT_KEY: &'static str = "棋戦";

    fn spoken(&self, mv: ShogiMove, before: Option<ShogiMove>) -> String {
        let japanese = japanese_move_text(self, mv, before.map(ShogiMove::to));
        format!("{} ({}, {})", japanese.replace('　', ""), western(self, mv), self.move_text(mv))
    }

    fn understand(&self, text: &str, before: Option<ShogiMove>) -> Result<ShogiMove, TextError> {
        if looks_japanese(text) {
            return parse_japanese_move(self, text, before.map(ShogiMove::to));
        }
        if text.starts_with(['+', 'K', 'R', 'B', 'G', 'S', 'N', 'L', 'P']) && !text.contains('*') {
            return parse_western(self, text);
        }
        self.parse_move(text)
    }

    fn dates(began: Date, ended: Date) -> Vec<(&'static str, String)> {
        vec![("開始日時", began.kif()), ("終了日時", ended.kif())]
    }

    /// As an evaluation in hundredths of a pawn, which every format writes in its own way. Mates are worth all there is.
    fn annotate(node: &mut Node<ShogiMove>, worth: Worth) {
        let centipawns = match worth {
            Worth::Chance(chance) => winning_chance::rounded(winning_chance::centipawns(chance.into())),
            Worth::Lead(lead) => lead.round().clamp(-MATE, MATE) as i64,
        };
        node.properties.push((EVALUATION.to_string(), vec![centipawns.to_string()]));
    }

    /// Behind the evaluation, where every format has a place for it.
    fn annotate_line(node: &mut Node<ShogiMove>, position: &Self, moves: &[ShogiMove]) {
        if let Some((_, values)) = node.properties.iter_mut().find(|(key, _)| key == EVALUATION) {
            values.extend(variation(position, moves));
        }
    }

    fn declared(&self) -> Option<Outcome> {
        self.declaration().map(|declaration| match declaration {
            Declaration::Win => Outcome::Win(self.turn()),
            Declaration::Draw => Outcome::Draw,
        })
    }

    fn ending(line: &Line<Self>, outcome: Outcome) -> Ending {
        let position = line.position();
        let repeated = position.repetition(line.past()).is_some();
        let wins = |ending: Ending| ending.outcome(position.turn()) == Some(outcome);
        let endings =
            if repeated { [Ending::Repetition, Ending::PerpetualCheck] } else { [Ending::Mate, Ending::Mate] };
        endings.into_iter().find(|&ending| wins(ending)).unwrap_or(Ending::Counted(outcome))
    }

    fn read_records(bytes: &[u8]) -> Result<Vec<Record<Self>>, TextError> {
        let records = records::read_all(bytes)?;
        let wrong = || TextError::new(format!("a record in this file is not of {}", V::NAME));
        records.into_iter().map(|record| V::of(record).ok_or_else(wrong)).collect()
    }

    fn read_usi(line: &str) -> Result<Record<Self>, TextError> {
        usi::read(line)
    }

    fn write_record(record: &Record<Self>) -> Result<Vec<(&'static str, Vec<u8>)>, TextError> {
        let kif = records::encode(&records::write(record, Format::Kif)?, Encoding::Utf8)?;
        let csa = records::encode(&records::write(record, Format::Csa)?, Encoding::Utf8)?;
        Ok(vec![("kifu", kif), ("csa", csa)])
    }

    fn write_as(record: &Record<Self>, format: RecordFormat, encoding: Option<Encoding>) -> Result<Vec<u8>, TextError> {
        match format {
            RecordFormat::Shogi(format, default) => {
                records::encode(&records::write(record, format)?, encoding.unwrap_or(default))
            }
            RecordFormat::Usi => Ok(usi::write(record).into_bytes()),
            _ => Err(wrong_format(record)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shogi::{Minishogi, Shogi9};

    #[test]
    fn shogi_is_understood_in_three_languages() {
        let mut position = Shogi9::default();
        let mut before = None;
        for (usi, spoken, typed) in [
            ("7g7f", "７六歩 (P-7f, 7g7f)", &["７六歩", "76歩", "P-7f", "P7f", "P7g-7f", "P-76", "P77-76"][..]),
            ("3c3d", "３四歩 (P-3d, 3c3d)", &["△３四歩", "P-3d"]),
            ("8h2b+", "２二角成 (Bx2b+, 8h2b+)", &["22角成", "Bx2b+", "B8hx2b+", "Bx22+"]),
            ("3a2b", "同銀 (Sx2b, 3a2b)", &["同銀", "同　銀", "Sx2b", "Sx22"]),
            ("B*4e", "４五角 (B*4e, B*4e)", &["４五角打", "45角", "B*4e"]),
        ] {
            let mv = position.parse_move(usi).unwrap();
            assert_eq!(position.spoken(mv, before), spoken);
            for text in typed {
                assert_eq!(position.understand(text, before).unwrap(), mv, "{text}");
            }
            position.play(mv);
            before = Some(mv);
        }
    }

    /// What people are shown first can be played at once, on either board.
    #[test]
    fn examples_are_legal() {
        fn check<V: Board>() {
            let start = Shogi::<V>::default();
            let ways = V::MOVE_EXAMPLES.split(';').next().unwrap();
            let moves: Vec<ShogiMove> =
                ways.replace(" or ", ", ").split(", ").map(|text| start.understand(text, None).unwrap()).collect();
            assert!(moves.len() == 5 && moves.iter().all(|&mv| mv == moves[0]), "{ways}");
            let error = start.understand("zz", None).unwrap_err().to_string();
            let first = start.move_text(moves[0]);
            assert!(error.contains(&format!("a move looks like {first}")), "{error}");
        }
        check::<Nine>();
        check::<Five>();
    }

    #[test]
    fn rivals_are_distinguished() {
        let position = Shogi9::default();
        let gold = position.parse_move("4i5h").unwrap();
        assert_eq!(position.spoken(gold, None), "５八金右 (G4i-5h, 4i5h)");
        assert_eq!(position.understand("5八金右", None).unwrap(), gold);
        let error = position.understand("G-5h", None).unwrap_err().to_string();
        assert!(error.contains("may be 6i5h or 4i5h") || error.contains("may be 4i5h or 6i5h"), "{error}");
        assert!(position.understand("Q-5h", None).unwrap_err().to_string().contains("a move looks like 7g7f"));
        assert!(position.understand("R-5e", None).unwrap_err().to_string().contains("no legal move here"));
    }

    #[test]
    fn every_move_of_random_positions_can_be_said_and_heard() {
        let mut rng = yomi_core::Seed::new(5).rng();
        for _ in 0..20 {
            let (mut position, mut before, mut legal) = (Minishogi::default(), None, Vec::new());
            for _ in 0..60 {
                if position.generate(&mut legal).is_some() {
                    break;
                }
                for &mv in &legal {
                    let spoken = position.spoken(mv, before);
                    let (japanese, rest) = spoken.split_once(" (").unwrap();
                    let (western, usi) = rest.trim_end_matches(')').split_once(", ").unwrap();
                    for text in [japanese, western, usi] {
                        assert_eq!(position.understand(text, before).unwrap(), mv, "{text} in {}", position.sfen());
                    }
                }
                let mv = legal[rng.below(legal.len())];
                position.play(mv);
                before = Some(mv);
            }
        }
    }
}
