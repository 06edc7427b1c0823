//! The choices within the rules.

use yomi_core::Color;
use yomi_core::{Outcome, Ply, Rule, Spec, TextError};

use super::variant::Variant;

/// Which of the rules in use are in force.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Rules {
    /// What the fourth occurrence of a position means.
    pub repetition: Repetition,
    /// When a king that has entered the enemy camp ends the game.
    pub entering: Entering,
}

/// What the fourth occurrence of a position means when nobody gave perpetual check.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Repetition {
    /// Nobody wins (S0.6 counts it so in minishogi, too).
    #[default]
    Draw,
    /// The first player loses, as in minishogi tournaments.
    FirstLoses,
}

/// When a king that has entered the enemy camp ends the game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Entering {
    /// Never.
    #[default]
    Never,
    /// By declaration, 28 points for Black and 27 for White.
    Points27,
    /// The same; what White gave as odds counts as White's.
    Points27Odds,
    /// By declaration, 31 points win and 24 draw.
    Points24,
    /// The same; what White gave as odds counts as White's.
    Points24Odds,
    /// As soon as a king stands where the other side's king began.
    Try,
}

const REPETITIONS: [(&str, Repetition); 2] = [("draw", Repetition::Draw), ("first-loses", Repetition::FirstLoses)];

const ENTERINGS: [(&str, Entering); 6] = [
    ("none", Entering::Never),
    ("csa27", Entering::Points27),
    ("csa27h", Entering::Points27Odds),
    ("csa24", Entering::Points24),
    ("csa24h", Entering::Points24Odds),
    ("try", Entering::Try),
];

/// What may be chosen.
pub(super) const RULES: &[Rule] = &[
    Rule {
        key: "repetition",
        values: "draw | first-loses",
        default: "draw",
        meaning: "what the fourth occurrence of a position means; perpetual check always loses",
    },
    Rule {
        key: "declaration",
        values: "none | csa27 | csa27h | csa24 | csa24h | try (minishogi: none | try)",
        default: "none",
        meaning: "when a king that has entered the enemy camp ends the game; h counts the odds given as White's points",
    },
    Rule {
        key: "handicap",
        values: "none | lance | right-lance | bishop | rook | rook-lance | two-piece | ... | ten-piece",
        default: "none",
        meaning: "the start position; White gives the odds and moves first",
    },
];

impl Rules {
    /// Reads the rules of a game from its parameters.
    pub fn from_spec<V: Variant>(spec: &Spec) -> Result<Rules, TextError> {
        let mut rules = Rules::default();
        if let Some(value) = spec.get("repetition") {
            rules.repetition = value.choice(&REPETITIONS)?;
        }
        if let Some(value) = spec.get("declaration") {
            let offered: Vec<_> =
                ENTERINGS.into_iter().filter(|&(_, e)| V::COUNTS_POINTS || !e.counts_points()).collect();
            rules.entering = value.choice(&offered)?;
        }
        Ok(rules)
    }

    /// The game with these rules as [`Rules::from_spec`] reads them.
    pub fn text<V: Variant>(self) -> String {
        let mut parameters = Vec::new();
        if self.repetition != Repetition::default() {
            parameters.push(format!("repetition={}", name_of(&REPETITIONS, self.repetition)));
        }
        if self.entering != Entering::default() {
            parameters.push(format!("declaration={}", name_of(&ENTERINGS, self.entering)));
        }
        if parameters.is_empty() { V::NAME.to_string() } else { format!("{}({})", V::NAME, parameters.join(",")) }
    }
}

impl Entering {
    /// Whether points are counted.
    pub fn counts_points(self) -> bool {
        !matches!(self, Entering::Never | Entering::Try)
    }
}

fn name_of<T: Copy + PartialEq>(names: &[(&'static str, T)], value: T) -> &'static str {
    names.iter().find(|(_, v)| *v == value).map_or("", |(name, _)| name)
}

/// The start position in SFEN that the parameters ask for.
pub(super) fn start_sfen<V: Variant>(spec: &Spec) -> Result<&'static str, TextError> {
    let Some(value) = spec.get("handicap") else { return Ok(V::START) };
    let mut choices = vec![("none", V::START)];
    choices.extend_from_slice(V::HANDICAPS);
    value.choice(&choices)
}

/// The fourth occurrence of a position ends the game. If one side gave check with every move since the first of the four, that
/// side loses; if both did, nobody does.
pub(super) fn repetition(rule: Repetition, now: Ply, turn: Color, past: &[Ply]) -> Option<Outcome> {
    // The same side moves in every second ply, and no position comes back before the fourth ply.
    let mut found = 0;
    let mut first = past.len();
    for back in (4..=past.len()).step_by(2) {
        if past[past.len() - back].key == now.key {
            found += 1;
            first = past.len() - back;
            if found == 3 {
                break;
            }
        }
    }
    if found < 3 {
        return None;
    }
    let checked = |from: usize| past[from..].iter().step_by(2).all(|ply| ply.check);
    let (they_checked, we_checked) = (now.check && checked(first + 2), checked(first + 1));
    Some(match (they_checked, we_checked) {
        (true, false) => Outcome::Win(turn),
        (false, true) => Outcome::Win(!turn),
        _ if rule == Repetition::FirstLoses => Outcome::Win(Color::White),
        _ => Outcome::Draw,
    })
}
