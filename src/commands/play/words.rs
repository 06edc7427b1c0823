//! What a search believes, in words for people.

use yomi_eval::material::PAWN;
use yomi_search::Proof;
use yomi_session::Scale;

/// The chance of winning, from 0 to 1, that a value stands for where a won game is worth `win`.
pub(super) fn chance(value: f32, win: f32) -> f32 {
    Scale::of_win(win).chance(value)
}

/// A value in words, for one side: `54 % to win, +1.5 points, about even`, `69 % to win, +4.8 pawns, clearly better`. `lead` is in points,
/// where a game is counted.
pub(super) fn judgement(value: f32, win: f32, proof: Option<Proof>, lead: Option<f32>) -> String {
    match proof {
        Some(Proof::Win(plies)) => return format!("a forced win in {plies} {}", plural(plies, "move")),
        Some(Proof::Loss(plies)) => return format!("a forced loss in {plies} {}", plural(plies, "move")),
        Some(Proof::Draw) => return "a forced draw".to_string(),
        None => {}
    }
    let chance = chance(value, win);
    // Rounded first: so that -0.0 is never shown.
    let rounded = |amount: f32| (amount * 10.0).round() / 10.0 + 0.0;
    let amount = match lead {
        Some(points) => format!(", {:+.1} points", rounded(points)),
        None if win > 1.0 => format!(", {:+.1} pawns", rounded(value / PAWN)),
        None => String::new(),
    };
    format!("{:.0} % to win{amount}, {}", 100.0 * chance, verdict(chance))
}

fn verdict(chance: f32) -> &'static str {
    match chance {
        c if c >= 0.95 => "winning",
        c if c >= 0.65 => "clearly better",
        c if c >= 0.55 => "a little better",
        c if c > 0.45 => "about even",
        c if c > 0.35 => "a little worse",
        c if c > 0.05 => "clearly worse",
        _ => "losing",
    }
}

/// The word for this number.
pub(super) fn plural(count: u32, word: &str) -> String {
    if count == 1 { word.to_string() } else { format!("{word}s") }
}

/// Words in lines no longer than `width`.
pub(super) fn wrapped(words: &[String], width: usize) -> String {
    let mut text = String::new();
    let mut column = 0;
    for word in words {
        let length = columns(word);
        if column > 0 && column + 1 + length > width {
            text.push('\n');
            column = 0;
        } else if column > 0 {
            text.push(' ');
            column += 1;
        }
        text += word;
        column += length;
    }
    text
}

/// How many columns a line takes in a terminal. What we print is ASCII or two columns wide.
pub(super) fn columns(line: &str) -> usize {
    line.chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum()
}

/// The commands, for `help`.
pub(super) const COMMANDS: &str = "\
hint        what a strong player would do     undo [N]  take back your last N moves
moves       all legal moves                   board     draw the board again
level N     change the opponent's strength    new       start again
resign      give up                           declare   declare a win by entering king (shogi)
save FILE   keep the game; the file's ending chooses the format
quit        leave";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_become_chances() {
        assert_eq!(chance(0.0, 1.0), 0.5);
        assert_eq!(chance(0.2, 1.0), 0.6);
        assert_eq!(chance(0.0, 30_000.0), 0.5);
        // Six pawns are 600 hundredths: 1 / (1 + 1/e).
        assert!((chance(6.0 * PAWN, 30_000.0) - 0.731).abs() < 0.001);
        assert!((chance(PAWN, 30_000.0) + chance(-PAWN, 30_000.0) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn judgements_read_well() {
        assert_eq!(judgement(0.08, 1.0, None, None), "54 % to win, about even");
        assert_eq!(judgement(0.08, 1.0, None, Some(1.46)), "54 % to win, +1.5 points, about even");
        assert_eq!(judgement(-0.6, 1.0, None, Some(-0.04)), "20 % to win, +0.0 points, clearly worse");
        assert_eq!(judgement(4.8 * PAWN, 30_000.0, None, None), "69 % to win, +4.8 pawns, clearly better");
        assert_eq!(judgement(-1.0, 30_000.0, None, None), "50 % to win, +0.0 pawns, about even");
        assert_eq!(judgement(-0.98, 1.0, None, None), "1 % to win, losing");
        assert_eq!(judgement(9.0, 1.0, Some(Proof::Win(1)), None), "a forced win in 1 move");
        assert_eq!(judgement(9.0, 1.0, Some(Proof::Loss(4)), None), "a forced loss in 4 moves");
    }

    #[test]
    fn lists_fit_the_terminal() {
        let words: Vec<String> = ["aaa", "bbb", "７六", "d"].map(str::to_string).to_vec();
        assert_eq!(wrapped(&words, 8), "aaa bbb\n７六 d");
        assert_eq!(wrapped(&words, 1), "aaa\nbbb\n７六\nd");
    }
}
