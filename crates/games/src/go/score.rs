//! Counting.

use std::fmt;

use yomi_core::{Color, Outcome};

use super::Go;
use super::points::Points;
use super::rules::Scoring;
use super::vertex::{Vertex, color_of, stone};

/// The result of a count: Black's points minus White's, komi and compensation included.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Score(pub Points);

impl Score {
    /// Who won.
    pub fn outcome(self) -> Outcome {
        Outcome::from_margin(self.0.in_halves())
    }
}

impl fmt::Display for Score {
    /// As SGF and GTP write it: `B+3.5`, `W+0.5`, `0`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.outcome() {
            Outcome::Win(Color::Black) => write!(f, "B+{}", self.0),
            Outcome::Win(Color::White) => write!(f, "W+{}", -self.0),
            Outcome::Draw => write!(f, "0"),
        }
    }
}

impl<const LEN: usize> Go<LEN> {
    /// The score if the game ended here and the stones of `dead` were taken off first (by the whole chain).
    pub fn score(&self, dead: &[Vertex]) -> Score {
        let owners = self.owners(dead);
        let mut margin = 0;
        for (v, owner) in self.vertices().zip(owners) {
            let point = owner.map_or(0, sign);
            margin += match (self.rules.scoring, self.at(v)) {
                (Scoring::Area, _) | (Scoring::Territory, None) => point,
                // A living stone is no point, a dead one is two: the point it stands on and the prisoner.
                (Scoring::Territory, Some(color)) if owner == Some(color) => 0,
                (Scoring::Territory, Some(color)) => point - sign(color),
            };
        }
        if self.rules.scoring == Scoring::Territory {
            margin += self.prisoners[0] as i32 - self.prisoners[1] as i32;
        }
        Score(Points::whole(margin) - self.rules.white_bonus())
    }

    /// Whose every point is, by rows from A1, once the chains of `dead` are taken off: that of the stone on it, or of the only colour
    /// that its empty region touches.
    pub fn owners(&self, dead: &[Vertex]) -> Vec<Option<Color>> {
        let mut owners: Vec<Option<Color>> = self.vertices().map(|v| self.at(v)).collect();
        for &v in dead {
            // Asked of the position, so that naming two stones of a chain does no harm.
            self.chain(v).for_each(|stone| owners[self.index(stone)] = None);
        }
        let empty: Vec<bool> = owners.iter().map(Option::is_none).collect();
        let mut seen = vec![false; owners.len()];
        let mut region = Vec::new();
        for start in self.vertices() {
            let index = self.index(start);
            if !empty[index] || std::mem::replace(&mut seen[index], true) {
                continue;
            }
            region.clear();
            region.push(start);
            let mut touched = 0;
            let mut at = 0;
            while at < region.len() {
                for u in self.neighbors(region[at]) {
                    let index = self.index(u);
                    match owners[index].filter(|_| !empty[index]) {
                        Some(color) => touched |= stone(color),
                        None if !std::mem::replace(&mut seen[index], true) => region.push(u),
                        None => {}
                    }
                }
                at += 1;
            }
            let owner = color_of(touched);
            region.iter().for_each(|&v| owners[self.index(v)] = owner);
        }
        owners
    }

    /// Who wins if the game ends here and no stone is dead.
    pub fn outcome(&self) -> Outcome {
        match self.simple_margin() {
            Some(margin) => Outcome::from_margin(2 * margin - self.rules.white_bonus().in_halves()),
            None => self.score(&[]).outcome(),
        }
    }

    /// The margin of stones, points and prisoners where every empty region is a single point, as at the end of playouts.
    #[inline]
    fn simple_margin(&self) -> Option<i32> {
        let mut margin = 0;
        for &v in self.board.empties() {
            let code = self.board.code(v);
            if code.has_liberty() {
                return None;
            }
            margin += i32::from(code.is_surrounded_by(Color::Black)) - i32::from(code.is_surrounded_by(Color::White));
        }
        let difference = |of: [u32; 2]| of[0] as i32 - of[1] as i32;
        Some(
            margin
                + match self.rules.scoring {
                    Scoring::Area => difference(Color::BOTH.map(|color| self.stones(color))),
                    Scoring::Territory => difference(self.prisoners),
                },
        )
    }
}

/// 1 for Black, -1 for White.
fn sign(color: Color) -> i32 {
    if color == Color::Black { 1 } else { -1 }
}
