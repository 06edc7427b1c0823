//! Start positions in the words of protocols that have none for them.

/// The size of a board of Go by the game's name: 9 for `go9`.
pub(super) fn board_size(game: &str) -> Option<usize> {
    game.strip_prefix("go")?.parse().ok().filter(|size| (1..=25).contains(size))
}

/// The stones of a position of Go.
#[derive(PartialEq, Eq, Default, Debug)]
pub(super) struct Stones {
    pub(super) black: Vec<String>,
    pub(super) white: Vec<String>,
}

impl Stones {
    /// Reads rows from the top with `/` between them, `.`, `b` and `w`, then the side to move, a ko and the passes.
    pub(super) fn read(text: &str, size: usize) -> Result<Stones, String> {
        let mut words = text.split_whitespace();
        let rows: Vec<&str> = words.next().unwrap_or_default().split('/').collect();
        let (ko, passes) = (words.nth(1).unwrap_or("-"), words.next().unwrap_or("0"));
        if ko != "-" || passes != "0" {
            return Err("a game over GTP cannot begin with a ko or a pass".to_string());
        }
        if rows.len() != size || rows.iter().any(|row| row.len() != size) {
            return Err(format!("this is no position on a board of {size}: {text:.60}"));
        }
        let mut stones = Stones::default();
        for (y, row) in rows.iter().enumerate() {
            for (column, cell) in ('A'..='Z').filter(|&letter| letter != 'I').zip(row.chars()) {
                let point = format!("{column}{}", size - y);
                match cell {
                    'b' => stones.black.push(point),
                    'w' => stones.white.push(point),
                    _ => {}
                }
            }
        }
        Ok(stones)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stones_get_their_names() {
        assert_eq!((board_size("go9"), board_size("go"), board_size("shogi")), (Some(9), None, None));
        let stones = Stones::read("b../..w/.b. w - 0", 3).unwrap();
        assert_eq!((stones.black, stones.white), (vec!["A3".to_string(), "B1".to_string()], vec!["C2".to_string()]));
        for wrong in ["", "b../.. b - 0", ".../.../... b A1 0", ".../.../... b - 1"] {
            assert!(Stones::read(wrong, 3).is_err(), "{wrong}");
        }
    }
}
