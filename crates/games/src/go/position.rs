//! Turns, ko, passes and the end of the game.

use yomi_core::{Color, Outcome, Ply, Position, zobrist};

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

/// Prisoners decide the future only where they are counted, and then only their difference does.
fn prisoners_key(prisoners: [u32; 2]) -> u64 {
    let difference = prisoners[0].wrapping_sub(prisoners[1]);
    if difference == 0 { 0 } else { zobrist::mix(0x60_20_00_00_00_00 + u64::from(difference)) }
}

/// What a move does, apart from the stones themselves.
struct Effects {
    stones_key: u64,
    ko: u16,
    prisoners: [u32; 2],
}

impl<const LEN: usize> Go<LEN> {
    /// Whether a stone may be put on `v` in this position, the past apart.
    #[inline]
    pub(super) fn may_place(&self, v: u16) -> bool {
        // A point with an empty neighbour is neither ko nor suicide.
        self.board.code(v).has_liberty() || (v != self.ko && self.has_breath(v))
    }

    /// Whether a stone on `v`, which has no empty neighbour, would stay or may be given up.
    #[inline]
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

    /// What a stone on `v` would do, without doing it: nothing is copied, and chains are walked only if they leave the board.
    #[inline]
    fn effects(&self, v: u16) -> Effects {
        let (own, enemy) = (self.turn, !self.turn);
        let code = self.board.code(v);
        let mut effects = Effects {
            stones_key: self.board.key() ^ Board::<LEN>::stone_key(v, own),
            ko: 0,
            prisoners: self.prisoners,
        };
        if code.stones(enemy) != 0 {
            let (mut captured, mut last) = (0, 0);
            self.board.for_captured(v, own, |u| {
                effects.stones_key ^= Board::<LEN>::stone_key(u, enemy);
                (captured, last) = (captured + 1, u);
            });
            effects.prisoners[own.index()] += captured;
            if captured == 1 && code.is_surrounded_by(enemy) {
                effects.ko = last;
            }
        }
        if self.rules.suicide && self.board.is_suicide(v, own) {
            effects.stones_key ^= Board::<LEN>::stone_key(v, own);
            effects.prisoners[enemy.index()] += 1;
            self.board.for_connected(v, own, |u| {
                effects.stones_key ^= Board::<LEN>::stone_key(u, own);
                effects.prisoners[enemy.index()] += 1;
            });
        }
        effects
    }

    /// Whether a ko could stand at `v`: the side to move would take one stone there, with one stone of no other liberty.
    pub(super) fn can_be_ko(&self, v: Vertex) -> bool {
        self.is_empty(v) && self.effects(v.0).ko != 0
    }

    /// The key of this position if its stones had the key `stones`.
    pub(super) fn key_of_stones(&self, stones: u64) -> u64 {
        self.compose_key(stones, self.turn, self.ko, self.passes, self.prisoners)
    }

    /// The full key from its parts.
    #[inline]
    fn compose_key(&self, stones: u64, turn: Color, ko: u16, passes: u8, prisoners: [u32; 2]) -> u64 {
        let counted = if self.rules.scoring == Scoring::Territory { prisoners_key(prisoners) } else { 0 };
        stones ^ turn_key(turn) ^ ko_key(ko) ^ PASSES[usize::from(passes.min(2))] ^ counted
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
        let legal = self.vertices().filter(|v| self.board.cell(v.0) == cell::EMPTY && self.may_place(v.0));
        moves.extend(legal.map(GoMove::at));
        moves.push(GoMove::PASS);
        None
    }

    fn count(&self, _moves: &mut Vec<GoMove>) -> u64 {
        if self.passes >= 2 {
            return 0;
        }
        1 + self.board.empties().iter().filter(|&&v| self.may_place(v)).count() as u64
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
            }
        }
        self.turn = !self.turn;
    }

    #[inline]
    fn key_after(&self, mv: GoMove) -> u64 {
        match mv.vertex() {
            None => self.compose_key(self.board.key(), !self.turn, 0, self.passes + 1, self.prisoners),
            Some(v) => {
                let Effects { stones_key, ko, prisoners } = self.effects(v.0);
                self.compose_key(stones_key, !self.turn, ko, 0, prisoners)
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
