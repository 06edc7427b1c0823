//! Shogi and minishogi as pictures.

use yomi_core::{Color, Notation, Position, Tactical};

use super::marks::{Draw, side_name, status};
use super::picture::{Cell, Face, Grid, Item, Labels, Picture, Piece, Route, Shape, Sign, Style, Tray};
use super::theme::Theme;
use crate::shogi::{Kind, Shogi, ShogiMove, Square, Variant};

/// The kinds of a hand as they are laid out: the strongest first.
const HAND: [Kind; 7] = [Kind::Rook, Kind::Bishop, Kind::Gold, Kind::Silver, Kind::Knight, Kind::Lance, Kind::Pawn];

const NUMERALS: [&str; 9] = ["一", "二", "三", "四", "五", "六", "七", "八", "九"];

/// Where a square lies in a picture.
pub fn cell<V: Variant>(square: Square) -> Cell {
    Cell::new(V::SIZE.wrapping_sub(square.file::<V>()), square.rank::<V>() - 1)
}

/// The kinds a side can have in hand, in the order of the items of its tray.
pub fn hand_kinds<V: Variant>() -> impl Iterator<Item = Kind> {
    HAND.into_iter().filter(|kind| V::SET[kind.index()] > 0)
}

impl<V: Variant> Draw for Shogi<V> {
    fn board(&self) -> Picture {
        let stars = if V::SIZE == 9 {
            [(2, 2), (5, 2), (2, 5), (5, 5)].map(|(x, y)| Cell::new(x, y)).to_vec()
        } else {
            Vec::new()
        };
        let grid = Grid { columns: V::SIZE, rows: V::SIZE, style: Style::Squares, cell: (44, 48), stars };
        let (turn, caption) = status(self);
        let game = if V::SIZE == 9 { "Shogi" } else { "Minishogi" };
        let mut picture = Picture::new(format!("{game}, {caption}"), Theme::WOOD, grid);
        picture.description = self.position_text();
        picture.turn = turn;
        picture.labels = Labels {
            columns: (1..=V::SIZE).rev().map(|file| Face::plain(file.to_string())).collect(),
            rows: (0..V::SIZE).map(|rank| Face::new(NUMERALS[usize::from(rank)], char::from(b'a' + rank))).collect(),
            top: true,
            right: true,
            ..Labels::default()
        };
        for square in Square::all::<V>() {
            if let Some(piece) = self.piece_at(square) {
                picture.pieces.push((cell::<V>(square), tablet(piece.color, piece.kind)));
            }
        }
        for side in Color::BOTH {
            let item =
                |kind| Item { piece: tablet(side, kind), cells: Vec::new(), count: self.hand(side, kind).into() };
            picture.trays.push(Tray {
                side,
                title: side_name(side).to_string(),
                items: hand_kinds::<V>().map(item).collect(),
            });
        }
        if let Some(king) = self.king(self.turn()).filter(|_| self.in_check()) {
            picture.signs.push((cell::<V>(king), Sign::Danger));
        }
        let check = if self.in_check() { ", in check" } else { "" };
        picture.captions.push(format!("Move {}: {caption}{check}", self.number()));
        picture
    }

    fn route(&self, mv: ShogiMove) -> Route {
        let to = cell::<V>(mv.to());
        match (mv.from(), mv.dropped()) {
            (Some(from), _) => Route::Move { from: cell::<V>(from), to, promotes: mv.promotes() },
            (None, Some(kind)) => {
                let item = hand_kinds::<V>().position(|other| other == kind).unwrap_or(usize::MAX);
                Route::Drop { side: self.turn(), item, to }
            }
            (None, None) => Route::Pass,
        }
    }
}

/// A piece with its character. The second player has the 王, the first the 玉, as in most diagrams.
fn tablet(side: Color, kind: Kind) -> Piece {
    let (native, size) = match kind {
        Kind::King if side == Color::White => ("王", 1.0),
        Kind::King => ("玉", 1.0),
        Kind::Rook => ("飛", 0.97),
        Kind::Bishop => ("角", 0.97),
        Kind::Gold => ("金", 0.94),
        Kind::Silver => ("銀", 0.94),
        Kind::Knight => ("桂", 0.91),
        Kind::Lance => ("香", 0.89),
        Kind::Pawn => ("歩", 0.86),
        Kind::Dragon => ("龍", 0.97),
        Kind::Horse => ("馬", 0.97),
        Kind::ProSilver => ("全", 0.94),
        Kind::ProKnight => ("圭", 0.91),
        Kind::ProLance => ("杏", 0.89),
        Kind::ProPawn => ("と", 0.86),
    };
    let promoted = kind.is_promoted();
    let ascii = format!("{}{}", if promoted { "+" } else { "" }, kind.letter());
    Piece { side, shape: Shape::Tablet { face: Face::new(native, ascii), promoted, size } }
}
