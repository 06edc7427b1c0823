//! What a game is, and what may be asked of one.
//!
//! This crate knows no game and no search. Read it in this order:
//!
//! 1. [`position`]: a [`Position`] and its [`Move`]s know the rules and nothing of their past.
//! 2. [`mod@line`]: a [`Line`] is a position and the plies that led to it: repetition and superko live there.
//! 3. [`question`] (with [`cancel`]), [`evaluator`] (with [`any_evaluator`]) and [`policy`]: what searches ask about positions, who
//!    answers, and how games are played out; [`differentiable`]: what learners ask.
//! 4. [`notation`], [`record`], [`spec`], [`text`]: what people type and read.
//! 5. [`rng`], [`zobrist`], [`clock`]: the sources of chance and time, all of them here.
//! 6. [`toy`] and [`conformance`]: small games to test with, and the laws every game obeys.
//!
//! ```
//! use yomi_core::toy::Nim;
//! use yomi_core::{Color, Line, Notation, Outcome, Position};
//!
//! let mut line = Line::new(Nim::new(5));
//! let mut moves = Vec::new();
//! assert_eq!(line.generate(&mut moves), None);
//! for text in ["1", "2", "2"] {
//!     line.play(line.position().parse_move(text)?);
//! }
//! assert_eq!(line.generate(&mut moves), Some(Outcome::Win(Color::Black)));
//! assert_eq!(Outcome::Win(Color::Black).value_for(Color::White, 1.0), -1.0);
//! # Ok::<(), yomi_core::TextError>(())
//! ```

pub mod any_evaluator;
pub mod cancel;
pub mod clock;
pub mod conformance;
pub mod differentiable;
pub mod evaluator;
pub mod file;
pub mod hint;
pub mod line;
pub mod notation;
pub mod perft;
pub mod policy;
pub mod position;
pub mod question;
pub mod record;
pub mod rng;
pub mod spec;
pub mod text;
pub mod toy;
pub mod zobrist;

pub use any_evaluator::AnyEvaluator;
pub use cancel::Cancel;
pub use differentiable::Differentiable;
pub use evaluator::Evaluator;
pub use line::Line;
pub use notation::{Notation, Rule};
pub use policy::{Policy, Simulate, Uniform};
pub use position::{Color, Move, Outcome, Ply, Position, Tactical};
pub use question::{Answer, Flight, Playouts, Question, Want};
pub use record::{Ending, Record};
pub use rng::{Rng, Seed};
pub use spec::{ChangeParameter, Spec};
pub use text::TextError;
