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
        let owners = self.owner_of_each(dead);
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
        self.owner_of_each(dead)[..self.size() * self.size()].to_vec()
    }

    /// The same without an allocation, for the ends of playouts: the points of the board come first.
    fn owner_of_each(&self, dead: &[Vertex]) -> [Option<Color>; LEN] {
        let mut owners = [None; LEN];
        for (owner, v) in owners.iter_mut().zip(self.vertices()) {
            *owner = self.at(v);
        }
        for &v in dead {
            // Asked of the position, so that naming two stones of a chain does no harm.
            self.chain(v).for_each(|stone| owners[self.index(stone)] = None);
        }
        let empty = owners.map(|owner| owner.is_none());
        let mut seen = [false; LEN];
        let mut region = [Vertex(0); LEN];
        for start in self.vertices() {
            let index = self.index(start);
            if !empty[index] || std::mem::replace(&mut seen[index], true) {
                continue;
            }
            region[0] = start;
            let (mut at, mut len, mut touched) = (0, 1, 0);
            while at < len {
                for u in self.neighbors(region[at]) {
                    let index = self.index(u);
                    match owners[index].filter(|_| !empty[index]) {
                        Some(color) => touched |= stone(color),
                        None if !std::mem::replace(&mut seen[index], true) => {
                            region[len] = u;
                            len += 1;
                        }
                        None => {}
                    }
                }
                at += 1;
            }
            let owner = color_of(touched);
            region[..len].iter().for_each(|&v| owners[self.index(v)] = owner);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::Go9;
    use yomi_core::{Notation, Spec};

    /// A finished board: Black holds the left, White the right, and a white stone is dead inside Black's side.
    fn finished(rules: &str) -> Go9 {
        let start = Go9::start(&Spec::parse(rules).unwrap()).unwrap();
        start.parse_position("..bw./.wbw./..bw./..bww/..bw. b - 2 2:1").unwrap()
    }

    #[test]
    fn area_and_territory_by_hand() {
        let area = finished("go5(komi=0.5)");
        let dead = [area.parse_vertex("B4").unwrap()];
        // Black: 5 stones and 10 points; White: 6 stones and 4 points.
        assert_eq!(area.score(&dead).to_string(), "B+4.5");
        // The white stone alive: the left is neutral, 5 stones against 7 and 4 points.
        assert_eq!(area.score(&[]).to_string(), "W+6.5");
        assert_eq!(area.outcome(), Outcome::Win(Color::White));
        // Black: 10 points, 2 prisoners and the dead stone; White: 4 points and 1 prisoner.
        let territory = finished("go5(komi=0.5,scoring=territory)");
        assert_eq!(territory.score(&dead).to_string(), "B+7.5");
        assert_eq!(territory.score(&[]).to_string(), "W+3.5");
        assert_eq!(finished("go5(komi=5)").score(&dead).to_string(), "0");
    }

    #[test]
    fn naming_the_dead_twice_or_no_stone_does_no_harm() {
        let board = finished("go5");
        let [a, b, empty] = ["D1", "D2", "A1"].map(|t| board.parse_vertex(t).unwrap());
        assert_eq!(board.score(&[a]), board.score(&[a, b, a, empty]));
        let owners = board.owners(&[a]);
        // Without its wall White has one stone left, which keeps the left open: five stones and ten points on the right are Black's.
        assert_eq!(owners.iter().filter(|owner| **owner == Some(Color::Black)).count(), 15);
        assert_eq!(Go9::start(&Spec::parse("go3").unwrap()).unwrap().owners(&[]), vec![None; 9]);
    }
}
