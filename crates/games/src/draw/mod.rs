//! Boards as terminal text and as SVG.
