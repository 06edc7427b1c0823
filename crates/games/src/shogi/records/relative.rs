//! Which piece a move means, and the words that distinguish it from its rivals: 右 左 直 上 寄 引 打.
//!
//! The rivals of a piece are the pieces of its kind that reach the same square, pinned or not. The federation's rule names the
//! motion if that is enough, else the flank, else both; the great pieces (飛 角 龍 馬) know no 直.

use std::cmp::Ordering;

use yomi_core::{Color, Position};

use super::super::bits::Bits;
use super::super::moves::ShogiMove;
use super::super::piece::Kind;
use super::super::position::Shogi;
use super::super::square::Square;
use super::super::variant::Variant;
use super::kanji;
use super::move_text::{Flank, Motion, MoveText, Origin};

/// Why a text is no legal move.
pub(super) struct Refusal {
    /// What is wrong.
    pub(super) reason: String,
    /// The move itself, if a piece exists that could be meant: it breaks a rule.
    pub(super) mv: Option<ShogiMove>,
}

impl From<String> for Refusal {
    fn from(reason: String) -> Refusal {
        Refusal { reason, mv: None }
    }
}

/// The legal move that `text` means; `before` is where the move before it went.
pub(super) fn resolve<V: Variant>(
    position: &Shogi<V>,
    text: &MoveText,
    before: Option<Square>,
) -> Result<ShogiMove, Refusal> {
    let turn = position.turn();
    if text.color.is_some_and(|color| color != turn) {
        return Err(format!("it is {}'s move", kanji::mark(turn)).into());
    }
    let to = match text.to {
        Some((file, rank)) => square::<V>(file, rank)?,
        None => before.ok_or_else(|| "同 needs a move before it".to_string())?,
    };
    let name = kanji::name(text.kind);
    let (board, dropped) = match text.origin {
        Origin::Hand => (None, true),
        Origin::Square(file, rank) => {
            let from = square::<V>(file, rank)?;
            let found = position.piece_at(from);
            match found {
                None => return Err(format!("nothing stands on {file}{rank}").into()),
                Some(piece) if piece.kind != text.kind => {
                    return Err(format!("{} stands on {file}{rank}, not {name}", kanji::name(piece.kind)).into());
                }
                Some(_) => (Some(from), false),
            }
        }
        Origin::Unsaid => (choose(position, text, to)?, false),
    };
    let drop = || {
        let has = position.hand(turn, text.kind) > 0;
        has.then(|| ShogiMove::drop(text.kind, to)).ok_or_else(|| format!("there is no {name} in hand").into())
    };
    let mv = match board {
        Some(from) if text.promotes == Some(true) => ShogiMove::promoting(from, to),
        Some(from) => ShogiMove::new(from, to),
        None if dropped => drop()?,
        None => drop().map_err(|_: Refusal| format!("no {name} can go there"))?,
    };
    if position.is_legal(mv) {
        return Ok(mv);
    }
    // Programs that count only legal moves as rivals drop without 打 where the piece on the board is pinned.
    let unsaid =
        text.origin == Origin::Unsaid && text.promotes.is_none() && text.flank.is_none() && text.motion.is_none();
    if let (true, Ok(drop)) = (unsaid, drop())
        && position.is_legal(drop)
    {
        return Ok(drop);
    }
    Err(refuse(position, mv))
}

/// Why a move is illegal. It is kept if it can be written again: its player has the piece.
pub(super) fn refuse<V: Variant>(position: &Shogi<V>, mv: ShogiMove) -> Refusal {
    let reason = position.judge(mv).err().map_or_else(|| "it is not legal".to_string(), |illegal| illegal.to_string());
    Refusal { reason, mv: has_piece(position, mv).then_some(mv) }
}

/// Whether the side to move has the piece that a move asks for, and another side of it to turn to if it promotes.
pub(super) fn has_piece<V: Variant>(position: &Shogi<V>, mv: ShogiMove) -> bool {
    let turn = position.turn();
    let on_board = mv.from().and_then(|from| position.piece_at(from)).filter(|piece| piece.color == turn);
    let in_hand = mv.dropped().is_some_and(|kind| position.hand(turn, kind) > 0);
    in_hand || on_board.is_some_and(|piece| !mv.promotes() || piece.kind.promoted().is_some())
}

fn square<V: Variant>(file: u8, rank: u8) -> Result<Square, Refusal> {
    Square::new::<V>(file, rank).ok_or_else(|| format!("the board has no square {file}{rank}").into())
}

/// The piece on the board that is meant, if one is.
fn choose<V: Variant>(position: &Shogi<V>, text: &MoveText, to: Square) -> Result<Option<Square>, Refusal> {
    let turn = position.turn();
    let rivals = rivals(position, text.kind, to);
    if rivals.is_empty() {
        return Ok(None);
    }
    let mut fit = rivals.clone();
    // 直 says forward, too: a gold straight ahead of its target would be 引.
    let straight = text.flank == Some(Flank::Straight);
    if let Some(wanted) = text.motion.or(straight.then_some(Motion::Up)) {
        fit.retain(|&from| motion::<V>(turn, from, to) == wanted);
    }
    if let Some(wanted) = text.flank {
        let sides: Vec<Ordering> = fit.iter().map(|&from| side::<V>(turn, from, to)).collect();
        // Of two great pieces the one straight behind is 左 or 右 too: whatever the other one is not.
        let extreme = match wanted {
            Flank::Left => sides.iter().copied().max(),
            Flank::Right => sides.iter().copied().min(),
            Flank::Straight => Some(Ordering::Equal),
        };
        fit.retain(|&from| Some(side::<V>(turn, from, to)) == extreme);
    }
    if fit.len() > 1 {
        let promotes = text.promotes == Some(true);
        let mv = |from| if promotes { ShogiMove::promoting(from, to) } else { ShogiMove::new(from, to) };
        let legal: Vec<Square> = fit.iter().copied().filter(|&from| position.is_legal(mv(from))).collect();
        if !legal.is_empty() {
            fit = legal;
        }
    }
    let names = |squares: &[Square]| {
        let names: Vec<String> = squares.iter().map(|sq| format!("{}{}", sq.file::<V>(), sq.rank::<V>())).collect();
        names.join(", ")
    };
    match fit[..] {
        [one] => Ok(Some(one)),
        [] => Err(format!("{} stands on {}, which is not meant", kanji::name(text.kind), names(&rivals)).into()),
        _ => Err(format!("it may be the {} on {}", kanji::name(text.kind), names(&fit)).into()),
    }
}

/// The words for the piece on `from` that goes to `to`.
pub(super) fn words<V: Variant>(position: &Shogi<V>, from: Square, to: Square) -> (Option<Flank>, Option<Motion>) {
    let turn = position.turn();
    let Some(piece) = position.piece_at(from) else { return (None, None) };
    let rivals = rivals(position, piece.kind, to);
    if rivals.len() <= 1 {
        return (None, None);
    }
    let (my_side, my_motion) = (side::<V>(turn, from, to), motion::<V>(turn, from, to));
    if rivals.iter().filter(|&&rival| motion::<V>(turn, rival, to) == my_motion).count() == 1 {
        return (None, Some(my_motion));
    }
    let great = matches!(piece.kind, Kind::Bishop | Kind::Rook | Kind::Horse | Kind::Dragon);
    let flank = match my_side {
        Ordering::Greater => Flank::Left,
        Ordering::Less => Flank::Right,
        Ordering::Equal if !great => return (Some(Flank::Straight), None),
        Ordering::Equal => {
            let other_right = rivals.iter().any(|&rival| side::<V>(turn, rival, to) == Ordering::Less);
            return (Some(if other_right { Flank::Left } else { Flank::Right }), None);
        }
    };
    let alone = rivals.iter().filter(|&&rival| side::<V>(turn, rival, to) == my_side).count() == 1;
    (Some(flank), (!alone).then_some(my_motion))
}

/// Whether a drop must say 打: a piece on the board could go there as well.
pub(super) fn drop_is_ambiguous<V: Variant>(position: &Shogi<V>, kind: Kind, to: Square) -> bool {
    !rivals(position, kind, to).is_empty()
}

/// The pieces of the side to move, of one kind, that reach a square.
fn rivals<V: Variant>(position: &Shogi<V>, kind: Kind, to: Square) -> Vec<Square> {
    let board = &position.board;
    let attackers = board.attackers(position.turn(), to, board.occupied());
    attackers.squares().filter(|&from| board.piece(from).is_some_and(|piece| piece.kind == kind)).collect()
}

/// Where `from` lies of `to` as the player sees it: less is right, greater is left.
fn side<V: Variant>(turn: Color, from: Square, to: Square) -> Ordering {
    let files = from.file::<V>().cmp(&to.file::<V>());
    if turn == Color::Black { files } else { files.reverse() }
}

fn motion<V: Variant>(turn: Color, from: Square, to: Square) -> Motion {
    let ranks = from.rank::<V>().cmp(&to.rank::<V>());
    match if turn == Color::Black { ranks } else { ranks.reverse() } {
        Ordering::Greater => Motion::Up,
        Ordering::Equal => Motion::Sideways,
        Ordering::Less => Motion::Down,
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::{Minishogi, Nine, Shogi9};
    use super::super::move_text;
    use super::*;

    fn meant(sfen: &str, text: &str) -> Result<String, String> {
        use yomi_core::Notation;
        let position = Shogi9::from_sfen(sfen).unwrap();
        let (mv, rest) = move_text::parse(text).unwrap();
        assert_eq!(rest, "");
        resolve(&position, &mv, None).map(|mv| position.move_text(mv)).map_err(|refusal| refusal.reason)
    }

    /// The diagrams of the federation's page on notation, rebuilt.
    #[test]
    fn the_federations_examples() {
        let golds = "4k4/9/9/9/9/9/9/9/2G1GK3 b - 1";
        assert_eq!(meant(golds, "▲６九金左"), Ok("7i6i".into()), "both slide, so the flank decides");
        let golds = "4k4/9/9/9/9/9/9/3GGG3/4K4 b - 1";
        assert_eq!(meant(golds, "▲５七金左"), Ok("6h5g".into()));
        assert_eq!(meant(golds, "▲５七金直"), Ok("5h5g".into()));
        assert_eq!(meant(golds, "▲５七金右"), Ok("4h5g".into()));
        assert_eq!(meant(golds, "▲５七金上"), Err("it may be the 金 on 48, 58, 68".into()));
        let dragons = "k8/9/9/9/9/9/9/4+R4/3+R3K1 b - 1";
        assert_eq!(meant(dragons, "▲６八龍寄"), Ok("5h6h".into()));
        assert_eq!(meant(dragons, "▲６八龍上"), Ok("6i6h".into()));
        let silvers = "4k4/9/9/3S1S3/9/3S1S3/9/9/4K4 b - 1";
        assert_eq!(meant(silvers, "▲５五銀右上"), Ok("4f5e".into()));
        assert_eq!(meant(silvers, "▲５五銀左引"), Ok("6d5e".into()));
        let horses = "k8/9/9/9/9/9/4+B4/6+B2/7K1 b - 1";
        assert_eq!(meant(horses, "▲５六馬左"), Ok("5g5f".into()), "no 直 for the great pieces");
        assert_eq!(meant(horses, "▲５六馬右"), Ok("3h5f".into()));
    }

    #[test]
    fn refusals_say_why() {
        let start = "startpos";
        assert_eq!(meant(start, "７六歩(76)"), Err("nothing stands on 76".into()));
        assert_eq!(meant(start, "７六銀(77)"), Err("歩 stands on 77, not 銀".into()));
        assert_eq!(meant(start, "△７六歩(77)"), Err("it is ▲'s move".into()));
        assert_eq!(meant(start, "同歩"), Err("同 needs a move before it".into()));
        assert_eq!(meant(start, "５五角打"), Err("there is no 角 in hand".into()));
        assert_eq!(meant(start, "５五角"), Err("no 角 can go there".into()));
        assert_eq!(meant(start, "２二飛成(28)"), Err("the piece does not move there".into()));
        assert_eq!(
            meant("4k4/9/9/9/9/9/4P4/9/4K4 b P 1", "５五歩"),
            Err("there is another pawn in that file (nifu)".into())
        );
        let mini = Minishogi::from_sfen("startpos").unwrap();
        let (mv, _) = move_text::parse("６一玉").unwrap();
        assert_eq!(resolve(&mini, &mv, None).err().unwrap().reason, "the board has no square 61");
    }

    #[test]
    fn a_pinned_rival_asks_for_no_word() {
        // The gold on 5h is pinned by the rook: 4九 can only be meant for the hand or for the other gold.
        let sfen = "k3r4/9/9/9/9/9/9/4G4/4K4 b G 1";
        assert_eq!(meant(sfen, "４八金"), Ok("G*4h".into()));
        let position = Shogi::<Nine>::from_sfen(sfen).unwrap();
        assert!(drop_is_ambiguous(&position, Kind::Gold, Square::new::<Nine>(4, 8).unwrap()));
    }
}
