//! The words for the end of a game.

use yomi_core::{Color, Ending, Outcome};

use super::kanji;

/// An end as records write it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct End {
    /// What it means in every format.
    pub(super) ending: Ending,
    /// The word of KIF for it if that says more than `ending`.
    pub(super) word: Option<&'static str>,
}

/// What it means, the word of KIF, the word of CSA. The first row of an ending is its usual word, the others say more.
/// CSA's word for 反則勝ち names the loser's side and is made where it is needed.
const WORDS: [(Ending, &str, &str); 18] = [
    (Ending::Resign, "投了", "TORYO"),
    (Ending::Aborted, "中断", "CHUDAN"),
    (Ending::Repetition, "千日手", "SENNICHITE"),
    (Ending::PerpetualCheck, "連続王手の千日手", "OUTE_SENNICHITE"),
    (Ending::Impasse, "持将棋", "JISHOGI"),
    (Ending::Mate, "詰み", "TSUMI"),
    (Ending::TimeUp, "切れ負け", "TIME_UP"),
    (Ending::IllegalMove, "反則勝ち", ""),
    (Ending::IllegalAction, "反則負け", "ILLEGAL_MOVE"),
    (Ending::Declaration, "入玉勝ち", "KACHI"),
    (Ending::MoveLimit, "最大手数", "MAX_MOVES"),
    (Ending::Resign, "不戦敗", ""),
    (Ending::Impasse, "引き分け", "HIKIWAKE"),
    (Ending::Aborted, "不詰", "FUZUMI"),
    (Ending::Aborted, "待った", "MATTA"),
    (Ending::Aborted, "封じ手", ""),
    (Ending::Aborted, "エラー", "ERROR"),
    (Ending::Counted(Outcome::Draw), "裁定引分", ""),
];

/// The side to move wins because the opponent did not come.
const WALKOVER: &str = "不戦勝";

/// Who won is known, but not why.
const RULING: &str = "裁定";

/// Other spellings of the words of KIF.
const SPELLINGS: [(&str, &str); 16] = [
    ("詰", "詰み"),
    ("まいりました", "投了"),
    ("入玉宣言勝ち", "入玉勝ち"),
    ("入玉宣言", "入玉勝ち"),
    ("宣言勝ち", "入玉勝ち"),
    ("時間切れ", "切れ負け"),
    ("時間切れ負け", "切れ負け"),
    ("切れ負", "切れ負け"),
    ("反則勝", "反則勝ち"),
    ("反則負", "反則負け"),
    ("王手千日手", "連続王手の千日手"),
    ("連続王手千日手", "連続王手の千日手"),
    ("引分", "引き分け"),
    ("引分け", "引き分け"),
    ("手数制限", "最大手数"),
    ("不詰み", "不詰"),
];

impl End {
    fn row(index: usize) -> End {
        let (ending, word, _) = WORDS[index];
        let default = WORDS.iter().position(|row| row.0 == ending) == Some(index);
        End { ending, word: (!default || matches!(ending, Ending::Counted(_))).then_some(word) }
    }

    /// The end that a word of KIF means.
    pub(super) fn from_kif(word: &str, to_move: Color) -> Option<End> {
        if word == WALKOVER {
            return Some(End { ending: Ending::Counted(Outcome::Win(to_move)), word: Some(WALKOVER) });
        }
        let word = SPELLINGS.iter().find(|(spelling, _)| *spelling == word).map_or(word, |(_, default)| default);
        WORDS.iter().position(|row| row.1 == word).map(End::row)
    }

    /// The end that a word of CSA (without its %) means.
    pub(super) fn from_csa(word: &str, to_move: Color) -> Option<End> {
        let plain = |ending| Some(End { ending, word: None });
        let loser = match word {
            "+ILLEGAL_ACTION" => Some(Color::Black),
            "-ILLEGAL_ACTION" => Some(Color::White),
            _ => None,
        };
        match loser {
            Some(loser) if loser == to_move => plain(Ending::IllegalAction),
            Some(_) => plain(Ending::IllegalMove),
            None => WORDS.iter().position(|row| !row.2.is_empty() && row.2 == word).map(End::row),
        }
    }

    /// The end and the finer word that a node keeps.
    pub(super) fn kept(ending: Ending, word: Option<&str>) -> End {
        let known = WORDS.iter().map(|row| row.1).chain([WALKOVER]);
        End { ending, word: word.and_then(|word| known.into_iter().find(|known| *known == word)) }
    }

    /// The word of KIF; none if only who won is known.
    pub(super) fn kif(self) -> Option<&'static str> {
        let default = WORDS.iter().find(|row| row.0 == self.ending).map(|row| row.1);
        // Readers know no word for perpetual check; a comment says it.
        let default = if self.ending == Ending::PerpetualCheck { Some("反則勝ち") } else { default };
        self.word.or(default)
    }

    /// The word of CSA, with its %.
    pub(super) fn csa(self, to_move: Color) -> String {
        let finer = self.word.and_then(|word| WORDS.iter().find(|row| row.1 == word)).filter(|row| !row.2.is_empty());
        let row = finer.or_else(|| WORDS.iter().find(|row| row.0 == self.ending && !row.2.is_empty()));
        let loser = if to_move == Color::Black { '-' } else { '+' };
        match (row, self.ending) {
            (Some(row), _) => format!("%{}", row.2),
            (None, Ending::IllegalMove) => format!("%{loser}ILLEGAL_ACTION"),
            (None, Ending::Counted(Outcome::Win(winner))) if winner == to_move => format!("%{loser}ILLEGAL_ACTION"),
            (None, Ending::Counted(Outcome::Draw)) => "%HIKIWAKE".to_string(),
            (None, _) => "%TORYO".to_string(),
        }
    }

    /// KIF has no word for a decision from outside: a side that lost while to move has resigned.
    pub(super) fn in_words(self, to_move: Color) -> End {
        let decided = self.word.is_none() && self.ending == Ending::Counted(Outcome::Win(!to_move));
        if decided { End { ending: Ending::Resign, word: None } } else { self }
    }

    /// What follows まで82手で in the last line of a record: only phrases that strict readers know, so it may say less than the end does.
    pub(super) fn summary(self, to_move: Color, sides: [&str; 2]) -> String {
        let side = |color: Color| sides[color.index()];
        match (self.word, self.ending) {
            (Some(word @ ("封じ手" | "不詰")), _) => word.to_string(),
            (_, Ending::TimeUp) => format!("時間切れにより{}の勝ち", side(!to_move)),
            (_, Ending::IllegalMove | Ending::PerpetualCheck) => format!("{}の反則勝ち", side(to_move)),
            (_, Ending::IllegalAction) => format!("{}の反則負け", side(to_move)),
            (_, Ending::Resign) => format!("{}の勝ち", side(!to_move)),
            (_, Ending::Declaration) => format!("{}の勝ち", side(to_move)),
            (_, Ending::Counted(Outcome::Win(winner))) => format!("{}の勝ち", side(winner)),
            (_, Ending::Mate) => "詰み".to_string(),
            (_, Ending::Repetition) => "千日手".to_string(),
            (_, Ending::Impasse) => "持将棋".to_string(),
            (_, Ending::MoveLimit | Ending::Counted(Outcome::Draw) | Ending::Aborted) => "中断".to_string(),
        }
    }

    /// What the last line of a record says about this end to a reader of that line only.
    pub(super) fn summarised(self, to_move: Color) -> Option<End> {
        End::from_summary(&format!("まで{}", self.summary(to_move, ["先手", "後手"])), to_move)
    }

    /// Whether a last line says nothing but the truth about this end: who won, or why neither side did.
    pub(super) fn is_summed_up_by(self, summary: End, to_move: Color) -> bool {
        let outcome = self.ending.outcome(to_move);
        let decided = matches!(outcome, Some(Outcome::Win(_)));
        outcome == summary.ending.outcome(to_move) && (decided || self.finest() == summary.finest())
    }

    /// The most exact word for the end.
    fn finest(self) -> Option<&'static str> {
        self.word.or_else(|| WORDS.iter().find(|row| row.0 == self.ending).map(|row| row.1))
    }

    /// The comment that says how the game ended where `stated`, what the other lines say, says less.
    pub(super) fn reason(self, stated: Option<End>) -> Option<&'static str> {
        let same = stated.is_some_and(|stated| (stated.ending, stated.finest()) == (self.ending, self.finest()));
        self.finest().filter(|_| !same)
    }

    /// The end that a comment before the last line gives: the inverse of [`End::reason`]. `so_far` is what other lines said, by a word of
    /// KIF or by the last line alone.
    pub(super) fn from_reason(comment: &str, so_far: End, by_word: bool, to_move: Color) -> Option<End> {
        let end = End::from_kif(comment, to_move)?;
        let stated =
            if by_word { end.kif().and_then(|word| End::from_kif(word, to_move)) } else { end.summarised(to_move) };
        let fits =
            stated.is_some_and(|stated| stated.ending == so_far.ending && (by_word || stated.word == so_far.word));
        (fits && end.reason(stated) == Some(comment)).then_some(end)
    }

    /// The end that a line beginning with まで gives.
    pub(super) fn from_summary(line: &str, to_move: Color) -> Option<End> {
        let words = WORDS.iter().map(|row| row.1).chain(SPELLINGS.iter().map(|row| row.0)).chain([WALKOVER]);
        let longest = words.filter(|word| line.contains(word)).max_by_key(|word| word.len());
        let end = longest.and_then(|word| End::from_kif(word, to_move));
        let Some(winner) = winner(line) else { return end };
        let plain = |ending| Some(End { ending, word: None });
        let won = Some(Outcome::Win(winner));
        match end {
            // 反則 is written of either side.
            Some(End { ending: Ending::IllegalMove | Ending::IllegalAction, .. }) => {
                plain(if winner == to_move { Ending::IllegalMove } else { Ending::IllegalAction })
            }
            Some(end) if end.ending.outcome(to_move) == won => Some(end),
            None if winner != to_move && !line.contains(RULING) => plain(Ending::Resign),
            // The reason does not fit who won: who won counts.
            _ => plain(Ending::Counted(Outcome::Win(winner))),
        }
    }
}

/// The winner that a line names: 先手の勝ち, 後手の反則負け.
fn winner(line: &str) -> Option<Color> {
    let mut sides = line.char_indices().filter_map(|(at, _)| kanji::side(&line[at..]));
    let (side, rest) = sides.next_back()?;
    if rest.contains(['負', '敗']) {
        return Some(!side);
    }
    rest.contains('勝').then_some(side)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_comes_back() {
        for to_move in Color::BOTH {
            for (ending, kif, csa) in WORDS {
                let end = End::from_kif(kif, to_move).unwrap();
                assert_eq!(end.ending, ending, "{kif}");
                if ending != Ending::PerpetualCheck {
                    assert_eq!(end.kif(), Some(kif));
                }
                assert_eq!(End::kept(end.ending, end.word), end);
                // The last line, or a comment before it, says the same.
                let stated = end.summarised(to_move).unwrap();
                match end.reason(Some(stated)) {
                    None => assert_eq!(stated.finest(), end.finest(), "{kif}"),
                    Some(comment) => assert_eq!(End::from_reason(comment, stated, false, to_move), Some(end), "{kif}"),
                }
                if !csa.is_empty() {
                    assert_eq!(End::from_csa(csa, to_move), Some(end));
                    assert_eq!(end.csa(to_move), format!("%{csa}"));
                }
            }
            for winner in Color::BOTH {
                let end = End { ending: Ending::Counted(Outcome::Win(winner)), word: None }.in_words(to_move);
                assert_eq!(end.summarised(to_move), Some(end));
                assert_eq!(end.ending.outcome(to_move), Some(Outcome::Win(winner)));
            }
            let walkover = End::from_kif(WALKOVER, to_move).unwrap();
            assert_eq!(walkover.ending.outcome(to_move), Some(Outcome::Win(to_move)));
            assert_eq!(End::kept(walkover.ending, walkover.word), walkover);
        }
        for (spelling, default) in SPELLINGS {
            assert_eq!(End::from_kif(spelling, Color::White), End::from_kif(default, Color::White));
            assert!(End::from_kif(default, Color::White).is_some());
        }
    }

    #[test]
    fn illegal_actions_of_either_side() {
        for to_move in Color::BOTH {
            for ending in [Ending::IllegalMove, Ending::IllegalAction] {
                let end = End { ending, word: None };
                assert_eq!(End::from_csa(&end.csa(to_move)[1..], to_move), Some(end));
            }
        }
        let ending = |line, to_move| End::from_summary(line, to_move).unwrap().ending;
        assert_eq!(ending("まで81手で先手の反則負け", Color::White), Ending::IllegalMove);
        assert_eq!(ending("まで81手で後手の反則勝ち", Color::White), Ending::IllegalMove);
        assert_eq!(ending("まで81手で後手の反則負け", Color::White), Ending::IllegalAction);
    }

    #[test]
    fn last_lines() {
        let ending = |line, to_move| End::from_summary(line, to_move).map(|end| end.ending);
        assert_eq!(ending("まで82手で後手の勝ち", Color::Black), Some(Ending::Resign));
        assert_eq!(ending("まで、82手で上手の勝ち", Color::Black), Some(Ending::Resign));
        assert_eq!(ending("まで82手で先手の勝ち", Color::Black), Some(Ending::Counted(Outcome::Win(Color::Black))));
        assert_eq!(ending("まで82手で時間切れにより後手の勝ち", Color::Black), Some(Ending::TimeUp));
        assert_eq!(
            ending("まで30手で千日手により後手の勝ち", Color::Black),
            Some(Ending::Counted(Outcome::Win(Color::White)))
        );
        assert_eq!(ending("まで5手詰", Color::White), Some(Ending::Mate));
        assert_eq!(ending("まで", Color::White), None);
    }
}
