//! Boards as terminal text and as SVG, from one description.
//!
//! A game says what its board looks like ([`Draw`]) as a [`Picture`], which knows no game. Two renderers draw pictures:
//! [`svg`] for pages, reports and notebooks, [`terminal`] for terminals. [`Marks`] carry what somebody wants to point out.

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

pub use glyphs::outline as glyph_outline;
pub use marks::{Draw, Marks};
pub use picture::{Arrow, Cell, Face, Grid, Item, Labels, Picture, Piece, Route, Scale, Shape, Sign, Style, Tray};
pub use svg::{SvgOptions, svg};
pub use terminal::{TextOptions, terminal};
pub use theme::{Paint, Theme};
