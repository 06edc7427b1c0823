//! Statistics of matches, one concept per file, each formula a named function.
//!
//! Read it in this order:
//!
//! 1. [`tally`]: what was counted, wins, draws and losses of games, or the five results of colour-swapped pairs.
//! 2. [`interval`] and [`distributions`]: the words everything else is said in.
//! 3. [`binomial`], [`score`], [`elo`]: one match. Is it luck, what is the win rate, what is it in Elo.
//! 4. [`sprt`] on top of [`likelihood`], [`sequence`] and [`expected`]: a match that stops when it knows enough.
//! 5. [`table`], [`fisher`], [`proportions`], [`holm`]: several matches compared; [`homogeneity`], [`trend`], [`isotonic`]: the shape of a
//!    row of them; [`clusters`]: games that are not independent.
//! 6. [`ratings`]: more than two players.
//! 7. [`power`]: before the match, how many games.
//!
//! Nothing here panics: impossible numbers are refused by the constructors ([`Tally::games`], [`Level::new`], [`Sprt::new`], …),
//! and what they accept gives an answer, also for no games at all, all wins or all draws.
//!
//! Are 277 + 263 wins of 1,000 games (S2.7) more than luck?
//!
//! ```
//! use yomi_statistics::{Level, Proportion};
//!
//! let wins = Proportion::new(277 + 263, 1000)?;
//! assert!((wins.exact_test(0.5) - 0.012).abs() < 0.001);
//! let interval = wins.clopper_pearson(Level::P95);
//! assert!((interval.low - 0.509).abs() < 0.001 && (interval.high - 0.571).abs() < 0.001);
//! # Ok::<(), yomi_core::TextError>(())
//! ```

pub mod binomial;
pub mod cholesky;
pub mod clusters;
pub mod distributions;
pub mod elo;
mod exact;
pub mod expected;
pub mod fisher;
pub mod holm;
pub mod homogeneity;
pub mod interval;
pub mod isotonic;
pub mod likelihood;
pub mod power;
pub mod proportions;
pub mod ratings;
pub mod repeats;
pub mod score;
pub mod sequence;
pub mod sprt;
pub mod table;
pub mod tally;
pub mod trend;

pub use binomial::Proportion;
pub use interval::{Estimate, Interval, Level};
pub use sprt::{Decision, Model, Sprt};
pub use table::Table;
pub use tally::Tally;
