//! Ratings of more than two players from all their games together.
//!
//! The model is Rao and Kupper's, in the form that BayesElo made known. Let x be the first player's rating minus the second's plus the
//! advantage of moving first, and y the draw parameter:
//!
//! - the first wins with probability 1 / (1 + 10^((y - x)/400)), the second with 1 / (1 + 10^((y + x)/400)), else it is a draw;
//! - every player brings a virtual draw to the pool, spread over the opponents in proportion to the games against them, so that each
//!   takes part in about two: no rating is infinite;
//! - the logarithm of the likelihood is concave in all parameters, so Newton's method finds the one maximum ([`fit`]), and the
//!   inverse of its second derivative is the covariance of the estimates.
//!
//! Without draws the model is Bradley and Terry's. Players who are connected by no chain of games cannot be compared: each
//! connected pool is centred at zero on its own.

mod fit;
mod games;
mod newton;

pub use fit::{Options, Player, Ratings, fit};
pub use games::{MAX_PLAYERS, Pool, read_games};
