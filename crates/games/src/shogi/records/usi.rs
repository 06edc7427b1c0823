//! A game as one USI line: `startpos moves 7g7f 3c3d`, `sfen … moves …`.

use yomi_core::record::ROOT;
use yomi_core::{Notation, Position, Record, Spec, TextError};

use super::super::position::Shogi;
use super::super::variant::{Five, Nine, Variant};

/// Reads `[position] startpos|sfen … [moves …]` as a record.
pub fn read<V: Variant>(text: &str) -> Result<Record<Shogi<V>>, TextError> {
    let text = text.trim();
    let start = Shogi::<V>::start(&Spec::named(V::NAME))?;
    // Read as a whole first: its errors say where in the line they are.
    start.parse_line(text)?;
    let (head, moves) = text.split_once(" moves").unwrap_or((text, ""));
    let mut position = start.parse_position(head.trim_start_matches("position").trim())?;
    let mut record = Record::new(position);
    let mut node = ROOT;
    for word in moves.split_whitespace() {
        let mv = position.parse_move(word)?;
        position.play(mv);
        node = record.add(node, Some(mv));
    }
    Ok(record)
}

/// The name of the game that a line is of, as far as the line says: five rows and nine differ in the number of strokes between them.
pub fn game(line: &str) -> &'static str {
    let small = line.split_whitespace().any(|word| word.matches('/').count() + 1 == Five::SIZE.into());
    if small { Five::NAME } else { Nine::NAME }
}

/// The main line as one USI line.
pub fn write<V: Variant>(record: &Record<Shogi<V>>) -> String {
    let mut position = record.start;
    let from_start =
        Shogi::<V>::start(&Spec::named(V::NAME)).is_ok_and(|start| start.position_text() == position.position_text());
    let mut text = if from_start { "startpos".to_string() } else { format!("sfen {}", position.position_text()) };
    for (i, mv) in record.moves().into_iter().enumerate() {
        text += if i == 0 { " moves " } else { " " };
        text += &position.move_text(mv);
        position.play(mv);
    }
    text + "\n"
}
