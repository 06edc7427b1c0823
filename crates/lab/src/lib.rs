//! The laboratory: what can be concluded from games.
//!
//! [`statistics`] answers the questions of a match: is it more than luck, by how much, how many games will it take, who is
//! the strongest of a pool. [`plots`] draws the answers. Both know no game and no search; counts go in, numbers and pictures come out.

pub mod clock;
pub mod ending;
pub mod player;
pub mod plots;
pub mod statistics;
