//! Networks that learn from games against themselves.
//!
//! Read it in this order:
//!
//! 1. [`samples`]: positions with what a network should say about them, and the files they are kept in.
//! 2. [`game`] and [`target`]: what a game adds to learning from it, and what a search teaches.
//! 3. [`live`] and [`self_play`]: many games on one device, whose network may be replaced while they are played.
//! 4. [`trainer`]: who turns samples into better networks: [`trainer::native`] on the CPU, [`trainer::python`] at scale.
//! 5. [`policy_gradient`]: S0.8 with a network as evaluation, gradients through the tree of a search into the tower.
//! 6. [`contest`]: which of two networks is better.
//! 7. [`run`], [`tally`] and [`dispatch`]: self-play, training, next generation; stopped and resumed at any time.
//! 8. [`farm`] and [`worker`]: games that are played elsewhere.
//! 9. [`records`], [`fit`] and [`prediction`]: supervised learning from games that others played.
//!
//! A network of one block that knows nothing plays a game against itself; what can be learned from it is in a file:
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//!
//! use yomi_core::{Seed, Spec};
//! use yomi_net::Architecture;
//! use yomi_net::open::Choice;
//! use yomi_train::{dispatch, open, run, samples, self_play};
//!
//! let game = Spec::parse("minishogi")?;
//! let network = run::first_network(Architecture::new(dispatch::layout(&game)?, 1, 8), &Seed::new(1))?;
//! let net = open::open(&network, Choice::Cpu, 1)?;
//! let settings = self_play::Settings { full: 4, full_share: 1.0, ..self_play::Settings::default() };
//! let out = std::env::temp_dir().join(format!("yomi-doc-{}.samples", std::process::id()));
//! let order = dispatch::Order { game: &game, settings: &settings, games: 0..1, seed: 1, threads: 1, out: &out };
//! let tally = dispatch::self_play(&order, net, &network, &AtomicBool::new(false), &mut |_| ())?;
//! let (header, positions) = samples::read(&out, Some("minishogi"))?;
//! assert_eq!((tally.games, header.game.as_str()), (1, "minishogi"));
//! assert!(tally.samples > 0 && tally.samples == positions.len() as u64);
//! # std::fs::remove_file(&out).ok();
//! # Ok::<(), yomi_core::TextError>(())
//! ```

pub mod contest;
pub mod dispatch;
pub mod farm;
pub mod files;
pub mod fit;
pub mod game;
pub mod live;
mod noise;
pub mod open;
pub mod policy_gradient;
pub mod prediction;
pub mod records;
pub mod run;
pub mod samples;
pub mod self_play;
pub mod tally;
pub mod target;
pub mod trainer;
mod utilisation;
pub mod worker;

pub use game::Trainable;
pub use live::Live;
