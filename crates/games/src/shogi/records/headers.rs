//! Headers that KIF and CSA both have, under their own names.

/// The key in KIF, the key in CSA; further keys of KIF for the same follow the usual one.
const KEYS: [(&str, &str); 14] = [
    ("先手", "N+"),
    ("後手", "N-"),
    ("下手", "N+"),
    ("上手", "N-"),
    ("棋戦", "$EVENT"),
    ("場所", "$SITE"),
    ("開始日時", "$START_TIME"),
    ("対局日", "$START_TIME"),
    ("終了日時", "$END_TIME"),
    ("持ち時間", "$TIME_LIMIT"),
    ("戦型", "$OPENING"),
    ("最大手数", "$MAX_MOVES"),
    ("持将棋", "$JISHOGI"),
    ("備考", "$NOTE"),
];

/// The key of KIF for a key of either format.
pub(super) fn to_kif(key: &str) -> &str {
    KEYS.iter().find(|(_, csa)| *csa == key).map_or(key, |(kif, _)| kif)
}

/// The key of CSA for a key of either format, if it has one.
pub(super) fn to_csa(key: &str) -> Option<&str> {
    let known = KEYS.iter().find(|(kif, _)| *kif == key).map(|(_, csa)| *csa);
    let own = key == "N+" || key == "N-" || key.starts_with('$');
    known.or(own.then_some(key))
}

/// A value on one line.
pub(super) fn one_line(value: &str) -> String {
    value.replace(['\n', '\r'], " ")
}

/// A date without the day of the week that KIF puts behind it: `1999/07/15(木) 19:07:12`.
pub(super) fn plain_date(value: &str) -> String {
    let mut date = Vec::new();
    for c in value.chars() {
        date.push(c);
        if let [.., '(' | '（', '日' | '月' | '火' | '水' | '木' | '金' | '土', ')' | '）'] = date[..] {
            date.truncate(date.len() - 3);
        }
    }
    date.iter().collect::<String>().trim().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_dates() {
        assert_eq!((to_kif("N+"), to_kif("$EVENT"), to_kif("表題")), ("先手", "棋戦", "表題"));
        assert_eq!((to_csa("下手"), to_csa("$FOO"), to_csa("表題")), (Some("N+"), Some("$FOO"), None));
        assert_eq!(plain_date("1999/07/15(木) 19:07:12"), "1999/07/15 19:07:12");
        assert_eq!(plain_date("1999/07/15（木）"), "1999/07/15");
        assert_eq!(plain_date("(77) 1"), "(77) 1");
    }
}
