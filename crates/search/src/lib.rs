//! Searches. They know positions and evaluators, no game, no protocol and no clock but the one they are given.
//!
//! Read it in this order:
//!
//! 1. [`search`]: what every search is asked and what it answers.
//! 2. [`recipe`]: a method of the tree family is three words, **select**, **expand**, **back up**; [`select`], [`expand`] and
//!    [`backup`] are the words, [`methods`] the recipes that have names.
//! 3. [`tree_search`]: the loop that follows any recipe.
//! 4. [`tree`]: what it grows, shared by all threads without locks; [`score`] is what its values say.
//! 5. [`softmax`], [`temperature`], [`constant`], [`growth`]: the arithmetic.
//! 6. [`mod@walk`] and [`backup::sensitivities`]: what learning through a finished tree needs.
//!
//! ```
//! use yomi_core::{Line, toy::Nim};
//! use yomi_search::{Limits, Method, Search, TreeSearch};
//! # use yomi_core::{Answer, Evaluator, Position, Question};
//! # struct Even;
//! # impl Evaluator<Nim> for Even {
//! #     type Scratch = ();
//! #     fn scratch(&self, _: u64) {}
//! #     fn win(&self) -> f32 { 1.0 }
//! #     fn judge(&self, question: &Question<'_, Nim>, answer: &mut Answer<<Nim as Position>::Move>, _: &mut ()) {
//! #         answer.by_value(question, 1.0, |_| 0.0);
//! #     }
//! # }
//! let method: Method = "mcss(t=0.3,threads=2)".parse()?;
//! let mut search = TreeSearch::new(method, Even);
//! let verdict = search.search(&Line::new(Nim::new(10)), &Limits::simulations(1000), &mut ());
//! assert_eq!(verdict.best.map(|take| take.0), Some(2));
//! # Ok::<(), yomi_core::TextError>(())
//! ```

pub mod alpha_beta;
pub mod backup;
pub mod book;
pub mod constant;
pub mod endgame;
pub mod expand;
mod finished;
pub mod flat;
pub mod greedy;
pub mod growth;
mod machine;
pub mod mate;
pub mod mate_first;
pub mod methods;
pub mod options;
pub mod ordering;
mod pages;
pub mod parameters;
pub mod quiescence;
pub mod random;
pub mod recipe;
pub mod score;
pub mod search;
pub mod select;
pub mod softmax;
mod sync;
#[cfg(test)]
mod synthetic;
pub mod temperature;
#[cfg(all(test, not(loom)))]
mod testing;
pub mod time;
pub mod transposition;
pub mod tree;
pub mod tree_search;
pub mod walk;
mod warm_up;
pub mod weakened;

pub use alpha_beta::{AlphaBeta, AlphaBetaOptions};
pub use book::{Book, Bookish};
pub use endgame::{EndgameFirst, Points};
pub use flat::{Flat, FlatOptions};
pub use greedy::Greedy;
pub use mate_first::MateFirst;
pub use methods::{METHODS, Method};
pub use quiescence::{Quiet, QuietOptions};
pub use random::RandomPlayer;
pub use recipe::Recipe;
pub use search::{Ended, Limits, Proof, RootMove, Search, Verdict, Watch};
pub use tree_search::{Pool, TreeSearch};
pub use weakened::{Weakened, WeakenedOptions};
