//! The rules of Go as servers and KataGo name them.

use yomi_core::TextError;
use yomi_games::go::{Compensation, Ko, Rules, Scoring};

/// Reads a name, or KataGo's JSON object. Komi stays what it is.
pub(super) fn parse(text: &str, now: Rules) -> Result<Rules, TextError> {
    if text.trim_start().starts_with('{') {
        return from_json(text, now);
    }
    let rules = Rules::named(text).or_else(|| match text.to_ascii_lowercase().as_str() {
        "bga" | "french" => Rules::named("aga"),
        "stone-scoring" | "ancient-territory" => None,
        "chinese-ogs" | "chinese-kgs" => Rules::named("chinese"),
        _ => None,
    });
    let rules = rules.ok_or_else(|| TextError::new(format!("unknown rules {text:.60}")))?;
    Ok(Rules { komi: now.komi, handicap: now.handicap, ..rules })
}

fn from_json(text: &str, now: Rules) -> Result<Rules, TextError> {
    let wrong = |what: &str| TextError::new(format!("unknown rules: {what}"));
    let value: serde_json::Value = serde_json::from_str(text).map_err(|error| wrong(&error.to_string()))?;
    let mut rules = now;
    for (key, value) in value.as_object().ok_or_else(|| wrong("an object was expected"))? {
        let word = value.as_str().unwrap_or_default();
        match (key.as_str(), word) {
            ("ko", "SIMPLE") => rules.ko = Ko::Simple,
            ("ko", "POSITIONAL") => rules.ko = Ko::Positional,
            ("ko", "SITUATIONAL") => rules.ko = Ko::Situational,
            ("scoring" | "scoringRule", "AREA") => rules.scoring = Scoring::Area,
            ("scoring" | "scoringRule", "TERRITORY") => rules.scoring = Scoring::Territory,
            ("whiteHandicapBonus", "0") => rules.compensation = Compensation::None,
            ("whiteHandicapBonus", "N-1") => rules.compensation = Compensation::AllButOne,
            ("whiteHandicapBonus", "N") => rules.compensation = Compensation::All,
            ("suicide" | "multiStoneSuicideLegal", _) => {
                rules.suicide = value.as_bool().ok_or_else(|| wrong("suicide is true or false"))?;
            }
            // Details of counting that make no difference here.
            ("tax" | "hasButton" | "friendlyPassOk", _) => {}
            _ => return Err(wrong(&format!("{key} {value}"))),
        }
    }
    Ok(rules)
}

/// The rules as KataGo writes them.
pub(crate) fn json(rules: Rules) -> String {
    let ko = match rules.ko {
        Ko::Simple => "SIMPLE",
        Ko::Positional => "POSITIONAL",
        Ko::Situational => "SITUATIONAL",
    };
    let (scoring, tax) = match rules.scoring {
        Scoring::Area => ("AREA", "NONE"),
        Scoring::Territory => ("TERRITORY", "SEKI"),
    };
    let bonus = match rules.compensation {
        Compensation::None => "0",
        Compensation::AllButOne => "N-1",
        Compensation::All => "N",
    };
    format!(
        "{{\"friendlyPassOk\":false,\"hasButton\":false,\"ko\":\"{ko}\",\"scoring\":\"{scoring}\",\"suicide\":{},\
         \"tax\":\"{tax}\",\"whiteHandicapBonus\":\"{bonus}\"}}",
        rules.suicide
    )
}

/// The rules as `kgs-rules` names them; none where KGS has no such rules. What White gets for handicap stones matters only where there
/// are any.
pub(crate) fn kgs_name(rules: Rules) -> Option<&'static str> {
    use Compensation::{All, AllButOne, None as Nothing};
    const NAMES: [(&str, Ko, bool, Scoring, Compensation); 4] = [
        ("chinese", Ko::Positional, false, Scoring::Area, All),
        ("japanese", Ko::Simple, false, Scoring::Territory, Nothing),
        ("aga", Ko::Situational, false, Scoring::Area, AllButOne),
        ("new_zealand", Ko::Situational, true, Scoring::Area, Nothing),
    ];
    let same = |set: &&(&str, Ko, bool, Scoring, Compensation)| {
        let compensation = rules.handicap == 0 || set.4 == rules.compensation;
        (set.1, set.2, set.3) == (rules.ko, rules.suicide, rules.scoring) && compensation
    };
    NAMES.iter().find(same).map(|set| set.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kgs_has_names_for_some_rules() {
        let name = |text: &str, handicap| kgs_name(Rules { handicap, ..Rules::named(text).unwrap() });
        assert_eq!(
            ["chinese", "cgos", "japanese", "aga", "nz"].map(|text| name(text, 0).unwrap()),
            ["chinese", "chinese", "japanese", "aga", "new_zealand"]
        );
        assert_eq!((name("tromp-taylor", 0), name("goe", 0), name("cgos", 2)), (None, None, None));
        assert_eq!((name("chinese", 2), name("aga", 2)), (Some("chinese"), Some("aga")));
    }

    #[test]
    fn rules_come_back_from_json_and_by_name() {
        let read = |text: &str| parse(text, Rules::default());
        for name in ["tromp-taylor", "cgos", "chinese", "japanese", "aga", "new_zealand", "NZ"] {
            let rules = read(name).unwrap();
            assert_eq!(read(&json(rules)).unwrap(), Rules { komi: Rules::default().komi, ..rules }, "{name}");
        }
        for wrong in ["klingon", "", "{", "{}x", "[1]", "{\"ko\":\"ETERNAL\"}", "{\"suicide\":3}"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
