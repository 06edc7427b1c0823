//! Single moves in Japanese, for people who read and type them: `７六歩`, `同　銀右上不成`.

use yomi_core::TextError;

use super::super::moves::ShogiMove;
use super::super::position::Shogi;
use super::super::square::Square;
use super::super::variant::Variant;
use super::{kif_writer, move_text, relative};

/// A legal move as KI2 writes it, without the mark of its side. `before` is where the move before it went.
pub fn japanese_move_text<V: Variant>(position: &Shogi<V>, mv: ShogiMove, before: Option<Square>) -> String {
    kif_writer::ki2_text(position, before, mv)
}

/// The legal move that a Japanese text means, in KI2's words or with KIF's origin in brackets; digits may have either width.
pub fn parse_japanese_move<V: Variant>(
    position: &Shogi<V>,
    text: &str,
    before: Option<Square>,
) -> Result<ShogiMove, TextError> {
    let (parsed, rest) = move_text::parse(text)?;
    if !rest.trim().is_empty() {
        return Err(TextError::at(text, text.len() - rest.len(), "nothing more was expected after the move"));
    }
    relative::resolve(position, &parsed, before)
        .map_err(|refusal| TextError::at(text, 0, format!("{text}: {}", refusal.reason)))
}

/// Whether a text looks like a move in Japanese: a mark, a square or 同.
pub fn looks_japanese(text: &str) -> bool {
    move_text::begins(text) && !text.is_ascii()
}

#[cfg(test)]
mod tests {
    use super::super::super::Shogi9;
    use super::*;
    use yomi_core::{Notation, Position};

    #[test]
    fn what_is_spoken_is_understood() {
        let mut position = Shogi9::default();
        let mut before = None;
        for (usi, written, typed) in [
            ("7g7f", "７六歩", ["７六歩", "76歩", "▲7六歩(77)"]),
            ("3c3d", "３四歩", ["３四歩", "34歩", "△３四歩"]),
            ("8h2b+", "２二角成", ["２二角成", "22角成", "2二角成(88)"]),
            ("3a2b", "同　銀", ["同銀", "同　銀", "２二銀(31)"]),
        ] {
            let mv = position.parse_move(usi).unwrap();
            assert_eq!(japanese_move_text(&position, mv, before), written);
            for text in typed {
                assert!(looks_japanese(text), "{text}");
                assert_eq!(parse_japanese_move(&position, text, before).unwrap(), mv, "{text}");
            }
            position.play(mv);
            before = Some(mv.to());
        }
        assert!(!looks_japanese("7g7f") && !looks_japanese("P-7f"));
    }

    #[test]
    fn errors_say_why() {
        let why = |text| parse_japanese_move(&Shogi9::default(), text, None).unwrap_err().to_string();
        assert!(why("５五角").contains("no 角 can go there"), "{}", why("５五角"));
        assert!(why("同歩").contains("同 needs a move before it"));
        assert!(why("７六歩 x").contains("nothing more was expected"));
    }
}
