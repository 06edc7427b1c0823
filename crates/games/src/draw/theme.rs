//! The colours of boards.

/// The colours of one look. All of them are SVG colours and stand in pictures as they are, so keep to `#rrggbb`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Theme {
    /// What it is called: a part of ids, so keep to letters.
    pub name: &'static str,
    /// The border around the cells, and the stands beside the board.
    pub frame: &'static str,
    /// The cells.
    pub board: &'static str,
    /// The grain of wood in the frame and the board; none for other stuff.
    pub grain: Option<&'static str>,
    /// The lines between cells.
    pub line: &'static str,
    /// Coordinates and titles, which stand on the frame.
    pub text: &'static str,
    /// Shogi pieces.
    pub tablet: Paint,
    /// Promoted characters.
    pub promoted: &'static str,
    /// Go stones of Black and White.
    pub stones: [Paint; 2],
    /// Tiles of Black and White.
    pub tiles: [Paint; 2],
    /// Cells of the last move.
    pub last: &'static str,
    /// The move thought best, and dots.
    pub hint: &'static str,
    /// Other moves under consideration.
    pub other: &'static str,
    /// A king in check.
    pub danger: &'static str,
}

/// The colours of one kind of piece.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Paint {
    /// Its body.
    pub fill: &'static str,
    /// Where light falls.
    pub light: &'static str,
    /// Edge and shade.
    pub dark: &'static str,
    /// What is written on it.
    pub ink: &'static str,
}

const fn paint(fill: &'static str, light: &'static str, dark: &'static str, ink: &'static str) -> Paint {
    Paint { fill, light, dark, ink }
}

impl Theme {
    /// Light wood, for shogi.
    pub const WOOD: Theme = Theme {
        name: "wood",
        frame: "#d9a75c",
        board: "#edc783",
        grain: Some("#8a5a1c"),
        line: "#4d3513",
        text: "#3a280e",
        tablet: paint("#f9e2af", "#fff3d2", "#a67c3a", "#1d150b"),
        promoted: "#c0221c",
        stones: [paint("#1c1c1e", "#55565a", "#000000", "#ffffff"), paint("#dfdbd0", "#ffffff", "#8d887c", "#1c1c1e")],
        tiles: [paint("#7d4fc4", "#a57fe0", "#4d2a86", "#ffffff"), paint("#f0932b", "#ffbb6b", "#b2610c", "#2b1a05")],
        last: "#7fae2e",
        hint: "#1d63c9",
        other: "#4f6b5c",
        danger: "#e0301e",
    };

    /// Yellow wood, for Go.
    pub const KAYA: Theme = Theme { name: "kaya", frame: "#e3b566", board: "#e3b566", ..Theme::WOOD };

    /// A light tray, for Blokus.
    pub const TRAY: Theme = Theme {
        name: "tray",
        frame: "#c9ced6",
        board: "#e3e6eb",
        grain: None,
        line: "#bcc2cb",
        text: "#3b424d",
        hint: "#0b7d6d",
        ..Theme::WOOD
    };

    /// Black on white, for printed pages.
    pub const PAPER: Theme = Theme {
        name: "paper",
        frame: "#ffffff",
        board: "#ffffff",
        grain: None,
        line: "#222222",
        text: "#111111",
        tablet: paint("#ffffff", "#ffffff", "#555555", "#000000"),
        promoted: "#b01010",
        stones: [paint("#000000", "#000000", "#000000", "#ffffff"), paint("#ffffff", "#ffffff", "#000000", "#000000")],
        tiles: [paint("#555555", "#6a6a6a", "#222222", "#ffffff"), paint("#d8d8d8", "#eeeeee", "#777777", "#000000")],
        last: "#bbbbbb",
        hint: "#1d63c9",
        other: "#4f6b5c",
        danger: "#e0301e",
    };

    /// Dark, for dark rooms.
    pub const NIGHT: Theme = Theme {
        name: "night",
        frame: "#20242c",
        board: "#2c323d",
        grain: None,
        line: "#626b7a",
        text: "#c3cad5",
        tablet: paint("#d8c79f", "#eadcb8", "#7f6c42", "#14100a"),
        promoted: "#b3150f",
        stones: [paint("#08090b", "#3b3f47", "#6b7280", "#ffffff"), paint("#e8e6e0", "#ffffff", "#8d887c", "#1c1c1e")],
        tiles: [paint("#7d4fc4", "#a57fe0", "#4d2a86", "#ffffff"), paint("#e0872a", "#ffbb6b", "#9a540c", "#2b1a05")],
        last: "#5f8f3a",
        hint: "#4c93ff",
        other: "#8fb3a0",
        danger: "#ff5340",
    };

    /// All of them.
    pub const ALL: [Theme; 5] = [Theme::WOOD, Theme::KAYA, Theme::TRAY, Theme::PAPER, Theme::NIGHT];

    /// The theme of that name.
    pub fn named(name: &str) -> Option<Theme> {
        Theme::ALL.into_iter().find(|theme| theme.name == name)
    }
}
