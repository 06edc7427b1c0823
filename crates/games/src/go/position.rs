//! Turns, ko, passes and the end of the game.

use yomi_core::{Color, Move as _, Outcome, Ply, Position, zobrist};

use super::Go;
use super::board::Board;
use super::rules::{Ko, Scoring};
use super::vertex::{GoMove, Vertex, cell};

const WHITE_TO_MOVE: u64 = zobrist::mix(0x60_01);
/// By passes in a row.
const PASSES: [u64; 3] = [0, zobrist::mix(0x60_02), zobrist::mix(0x60_03)];

#[inline]
fn turn_key(turn: Color) -> u64 {
    if turn == Color::White { WHITE_TO_MOVE } else { 0 }
}

#[inline]
fn ko_key(ko: u16) -> u64 {
    if ko == 0 { 0 } else { zobrist::mix(0x60_10_00 + u64::from(ko)) }
}

/// What a stone does.
struct Effects {
    /// The key of the stones afterwards.
    stones_key: u64,
    /// Where the other side may not take back.
    ko: u16,
    /// Stones that the other side loses.
    captured: u32,
    /// Stones that the own side loses.
    lost: u32,
}

impl<const LEN: usize> Go<LEN> {
    /// Whether a stone may be put on `v` in this position, the past apart.
    #[inline]
    pub(super) fn may_place(&self, v: u16) -> bool {
        // A point with an empty neighbour is neither ko nor suicide.
        self.board.code(v).has_liberty() || (v != self.ko && self.has_breath(v))
    }

    /// Whether a stone on `v`, which has no empty neighbour, would stay or may be given up. Few points get as far: kept apart, it leaves
    /// the loops that ask small.
    #[inline(never)]
    fn has_breath(&self, v: u16) -> bool {
        !self.board.is_suicide(v, self.turn) || (self.rules.suicide && self.board.code(v).stones(self.turn) != 0)
    }

    /// The key of the stones after `mv`.
    pub fn stones_key_after(&self, mv: GoMove) -> u64 {
        match mv.vertex() {
            None => self.board.key(),
            Some(v) => self.effects(v.0).stones_key,
        }
    }

    /// What a stone on `v` would do, without doing it. Nothing is copied, and chains are walked only if they leave the board.
    #[inline]
    fn effects(&self, v: u16) -> Effects {
        let (own, enemy) = (self.turn, !self.turn);
        let mut stones_key = self.board.key() ^ Board::<LEN>::stone_key(v, own);
        let (mut captured, mut last) = (0, 0);
        self.board.for_captured(v, own, |u| {
            stones_key ^= Board::<LEN>::stone_key(u, enemy);
            (captured, last) = (captured + 1, u);
        });
        let is_ko = captured == 1 && self.board.code(v).is_surrounded_by(enemy);
        let effects = Effects { stones_key, ko: if is_ko { last } else { 0 }, captured, lost: 0 };
        if self.rules.suicide && self.board.is_suicide(v, own) { self.with_suicide(v, effects) } else { effects }
    }

    fn with_suicide(&self, v: u16, mut effects: Effects) -> Effects {
        let mut remove = |u: u16| {
            effects.stones_key ^= Board::<LEN>::stone_key(u, self.turn);
            effects.lost += 1;
        };
        remove(v);
        self.board.for_connected(v, self.turn, remove);
        effects
    }

    /// Whether a ko could stand at `v`: the side to move would take one stone there, with one stone of no other liberty.
    pub(super) fn can_be_ko(&self, v: Vertex) -> bool {
        self.is_empty(v) && self.effects(v.0).ko != 0
    }

    /// The key of this position if its stones had the key `stones`.
    #[inline]
    pub(super) fn key_of_stones(&self, stones: u64) -> u64 {
        let passes = PASSES[usize::from(self.passes.min(2))];
        stones ^ turn_key(self.turn) ^ ko_key(self.ko) ^ passes ^ self.prisoners_key(self.turn, 0)
    }

    /// Prisoners decide the future only where they are counted, and then only their difference does; `turn` gets `more`.
    #[inline]
    fn prisoners_key(&self, turn: Color, more: u32) -> u64 {
        if self.rules.scoring == Scoring::Area {
            return 0;
        }
        let mut prisoners = self.prisoners;
        prisoners[turn.index()] = prisoners[turn.index()].wrapping_add(more);
        let difference = prisoners[0].wrapping_sub(prisoners[1]);
        if difference == 0 { 0 } else { zobrist::mix(0x60_20_00_00_00_00 + u64::from(difference)) }
    }
}

impl<const LEN: usize> Position for Go<LEN> {
    type Move = GoMove;
    const NAME: &'static str = "go";

    #[inline]
    fn turn(&self) -> Color {
        self.turn
    }

    #[inline]
    fn key(&self) -> u64 {
        self.key_of_stones(self.board.key())
    }

    fn generate(&self, moves: &mut Vec<GoMove>) -> Option<Outcome> {
        moves.clear();
        if self.passes >= 2 {
            return Some(self.outcome());
        }
        for row in self.board.rows() {
            for v in row {
                if self.board.cell(v) == cell::EMPTY && self.may_place(v) {
                    moves.push(GoMove::at(Vertex(v)));
                }
            }
        }
        moves.push(GoMove::PASS);
        None
    }

    fn count(&self, _moves: &mut Vec<GoMove>) -> u64 {
        if self.passes >= 2 {
            return 0;
        }
        1 + self.board.empties().iter().filter(|&&v| self.may_place(v)).count() as u64
    }

    #[inline]
    fn ended(&self, _moves: &mut Vec<GoMove>) -> Option<Outcome> {
        (self.passes >= 2).then(|| self.outcome())
    }

    fn is_legal(&self, mv: GoMove) -> bool {
        let fits = |v: u16| self.board.cell(v) == cell::EMPTY && self.may_place(v);
        self.passes < 2 && mv.vertex().is_none_or(|v| fits(v.0))
    }

    #[inline]
    fn play(&mut self, mv: GoMove) {
        match mv.vertex() {
            None => {
                self.passes = (self.passes + 1).min(2);
                self.ko = 0;
                self.taken = 0;
            }
            Some(v) => {
                debug_assert_eq!(self.board.cell(v.0), cell::EMPTY, "a stone goes on an empty point");
                let alone = self.board.code(v.0).is_surrounded_by(!self.turn);
                let placed = self.board.place(v.0, self.turn);
                self.passes = 0;
                self.prisoners[self.turn.index()] += u32::from(placed.captured);
                self.prisoners[(!self.turn).index()] += u32::from(placed.lost);
                // One stone took one stone and has no other liberty: it may not be taken back at once.
                self.ko = if alone && placed.captured == 1 { self.board.last_emptied() } else { 0 };
                self.taken = placed.captured;
            }
        }
        self.last = [mv.to_bits(), self.last[0]];
        self.turn = !self.turn;
    }

    #[inline]
    fn key_after(&self, mv: GoMove) -> u64 {
        match mv.vertex() {
            None => {
                let passes = PASSES[usize::from((self.passes + 1).min(2))];
                self.board.key() ^ turn_key(!self.turn) ^ passes ^ self.prisoners_key(self.turn, 0)
            }
            Some(v) => {
                let Effects { stones_key, ko, captured, lost } = self.effects(v.0);
                let counted = self.prisoners_key(self.turn, captured.wrapping_sub(lost));
                stones_key ^ turn_key(!self.turn) ^ ko_key(ko) ^ counted
            }
        }
    }

    fn ply(&self) -> Ply {
        let key = match self.rules.ko {
            Ko::Simple => self.key(),
            Ko::Positional => self.board.key(),
            Ko::Situational => self.board.key() ^ turn_key(self.turn),
        };
        Ply { key, check: false }
    }

    /// Without superko, a position that stands for the third time has no result.
    fn repetition(&self, past: &[Ply]) -> Option<Outcome> {
        if self.rules.ko != Ko::Simple || self.prisoners == [0; 2] {
            return None;
        }
        let key = self.key();
        (past.iter().filter(|ply| ply.key == key).count() >= 2).then_some(Outcome::Draw)
    }

    /// Superko. Stones come back to an earlier arrangement only if some have left the board, so before the first capture there
    /// is nothing to look at (unless stones may be given up).
    fn restrict(&self, past: &[Ply], moves: &mut Vec<GoMove>) {
        let turn = match self.rules.ko {
            Ko::Simple => return,
            Ko::Positional => 0,
            Ko::Situational => turn_key(!self.turn),
        };
        if self.prisoners == [0; 2] && !self.rules.suicide {
            return;
        }
        // A bit for the low part of every past key answers nearly all questions without a search.
        let mut seen = [0u64; 64];
        let place = |key: u64| (key as usize % 64, key >> 6 & 63);
        for ply in past {
            let (word, bit) = place(ply.key);
            seen[word] |= 1 << bit;
        }
        moves.retain(|&mv| {
            let key = self.stones_key_after(mv) ^ turn;
            let (word, bit) = place(key);
            let fresh = seen[word] >> bit & 1 == 0;
            fresh || mv == GoMove::PASS || past.iter().all(|ply| ply.key != key)
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::{Go9, Go19, Rules};
    use yomi_core::{Line, Notation, Seed, Spec};

    /// Without superko games on 2x2 run in circles; the third time ends it, not earlier and not later.
    #[test]
    fn long_cycles_have_no_result() {
        let start = Go9::start(&Spec::parse("go2(ko=simple)").unwrap()).unwrap();
        let mut drawn = 0;
        for game in 0..20 {
            let mut rng = Seed::new(game).rng();
            let mut line = Line::new(start.clone());
            let mut moves = Vec::new();
            let outcome = loop {
                if let Some(outcome) = line.generate(&mut moves) {
                    break outcome;
                }
                let stones = moves.len() - 1;
                line.play(if stones == 0 { GoMove::PASS } else { moves[rng.below(stones)] });
            };
            let times = |ply: &Ply| line.plies().iter().filter(|p| *p == ply).count();
            if line.position().passes() < 2 {
                drawn += 1;
                assert_eq!(outcome, Outcome::Draw);
                assert_eq!(line.plies().last().map(times), Some(3));
            }
            assert!(line.past().iter().all(|ply| times(ply) < 3 || Some(ply) == line.plies().last()));
        }
        assert!(drawn > 0);
    }

    #[test]
    fn prisoners_decide_only_where_they_count() {
        let position =
            |rules: &str, text: &str| Go9::start(&Spec::parse(rules).unwrap()).unwrap().parse_position(text).unwrap();
        for (rules, matter) in [("go3", false), ("go3(scoring=territory)", true)] {
            let key = |prisoners: &str| position(rules, &format!(".b./.../... w - 0 {prisoners}")).key();
            assert_eq!(key("1:0") != key("0:0"), matter, "{rules}");
            assert_eq!(key("3:2"), key("1:0"), "{rules}");
        }
    }

    /// No sixteen bits make the questions about legality panic.
    #[test]
    fn any_bits_can_be_asked_about() {
        let (nine, nineteen) = (Go9::new(9, Rules::default()).unwrap(), Go19::new(19, Rules::default()).unwrap());
        let legal = |position: &dyn Fn(GoMove) -> bool| {
            (0..=u16::MAX).filter(|&bits| position(GoMove::from_bits(bits))).count()
        };
        assert_eq!(legal(&|mv| nine.is_legal(mv)), 82);
        assert_eq!(legal(&|mv| nineteen.is_legal(mv)), 362);
        assert!((0..=u16::MAX).map(GoMove::from_bits).all(|mv| nine.captured_by(mv) == 0));
    }
}
