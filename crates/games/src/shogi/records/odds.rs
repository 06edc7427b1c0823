//! The names of start positions: 手合割.

use super::super::position::Shogi;
use super::super::variant::Variant;

/// The names of start positions and what [`Variant::HANDICAPS`] calls them; other spellings follow the usual one.
const HANDICAPS: [(&str, &str); 23] = [
    ("香落ち", "lance"),
    ("左香落ち", "lance"),
    ("右香落ち", "right-lance"),
    ("角落ち", "bishop"),
    ("飛車落ち", "rook"),
    ("飛落ち", "rook"),
    ("飛香落ち", "rook-lance"),
    ("二枚落ち", "two-piece"),
    ("2枚落ち", "two-piece"),
    ("三枚落ち", "three-piece"),
    ("四枚落ち", "four-piece"),
    ("4枚落ち", "four-piece"),
    ("五枚落ち", "five-piece"),
    ("左五枚落ち", "left-five-piece"),
    ("六枚落ち", "six-piece"),
    ("6枚落ち", "six-piece"),
    ("右七枚落ち", "right-seven-piece"),
    ("左七枚落ち", "left-seven-piece"),
    ("八枚落ち", "eight-piece"),
    ("8枚落ち", "eight-piece"),
    ("十枚落ち", "ten-piece"),
    ("歩三兵", "three-pawns"),
    ("裸玉", "bare-king"),
];

/// What 手合割 names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Odds {
    /// 平手: the usual start of shogi.
    Even,
    /// 5五将棋: the usual start of minishogi.
    Mini,
    /// A handicap, by the name that [`Variant::HANDICAPS`] has for it.
    Handicap(&'static str),
    /// その他: see the board.
    Other,
}

impl Odds {
    /// The start position that a name means.
    pub(super) fn from_name(name: &str) -> Option<Odds> {
        match name {
            "平手" | "" => Some(Odds::Even),
            "5五将棋" | "５五将棋" | "五五将棋" | "ミニ将棋" => Some(Odds::Mini),
            "その他" | "詰将棋" | "詰め将棋" => Some(Odds::Other),
            _ => HANDICAPS.iter().find(|(known, _)| *known == name).map(|(_, key)| Odds::Handicap(key)),
        }
    }

    /// The start position on a board of this variant, if it has one of that name.
    pub(super) fn position<V: Variant>(self) -> Option<Shogi<V>> {
        let sfen = match self {
            Odds::Even | Odds::Mini => Some(V::START),
            Odds::Handicap(key) => V::HANDICAPS.iter().find(|(known, _)| *known == key).map(|(_, sfen)| *sfen),
            Odds::Other => None,
        };
        Shogi::from_sfen(sfen?).ok()
    }

    /// What 手合割 says of a position.
    pub(super) fn of<V: Variant>(position: &Shogi<V>) -> Odds {
        let default = if V::SIZE == 9 { Odds::Even } else { Odds::Mini };
        // Kakinoki's list ends with 十枚落ち and has no handicaps of minishogi: other boards are drawn.
        let listed = |key: &str| V::SIZE == 9 && key != "three-pawns" && key != "bare-king";
        let named = V::HANDICAPS.iter().filter(|(key, _)| listed(key)).map(|(key, _)| Odds::Handicap(key));
        let same = |odds: &Odds| odds.position::<V>().is_some_and(|start| start.sfen() == position.sfen());
        [default].into_iter().chain(named).find(same).unwrap_or(Odds::Other)
    }

    /// Whether its name says it all: every reader knows these.
    pub(super) fn is_well_known(self) -> bool {
        let lesser = |key: &str| ["three", "five", "seven"].into_iter().any(|word| key.contains(word));
        match self {
            Odds::Even | Odds::Mini => true,
            Odds::Handicap(key) => !lesser(key),
            Odds::Other => false,
        }
    }

    /// Its name.
    pub(super) fn name(self) -> &'static str {
        match self {
            Odds::Even => "平手",
            Odds::Mini => "5五将棋",
            Odds::Handicap(key) => HANDICAPS.iter().find(|(_, known)| *known == key).map_or("その他", |(name, _)| name),
            Odds::Other => "その他",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::Nine;
    use super::*;

    #[test]
    fn names_of_starts() {
        for (name, key) in HANDICAPS {
            let odds = Odds::from_name(name).unwrap();
            let position = odds.position::<Nine>().unwrap_or_else(|| panic!("{key}"));
            let drawn = matches!(name, "歩三兵" | "裸玉");
            assert_eq!(Odds::of(&position), if drawn { Odds::Other } else { odds });
            assert_eq!(Odds::from_name(odds.name()), Some(odds));
        }
        assert_eq!(HANDICAPS.iter().filter(|(_, key)| !Nine::HANDICAPS.iter().any(|(k, _)| k == key)).count(), 0);
        assert!(Nine::HANDICAPS.iter().all(|(key, _)| Odds::Handicap(key).name() != "その他"));
    }
}
