//! What an error about an unknown name adds: the name that was probably meant, and the names there are.

use strsim::osa_distance;

/// The name that `word` was probably meant to be, if one is close enough. Names may carry brackets (`linear(file=…)`), which are left
/// aside.
pub fn closest<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    let bare = names.into_iter().map(|name| name.split('(').next().unwrap_or(name));
    let near = bare.filter_map(|name| {
        let lower = name.to_lowercase();
        // Of two that are as near, the one whose beginning was typed: kom is komi rather than ko.
        Some(((farness(&word, &lower)?, !lower.starts_with(&word)), name))
    });
    near.min_by_key(|&(far, _)| far).map(|(_, name)| name)
}

/// `; did you mean mcss?`, for the end of a message, or nothing if no name is close.
pub fn did_you_mean<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    closest(word, names).map_or_else(String::new, |name| format!("; did you mean {name}?"))
}

/// One line about a parameter: `t=   temperature of the selection (value above 0) [80]`.
pub fn parameter_line(key: &str, default: &str, values: &str, meaning: &str) -> String {
    let default = if default.is_empty() { String::new() } else { format!(" [{default}]") };
    format!("{:<14} {meaning} ({values}){default}", format!("{key}="))
}

/// Beginnings of names rank behind slips of the keyboard.
const BEGINNING: usize = 100;

/// How far apart two names are: edits (a swap of neighbours is one), or letters missing at the end. None if that is too far.
fn farness(word: &str, name: &str) -> Option<usize> {
    let (typed, known) = (word.chars().count(), name.chars().count());
    let edits = osa_distance(word, name);
    let letters = |text: &str| text.chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
    if edits > 0 && letters(word) == letters(name) {
        // Another number is no slip: go20 was not meant to be go2.
        return None;
    }
    // One edit in a short name, one in three letters of a long one; and something of the name must be left.
    if edits <= (typed.max(known) / 3).clamp(1, 3) && edits < typed.min(known) {
        return Some(edits);
    }
    let beginning = typed >= 2 && name.starts_with(word);
    beginning.then(|| BEGINNING + known - typed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_understood_and_strangers_are_not() {
        let games =
            ["shogi", "minishogi", "go9", "go8", "go13", "go19", "blokus-duo", "tic-tac-toe", "connect-four", "nim"];
        for (word, meant) in [
            ("shgi", Some("shogi")),
            ("minishgoi", Some("minishogi")),
            ("Shogi", Some("shogi")),
            ("blokus", Some("blokus-duo")),
            ("blokusduo", Some("blokus-duo")),
            ("tictactoe", Some("tic-tac-toe")),
            ("conect4", None),
            ("go-9", Some("go9")),
            ("go20", None),
            ("chess", None),
            ("x", None),
            ("", None),
            ("éééé", None),
        ] {
            assert_eq!(closest(word, games), meant, "{word}");
        }
        // A letter is no slip for another letter, and the nearest of several wins.
        assert_eq!(closest("c", ["t", "tb"]), None);
        assert_eq!(closest("kom", ["ko", "komi"]), Some("komi"));
        assert_eq!(closest("uct-hh", ["uct", "uct-h", "uct-max-h"]), Some("uct-h"));
        assert_eq!(closest("liner", ["quiet(linear)", "linear(file=…)"]), Some("linear"));
        assert_eq!(did_you_mean("mcst", ["uct", "mcss"]), "; did you mean mcss?");
        assert_eq!(did_you_mean("chess", ["uct", "mcss"]), "");
    }
}
