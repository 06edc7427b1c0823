//! Nim with one pile: take one, two or three; who takes the last wins. Multiples of four are lost for the side to move.

use std::fmt;

use crate::conformance::Twin;
use crate::notation::{Notation, Rule};
use crate::policy::{Simulate, Step, draw_from_list};
use crate::position::{Color, Move, Outcome, Position};
use crate::rng::Rng;
use crate::spec::Spec;
use crate::text::TextError;

/// How many to take.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Take(pub u16);

impl Move for Take {
    fn to_bits(self) -> u16 {
        self.0
    }
    fn from_bits(bits: u16) -> Self {
        Take(bits)
    }
}

/// The pile and who takes from it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Nim {
    pile: u16,
    turn: Color,
}

impl Nim {
    /// A game with this many; Black takes first.
    pub fn new(pile: u16) -> Nim {
        Nim { pile, turn: Color::Black }
    }
}

impl Position for Nim {
    type Move = Take;
    const NAME: &'static str = "nim";

    fn turn(&self) -> Color {
        self.turn
    }

    fn key(&self) -> u64 {
        crate::zobrist::mix(u64::from(self.pile) << 1 | self.turn as u64)
    }

    fn generate(&self, moves: &mut Vec<Take>) -> Option<Outcome> {
        moves.clear();
        moves.extend((1..=self.pile.min(3)).map(Take));
        (self.pile == 0).then_some(Outcome::Win(!self.turn))
    }

    fn play(&mut self, mv: Take) {
        self.pile = self.pile.saturating_sub(mv.0);
        self.turn = !self.turn;
    }
}

impl Simulate for Nim {
    type Sampler = Vec<Take>;
    fn draw(&self, moves: &mut Vec<Take>, rng: &mut Rng) -> Step<Take> {
        draw_from_list(self, moves, rng)
    }
    fn horizon(&self) -> usize {
        usize::from(self.pile) + 1
    }
}

impl Notation for Nim {
    const RULES: &'static [Rule] =
        &[Rule { key: "pile", values: "a whole number", default: "21", meaning: "how many lie there at the start" }];

    fn start(spec: &Spec) -> Result<Self, TextError> {
        let pile = spec.value_or("pile", 21)?;
        spec.reject_unused_of(Self::RULES.iter().map(Rule::line))?;
        Ok(Nim::new(pile))
    }

    fn rules(&self) -> String {
        Self::NAME.to_string()
    }

    fn parse_position(&self, text: &str) -> Result<Self, TextError> {
        let (pile, side) = text.split_once(' ').unwrap_or((text, "b"));
        let turn = match side {
            "b" => Color::Black,
            "w" => Color::White,
            _ => return Err(TextError::at(text, pile.len() + 1, "the side to move is b or w")),
        };
        let pile = pile.parse().map_err(|_| TextError::at(text, 0, "the pile is a whole number up to 65535"))?;
        Ok(Nim { pile, turn })
    }

    fn position_text(&self) -> String {
        format!("{} {}", self.pile, ["b", "w"][self.turn.index()])
    }

    fn parse_move(&self, text: &str) -> Result<Take, TextError> {
        let take = text.parse().ok().map(Take).filter(|&mv| self.is_legal(mv));
        take.ok_or_else(|| TextError::at(text, 0, "take 1, 2 or 3, and no more than there are"))
    }

    fn move_text(&self, mv: Take) -> String {
        mv.0.to_string()
    }
}

impl Twin for Nim {
    fn slow_legal(&self, mv: Take) -> bool {
        (1..=3).contains(&mv.0) && mv.0 <= self.pile
    }
    fn slow_key(&self) -> u64 {
        self.parse_position(&self.position_text()).expect("own text").key()
    }
}

impl fmt::Display for Nim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.position_text())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::{Effort, check};

    #[test]
    fn obeys_the_laws() {
        check(&Nim::new(21), Effort { games: 50, max_plies: 21, ends: true, brute_force_every: 10 }, 1);
    }
}
