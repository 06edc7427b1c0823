//! The choices that rule sets of Go differ in.

use yomi_core::{Rule, Spec, TextError};

use super::points::Points;

/// Which repetitions are forbidden. All of them forbid to take back a ko at once.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Ko {
    /// Nothing else is forbidden; a position that stands for the third time ends the game without a result, which is a draw.
    Simple,
    /// No move may bring back an arrangement of stones that stood before.
    Positional,
    /// No move may bring back an arrangement of stones that stood before with the same side to move.
    Situational,
}

/// What is counted in the end.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Scoring {
    /// Stones and the empty points they surround (Tromp-Taylor, China).
    Area,
    /// Surrounded empty points and prisoners (Japan, Korea). Seki is not looked for: its eyes count.
    Territory,
}

/// What White gets for the handicap stones of Black.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Compensation {
    /// Nothing.
    None,
    /// A point for each stone but the first (AGA).
    AllButOne,
    /// A point for each stone (China).
    All,
}

/// The rules of a game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Rules {
    /// Forbidden repetitions.
    pub ko: Ko,
    /// Whether a chain of more than one stone may be taken off by its own side. A single stone never may: it would be a second pass.
    pub suicide: bool,
    /// What is counted.
    pub scoring: Scoring,
    /// Points that White gets for moving second.
    pub komi: Points,
    /// Points that White gets for handicap stones.
    pub compensation: Compensation,
    /// Handicap stones of Black; 0 in an even game.
    pub handicap: u8,
}

impl Default for Rules {
    /// The rules of the Computer Go Server: Tromp-Taylor without suicide, komi 7.5.
    fn default() -> Rules {
        Rules {
            ko: Ko::Positional,
            suicide: false,
            scoring: Scoring::Area,
            komi: Scoring::Area.default_komi(),
            compensation: Compensation::None,
            handicap: 0,
        }
    }
}

impl Scoring {
    /// The komi of even games: area counting comes in steps of two points, so it is higher there.
    pub const fn default_komi(self) -> Points {
        match self {
            Scoring::Area => Points::halves(15),
            Scoring::Territory => Points::halves(13),
        }
    }
}

const KO: [(&str, Ko); 3] = [("simple", Ko::Simple), ("positional", Ko::Positional), ("situational", Ko::Situational)];
const SCORING: [(&str, Scoring); 2] = [("area", Scoring::Area), ("territory", Scoring::Territory)];
const COMPENSATION: [(&str, Compensation); 3] =
    [("none", Compensation::None), ("n-1", Compensation::AllButOne), ("n", Compensation::All)];

/// Rule sets by name, in the words of SGF and GTP, small letters: what they say of ko, suicide, counting and handicaps. The first name
/// of a set is the one that is written.
const SETS: [(&str, Ko, bool, Scoring, Compensation); 9] = [
    ("tromp-taylor", Ko::Positional, true, Scoring::Area, Compensation::None),
    ("cgos", Ko::Positional, false, Scoring::Area, Compensation::None),
    ("chinese", Ko::Positional, false, Scoring::Area, Compensation::All),
    ("japanese", Ko::Simple, false, Scoring::Territory, Compensation::None),
    ("korean", Ko::Simple, false, Scoring::Territory, Compensation::None),
    ("aga", Ko::Situational, false, Scoring::Area, Compensation::AllButOne),
    ("nz", Ko::Situational, true, Scoring::Area, Compensation::None),
    ("new-zealand", Ko::Situational, true, Scoring::Area, Compensation::None),
    ("goe", Ko::Positional, true, Scoring::Area, Compensation::All),
];

/// What may be written in the brackets of `go9(..)`.
pub(super) const PARAMETERS: &[Rule] = &[
    Rule {
        key: "rules",
        values: "tromp-taylor | cgos | chinese | japanese | korean | aga | nz | goe",
        default: "cgos",
        meaning: "a rule set by name; the parameters below change it",
    },
    Rule {
        key: "komi",
        values: "a number in halves",
        default: "7.5, with territory scoring 6.5",
        meaning: "points that White gets for moving second",
    },
    Rule {
        key: "ko",
        values: "simple | positional | situational",
        default: "positional",
        meaning: "which repetitions are forbidden",
    },
    Rule {
        key: "suicide",
        values: "true | false",
        default: "false",
        meaning: "whether a chain of several stones may be taken off by its own side",
    },
    Rule { key: "scoring", values: "area | territory", default: "area", meaning: "what is counted" },
    Rule {
        key: "handicap",
        values: "0, or 2 to 9",
        default: "0",
        meaning: "stones of Black on the star points; White moves first",
    },
    Rule {
        key: "compensation",
        values: "none | n-1 | n",
        default: "none",
        meaning: "points that White gets for handicap stones",
    },
];

impl Rules {
    /// A rule set by name, with its usual komi and no handicap: `japanese`, `aga`.
    pub fn named(name: &str) -> Option<Rules> {
        let name = name.trim().to_ascii_lowercase().replace([' ', '_'], "-");
        let &(_, ko, suicide, scoring, compensation) = SETS.iter().find(|set| set.0 == name)?;
        Some(Rules { ko, suicide, scoring, komi: scoring.default_komi(), compensation, handicap: 0 })
    }

    /// The name of the rule set that these rules are, komi and handicap apart.
    pub fn name(self) -> Option<&'static str> {
        let Rules { ko, suicide, scoring, compensation, .. } = self;
        SETS.iter().find(|set| (set.1, set.2, set.3, set.4) == (ko, suicide, scoring, compensation)).map(|set| set.0)
    }

    /// The points that White gets before anything is counted.
    #[inline]
    pub fn white_bonus(self) -> Points {
        let stones = i32::from(self.handicap);
        self.komi
            + match self.compensation {
                Compensation::None => Points::whole(0),
                Compensation::AllButOne => Points::whole((stones - 1).max(0)),
                Compensation::All => Points::whole(stones),
            }
    }

    /// Reads the parameters of `go9(..)`.
    pub(super) fn read(spec: &Spec) -> Result<Rules, TextError> {
        let base = match spec.get("rules") {
            None => Rules::default(),
            Some(name) => Rules::named(&name.name)
                .filter(|_| name.is_bare())
                .ok_or_else(|| name.unknown("a rule set", SETS.iter().map(|set| set.0)))?,
        };
        let ko = spec.get("ko").map_or(Ok(base.ko), |s| s.choice(&KO))?;
        let scoring = spec.get("scoring").map_or(Ok(base.scoring), |s| s.choice(&SCORING))?;
        let compensation = spec.get("compensation").map_or(Ok(base.compensation), |s| s.choice(&COMPENSATION))?;
        let komi = match spec.get("komi") {
            None => scoring.default_komi(),
            Some(komi) => komi.value().map_err(|_| komi.error(format!("komi is a number in halves, not {komi}")))?,
        };
        let suicide = spec.value_or("suicide", base.suicide)?;
        let handicap = spec.value_or("handicap", 0)?;
        Ok(Rules { ko, suicide, scoring, komi, compensation, handicap })
    }

    /// The game and these rules as they are typed, defaults left out.
    pub(super) fn write(self, size: usize) -> String {
        let default = Rules { scoring: self.scoring, komi: self.scoring.default_komi(), ..Rules::default() };
        let mut parts = Vec::new();
        let mut add = |differs: bool, key: &str, value: String| {
            if differs {
                parts.push(format!("{key}={value}"));
            }
        };
        let word = |found: Option<&str>| found.unwrap_or_default().to_string();
        add(self.komi != default.komi, "komi", self.komi.to_string());
        add(self.ko != default.ko, "ko", word(KO.iter().find(|c| c.1 == self.ko).map(|c| c.0)));
        add(self.suicide != default.suicide, "suicide", self.suicide.to_string());
        add(self.scoring != Scoring::Area, "scoring", word(SCORING.iter().find(|c| c.1 == self.scoring).map(|c| c.0)));
        add(self.handicap != 0, "handicap", self.handicap.to_string());
        let compensation = COMPENSATION.iter().find(|c| c.1 == self.compensation).map(|c| c.0);
        add(self.compensation != default.compensation, "compensation", word(compensation));
        if parts.is_empty() { format!("go{size}") } else { format!("go{size}({})", parts.join(",")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Rules, TextError> {
        let spec = Spec::parse(text).unwrap();
        let rules = Rules::read(&spec)?;
        spec.reject_unused()?;
        Ok(rules)
    }

    #[test]
    fn prints_as_typed() {
        for text in [
            "go9",
            "go9(komi=6.5)",
            "go19(ko=simple,scoring=territory)",
            "go5(komi=0,ko=situational,suicide=true,scoring=territory,handicap=4,compensation=n-1)",
        ] {
            let size = text[2..].trim_start_matches(|c: char| !c.is_ascii_digit()).split('(').next().unwrap();
            assert_eq!(read(text).unwrap().write(size.parse().unwrap()), text);
        }
        assert_eq!(read("go9(rules=japanese)").unwrap().write(9), "go9(ko=simple,scoring=territory)");
        assert_eq!(read("go9(rules=nz,komi=7)").unwrap().write(9), "go9(komi=7,ko=situational,suicide=true)");
    }

    #[test]
    fn mistakes_are_pointed_at() {
        for (text, column) in [
            ("go9(komi=6.3)", 10),
            ("go9(komi=1e300)", 10),
            ("go9(ko=super)", 8),
            ("go9(rules=klingon)", 11),
            ("go9(komi=6.5,foo=1)", 14),
            ("go9(handicap=-2)", 14),
        ] {
            assert_eq!(read(text).unwrap_err().column, column, "{text}");
        }
    }

    #[test]
    fn sets_know_their_names() {
        for name in ["tromp-taylor", "chinese", "japanese", "aga", "nz", "goe", "cgos"] {
            assert_eq!(Rules::named(name).unwrap().name(), Some(name));
        }
        assert_eq!(Rules::named("Tromp Taylor").unwrap().name(), Some("tromp-taylor"));
        assert_eq!(Rules::default().name(), Some("cgos"));
    }

    #[test]
    fn white_is_compensated() {
        let bonus =
            |compensation, handicap| Rules { compensation, handicap, ..Rules::default() }.white_bonus().to_string();
        assert_eq!(bonus(Compensation::All, 3), "10.5");
        assert_eq!(bonus(Compensation::AllButOne, 3), "9.5");
        assert_eq!(bonus(Compensation::AllButOne, 0), "7.5");
        assert_eq!(bonus(Compensation::None, 9), "7.5");
    }
}
