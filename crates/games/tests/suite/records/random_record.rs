//! Random records of shogi and minishogi: games with comments, times, variations and every way to end.

use std::time::Duration;

use yomi_core::record::{ROOT, Record};
use yomi_core::{Color, Ending, Notation, Outcome, Position, Rng};
use yomi_games::shogi::records::{BOOKMARK, ILLEGAL, WORD};
use yomi_games::shogi::{Kind, Shogi, ShogiMove, Square, Variant};

/// What a random record may contain.
#[derive(Clone, Copy)]
pub(crate) struct Taste {
    /// Variations.
    pub(crate) variations: bool,
    /// Bookmarks.
    pub(crate) bookmarks: bool,
    /// Starts other than the usual one.
    pub(crate) odd_starts: bool,
    /// Illegal last moves, and ends that only our reader distinguishes.
    pub(crate) odd_ends: bool,
}

/// Ends with the word that goes with them.
const ENDS: [(Ending, Option<&str>); 18] = [
    (Ending::Resign, None),
    (Ending::Resign, None),
    (Ending::Aborted, None),
    (Ending::Repetition, None),
    (Ending::Impasse, None),
    (Ending::Mate, None),
    (Ending::TimeUp, None),
    (Ending::IllegalMove, None),
    (Ending::IllegalAction, None),
    (Ending::Declaration, None),
    (Ending::PerpetualCheck, None),
    (Ending::MoveLimit, None),
    (Ending::Resign, Some("不戦敗")),
    (Ending::Impasse, Some("引き分け")),
    (Ending::Aborted, Some("不詰")),
    (Ending::Aborted, Some("待った")),
    (Ending::Aborted, Some("封じ手")),
    (Ending::Aborted, Some("エラー")),
];
const PLAIN_ENDS: usize = 10;

/// A random record.
pub(crate) fn random_record<V: Variant>(rng: &mut Rng, taste: Taste) -> Record<Shogi<V>> {
    let mut record = Record::new(start(rng, taste));
    for (key, value) in
        [("先手", "読み 太郎"), ("後手", "α-β次郎"), ("開始日時", "2024/05/14 10:00:00"), ("棋戦", "交流戦：第1局")]
    {
        if rng.chance(0.7) {
            record.headers.push((key.to_string(), value.to_string()));
        }
    }
    if rng.chance(0.3) {
        record.nodes[ROOT].comment = "開始前のコメント\n*二行目".to_string();
    }
    let length = rng.below(160);
    grow(&mut record, ROOT, length, rng, taste);
    if taste.variations {
        for _ in 0..rng.below(6) {
            let from = rng.below(record.nodes.len());
            if record.nodes[from].ending.is_none() {
                let length = 1 + rng.below(12);
                grow(&mut record, from, length, rng, taste);
            }
        }
    }
    record
}

/// The position at a node.
pub(crate) fn position_at<V: Variant>(record: &Record<Shogi<V>>, mut node: usize) -> Shogi<V> {
    let mut moves = Vec::new();
    while node != ROOT {
        moves.extend(record.nodes[node].mv);
        node = record.nodes[node].parent;
    }
    let mut position = record.start;
    moves.into_iter().rev().for_each(|mv| position.play(mv));
    position
}

fn start<V: Variant>(rng: &mut Rng, taste: Taste) -> Shogi<V> {
    let even = Shogi::<V>::from_sfen("startpos").unwrap();
    match rng.below(if taste.odd_starts { 3 } else { 1 }) {
        0 => even,
        1 => Shogi::from_sfen(V::HANDICAPS[rng.below(V::HANDICAPS.len())].1).unwrap(),
        _ => {
            let mut position = even;
            let mut moves = Vec::new();
            for _ in 0..rng.below(80) {
                if position.generate(&mut moves).is_some() {
                    break;
                }
                position.play(choose(&position, &moves, rng));
            }
            // Records do not agree on whether they keep the number of the move.
            let sfen = position.sfen();
            let (rest, _) = sfen.rsplit_once(' ').unwrap();
            Shogi::from_sfen(&format!("{rest} 1")).unwrap()
        }
    }
}

/// Adds a line of moves below a node.
fn grow<V: Variant>(record: &mut Record<Shogi<V>>, mut node: usize, length: usize, rng: &mut Rng, taste: Taste) {
    let mut position = position_at(record, node);
    let mut moves = Vec::new();
    let timed = rng.chance(0.7);
    for _ in 0..length {
        if position.generate(&mut moves).is_some() {
            break;
        }
        let mv = choose(&position, &moves, rng);
        node = record.add(node, Some(mv));
        position.play(mv);
        decorate(record, node, rng, timed, taste);
    }
    if rng.chance(0.8) && node != ROOT {
        end(record, node, &position, rng, taste);
        let last = record.nodes.len() - 1;
        decorate(record, last, rng, timed, taste);
    }
}

/// Captures and promotions are chosen more often, so that hands fill.
fn choose<V: Variant>(position: &Shogi<V>, moves: &[ShogiMove], rng: &mut Rng) -> ShogiMove {
    let mut mv = moves[rng.below(moves.len())];
    for _ in 0..3 {
        if position.piece_at(mv.to()).is_none() && !mv.promotes() {
            mv = moves[rng.below(moves.len())];
        }
    }
    mv
}

fn decorate<V: Variant>(record: &mut Record<Shogi<V>>, node: usize, rng: &mut Rng, timed: bool, taste: Taste) {
    let node = &mut record.nodes[node];
    if timed {
        node.time = Some(Duration::from_secs(rng.below(4000) as u64));
    }
    if rng.chance(0.05) {
        node.comment =
            ["好手。", "**対局 時間 00:01.0 評価値 73 読み筋 △８四歩", "一\n二　三", "疑問手？ 変化：は別譜"]
                [rng.below(4)]
            .to_string();
    }
    if rng.chance(0.01) && node.mv.is_some() && taste.bookmarks {
        node.properties.push((BOOKMARK.to_string(), vec!["仕掛け".to_string()]));
    }
}

fn end<V: Variant>(record: &mut Record<Shogi<V>>, parent: usize, position: &Shogi<V>, rng: &mut Rng, taste: Taste) {
    let node = record.add(parent, None);
    if taste.odd_ends
        && rng.chance(0.2)
        && let Some(mv) = illegal(position, rng)
    {
        record.nodes[node].ending = Some(Ending::IllegalAction);
        record.nodes[node].properties.push((ILLEGAL.to_string(), vec![position.move_text(mv)]));
        return;
    }
    let (mut ending, mut word) = ENDS[rng.below(if taste.odd_ends { ENDS.len() } else { PLAIN_ENDS })];
    if taste.odd_ends && rng.chance(0.05) {
        (ending, word) = (Ending::Counted(Outcome::Win(position.turn())), Some("不戦勝"));
    }
    record.nodes[node].ending = Some(ending);
    if let Some(word) = word {
        record.nodes[node].properties.push((WORD.to_string(), vec![word.to_string()]));
    }
}

/// A move of a piece that exists against some rule.
fn illegal<V: Variant>(position: &Shogi<V>, rng: &mut Rng) -> Option<ShogiMove> {
    let squares: Vec<Square> = Square::all::<V>().collect();
    (0..200).find_map(|_| {
        let (from, to) = (squares[rng.below(squares.len())], squares[rng.below(squares.len())]);
        let kind = Kind::HAND[rng.below(7)];
        let mine = position.piece_at(from).is_some_and(|piece| piece.color == position.turn());
        let mv = match rng.below(3) {
            0 if position.hand(position.turn(), kind) > 0 => ShogiMove::drop(kind, to),
            1 if mine && position.piece_at(from)?.kind.promoted().is_some() => ShogiMove::promoting(from, to),
            _ if mine => ShogiMove::new(from, to),
            _ => return None,
        };
        (!position.is_legal(mv)).then_some(mv)
    })
}

/// Who wins a record's main line, if it says so.
pub(crate) fn outcome<V: Variant>(record: &Record<Shogi<V>>) -> Option<Outcome> {
    let last = record.main_line().last()?;
    let turn: Color = position_at(record, last).turn();
    record.nodes[last].ending?.outcome(turn)
}
