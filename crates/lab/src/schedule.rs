//! Who plays whom, and in which order.

use serde::{Deserialize, Serialize};
use yomi_core::TextError;

/// The kinds of match.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Schedule {
    /// The first player against the second.
    Pair,
    /// Every player against every other.
    RoundRobin,
    /// The first player against all others.
    Gauntlet,
    /// All others, usually one player with different parameters, against the last.
    Sweep,
}

/// A place in a schedule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slot {
    /// Which pairing.
    pub pairing: usize,
    /// Which round of it.
    pub round: u64,
    /// Whether the second of the pairing moves first.
    pub swapped: bool,
}

impl Schedule {
    /// The pairings, by the places of the players in their list.
    pub fn pairings(self, players: usize) -> Vec<(usize, usize)> {
        match self {
            Schedule::Pair => vec![(0, 1)],
            Schedule::RoundRobin => (0..players).flat_map(|a| (a + 1..players).map(move |b| (a, b))).collect(),
            Schedule::Gauntlet => (1..players).map(|b| (0, b)).collect(),
            Schedule::Sweep => (0..players.saturating_sub(1)).map(|a| (a, players - 1)).collect(),
        }
    }

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Schedule::Pair => "pair",
            Schedule::RoundRobin => "round-robin",
            Schedule::Gauntlet => "gauntlet",
            Schedule::Sweep => "sweep",
        }
    }
}

/// The order of the games: round by round, in each round every pairing, in each pairing both colours. So the place of a game does not
/// depend on how many rounds there will be, and all pairings advance together.
#[derive(Clone, Copy, Debug)]
pub struct Order {
    /// How many pairings.
    pub pairings: usize,
    /// Whether a round has two games.
    pub pairs: bool,
}

impl Order {
    /// What is played at a place.
    pub fn slot(self, index: u64) -> Slot {
        let games = self.games_a_round();
        let (place, game) = (index / games, index % games);
        let (round, pairing) = (place / self.pairings as u64, (place % self.pairings as u64) as usize);
        // Without pairs colours alternate from round to round.
        let swapped = if self.pairs { game == 1 } else { round % 2 == 1 };
        Slot { pairing, round, swapped }
    }

    /// One game, or the two of a pair.
    pub fn games_a_round(self) -> u64 {
        if self.pairs { 2 } else { 1 }
    }

    /// How many places a match of `games` games of each pairing has. Pairs are played to the end.
    pub fn len(self, games: u64) -> u64 {
        games.div_ceil(self.games_a_round()) * self.games_a_round() * self.pairings as u64
    }
}

/// No template gives more players.
const MOST: usize = 1000;

/// The players that a template stands for: every list in braces is replaced by each of its items, the last list turning fastest.
/// `mcss(t={20,40})` gives `mcss(t=20)` and `mcss(t=40)`.
pub fn expand(template: &str) -> Result<Vec<String>, TextError> {
    let mut done = vec![String::new()];
    let mut rest = template;
    while let Some(open) = rest.find(['{', '}']) {
        let offset = template.len() - rest.len() + open;
        let error = |message: &str| TextError::at(template, offset, message);
        if rest[open..].starts_with('}') {
            return Err(error("this brace was never opened"));
        }
        let inside = &rest[open + 1..];
        let close = inside.find(['{', '}']).filter(|&i| inside[i..].starts_with('}'));
        let close = close.ok_or_else(|| error("this brace is not closed, or holds another one"))?;
        let items: Vec<&str> = split_items(&inside[..close]);
        if items.iter().any(|item| item.trim().is_empty()) {
            return Err(error("a list in braces has an empty item"));
        }
        if done.len().saturating_mul(items.len()) > MOST {
            return Err(error("this template stands for more than a thousand players"));
        }
        let before = &rest[..open];
        done = done
            .iter()
            .flat_map(|head| items.iter().map(move |item| format!("{head}{before}{}", item.trim())))
            .collect();
        rest = &inside[close + 1..];
    }
    done.iter_mut().for_each(|text| text.push_str(rest));
    Ok(done)
}

/// The items between commas that stand outside of brackets.
fn split_items(list: &str) -> Vec<&str> {
    let mut depth = 0i32;
    let outside = move |c: char| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        c == ',' && depth == 0
    };
    list.split(outside).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairings_of_every_schedule() {
        assert_eq!(Schedule::Pair.pairings(2), [(0, 1)]);
        assert_eq!(Schedule::RoundRobin.pairings(3), [(0, 1), (0, 2), (1, 2)]);
        assert_eq!(Schedule::Gauntlet.pairings(3), [(0, 1), (0, 2)]);
        assert_eq!(Schedule::Sweep.pairings(3), [(0, 2), (1, 2)]);
    }

    #[test]
    fn colours_are_swapped_within_a_pair_and_alternate_without() {
        let slots = |pairs, n| {
            (0..n).map(move |i| Order { pairings: 2, pairs }.slot(i)).map(|s| (s.round, s.pairing, s.swapped))
        };
        let paired: Vec<_> = slots(true, 6).collect();
        let expected = [(0, 0, false), (0, 0, true), (0, 1, false), (0, 1, true), (1, 0, false), (1, 0, true)];
        assert_eq!(paired, expected);
        let single: Vec<_> = slots(false, 4).collect();
        assert_eq!(single, [(0, 0, false), (0, 1, false), (1, 0, true), (1, 1, true)]);
        assert_eq!(Order { pairings: 3, pairs: true }.len(5), 18, "six games of each of three pairings");
        assert_eq!(Order { pairings: 1, pairs: false }.len(5), 5);
    }

    #[test]
    fn templates_expand() {
        let all = expand("mcss(t={20,40}) + {quiet(material,depth=2),rollout(n={1,2})}");
        assert!(all.is_err(), "lists do not nest");
        let all = expand("mcss(t={20,40}) + {quiet(material,depth=2), rollout}").unwrap();
        assert_eq!(all.len(), 4);
        assert_eq!(all[0], "mcss(t=20) + quiet(material,depth=2)");
        assert_eq!(all[3], "mcss(t=40) + rollout");
        assert_eq!(expand("uct").unwrap(), ["uct"]);
        for wrong in ["a{", "a}", "a{b", "a{}", "a{1,,2}"] {
            assert!(expand(wrong).is_err(), "{wrong}");
        }
        let many = "{0,1,2,3,4,5,6,7,8,9}".repeat(4);
        assert!(expand(&many).unwrap_err().message.contains("thousand"));
    }
}
