//! Features of moves of shogi and minishogi (S3.1).

use yomi_core::{Color, Position, Tactical};
use yomi_games::shogi::{Bits, Kind, Shogi, ShogiMove, Square, Variant};

use super::{MoveFeatures, SimulationPolicy};

/// What does not depend on the kind of a piece, in the order of the weights.
#[derive(Clone, Copy)]
enum Plain {
    Check,
    SafeCheck,
    EvadesByKing,
    EvadesByCapture,
    EvadesByBlock,
    Retakes,
    RetakesValue,
    NearLast,
    Gain,
    LosesExchange,
    ToAttacked,
    ToDefended,
    ToAttackedUndefended,
    FromAttacked,
    FromAttackedUndefended,
    RefusesPromotion,
    Forward,
    Backward,
    Threatens,
    Forks,
    OwnKing1,
    OwnKing2,
    OwnKing3,
    EnemyKing1,
    EnemyKing2,
    EnemyKing3,
    TowardsEnemyKing,
}

const PLAIN: [&str; 27] = [
    "check",
    "safe-check",
    "evades-by-king",
    "evades-by-capture",
    "evades-by-block",
    "retakes",
    "retakes-value",
    "near-last",
    "gain",
    "loses-exchange",
    "to-attacked",
    "to-defended",
    "to-attacked-undefended",
    "from-attacked",
    "from-attacked-undefended",
    "refuses-promotion",
    "forward",
    "backward",
    "threatens",
    "forks",
    "own-king-1",
    "own-king-2",
    "own-king-3",
    "enemy-king-1",
    "enemy-king-2",
    "enemy-king-3",
    "towards-enemy-king",
];

/// Blocks of a weight a kind: what moves, what is taken (no king), what promotes, what is dropped.
const MOVES: usize = PLAIN.len();
const TAKES: usize = MOVES + 14;
const PROMOTES: usize = TAKES + 14;
const DROPS: usize = PROMOTES + 6;
const COUNT: usize = DROPS + 7;

const KINDS: [&str; 14] = [
    "pawn", "lance", "knight", "silver", "bishop", "rook", "gold", "king", "+pawn", "+lance", "+knight", "+silver",
    "+bishop", "+rook",
];

/// Steps of a king between two squares.
fn distance<V: Variant>(a: Square, b: Square) -> u8 {
    a.file::<V>().abs_diff(b.file::<V>()).max(a.rank::<V>().abs_diff(b.rank::<V>()))
}

/// What all moves of a position have in common.
struct Scene<'a, V: Variant> {
    position: &'a Shogi<V>,
    side: Color,
    in_check: bool,
    checkers: V::Bits,
    /// Squares that the enemy attacks.
    attacked: V::Bits,
    kings: [Option<Square>; 2],
    last: Option<Square>,
}

impl<V: Variant> Scene<'_, V> {
    fn look(&self, mv: ShogiMove, found: &mut dyn FnMut(usize, f32)) {
        let Scene { position, side, .. } = *self;
        let to = mv.to();
        let kind = match mv.from() {
            Some(from) => position.piece_at(from).map_or(Kind::Pawn, |piece| piece.kind),
            None => mv.dropped().unwrap_or(Kind::Pawn),
        };
        let taken = position.piece_at(to).map(|piece| piece.kind);
        let mut plain = |feature: Plain, x: f32| found(feature as usize, x);
        let mut when = |holds: bool, feature: Plain| {
            if holds {
                plain(feature, 1.0);
            }
        };
        let loses = position.loses_exchange(mv);
        when(loses, Plain::LosesExchange);
        if position.gives_check(mv) {
            when(true, Plain::Check);
            when(!loses, Plain::SafeCheck);
        }
        if self.in_check {
            when(kind == Kind::King, Plain::EvadesByKing);
            when(kind != Kind::King && self.checkers.has(to), Plain::EvadesByCapture);
            when(kind != Kind::King && !self.checkers.has(to), Plain::EvadesByBlock);
        }
        // The piece that leaves its square does not defend where it goes.
        let own = position.attackers_to(side, to);
        let defended = mv.from().map_or(own, |from| own.without(V::Bits::of(from)));
        let attacked = self.attacked.has(to);
        when(attacked, Plain::ToAttacked);
        when(!defended.is_empty(), Plain::ToDefended);
        when(attacked && defended.is_empty(), Plain::ToAttackedUndefended);
        if let Some(from) = mv.from() {
            if self.attacked.has(from) {
                when(true, Plain::FromAttacked);
                when(position.attackers_to(side, from).is_empty(), Plain::FromAttackedUndefended);
            }
            let ahead = if side == Color::Black { from.rank::<V>() } else { to.rank::<V>() };
            let behind = if side == Color::Black { to.rank::<V>() } else { from.rank::<V>() };
            when(behind < ahead, Plain::Forward);
            when(behind > ahead, Plain::Backward);
        }
        let lands = if mv.promotes() { kind.promoted().unwrap_or(kind) } else { kind };
        let targets = self.targets(lands, to);
        when(targets == 1, Plain::Threatens);
        when(targets > 1, Plain::Forks);
        if let Some(king) = self.kings[0].filter(|_| kind != Kind::King) {
            self.near(distance::<V>(to, king), Plain::OwnKing1, &mut when);
        }
        if let Some(king) = self.kings[1] {
            self.near(distance::<V>(to, king), Plain::EnemyKing1, &mut when);
            let nearer = mv.from().is_some_and(|from| distance::<V>(to, king) < distance::<V>(from, king));
            when(nearer, Plain::TowardsEnemyKing);
        }
        when(self.last.is_some_and(|last| distance::<V>(to, last) <= 1), Plain::NearLast);
        let gain = position.gain(mv) as f32 / 1000.0;
        if gain != 0.0 {
            plain(Plain::Gain, gain);
        }
        if taken.is_some() && self.last == Some(to) {
            plain(Plain::Retakes, 1.0);
            if gain != 0.0 {
                plain(Plain::RetakesValue, gain);
            }
        }
        match mv.dropped() {
            Some(kind) => found(DROPS + kind.index(), 1.0),
            None => found(MOVES + kind.index(), 1.0),
        }
        if let Some(taken) = taken {
            found(TAKES + taken.index(), 1.0);
        }
        if mv.promotes() {
            found(PROMOTES + kind.index(), 1.0);
        } else if mv.from().is_some_and(|from| position.may_promote(from, to)) {
            found(Plain::RefusesPromotion as usize, 1.0);
        }
    }

    fn near(&self, steps: u8, nearest: Plain, when: &mut dyn FnMut(bool, Plain)) {
        let [one, two, three] = match nearest {
            Plain::OwnKing1 => [Plain::OwnKing1, Plain::OwnKing2, Plain::OwnKing3],
            _ => [Plain::EnemyKing1, Plain::EnemyKing2, Plain::EnemyKing3],
        };
        when(steps <= 1, one);
        when(steps == 2, two);
        when(steps == 3, three);
    }

    /// How many enemy pieces of more worth, or without a defender, the piece attacks from its new square.
    fn targets(&self, kind: Kind, to: Square) -> u32 {
        let enemies = self.position.pieces(!self.side);
        let mut targets = 0;
        (self.position.reach(self.side, kind, to) & enemies).each(|square| {
            let other = self.position.piece_at(square).map_or(Kind::Pawn, |piece| piece.kind);
            let worth = |kind: Kind| if kind == Kind::King { 9 } else { ORDER[kind.index()] };
            let loose = || other != Kind::Pawn && self.position.attackers_to(!self.side, square).is_empty();
            targets += u32::from(worth(other) > worth(kind) || loose());
        });
        targets
    }
}

/// Kinds from the least to the most valuable.
const ORDER: [u8; 14] = [0, 1, 1, 2, 4, 5, 3, 9, 3, 3, 3, 3, 6, 7];

impl<V: Variant> MoveFeatures for Shogi<V> {
    type Scratch = ();

    fn feature_names() -> Vec<String> {
        let block = |verb: &'static str, count: usize| KINDS[..count].iter().map(move |kind| format!("{verb}-{kind}"));
        let plain = PLAIN.iter().map(ToString::to_string);
        plain
            .chain(block("moves", 14))
            .chain(block("takes", 14))
            .chain(block("promotes", 6))
            .chain(block("drops", 7))
            .collect()
    }

    fn move_features(
        &self,
        last: Option<ShogiMove>,
        moves: &[ShogiMove],
        (): &mut (),
        sink: &mut dyn FnMut(usize, usize, f32),
    ) {
        let side = self.turn();
        let checkers = self.checkers();
        let scene = Scene {
            position: self,
            side,
            in_check: !checkers.is_empty(),
            checkers,
            attacked: self.attacked_by(!side),
            kings: [self.king(side), self.king(!side)],
            last: last.map(ShogiMove::to),
        };
        for (i, &mv) in moves.iter().enumerate() {
            scene.look(mv, &mut |feature, x| sink(i, feature, x));
        }
    }

    fn embedded_policy() -> Vec<f32> {
        let text = if V::SIZE == 5 {
            include_str!("../../weights/minishogi.policy")
        } else {
            include_str!("../../weights/shogi.policy")
        };
        let policy = SimulationPolicy::<Self>::read(text);
        policy.map_or_else(|_| vec![0.0; COUNT], |policy| policy.theta().to_vec())
    }
}
