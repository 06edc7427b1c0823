//! What searches ask about captures and checks.

use yomi_core::{Color, Position, Tactical};

use super::attacks::{attacks, line_through};
use super::bits::Bits;
use super::movegen::Sink;
use super::moves::ShogiMove;
use super::piece::{Gait, Kind};
use super::position::Shogi;
use super::sinks::List;
use super::square::Square;
use super::variant::Variant;

/// What a piece is worth on the board, in hundredths of a pawn, by the index of its kind: rough, for ordering and exchanges only.
const WORTH: [i32; 14] = [100, 350, 450, 550, 950, 1100, 600, 20_000, 600, 600, 600, 600, 1050, 1550];

/// By how much the balance changes when a piece is taken: one side loses it, the other has it in hand.
const fn swing(kind: Kind) -> i32 {
    WORTH[kind.index()] + WORTH[kind.plain().index()]
}

/// By how much the balance changes when what a square holds is taken, by the lower half of its cell; nothing for an empty one.
const TAKEN: [i32; 16] = {
    let mut taken = [0; 16];
    let mut i = 0;
    while i < Kind::ALL.len() {
        taken[i + 1] = swing(Kind::ALL[i]);
        i += 1;
    }
    taken
};

/// By how much a piece becomes more valuable when it promotes, by the lower half of its cell.
const TURNED: [i32; 16] = {
    let mut turned = [0; 16];
    let mut i = 0;
    while i < Kind::ALL.len() {
        if let Some(promoted) = Kind::ALL[i].promoted() {
            turned[i + 1] = WORTH[promoted.index()] - WORTH[i];
        }
        i += 1;
    }
    turned
};

/// The gaits from the least valuable to the most.
const BY_WORTH: [Gait; Gait::COUNT] = [
    Gait::Pawn,
    Gait::Lance,
    Gait::Knight,
    Gait::Silver,
    Gait::Gold,
    Gait::Bishop,
    Gait::Horse,
    Gait::Rook,
    Gait::Dragon,
    Gait::King,
];

/// The moves that give check.
struct Checks<'a, V: Variant> {
    list: List<'a>,
    position: &'a Shogi<V>,
    king: Square,
    /// Own pieces that stand between a sliding piece of their side and the enemy king.
    hiding: V::Bits,
}

impl<V: Variant> Checks<'_, V> {
    /// Where a piece of this gait gives check.
    ///
    /// The board is taken as it stands. A piece that leaves its square opens no line for itself: had it stood on such a line before, it
    /// would have given check already.
    #[inline]
    fn reach(&self, gait: Gait) -> V::Bits {
        let board = &self.position.board;
        attacks::<V>(!self.position.turn, gait, self.king, board.occupied())
    }
}

impl<V: Variant> Sink<V> for Checks<'_, V> {
    #[inline]
    fn moves(&mut self, from: Square, plain: V::Bits, promoting: V::Bits) {
        let gait = self.position.board.gait_at(from);
        let opens = if self.hiding.has(from) {
            V::TABLES.board.without(line_through::<V>(self.king, from))
        } else {
            V::Bits::EMPTY
        };
        let plain = if gait == Gait::King { plain & opens } else { plain & (self.reach(gait) | opens) };
        let promoting = if promoting.is_empty() { promoting } else { promoting & (self.reach(promoted(gait)) | opens) };
        Sink::<V>::moves(&mut self.list, from, plain, promoting);
    }
    #[inline]
    fn drops(&mut self, kind: Kind, to: V::Bits) {
        let to = to & self.reach(kind.gait());
        Sink::<V>::drops(&mut self.list, kind, to);
    }
}

/// How a piece moves after its promotion.
fn promoted(gait: Gait) -> Gait {
    match gait {
        Gait::Bishop => Gait::Horse,
        Gait::Rook => Gait::Dragon,
        _ => Gait::Gold,
    }
}

impl<V: Variant> Shogi<V> {
    /// What stands on the destination after the move.
    pub(super) fn landed(&self, mv: ShogiMove) -> Kind {
        let kind = match mv.from() {
            Some(from) => self.board.piece(from).map_or(Kind::Pawn, |piece| piece.kind),
            None => mv.dropped().unwrap_or(Kind::Pawn),
        };
        if mv.promotes() { kind.promoted().unwrap_or(kind) } else { kind }
    }

    /// By how much the balance changes when what stands on a square is taken.
    #[inline]
    fn taken(&self, square: Square) -> i32 {
        TAKEN[usize::from(self.board.cell(square) & 15)]
    }

    /// The least valuable piece of `color` among the `occupied` squares that attacks a square. The gaits are tried from the least to the
    /// most valuable, and lines are drawn only for pieces that stand on one.
    #[inline]
    fn least_attacker(&self, color: Color, square: Square, occupied: V::Bits) -> Option<(Square, Gait)> {
        // A piece attacks the square if the other side's piece of the same gait, standing there, would attack it.
        let (board, back) = (&self.board, &V::TABLES.reach[(!color).index()]);
        let mine = board.color(color) & occupied;
        for gait in BY_WORTH {
            let near = back[gait as usize][square.index()] & board.gait(gait) & mine;
            if near.is_empty() {
                continue;
            }
            if let Some(from) = (near & attacks::<V>(!color, gait, square, occupied)).first() {
                return Some((from, gait));
            }
        }
        None
    }
}

impl<V: Variant> Tactical for Shogi<V> {
    fn noisy(&self, moves: &mut Vec<ShogiMove>) {
        if self.in_check() {
            self.generate(moves);
            return;
        }
        moves.clear();
        if self.tried().is_none() {
            self.list_noisy(moves);
        }
    }

    #[inline]
    fn in_check(&self) -> bool {
        !self.checkers.is_empty()
    }

    #[inline]
    fn gives_check(&self, mv: ShogiMove) -> bool {
        Shogi::gives_check(self, mv)
    }

    fn checks(&self, moves: &mut Vec<ShogiMove>) {
        moves.clear();
        let Some(king) = self.board.king(!self.turn) else { return };
        if self.tried().is_none() {
            let hiding = self.board.shields(self.turn, king, self.turn, self.board.occupied());
            self.walk_in_order(&mut Checks { list: List(moves), position: self, king, hiding });
        }
    }

    #[inline]
    fn gain(&self, mv: ShogiMove) -> i32 {
        let taken = self.taken(mv.to());
        match mv.from() {
            Some(from) if mv.promotes() => taken + TURNED[usize::from(self.board.cell(from) & 15)],
            _ => taken,
        }
    }

    /// Both sides take on the square with the piece of the least gait as long as it pays. Pins, and promotions on the way, are not
    /// looked at.
    fn loses_exchange(&self, mv: ShogiMove) -> bool {
        let to = mv.to();
        // What the side to take next is behind by, if it does not take.
        let mut balance = swing(self.landed(mv)) - self.gain(mv);
        if balance <= 0 {
            return false;
        }
        let mut side = !self.turn;
        let mut occupied = self.board.occupied() | V::Bits::of(to);
        if let Some(from) = mv.from() {
            occupied = occupied.without(V::Bits::of(from));
        }
        let mut loses = false;
        loop {
            let Some((square, gait)) = self.least_attacker(side, to, occupied) else { return loses };
            occupied = occupied.without(V::Bits::of(square));
            if gait == Gait::King {
                // The king may not take what is guarded.
                let guarded = !(self.board.attackers(!side, to, occupied) & occupied).is_empty();
                return loses == guarded;
            }
            loses = !loses;
            balance = self.taken(square) - balance;
            // Even if the other side takes this piece back it does not come out ahead.
            if balance < i32::from(!loses) {
                return loses;
            }
            side = !side;
        }
    }

    /// The other side to move. Its king cannot stand in check, or the game would not have come here.
    fn pass(&self) -> Option<Self> {
        if self.in_check() { None } else { Some(Shogi { turn: !self.turn, checkers: V::Bits::EMPTY, ..*self }) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Shogi9;
    use super::*;
    use yomi_core::{Notation, Seed};

    /// What a move takes and promotes, piece by piece.
    fn slow_gain<V: Variant>(position: &Shogi<V>, mv: ShogiMove) -> i32 {
        let taken = position.piece_at(mv.to()).map_or(0, |piece| swing(piece.kind));
        let kind = position.landed(mv);
        taken + if mv.promotes() { WORTH[kind.index()] - WORTH[kind.plain().index()] } else { 0 }
    }

    /// Random games: every answer is compared with what playing the move shows.
    fn compare<V: Variant>(games: u64) {
        let mut moves = Vec::new();
        let mut list = Vec::new();
        for game in 0..games {
            let mut rng = Seed::new(7).branch("tactics", game).rng();
            let mut position = Shogi::<V>::default();
            for _ in 0..150 {
                if position.generate(&mut moves).is_some() {
                    break;
                }
                let after = |mv: ShogiMove| {
                    let mut child = position;
                    child.play(mv);
                    child
                };
                let checks: Vec<_> = moves.iter().copied().filter(|&mv| after(mv).in_check()).collect();
                position.checks(&mut list);
                assert_eq!(list, checks, "{position}");
                let is_noisy = |mv: ShogiMove| position.piece_at(mv.to()).is_some() || mv.promotes();
                let noisy: Vec<_> = moves.iter().copied().filter(|&mv| position.in_check() || is_noisy(mv)).collect();
                position.noisy(&mut list);
                list.sort_unstable();
                assert_eq!(list, noisy, "{position}");
                for &mv in &moves {
                    assert_eq!(position.gives_check(mv), after(mv).in_check(), "{position} {mv:?}");
                    assert_eq!(position.gain(mv) > 0, is_noisy(mv), "{position} {mv:?}");
                    assert_eq!(position.gain(mv), slow_gain(&position, mv), "{position} {mv:?}");
                }
                if let Some(passed) = position.pass() {
                    let text = passed.position_text();
                    assert_eq!(position.parse_position(&text).as_ref(), Ok(&passed), "{text}");
                    assert_ne!(passed.key(), position.key());
                } else {
                    assert!(position.in_check());
                }
                position = after(moves[rng.below(moves.len())]);
            }
        }
    }

    #[test]
    fn checks_noise_and_passes_are_what_they_seem() {
        compare::<super::super::Nine>(40);
        compare::<super::super::Five>(100);
    }

    /// The slow twin of the exchange: what `side` wins by taking `prize` on `square` with its least piece, or by not taking.
    fn best_of_taking<V: Variant>(p: &Shogi<V>, side: Color, square: Square, prize: Kind, occupied: V::Bits) -> i32 {
        let taker = |color: Color, occupied: V::Bits| {
            let looks_at = |&from: &Square| attacks::<V>(color, p.board.gait_at(from), from, occupied).has(square);
            let rank = |&from: &Square| BY_WORTH.iter().position(|&gait| gait == p.board.gait_at(from));
            (p.board.color(color) & occupied).squares().filter(looks_at).min_by_key(rank)
        };
        let Some(from) = taker(side, occupied) else { return 0 };
        let kind = p.piece_at(from).expect("a piece").kind;
        let left = occupied.without(V::Bits::of(from));
        if kind == Kind::King && taker(!side, left).is_some() {
            return 0;
        }
        0.max(swing(prize) - best_of_taking(p, !side, square, kind, left))
    }

    fn loses_slowly<V: Variant>(p: &Shogi<V>, mv: ShogiMove) -> bool {
        let from = mv.from().map_or(V::Bits::EMPTY, V::Bits::of);
        // The square itself is left out: what stood there is gone, and what came there takes nothing.
        let occupied = p.board.occupied().without(from).without(V::Bits::of(mv.to()));
        p.gain(mv) < best_of_taking(p, !p.turn, mv.to(), p.landed(mv), occupied)
    }

    #[test]
    fn exchanges_as_people_count_them() {
        for (sfen, mv, loses) in [
            // A pawn takes a pawn that a gold guards, and a rook takes one.
            ("4k4/4g4/4p4/4P4/4R4/9/9/9/4K4 b - 1", "5d5c", false),
            ("4k4/4g4/4p4/4R4/9/9/9/9/4K4 b - 1", "5d5c", true),
            // Behind the first rook stands a second, but a rook for a pawn and a gold is too much.
            ("4k4/4g4/4p4/4R4/4R4/9/9/9/4K4 b - 1", "5d5c", true),
            // A silver takes a gold although a pawn takes back.
            ("4k4/4p4/4g4/4S4/9/9/9/9/4K4 b - 1", "5d5c", false),
            // The king guards only what is not guarded from behind.
            ("9/4k4/4p4/4R4/4L4/9/9/9/4K4 b - 1", "5d5c", false),
            ("9/4k4/4p4/4R4/9/9/9/9/4K4 b - 1", "5d5c", true),
            // A drop where a pawn can take it.
            ("4k4/4p4/9/9/9/9/9/9/4K4 b S 1", "S*5c", true),
            ("4k4/4p4/9/9/9/9/9/9/4K4 b S 1", "S*5d", false),
        ] {
            let position = Shogi9::from_sfen(sfen).unwrap();
            let mv = position.parse_move(mv).unwrap();
            assert_eq!(position.loses_exchange(mv), loses, "{sfen} {mv:?}");
        }
    }

    #[test]
    fn exchanges_agree_with_counting_them_out() {
        fn compare<V: Variant>(games: u64) {
            let mut compared = [0; 2];
            for game in 0..games {
                let mut rng = Seed::new(8).branch("exchange", game).rng();
                let mut position = Shogi::<V>::default();
                let mut moves = Vec::new();
                for _ in 0..100 {
                    if position.generate(&mut moves).is_some() {
                        break;
                    }
                    for &mv in &moves {
                        let slow = loses_slowly(&position, mv);
                        compared[usize::from(slow)] += 1;
                        assert_eq!(position.loses_exchange(mv), slow, "{position}\n{}", position.move_text(mv));
                    }
                    position.play(moves[rng.below(moves.len())]);
                }
            }
            assert!(compared.iter().all(|&n| n > 10_000), "{compared:?}");
        }
        compare::<super::super::Nine>(20);
        compare::<super::super::Five>(100);
    }
}
