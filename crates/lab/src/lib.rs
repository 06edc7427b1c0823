//! The laboratory: what can be concluded from games.
//!
//! [`statistics`] answers the questions of a match: is it more than luck, by how much, how many games will it take, who is
//! the strongest of a pool. [`plots`] draws the answers. Both know no game and no search; counts go in, numbers and pictures come out.

pub mod arena;
pub mod budget;
pub mod clock;
pub mod conditions;
pub mod config;
pub mod contest;
pub mod directory;
pub mod ending;
pub mod error;
pub mod experiment;
pub mod ledger;
pub mod manifest;
pub mod opening;
pub mod plan;
pub mod player;
pub mod players;
pub mod plots;
mod record;
pub mod referee;
pub mod report;
pub mod row;
pub mod runner;
pub mod schedule;
pub mod standing;
pub mod statistics;
pub mod summary;
pub mod verify;
pub mod worker;
