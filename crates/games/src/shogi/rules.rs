//! The choices within the rules.

use yomi_core::{Color, Outcome, Ply, Rule, Spec, TextError};

use super::variant::Variant;

/// Which of the rules in use are in force.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Rules {
    /// What the fourth occurrence of a position means.
    pub repetition: Repetition,
    /// When a king that has entered the enemy camp ends the game.
    pub entering: Entering,
    /// After how many moves the game is a draw, counted as SFEN does; 0 for never.
    pub max_moves: u32,
}

/// What the fourth occurrence of a position means without perpetual check.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Repetition {
    /// A draw (S0.6 counts it so in minishogi, too).
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

/// What may be chosen; `declarations` and `handicaps` depend on the board.
pub(super) const fn rules(declarations: &'static str, handicaps: &'static str) -> [Rule; 4] {
    [
        Rule {
            key: "repetition",
            values: "draw | first-loses",
            default: "draw",
            meaning: "what the fourth occurrence of a position means; perpetual check always loses",
        },
        Rule {
            key: "declaration",
            values: declarations,
            default: "none",
            meaning: "when a king that has entered the enemy camp ends the game; h counts the odds given as White's points",
        },
        Rule {
            key: "max-moves",
            values: "a whole number",
            default: "0",
            meaning: "after how many moves the game is a draw; 0 for never",
        },
        Rule {
            key: "handicap",
            values: handicaps,
            default: "none",
            meaning: "the start position; White gives the odds and moves first",
        },
    ]
}

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
        rules.max_moves = spec.value_or("max-moves", 0)?;
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
        if self.max_moves != 0 {
            parameters.push(format!("max-moves={}", self.max_moves));
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
/// side loses; if both did, neither does.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shogi::{Minishogi, Shogi9};
    use yomi_core::{Line, Notation};

    /// The outcome after these moves, which must not end before the last of them.
    fn outcome_after<P: Notation>(start: &P, moves: &[&str]) -> Option<Outcome> {
        let mut line = Line::new(start.clone());
        for text in moves {
            assert_eq!(line.generate(&mut Vec::new()), None, "before {text}");
            let mv = line.position().parse_move(text).expect("a legal move");
            line.play(mv);
        }
        line.generate(&mut Vec::new())
    }

    #[test]
    fn the_fourth_occurrence_draws() {
        let dance = ["2h3h", "8b7b", "3h2h", "7b8b"].repeat(3);
        assert_eq!(outcome_after(&Shogi9::default(), &dance), Some(Outcome::Draw));
        // Each position of the dance counts for itself: entered one move later, it takes one move longer.
        let later: Vec<&str> = ["1g1f"].into_iter().chain(["8b7b", "2h3h", "7b8b", "3h2h"].repeat(3)).collect();
        assert_eq!(outcome_after(&Shogi9::default(), &later), Some(Outcome::Draw));
    }

    #[test]
    fn minishogi_may_blame_the_first_player() {
        let dance = ["2e3d", "4a3b", "3d2e", "3b4a"].repeat(3);
        let start = |text: &str| Minishogi::start(&Spec::parse(text).expect("spec")).expect("start");
        assert_eq!(outcome_after(&start("minishogi"), &dance), Some(Outcome::Draw));
        let blamed = outcome_after(&start("minishogi(repetition=first-loses)"), &dance);
        assert_eq!(blamed, Some(Outcome::Win(Color::White)));
    }

    #[test]
    fn perpetual_check_loses() {
        let chase = ["9b9a", "5a5b", "9a9b", "5b5a"].repeat(3);
        let black = Shogi9::from_sfen("4k4/R8/9/9/9/9/9/9/4K4 b - 1").expect("sfen");
        assert_eq!(outcome_after(&black, &chase), Some(Outcome::Win(Color::White)));
        // Seen from the other side, and with the fourth occurrence after the checker's move.
        let flee = ["5i5h", "9i9h", "5h5i", "9h9i"].repeat(3);
        let white = Shogi9::from_sfen("4k4/9/9/9/9/9/9/9/r3K4 b - 1").expect("sfen");
        assert_eq!(outcome_after(&white, &flee), Some(Outcome::Win(Color::Black)));
        let blame = Minishogi::start(&Spec::parse("minishogi(repetition=first-loses)").expect("spec")).expect("start");
        let mini = blame.parse_position("2k2/R4/5/5/2K2 b - 1").expect("sfen");
        let chase = ["5b5a", "3a3b", "5a5b", "3b3a"].repeat(3);
        assert_eq!(outcome_after(&mini, &chase), Some(Outcome::Win(Color::White)));
        // One quiet move in the cycle, and it is an ordinary repetition.
        let quiet = ["9b9c", "5a5b", "9c9b", "5b5a"].repeat(3);
        assert_eq!(outcome_after(&black, &quiet), Some(Outcome::Draw));
    }

    #[test]
    fn rules_print_as_they_are_typed() {
        for text in [
            "shogi",
            "shogi(repetition=first-loses)",
            "shogi(declaration=csa24h)",
            "shogi(repetition=first-loses,declaration=try,max-moves=320)",
        ] {
            let start = Shogi9::start(&Spec::parse(text).expect("spec")).expect("start");
            assert_eq!(start.rules(), text);
        }
        fn all_are_named<V: Variant>() {
            let [.., declarations, _, handicaps] = V::RULES else { panic!("four rules") };
            let named = |rule: &Rule, value: &str| rule.values.split(" | ").any(|v| v == value);
            assert!(V::HANDICAPS.iter().all(|(name, _)| named(handicaps, name)));
            assert!(
                ENTERINGS
                    .iter()
                    .all(|&(name, e)| named(declarations, name) == (V::COUNTS_POINTS || !e.counts_points()))
            );
        }
        all_are_named::<crate::shogi::Nine>();
        all_are_named::<crate::shogi::Five>();
        let start = |text: &str| Minishogi::start(&Spec::parse(text).expect("spec"));
        assert_eq!(start("minishogi(declaration=try)").expect("start").rules(), "minishogi(declaration=try)");
        for text in [
            "minishogi(declaration=csa27)",
            "minishogi(handicap=lance)",
            "minishogi(komi=6)",
            "minishogi(repetition=win)",
        ] {
            assert!(start(text).is_err(), "{text}");
        }
    }

    #[test]
    fn an_agreed_number_of_moves_draws_unless_the_last_one_mates() {
        let start = |text: &str| Shogi9::start(&Spec::parse(text).unwrap()).unwrap();
        let short = start("shogi(max-moves=2)");
        assert_eq!(short.rules(), "shogi(max-moves=2)");
        assert_eq!(outcome_after(&short, &["7g7f"]), None);
        assert_eq!(outcome_after(&short, &["7g7f", "3c3d"]), Some(Outcome::Draw));
        assert_eq!(outcome_after(&start("shogi"), &["7g7f", "3c3d"]), None);
        let mate = start("shogi(max-moves=9)").parse_position("4k4/9/4P4/9/9/9/9/9/4K4 b G 9").unwrap();
        assert_eq!(outcome_after(&mate, &["G*5b"]), Some(Outcome::Win(Color::Black)));
        assert_eq!(outcome_after(&mate, &["G*4b"]), Some(Outcome::Draw));
    }
}
