//! Boards as terminal text and as SVG, from one description.
//!
//! A game says what its board looks like ([`Draw`]) as a [`Picture`], which knows no game. Two renderers draw pictures:
//! [`svg`] for pages, reports and notebooks, [`terminal`] for terminals. [`Marks`] are the annotations.
//!
//! ```
//! use yomi_core::Notation;
//! use yomi_games::draw::{Draw, Marks, SvgOptions, TextOptions, svg, terminal};
//! use yomi_games::shogi::Minishogi;
//!
//! let position = Minishogi::default();
//! let mv = position.parse_move("3e2d").unwrap();
//! let picture = position.picture(&Marks::new().arrow(mv, 0.6, "60%"));
//! assert!(svg(&picture, &SvgOptions::default()).starts_with("<svg"));
//! assert!(terminal(&picture, &TextOptions::default()).contains("v飛v角v銀v金v王|一"));
//! ```

pub mod blokus;
mod glyphs;
pub mod go;
mod heat;
mod marks;
mod outline;
mod picture;
pub mod shogi;
mod svg;
mod terminal;
mod theme;
mod toy;

pub use glyphs::outline as glyph_outline;
pub(crate) use marks::status;
pub use marks::{Draw, Marks};
pub use picture::{Arrow, Cell, Face, Grid, Item, Labels, Picture, Piece, Route, Scale, Shape, Sign, Style, Tray};
pub use svg::{Stage, SvgOptions, svg};
pub use terminal::{TextOptions, terminal};
pub use theme::{Paint, Theme};
