//! A GTP engine that takes nothing but what the protocol says: every argument is checked, and what is malformed is refused.

/// Commands it lists besides those that every fake lists.
pub(crate) const COMMANDS: &str =
    "boardsize\nclear_board\nkomi\ntime_settings\ntime_left\nset_free_handicap\nkgs-rules";

/// What is wrong with a command on a board of this size.
pub(crate) fn complaint(command: &str, args: &[&str], size: u32) -> Option<&'static str> {
    let color = |word: &str| matches!(word.to_ascii_lowercase().as_str(), "b" | "w" | "black" | "white");
    let number = |word: &str| !word.is_empty() && word.len() < 9 && word.bytes().all(|byte| byte.is_ascii_digit());
    let fine = match (command, args) {
        ("boardsize", [n]) => number(n) && n.parse().is_ok_and(|n: u32| (2..=25).contains(&n)),
        ("komi", [points]) => decimal(points),
        ("clear_board", []) => true,
        ("play", [by, at]) => color(by) && (at.eq_ignore_ascii_case("pass") || point(at, size)),
        ("genmove", [by]) => color(by),
        ("time_settings", [main, overtime, stones]) => {
            // Some overtime without stones means no limit, which is no setting of a game on the clock.
            [main, overtime, stones].iter().all(|word| number(word)) && (*stones == "0") == (*overtime == "0")
        }
        ("time_left", [by, seconds, stones]) => color(by) && number(seconds) && number(stones),
        ("set_free_handicap", points) => points.len() >= 2 && points.iter().all(|at| point(at, size)),
        ("kgs-rules", [name]) => matches!(*name, "chinese" | "japanese" | "aga" | "new_zealand" | "simplified_ing"),
        ("kata-set-rules", [json]) => json.starts_with('{') && json.ends_with('}'),
        ("boardsize" | "komi" | "clear_board" | "play" | "genmove" | "time_settings" | "time_left", _)
        | ("kgs-rules" | "kata-set-rules", _) => false,
        _ => true,
    };
    (!fine).then_some("syntax error")
}

/// A number with one point at most and nothing else: `-7.5`, no `1e3`.
fn decimal(word: &str) -> bool {
    let digits = word.strip_prefix('-').unwrap_or(word);
    let (whole, part) = digits.split_once('.').unwrap_or((digits, "0"));
    [whole, part].iter().all(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

fn point(word: &str, size: u32) -> bool {
    let mut chars = word.chars();
    let column = chars.next().map(|letter| letter.to_ascii_uppercase());
    let column = column.and_then(|letter| "ABCDEFGHJKLMNOPQRSTUVWXYZ".find(letter));
    let row = chars.as_str().parse().is_ok_and(|row: u32| (1..=size).contains(&row));
    column.is_some_and(|column| (column as u32) < size) && row
}
