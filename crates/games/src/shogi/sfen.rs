//! SFEN: positions as text.

use std::fmt;
use std::fmt::Write as _;

use yomi_core::{Color, Position, TextError};

use super::piece::{Kind, Piece};
use super::position::Shogi;
use super::rules::Rules;
use super::setup::Setup;
use super::square::Square;
use super::variant::Variant;

/// The order in which SFEN lists the pieces in hand.
const HAND_ORDER: [Kind; 7] =
    [Kind::Rook, Kind::Bishop, Kind::Gold, Kind::Silver, Kind::Knight, Kind::Lance, Kind::Pawn];

impl<V: Variant> Shogi<V> {
    /// The position of an SFEN (`startpos`, `sfen ...` or the bare four fields; the move number may be left out) under the
    /// usual rules.
    pub fn from_sfen(text: &str) -> Result<Self, TextError> {
        Self::from_sfen_with(text, Rules::default())
    }

    /// The position of an SFEN under the given rules.
    pub fn from_sfen_with(text: &str, rules: Rules) -> Result<Self, TextError> {
        let mut words = words(text);
        let mut next = |what: &str| {
            words.next().ok_or_else(|| TextError::at(text, text.len(), format!("{what} was expected here")))
        };
        let mut board = next("startpos or an SFEN")?;
        if board.1 == "startpos" {
            return match words.next() {
                Some((offset, _)) => Err(TextError::at(text, offset, "nothing was expected after startpos")),
                None => Self::from_sfen_with(V::START, rules),
            };
        }
        if board.1 == "sfen" {
            board = next("an SFEN")?;
        }
        let (turn, hands) = (next("the side to move, b or w,")?, next("the pieces in hand, or -,")?);
        let (number, more) = (words.next(), words.next());
        let fail = |(offset, _): (usize, &str), message: &str| TextError::at(text, offset, message);
        let mut setup = Setup::default();
        read_board::<V>(&mut setup, text, board)?;
        setup.turn = match turn.1 {
            "b" => Color::Black,
            "w" => Color::White,
            _ => return Err(fail(turn, "the side to move is b or w")),
        };
        read_hands::<V>(&mut setup, text, hands)?;
        if let Some(number) = number {
            let wanted = "the number of the move is a whole number from 1 to 1000000";
            let parsed = number.1.parse().ok().filter(|n| (1..=1_000_000).contains(n));
            setup.number = parsed.ok_or_else(|| fail(number, wanted))?;
        }
        match more {
            Some(more) => Err(fail(more, "nothing was expected after the number of the move")),
            None => setup.position(rules).map_err(|e| TextError::at(text, board.0, e.message)),
        }
    }

    /// The position in SFEN, without the word `sfen`.
    pub fn sfen(&self) -> String {
        let mut text = String::new();
        for rank in 1..=V::SIZE {
            let mut empty = 0;
            let flush = |text: &mut String, empty: &mut u8| {
                if *empty > 0 {
                    let _ = write!(text, "{empty}");
                    *empty = 0;
                }
            };
            for file in (1..=V::SIZE).rev() {
                match Square::new::<V>(file, rank).and_then(|sq| self.piece_at(sq)) {
                    None => empty += 1,
                    Some(piece) => {
                        flush(&mut text, &mut empty);
                        text.push_str(&piece.text());
                    }
                }
            }
            flush(&mut text, &mut empty);
            text.push(if rank < V::SIZE { '/' } else { ' ' });
        }
        let turn = if self.turn() == Color::Black { 'b' } else { 'w' };
        let _ = write!(text, "{turn} {} {}", self.hands_text(), self.number());
        text
    }

    fn hands_text(&self) -> String {
        let mut text = String::new();
        for color in Color::BOTH {
            for kind in HAND_ORDER {
                let count = self.hand(color, kind);
                if count > 1 {
                    let _ = write!(text, "{count}");
                }
                if count > 0 {
                    text.push_str(&Piece { color, kind }.text());
                }
            }
        }
        if text.is_empty() { "-".to_string() } else { text }
    }
}

/// The words of a text and where they begin.
pub(super) fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let start = text.as_ptr() as usize;
    text.split_whitespace().map(move |word| (word.as_ptr() as usize - start, word))
}

fn read_board<V: Variant>(setup: &mut Setup, text: &str, (start, board): (usize, &str)) -> Result<(), TextError> {
    let (mut rank, mut file) = (1, V::SIZE);
    let mut promoted = false;
    let fail = |offset: usize, message: String| Err(TextError::at(text, start + offset, message));
    for (offset, c) in board.char_indices() {
        if promoted && !c.is_ascii_alphabetic() {
            return fail(offset, "a piece was expected after +".to_string());
        }
        match c {
            '/' if file > 0 => return fail(offset, format!("rank {rank} has too few squares")),
            '/' if rank == V::SIZE => return fail(offset, format!("a board of {} has {rank} ranks", V::NAME)),
            '/' => (rank, file) = (rank + 1, V::SIZE),
            '+' => promoted = true,
            '1'..='9' if c as u8 - b'0' <= file => file -= c as u8 - b'0',
            '1'..='9' => return fail(offset, format!("rank {rank} has too many squares")),
            _ => {
                let Some(kind) = Kind::from_letter(c).filter(|kind| V::KINDS.contains(kind)) else {
                    return fail(offset, format!("{c:?} is no piece of {}", V::NAME));
                };
                let Some(kind) = (if promoted { kind.promoted() } else { Some(kind) }) else {
                    return fail(offset, format!("{c:?} does not promote"));
                };
                let Some(square) = Square::new::<V>(file, rank) else {
                    return fail(offset, format!("rank {rank} has too many squares"));
                };
                let color = if c.is_ascii_uppercase() { Color::Black } else { Color::White };
                setup.cells[square.index()] = Some(Piece { color, kind });
                (file, promoted) = (file - 1, false);
            }
        }
    }
    if promoted || file > 0 || rank < V::SIZE {
        return fail(board.len(), format!("the board ends too early, in rank {rank} of {}", V::SIZE));
    }
    Ok(())
}

fn read_hands<V: Variant>(setup: &mut Setup, text: &str, (start, hands): (usize, &str)) -> Result<(), TextError> {
    if hands == "-" {
        return Ok(());
    }
    let fail = |offset: usize, message: String| Err(TextError::at(text, start + offset, message));
    let mut count: Option<u8> = None;
    for (offset, c) in hands.char_indices() {
        if let Some(digit) = c.to_digit(10) {
            match u32::from(count.unwrap_or(0)) * 10 + digit {
                number @ 1..=18 => count = Some(number as u8),
                _ => return fail(offset, "a hand holds 1 to 18 pieces of a kind".to_string()),
            }
            continue;
        }
        let known = Kind::from_letter(c).filter(|&kind| kind != Kind::King && V::KINDS.contains(&kind));
        let Some(kind) = known else {
            return fail(offset, format!("{c:?} is no piece that a hand of {} can hold", V::NAME));
        };
        let color = if c.is_ascii_uppercase() { Color::Black } else { Color::White };
        let slot = &mut setup.hands[color.index()][kind.index()];
        if *slot > 0 {
            return fail(offset, format!("{c:?} is given twice"));
        }
        *slot = count.take().unwrap_or(1);
    }
    match count {
        Some(_) => fail(hands.len(), "a piece was expected after the number".to_string()),
        None => Ok(()),
    }
}

/// The board as Black sees it, with files and ranks at the edges, then the hands and the side to move.
impl<V: Variant> fmt::Display for Shogi<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let files: String = (1..=V::SIZE).rev().map(|file| format!("{file:>3}")).collect();
        writeln!(f, "{files}")?;
        for rank in 1..=V::SIZE {
            for file in (1..=V::SIZE).rev() {
                let piece = Square::new::<V>(file, rank).and_then(|sq| self.piece_at(sq));
                write!(f, "{:>3}", piece.map_or(".".to_string(), Piece::text))?;
            }
            writeln!(f, "  {}", (b'a' + rank - 1) as char)?;
        }
        write!(f, "in hand: {}, {:?} to move", self.hands_text(), self.turn())
    }
}

#[cfg(test)]
mod tests {
    use crate::shogi::{Minishogi, Shogi9};

    #[test]
    fn texts_come_back() {
        for sfen in [
            "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
            "8l/1l+R2P3/p2pBG1pp/kps1p4/Nn1P2G2/P1P1P2PP/1PS6/1KSG3+r1/LN2+p3L w Sbgn3p 124",
            "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1",
        ] {
            assert_eq!(Shogi9::from_sfen(sfen).expect(sfen).sfen(), sfen);
            assert_eq!(Shogi9::from_sfen(&format!("sfen {sfen}")).expect(sfen).sfen(), sfen);
        }
        assert_eq!(Shogi9::from_sfen("startpos"), Ok(Shogi9::default()));
        let mini = "rbsgk/4p/5/P4/KGSBR b - 1";
        assert_eq!(Minishogi::from_sfen("startpos").expect("start").sfen(), mini);
        assert_eq!(Minishogi::from_sfen("  rbsgk/4p/5/P4/KGSBR   b -").expect("no number").sfen(), mini);
    }

    #[test]
    fn faults_are_named_and_placed() {
        for (text, message, column) in [
            ("", "startpos or an SFEN was expected here", 1),
            ("startpos b", "nothing was expected after startpos", 10),
            ("9/9/9/9/9/9/9/9/9", "the side to move, b or w, was expected here", 18),
            ("9/9/9/9/9/9/9/9/9 x - 1", "the side to move is b or w", 19),
            ("9/9/9/9/9/9/9/9 b - 1", "the board ends too early, in rank 8 of 9", 16),
            ("9/9/9/9/9/9/9/9/9/9 b - 1", "a board of shogi has 9 ranks", 18),
            ("9/8/9/9/9/9/9/9/9 b - 1", "rank 2 has too few squares", 4),
            ("9/8kk/9/9/9/9/9/9/9 b - 1", "rank 2 has too many squares", 5),
            ("9/54/9/9/9/9/9/9/55 b - 1", "rank 9 has too many squares", 19),
            ("9/x8/9/9/9/9/9/9/9 b - 1", "'x' is no piece of shogi", 3),
            ("9/+k8/9/9/9/9/9/9/9 b - 1", "'k' does not promote", 4),
            ("9/+9/9/9/9/9/9/9/9 b - 1", "a piece was expected after +", 4),
            ("9/9/9/9/9/9/9/9/9 b 19P 1", "a hand holds 1 to 18 pieces of a kind", 22),
            ("9/9/9/9/9/9/9/9/9 b 2 1", "a piece was expected after the number", 22),
            ("9/9/9/9/9/9/9/9/9 b K 1", "'K' is no piece that a hand of shogi can hold", 21),
            ("9/9/9/9/9/9/9/9/9 b PP 1", "'P' is given twice", 22),
            ("9/9/9/9/9/9/9/9/9 b - 0", "the number of the move is a whole number from 1 to 1000000", 23),
            ("9/9/9/9/9/9/9/9/9 b - 1 1", "nothing was expected after the number of the move", 25),
            ("9/9/9/9/9/9/9/9/9 b 3R 1", "there are 3 pieces of R, but a set of shogi has 2", 1),
            ("kk7/9/9/9/9/9/9/9/9 b - 1", "White has more than one king", 1),
            ("P8/9/9/9/9/9/9/9/9 b - 1", "the Black Pawn on 9a could never move again", 1),
            ("9/9/9/9/9/9/9/n8/9 w - 1", "the White Knight on 9h could never move again", 1),
            ("9/P8/P8/9/9/9/9/9/9 b - 1", "the Black Pawn on 9c is the second one of that side in its file", 1),
            ("4k4/4R4/9/9/9/9/9/9/9 b - 1", "White stands in check although it is Black's move", 1),
        ] {
            let error = Shogi9::from_sfen(text).expect_err(text);
            assert_eq!((error.message.as_str(), error.column), (message, column), "{text}");
        }
        assert!(Minishogi::from_sfen("rbsgk/4p/5/P4/KGSBR b L 1").is_err());
        assert!(Minishogi::from_sfen("rbsgk/4p/5/P4/KGSB6 b - 1").is_err());
    }

    #[test]
    fn much_noise_is_refused_at_once() {
        for noise in ["9/".repeat(5_000_000), "+".repeat(10_000_000), "9 b ".repeat(2_000_000), "é".repeat(5_000_000)]
        {
            assert!(Shogi9::from_sfen(&noise).is_err());
            assert!(Shogi9::default().parse_line(&noise).is_err());
        }
    }
}
