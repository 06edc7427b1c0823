//! The conditions games are played under, and when the referee calls one early.

use serde::{Deserialize, Serialize};
use yomi_core::text::counted;
use yomi_core::{Color, Outcome, Spec, TextError};
use yomi_search::Proof;

use crate::player::Report;

/// What holds for every game of a match.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Conditions {
    /// A game is drawn after this many plies, opening included.
    pub move_limit: u32,
    /// The clocks, as [`crate::clock::TimeControl`] reads them; none if budgets alone count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    /// When a game is given up on behalf of a player.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resign: Option<ResignRule>,
    /// When a game is called a draw.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draw: Option<DrawRule>,
}

/// A player who says for this many moves in a row that it is losing has lost.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ResignRule {
    /// Its value is this much below zero, in its own unit, or it claims a proven loss.
    pub score: f32,
    /// Moves in a row.
    pub moves: u32,
    /// Whether the opponent must say the same for as long.
    pub two_sided: bool,
}

/// Players who agree for this many moves in a row that the game is even have drawn.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct DrawRule {
    /// Their values are at most this far from zero, each in its own unit, or they claim a proven draw.
    pub score: f32,
    /// Moves in a row of each side.
    pub moves: u32,
    /// Not before this ply.
    pub from_ply: u32,
}

impl ResignRule {
    /// Reads `score=600,moves=3,two-sided=true`.
    pub fn parse(text: &str) -> Result<ResignRule, TextError> {
        let spec = Spec::parse(&format!("resign({text})"))?;
        let score =
            spec.get("score").ok_or_else(|| TextError::new("resign needs score=…, the value of a lost game"))?;
        let rule = ResignRule {
            score: score.value()?,
            moves: spec.value_or("moves", 3)?,
            two_sided: spec.value_or("two-sided", false)?,
        };
        spec.reject_unused()?;
        check(rule.score, rule.moves)?;
        Ok(rule)
    }
}

impl DrawRule {
    /// Reads `score=20,moves=8,from=80`.
    pub fn parse(text: &str) -> Result<DrawRule, TextError> {
        let spec = Spec::parse(&format!("draw({text})"))?;
        let score = spec.get("score").ok_or_else(|| TextError::new("draw needs score=…, the value of an even game"))?;
        let rule =
            DrawRule { score: score.value()?, moves: spec.value_or("moves", 8)?, from_ply: spec.value_or("from", 0)? };
        spec.reject_unused()?;
        check(rule.score, rule.moves)?;
        Ok(rule)
    }
}

fn check(score: f32, moves: u32) -> Result<(), TextError> {
    if !(score >= 0.0 && score.is_finite()) || moves == 0 {
        return Err(TextError::new("adjudication needs a score of 0 or more and at least one move"));
    }
    Ok(())
}

/// Counts what the players say, for both rules.
pub(crate) struct Adjudicator<'a> {
    conditions: &'a Conditions,
    /// For each side, how many moves in a row it said: I am losing, I am winning, it is even.
    losing: [u32; 2],
    winning: [u32; 2],
    even: [u32; 2],
}

impl<'a> Adjudicator<'a> {
    pub(crate) fn new(conditions: &'a Conditions) -> Adjudicator<'a> {
        Adjudicator { conditions, losing: [0; 2], winning: [0; 2], even: [0; 2] }
    }

    /// `side` played the move number `ply` and said this about it. The outcome and why, if the game is called.
    pub(crate) fn hear(&mut self, side: Color, report: &Report, ply: u32) -> Option<(Outcome, String)> {
        let (me, other) = (side.index(), (!side).index());
        let count = |counter: &mut u32, says: bool| *counter = if says { counter.saturating_add(1) } else { 0 };
        if let Some(rule) = &self.conditions.resign {
            let value = worth(report);
            count(&mut self.losing[me], value.is_some_and(|v| v <= -rule.score));
            count(&mut self.winning[me], value.is_some_and(|v| v >= rule.score));
            let agreed = !rule.two_sided || self.winning[other] >= rule.moves;
            if self.losing[me] >= rule.moves && agreed {
                return Some((Outcome::Win(!side), format!("{side:?} saw itself lost for {}", moves_text(rule.moves))));
            }
            // The opponent has said for long enough that it is losing and waited for this side to agree.
            if rule.two_sided && self.winning[me] >= rule.moves && self.losing[other] >= rule.moves {
                return Some((Outcome::Win(side), format!("both saw {:?} lost for {}", !side, moves_text(rule.moves))));
            }
        }
        if let Some(rule) = &self.conditions.draw {
            let even = report.proof == Some(Proof::Draw)
                || (report.proof.is_none() && report.value.is_some_and(|v| v.abs() <= rule.score));
            count(&mut self.even[me], even);
            if ply >= rule.from_ply && self.even.iter().all(|&n| n >= rule.moves) {
                return Some((Outcome::Draw, format!("both saw an even game for {}", moves_text(rule.moves))));
            }
        }
        None
    }
}

fn moves_text(moves: u32) -> String {
    counted(moves, "move", "moves")
}

/// The value, infinite where it is proven.
fn worth(report: &Report) -> Option<f32> {
    match report.proof {
        Some(Proof::Win(_)) => Some(f32::INFINITY),
        Some(Proof::Loss(_)) => Some(f32::NEG_INFINITY),
        Some(Proof::Draw) => Some(0.0),
        None => report.value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conditions(resign: Option<&str>, draw: Option<&str>) -> Conditions {
        Conditions {
            move_limit: 100,
            time: None,
            resign: resign.map(|text| ResignRule::parse(text).unwrap()),
            draw: draw.map(|text| DrawRule::parse(text).unwrap()),
        }
    }

    /// The ply at which these values, Black's first, end the game.
    fn called(conditions: &Conditions, values: &[f32]) -> Option<(usize, Outcome)> {
        let mut adjudicator = Adjudicator::new(conditions);
        values.iter().enumerate().find_map(|(i, &value)| {
            let report = Report { value: Some(value), ..Report::default() };
            let called = adjudicator.hear(Color::from_index(i % 2), &report, i as u32 + 1)?;
            Some((i + 1, called.0))
        })
    }

    #[test]
    fn one_side_gives_up() {
        let rule = conditions(Some("score=500,moves=2"), None);
        assert_eq!(called(&rule, &[-600.0, 0.0, -600.0]), Some((3, Outcome::Win(Color::White))));
        assert_eq!(called(&rule, &[-600.0, 0.0, -400.0, 0.0, -600.0]), None, "the row is broken");
    }

    #[test]
    fn both_sides_agree() {
        let rule = conditions(Some("score=500,moves=2,two-sided=true"), None);
        assert_eq!(called(&rule, &[-600.0, 0.0, -600.0, 0.0, -600.0]), None);
        let values = [-600.0, 600.0, -600.0, 600.0];
        assert_eq!(called(&rule, &values), Some((4, Outcome::Win(Color::White))));
        assert_eq!(called(&rule, &values[1..]), None);
    }

    #[test]
    fn even_games_are_drawn() {
        let rule = conditions(None, Some("score=10,moves=2,from=6"));
        assert_eq!(called(&rule, &[0.0; 20]), Some((6, Outcome::Draw)));
        assert_eq!(called(&rule, &[0.0, 0.0, 50.0, 0.0, 0.0, 0.0, 0.0, 0.0]), Some((7, Outcome::Draw)));
        let mut adjudicator = Adjudicator::new(&rule);
        let proven = Report { value: Some(0.0), proof: Some(Proof::Win(3)), ..Report::default() };
        assert!((1..40).all(|ply| adjudicator.hear(Color::from_index(ply as usize % 2), &proven, ply).is_none()));
    }

    #[test]
    fn rules_are_checked() {
        for wrong in ["", "moves=3", "score=-1", "score=x", "score=5,moves=0", "score=5,sides=2", "score=inf"] {
            assert!(ResignRule::parse(wrong).is_err(), "{wrong}");
            assert!(DrawRule::parse(wrong).is_err(), "{wrong}");
        }
    }
}
