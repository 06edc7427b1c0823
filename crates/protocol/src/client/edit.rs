//! A position of shogi as the edit commands of GNU Shogi.

use yomi_core::Color;

/// The lines that set up a position in SFEN: `edit`, an empty board, the pieces of Black, `c`, those of White, and `.`.
pub(super) fn edit_lines(sfen: &str) -> Result<Vec<String>, String> {
    let wrong = || format!("this is no position in SFEN: {sfen:.80}");
    let mut fields = sfen.split_whitespace();
    let rows: Vec<&str> = fields.next().unwrap_or_default().split('/').collect();
    let hands = fields.nth(1).unwrap_or("-");
    let size = rows.len();
    if !(1..=9).contains(&size) {
        return Err(wrong());
    }
    let mut pieces: [Vec<String>; 2] = Default::default();
    for (rank, row) in ('a'..).zip(&rows) {
        let (mut file, mut promoted) = (size, "");
        for c in row.chars() {
            match c {
                '+' => promoted = "+",
                '1'..='9' => file = file.checked_sub(c as usize - '0' as usize).ok_or_else(wrong)?,
                c if c.is_ascii_alphabetic() && file > 0 => {
                    pieces[side(c).index()].push(format!("{}{file}{rank}{promoted}", c.to_ascii_lowercase()));
                    (file, promoted) = (file - 1, "");
                }
                _ => return Err(wrong()),
            }
        }
        if file > 0 {
            return Err(wrong());
        }
    }
    let mut count = 0;
    for c in hands.chars().filter(|&c| c != '-') {
        match c {
            '0'..='9' => count = count * 10 + (c as usize - '0' as usize),
            c if c.is_ascii_alphabetic() && count <= 18 => {
                let piece = format!("{}*", c.to_ascii_lowercase());
                pieces[side(c).index()].extend(std::iter::repeat_n(piece, count.max(1)));
                count = 0;
            }
            _ => return Err(wrong()),
        }
    }
    let [black, white] = pieces;
    let word = |text: &str| text.to_string();
    Ok([word("edit"), word("#")].into_iter().chain(black).chain([word("c")]).chain(white).chain([word(".")]).collect())
}

/// Whose piece a letter is: capitals are Black's.
fn side(letter: char) -> Color {
    if letter.is_ascii_uppercase() { Color::Black } else { Color::White }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_become_edit_commands() {
        let lines = edit_lines("4k/5/3+r1/5/K3R w P2g 7").unwrap();
        assert_eq!(lines, ["edit", "#", "k5e", "r1e", "p*", "c", "k1a", "r2c+", "g*", "g*", "."]);
        for wrong in [
            "",
            "9k b - 1",
            "?/k b - 1",
            "1/1/1/1/1/1/1/1/1/1 b - 1",
            "k1/9 b - 1",
            "k1/1 b - 1",
            "k1/2 b 99p 1",
            "k1/2 b é 1",
        ] {
            assert!(edit_lines(wrong).is_err(), "{wrong}");
        }
    }
}
