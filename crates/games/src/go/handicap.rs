//! Handicap stones.

use yomi_core::{Color, TextError};

use super::Go;
use super::vertex::Vertex;

/// The points (column, row) of a fixed handicap, in the order of the GTP 2 specification.
pub fn fixed_handicap(size: usize, stones: usize) -> Result<Vec<(usize, usize)>, TextError> {
    let most = match size {
        0..7 => 0,
        7 => 4,
        _ if size.is_multiple_of(2) => 4,
        _ => 9,
    };
    if !(2..=most).contains(&stones) {
        let allowed = if most == 0 { "none".to_string() } else { format!("2 to {most}") };
        return Err(TextError::new(format!(
            "a fixed handicap of {stones} on {size}x{size}: {allowed} may be given there"
        )));
    }
    let low = if size < 13 { 2 } else { 3 };
    let (high, middle) = (size - 1 - low, size / 2);
    let mut points = vec![
        (low, low),
        (high, high),
        (low, high),
        (high, low),
        (low, middle),
        (high, middle),
        (middle, low),
        (middle, high),
    ];
    points.truncate(stones);
    if stones > 4 && stones % 2 == 1 {
        points.truncate(stones - 1);
        points.push((middle, middle));
    }
    Ok(points)
}

impl<const LEN: usize> Go<LEN> {
    /// This empty board with handicap stones where Black wants them (free placement); White moves first then.
    pub fn with_handicap(&self, stones: &[Vertex]) -> Result<Self, TextError> {
        if self.empties().len() != self.size() * self.size() || stones.len() < 2 || stones.len() >= self.empties().len()
        {
            return Err(TextError::new("a handicap is at least two stones on an empty board, and not all of it"));
        }
        let mut position = self.clone();
        position.edit(stones.iter().map(|&v| (v, Some(Color::Black))))?;
        if self.empties().len() - position.empties().len() != stones.len() {
            return Err(TextError::new("two handicap stones on one point"));
        }
        position.set_turn(Color::White);
        position.rules.handicap = stones.len().min(usize::from(u8::MAX)) as u8;
        Ok(position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::{Go9, Go13, Go19, Rules};
    use yomi_core::Position;

    /// The table of the GTP 2 specification, section 4.1.1.
    #[test]
    fn the_points_of_gtp() {
        let names = |size, stones| -> String {
            let board = Go19::new(size, Rules::default()).unwrap();
            let points = fixed_handicap(size, stones).unwrap();
            let names = points.into_iter().map(|(x, y)| board.vertex_text(board.vertex(x, y).unwrap()));
            names.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(names(19, 2), "D4 Q16");
        assert_eq!(names(19, 3), "D4 Q16 D16");
        assert_eq!(names(19, 4), "D4 Q16 D16 Q4");
        assert_eq!(names(19, 5), "D4 Q16 D16 Q4 K10");
        assert_eq!(names(19, 6), "D4 Q16 D16 Q4 D10 Q10");
        assert_eq!(names(19, 7), "D4 Q16 D16 Q4 D10 Q10 K10");
        assert_eq!(names(19, 8), "D4 Q16 D16 Q4 D10 Q10 K4 K16");
        assert_eq!(names(19, 9), "D4 Q16 D16 Q4 D10 Q10 K4 K16 K10");
        assert_eq!(names(16, 4), "D4 N13 D13 N4");
        for (size, stones) in [(19, 1), (19, 10), (18, 5), (7, 5), (6, 2), (2, 2)] {
            assert!(fixed_handicap(size, stones).is_err(), "{stones} on {size}");
        }
    }

    #[test]
    fn white_moves_first() {
        let rules = Rules { handicap: 4, ..Rules::default() };
        let nine = Go9::new(9, rules).unwrap();
        assert_eq!((nine.turn(), nine.stones(Color::Black)), (Color::White, 4));
        assert_eq!(nine.at(nine.parse_vertex("C3").unwrap()), Some(Color::Black));
        assert!(Go13::new(13, Rules { handicap: 9, ..rules }).is_ok());
        assert!(Go9::new(6, rules).is_err());
        let empty = Go9::new(9, Rules::default()).unwrap();
        let free: Vec<Vertex> = ["A1", "J9", "E5"].map(|t| empty.parse_vertex(t).unwrap()).to_vec();
        let placed = empty.with_handicap(&free).unwrap();
        assert_eq!((placed.turn(), placed.ruleset().handicap), (Color::White, 3));
        assert!(empty.with_handicap(&[free[0], free[0]]).is_err());
        assert!(placed.with_handicap(&free).is_err());
    }
}
