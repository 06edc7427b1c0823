//! Blokus Duo.
